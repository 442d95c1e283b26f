//! What the benchmark measures.

use bytes::Bytes;
use ghi_engine::Model;

use crate::clock::Moment;
use crate::config::SnapshotForm;
use crate::edition::daily_edition::Edition;

/// All documents of a day.
pub struct RenderedDay(Edition);

impl RenderedDay {
    /// Renders the day of a moment.
    pub fn new(model: &Model, moment: Moment) -> Self {
        Self(Edition::render(model, moment))
    }

    /// The snapshot at a moment of the day.
    pub fn stamped_snapshot(&self, moment: Moment) -> Bytes {
        self.0.snapshot(SnapshotForm::Full).stamped(moment)
    }
}
