//! What a verdict rests on.

use serde::Serialize;

/// A request, what was expected of the answer, and what came.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Evidence {
    /// A line of a shell.
    pub(crate) request: String,
    pub(crate) expected: String,
    pub(crate) got: String,
}
