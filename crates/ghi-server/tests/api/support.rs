//! A server on a real socket, and a client that sends exactly the given bytes.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, UNIX_EPOCH};

use ghi_engine::{DEFAULT_INPUTS, Inputs};
use ghi_server::{Clock, Config, Reload, Sandbox};
use jiff::civil::{DateTime, date};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::Value;
use socket2::SockRef;

use crate::openapi;

/// The instant of most tests and of every golden document.
pub(crate) const NOON: &str = "2026-11-15T12:00:00Z";

/// The paths of the contract, with an id where one is required.
pub(crate) const PATHS: [&str; 8] = [
    "/v1/ghi/metadata",
    "/v1/ghi/regions",
    "/v1/ghi/regions/us",
    "/v1/ghi/snapshot",
    "/v1/ghi/history",
    "/v1/ghi/network",
    "/v1/ghi/forecast",
    "/v1/ghi/indicator",
];

/// A clock that is stopped but counts as real, so that pages have no notice about it.
pub(crate) fn clock_that_says(moment: &str) -> Clock {
    // A civil time, because jiff's timestamps end one day before the end of the year 9999.
    let civil: DateTime = moment.strip_suffix('Z').unwrap().parse().unwrap();
    let since_epoch = civil.duration_since(date(1970, 1, 1).at(0, 0, 0, 0)).unsigned_abs();
    Clock::from_fn(move || UNIX_EPOCH + since_epoch)
}

/// A server whose render pool is stuck until this is dropped, and a client that has nine requests waiting there.
pub(crate) struct StuckPool {
    pub(crate) server: Sandbox,
    is_stuck: Arc<AtomicBool>,
    pub(crate) waiting: Vec<TcpStream>,
}

impl StuckPool {
    /// Starts a server, and sends its pool nine requests with these header lines.
    pub(crate) fn start(config: Config, client: &str) -> Self {
        let is_stuck = Arc::new(AtomicBool::new(true));
        let stuck = Arc::clone(&is_stuck);
        let clock = Clock::from_fn(move || {
            // The pool reads the clock too, on threads that Tokio names.
            let is_of_pool = thread::current().name().is_some_and(|name| name.starts_with("tokio"));
            while is_of_pool && stuck.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
            UNIX_EPOCH + Duration::from_secs(1_794_744_000)
        });
        let server = Sandbox::start(Config { clock, ..config }).unwrap();
        let request = format!("GET /?price=1 HTTP/1.1\r\nHost: test\r\n{client}\r\n");
        // Of twenty, eleven are refused.
        let mut waiting: Vec<TcpStream> = (0..20).map(|_| connect(server.address())).collect();
        for stream in &mut waiting {
            stream.write_all(request.as_bytes()).unwrap();
            stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        }
        let deadline = Instant::now() + Duration::from_secs(10);
        while waiting.len() > 9 {
            assert!(Instant::now() < deadline, "the queue does not fill");
            waiting.retain(|stream| stream.peek(&mut [0]).is_err());
        }
        Self { server, is_stuck, waiting }
    }

    pub(crate) fn release(&self) {
        self.is_stuck.store(false, Ordering::Relaxed);
    }
}

impl Drop for StuckPool {
    fn drop(&mut self) {
        self.release();
    }
}

/// A server that runs until it is dropped.
pub(crate) struct TestServer(Sandbox);

impl TestServer {
    /// Starts a server with the default inputs and a stopped clock.
    pub(crate) fn at(moment: &str) -> Self {
        Self::start(Config { clock: Clock::at(moment.parse().unwrap()), ..Config::default() })
    }

    /// Starts a server with the default inputs and a stopped clock that pages don't mention.
    pub(crate) fn when_it_is(moment: &str) -> Self {
        Self::start(Config { clock: clock_that_says(moment), ..Config::default() })
    }

    /// Starts one of several servers with the same public URL, whose responses are the same byte for byte.
    pub(crate) fn replica(inputs: Inputs, moment: &str) -> Self {
        let public_url = Some("http://example.org".parse().unwrap());
        let clock = clock_that_says(moment);
        Self::start(Config { inputs, clock, public_url, ..Config::default() })
    }

    /// Starts a server with other inputs, whose clock is stopped at noon.
    pub(crate) fn with_inputs(inputs: Inputs) -> Self {
        Self::start(Config { inputs, clock: clock_that_says(NOON), ..Config::default() })
    }

