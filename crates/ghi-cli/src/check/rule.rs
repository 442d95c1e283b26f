//! A rule, of the contract or of our own.

use serde::Serialize;

use crate::check::case::{Case, Findings};
use crate::check::recording_client::RecordingClient;

/// Something that can be seen from outside, and is so or is not.
pub(crate) struct Rule {
    /// Its name, which never changes.
    pub(crate) id: &'static str,
    /// The section of the contract, with the number of the sentence where it has one.
    pub(crate) section: &'static str,
    pub(crate) source: Source,
    /// What holds, in a sentence.
    pub(crate) title: &'static str,
    pub(crate) judge: fn(&mut Case<'_>),
}

/// Who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Source {
    /// The contract.
    Contract,
    /// This implementation, where the contract is silent.
    Strict,
}

/// A rule, and what was found of it.
pub(crate) struct Judged {
    pub(crate) rule: &'static Rule,
    pub(crate) findings: Findings,
}

/// A rule of the contract.
pub(crate) const fn contract(
    id: &'static str,
    section: &'static str,
    title: &'static str,
    judge: fn(&mut Case<'_>),
) -> Rule {
    Rule { id, section, source: Source::Contract, title, judge }
}

/// A decision of this implementation where the contract is silent.
pub(crate) const fn strict(
    id: &'static str,
    section: &'static str,
    title: &'static str,
    judge: fn(&mut Case<'_>),
) -> Rule {
    Rule { id, section, source: Source::Strict, title, judge }
}

impl Rule {
    /// The verdict on a deployment.
    pub(crate) fn judge(&'static self, client: &mut RecordingClient) -> Judged {
        let mut case = Case::new(client);
        (self.judge)(&mut case);
        Judged { rule: self, findings: case.findings() }
    }
}
