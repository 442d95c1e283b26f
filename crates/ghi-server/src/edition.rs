//! All documents of a day, rendered once.

use std::sync::{Arc, PoisonError, RwLock};

use ghi_contract::{ForecastDays, ReducedSnapshot};
use ghi_engine::{Model, RegionIndex};
use hyper::header::HeaderValue;

use crate::SnapshotForm;
use crate::clock::Moment;
use crate::days::Days;
use crate::documents::Documents;
use crate::parameters::Scope;
use crate::rendered::Rendered;

/// Every document of one UTC day.
#[derive(Debug)]
pub struct Edition {
    day: u32,
    days: Days,
    /// The start of a `Date` header, up to the time.
    http_date: String,
    pub(crate) metadata: Rendered,
    pub(crate) regions: Rendered,
    pub(crate) network: Rendered,
    pub(crate) indicator: Rendered,
    snapshot: Rendered,
    reduced_snapshot: Rendered,
    region_details: Vec<Rendered>,
    global_history: Rendered,
    region_histories: Vec<Rendered>,
    forecasts: Vec<Rendered>,
}

impl Edition {
    /// Renders the day of a moment.
    pub fn render(model: &Model, moment: Moment) -> Self {
        let documents = Documents::new(model, moment.midnight());
        let snapshot = documents.snapshot();
        let of_each_region = |render: &dyn Fn(RegionIndex) -> Rendered| {
            model.indices().map(render).collect::<Vec<Rendered>>()
        };
        Self {
            day: moment.day(),
            http_date: moment.date().strftime("%a, %d %b %Y ").to_string(),
            metadata: Rendered::new(&documents.metadata()),
            regions: Rendered::new(&documents.regions()),
            network: Rendered::new(&documents.network()),
            indicator: Rendered::new(&documents.indicator()).succeeded(),
            snapshot: Rendered::new(&snapshot).of_preference(),
            reduced_snapshot: Rendered::new(&ReducedSnapshot::from(snapshot)).of_preference(),
            region_details: of_each_region(&|index| Rendered::new(&documents.region_detail(index))),
            global_history: Rendered::new(&documents.history(Scope::Global)),
            region_histories: of_each_region(&|index| {
                Rendered::new(&documents.history(Scope::Region(index)))
            }),
            forecasts: ForecastDays::all()
                .map(|days| Rendered::new(&documents.forecast(days)))
                .collect(),
            days: documents.into_days(),
        }
    }

    /// The figures that everything of the day is made of.
    pub(crate) fn days(&self) -> &Days {
        &self.days
    }

    /// The snapshot in one of its forms.
    pub fn snapshot(&self, form: SnapshotForm) -> &Rendered {
        match form {
            SnapshotForm::Full => &self.snapshot,
            SnapshotForm::Reduced => &self.reduced_snapshot,
        }
    }

    pub(crate) fn region_detail(&self, region: RegionIndex) -> &Rendered {
        &self.region_details[region.get()]
    }

    pub(crate) fn history(&self, scope: Scope) -> &Rendered {
        match scope {
            Scope::Global => &self.global_history,
            Scope::Region(region) => &self.region_histories[region.get()],
        }
    }

    pub(crate) fn forecast(&self, days: ForecastDays) -> &Rendered {
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
    at_hand: RwLock<Vec<Arc<Edition>>>,
}

impl Editions {
    /// How long before midnight the next day is rendered, seconds.
    const AHEAD: u64 = 300;

    pub(crate) fn new(model: Model) -> Self {
        Self { model, at_hand: RwLock::default() }
    }

    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// The edition of the moment's day.
    pub(crate) fn of(&self, moment: Moment) -> Arc<Edition> {
        self.find(moment).unwrap_or_else(|| self.render(moment))
    }

    /// Has the next day at hand if midnight is near.
    pub(crate) fn prepare_after(&self, moment: Moment) {
        let near = moment.seconds_to_midnight() <= Self::AHEAD;
        if let Some(tomorrow) = moment.next_midnight().filter(|_| near) {
            self.of(tomorrow);
        }
    }

    fn find(&self, moment: Moment) -> Option<Arc<Edition>> {
        let at_hand = self.at_hand.read().unwrap_or_else(PoisonError::into_inner);
        at_hand.iter().find(|edition| edition.day == moment.day()).cloned()
    }

    fn render(&self, moment: Moment) -> Arc<Edition> {
        // Without the lock, so that requests of a day that is at hand do not wait.
        let edition = Arc::new(Edition::render(&self.model, moment));
        let mut at_hand = self.at_hand.write().unwrap_or_else(PoisonError::into_inner);
        // The days next to it stay, for a clock that is set back and forth over midnight.
        at_hand.retain(|other| other.day.abs_diff(edition.day) == 1);
        at_hand.push(Arc::clone(&edition));
        edition
    }
}
