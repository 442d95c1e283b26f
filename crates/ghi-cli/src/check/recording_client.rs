//! Asks the deployment that is judged: slowly, once for each thing, and within bounds.

use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use reqwest::header::{ACCEPT_ENCODING, RETRY_AFTER};
use reqwest::{Client, StatusCode};
use tokio::runtime::Runtime;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::check::exchange::{Answer, Exchange, Outcome};
use crate::check::progress::Progress;
use crate::check::request::Request;
use crate::check::silence::Silence;
use ghi_client::{BaseUrl, cause};

/// What requests call themselves.
const USER_AGENT: &str = concat!("ghi-check/", env!("CARGO_PKG_VERSION"));

/// The longest body, bytes: some times the snapshot of ten thousand regions.
const BODY_MAX: usize = 16 * 1024 * 1024;

/// All bodies together, bytes: they are kept until the report is written.
const BODIES_MAX: usize = 4 * BODY_MAX;

/// The values of all JSON texts together, which take some 100 bytes each.
const VALUES_MAX: usize = 1_000_000;

/// How long a 429 may ask to wait, and how long it is waited if it does not say, seconds.
const RETRY_AFTER_MAX: u64 = 5;
const RETRY_AFTER_DEFAULT: u64 = 1;

/// How often a request is sent again after a 429, and how many 429 are waited for in a run: 50 s at
/// worst.
const RETRIES_MAX: u32 = 2;
const WAITS_MAX: u32 = 10;

/// The slowest pace that a 429 slows down to.
const INTERVAL_MAX: Duration = Duration::from_secs(1);

/// How the reason begins why a request that found no server has failed.
pub(crate) const CANNOT_CONNECT: &str = "cannot connect";

/// How much, and how long, a deployment is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Requests per second.
    pub(crate) rate: u32,
    /// Of a request, from the first byte to the last.
    pub(crate) timeout: Duration,
}

/// A client of the deployment that is judged, and all that it was answered.
pub(crate) struct RecordingClient {
    base_url: BaseUrl,
    timeout: Duration,
    /// Between two requests; a 429 doubles it.
    interval: Duration,
    http: Client,
    runtime: Runtime,
    exchanges: HashMap<Request, Rc<Exchange>>,
    /// The regions whose documents are looked at, once they are chosen.
    pub(crate) sample: Option<Vec<String>>,
    /// When the next request may be sent.
    next: Instant,
    requests: usize,
    progress: Progress,
    /// Whether anything was ever answered.
    has_answered: bool,
    silence: Silence,
    waits: u32,
    bodies: usize,
    values: usize,
}

/// Why there is no answer.
enum Failure {
    /// Nothing came at all; why.
    Nothing(String),
    /// No connection, no whole answer, or none in time; why.
    Failed(String),
    /// More than is read; how much.
    TooLarge(String),
}

