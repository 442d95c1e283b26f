//! Replaces the inputs of a running server.

use std::fmt;
use std::sync::Arc;

use ghi_engine::Inputs;

use crate::api::Api;

/// Replaces the inputs of a running server, between two requests.
///
/// Each response is made entirely from the old data or entirely from the new. A program that cannot read
/// its new inputs [reports it](Self::failed), which shows in the metrics.
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

    /// Replaces the inputs: every request that arrives after this has returned gets their data.
    ///
    /// The day is rendered first, on the calling thread. With many regions this takes a while, but it
    /// delays no request.
    pub fn reload(&self, inputs: Inputs) {
        self.api.reload(inputs);
    }

    /// Counts a failed reload, when the new inputs cannot be read or served.
    pub fn failed(&self) {
        self.api.reload_failed();
    }
}

impl fmt::Debug for Reload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reload").finish_non_exhaustive()
    }
}
