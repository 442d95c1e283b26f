//! Asks the operations of the API, well and badly, and writes down what they answer.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use ghi_contract::paths;
use http_body_util::Empty;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderValue, IF_NONE_MATCH};
use hyper::{Request, Response, StatusCode};
use serde_json::Value;
use utoipa::openapi::example::Example;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{Components, Content, Header, Object, Ref, RefOr, Required, Type, response};

use crate::api::Api;
use crate::clock::unix_micros;
use crate::conventions::X_REQUEST_ID;
use crate::form::TARGET_MAX;
use crate::prefer::PREFER;
use crate::problem::Problem;
use crate::{Clock, Config, exports, operations, pictures};

/// The instant of the examples.
const INSTANT: &str = "2026-11-15T12:00:00Z";

/// The region of the examples.
pub(crate) const REGION: &str = "us";

/// What a request may be called in the log.
const REQUEST_ID: HeaderValue = HeaderValue::from_static("5f1c0a4be2d39687");

/// Somebody from afar, so that the rate limit is told.
const CLIENT: [u8; 4] = [203, 0, 113, 7];

/// What the headers of answers say.
const HEADERS: &[(&str, &str)] = &[
    ("Access-Control-Allow-Origin", "Any page may read the answer."),
    ("Access-Control-Expose-Headers", "The headers that a page of another origin may read."),
    (
        "Cache-Control",
        "How long the answer may be reused, in seconds, never past midnight UTC; or that it may not.",
    ),
    ("Connection", "That the connection ends with this answer."),
    ("Content-Disposition", "The name for the file."),
    ("Content-Security-Policy", "What the picture may load when it is opened by itself: nothing."),
    ("Date", "The time of the answer, from the same reading of the clock as everything in it."),
    ("ETag", "Names the answer's figures: the same all day and on every replica."),
    ("Link", "Where the description of the API is; of an old document, also its successor."),
    ("Preference-Applied", "The preference that the answer follows."),
    (
        "RateLimit",
        "How many requests are left, and in how many seconds there will be more. Not sent to clients that are not limited.",
    ),
    (
        "RateLimit-Policy",
        "How many requests a client may send in how many seconds. Not sent to clients that are not limited.",
    ),
    ("Retry-After", "After how many seconds to try again."),
    ("Vary", "The request headers that choose the form of the answer."),
    ("X-Content-Type-Options", "The answer is of the type that it says."),
    (
        "X-Request-Id",
        "Names the request as the server's log does. Sent where there is a line in the log.",
    ),
];

/// A request whose answer is an example.
struct Question {
    /// What the example is called.
    name: &'static str,
    target: String,
    prefer: Option<&'static str>,
}

/// The requests whose answers are the examples of an operation. The first is answered with 200.
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
        paths::HISTORY | pictures::HISTORY_CHART | exports::HISTORY_CSV => vec![
            plain,
            with(REGION, &format!("region_id={REGION}")),
            with("unknown_region", "region_id=xx"),
            with("given_twice", &format!("region_id={REGION}&region_id={REGION}")),
        ],
        paths::FORECAST => {
            vec![plain, with("year", "forecast_days=365"), with("out_of_bounds", "forecast_days=0")]
        }
        pictures::REGIONS_CHART => vec![plain, with("unknown_theme", "theme=blue")],
        _ => vec![plain],
    }
}

/// What was asked, in words, and what was answered.
struct Recorded {
    asked: String,
    answer: Response<Bytes>,
}

