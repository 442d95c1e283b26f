//! Applies rules to a server and collects the evidence.

use std::fmt::Display;
use std::rc::Rc;

use ghi_client::Resource;
use ghi_engine::visible;
use jiff::SignedDuration;
use jiff::civil::DateTime;
use serde::Serialize;
use serde_json::Value;

use crate::check::json_object::JsonObject;
use crate::check::recording_client::RecordingClient;
use crate::check::request::CheckRequest;
use crate::check::response::{EXCERPT_MAX, HttpResponse, RecordedResponse};

/// The maximum number of pieces of evidence per rule in a report.
const EVIDENCE_MAX: usize = 5;

/// The maximum number of characters of a request in a report.
const REQUEST_MAX: usize = 600;

/// How far apart the clocks of one server's replicas and caches may be around midnight.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_mins(1);

/// A statement about a server that holds or is broken.
#[derive(Serialize)]
pub(crate) struct Rule {
    /// The name, which never changes.
    pub(crate) id: &'static str,
    /// The section of the contract, with the number of the sentence if it has one.
    pub(crate) section: &'static str,
    pub(crate) title: &'static str,
    pub(crate) source: RuleSource,
    #[serde(skip)]
    pub(crate) judge: fn(&mut Judge),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RuleSource {
    Contract,
    /// A decision of this implementation where the contract is silent.
    Strict,
    /// Such a decision about documents that should agree. Without `--strict`, a finding is a note.
    #[serde(rename = "strict")]
    Agreement,
    /// A finding is a note, even with `--strict`.
    Note,
}

impl Rule {
    /// Returns the section without the number of the sentence.
    pub(crate) fn chapter(&self) -> &'static str {
        self.section.split('.').next().unwrap_or(self.section)
    }

    /// Returns the number and the title of the section in the contract.
    pub(crate) fn heading(&self) -> &'static str {
        match self.chapter() {
            "1" => "1. What the service does",
            "2" => "2. Resources and their fields",
            "4" => "4. Endpoints",
            "5" => "5. Authentication",
            "7" => "7. Errors",
            _ => "9. Versioning",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RuleVerdict {
    Holds,
    Broken,
    /// A finding that does not count as broken in this run.
    Note,
    /// No response could be judged by the rule.
    NotJudged,
}

/// A request, the response that the rule demands, and the actual one.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Evidence {
    /// A shell command.
    pub(crate) request: String,
    pub(crate) expected: String,
    pub(crate) got: String,
}

/// A rule with its verdict, as in the JSON report.
#[derive(Serialize)]
pub(crate) struct JudgedRule {
    #[serde(flatten)]
    pub(crate) rule: &'static Rule,
    pub(crate) verdict: RuleVerdict,
    /// Why the rule was not judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    pub(crate) evidence: Vec<Evidence>,
    /// How many more pieces of evidence there were.
    pub(crate) evidence_omitted: usize,
}

/// Judges a server, one rule at a time.
pub(crate) struct Judge {
    pub(crate) client: RecordingClient,
    /// The regions whose documents are requested, once they are chosen.
    pub(crate) sample: Option<Vec<String>>,
    /// Whether the current rule has checked anything.
    has_judged: bool,
    evidence: Vec<Evidence>,
    evidence_omitted: usize,
    pub(super) reason: Option<String>,
    /// The server's time at the start of the run and after this number of requests.
    clock: Option<(u64, Option<[DateTime; 2]>)>,
}

impl Judge {
    pub(crate) fn new(client: RecordingClient) -> Self {
        let (sample, reason, clock) = (None, None, None);
        let (evidence, evidence_omitted) = (Vec::new(), 0);
        Self { client, sample, has_judged: false, evidence, evidence_omitted, reason, clock }
    }

