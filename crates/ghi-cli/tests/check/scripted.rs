//! A server that passes responses of a correct server on, apart from what a test changes.

use std::collections::HashMap;
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

/// The time of the correct server.
pub(crate) const NOON: &str = "2026-11-15T12:00:00Z";

/// A request to a scripted server, without the prefix that chooses the script.
pub(crate) struct ScriptedRequest {
    pub(crate) method: Method,
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    /// The number of equal requests before this one.
    pub(crate) before: usize,
}

impl ScriptedRequest {
    pub(crate) fn accepts_gzip(&self) -> bool {
        self.headers.get("accept-encoding").is_some_and(|encoding| encoding == "gzip")
    }

    /// The path without the query.
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap()
    }
}

/// A response of the correct server, and how to send it.
#[derive(Clone)]
pub(crate) struct ScriptedReply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// Whether it may be compressed.
    pub(crate) may_compress: bool,
    /// How long to wait before sending it. Other requests are served meanwhile.
    pub(crate) delay: Duration,
    /// Whether to close the connection instead.
    pub(crate) closes: bool,
}

impl ScriptedReply {
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

/// What a server does differently from the correct one.
pub(crate) trait Script: Send + Sync {
    /// Changes the request to the correct server.
    fn requested(&self, _request: &mut ScriptedRequest) {}
    /// Changes its response.
    fn replied(&self, request: &ScriptedRequest, reply: &mut ScriptedReply);
}

impl<F: Fn(&ScriptedRequest, &mut ScriptedReply) + Send + Sync> Script for F {
    fn replied(&self, request: &ScriptedRequest, reply: &mut ScriptedReply) {
        self(request, reply);
    }
}

/// A server that does this with every response.
pub(crate) fn script(
    change: impl Fn(&ScriptedRequest, &mut ScriptedReply) + Send + Sync,
) -> impl Script {
    change
}

/// A server whose responses at a path are changed. A path that ends in a slash includes all below it.
pub(crate) fn changed(
    path: &'static str,
    change: impl Fn(&mut ScriptedReply) + Send + Sync,
) -> impl Script {
    script(move |request, reply| {
        let is_below = path.ends_with('/') && request.path().starts_with(path);
        if request.path() == path || is_below {
            change(reply);
        }
    })
}

/// A server whose responses for a path and query are changed.
pub(crate) fn changed_target(
    target: &'static str,
    change: impl Fn(&mut ScriptedReply) + Send + Sync,
) -> impl Script {
    script(move |request, reply| {
        if request.target == target {
            change(reply);
        }
    })
}

/// A server whose documents at a path are changed.
pub(crate) fn edited(path: &'static str, edit: impl Fn(&mut Value) + Send + Sync) -> impl Script {
    changed(path, move |reply| {
        if reply.status == 200 && !reply.body.is_empty() {
            reply.edit(&edit);
        }
    })
}

/// An edit that sets a value, which must exist.
pub(crate) fn set(
    pointer: &'static str,
    value: impl Into<Value>,
) -> impl Fn(&mut Value) + Send + Sync {
    let value = value.into();
    move |document| *document.pointer_mut(pointer).unwrap() = value.clone()
}

/// A server that runs until the test ends, with a correct one behind it.
pub(crate) struct ScriptedServer {
    address: SocketAddr,
    state: Arc<SharedState>,
    _sandbox: Sandbox,
}

struct SharedState {
    sandbox_url: String,
    http: reqwest::Client,
    scripts: Mutex<HashMap<String, Arc<dyn Script>>>,
    /// The correct responses, which don't change because the clock is stopped.
    correct: Mutex<HashMap<String, ScriptedReply>>,
    before: Mutex<HashMap<String, usize>>,
    arrivals: Mutex<Vec<Instant>>,
}

impl ScriptedServer {
    pub(crate) fn start() -> Self {
        let clock = Clock::at(NOON.parse().unwrap());
        let sandbox = Sandbox::start(Config { clock, ..Config::default() }).unwrap();
        let state = Arc::new(SharedState {
            sandbox_url: sandbox.url().to_string(),
            http: ghi_client::http_client(&sandbox.url().parse().unwrap()),
            scripts: Mutex::default(),
            correct: Mutex::default(),
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

    /// The base URL below which the server follows this script.
    pub(crate) fn with(&self, script: impl Script + 'static) -> String {
        self.with_boxed(Box::new(script))
    }

    pub(crate) fn with_boxed(&self, script: Box<dyn Script>) -> String {
        let mut scripts = self.state.scripts.lock().unwrap();
        let name = format!("script-{}", scripts.len());
        scripts.insert(name.clone(), script.into());
        format!("http://{}/{name}", self.address)
    }

    /// The times at which requests arrived.
    pub(crate) fn arrivals(&self) -> Vec<Instant> {
        self.state.arrivals.lock().unwrap().clone()
    }
}

fn serve(listener: std::net::TcpListener, state: &Arc<SharedState>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = TcpListener::from_std(listener).unwrap();
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let state = Arc::clone(state);
            tokio::spawn(async move {
                let service = service_fn(|request| respond(&state, request));
                _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
}

/// The response of the script. An error closes the connection.
async fn respond(
    state: &SharedState,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, std::io::Error> {
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
    let mut request = ScriptedRequest {
        method: request.method().clone(),
        target: format!("/{target}"),
        headers: request.headers().clone(),
        before,
    };
    script.requested(&mut request);
    let mut reply = correct_reply(state, &request).await;
    script.replied(&request, &mut reply);
    tokio::time::sleep(reply.delay).await;
    if reply.closes {
        return Err(std::io::Error::other("closed by the script"));
    }
    if reply.may_compress && request.accepts_gzip() {
        compress(&mut reply);
    }
    let mut response = Response::new(Full::from(reply.body));
    *response.status_mut() = reply.status.try_into().unwrap();
    *response.headers_mut() = reply.headers;
    response.headers_mut().remove(TRANSFER_ENCODING);
    if request.method != Method::HEAD {
        response.headers_mut().remove(CONTENT_LENGTH);
    }
    Ok(response)
}

async fn correct_reply(state: &SharedState, request: &ScriptedRequest) -> ScriptedReply {
    let url = format!("{}{}", state.sandbox_url, request.target);
    let mut headers = request.headers.clone();
    headers.remove("host");
    headers.remove("accept-encoding");
    let key = format!("{} {url} {headers:?}", request.method);
    if let Some(reply) = state.correct.lock().unwrap().get(&key) {
        return reply.clone();
    }
    let sent = state.http.request(request.method.clone(), url).headers(headers);
    let mut response = sent.send().await.unwrap();
    let reply = ScriptedReply {
        status: response.status().as_u16(),
        headers: std::mem::take(response.headers_mut()),
        body: response.bytes().await.unwrap().to_vec(),
        may_compress: true,
        delay: Duration::ZERO,
        closes: false,
    };
    state.correct.lock().unwrap().insert(key, reply.clone());
    reply
}

/// Compresses the body as the correct server does, but after the script's changes.
pub(crate) fn compress(reply: &mut ScriptedReply) {
    if reply.status == 200 && reply.body.len() >= 1024 {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&reply.body).unwrap();
        reply.body = encoder.finish().unwrap();
        reply.set("content-encoding", "gzip");
        let varies = HeaderValue::from_static("accept-encoding");
        reply.headers.append("vary", varies);
    }
}
