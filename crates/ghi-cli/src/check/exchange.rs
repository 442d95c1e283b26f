//! A request and what became of it.

use ghi_engine::visible;
use reqwest::header::{HeaderMap, LOCATION};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::check::request::Request;

/// How many values a JSON text may hold: some times as many as a snapshot of ten thousand regions
/// has. A short text can hold many, and each takes memory.
const VALUES_MAX: usize = 300_000;

/// The longest excerpt of an answer in a report, characters.
const EXCERPT_MAX: usize = 200;

/// A request and its outcome.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) request: Request,
    pub(crate) outcome: Outcome,
}

/// What became of a request.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// A whole HTTP answer.
    Answer(Answer),
    /// No answer, or none that is whole; the text says why.
    Failed(String),
    /// An answer that is longer than what is read; the text says how long.
    TooLarge(String),
    /// The deployment limits this client, and went on with it: nobody's fault.
    Limited,
    /// Not asked, since the deployment has stopped answering, or has sent too much.
    NotAsked(&'static str),
}

/// A whole HTTP answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// How many values the body holds, at most, if it is JSON.
    pub(crate) values: usize,
    /// The body as JSON.
    pub(crate) json: Result<Value, Unread>,
}

/// Why there is no value of a body.
#[derive(Clone, Debug)]
pub(crate) enum Unread {
    /// It is no JSON; the text says why.
    NotJson(String),
    /// It is JSON, but more than the judge takes; the text says what of it.
    TooMuch(String),
}

/// What the parser calls its limits, which are none of JSON's, and what it is that exceeds them.
const LIMITS_OF_THE_PARSER: [(&str, &str); 2] = [
    ("recursion limit exceeded", "it is nested too deep to judge"),
    ("number out of range", "a number in it is out of the range of a float"),
];

impl Answer {
    pub(crate) fn new(status: u16, headers: HeaderMap, body: Vec<u8>) -> Self {
        // Each value but the first comes behind one of these.
        let values = body.iter().filter(|byte| b",[{".contains(byte)).count();
        let json = match values > VALUES_MAX {
            true => {
                let too_large = format!("it is too large to judge, more than {VALUES_MAX} values");
                Err(Unread::of(&body, too_large))
            }
            false => serde_json::from_slice(&body).map_err(|error| {
                let why = error.to_string();
                let limit = LIMITS_OF_THE_PARSER.iter().find(|(said, _)| why.starts_with(said));
                match limit {
                    Some((_, what)) => Unread::of(&body, (*what).into()),
                    None => Unread::NotJson(why),
                }
            }),
        };
        Self { status, headers, body, values: values.min(VALUES_MAX), json }
    }

    /// The values of a header, as one list.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let values = self.headers.get_all(name).iter();
        let values: Vec<_> =
            values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect();
        (!values.is_empty()).then(|| values.join(", "))
    }

    /// A header as evidence.
    pub(crate) fn shown_header(&self, name: &str) -> String {
        let value = self.header(name);
        value.map_or_else(|| format!("no {name}"), |value| format!("{name}: {}", shown(&value)))
    }

    /// Whether a header that is a list has this entry.
    pub(crate) fn lists(&self, name: &str, entry: &str) -> bool {
        let list = self.header(name).unwrap_or_default();
        list.split(',').any(|listed| listed.trim().eq_ignore_ascii_case(entry))
    }

    /// Whether it asks for credentials, which the contract has none of.
    pub(crate) fn wants_credentials(&self) -> bool {
        matches!(self.status, 401 | 403 | 407)
    }

    /// Where it leads to instead of answering, as evidence.
    pub(crate) fn redirect(&self) -> Option<String> {
        let location = self.header(LOCATION.as_str()).filter(|_| self.status / 100 == 3)?;
        Some(format!("{}, a redirect to {}", self.status, shown(&location)))
    }

    /// Status and start of the body, or where a redirect leads to, as evidence.
    pub(crate) fn excerpt(&self) -> String {
        if let Some(redirect) = self.redirect() {
            return redirect;
        }
        let start = &self.body[..self.body.len().min(4 * EXCERPT_MAX)];
        let body = String::from_utf8_lossy(start);
        match body.trim() {
            "" => format!("{} without a body", self.status),
            body => format!("{} {}", self.status, shown(body)),
        }
    }

    fn object(&self) -> Option<&Map<String, Value>> {
        self.json.as_ref().ok().and_then(Value::as_object)
    }
}

impl Unread {
    /// A body that is too much for the judge, if it is JSON. To see that takes neither memory nor depth.
    fn of(body: &[u8], too_much: String) -> Self {
        // What is only skipped need not be UTF-8.
        let text = str::from_utf8(body).map_err(|error| error.to_string());
        let skipped = text.and_then(|text| {
            serde_json::from_str::<IgnoredAny>(text).map_err(|error| error.to_string())
        });
        match skipped {
            Ok(_) => Self::TooMuch(too_much),
            Err(why) => Self::NotJson(why),
        }
    }
}

impl Exchange {
    /// The answer, if there is a whole one.
    pub(crate) fn answer(&self) -> Option<&Answer> {
        match &self.outcome {
            Outcome::Answer(answer) => Some(answer),
            _ => None,
        }
    }

    /// The document, if the answer is one: 200, and a JSON object.
    pub(crate) fn document(&self) -> Option<&Map<String, Value>> {
        self.answer().filter(|answer| answer.status == 200).and_then(Answer::object)
    }

    /// The problem that the answer tells of, if it is a JSON object.
    pub(crate) fn problem(&self) -> Option<&Map<String, Value>> {
        self.answer().filter(|answer| answer.status >= 400).and_then(Answer::object)
    }

    /// Why nobody can judge what came, though it need not be wrong.
    pub(crate) fn unjudged(&self) -> Option<String> {
        match &self.outcome {
            Outcome::Answer(answer) if answer.status == 200 => match &answer.json {
                Err(Unread::TooMuch(what)) => Some(format!("JSON, but {what}")),
                _ => None,
            },
            Outcome::Answer(_) | Outcome::Failed(_) => None,
            Outcome::TooLarge(_) | Outcome::Limited | Outcome::NotAsked(_) => Some(self.shown()),
        }
    }

    /// The UTC day of the document, by its time of generation.
    pub(crate) fn day(&self) -> Option<&str> {
        self.document()?.get("timestamp_utc")?.as_str()?.get(..10)
    }

    /// What came, as evidence.
    pub(crate) fn shown(&self) -> String {
        match &self.outcome {
            Outcome::Answer(answer) => answer.excerpt(),
            Outcome::Failed(why) => why.clone(),
            Outcome::TooLarge(length) => format!("too large to judge: {length}"),
            Outcome::Limited => "429 Too Many Requests, also later".into(),
            Outcome::NotAsked(why) => (*why).into(),
        }
    }
}

/// A text as evidence: visible and cut.
pub(crate) fn shown(text: &str) -> String {
    visible(text, EXCERPT_MAX)
}

/// A value as evidence.
pub(crate) fn shown_value(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".into(), |value| shown(&value.to_string()))
}