impl RecordingClient {
    pub(crate) fn new(base_url: BaseUrl, bounds: Bounds) -> Result<Self, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| format!("cannot start: {error}"))?;
        let http = ghi_client::http_client_builder().user_agent(USER_AGENT).build();
        let http = http.map_err(|error| format!("cannot start: {}", cause(&error)))?;
        Ok(Self {
            base_url,
            timeout: bounds.timeout,
            interval: Duration::from_secs(1) / bounds.rate,
            http,
            runtime,
            exchanges: HashMap::new(),
            sample: None,
            next: Instant::now(),
            requests: 0,
            progress: Progress::new(),
            has_answered: false,
            silence: Silence::default(),
            waits: 0,
            bodies: 0,
            values: 0,
        })
    }

    pub(crate) fn base_url(&self) -> &BaseUrl {
        &self.base_url
    }

    /// How many requests were sent.
    pub(crate) fn requests(&self) -> usize {
        self.requests
    }

    /// How many requests brought nothing that can be judged, though it need not be wrong.
    pub(crate) fn unjudged(&self) -> usize {
        self.exchanges.values().filter(|exchange| exchange.unjudged().is_some()).count()
    }

    /// What was asked no more, each in a sentence.
    pub(crate) fn given_up(&self) -> Vec<String> {
        self.silence.given_up()
    }

    /// What became of a request; one that was sent before is not sent again.
    pub(crate) fn ask(&mut self, request: Request) -> Rc<Exchange> {
        if let Some(exchange) = self.exchanges.get(&request) {
            return Rc::clone(exchange);
        }
        let outcome = match self.why_not_ask(&request) {
            Some(why) => Outcome::NotAsked(why),
            None => {
                let sent = self.send(&request);
                self.outcome(&request, sent)
            }
        };
        self.record(request, outcome)
    }

    /// Asks two things, and waits for both at once.
    pub(crate) fn ask_both(&mut self, requests: [Request; 2]) {
        let [first, second] = requests.each_ref().map(|request| self.sending(request));
        let (first, second) = self.runtime.block_on(async { tokio::join!(first, second) });
        for (request, sent) in std::iter::zip(requests, [first, second]) {
            let outcome = self.outcome(&request, sent);
            self.record(request, outcome);
        }
    }

    fn record(&mut self, request: Request, outcome: Outcome) -> Rc<Exchange> {
        let exchange = Rc::new(Exchange { request: request.clone(), outcome });
        self.exchanges.insert(request, Rc::clone(&exchange));
        exchange
    }

    fn why_not_ask(&self, request: &Request) -> Option<&'static str> {
        let is_too_much = self.bodies > BODIES_MAX || self.values > VALUES_MAX;
        let too_much = is_too_much.then_some("not asked, since the server sent too much before");
        self.silence.why_not_ask(request).or(too_much)
    }

    /// What becomes of a request that was sent once.
    fn outcome(&mut self, request: &Request, mut sent: Result<Answer, Failure>) -> Outcome {
        // A server may close a connection at the moment at which it is used again.
        if self.has_answered && matches!(sent, Err(Failure::Nothing(_))) {
            sent = self.send(request);
        }
        for _ in 0..=RETRIES_MAX {
            match sent {
                Ok(answer) if answer.status == StatusCode::TOO_MANY_REQUESTS => {
                    let Some(wait) = self.wait_after(&answer) else { return Outcome::Limited };
                    self.runtime.block_on(async { sleep(wait).await });
                    sent = self.send(request);
                }
                Ok(answer) => {
                    self.note_answer(request, answer.body.len());
                    self.values += answer.values;
                    return Outcome::Answer(answer);
                }
                Err(Failure::TooLarge(length)) => {
                    self.note_answer(request, BODY_MAX);
                    return Outcome::TooLarge(length);
                }
                Err(Failure::Nothing(why) | Failure::Failed(why)) => {
                    self.silence.note_failure(request);
                    return Outcome::Failed(why);
                }
            }
        }
        Outcome::Limited
    }

    fn note_answer(&mut self, request: &Request, length: usize) {
        self.has_answered = true;
        self.silence.note_answer(request);
        self.bodies += length;
    }

    /// How long to wait after a 429, if it is worth it, and slows down. A rate limit is no broken rule.
    fn wait_after(&mut self, answer: &Answer) -> Option<Duration> {
        let seconds = answer.header(RETRY_AFTER.as_str());
        let seconds = seconds.and_then(|text| text.parse().ok()).unwrap_or(RETRY_AFTER_DEFAULT);
        self.interval = (self.interval * 2).min(INTERVAL_MAX.max(self.interval));
        self.waits += 1;
        let is_worth_it = self.waits <= WAITS_MAX && seconds <= RETRY_AFTER_MAX;
        is_worth_it.then(|| Duration::from_secs(seconds))
    }

    fn send(&mut self, request: &Request) -> Result<Answer, Failure> {
        let sending = self.sending(request);
        self.runtime.block_on(sending)
    }

    /// Sends a request when its turn has come.
    fn sending(
        &mut self,
        request: &Request,
    ) -> impl Future<Output = Result<Answer, Failure>> + use<> {
        let url = format!("{}{}", self.base_url, request.target);
        let mut sent = self.http.request(request.method.clone(), url);
        for (name, value) in &request.headers {
            sent = sent.header(*name, value);
        }
        // Without the header, any encoding would be right.
        if !request.headers.iter().any(|(name, _)| *name == ACCEPT_ENCODING.as_str()) {
            sent = sent.header(ACCEPT_ENCODING, "identity");
        }
        self.requests += 1;
        self.progress.show(format_args!("request {}", self.requests));
        let turn = self.next.max(Instant::now());
        self.next = turn + self.interval;
        let limit = self.timeout;
        async move {
            sleep_until(turn).await;
            timeout(limit, received(sent)).await.unwrap_or_else(|_| {
                Err(Failure::Failed(format!("no whole answer within {} s", limit.as_secs_f64())))
            })
        }
    }
}

/// The answer, with its whole body.
async fn received(sent: reqwest::RequestBuilder) -> Result<Answer, Failure> {
    let mut response = sent.send().await.map_err(|error| match error.is_connect() {
        true => Failure::Failed(format!("{CANNOT_CONNECT}: {}", cause(&error))),
        false => Failure::Nothing(format!("no HTTP answer: {}", cause(&error))),
    })?;
    let status = response.status().as_u16();
    let headers = std::mem::take(response.headers_mut());
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() <= BODY_MAX => body.extend(chunk),
            Ok(Some(_)) => {
                let length = format!("{status} with more than {} MiB", BODY_MAX >> 20);
                return Err(Failure::TooLarge(length));
            }
            Ok(None) => return Ok(Answer::new(status, headers, body)),
            Err(error) => {
                let (length, why) = (body.len(), cause(&error));
                let why =
                    format!("{status} with a body that broke off after {length} bytes: {why}");
                return Err(Failure::Failed(why));
            }
        }
    }
}
