//! Applies a rule to a server and collects the evidence.

use std::fmt::Display;
use std::rc::Rc;

use ghi_client::Resource;
use ghi_engine::visible;
use jiff::SignedDuration;
use jiff::civil::DateTime;
use serde::Serialize;

use crate::check::json_object::JsonObject;
use crate::check::recording_client::RecordingClient;
use crate::check::response::{CheckRequest, EXCERPT_MAX, Evidence, Finding};
use crate::check::response::{HttpResponse, Judgement, RecordedResponse, unjudged};
use crate::check::schema::ObjectKind;

/// The maximum number of pieces of evidence per rule in a report.
const EVIDENCE_MAX: usize = 5;

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
        let (reason, evidence) = (None, Vec::new());
        let verdict = RuleVerdict::NotJudged;
        let judged = JudgedRule { rule: self, verdict, reason, evidence, evidence_omitted: 0 };
        let mut judge = Judge { client, judged, clock: None };
        let judgement = (self.judge)(&mut judge);
        judge.record(judgement);
        let mut judged = judge.judged;
        judged.reason = judged.reason.filter(|_| judged.verdict == verdict);
        judged
    }
}

/// Judges a server by a rule.
pub(crate) struct Judge<'a> {
    pub(crate) client: &'a mut RecordingClient,
    judged: JudgedRule,
    /// The server's time at the start of the run and after this number of requests.
    clock: Option<(u64, [DateTime; 2])>,
}

impl Judge<'_> {
    /// Judges each item. Returns what is left to record: why there was nothing to judge, if so.
    pub(crate) fn each<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut verify: impl FnMut(&mut Self, T) -> Judgement,
    ) -> Judgement {
        for item in items {
            let judgement = verify(self, item);
            self.record(judgement);
        }
        match self.judged.verdict {
            RuleVerdict::NotJudged => Err(unjudged("no response to compare")),
            _ => Ok(()),
        }
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
            Err(Finding::Unjudged(reason)) => {
                judged.reason.get_or_insert_with(|| visible(&reason, EXCERPT_MAX));
            }
            Ok(()) if judged.verdict == RuleVerdict::NotJudged => {
                judged.verdict = RuleVerdict::Holds;
            }
            Ok(()) => {}
            Err(Finding::Wrong(evidence)) => {
                judged.verdict = RuleVerdict::Broken;
                if judged.evidence.len() < EVIDENCE_MAX {
                    judged.evidence.push(evidence);
                } else {
                    judged.evidence_omitted += 1;
                }
            }
        }
    }

    /// Returns the response to a request, whatever it is.
    pub(crate) fn fetch(&mut self, request: impl Into<CheckRequest>) -> Rc<RecordedResponse> {
        self.client.fetch(request.into())
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
        JsonObject::document(self.client.fetch_again(document.response.request.clone()))
    }

    /// Sends a request and judges its response. A closed connection is wrong. Returns the response if it is right.
    pub(crate) fn verify_response(
        &mut self,
        request: impl Into<CheckRequest>,
        expected: impl Display,
        is_right: impl FnOnce(&HttpResponse) -> bool,
    ) -> Result<Rc<RecordedResponse>, Finding> {
        let response = self.fetch(request);
        let is_right = response.http().is_some_and(is_right);
        match response.why_unjudged() {
            Some(why) if !is_right => {
                return Err(unjudged(format!("{}: {why}", response.request.target)));
            }
            _ => response.verify(is_right, expected, response.excerpt())?,
        }
        Ok(response)
    }

    /// Sends a request and judges the status of its response.
    pub(crate) fn verify_status(
        &mut self,
        request: impl Into<CheckRequest>,
        status: u16,
    ) -> Result<Rc<RecordedResponse>, Finding> {
        self.verify_response(request, status, |http| http.status == status)
    }

    /// Fails if midnight passed between two documents, which then cannot be compared.
    pub(crate) fn comparable(&mut self, one: DateTime, other: DateTime) -> Judgement {
        if one.date() == other.date() {
            return Ok(());
        }
        let [start, now] = self.clock()?;
        let start = start.saturating_sub(CLOCK_TOLERANCE);
        match start.date() == now.saturating_add(CLOCK_TOLERANCE).date() {
            true => Ok(()),
            false => Err(unjudged("midnight passed between two responses")),
        }
    }

    /// Returns the server's time at the start of the run and now, by the timestamps of its first document.
    pub(crate) fn clock(&mut self) -> Result<[DateTime; 2], Finding> {
        if let Some((requests, clock)) = self.clock
            && requests == self.client.progress.position()
        {
            return Ok(clock);
        }
        let first = self.first_document()?;
        let (start, now) = (first.time()?, self.again(&first)?.time()?);
        let clock = [start.min(now), start.max(now)];
        self.clock = Some((self.client.progress.position(), clock));
        Ok(clock)
    }

    /// Returns the document that was requested first.
    pub(crate) fn first_document(&mut self) -> Result<JsonObject, Finding> {
        self.document(&Resource::Metadata).or_else(|_| self.document(&Resource::Snapshot))
    }
}
