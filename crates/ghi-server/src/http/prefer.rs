//! The `Prefer` header, RFC 7240, as far as the snapshot needs it.

use hyper::HeaderMap;
use hyper::header::HeaderName;

use crate::config::SnapshotForm;
use crate::http::lists::{elements, split_unquoted, value_of};

/// The header that a request states its preference with.
pub(crate) const PREFER: HeaderName = HeaderName::from_static("prefer");

/// The header that names the preference which a response follows.
pub(crate) const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// The form of the snapshot that `return=minimal` or `return=representation` asks for.
///
/// Only the first `return` counts, wherever it stands; unknown preferences are ignored.
pub(crate) fn preferred_form(headers: &HeaderMap) -> Option<SnapshotForm> {
    let value = elements(headers, PREFER).find_map(|preference| {
        let without_parameters = split_unquoted(preference, ';').next()?;
        value_of(without_parameters, "return").or((without_parameters == "return").then_some(""))
    })?;
    match value {
        "minimal" => Some(SnapshotForm::Reduced),
        "representation" => Some(SnapshotForm::Full),
        _ => None,
    }
}

/// The value of [`PREFERENCE_APPLIED`] where a form was asked for.
pub(crate) fn applied(form: SnapshotForm) -> &'static str {
    match form {
        SnapshotForm::Full => "return=representation",
        SnapshotForm::Reduced => "return=minimal",
    }
}
