//! Sends requests to the server: each once, at a steady pace, within bounds of time and memory.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::time::Duration;

use ghi_client::{BaseUrl, Error, ErrorKind, WholeResponse, exchange, http_client};
use indicatif::{ProgressBar, ProgressStyle};
use reqwest::header::{ACCEPT_ENCODING, RETRY_AFTER};
use reqwest::{Client, StatusCode};
use tokio::runtime::Runtime;
use tokio::time::{Instant, sleep_until};

use crate::check::response::{BODY_MAX, CheckRequest, CheckResponse};
use crate::signals::runtime;

/// The longest wait for a rate limit in seconds.
const RETRY_AFTER_MAX: u64 = 5;

/// How many 429 responses of a run are followed by a retry.
const RETRIES_MAX: u32 = 10;

const INTERVAL_MAX: Duration = Duration::from_secs(1);

/// After this many requests in a row without a response, an endpoint gets no more.
const ENDPOINT_FAILURES_MAX: usize = 2;

/// If this many endpoints don't respond, no more requests are sent.
const FAILED_ENDPOINTS_MAX: usize = 3;

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
    /// The number of timeouts and failed connections in a row of each endpoint that doesn't respond.
    failures: HashMap<String, usize>,
    /// The reasons why requests were not sent.
    pub(crate) given_up: BTreeSet<String>,
    pub(crate) progress: ProgressBar,
    /// Whether a request got no response that can be judged.
    pub(crate) is_incomplete: bool,
    rate_limits: u32,
}

impl RecordingClient {
    pub(crate) fn new(base_url: BaseUrl, rate: u32, timeout: Duration) -> Result<Self, String> {
        let interval = Duration::from_secs(1) / rate;
        // A minute, the time for 200 requests at this rate, or 12 timeouts, whichever is longest.
        let run_time = Duration::from_secs(60).max(interval * 200).max(timeout * 12);
        let style = ProgressStyle::with_template("request {pos}").expect("the template is valid");
        Ok(Self {
            http: http_client(&base_url),
            base_url,
            runtime: runtime()?,
            timeout,
            interval,
            next_turn: Instant::now(),
            deadline: Instant::now() + run_time,
            recorded: HashMap::new(),
            failures: HashMap::new(),
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
        let response = Rc::new(match self.why_not_send(&request.endpoint()) {
            Some(reason) => {
                self.given_up.insert(format!("gave up: {reason}"));
                CheckResponse::failed(request, format!("not requested: {reason}"), true)
            }
            None => self.send_with_retries(request),
        });
        self.is_incomplete |= response.is_excused;
        self.recorded.entry(response.request.clone()).or_insert_with(|| Rc::clone(&response));
        response
    }

    fn why_not_send(&self, endpoint: &str) -> Option<String> {
        let failures = self.failures.get(endpoint).copied().unwrap_or_default();
        if Instant::now() > self.deadline {
            Some("the run took too long".into())
        } else if self.failures.len() >= FAILED_ENDPOINTS_MAX {
            Some(format!("{} endpoints did not respond", self.failures.len()))
        } else if failures >= ENDPOINT_FAILURES_MAX {
            Some(format!("{endpoint} did not respond to {failures} requests in a row"))
        } else {
            None
        }
    }

    fn send_with_retries(&mut self, request: CheckRequest) -> CheckResponse {
        let mut result = self.send(&request);
        let is_closed = |kind| matches!(kind, ErrorKind::Interrupted | ErrorKind::NotHttp);
        // A server may close an idle connection just when it is used again.
        if result.as_ref().is_err_and(|error| is_closed(error.kind)) {
            result = self.send(&request);
        }
        while let Ok(response) = &result
            && response.status == StatusCode::TOO_MANY_REQUESTS
        {
            let seconds = response.headers.get(RETRY_AFTER);
            let seconds = seconds.and_then(|value| value.to_str().ok()?.parse().ok()).unwrap_or(1);
            self.interval = (self.interval * 2).min(INTERVAL_MAX);
            self.rate_limits += 1;
            if self.rate_limits > RETRIES_MAX || seconds > RETRY_AFTER_MAX {
                let cause = "429 Too Many Requests after retries; try a lower --rate".into();
                return CheckResponse::failed(request, cause, true);
            }
            self.next_turn = Instant::now() + Duration::from_secs(seconds);
            result = self.send(&request);
        }
        match result {
            Ok(response) => {
                self.failures.remove(&request.endpoint());
                CheckResponse::new(request, response)
            }
            Err(error) => {
                // Other failures cost no time.
                if matches!(error.kind, ErrorKind::Connect | ErrorKind::Timeout) {
                    *self.failures.entry(request.endpoint()).or_default() += 1;
                }
                let is_excused = error.kind == ErrorKind::TooLarge;
                CheckResponse::failed(request, error.to_string(), is_excused)
            }
        }
    }

    /// Waits for the next slot, then sends a request.
    fn send(&mut self, request: &CheckRequest) -> Result<WholeResponse, Error> {
        let url = format!("{}{}", self.base_url, request.target);
        let mut sent = self.http.request(request.method.clone(), url);
        // Without the header, a server could use any encoding.
        if !request.accepts_gzip() {
            sent = sent.header(ACCEPT_ENCODING, "identity");
        }
        for (name, value) in &request.headers {
            sent = sent.header(*name, value);
        }
        self.progress.inc(1);
        let turn = self.next_turn.max(Instant::now());
        self.next_turn = turn + self.interval;
        self.runtime.block_on(async {
            sleep_until(turn).await;
            exchange(sent, self.timeout, BODY_MAX).await
        })
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
        assert_eq!(response.why_excused(), Some("not requested: the run took too long"));
        assert_eq!((client.progress.position(), client.is_incomplete), (0, true));
        assert_eq!(client.given_up, BTreeSet::from(["gave up: the run took too long".to_owned()]));
    }
}
