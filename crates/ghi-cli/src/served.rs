//! What the log says about the inputs of a server.

use ghi_server::{Clock, Inputs};

/// What the log says about the inputs of a server.
pub(crate) struct Served {
    pub(crate) regions: usize,
    /// The days that have data.
    pub(crate) days: String,
    pub(crate) fingerprint: String,
    /// Probable mistakes, and whether today has no data.
    warnings: Vec<String>,
}

impl Served {
    pub(crate) fn new(inputs: &Inputs, clock: &Clock) -> Self {
        let no_figures = inputs.check(clock.now().date()).err();
        let warnings = inputs.warnings().into_iter().chain(no_figures.map(|day| day.to_string()));
        Self {
            regions: inputs.region_count(),
            days: inputs.coverage().to_string(),
            fingerprint: inputs.fingerprint().to_string(),
            warnings: warnings.collect(),
        }
    }

    pub(crate) fn log_warnings(&self) {
        for warning in &self.warnings {
            tracing::warn!("inputs: {warning}");
        }
    }
}