/// Servers in good and in bad states, and the description that their answers go into.
pub(crate) struct Recorder<'a> {
    components: &'a mut Components,
    well: Api,
    limiting: Api,
    lost_in_time: Api,
    ending: Api,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(components: &'a mut Components) -> Self {
        let config = || {
            let instant = INSTANT.parse().expect("the instant is one");
            Config { clock: Clock::at(instant), ..Config::default() }
        };
        let before_time = Clock::from_fn(|| UNIX_EPOCH - Duration::from_secs(1));
        let ending = Api::new(config(), 1);
        ending.start_draining();
        Self {
            components,
            well: Api::new(config(), 1),
            limiting: Api::new(Config { rate_limit: Some(NonZeroU32::MIN), ..config() }, 1),
            lost_in_time: Api::new(Config { clock: before_time, ..config() }, 1),
            ending,
        }
    }

    /// Writes down what an operation answers.
    pub(crate) fn record(&mut self, path: &str, operation: &mut Operation) {
        let questions = questions(path);
        for question in &questions {
            let mut request = get(&question.target);
            let mut asked = format!("GET {}", question.target);
            if let Some(preference) = question.prefer {
                request.headers_mut().insert(PREFER, HeaderValue::from_static(preference));
                asked += &format!(" with Prefer: {preference}");
            }
            let answer = Recorded { asked, answer: send(&self.well, &request) };
            // Measures of the server that records are of no use to anybody.
            let name = (path != operations::METRICS).then_some(question.name);
            self.write(operation, name, &answer);
        }
        let target = &*questions[0].target;
        let mut again = get(target);
        again.headers_mut().insert(IF_NONE_MATCH, HeaderValue::from_static("*"));
        let answer = send(&self.well, &again);
        if answer.status() == StatusCode::NOT_MODIFIED {
            operation.parameters.get_or_insert_default().push(self.condition());
            self.write(operation, None, &Recorded { asked: String::new(), answer });
        }
        self.record_problems(target, operation);
    }

    /// Writes down what goes wrong with an operation whatever it is asked for. Operations with
    /// which the same goes wrong share the words.
    fn record_problems(&mut self, target: &str, operation: &mut Operation) {
        let mut by_status: BTreeMap<String, BTreeMap<String, Recorded>> = BTreeMap::new();
        for recorded in self.provoke(target) {
            if let Some(problem) = problem_of(&recorded.answer) {
                let status = recorded.answer.status().as_str().to_owned();
                by_status.entry(status).or_default().insert(problem.code, recorded);
            }
        }
        for (status, answers) in by_status {
            if operation.responses.responses.contains_key(&status) {
                for (code, answer) in &answers {
                    self.write(operation, Some(code), answer);
                }
                continue;
            }
            let name = answers.keys().cloned().collect::<Vec<_>>().join("_or_");
            if !self.components.responses.contains_key(&name) {
                let mut shared = response::Response::new("");
                for (code, answer) in &answers {
                    self.add(&mut shared, Some(code), answer);
                }
                self.components.responses.insert(name.clone(), shared.into());
            }
            let reference = Ref::from_response_name(name).into();
            operation.responses.responses.insert(status, reference);
        }
    }

    /// The answers to requests that go wrong, or would if the operation took offence.
    fn provoke(&self, target: &str) -> Vec<Recorded> {
        let record = |how: &str, answer| Recorded { asked: format!("GET {target}{how}"), answer };
        let ask = |api: &Api, how: &str| record(how, send(api, &get(target)));
        let mut without_host = get(target);
        without_host.headers_mut().remove(HOST);
        let too_long = format!("{target}?{}", "x".repeat(TARGET_MAX));
        let mut recorded = vec![
            record(", without Host", send(&self.well, &without_host)),
            record("?%FF", send(&self.well, &get(&format!("{target}?%FF")))),
            record("?xxx, for some thousand letters", send(&self.well, &get(&too_long))),
            ask(&self.lost_in_time, ", while the server's clock is wrong"),
            ask(&self.ending, ", while the server is about to end"),
            record(", where the server fails", self.failure(target)),
        ];
        // Two are allowed at once, and the next a second after.
        recorded.extend((0..4).map(|_| ask(&self.limiting, ", too often")));
        recorded
    }

    /// What a failure would look like. The server has none that could be recorded.
    fn failure(&self, target: &str) -> Response<Bytes> {
        let mut failed = Problem::internal().response(target);
        let well = send(&self.well, &get(target));
        let limit = well.headers().iter().filter(|header| header.0.as_str().contains("ratelimit"));
        failed.headers_mut().extend(limit.map(|(name, value)| (name.clone(), value.clone())));
        failed.headers_mut().insert(X_REQUEST_ID, REQUEST_ID);
        failed
    }

    /// The header that asks for what has changed alone, as a parameter.
    fn condition(&mut self) -> RefOr<Parameter> {
        let name = IF_NONE_MATCH.as_str();
        let described = || {
            ParameterBuilder::new()
                .name("If-None-Match")
                .parameter_in(ParameterIn::Header)
                .required(Required::False)
                .description(Some(
                    "The `ETag` of an answer that the client has: 304 if it is current.",
                ))
                .schema(Some(Object::with_type(Type::String)))
                .build()
                .into()
        };
        self.components.parameters.entry(name.into()).or_insert_with(described);
        RefOr::Ref(Ref::new(format!("#/components/parameters/{name}")))
    }

    /// Writes down one answer of an operation, as an example if it has a name.
    fn write(&mut self, operation: &mut Operation, name: Option<&str>, recorded: &Recorded) {
        let answer = &recorded.answer;
        let responses = &mut operation.responses.responses;
        let unseen = || RefOr::T(response::Response::new(""));
        let known = responses.entry(answer.status().as_str().into()).or_insert_with(unseen);
        let RefOr::T(known) = known else { return };
        if answer.status() == StatusCode::OK {
            known.description = operation.summary.clone().unwrap_or_default();
        }
        self.add(known, name, recorded);
    }

    fn add(
        &mut self,
        known: &mut response::Response,
        name: Option<&str>,
        Recorded { asked, answer }: &Recorded,
    ) {
        if let Some(problem) = problem_of(answer) {
            if !known.description.contains(&problem.title) {
                let before = std::mem::take(&mut known.description);
                let joint = if before.is_empty() { "" } else { "; " };
                known.description = format!("{before}{joint}{}", problem.title);
            }
        } else if answer.status() == StatusCode::NOT_MODIFIED {
            known.description = "The client has it: `If-None-Match` names its tag".into();
        }
        if let Some(content_type) = answer.headers().get(CONTENT_TYPE) {
            let content_type = content_type.to_str().unwrap_or_default();
            let media_type = content_type.split(';').next().unwrap_or_default();
            let is_problem = media_type == "application/problem+json";
            let schema = is_problem.then(|| Ref::from_schema_name("Problem"));
            let content = known.content.entry(media_type.into());
            let content = content.or_insert_with(|| Content::new(schema).into());
            if let (RefOr::T(content), Some(name)) = (content, name) {
                let text = || Value::from(String::from_utf8_lossy(answer.body()));
                let value = serde_json::from_slice(answer.body()).unwrap_or_else(|_| text());
                let mut example = Example::new();
                example.summary = asked.clone();
                example.value = Some(value);
                content.examples.insert(name.into(), example.into());
            }
        }
        for (name, value) in answer.headers() {
            if name == CONTENT_TYPE || name == CONTENT_LENGTH {
                continue;
            }
            let (title, reference) = self.header(name.as_str(), value);
            known.headers.insert(title.into(), RefOr::Ref(reference));
        }
        // Where requests are logged, every answer has one.
        let (title, reference) = self.header(X_REQUEST_ID.as_str(), &REQUEST_ID);
        known.headers.insert(title.into(), RefOr::Ref(reference));
    }

    /// The words on a header, written when it is first seen.
    fn header(&mut self, name: &str, value: &HeaderValue) -> (&'static str, Ref) {
        let known = HEADERS.iter().find(|header| header.0.eq_ignore_ascii_case(name));
        let (title, description) = known.expect("every header is described");
        let first_seen = || {
            let mut header = Header::new(Object::with_type(Type::String));
            header.description = Some((*description).into());
            header.example = value.to_str().ok().map(Value::from);
            RefOr::T(header)
        };
        self.components.headers.entry((*title).into()).or_insert_with(first_seen);
        (title, Ref::new(format!("#/components/headers/{title}")))
    }
}

fn get(target: &str) -> Request<Empty<Bytes>> {
    let request = Request::get(target).header(HOST, "127.0.0.1:8000");
    request.body(Empty::new()).expect("the target is one")
}

fn send(api: &Api, request: &Request<Empty<Bytes>>) -> Response<Bytes> {
    let connection = api.open(CLIENT.into(), &api.shard(0), Arc::default());
    connection.wake(unix_micros(SystemTime::now()).unwrap_or_default());
    api.respond(&connection, request)
}

fn problem_of(answer: &Response<Bytes>) -> Option<ghi_contract::Problem> {
    serde_json::from_slice(answer.body()).ok()
}
