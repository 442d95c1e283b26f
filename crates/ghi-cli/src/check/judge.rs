//! Applies a rule to a server and collects the evidence.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::rc::Rc;

use ghi_client::Resource;
use ghi_engine::visible;
use jiff::SignedDuration;
use jiff::civil::{Date, DateTime};
use serde::Serialize;

use crate::check::json_object::JsonObject;
use crate::check::recording_client::RecordingClient;
use crate::check::response::{CheckRequest, CheckResponse, EXCERPT_MAX};
use crate::check::response::{Finding, Judgement, unjudged};
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
    pub(crate) judge: fn(&mut Judge) -> Judgement,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
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
#[derive(Serialize)]
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

    /// Judges a server by this rule.
    pub(crate) fn apply(&'static self, client: &mut RecordingClient) -> JudgedRule {
        let mut judge = Judge { client, judged: JudgedRule::new(self), days: BTreeSet::new() };
        let judgement = (self.judge)(&mut judge);
        judge.record(judgement);
        // Documents of different days cannot be compared.
        if judge.judged.verdict == RuleVerdict::Broken
            && judge.days.len() > 1
            && judge.has_midnight_passed()
        {
            judge.judged = JudgedRule::new(self);
            judge.record(Err(unjudged("midnight passed between two responses")));
        }
        let mut judged = judge.judged;
        let reason = judged.reason.unwrap_or_else(|| "no response to compare".into());
        judged.reason = (judged.verdict == RuleVerdict::NotJudged).then_some(reason);
        judged
    }
}

impl JudgedRule {
    fn new(rule: &'static Rule) -> Self {
        let (verdict, evidence) = (RuleVerdict::NotJudged, Vec::new());
        Self { rule, verdict, reason: None, evidence, evidence_omitted: 0 }
    }
}

/// Judges a server by a rule.
pub(crate) struct Judge<'a> {
    pub(crate) client: &'a mut RecordingClient,
    judged: JudgedRule,
    /// The days of the documents that the rule depends on.
    days: BTreeSet<Date>,
}

impl Judge<'_> {
    /// Judges each item and records the findings.
    pub(crate) fn each<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut verify: impl FnMut(&mut Self, T) -> Judgement,
    ) -> Judgement {
        for item in items {
            let judgement = verify(self, item);
            self.record(judgement);
        }
        Err(Finding::Recorded)
    }

    /// Judges each object of these kinds.
    pub(crate) fn each_object(
        &mut self,
        kinds: impl IntoIterator<Item = ObjectKind>,
        mut verify: impl FnMut(&JsonObject) -> Judgement,
    ) -> Judgement {
        self.each(kinds, |judge, kind| {
            let objects = judge.objects(kind);
            judge.each(objects, |_, object| verify(&object))
        })
    }

    /// Records a judgement. If nothing is judged, the first reason is reported.
    pub(crate) fn record(&mut self, judgement: Judgement) {
        let judged = &mut self.judged;
        match judgement {
            Ok(()) if judged.verdict == RuleVerdict::Broken => {}
            Ok(()) => judged.verdict = RuleVerdict::Holds,
            Err(Finding::Recorded) => {}
            Err(Finding::Unjudged(reason)) => {
                judged.reason.get_or_insert_with(|| visible(&reason, EXCERPT_MAX));
            }
            Err(Finding::Wrong { request, expected, got }) => {
                judged.verdict = RuleVerdict::Broken;
                if judged.evidence.len() == EVIDENCE_MAX {
                    judged.evidence_omitted += 1;
                    return;
                }
                judged.evidence.push(Evidence {
                    request: visible(&request.curl(self.client.base_url.as_str()), REQUEST_MAX),
                    expected: visible(&expected, EXCERPT_MAX),
                    got: visible(&got, EXCERPT_MAX),
                });
            }
        }
    }

    /// Notes the day of a document.
    pub(crate) fn note_day(&mut self, response: &CheckResponse) {
        self.days.extend(response.time().map(DateTime::date));
    }

    /// Returns the response to a request, whatever it is.
    pub(crate) fn fetch(&mut self, request: impl Into<CheckRequest>) -> Rc<CheckResponse> {
        let response = self.client.fetch(request.into());
        self.note_day(&response);
        response
    }

    /// Returns the document for a request.
    pub(crate) fn document(
        &mut self,
        request: impl Into<CheckRequest>,
    ) -> Result<JsonObject, Finding> {
        JsonObject::document(self.fetch(request))
    }

    /// Requests a document again.
    pub(crate) fn again(&mut self, document: &JsonObject) -> Result<JsonObject, Finding> {
        let response = self.client.fetch_again(document.response.request.clone());
        self.note_day(&response);
        JsonObject::document(response)
    }

    /// Sends a request and judges its response. A closed connection is wrong. Returns the response if it is right.
    pub(crate) fn verify_response(
        &mut self,
        request: impl Into<CheckRequest>,
        expected: impl Display,
        is_right: impl FnOnce(&CheckResponse) -> bool,
    ) -> Result<Rc<CheckResponse>, Finding> {
        let response = self.fetch(request);
        let is_right = is_right(&response);
        if let Some(why) = response.why_unjudged().filter(|_| !is_right) {
            return Err(unjudged(format!("{}: {why}", response.request.target)));
        }
        response.verify(is_right, expected, response.excerpt())?;
        Ok(response)
    }

    /// Sends a request and judges the status of its response.
    pub(crate) fn verify_status(
        &mut self,
        request: impl Into<CheckRequest>,
        status: u16,
    ) -> Result<Rc<CheckResponse>, Finding> {
        self.verify_response(request, status, |response| response.status == status)
    }

    fn has_midnight_passed(&mut self) -> bool {
        self.clock().is_ok_and(|[start, now]| {
            let start = start.saturating_sub(CLOCK_TOLERANCE);
            start.date() != now.saturating_add(CLOCK_TOLERANCE).date()
        })
    }

    /// Returns the server's time at the start of the run and now, by the timestamps of its first document.
    pub(crate) fn clock(&mut self) -> Result<[DateTime; 2], Finding> {
        let first = self.first_document()?;
        let (start, now) = (first.time()?, self.again(&first)?.time()?);
        Ok([start.min(now), start.max(now)])
    }

    /// Returns the document that was requested first.
    pub(crate) fn first_document(&mut self) -> Result<JsonObject, Finding> {
        self.document(&Resource::Metadata).or_else(|_| self.document(&Resource::Snapshot))
    }
}
