//! Whether valid fields together give figures that can be published.

use super::Inputs;
use super::document::Document;
use crate::bounds;
use crate::problems::Problems;

/// Hashes per second of 1 EH/s.
const HASHES_PER_EH: f64 = 1e18;

/// Checks what no field shows on its own.
pub(super) fn check(inputs: &Inputs, document: &Document<'_>, problems: &mut Problems) {
    let network = &inputs.network;
    let difficulty = network.hashrate_eh * HASHES_PER_EH * network.seconds_per_block
        / network.hashes_per_difficulty;
    if !bounds::DIFFICULTY.contains(difficulty) {
        problems.push(document.place(&["network", "hashrate_eh"]), || {
            format!(
                "network.hashrate_eh implies a difficulty of {difficulty:.3e}; it must be {}",
                bounds::DIFFICULTY
            )
        });
    }
}
