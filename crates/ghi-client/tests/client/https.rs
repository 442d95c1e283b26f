//! TLS, with an authority that the system trusts, with another one, and without any.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::{env, fs, thread};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, KeyPair, date_time_ymd};
use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
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
    let [trusted, trusted_url] = serve_tls("trusted", |_| {});
    let [namesake, _] = serve_tls("namesake", |_| {});
    let [other, _] = serve_tls("other", |params| {
        params.distinguished_name.push(DnType::CommonName, "Another authority");
    });
    let [expired, expired_url] =
        serve_tls("expired", |params| params.not_after = date_time_ymd(2020, 1, 31));
    let [early, early_url] =
        serve_tls("early", |params| params.not_before = date_time_ymd(3000, 1, 1));
    let [authority, authority_url] =
        serve_tls("authority", |params| params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained));
    let none = file("none", "");
    let http = Scripted::answers([ok(NETWORK)]).url;
    let by_address = trusted_url.replace("localhost", "127.0.0.1");
    for (authorities, url, expected) in [
        (&trusted, &trusted_url, "hashrate 1000.5"),
        (&none, &http, "hashrate 1000.5"),
        (&none, &trusted_url, "No CA certificates were loaded from the system"),
        (&other, &trusted_url, "is from an authority that this machine does not trust"),
        (&namesake, &trusted_url, "another authority of the same name signed it"),
        (
            &trusted,
            &by_address,
            "is not for 127.0.0.1, but for localhost; use a name that it is for",
        ),
        (&expired, &expired_url, "expired on Fri, 31 Jan 2020 00:00:00 GMT; it must be renewed"),
        (&early, &early_url, "is not valid before Wed, 01 Jan 3000 00:00:00 GMT"),
        (
            &authority,
            &authority_url,
            "is that of an authority (CA:TRUE), as some tools make those that are self-signed",
        ),
    ] {
        let said = in_a_process_that_trusts(authorities, url);
        assert!(said.contains(expected), "{expected}: {said}");
        let start = format!("error cannot connect to {url}/v1/ghi/network: ");
        assert!(said.contains("hashrate") || said.contains(&start), "{said}");
    }
}

/// A file with this text.
fn file(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.pem"));
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// What this test says of a URL, in a process with these authorities alone.
fn in_a_process_that_trusts(authorities: &str, url: &str) -> String {
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

/// A server that signs its own certificate for localhost and sends a document to each client that trusts
/// it: the file with the certificate, and its address.
fn serve_tls(name: &str, change: fn(&mut CertificateParams)) -> [String; 2] {
    let signing_key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(["localhost".into()]).unwrap();
    change(&mut params);
    let certificate = params.self_signed(&signing_key).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
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
    [file(name, &certificate.pem()), format!("https://localhost:{port}")]
}