    pub(crate) fn start(config: Config) -> Self {
        Self(Sandbox::start(config).unwrap())
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.0.address()
    }

    /// Returns the handle that reloads its inputs.
    pub(crate) fn reload_handle(&self) -> Reload {
        self.0.reload_handle()
    }

    /// Sends a GET request.
    #[track_caller]
    pub(crate) fn get(&self, target: &str) -> Answer {
        self.request("GET", target, "")
    }

    /// Sends a GET request and returns the JSON document.
    #[track_caller]
    pub(crate) fn json(&self, target: &str) -> Value {
        let answer = self.get(target);
        assert_eq!(answer.status, 200, "{target}: {}", answer.body);
        answer.json()
    }

    /// Sends a request with extra header lines, each ending in CRLF, and checks the response against the
    /// OpenAPI document.
    #[track_caller]
    pub(crate) fn request(&self, method: &str, target: &str, headers: &str) -> Answer {
        let answer = self.send(&format!(
            "{method} {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n{headers}\r\n"
        ));
        openapi::check(method, target, &answer);
        answer
    }

    /// Sends exactly these bytes, which must contain `Connection: close`.
    pub(crate) fn send(&self, request: &str) -> Answer {
        Answer::parse(&self.exchange(request.as_bytes()))
    }

    /// Sends a request and returns the body without decoding it.
    pub(crate) fn request_raw(
        &self,
        method: &str,
        target: &str,
        headers: &str,
    ) -> (Answer, Vec<u8>) {
        let answer = self.exchange_raw(
            format!(
                "{method} {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n{headers}\r\n"
            )
            .as_bytes(),
        );
        let end = answer.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 4;
        (Answer::parse(str::from_utf8(&answer[..end]).unwrap()), answer[end..].to_vec())
    }

    /// Sends these bytes and returns everything received until the connection is closed, as text.
    pub(crate) fn exchange(&self, bytes: &[u8]) -> String {
        String::from_utf8(self.exchange_raw(bytes)).unwrap()
    }

    /// Sends these bytes and returns everything received until the connection is closed.
    fn exchange_raw(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        // The server may close before it has read everything.
        _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        if let Err(error) = stream.read_to_end(&mut answer) {
            assert_eq!(error.kind(), ErrorKind::ConnectionReset, "no response, and not closed");
        }
        answer
    }

    pub(crate) fn connect(&self) -> TcpStream {
        connect(self.address())
    }

    /// A connection with a small receive buffer: a large response has to wait for its reader.
    pub(crate) fn connect_narrow(&self) -> TcpStream {
        let stream = self.connect();
        SockRef::from(&stream).set_recv_buffer_size(64 << 10).unwrap();
        stream
    }
}

fn connect(server: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(server).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream
}

/// The wanted number of clients, or fewer if this process may not open enough files: each takes two
/// descriptors, since the server is in the same process, and tests that run in parallel need as many.
pub(crate) fn at_most(wanted: u64) -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    setrlimit(Resource::Nofile, raised).unwrap();
    limit.maximum.map_or(wanted, |limit| wanted.min(limit / 4))
}

/// The text of inputs with this many regions of equal share.
pub(crate) fn many_regions(count: usize) -> String {
    let mut text = DEFAULT_INPUTS.split("[[region]]").next().unwrap().to_owned();
    let share = 100.0 / count as f64;
    for region in 0..count {
        text += &format!(
            "[[region]]\nid = \"r{region}\"\nname = \"Region {region}\"\nhashrate_share_pct = {share}\n\
             efficiency_j_per_th = {{ best = 18, mean = 20, worst = 22 }}\n\
             electricity_usd_per_kwh = {{ low = 0.05, mean = 0.06, high = 0.07 }}\n"
        );
    }
    text
}

/// The text of inputs with this many regions, each more expensive than the one before.
pub(crate) fn rising_cost_regions(count: usize) -> String {
    let mut text = DEFAULT_INPUTS.split("[[region]]").next().unwrap().to_owned();
    let share = 10_000 / count;
    for region in 0..count {
        let rest = if region == 0 { 10_000 - share * count } else { 0 };
        let price = 0.04 + 0.04 * region as f64 / count as f64;
        text += &format!(
            "[[region]]\nid = \"r{region}\"\nname = \"Region {region}\"\n\
             hashrate_share_pct = {}\n\
             efficiency_j_per_th = {{ best = 18, mean = 20, worst = 22 }}\n\
             electricity_usd_per_kwh = {{ low = {price}, mean = {price}, high = {price} }}\n",
            (share + rest) as f64 / 100.0
        );
    }
    text
}

