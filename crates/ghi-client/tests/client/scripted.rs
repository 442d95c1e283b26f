//! A server that sends scripted responses.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A server that accepts one request per connection, until the test process ends.
pub(crate) struct Scripted {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    /// Starts a server that calls `script` with the number of the request and its connection.
    pub(crate) fn new(mut script: impl FnMut(usize, &mut TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let received = Arc::clone(&requests);
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let mut stream = stream.unwrap();
                let lines = BufReader::new(&stream).lines().map_while(Result::ok);
                let head = lines.take_while(|line| !line.is_empty());
                let head: String = head.map(|line| line + "\n").collect();
                received.lock().unwrap().push(head.to_lowercase());
                script(number, &mut stream);
            }
        });
        Self { url, requests }
    }

    /// Starts a server that sends these texts in order, and then repeats the last one.
    pub(crate) fn responses<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Self {
        let texts: Vec<Vec<u8>> = texts.into_iter().map(|text| text.as_ref().to_vec()).collect();
        Self::new(move |number, stream| {
            // The client may close the connection early.
            _ = stream.write_all(&texts[number.min(texts.len() - 1)]);
        })
    }

    /// Returns the heads of the received requests, in lower case.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// Builds a response. Each header ends in CRLF.
pub(crate) fn response(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )
}

/// Builds a 200 response with a document.
pub(crate) fn ok(body: &str) -> String {
    response("200 OK", "Content-Type: application/json\r\n", body)
}

/// A short network document.
pub(crate) const NETWORK: &str = r#"{"version":"1.1","timestamp_utc":"2026-11-15T12:00:00.000000Z","engine_sandbox_version":"0.2.0-sandbox","hashrate_eh":1000.5,"difficulty":1,"avg_fee_usd":0.5}"#;
