//! Calls the operations of the API, with valid and invalid requests, and records the responses.

use std::collections::BTreeMap;
use std::iter;
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::thread;
use std::time::{Duration, Instant, UNIX_EPOCH};

use ghi_contract::paths;
use ghi_engine::DEFAULT_INPUTS;
use ghi_server::{Clock, Config, Inputs, Listener, Sandbox, Server};
use serde_json::Value;
use tokio::sync::oneshot;
use utoipa::openapi::example::Example;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{Components, Content, Header, Object, Ref, RefOr, Required, Type, response};

use crate::openapi::prefer::{CODES, LEAP_DAY, PREFER};
use crate::support::{Answer, KeptAlive, NOON, StuckPool};

/// The region of the examples.
pub(crate) const REGION: &str = "us";

/// The day of the examples for another day.
pub(crate) const EXPLAINED: &str = "2026-11-10";

/// A request id.
const REQUEST_ID: &str = "5f1c0a4be2d39687";

/// The value of `Date` in the examples.
const DATE: &str = "Sun, 15 Nov 2026 12:00:00 GMT";

/// A trace context.
const TRACEPARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// A client that is not on loopback, so that the rate limit applies.
const CLIENT: &str = "X-Forwarded-For: 203.0.113.7\r\n";

/// The descriptions of response headers.
const HEADERS: &[(&str, &str)] = &[
    ("Access-Control-Allow-Origin", "Any web page may read the response."),
    ("Access-Control-Expose-Headers", "The headers that pages of other origins may read."),
    (
        "Cache-Control",
        "How long the response may be cached, in seconds, never past midnight UTC; or that it must not be cached.",
    ),
    ("Connection", "`close`: the server closes the connection after this response."),
    (
        "Content-Encoding",
        "`gzip`, if the client accepts it and the response has 1 KiB or more or is a table of a range of days.",
    ),
    ("Content-Disposition", "The suggested file name."),
    ("Content-Security-Policy", "A chart opened by itself may load nothing."),
    ("Date", "The time of the response, by the system's clock."),
    ("ETag", "Identifies the data of the response; the same all day and on every replica."),
    ("Link", "Links to the description of the API and, for an old document, to its successor."),
    ("Preference-Applied", "The preferences that were applied."),
    (
        "RateLimit",
        "How many requests are left, and in how many seconds there will be more. Sent only to clients that are limited.",
    ),
    (
        "RateLimit-Policy",
        "How many requests a client may send in how many seconds. Sent only to clients that are limited.",
    ),
    ("Referrer-Policy", "Links in the chart send no referrer."),
    ("Retry-After", "When to try again: in how many seconds, or a date."),
    ("Traceparent", "The trace context of the request, if it has one."),
    ("Vary", "The request headers that select the form of the response."),
    ("X-Content-Type-Options", "`nosniff`: the declared content type is correct."),
    (
        "X-Request-Id",
        "The request's id in the server's log, which is the id sent by the client if there is one. Sent if the client sent one or the server logs requests.",
    ),
];

/// A request whose response is an example.
struct Question {
    /// The name of the example.
    name: &'static str,
    target: String,
    prefer: Option<&'static str>,
}

