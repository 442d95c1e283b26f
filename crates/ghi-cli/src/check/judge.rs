//! Applies a rule to a server and collects the evidence.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::iter;
use std::rc::Rc;

use ghi_client::Resource;
use ghi_contract::{API_PREVIOUS, GLOBAL, paths};
use ghi_engine::visible;
use jiff::civil::{Date, DateTime};
use serde::Serialize;

use crate::check::json_object::ObjectKind::*;
use crate::check::json_object::{DOCUMENTS, JsonObject, ObjectKind};
use crate::check::recording_client::RecordingClient;
use crate::check::response::{CheckRequest, CheckResponse, EXCERPT_MAX};
use crate::check::response::{Finding, Judgement, Verified, unjudged};

const EVIDENCE_MAX: usize = 5;

const REQUEST_MAX: usize = 600;

/// The horizons of the requested forecasts in days: short ones that any service should accept.
pub(crate) const HORIZONS: [u16; 3] = [1, 7, 30];

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
    pub(crate) judge: fn(&Judge) -> Judgement,
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
    /// Returns the number and the title of the chapter of the contract.
    pub(crate) fn heading(&self) -> &'static str {
        match self.section.split('.').next() {
            Some("1") => "1. What the service does",
            Some("2") => "2. Resources and their fields",
            Some("4") => "4. Endpoints",
            Some("5") => "5. Authentication",
            Some("7") => "7. Errors",
            _ => "9. Versioning",
        }
    }

    pub(crate) fn apply(&'static self, client: &mut RecordingClient) -> JudgedRule {
        let judged = JudgedRule {
            rule: self,
            verdict: RuleVerdict::NotJudged,
            reason: None,
            evidence: Vec::new(),
            evidence_omitted: 0,
        };
        let (client, judged) = (RefCell::new(client), RefCell::new(judged));
        let judge = Judge { client, judged, days: RefCell::default() };
        judge.record((self.judge)(&judge));
        let midnight_passed = judge.has_compared_different_days();
        let mut judged = judge.judged.into_inner();
        if midnight_passed {
            judged.verdict = RuleVerdict::NotJudged;
            judged.evidence.clear();
            judged.evidence_omitted = 0;
            judged.reason = Some("midnight passed between two responses".into());
        }
        let reason = judged.reason.unwrap_or_else(|| "no response to compare".into());
        judged.reason = (judged.verdict == RuleVerdict::NotJudged).then_some(reason);
        judged
    }
}

/// What a rule needs to judge a server. It is shared, so that a rule can request documents while it judges others.
pub(crate) struct Judge<'a> {
    pub(crate) client: RefCell<&'a mut RecordingClient>,
    judged: RefCell<JudgedRule>,
    /// The days of the documents that the rule depends on.
    days: RefCell<BTreeSet<Date>>,
}

