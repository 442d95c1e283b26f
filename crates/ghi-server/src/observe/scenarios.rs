//! What is counted of scenarios.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::observe::exposition::Exposition;
use crate::scenarios::{Origin, Scenario, ScenarioKind};

/// The scenarios of one worker.
#[derive(Debug)]
pub(super) struct ScenarioCounts {
    /// By who wants it, and by what becomes of the request.
    counts: Box<[AtomicU64]>,
    refused: AtomicU64,
}

impl Default for ScenarioCounts {
    fn default() -> Self {
        Self { counts: kinds().map(|_| AtomicU64::new(0)).collect(), refused: AtomicU64::new(0) }
    }
}

/// What is counted for itself.
fn kinds() -> impl Iterator<Item = (Origin, ScenarioKind)> {
    Origin::ALL.into_iter().flat_map(|origin| ScenarioKind::all().map(move |kind| (origin, kind)))
}

impl ScenarioCounts {
    pub(super) fn count(&self, scenario: &Scenario) {
        let kind = (scenario.origin, ScenarioKind::of(scenario));
        if let Some(place) = kinds().position(|known| known == kind) {
            self.counts[place].fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn count_refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }
}

/// Exposes the scenarios of all workers, and how many answers wait now.
pub(super) fn expose(
    shards: &[&ScenarioCounts],
    waiting: usize,
    exposition: &mut Exposition<'_>,
) -> fmt::Result {
    let sum = |counter: &dyn Fn(&ScenarioCounts) -> &AtomicU64| -> u64 {
        shards.iter().map(|shard| counter(shard).load(Ordering::Relaxed)).sum()
    };
    let help =
        "Requests answered as a scenario wants it, by who wanted it; they are in no other count";
    let labels: Vec<(&str, String, u64)> = kinds()
        .enumerate()
        .map(|(place, (origin, kind))| {
            (origin.label(), kind.label(), sum(&|shard| &shard.counts[place]))
        })
        // What never happened is left out.
        .filter(|(_, _, count)| *count > 0)
        .collect();
    let series = labels
        .iter()
        .map(|(origin, kind, count)| ([("origin", *origin), ("scenario", &**kind)], *count));
    exposition.counters("ghi_scenarios_total", help, series)?;
    let help =
        "Requests for a scenario refused because too many wait or too many days were asked for";
    exposition.counter("ghi_scenarios_refused_total", help, sum(&|shard| &shard.refused))?;
    exposition.gauge(
        "ghi_scenarios_waiting",
        "Answers that wait now, as their requests asked",
        waiting as u64,
    )
}
