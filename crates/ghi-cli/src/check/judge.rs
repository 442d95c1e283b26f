//! Applies a rule to a server and collects the evidence.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::iter;
use std::rc::Rc;

use ghi_client::Resource;
use ghi_contract::{API_PREVIOUS, ForecastDays, GLOBAL};
use ghi_engine::visible;
use jiff::SignedDuration;
use jiff::civil::{Date, DateTime};
use serde::Serialize;

use crate::check::json_object::{DOCUMENTS, JsonObject, ObjectKind};
use crate::check::recording_client::RecordingClient;
use crate::check::response::{CheckRequest, CheckResponse, EXCERPT_MAX};
use crate::check::response::{Finding, Judgement, unjudged};

const EVIDENCE_MAX: usize = 5;

const REQUEST_MAX: usize = 600;

/// How far apart the clocks of one server's replicas and caches may be around midnight.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_mins(1);

/// The horizons of the requested forecasts in days: short ones that any service should accept.
const HORIZONS: [u16; 3] = [1, 7, 30];

/// The most regions whose detail and history are requested.
const SAMPLE_MAX: usize = 10;

/// The longest region id that is requested, in bytes: longer ones may not fit into a URL.
const ID_MAX: usize = 256;

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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    pub(crate) evidence: Vec<Evidence>,
    /// How many more pieces of evidence there were.
    pub(crate) evidence_omitted: usize,
}

impl Rule {
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

    pub(crate) fn note_day(&mut self, response: &CheckResponse) {
        self.days.extend(response.time().map(DateTime::date));
    }

    pub(crate) fn fetch(&mut self, request: impl Into<CheckRequest>) -> Rc<CheckResponse> {
        let response = self.client.fetch(request.into());
        self.note_day(&response);
        response
    }

    pub(crate) fn document(
        &mut self,
        request: impl Into<CheckRequest>,
    ) -> Result<JsonObject, Finding> {
        JsonObject::document(self.fetch(request))
    }

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

    pub(crate) fn first_document(&mut self) -> Result<JsonObject, Finding> {
        self.document(&Resource::Metadata).or_else(|_| self.document(&Resource::Snapshot))
    }

    pub(crate) fn objects(&mut self, kind: ObjectKind) -> Vec<JsonObject> {
        let mut documents = Vec::new();
        for resource in self.resources(kind) {
            match self.document(&resource) {
                Ok(document) => documents.push(document),
                Err(why) => self.record(Err(why)),
            }
        }
        let Some(list) = kind.list() else { return documents };
        let entries: Vec<_> = documents.iter().flat_map(|object| object.entries(list)).collect();
        if entries.is_empty() && !documents.is_empty() {
            self.record(Err(unjudged(format!("no entries in {list}"))));
        }
        entries
    }

    pub(crate) fn all_documents(&mut self) -> Vec<JsonObject> {
        DOCUMENTS.into_iter().flat_map(|kind| self.objects(kind)).collect()
    }

    pub(crate) fn all_resources(&mut self) -> Vec<Resource> {
        DOCUMENTS.into_iter().flat_map(|kind| self.resources(kind)).collect()
    }

    /// Returns the documents that are objects of a kind or contain them.
    pub(crate) fn resources(&mut self, kind: ObjectKind) -> Vec<Resource> {
        match kind {
            ObjectKind::Metadata => vec![Resource::Metadata],
            ObjectKind::Regions | ObjectKind::Region => vec![Resource::Regions],
            ObjectKind::RegionDetail => {
                self.sample().into_iter().map(Resource::RegionDetail).collect()
            }
            ObjectKind::Snapshot | ObjectKind::SnapshotRegion => vec![Resource::Snapshot],
            ObjectKind::History | ObjectKind::HistoryPoint => {
                let ids = iter::once(GLOBAL.into()).chain(self.sample());
                ids.map(Resource::History).collect()
            }
            ObjectKind::Network => vec![Resource::Network],
            ObjectKind::Forecast => {
                HORIZONS.into_iter().filter_map(ForecastDays::new).map(Resource::Forecast).collect()
            }
            ObjectKind::Indicator if self.supports_v1_0() => vec![Resource::Indicator],
            ObjectKind::Indicator => Vec::new(),
        }
    }

    fn supports_v1_0(&mut self) -> bool {
        let metadata = self.document(&Resource::Metadata);
        let is_supported = metadata.is_ok_and(|metadata| {
            let versions = metadata.list("api_supported");
            versions.is_ok_and(|versions| versions.iter().any(|version| version == API_PREVIOUS))
        });
        if !is_supported {
            self.record(Err(unjudged("the metadata does not list 1.0 as supported")));
        }
        is_supported
    }

    pub(crate) fn region_ids(&mut self) -> Vec<String> {
        ids(&self.objects(ObjectKind::Region))
    }

    /// Returns the regions whose detail and history are requested: the first, the last and some in between.
    pub(crate) fn sample(&mut self) -> Vec<String> {
        let mut known = self.region_ids();
        if known.is_empty() {
            known = ids(&self.objects(ObjectKind::SnapshotRegion));
        }
        // Other ids break a separate rule.
        known.retain(|id| !id.is_empty() && id != GLOBAL && id.len() <= ID_MAX);
        if known.is_empty() {
            let why = "no region id is known from the list of regions or the snapshot";
            self.record(Err(unjudged(why)));
        }
        let last = known.len().saturating_sub(1);
        let spread = (0..SAMPLE_MAX).map(|step| last * step / (SAMPLE_MAX - 1));
        let mut sample: Vec<String> = Vec::new();
        for id in [0, last].into_iter().chain(spread).filter_map(|index| known.get(index)) {
            if !sample.contains(id) {
                sample.push(id.clone());
            }
        }
        sample
    }
}

fn ids(entries: &[JsonObject]) -> Vec<String> {
    entries.iter().filter_map(|entry| entry.text("id").ok()).map(String::from).collect()
}