impl Judge<'_> {
    /// Judges each item and records the findings.
    pub(crate) fn each<T, R>(
        &self,
        items: impl IntoIterator<Item = T>,
        verify: impl FnMut(T) -> Result<R, Finding>,
    ) -> Judgement {
        items.into_iter().map(verify).for_each(|result| self.record(result.map(drop)));
        Err(Finding::Recorded)
    }

    pub(crate) fn each_object(
        &self,
        kinds: impl IntoIterator<Item = ObjectKind>,
        mut verify: impl FnMut(&JsonObject) -> Judgement,
    ) -> Judgement {
        self.each(kinds, |kind| self.each(self.objects(kind), |object| verify(&object)))
    }

    /// Judges the response for each document, if there is one.
    pub(crate) fn each_response(&self, verify: impl Fn(&CheckResponse) -> Judgement) -> Judgement {
        let targets = DOCUMENTS.into_iter().flat_map(|kind| self.targets(kind));
        self.each(targets, |target| match self.fetch(target) {
            response if response.status == 0 => Err(unjudged(response.excerpt())),
            response => verify(&response),
        })
    }

    /// Records a judgement. If nothing is judged, the first reason is reported.
    fn record(&self, judgement: Judgement) {
        let mut judged = self.judged.borrow_mut();
        match judgement {
            Ok(()) if judged.verdict == RuleVerdict::Broken => {}
            Ok(()) => judged.verdict = RuleVerdict::Holds,
            Err(Finding::Recorded) => {}
            Err(Finding::Unjudged(reason)) => {
                judged.reason.get_or_insert_with(|| visible(&reason, EXCERPT_MAX));
            }
            Err(Finding::Wrong(..)) if judged.evidence.len() == EVIDENCE_MAX => {
                judged.evidence_omitted += 1;
            }
            Err(Finding::Wrong(request, expected, got)) => {
                judged.verdict = RuleVerdict::Broken;
                let request = request.curl(self.client.borrow().base_url.as_str());
                judged.evidence.push(Evidence {
                    request: visible(&request, REQUEST_MAX),
                    expected: visible(&expected, EXCERPT_MAX),
                    got: visible(&got, EXCERPT_MAX),
                });
            }
        }
    }

    pub(crate) fn fetch(&self, request: impl Into<CheckRequest>) -> Rc<CheckResponse> {
        self.with_day(self.client.borrow_mut().fetch(request.into()))
    }

    pub(crate) fn document(&self, request: impl Into<CheckRequest>) -> Result<JsonObject, Finding> {
        JsonObject::document(self.fetch(request))
    }

    pub(crate) fn again(&self, document: &JsonObject) -> Result<JsonObject, Finding> {
        let request = document.response.request.clone();
        JsonObject::document(self.with_day(self.client.borrow_mut().fetch_again(request)))
    }

    fn with_day(&self, response: Rc<CheckResponse>) -> Rc<CheckResponse> {
        self.days.borrow_mut().extend(response.time().ok().map(DateTime::date));
        response
    }

    /// Sends a request and judges its response. A closed connection is wrong. Returns the response if it is right.
    pub(crate) fn verify_response(
        &self,
        request: impl Into<CheckRequest>,
        expected: impl Display,
        is_right: impl FnOnce(&CheckResponse) -> bool,
    ) -> Verified {
        let response = self.fetch(request);
        let is_right = is_right(&response);
        if let Some(why) = response.why_excused().filter(|_| !is_right) {
            return Err(unjudged(format!("{}: {why}", response.request.target)));
        }
        response.verify(is_right, expected, response.excerpt())?;
        Ok(response)
    }

    pub(crate) fn verify_status(&self, request: impl Into<CheckRequest>, status: u16) -> Verified {
        self.verify_response(request, status, |response| response.status == status)
    }

    /// Returns whether the rule is broken by documents of different days, which cannot be compared.
    fn has_compared_different_days(&self) -> bool {
        let is_broken = self.judged.borrow().verdict == RuleVerdict::Broken;
        let days = self.days.borrow().len();
        let midnight_passed = |[start, now]: [DateTime; 2]| start.date() != now.date();
        is_broken && days > 1 && self.clock().is_ok_and(midnight_passed)
    }

    /// Returns the server's time at the start of the run and now, by the timestamps of its first document.
    pub(crate) fn clock(&self) -> Result<[DateTime; 2], Finding> {
        let first = self.first_document()?;
        let (start, now) = (first.response.time()?, self.again(&first)?.response.time()?);
        Ok([start.min(now), start.max(now)])
    }

    pub(crate) fn first_document(&self) -> Result<JsonObject, Finding> {
        self.document(paths::METADATA).or_else(|_| self.document(paths::SNAPSHOT))
    }

    pub(crate) fn objects(&self, kind: ObjectKind) -> Vec<JsonObject> {
        let targets = self.targets(kind).into_iter();
        let record = |why| self.record(Err(why));
        let documents: Vec<_> =
            targets.filter_map(|target| self.document(target).map_err(record).ok()).collect();
        let list = match kind {
            Region | SnapshotRegion => "regions",
            HistoryPoint => "points",
            _ => return documents,
        };
        let entries: Vec<_> = documents.iter().flat_map(|object| object.entries(list)).collect();
        if entries.is_empty() && !documents.is_empty() {
            self.record(Err(unjudged(format!("no entries in {list}"))));
        }
        entries
    }

    /// Returns the targets of the documents that are objects of a kind or contain them.
    pub(crate) fn targets(&self, kind: ObjectKind) -> Vec<String> {
        match kind {
            Metadata => vec![paths::METADATA.into()],
            Regions | Region => vec![paths::REGIONS.into()],
            RegionDetail => self.sample().into_iter().map(region_detail).collect(),
            Snapshot | SnapshotRegion => vec![paths::SNAPSHOT.into()],
            History | HistoryPoint => {
                iter::once(GLOBAL.into()).chain(self.sample()).map(history).collect()
            }
            Network => vec![paths::NETWORK.into()],
            Forecast => HORIZONS.map(forecast).into(),
            Indicator => {
                let metadata = self.document(paths::METADATA);
                let supported = metadata.as_ref().ok().and_then(|it| it.list("api_supported").ok());
                if supported.is_some_and(|versions| versions.contains(&API_PREVIOUS.into())) {
                    return vec![paths::INDICATOR.into()];
                }
                self.record(Err(unjudged("the metadata does not list 1.0 as supported")));
                Vec::new()
            }
        }
    }

    /// Returns the ids in the list of regions, or in the snapshot.
    pub(crate) fn ids(&self, kind: ObjectKind) -> Vec<String> {
        let entries = self.objects(kind).into_iter();
        entries.filter_map(|entry| Some(entry.text("id").ok()?.to_owned())).collect()
    }

    /// Returns the regions whose detail and history are requested.
    pub(crate) fn sample(&self) -> Vec<String> {
        let mut known = self.ids(Region);
        if known.is_empty() {
            known = self.ids(SnapshotRegion);
        }
        // Other ids break a separate rule.
        known.retain(|id| !id.is_empty() && id != GLOBAL && id.len() <= ID_MAX);
        known.truncate(SAMPLE_MAX);
        if known.is_empty() {
            let why = "no region id is known from the list of regions or the snapshot";
            self.record(Err(unjudged(why)));
        }
        known
    }
}

pub(crate) fn region_detail(id: String) -> String {
    Resource::RegionDetail(id).target()
}

pub(crate) fn history(region_id: String) -> String {
    Resource::History(region_id).target()
}

pub(crate) fn forecast(days: impl Display) -> String {
    format!("{}?forecast_days={days}", paths::FORECAST)
}