/// Returns the requests whose responses are the examples of an operation. The first succeeds.
fn questions(path: &str) -> Vec<Question> {
    let ask = |name, target: String| Question { name, target, prefer: None };
    let with = |name, query: &str| ask(name, format!("{path}?{query}"));
    let of_id = |name, id: &str| ask(name, path.replace("{id}", id));
    let plain = ask("default", path.into());
    match path {
        paths::REGION_DETAIL => vec![of_id(REGION, REGION), of_id("unknown_region", "xx")],
        paths::SNAPSHOT => vec![
            ask("full", path.into()),
            Question { prefer: Some("return=minimal"), ..ask("reduced", path.into()) },
        ],
        "/export/history.csv" => vec![
            plain,
            with("range", &format!("region_id={REGION}&from=2024-02-28&to=2024-03-01")),
            with("unknown_region", "region_id=xx"),
            with("backwards", "from=2024-03-01&to=2024-02-28"),
        ],
        "/export/network.csv" => vec![
            plain,
            with("range", "from=2024-02-28&to=2024-03-01"),
            with("no_date", "from=yesterday"),
        ],
        paths::HISTORY | "/charts/history.svg" => vec![
            plain,
            with(REGION, &format!("region_id={REGION}")),
            with("unknown_region", "region_id=xx"),
            with("given_twice", &format!("region_id={REGION}&region_id={REGION}")),
        ],
        paths::FORECAST => {
            vec![plain, with("year", "forecast_days=365"), with("out_of_bounds", "forecast_days=0")]
        }
        "/export/explain.csv" | "/export/explain.json" => vec![
            plain,
            with(REGION, &format!("region_id={REGION}&date={EXPLAINED}")),
            with("unknown_region", "region_id=xx"),
            with("invalid_date", "date=2026-02-29"),
        ],
        "/export/cost-curve.csv" | "/export/merit-order.csv" => {
            vec![plain, with("date", "date=2024-02-29"), with("invalid_date", "date=2026-02-29")]
        }
        "/export/distribution.csv" => vec![
            plain,
            with("range", "from=2024-02-28&to=2024-03-01"),
            with("backwards", "from=2024-03-01&to=2024-02-28"),
        ],
        "/export/forecast.csv" => vec![
            with("range", "forecast_days=30&from=2026-10-14&to=2026-10-18"),
            with("path", "forecast_days=1-5"),
            with("out_of_bounds", "forecast_days=1-91"),
        ],
        "/export/forecast-score.csv" => {
            vec![plain, with("backwards", "from=2024-03-01&to=2024-02-28")]
        }
        "/export/economics.csv" => vec![
            plain,
            with("price", "price=76975.91&date=2024-02-29"),
            with("invalid_price", "price=-1"),
        ],
        "/export/inputs.csv" => vec![
            plain,
            with("range", &format!("region_id={REGION}&from=2024-02-28&to=2024-03-01")),
            with("unknown_region", "region_id=xx"),
        ],
        "/charts/cost-curve.svg" => {
            vec![plain, with("invalid_price", "price=-1"), with("invalid_order", "order=avg")]
        }
        "/charts/regions.svg" => vec![plain, with("unknown_theme", "theme=blue")],
        _ => vec![plain],
    }
}

/// A description of a request, and its response.
struct Recorded {
    asked: String,
    answer: Answer,
    /// Whether the request selected this status.
    is_scenario: bool,
}

