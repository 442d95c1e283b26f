//! All documents of a day, rendered once.

use std::sync::{Arc, PoisonError, RwLock};

use ghi_contract::{ForecastDays, ReducedSnapshot};
use ghi_engine::{Model, RegionIndex};
use hyper::header::HeaderValue;

use crate::SnapshotForm;
use crate::clock::Moment;
use crate::document::Document;
use crate::documents::Documents;
use crate::parameters::Scope;

/// Every document of one UTC day.
#[derive(Debug)]
pub(crate) struct Edition {
    day: u32,
    /// The start of a `Date` header, up to the time.
    http_date: String,
    pub(crate) metadata: Document,
    pub(crate) regions: Document,
    pub(crate) network: Document,
    pub(crate) indicator: Document,
    snapshot: Document,
    reduced_snapshot: Document,
    region_details: Vec<Document>,
    global_history: Document,
    region_histories: Vec<Document>,
    forecasts: Vec<Document>,
}

impl Edition {
    fn render(model: &Model, moment: Moment) -> Self {
        let documents = Documents::new(model, moment.midnight());
        let snapshot = documents.snapshot();
        let of_each_region = |render: &dyn Fn(RegionIndex) -> Document| {
            model.indices().map(render).collect::<Vec<Document>>()
        };
        Self {
            day: moment.day(),
            http_date: moment.date().strftime("%a, %d %b %Y ").to_string(),
            metadata: Document::render(&documents.metadata()),
            regions: Document::render(&documents.regions()),
            network: Document::render(&documents.network()),
            indicator: Document::render(&documents.indicator()),
            snapshot: Document::render(&snapshot),
            reduced_snapshot: Document::render(&ReducedSnapshot::from(snapshot)),
            region_details: of_each_region(&|index| {
                Document::render(&documents.region_detail(index))
            }),
            global_history: Document::render(&documents.history(Scope::Global)),
            region_histories: of_each_region(&|index| {
                Document::render(&documents.history(Scope::Region(index)))
            }),
            forecasts: ForecastDays::all()
                .map(|days| Document::render(&documents.forecast(days)))
                .collect(),
        }
    }

    pub(crate) fn snapshot(&self, form: SnapshotForm) -> &Document {
        match form {
            SnapshotForm::Full => &self.snapshot,
            SnapshotForm::Reduced => &self.reduced_snapshot,
        }
    }

    pub(crate) fn region_detail(&self, region: RegionIndex) -> &Document {
        &self.region_details[region.get()]
    }

    pub(crate) fn history(&self, scope: Scope) -> &Document {
        match scope {
            Scope::Global => &self.global_history,
            Scope::Region(region) => &self.region_histories[region.get()],
        }
    }

    pub(crate) fn forecast(&self, days: ForecastDays) -> &Document {
        &self.forecasts[usize::from(days.get() - ForecastDays::MIN)]
    }

    /// The `Date` header at a moment of this day.
    pub(crate) fn http_date(&self, moment: Moment) -> HeaderValue {
        let mut value = Vec::with_capacity("Sun, 06 Nov 1994 08:49:37 GMT".len());
        value.extend_from_slice(self.http_date.as_bytes());
        value.extend_from_slice(&moment.time_of_day()[.."08:49:37".len()]);
        value.extend_from_slice(b" GMT");
        HeaderValue::try_from(value).expect("a date is visible ASCII")
    }
}

/// The editions that are at hand, of one model.
#[derive(Debug)]
pub(crate) struct Editions {
    model: Model,
    recent: RwLock<Vec<Arc<Edition>>>,
}

impl Editions {
    /// Two, so that a clock that is set back and forth over midnight renders each day once.
    const KEPT: usize = 2;

    pub(crate) fn new(model: Model) -> Self {
        Self { model, recent: RwLock::default() }
    }

    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// The edition of the moment's day.
    pub(crate) fn of(&self, moment: Moment) -> Arc<Edition> {
        let recent = self.recent.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(edition) = recent.iter().find(|edition| edition.day == moment.day()) {
            return Arc::clone(edition);
        }
        drop(recent);
        // Without the lock, so that requests of a day that is at hand do not wait.
        let edition = Arc::new(Edition::render(&self.model, moment));
        let mut recent = self.recent.write().unwrap_or_else(PoisonError::into_inner);
        recent.truncate(Self::KEPT - 1);
        recent.insert(0, Arc::clone(&edition));
        edition
    }
}
