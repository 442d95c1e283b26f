//! TLS, with an authority that the system trusts, with another one, and without any.

use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::{env, thread};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::scripted::{NETWORK, Scripted, ok};
use crate::support::client;

/// What the test asks itself in a process of its own: which authorities there are is fixed by the
/// environment of a process.
const URL: &str = "GHI_CLIENT_TEST_URL";

#[tokio::test]
async fn https_trusts_what_the_system_trusts_and_http_needs_nothing() {
    if let Ok(url) = env::var(URL) {
        match client(&url).network().await {
            Ok(network) => println!("hashrate {}", network.hashrate_eh),
            Err(error) => println!("error {error}"),
        }
        return;
    }
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".into()]).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let [trusted, other, none] =
        ["trusted.pem", "other.pem", "none.pem"].map(|name| folder.join(name));
    File::create(&trusted).unwrap().write_all(cert.pem().as_bytes()).unwrap();
    let another = generate_simple_self_signed(["localhost".into()]).unwrap().cert.pem();
    File::create(&other).unwrap().write_all(another.as_bytes()).unwrap();
    File::create(&none).unwrap();

    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let https = serve_tls(cert.der().clone(), key);
    let http = Scripted::answers([ok(NETWORK)]).url;
    for (authorities, url, expected) in [
        (&trusted, &https, "hashrate 1000.5"),
        (&other, &https, "cannot connect to https://localhost:"),
        (&none, &https, "No CA certificates were loaded from the system"),
        (&none, &http, "hashrate 1000.5"),
        (&trusted, &https.replace("localhost", "127.0.0.1"), "not valid for name"),
    ] {
        let said = in_a_process_that_trusts(authorities, url);
        assert!(said.contains(expected), "{said}");
    }
}

/// What this test says of a URL, in a process with these authorities alone.
fn in_a_process_that_trusts(authorities: &Path, url: &str) -> String {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg("https::https_trusts_what_the_system_trusts_and_http_needs_nothing")
        .env(URL, url)
        .env("SSL_CERT_FILE", authorities)
        .env_remove("SSL_CERT_DIR")
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The address of a server that sends a document to each client that trusts its certificate.
fn serve_tls(certificate: CertificateDer<'static>, key: PrivateKeyDer<'static>) -> String {
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(connection, stream.unwrap());
            // A client that does not trust it says so and goes.
            if stream.read(&mut [0; 4096]).is_ok_and(|length| length > 0) {
                stream.write_all(ok(NETWORK).as_bytes()).unwrap();
                stream.conn.send_close_notify();
                stream.flush().unwrap();
            }
        }
    });
    format!("https://localhost:{port}")
}