    /// Judges the server by a rule.
    pub(crate) fn apply(&mut self, rule: &'static Rule) -> JudgedRule {
        (rule.judge)(self);
        let evidence = std::mem::take(&mut self.evidence);
        let verdict = match (std::mem::take(&mut self.has_judged), evidence.is_empty()) {
            (false, _) => RuleVerdict::NotJudged,
            (true, true) => RuleVerdict::Holds,
            (true, false) => RuleVerdict::Broken,
        };
        let reason = self.reason.take().unwrap_or_else(|| "no response to compare".into());
        let reason = (verdict == RuleVerdict::NotJudged).then_some(reason);
        let evidence_omitted = std::mem::take(&mut self.evidence_omitted);
        JudgedRule { rule, verdict, reason, evidence, evidence_omitted }
    }

    /// Returns the response to a request, whatever it is.
    pub(crate) fn fetch(&mut self, request: impl Into<CheckRequest>) -> Rc<RecordedResponse> {
        self.client.fetch(request.into())
    }

    /// Returns the document for a request. A missing document breaks a separate rule.
    pub(crate) fn document(&mut self, request: impl Into<CheckRequest>) -> Option<JsonObject> {
        let response = self.fetch(request);
        if response.http().and_then(HttpResponse::document).is_none() {
            let why = response.why_unjudged().map(str::to_owned);
            let why = why.unwrap_or_else(|| match response.status() {
                Some(200) => "200 without a JSON object".into(),
                Some(status) => status.to_string(),
                None => response.excerpt(),
            });
            self.skip(format!("no document from {}: {why}", response.request.target));
            return None;
        }
        Some(JsonObject::whole(response))
    }

    /// Skips a judgement. If the rule judges nothing else, the first reason is reported.
    pub(crate) fn skip(&mut self, reason: impl Into<String>) {
        self.reason.get_or_insert_with(|| visible(&reason.into(), EXCERPT_MAX));
    }

    /// Judges one response. If it is wrong, it becomes evidence.
    pub(crate) fn verify(
        &mut self,
        response: &RecordedResponse,
        is_right: bool,
        expected: impl Display,
        got: impl Display,
    ) {
        self.has_judged = true;
        if is_right {
            return;
        }
        if self.evidence.len() == EVIDENCE_MAX {
            self.evidence_omitted += 1;
            return;
        }
        let curl = response.request.curl(&self.client.base_url.to_string());
        self.evidence.push(Evidence {
            request: visible(&curl, REQUEST_MAX),
            expected: visible(&expected.to_string(), EXCERPT_MAX),
            got: visible(&got.to_string(), EXCERPT_MAX),
        });
    }

    /// Sends a request and judges its response. A closed connection is wrong. Returns the response if it is right.
    pub(crate) fn verify_response(
        &mut self,
        request: impl Into<CheckRequest>,
        expected: impl Display,
        is_right: impl FnOnce(&HttpResponse) -> bool,
    ) -> Option<Rc<RecordedResponse>> {
        let response = self.fetch(request);
        let is_right = response.http().is_some_and(is_right);
        match response.why_unjudged() {
            Some(why) if !is_right => self.skip(format!("{}: {why}", response.request.target)),
            _ => self.verify(&response, is_right, expected, response.excerpt()),
        }
        is_right.then_some(response)
    }

    /// Sends a request and judges the status of its response.
    pub(crate) fn verify_status(
        &mut self,
        request: impl Into<CheckRequest>,
        status: u16,
    ) -> Option<Rc<RecordedResponse>> {
        self.verify_response(request, status, |http| http.status == status)
    }

    /// Judges a field.
    pub(crate) fn verify_field(
        &mut self,
        object: &JsonObject,
        field: &str,
        is_right: bool,
        expected: impl Display,
    ) {
        let (at, value) = (object.at(field), object.get(field).filter(|_| !is_right));
        let got = value.map_or("missing".into(), typed);
        let expected = format_args!("{at}: {expected}");
        self.verify(&object.response, is_right, expected, format_args!("{at}: {got}"));
    }

