//! The `Prefer` header, RFC 7240, as far as the snapshot needs it.

use hyper::HeaderMap;

use crate::SnapshotForm;

/// The header that a request states its preference with.
pub(crate) const PREFER: &str = "prefer";

/// The header that an answer says with which preference it followed.
pub(crate) const PREFERENCE_APPLIED: &str = "preference-applied";

/// The form of the snapshot that `return=minimal` or `return=representation` asks for.
///
/// Only the first `return` counts, wherever it stands; unknown preferences are ignored.
pub(crate) fn preferred_form(headers: &HeaderMap) -> Option<SnapshotForm> {
    let lines = headers.get_all(PREFER).iter().filter_map(|line| line.to_str().ok());
    let mut preferences = lines.flat_map(|line| split_unquoted(line, ','));
    let value = preferences.find_map(|preference| {
        let without_parameters = split_unquoted(preference, ';').next()?;
        let (name, value) = without_parameters.split_once('=')?;
        name.trim().eq_ignore_ascii_case("return").then(|| value.trim().trim_matches('"'))
    })?;
    match value {
        "minimal" => Some(SnapshotForm::Reduced),
        "representation" => Some(SnapshotForm::Full),
        _ => None,
    }
}

/// The parts of a text between separators that stand outside quotes.
fn split_unquoted(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split(move |char| {
        quoted ^= char == '"';
        char == separator && !quoted
    })
}

/// What [`PREFERENCE_APPLIED`] says of a form that was asked for.
pub(crate) fn applied(form: SnapshotForm) -> &'static str {
    match form {
        SnapshotForm::Full => "return=representation",
        SnapshotForm::Reduced => "return=minimal",
    }
}
