//! Who has stopped answering, and is asked no more.

use std::collections::{BTreeMap, HashSet};

use crate::check::request::Request;

/// How many requests to an endpoint may fail in a row before it is asked no more. Each may take as long
/// as the timeout.
const FAILURES_MAX: u32 = 2;

/// How many endpoints may fail, with no answer in between, before the deployment counts as gone.
const ENDPOINTS_MAX: usize = 3;

/// The requests that got no answer.
#[derive(Default)]
pub(crate) struct Silence {
    /// How many requests to an endpoint have failed since its last answer.
    failures: BTreeMap<String, u32>,
    /// The endpoints that have failed since the last answer of any.
    endpoints: HashSet<String>,
}

impl Silence {
    pub(crate) fn note_answer(&mut self, request: &Request) {
        self.failures.remove(&request.endpoint());
        self.endpoints.clear();
    }

    pub(crate) fn note_failure(&mut self, request: &Request) {
        *self.failures.entry(request.endpoint()).or_default() += 1;
        self.endpoints.insert(request.endpoint());
    }

    /// Why a request is not worth sending, if it is not.
    pub(crate) fn why_not_ask(&self, request: &Request) -> Option<&'static str> {
        let failures = self.failures.get(&request.endpoint());
        if self.is_of_all() {
            return Some("not asked, since the server stopped answering");
        }
        let is_silent = failures.is_some_and(|failures| *failures >= FAILURES_MAX);
        is_silent.then_some("not asked, since this endpoint did not answer before")
    }

    /// What is asked no more, each in a sentence.
    pub(crate) fn given_up(&self) -> Vec<String> {
        if self.is_of_all() {
            return vec![format!("gave up: {ENDPOINTS_MAX} endpoints in a row did not answer")];
        }
        let silent = self.failures.iter().filter(|(_, failures)| **failures >= FAILURES_MAX);
        let sentence = |(endpoint, failures)| {
            format!("gave up on {endpoint}: {failures} requests in a row got no answer")
        };
        silent.map(sentence).collect()
    }

    /// Whether nothing is expected of the deployment any more.
    fn is_of_all(&self) -> bool {
        self.endpoints.len() >= ENDPOINTS_MAX
    }
}
