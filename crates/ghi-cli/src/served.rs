//! What the log says of inputs that are served.

use ghi_server::{Clock, Inputs};

/// What the log says of inputs that are served.
pub(crate) struct Served {
    pub(crate) regions: usize,
    /// The days that there are figures of.
    pub(crate) days: String,
    pub(crate) fingerprint: String,
    /// What is probably a slip, and that today has no figures.
    warnings: Vec<String>,
}

impl Served {
    pub(crate) fn new(inputs: &Inputs, clock: &Clock) -> Self {
        let coverage = inputs.coverage();
        let no_figures = coverage.check(clock.now().date()).err();
        let warnings = inputs.warnings().into_iter().chain(no_figures.map(|day| day.to_string()));
        Self {
            regions: inputs.region_count(),
            days: coverage.to_string(),
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