/// Servers in good and bad states, and the document that their responses go into.
pub(crate) struct Recorder<'a> {
    components: &'a mut Components,
    healthy: Sandbox,
    strict: Sandbox,
    limiting: Sandbox,
    busy: StuckPool,
    failing: Sandbox,
    without_figures: Sandbox,
    draining: Draining,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(components: &'a mut Components) -> Self {
        let config = || Config {
            clock: Clock::at(NOON.parse().unwrap()),
            trusted_proxies: vec!["127.0.0.1/32".parse().unwrap()],
            ..Config::default()
        };
        let start = |config| Sandbox::start(config).unwrap();
        Self {
            components,
            // It is asked more often than a client usually may.
            healthy: start(Config { rate_limit: NonZeroU32::new(10_000), ..config() }),
            strict: start(Config { strict_parameters: true, ..config() }),
            limiting: start(Config { rate_limit: Some(NonZeroU32::MIN), ..config() }),
            busy: StuckPool::start(config(), CLIENT),
            failing: start(Config { clock: failing_clock(), ..config() }),
            without_figures: start(Config { inputs: of_the_past(), ..config() }),
            draining: Draining::start(config()),
        }
    }

    /// Records the responses of an operation, including scenarios if it supports them.
    pub(crate) fn record(&mut self, path: &str, operation: &mut Operation, takes_scenarios: bool) {
        let questions = questions(path);
        for question in &questions {
            let mut headers = CLIENT.to_owned();
            let mut asked = format!("GET {}", question.target);
            if let Some(preference) = question.prefer {
                headers += &format!("Prefer: {preference}\r\n");
                asked += &format!(" with Prefer: {preference}");
            }
            let answer = get(self.healthy.address(), &question.target, &headers);
            // Metrics of this server and the source of a chart are not useful examples.
            let is_chart = answer.header("content-type") == Some("image/svg+xml");
            let name = (path != "/metrics" && !is_chart).then_some(question.name);
            self.write(operation, name, &Recorded { asked, answer, is_scenario: false });
        }
        let target = &*questions[0].target;
        let known = format!("{CLIENT}If-None-Match: *\r\n");
        let another_time = format!("Prefer: at={LEAP_DAY}\r\n");
        let silently = |answer| Recorded { asked: String::new(), answer, is_scenario: false };
        let answer = get(self.healthy.address(), target, &known);
        if answer.status == 304 {
            operation.parameters.get_or_insert_default().push(self.condition());
            self.write(operation, None, &silently(answer));
        }
        if takes_scenarios {
            for headers in [CLIENT, &known] {
                let headers = format!("{headers}{another_time}");
                let answer = get(self.healthy.address(), target, &headers);
                self.write(operation, None, &silently(answer));
            }
        }
        self.record_problems(target, operation, takes_scenarios);
        self.record_refusal(target, operation);
    }

    /// Records the errors that any request for an operation can get. Operations with the same errors
    /// share the response.
    fn record_problems(&mut self, target: &str, operation: &mut Operation, takes_scenarios: bool) {
        let mut by_status: BTreeMap<String, BTreeMap<String, Vec<Recorded>>> = BTreeMap::new();
        let mut provoked = self.provoke(target);
        if takes_scenarios {
            provoked.extend(self.provoke_in_scenarios(target));
        }
        for recorded in provoked {
            if let Some(problem) = problem_of(&recorded.answer) {
                let status = recorded.answer.status.to_string();
                let of_status = by_status.entry(status).or_default();
                of_status.entry(problem.code).or_default().push(recorded);
            }
        }
        for (status, answers) in by_status {
            // The first of a kind is the example; others may have more headers.
            let answers = || {
                answers.iter().flat_map(|(code, answers)| {
                    let names = iter::once(Some(&**code)).chain(iter::repeat(None));
                    iter::zip(names, answers)
                })
            };
            if operation.responses.responses.contains_key(&status) {
                for (name, answer) in answers() {
                    self.write(operation, name, answer);
                }
                continue;
            }
            let name = answers().filter_map(|(code, _)| code).collect::<Vec<_>>().join("_or_");
            if !self.components.responses.contains_key(&name) {
                let mut shared = response::Response::new("");
                for (name, answer) in answers() {
                    self.add(&mut shared, name, answer);
                }
                // Readers who use no scenarios should know that they never see this error.
                if answers().all(|(_, recorded)| recorded.is_scenario) {
                    shared.description +=
                        &format!(" (only if requested with `{PREFER}: code={status}`)");
                }
                self.components.responses.insert(name.clone(), shared.into());
            }
            let reference = Ref::from_response_name(name).into();
            operation.responses.responses.insert(status, reference);
        }
    }

    /// Records the response to a head that is too large.
    fn record_refusal(&mut self, target: &str, operation: &mut Operation) {
        let name = "head_too_large";
        let answer = get(self.healthy.address(), target, &"X: y\r\n".repeat(101));
        assert_eq!(answer.status, 431, "{target}");
        if !self.components.responses.contains_key(name) {
            let mut shared = response::Response::new("Request head too large");
            self.add_headers(&mut shared, &answer);
            self.components.responses.insert(name.into(), shared.into());
        }
        let reference = Ref::from_response_name(name).into();
        operation.responses.responses.insert(answer.status.to_string(), reference);
    }

    /// Returns the responses to requests that cause errors in some or all operations.
    fn provoke(&self, target: &str) -> Vec<Recorded> {
        let record = |how: &str, answer| Recorded {
            asked: format!("GET {target}{how}"),
            answer,
            is_scenario: false,
        };
        let healthy = self.healthy.address();
        let too_long = format!("{target}?{}", "x".repeat(7_000));
        let ask = |server: &Sandbox, how: &str| record(how, get(server.address(), target, CLIENT));
        let mut recorded = vec![
            record(", without Host", get_without_host(healthy, target)),
            record("?%FF", get(healthy, &format!("{target}?%FF"), CLIENT)),
            record("?xxx, with several thousand characters", get(healthy, &too_long, CLIENT)),
            ask(&self.without_figures, ", if dated series do not cover today"),
            record(
                ", while the server is shutting down",
                get(self.draining.address, target, CLIENT),
            ),
            record(", if the server fails", self.failure(target)),
        ];
        let path = target.split('?').next().unwrap();
        let is_rendered_alone = ["/charts/", "/export/explain", "/export/merit"];
        if is_rendered_alone.iter().any(|start| path.starts_with(start)) {
            let own = if path.ends_with(".svg") { "theme=light" } else { "date=2024-02-29" };
            let sign = if target.contains('?') { '&' } else { '?' };
            let busy = get(self.busy.server.address(), &format!("{target}{sign}{own}"), CLIENT);
            let how = format!("{sign}{own}, while nine requests of the client are being prepared");
            recorded.push(record(&how, busy));
        }
        // Two are allowed at once, and the next a second later.
        recorded.extend((0..4).map(|_| ask(&self.limiting, ", too often")));
        recorded
    }

    /// Returns the responses to requests that select an error, or have an unknown parameter.
    fn provoke_in_scenarios(&self, target: &str) -> Vec<Recorded> {
        let ask = |preference: String| {
            let preference = format!("{PREFER}: {preference}");
            let headers = format!("{CLIENT}{preference}\r\n");
            let answer = get(self.healthy.address(), target, &headers);
            let asked = format!("GET {target} with {preference}");
            Recorded { asked, answer, is_scenario: true }
        };
        let sign = if target.contains('?') { '&' } else { '?' };
        let answer = get(self.strict.address(), &format!("{target}{sign}unknown=1"), CLIENT);
        let is_always_strict = !target.starts_with(paths::PREFIX);
        let where_strict =
            if is_always_strict { "" } else { ", where the server is strict about parameters" };
        let asked = format!("GET {target}{sign}unknown=1{where_strict}");
        let strict = Recorded { asked, answer, is_scenario: false };
        let codes = CODES.map(|code| format!("code={code}"));
        // The usual `Retry-After` comes first, as the example.
        let others = ["code=429,retry-after=date", "handling=strict,unknown"].map(String::from);
        codes.into_iter().chain(others).map(ask).chain([strict]).collect()
    }

    /// Returns the response of a server that fails.
    fn failure(&self, target: &str) -> Answer {
        let failed = get(self.failing.address(), target, CLIENT);
        assert_eq!(failed.status, 500);
        failed
    }

    /// Returns the `If-None-Match` header as a parameter.
    fn condition(&mut self) -> RefOr<Parameter> {
        let name = "if-none-match";
        let described = || {
            ParameterBuilder::new()
                .name("If-None-Match")
                .parameter_in(ParameterIn::Header)
                .required(Required::False)
                .description(Some("The `ETag` of a cached response. Returns 304 if it is current."))
                .schema(Some(Object::with_type(Type::String)))
                .build()
                .into()
        };
        self.components.parameters.entry(name.into()).or_insert_with(described);
        RefOr::Ref(Ref::new(format!("#/components/parameters/{name}")))
    }

    /// Records one response of an operation, as an example if it has a name.
    fn write(&mut self, operation: &mut Operation, name: Option<&str>, recorded: &Recorded) {
        let answer = &recorded.answer;
        let responses = &mut operation.responses.responses;
        let unseen = || RefOr::T(response::Response::new(""));
        let known = responses.entry(answer.status.to_string()).or_insert_with(unseen);
        let RefOr::T(known) = known else { return };
        if answer.status == 200 {
            known.description = operation.summary.clone().unwrap_or_default();
        }
        self.add(known, name, recorded);
    }

    fn add(
        &mut self,
        known: &mut response::Response,
        name: Option<&str>,
        Recorded { asked, answer, .. }: &Recorded,
    ) {
        if let Some(problem) = problem_of(answer) {
            if !known.description.contains(&problem.title) {
                let before = std::mem::take(&mut known.description);
                let joint = if before.is_empty() { "" } else { "; " };
                known.description = format!("{before}{joint}{}", problem.title);
            }
        } else if answer.status == 304 {
            known.description = "Not modified: the `ETag` matches".into();
        }
        if let Some(content_type) = answer.header("content-type") {
            let media_type = content_type.split(';').next().unwrap_or_default();
            let is_problem = media_type == "application/problem+json";
            let schema = is_problem.then(|| Ref::from_schema_name("Problem"));
            let content = known.content.entry(media_type.into());
            let content = content.or_insert_with(|| Content::new(schema).into());
            if let (RefOr::T(content), Some(name)) = (content, name) {
                let text = || Value::from(&*answer.body);
                let value = serde_json::from_str(&answer.body).unwrap_or_else(|_| text());
                let mut example = Example::new();
                example.summary = asked.clone();
                example.value = Some(value);
                // A real error is a better example than a scenario.
                content.examples.entry(name.into()).or_insert_with(|| example.into());
            }
        }
        self.add_headers(known, answer);
        // With other inputs, any response may be long enough to be compressed.
        let vary = answer.headers.iter().find(|header| header.0 == "vary");
        let vary = vary.map_or("accept-encoding", |header| &*header.1).to_owned();
        let of_content = [("Content-Encoding", "gzip"), ("Vary", &*vary)];
        let is_known_already = answer.status == 304;
        for (name, value) in of_content.into_iter().skip(usize::from(is_known_already)) {
            let (title, reference) = self.header(name, value);
            known.headers.insert(title.into(), RefOr::Ref(reference));
        }
        // Every response has them if requests are logged or carry them.
        for (name, value) in [("X-Request-Id", REQUEST_ID), ("Traceparent", TRACEPARENT)] {
            let (title, reference) = self.header(name, value);
            known.headers.insert(title.into(), RefOr::Ref(reference));
        }
    }

    /// Adds the headers of a response.
    fn add_headers(&mut self, known: &mut response::Response, answer: &Answer) {
        for (name, value) in &answer.headers {
            if ["content-type", "content-length", "transfer-encoding"].contains(&&**name) {
                continue;
            }
            let value = match &**name {
                "x-request-id" => REQUEST_ID,
                "date" => DATE,
                _ => value,
            };
            let (title, reference) = self.header(name, value);
            known.headers.insert(title.into(), RefOr::Ref(reference));
        }
    }

    /// Returns the description of a header, which is added when the header is first seen.
    fn header(&mut self, name: &str, value: &str) -> (&'static str, Ref) {
        let known = HEADERS.iter().find(|header| header.0.eq_ignore_ascii_case(name));
        let (title, description) = known.expect("every header is described");
        let first_seen = || {
            let mut header = Header::new(Object::with_type(Type::String));
            header.description = Some((*description).into());
            header.example = Some(value.into());
            RefOr::T(header)
        };
        self.components.headers.entry((*title).into()).or_insert_with(first_seen);
        (title, Ref::new(format!("#/components/headers/{title}")))
    }
}

