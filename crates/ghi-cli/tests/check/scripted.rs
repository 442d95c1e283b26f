//! A server that answers as a true one does, but for what a test changes.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use ghi_server::{Clock, Config, Sandbox};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;

/// The instant of the true answers.
pub(crate) const NOON: &str = "2026-11-15T12:00:00Z";

/// A request to a scripted server, below the prefix that chooses the script.
pub(crate) struct Asked {
    pub(crate) method: Method,
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    /// How many requests like this one came before.
    pub(crate) before: usize,
}

impl Asked {
    pub(crate) fn accepts_gzip(&self) -> bool {
        self.headers.get("accept-encoding").is_some_and(|encoding| encoding == "gzip")
    }

    /// The path without the query.
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap()
    }
}

/// What the true server answers.
#[derive(Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// Whether it may be compressed.
    pub(crate) may_compress: bool,
    /// How long it is held back. Other requests are answered meanwhile.
    pub(crate) delay: Duration,
}

impl Reply {
    pub(crate) fn set(&mut self, name: &'static str, value: &str) {
        let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
        self.headers.insert(HeaderName::from_static(name), value);
    }

    pub(crate) fn remove(&mut self, name: &'static str) {
        self.headers.remove(name);
    }

    /// Changes the body, which must be JSON.
    pub(crate) fn edit(&mut self, edit: impl FnOnce(&mut Value)) {
        let mut document = serde_json::from_slice(&self.body).unwrap();
        edit(&mut document);
        self.body = serde_json::to_vec(&document).unwrap();
    }
}

/// What a server does otherwise than the true one.
pub(crate) trait Script: Send + Sync {
    /// Before the true server is asked.
    fn asked(&self, _asked: &mut Asked) {}
    /// Before its answer is sent.
    fn replied(&self, asked: &Asked, reply: &mut Reply);
}

impl<F: Fn(&Asked, &mut Reply) + Send + Sync> Script for F {
    fn replied(&self, asked: &Asked, reply: &mut Reply) {
        self(asked, reply);
    }
}

type Scripts = HashMap<String, Arc<dyn Script>>;

/// A server that runs until the test ends, and a true one behind it.
pub(crate) struct Scripted {
    address: SocketAddr,
    state: Arc<State>,
    _sandbox: Sandbox,
}

struct State {
    true_url: String,
    http: reqwest::Client,
    scripts: Mutex<Scripts>,
    /// The true answers, which do not change: the clock stands still.
    truth: Mutex<HashMap<String, Reply>>,
    before: Mutex<HashMap<String, usize>>,
    arrivals: Mutex<Vec<Instant>>,
}

impl Scripted {
    pub(crate) fn start() -> Self {
        let clock = Clock::at(NOON.parse().unwrap());
        let sandbox = Sandbox::start(Config { clock, ..Config::default() }).unwrap();
        let state = Arc::new(State {
            true_url: sandbox.url().to_string(),
            http: ghi_client::http_client_builder().no_proxy().build().unwrap(),
            scripts: Mutex::default(),
            truth: Mutex::default(),
            before: Mutex::default(),
            arrivals: Mutex::default(),
        });
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let serving = Arc::clone(&state);
        std::thread::spawn(move || serve(listener, &serving));
        Self { address, state, _sandbox: sandbox }
    }

    /// The base address below which the server follows this script.
    pub(crate) fn with(&self, script: impl Script + 'static) -> String {
        self.with_boxed(Box::new(script))
    }

    /// The same for a script of any kind.
    pub(crate) fn with_boxed(&self, script: Box<dyn Script>) -> String {
        let mut scripts = self.state.scripts.lock().unwrap();
        let name = format!("script-{}", scripts.len());
        scripts.insert(name.clone(), script.into());
        format!("http://{}/{name}", self.address)
    }

    /// When the requests came.
    pub(crate) fn arrivals(&self) -> Vec<Instant> {
        self.state.arrivals.lock().unwrap().clone()
    }
}

fn serve(listener: std::net::TcpListener, state: &Arc<State>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = TcpListener::from_std(listener).unwrap();
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let state = Arc::clone(state);
            tokio::spawn(async move {
                let service = service_fn(|request| answer(&state, request));
                _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
}

async fn answer(
    state: &State,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    state.arrivals.lock().unwrap().push(Instant::now());
    let whole = request.uri().path_and_query().unwrap().as_str();
    let (name, target) = whole[1..].split_once('/').unwrap();
    let key = format!("{name} {} {target} {:?}", request.method(), request.headers());
    let before = {
        let mut before = state.before.lock().unwrap();
        let count = before.entry(key).or_default();
        *count += 1;
        *count - 1
    };
    let script = Arc::clone(&state.scripts.lock().unwrap()[name]);
    let mut asked = Asked {
        method: request.method().clone(),
        target: format!("/{target}"),
        headers: request.headers().clone(),
        before,
    };
    script.asked(&mut asked);
    let mut reply = true_answer(state, &asked).await;
    script.replied(&asked, &mut reply);
    tokio::time::sleep(reply.delay).await;
    if reply.may_compress && asked.accepts_gzip() {
        compress(&mut reply);
    }
    let is_head = asked.method == Method::HEAD;
    let mut response = Response::new(Full::from(reply.body));
    *response.status_mut() = reply.status.try_into().unwrap();
    *response.headers_mut() = reply.headers;
    response.headers_mut().remove(TRANSFER_ENCODING);
    if !is_head {
        response.headers_mut().remove(CONTENT_LENGTH);
    }
    Ok(response)
}

async fn true_answer(state: &State, asked: &Asked) -> Reply {
    let url = format!("{}{}", state.true_url, asked.target);
    let mut headers = asked.headers.clone();
    headers.remove("host");
    headers.remove("accept-encoding");
    let key = format!("{} {url} {headers:?}", asked.method);
    if let Some(reply) = state.truth.lock().unwrap().get(&key) {
        return reply.clone();
    }
    let request = state.http.request(asked.method.clone(), url).headers(headers);
    let mut response = request.send().await.unwrap();
    let headers = std::mem::take(response.headers_mut());
    let status = response.status().as_u16();
    let body = response.bytes().await.unwrap().to_vec();
    let reply = Reply { status, headers, body, may_compress: true, delay: Duration::ZERO };
    state.truth.lock().unwrap().insert(key, reply.clone());
    reply
}

/// As the true server does it, but of the body that the script has left.
fn compress(reply: &mut Reply) {
    if reply.status == 200 && reply.body.len() >= 1024 {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&reply.body).unwrap();
        reply.body = encoder.finish().unwrap();
        reply.set("content-encoding", "gzip");
        let varies = HeaderValue::from_static("accept-encoding");
        reply.headers.append("vary", varies);
    }
}
