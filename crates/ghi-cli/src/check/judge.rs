//! Applies rules to a server and collects the evidence.

use std::fmt::Display;
use std::rc::Rc;

use ghi_client::Resource;
use ghi_engine::visible;
use jiff::SignedDuration;
use jiff::civil::DateTime;
use serde::Serialize;

use crate::check::json_object::JsonObject;
use crate::check::recording_client::RecordingClient;
use crate::check::request::CheckRequest;
use crate::check::response::{EXCERPT_MAX, HttpResponse, RecordedResponse};
use crate::check::response::{Finding, Judgement, judged};
use crate::check::schema::ObjectKind;

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
    current: RuleFindings,
    /// The server's time at the start of the run and after this number of requests.
    clock: Option<(u64, Option<[DateTime; 2]>)>,
}

/// What the current rule has found so far.
#[derive(Default)]
struct RuleFindings {
    has_judged: bool,
    evidence: Vec<Evidence>,
    evidence_omitted: usize,
    /// Why something was not judged.
    reason: Option<String>,
}

impl Judge {
    pub(crate) fn new(client: RecordingClient) -> Self {
        Self { client, current: RuleFindings::default(), clock: None }
    }

    /// Judges the server by a rule.
    pub(crate) fn apply(&mut self, rule: &'static Rule) -> JudgedRule {
        (rule.judge)(self);
        let RuleFindings { has_judged, evidence, evidence_omitted, reason } =
            std::mem::take(&mut self.current);
        let verdict = match (has_judged, evidence.is_empty()) {
            (false, _) => RuleVerdict::NotJudged,
            (true, true) => RuleVerdict::Holds,
            (true, false) => RuleVerdict::Broken,
        };
        let reason = reason.unwrap_or_else(|| "no response to compare".into());
        let reason = (verdict == RuleVerdict::NotJudged).then_some(reason);
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

    /// Notes why something is not judged. If the rule judges nothing else, the first reason is reported.
    pub(crate) fn skip(&mut self, reason: impl Into<String>) {
        self.current.reason.get_or_insert_with(|| visible(&reason.into(), EXCERPT_MAX));
    }

    /// Records how a response was judged.
    pub(crate) fn record(&mut self, response: &RecordedResponse, judgement: Judgement) {
        match judgement {
            Ok(()) => self.current.has_judged = true,
            Err(Finding::Unjudged(reason)) => self.skip(reason),
            Err(Finding::Wrong { expected, got }) => {
                self.current.has_judged = true;
                if self.current.evidence.len() == EVIDENCE_MAX {
                    self.current.evidence_omitted += 1;
                    return;
                }
                let curl = response.request.curl(self.client.base_url.as_str());
                self.current.evidence.push(Evidence {
                    request: visible(&curl, REQUEST_MAX),
                    expected: visible(&expected, EXCERPT_MAX),
                    got: visible(&got, EXCERPT_MAX),
                });
            }
        }
    }

    /// Judges each object of these kinds.
    pub(crate) fn each(
        &mut self,
        kinds: impl IntoIterator<Item = ObjectKind>,
        mut judge: impl FnMut(&JsonObject) -> Judgement,
    ) {
        for kind in kinds {
            for object in self.objects(kind) {
                self.record(&object.response, judge(&object));
            }
        }
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
            _ => self.record(&response, judged(is_right, expected, response.excerpt())),
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

    /// Fails if midnight passed between two documents, which then cannot be compared.
    pub(crate) fn comparable(&mut self, one: &JsonObject, other: &JsonObject) -> Judgement {
        self.comparable_times(one.time(), other.time())
    }

    pub(crate) fn comparable_times(
        &mut self,
        one: Option<DateTime>,
        other: Option<DateTime>,
    ) -> Judgement {
        let [one, other] = [one, other].map(|time| time.map(DateTime::date));
        if one == other {
            return Ok(());
        }
        let why = match (one, other, self.clock()) {
            (Some(one), Some(other), Some([first, latest])) => {
                let first = first.saturating_sub(CLOCK_TOLERANCE).date();
                let days = first..=latest.saturating_add(CLOCK_TOLERANCE).date();
                if !days.contains(&one) || !days.contains(&other) {
                    return Ok(());
                }
                "midnight passed between two responses"
            }
            _ => "a document without a valid timestamp_utc",
        };
        Err(Finding::Unjudged(why.into()))
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
