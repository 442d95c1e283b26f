//! Interface for the benchmark.

use std::sync::Arc;

use bytes::Bytes;
use ghi_engine::Model;

use crate::clock::Moment;
use crate::config::SnapshotForm;
use crate::edition::daily_edition::Edition;
use crate::edition::rendered::DocumentHeaders;
use crate::http::site::Site;

/// All documents of a day.
pub struct RenderedDay(Edition);

impl RenderedDay {
    /// Computes the data of a moment's day, without rendering a document.
    pub fn new(model: Arc<Model>, moment: Moment) -> Self {
        let headers = Arc::new(DocumentHeaders::new(&Site::new(None)));
        Self(Edition::new(model, 0, headers, moment))
    }

    /// Renders and compresses all documents.
    pub fn render_all(&self) {
        self.0.render_all();
    }

    /// Returns the snapshot at a moment of the day.
    pub fn stamped_snapshot(&self, moment: Moment) -> Bytes {
        self.0
            .snapshot(SnapshotForm::Full)
            .expect("synthetic days have data")
            .plain(&moment.time_of_day())
            .into_bytes()
    }
}