    /// Judges a header.
    pub(crate) fn verify_header(
        &mut self,
        response: &RecordedResponse,
        name: &str,
        expected: &str,
        is_right: impl FnOnce(&str) -> bool,
    ) {
        let value = response.http().and_then(|http| http.header(name));
        let is_right = value.as_deref().is_some_and(is_right);
        let got = value.as_deref().unwrap_or("missing");
        let expected = format_args!("{name}: {expected}");
        self.verify(response, is_right, expected, format_args!("{name}: {got}"));
    }

    /// Judges a header that must have this value.
    pub(crate) fn verify_header_is(
        &mut self,
        response: &RecordedResponse,
        name: &str,
        value: &str,
    ) {
        self.verify_header(response, name, value, |found| found == value);
    }

    /// Judges a string field that must have this value.
    pub(crate) fn verify_text(&mut self, object: &JsonObject, field: &str, expected: &str) {
        if let Some(text) = self.text(object, field) {
            self.verify_field(object, field, text == expected, format_args!("{expected:?}"));
        }
    }

    /// Reads a field of the expected type. A field of another type is skipped, since it breaks a separate rule.
    pub(crate) fn read<'a, T>(
        &mut self,
        object: &'a JsonObject,
        field: &str,
        expected: &str,
        convert: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let value = object.get(field);
        let converted = value.and_then(convert);
        if converted.is_none() {
            let got = value.map_or("nothing".into(), typed);
            self.skip(format!("{}: expected {expected}, got {got}", object.at(field)));
        }
        converted
    }

    pub(crate) fn text<'a>(&mut self, object: &'a JsonObject, field: &str) -> Option<&'a str> {
        self.read(object, field, "a string", Value::as_str)
    }

    pub(crate) fn number(&mut self, object: &JsonObject, field: &str) -> Option<f64> {
        self.read(object, field, "a number", Value::as_f64)
    }

    pub(crate) fn integer(&mut self, object: &JsonObject, field: &str) -> Option<f64> {
        let whole = |value: &Value| value.as_f64().filter(|number| number.fract() == 0.0);
        self.read(object, field, "an integer", whole)
    }

    /// Returns whether midnight passed between two responses. If so, they cannot be compared.
    pub(crate) fn midnight_passed(
        &mut self,
        one: Option<DateTime>,
        other: Option<DateTime>,
    ) -> bool {
        let days = [one, other].map(|time| time.map(DateTime::date));
        if days[0] == days[1] {
            return false;
        }
        let [Some(one), Some(other)] = days else {
            self.skip("a document without a valid timestamp_utc");
            return true;
        };
        let has_passed = self.clock().is_some_and(|[first, latest]| {
            let first = first.saturating_sub(CLOCK_TOLERANCE).date();
            let latest = latest.saturating_add(CLOCK_TOLERANCE).date();
            [one, other].iter().all(|day| (first..=latest).contains(day))
        });
        if has_passed {
            self.skip("midnight passed between two responses");
        }
        has_passed
    }

    /// Returns the server's time at the start of the run and now, by the timestamps of its first document.
    pub(crate) fn clock(&mut self) -> Option<[DateTime; 2]> {
        let requests = self.client.progress.position();
        if let Some((at, clock)) = self.clock
            && at == requests
        {
            return clock;
        }
        let first = self.first_document()?;
        let again = self.document(first.response.request.clone().unrecorded());
        let times = first.time().zip(again.and_then(|again| again.time()));
        let clock = times.map(|(first, again)| [first.min(again), first.max(again)]);
        self.clock = Some((self.client.progress.position(), clock));
        clock
    }

    /// Returns the document that was requested first.
    pub(crate) fn first_document(&mut self) -> Option<JsonObject> {
        self.document(&Resource::Metadata).or_else(|| self.document(&Resource::Snapshot))
    }
}

/// Formats a value with its type.
pub(crate) fn typed(value: &Value) -> String {
    let name = match value {
        Value::Null => return "null".into(),
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    format!("{name}, {value}")
}
