//! A server on a real socket, and a client that sends exactly what it is told to.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, UNIX_EPOCH};

use ghi_engine::{DEFAULT_INPUTS, Inputs};
use ghi_server::{Clock, Config, Reload, Sandbox};
use jiff::civil::{DateTime, date};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::Value;
use socket2::SockRef;

use crate::openapi;

/// The instant of most tests and of every golden document.
pub(crate) const NOON: &str = "2026-11-15T12:00:00Z";

/// The paths of the contract, each with an id where it takes one.
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

/// A clock that stands still without being known to, so that what pages say of it depends on nothing
/// but the time.
pub(crate) fn clock_that_says(moment: &str) -> Clock {
    // As a civil time, since jiff's instants end a day before the year 9999 does.
    let civil: DateTime = moment.strip_suffix('Z').unwrap().parse().unwrap();
    let since_epoch = civil.duration_since(date(1970, 1, 1).at(0, 0, 0, 0)).unsigned_abs();
    Clock::from_fn(move || UNIX_EPOCH + since_epoch)
}

/// A server that runs until it is dropped.
pub(crate) struct Server(Sandbox);

impl Server {
    /// A server of the default inputs whose clock stands still.
    pub(crate) fn at(moment: &str) -> Self {
        Self::start(Config { clock: Clock::at(moment.parse().unwrap()), ..Config::default() })
    }

    /// The same, but for that no page says so.
    pub(crate) fn when_it_is(moment: &str) -> Self {
        Self::start(Config { clock: clock_that_says(moment), ..Config::default() })
    }

    /// The same as one of several that are reached at one address, whatever theirs are: they give the
    /// same answers, byte by byte.
    pub(crate) fn replica(inputs: Inputs, moment: &str) -> Self {
        let public_url = Some("http://example.org".parse().unwrap());
        let clock = clock_that_says(moment);
        Self::start(Config { inputs, clock, public_url, ..Config::default() })
    }

    pub(crate) fn start(config: Config) -> Self {
        Self(Sandbox::start(config).unwrap())
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.0.address()
    }

    /// What replaces its inputs.
    pub(crate) fn reload_handle(&self) -> Reload {
        self.0.reload_handle()
    }

    /// The answer to a GET.
    #[track_caller]
    pub(crate) fn get(&self, target: &str) -> Answer {
        self.request("GET", target, "")
    }

    /// The document that a GET finds.
    #[track_caller]
    pub(crate) fn json(&self, target: &str) -> Value {
        let answer = self.get(target);
        assert_eq!(answer.status, 200, "{target}: {}", answer.body);
        answer.json()
    }

    /// The answer to a method, with more header lines, each ending in CRLF; one that the OpenAPI
    /// document promises.
    #[track_caller]
    pub(crate) fn request(&self, method: &str, target: &str, headers: &str) -> Answer {
        let answer = self.send(&format!(
            "{method} {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n{headers}\r\n"
        ));
        openapi::check(method, target, &answer);
        answer
    }

    /// The answer to these very bytes, which must ask for the connection to be closed.
    pub(crate) fn send(&self, request: &str) -> Answer {
        Answer::parse(&self.exchange(request.as_bytes()))
    }

    /// The same as `request`, with the body as it came: whatever its encoding.
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

    /// All that comes back for these bytes until the connection is closed, as text.
    pub(crate) fn exchange(&self, bytes: &[u8]) -> String {
        String::from_utf8(self.exchange_raw(bytes)).unwrap()
    }

    /// All that comes back for these bytes until the connection is closed.
    fn exchange_raw(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        // The server may close before it has read everything.
        _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        if let Err(error) = stream.read_to_end(&mut answer) {
            assert_eq!(error.kind(), ErrorKind::ConnectionReset, "neither answered nor closed");
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

/// As many clients as wanted, or as this process may have descriptors for: two for each, since the
/// server is in the same process, and as much again for the tests beside this one.
pub(crate) fn at_most(wanted: u64) -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    setrlimit(Resource::Nofile, raised).unwrap();
    limit.maximum.map_or(wanted, |limit| wanted.min(limit / 4))
}

/// The text of inputs with as many regions as there may be.
pub(crate) fn ten_thousand_regions() -> String {
    many_regions(10_000)
}

/// The text of inputs with so many regions, of which each has the same share.
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

/// Inputs with some regions, each of them more expensive than the one before.
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

/// A client that keeps its connection.
pub(crate) struct KeptAlive(BufReader<TcpStream>);

impl KeptAlive {
    pub(crate) fn new(server: SocketAddr) -> Self {
        Self(BufReader::new(connect(server)))
    }

    /// The answer to a GET; one that the OpenAPI document promises.
    pub(crate) fn get(&mut self, target: &str) -> std::io::Result<Answer> {
        let answer = self.send(&format!("GET {target} HTTP/1.1\r\nHost: test\r\n\r\n"))?;
        openapi::check("GET", target, &answer);
        Ok(answer)
    }

    /// The answer to these very bytes.
    pub(crate) fn send(&mut self, request: &str) -> std::io::Result<Answer> {
        // In one piece: the second of two would wait for the receipt of the first.
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
    /// A body in chunks, up to the last.
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

/// What the chunks of a body hold, which must be complete.
fn dechunked(mut chunks: &str) -> String {
    let mut body = String::new();
    loop {
        let (length, rest) = chunks.split_once("\r\n").unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        body += &rest[..length];
        chunks = rest[length..].strip_prefix("\r\n").unwrap();
        if length == 0 {
            assert_eq!(chunks, "", "something follows the last chunk");
            return body;
        }
    }
}

/// A server that may have one connection open, and the client that has it: it waits for its second
/// response, so that it cannot be closed to make room.
pub(crate) fn with_its_only_slot_taken() -> (Server, TcpStream) {
    let server = Server::start(Config { max_connections: 1, ..Config::default() });
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

    /// The value of a header that may come once.
    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|header| header.0 == name);
        let value = values.next().map(|header| &*header.1);
        assert!(values.next().is_none(), "{name} comes twice");
        value
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// That this is a problem of the given kind, complete and in the right form.
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
