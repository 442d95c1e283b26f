//! Sends requests to the server: each once, at a steady pace, within bounds of time and memory.

use std::collections::{BTreeSet, HashMap};
use std::iter;
use std::rc::Rc;
use std::time::Duration;

use ghi_client::{BaseUrl, ErrorKind, ExchangeFailure, WholeResponse, cause, exchange};
use indicatif::{ProgressBar, ProgressStyle};
use reqwest::header::{ACCEPT_ENCODING, RETRY_AFTER};
use reqwest::{Client, StatusCode};
use tokio::runtime::Runtime;
use tokio::time::{Instant, sleep, sleep_until};

use crate::check::response::{BODY_MAX, CheckRequest, CheckResponse};
use crate::signals::runtime;

/// The limit on the estimated memory of all recorded responses in bytes. Beyond it, no more requests are sent.
const MEMORY_MAX: usize = 40_000_000;

/// The longest wait for a rate limit in seconds.
const RETRY_AFTER_MAX: u64 = 5;

/// How many 429 responses of a run are followed by a retry.
const RETRIES_MAX: u32 = 10;

const INTERVAL_MAX: Duration = Duration::from_secs(1);

/// After this many failures in a row, no request is sent to an endpoint.
const ENDPOINT_FAILURES_MAX: usize = 2;

/// After this many endpoints in a row have failed, no request is sent at all.
const FAILED_ENDPOINTS_MAX: usize = 3;

type Reception = Result<WholeResponse, ExchangeFailure>;

/// An HTTP client for one server that records the responses.
pub(crate) struct RecordingClient {
    pub(crate) base_url: BaseUrl,
    http: Client,
    runtime: Runtime,
    timeout: Duration,
    /// The time between two requests. A 429 doubles it.
    interval: Duration,
    next_turn: Instant,
    deadline: Instant,
    recorded: HashMap<CheckRequest, Rc<CheckResponse>>,
    /// The number of timeouts and failed connections in a row of each endpoint.
    failures: HashMap<String, usize>,
    /// The endpoints that failed since the last response.
    failed_endpoints: BTreeSet<String>,
    /// A sentence for each endpoint that gets no more requests.
    pub(crate) given_up: BTreeSet<String>,
    pub(crate) progress: ProgressBar,
    /// Whether a request got no response that can be judged.
    pub(crate) is_incomplete: bool,
    pub(crate) rate_limits: u32,
}

impl RecordingClient {
    pub(crate) fn new(base_url: BaseUrl, rate: u32, timeout: Duration) -> Result<Self, String> {
        let http = ghi_client::http_client_builder(&base_url).timeout(timeout);
        let http = http.user_agent(concat!("ghi-check/", env!("CARGO_PKG_VERSION"))).build();
        let http = http.map_err(|error| format!("cannot start: {}", cause(&error)))?;
        let interval = Duration::from_secs(1) / rate;
        // A minute, the time for 200 requests at this rate, or 12 timeouts, whichever is longest.
        let run_time = Duration::from_secs(60).max(interval * 200).max(timeout * 12);
        let style = ProgressStyle::with_template("request {pos}").expect("the template is valid");
        Ok(Self {
            base_url,
            http,
            runtime: runtime()?,
            timeout,
            interval,
            next_turn: Instant::now(),
            deadline: Instant::now() + run_time,
            recorded: HashMap::new(),
            failures: HashMap::new(),
            failed_endpoints: BTreeSet::new(),
            given_up: BTreeSet::new(),
            progress: ProgressBar::no_length().with_style(style),
            is_incomplete: false,
            rate_limits: 0,
        })
    }

    pub(crate) fn fetch(&mut self, request: CheckRequest) -> Rc<CheckResponse> {
        match self.recorded.get(&request) {
            Some(response) => Rc::clone(response),
            None => self.fetch_again(request),
        }
    }

    /// Sends a request, even if its response is recorded.
    pub(crate) fn fetch_again(&mut self, request: CheckRequest) -> Rc<CheckResponse> {
        let result = match self.why_not_send(&request.endpoint()) {
            Some(reason) => {
                let cause = format!("not requested: {reason}");
                Err(ExchangeFailure { kind: ErrorKind::Problem, cause })
            }
            None => self.send(&request),
        };
        self.finish(request, result)
    }

    /// Sends two requests without waiting for each other.
    pub(crate) fn fetch_both(&mut self, requests: [CheckRequest; 2]) -> Vec<Rc<CheckResponse>> {
        let [first, second] = requests.each_ref().map(|request| self.sending(request));
        let (first, second) = self.runtime.block_on(async { tokio::join!(first, second) });
        let results = iter::zip(requests, [first, second]);
        results.map(|(request, result)| self.finish(request, result)).collect()
    }

