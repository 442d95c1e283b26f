//! Other inputs for a server that runs.

use std::fmt;
use std::sync::Arc;

use ghi_engine::Inputs;

use crate::api::Api;

/// Replaces the inputs of a server that runs, between two requests.
///
/// Each request is answered wholly with the old figures or wholly with the new ones. A program that
/// cannot read its new inputs [says so](Self::failed), which the metrics show.
///
/// ```
/// use ghi_server::{Config, Inputs, Sandbox};
///
/// # fn main() -> std::io::Result<()> {
/// let sandbox = Sandbox::start(Config::default())?;
/// let reload = sandbox.reload_handle();
/// match Inputs::parse("seed = 'none'") {
///     Ok(inputs) => reload.reload(inputs),
///     Err(_) => reload.failed(),
/// }
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Reload {
    api: Arc<Api>,
}

impl Reload {
    pub(crate) fn new(api: Arc<Api>) -> Self {
        Self { api }
    }

    /// Serves the figures of other inputs: every request that comes when this has returned is
    /// answered with them.
    ///
    /// The day is rendered before, on the calling thread, which takes a while with many regions and
    /// delays no request.
    pub fn reload(&self, inputs: Inputs) {
        self.api.reload(inputs);
    }

    /// Counts a reload that came to nothing, since the new inputs cannot be read or served.
    pub fn failed(&self) {
        self.api.reload_failed();
    }
}

impl fmt::Debug for Reload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reload").finish_non_exhaustive()
    }
}