/// A client with a keep-alive connection.
pub(crate) struct KeptAlive(BufReader<TcpStream>);

impl KeptAlive {
    pub(crate) fn new(server: SocketAddr) -> Self {
        Self(BufReader::new(connect(server)))
    }

    /// Sends a GET request and checks the response against the OpenAPI document.
    pub(crate) fn get(&mut self, target: &str) -> std::io::Result<Answer> {
        let answer = self.send(&format!("GET {target} HTTP/1.1\r\nHost: test\r\n\r\n"))?;
        openapi::check("GET", target, &answer);
        Ok(answer)
    }

    /// Sends exactly these bytes.
    pub(crate) fn send(&mut self, request: &str) -> std::io::Result<Answer> {
        // In one write: a second one would wait until the first is acknowledged.
        self.0.get_mut().write_all(request.as_bytes())?;
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if self.0.read_line(&mut head)? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        let mut answer = Answer::parse(&head);
        if answer.header("transfer-encoding").is_some() {
            answer.body = self.read_chunks()?;
            return Ok(answer);
        }
        let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
        let length = if answer.status == 304 { 0 } else { length };
        let mut body = vec![0; length];
        self.0.read_exact(&mut body)?;
        answer.body = String::from_utf8(body).unwrap();
        Ok(answer)
    }
}

impl KeptAlive {
    /// Reads a chunked body to its end.
    fn read_chunks(&mut self) -> std::io::Result<String> {
        let mut chunks = String::new();
        while !chunks.ends_with("\r\n0\r\n\r\n") && chunks != "0\r\n\r\n" {
            if self.0.read_line(&mut chunks)? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(dechunked(&chunks))
    }
}

/// Decodes a chunked body, which must be complete.
fn dechunked(mut chunks: &str) -> String {
    let mut body = String::new();
    loop {
        let (length, rest) = chunks.split_once("\r\n").unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        body += &rest[..length];
        chunks = rest[length..].strip_prefix("\r\n").unwrap();
        if length == 0 {
            assert_eq!(chunks, "", "trailing bytes after the last chunk");
            return body;
        }
    }
}

/// A server that may have one connection open, and the client that has it: it waits for its second
/// response, so that it cannot be closed to make room.
pub(crate) fn with_its_only_slot_taken() -> (TestServer, TcpStream) {
    let server = TestServer::start(Config { max_connections: 1, ..Config::default() });
    let mut waiting = server.connect();
    let first = "GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n";
    let second = "GET /v1/ghi/network HTTP/1.1\r\nHost: test\r\nPrefer: delay=10000\r\n\r\n";
    waiting.write_all(format!("{first}{second}").as_bytes()).unwrap();
    waiting.read_exact(&mut [0]).unwrap();
    (server, waiting)
}

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.map(|line| line.split_once(": ").unwrap());
        let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        let mut answer = Self { status, headers: headers.collect(), body: body.to_owned() };
        if answer.header("transfer-encoding").is_some() && !body.is_empty() {
            answer.body = dechunked(body);
        }
        answer
    }

    /// The value of a header, which must not be repeated.
    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|header| header.0 == name);
        let value = values.next().map(|header| &*header.1);
        assert!(values.next().is_none(), "{name} is repeated");
        value
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Asserts that this is a complete, well-formed problem with this status and code.
    #[track_caller]
    pub(crate) fn assert_problem(&self, status: u16, code: &str) {
        assert_eq!(self.status, status, "{}", self.body);
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        let problem: ghi_contract::ProblemDocument = serde_json::from_str(&self.body).unwrap();
        let fields: Vec<String> = self.json().as_object().unwrap().keys().cloned().collect();
        assert_eq!(fields.len(), 6, "{fields:?}");
        assert_eq!((problem.status, &*problem.code), (status, code));
        assert_eq!(problem.type_, format!("/problems/{code}"));
        assert!(problem.detail.ends_with('.'), "{}", problem.detail);
        assert!(!problem.title.is_empty());
        assert!(problem.instance.len() < 300, "{}", problem.instance);
    }
}
