//! A rule before a deployment: what was looked at, and what was found.

use std::fmt::Display;
use std::rc::Rc;

use ghi_client::Resource;
use serde::Serialize;
use serde_json::Value;

use crate::check::evidence::Evidence;
use crate::check::exchange::{Answer, Exchange, shown, shown_value};
use crate::check::recording_client::RecordingClient;
use crate::check::request::Request;

/// How much evidence a report has for a rule: enough to see what is wrong.
const EVIDENCE_MAX: usize = 5;

/// The longest request line in a report, characters.
const REQUEST_MAX: usize = 600;

/// A verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// Everything that was looked at is as the rule says.
    Holds,
    /// Something is not.
    Broken,
    /// There was nothing to look at.
    NotJudged,
}

/// What was found of a rule.
pub(crate) struct Findings {
    pub(crate) verdict: Verdict,
    /// What breaks the rule.
    pub(crate) evidence: Vec<Evidence>,
    /// How much more there was.
    pub(crate) more: usize,
    /// Why there was nothing to look at.
    pub(crate) reason: Option<String>,
}

/// What a rule looks at, and what it finds.
pub(crate) struct Case<'a> {
    client: &'a mut RecordingClient,
    looked_at: usize,
    evidence: Vec<Evidence>,
    more: usize,
    reason: Option<String>,
}

impl<'a> Case<'a> {
    pub(crate) fn new(client: &'a mut RecordingClient) -> Self {
        Self { client, looked_at: 0, evidence: Vec::new(), more: 0, reason: None }
    }

    pub(crate) fn client(&mut self) -> &mut RecordingClient {
        self.client
    }

    /// What became of a request.
    pub(crate) fn ask(&mut self, request: Request) -> Rc<Exchange> {
        self.client.ask(request)
    }

    /// A document of the contract, if it came. That it comes is a rule of its own.
    pub(crate) fn document(&mut self, resource: &Resource) -> Option<Rc<Exchange>> {
        self.document_by(Request::document(resource))
    }

    /// The document that a request gets, if it came.
    pub(crate) fn document_by(&mut self, request: Request) -> Option<Rc<Exchange>> {
        let exchange = self.ask(request);
        if exchange.document().is_none() {
            self.skip(why_not(&exchange, "gave no document"));
            return None;
        }
        Some(exchange)
    }

    /// The answer to a request, if a whole one came.
    pub(crate) fn answer(&mut self, request: Request) -> Option<Rc<Exchange>> {
        let exchange = self.ask(request);
        if exchange.answer().is_none() {
            self.skip(why_not(&exchange, "was not answered"));
            return None;
        }
        Some(exchange)
    }

    /// Something cannot be looked at; the first reason is the one to report.
    pub(crate) fn skip(&mut self, reason: impl Into<String>) {
        self.reason.get_or_insert_with(|| shown(&reason.into()));
    }

    /// Looks at something: it is as expected, or what came is evidence.
    pub(crate) fn verify(
        &mut self,
        exchange: &Exchange,
        is_right: bool,
        expected: impl Display,
        got: impl Display,
    ) {
        self.looked_at += 1;
        if is_right {
            return;
        }
        if self.evidence.len() == EVIDENCE_MAX {
            self.more += 1;
            return;
        }
        let base_url = self.client.base_url().to_string();
        self.evidence.push(Evidence {
            request: ghi_engine::visible(&exchange.request.curl(&base_url), REQUEST_MAX),
            expected: shown(&expected.to_string()),
            got: shown(&got.to_string()),
        });
    }

    /// Looks at a value that must be this one. `at` says where it is.
    pub(crate) fn verify_value(
        &mut self,
        exchange: &Exchange,
        at: &str,
        expected: impl Into<Value>,
        got: Option<&Value>,
    ) {
        let expected = expected.into();
        let is_right = got == Some(&expected);
        let got = format!("{at}: {}", shown_value(got));
        self.verify(exchange, is_right, format_args!("{at}: {expected}"), got);
    }

    /// Looks at an answer as a whole.
    pub(crate) fn verify_answer(
        &mut self,
        exchange: &Exchange,
        expected: &str,
        is_right: impl FnOnce(&Answer) -> bool,
    ) {
        if let Some(answer) = exchange.answer() {
            self.verify(exchange, is_right(answer), expected, answer.excerpt());
        }
    }

    /// Looks at a header.
    pub(crate) fn verify_header(
        &mut self,
        exchange: &Exchange,
        name: &str,
        expected: &str,
        is_right: impl FnOnce(&str) -> bool,
    ) {
        if let Some(answer) = exchange.answer() {
            let is_right = answer.header(name).is_some_and(|value| is_right(&value));
            self.verify(
                exchange,
                is_right,
                format_args!("{name}: {expected}"),
                answer.shown_header(name),
            );
        }
    }

    pub(crate) fn findings(self) -> Findings {
        let verdict = match (self.looked_at, self.evidence.len()) {
            (0, _) => Verdict::NotJudged,
            (_, 0) => Verdict::Holds,
            _ => Verdict::Broken,
        };
        let reason = match verdict {
            Verdict::NotJudged => {
                self.reason.or_else(|| Some("there is nothing of the kind".into()))
            }
            _ => None,
        };
        Findings { verdict, evidence: self.evidence, more: self.more, reason }
    }
}

/// Why there is nothing to look at.
fn why_not(exchange: &Exchange, otherwise: &str) -> String {
    let target = &exchange.request.target;
    match exchange.unjudged() {
        Some(why) => format!("{target}: {why}"),
        None => format!("{target} {otherwise}"),
    }
}
