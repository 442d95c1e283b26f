//! TLS with a trusted authority, with another one and without any.

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

/// The variable with the URL for the child process. The test runs itself in a child process, because the
/// environment of a process determines its authorities.
const URL: &str = "GHI_CLIENT_TEST_URL";

#[tokio::test]
async fn https_trusts_the_system_authorities_and_http_needs_none() {
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
    let http = Scripted::responses([ok(NETWORK)]).url;
    let by_address = trusted_url.replace("localhost", "127.0.0.1");
    for (authorities, url, expected) in [
        (&trusted, &trusted_url, "hashrate 1000.5"),
        (&none, &http, "hashrate 1000.5"),
        (&none, &trusted_url, "UnknownIssuer; if you trust it"),
        (
            &other,
            &trusted_url,
            "UnknownIssuer; if you trust it, set SSL_CERT_FILE to a file with its issuer's certificate",
        ),
        (&namesake, &trusted_url, "BadSignature"),
        (&trusted, &by_address, "not valid for name \"127.0.0.1\"; certificate is only valid for"),
        (&expired, &expired_url, "certificate expired"),
        (&early, &early_url, "certificate not valid yet"),
        (&authority, &authority_url, "CaUsedAsEndEntity"),
    ] {
        let said = in_a_process_that_trusts(authorities, url);
        assert!(said.contains(expected), "{expected}: {said}");
        let start = format!("error cannot connect to {url}/v1/ghi/network: ");
        assert!(said.contains("hashrate") || said.contains(&start), "{said}");
    }
}

/// Writes a file with this text.
fn file(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.pem"));
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Runs this test for a URL in a process that trusts only these authorities. Returns the output.
fn in_a_process_that_trusts(authorities: &str, url: &str) -> String {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg("https::https_trusts_the_system_authorities_and_http_needs_none")
        .env(URL, url)
        .env("SSL_CERT_FILE", authorities)
        .env_remove("SSL_CERT_DIR")
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Starts a server with a self-signed certificate for localhost that sends a document to each client that trusts
/// it. Returns the certificate file and the URL.
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
            // A client that does not trust the certificate sends an alert and disconnects.
            if stream.read(&mut [0; 4096]).is_ok_and(|length| length > 0) {
                stream.write_all(ok(NETWORK).as_bytes()).unwrap();
                stream.conn.send_close_notify();
                stream.flush().unwrap();
            }
        }
    });
    [file(name, &certificate.pem()), format!("https://localhost:{port}")]
}
