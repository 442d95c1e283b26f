//! How reloads of the inputs went.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::observe::exposition::Exposition;

/// Counts reloads of the inputs.
#[derive(Debug, Default)]
pub(crate) struct Reloads {
    succeeded: AtomicU64,
    failed: AtomicU64,
    has_last_failed: AtomicBool,
}

impl Reloads {
    /// The figures are those of the inputs that were read.
    pub(crate) fn succeeded(&self) {
        self.succeeded.fetch_add(1, Ordering::Relaxed);
        self.has_last_failed.store(false, Ordering::Relaxed);
    }

    /// The inputs could not be read, and the figures are those of before.
    pub(crate) fn failed(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
        self.has_last_failed.store(true, Ordering::Relaxed);
    }

    /// Writes the counts as metrics.
    pub(crate) fn expose(&self, exposition: &mut Exposition<'_>) -> fmt::Result {
        let help = "Whether the inputs could be read, the last time that they were";
        let successful = u64::from(!self.has_last_failed.load(Ordering::Relaxed));
        exposition.gauge("ghi_inputs_last_reload_successful", help, successful)?;
        let help = "Reloads of the inputs, by result";
        let counts = [("success", &self.succeeded), ("failure", &self.failed)]
            .map(|(result, count)| ([("result", result)], count.load(Ordering::Relaxed)));
        exposition.counters("ghi_inputs_reloads_total", help, counts)
    }
}