/// Returns a clock that panics when a worker or the pool reads it to answer a request.
fn failing_clock() -> Clock {
    Clock::from_fn(|| {
        let answers = |name: &str| name.starts_with("worker") || name.starts_with("tokio");
        let is_worker = thread::current().name().is_some_and(answers);
        assert!(!is_worker, "on purpose");
        UNIX_EPOCH
    })
}

/// Returns the built-in inputs with a series that ended long ago.
fn of_the_past() -> Inputs {
    let text = format!("{DEFAULT_INPUTS}\n[series]\nnetwork = \"network.csv\"\n");
    let series = "date,difficulty\n2024-01-01,73197634206448\n2024-06-30,83675262295059\n";
    Inputs::parse_with_series(&text, |_| Ok(series.into())).unwrap()
}

/// A server that drains for as long as this lives.
struct Draining {
    address: SocketAddr,
    _stop: oneshot::Sender<()>,
}

impl Draining {
    fn start(config: Config) -> Self {
        let listener = Listener::bind(([127, 0, 0, 1], 0).into(), NonZeroUsize::MIN).unwrap();
        let address = listener.local_addr().unwrap();
        let server = Server::start(listener, config).unwrap();
        let (stop, stopped) = oneshot::channel();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
            runtime.unwrap().block_on(async {
                tokio::select! {
                    _ = server.run(async { Duration::from_secs(3600) }) => {}
                    _ = stopped => {}
                }
            });
        });
        let deadline = Instant::now() + Duration::from_secs(10);
        while get(address, "/readyz", CLIENT).status != 503 {
            assert!(Instant::now() < deadline, "the server does not drain");
        }
        Self { address, _stop: stop }
    }
}

fn get(server: SocketAddr, target: &str, headers: &str) -> Answer {
    let host = "Host: 127.0.0.1:8000\r\n";
    let request = format!("GET {target} HTTP/1.1\r\n{host}{headers}\r\n");
    KeptAlive::new(server).send(&request).unwrap()
}

fn get_without_host(server: SocketAddr, target: &str) -> Answer {
    KeptAlive::new(server).send(&format!("GET {target} HTTP/1.1\r\n{CLIENT}\r\n")).unwrap()
}

fn problem_of(answer: &Answer) -> Option<ghi_contract::ProblemDocument> {
    serde_json::from_str(&answer.body).ok()
}