    /// Returns why an endpoint gets no more requests, if so. Giving it up is reported.
    fn why_not_send(&mut self, endpoint: &str) -> Option<&'static str> {
        let failed = self.failed_endpoints.len();
        let failures = self.failures.get(endpoint).copied().unwrap_or_default();
        let memory: usize = self.recorded.values().map(|response| response.memory).sum();
        let (reason, sentence) = if Instant::now() > self.deadline {
            ("the run took too long", "gave up: the run took too long".into())
        } else if memory > MEMORY_MAX {
            return Some("earlier responses were too large in total");
        } else if failed >= FAILED_ENDPOINTS_MAX {
            let sentence = format!("gave up: {failed} endpoints in a row did not respond");
            ("the server had stopped responding", sentence)
        } else if failures >= ENDPOINT_FAILURES_MAX {
            let count = format!("no response to {failures} requests in a row");
            let sentence = format!("gave up on {endpoint}: {count}");
            ("the endpoint did not respond to earlier requests", sentence)
        } else {
            return None;
        };
        self.given_up.insert(sentence);
        Some(reason)
    }

    /// Sends a request again where that can help, and records the response unless there is one already.
    fn finish(&mut self, request: CheckRequest, mut result: Reception) -> Rc<CheckResponse> {
        let failure = |result: &Reception| result.as_ref().err().map(|failure| failure.kind);
        // A server may close an idle connection just when it is used again.
        if matches!(failure(&result), Some(ErrorKind::Interrupted | ErrorKind::NotHttp)) {
            result = self.send(&request);
        }
        while let Ok(response) = &result
            && response.status == StatusCode::TOO_MANY_REQUESTS
        {
            let seconds = response.headers.get(RETRY_AFTER);
            let seconds = seconds.and_then(|value| value.to_str().ok()?.parse().ok()).unwrap_or(1);
            self.interval = (self.interval * 2).min(INTERVAL_MAX.max(self.interval));
            self.rate_limits += 1;
            if self.rate_limits > RETRIES_MAX || seconds > RETRY_AFTER_MAX {
                let cause = "429 Too Many Requests; still rate-limited after retries".into();
                result = Err(ExchangeFailure { kind: ErrorKind::Problem, cause });
                break;
            }
            self.runtime.block_on(async { sleep(Duration::from_secs(seconds)).await });
            result = self.send(&request);
        }
        match failure(&result) {
            None => {
                self.failures.remove(&request.endpoint());
                self.failed_endpoints.clear();
            }
            Some(ErrorKind::Connect | ErrorKind::Timeout) => {
                *self.failures.entry(request.endpoint()).or_default() += 1;
                self.failed_endpoints.insert(request.endpoint());
            }
            // Other failures cost no time, so more requests are sent.
            _ => {}
        }
        let response = Rc::new(match result {
            Ok(response) => CheckResponse::new(request, response),
            Err(failure) => CheckResponse::failed(request, failure.kind, failure.cause),
        });
        self.is_incomplete |= response.why_unjudged().is_some();
        self.recorded.entry(response.request.clone()).or_insert_with(|| Rc::clone(&response));
        response
    }

    fn send(&mut self, request: &CheckRequest) -> Reception {
        let sending = self.sending(request);
        self.runtime.block_on(sending)
    }

    /// Waits for the next slot, then sends a request.
    fn sending(&mut self, request: &CheckRequest) -> impl Future<Output = Reception> + use<> {
        let url = format!("{}{}", self.base_url, request.target);
        let sent = self.http.request(request.method.clone(), url);
        let headers = request.headers.iter();
        let mut sent = headers.fold(sent, |sent, (name, value)| sent.header(*name, value));
        // Without the header, a server could use any encoding.
        if !request.headers.iter().any(|(name, _)| *name == ACCEPT_ENCODING.as_str()) {
            sent = sent.header(ACCEPT_ENCODING, "identity");
        }
        self.progress.inc(1);
        let turn = self.next_turn.max(Instant::now());
        self.next_turn = turn + self.interval;
        let limit = self.timeout.as_secs_f64();
        async move {
            sleep_until(turn).await;
            exchange(sent, BODY_MAX).await.map_err(|ExchangeFailure { kind, cause }| {
                let cause = match kind {
                    ErrorKind::Connect => format!("cannot connect: {cause}"),
                    ErrorKind::Timeout => format!("no complete response within {limit} s"),
                    ErrorKind::TooLarge => "too large to judge: 200 with more than 8 MiB".into(),
                    _ => format!("no HTTP response: {cause}"),
                };
                ExchangeFailure { kind, cause }
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(rate: u32, timeout: Duration) -> RecordingClient {
        RecordingClient::new("http://127.0.0.1:9".parse().unwrap(), rate, timeout).unwrap()
    }

    #[test]
    fn a_run_takes_about_a_minute_at_most_by_default() {
        let seconds = |rate, timeout| {
            let client = client(rate, Duration::from_secs(timeout));
            client.deadline.duration_since(client.next_turn).as_secs_f64().round()
        };
        assert_eq!(seconds(20, 5), 60.0);
        assert_eq!(seconds(1, 5), 200.0);
        assert_eq!(seconds(20, 60), 720.0);
    }

    #[test]
    fn after_the_deadline_no_request_is_sent() {
        let mut client = client(20, Duration::from_secs(5));
        client.deadline = client.next_turn;
        let response = client.fetch("/".into());
        assert_eq!(response.why_unjudged(), Some("not requested: the run took too long"));
        assert_eq!((client.progress.position(), client.is_incomplete), (0, true));
        assert_eq!(client.given_up, BTreeSet::from(["gave up: the run took too long".to_owned()]));
    }

    #[test]
    fn once_the_memory_is_used_up_no_request_is_sent() {
        let mut client = client(20, Duration::from_secs(5));
        let large = CheckResponse { memory: MEMORY_MAX + 1, ..Default::default() };
        client.recorded.insert("/large".into(), large.into());
        let response = client.fetch("/".into());
        let why = "not requested: earlier responses were too large in total";
        assert_eq!((response.why_unjudged(), client.progress.position()), (Some(why), 0));
    }
}
