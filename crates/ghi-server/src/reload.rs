//! Other inputs for a server that runs.

use std::fmt;
use std::io;
use std::sync::Arc;

use ghi_engine::Inputs;

use crate::api::Api;
use crate::memory::check_memory;

/// The memory that a region takes, bytes: twice what was measured with ten thousand of them.
const MEMORY_OF_REGION: usize = 16 * 1024;

/// The memory that the figures and documents of some inputs take, bytes.
pub(crate) fn memory_of_regions(inputs: &Inputs) -> usize {
    inputs.region_count().saturating_mul(MEMORY_OF_REGION)
}

/// Replaces the inputs of a server that runs, between two requests.
///
/// Each request is answered wholly with the figures of before or wholly with those after. Whoever
/// gets no inputs that can be served [says so](Self::failed), so that the metrics tell.
///
/// ```
/// use ghi_server::{Config, Inputs, Sandbox};
///
/// # fn main() -> std::io::Result<()> {
/// let sandbox = Sandbox::start(Config::default())?;
/// let reload = sandbox.reload_handle();
/// match Inputs::parse("seed = 'none'") {
///     Ok(inputs) => reload.reload(inputs)?,
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
    /// The day is rendered before, on the thread that calls, which takes a while with many regions
    /// and holds up no request. It fails, and nothing changes, where there is too little memory.
    pub fn reload(&self, inputs: Inputs) -> io::Result<()> {
        check_memory(memory_of_regions(&inputs))?;
        self.api.reload(inputs);
        Ok(())
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
