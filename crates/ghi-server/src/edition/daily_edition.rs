//! An edition: all documents of a day, rendered once.

use ghi_contract::{ForecastDays, ReducedSnapshot};
use ghi_engine::{Model, RecentDays, RegionIndex, Scope};
use hyper::header::HeaderValue;

use crate::clock::Moment;
use crate::config::SnapshotForm;
use crate::edition::documents::Documents;
use crate::edition::rendered::Rendered;

/// Every document of one UTC day.
#[derive(Debug)]
pub(crate) struct Edition {
    day: u32,
    days: RecentDays,
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
    pub(crate) fn render(model: &Model, moment: Moment) -> Self {
        let documents = Documents::new(model, moment.midnight());
        let snapshot = documents.snapshot();
        let of_each_region = |render: &dyn Fn(RegionIndex) -> Rendered| {
            model.registry().indices().map(render).collect::<Vec<Rendered>>()
        };
        Self {
            day: moment.day(),
            http_date: moment.date().strftime("%a, %d %b %Y ").to_string(),
            metadata: Rendered::new(&documents.metadata()),
            regions: Rendered::new(&documents.regions()),
            network: Rendered::new(&documents.network()),
            indicator: Rendered::new(&documents.indicator()).with_successor(),
            snapshot: Rendered::new(&snapshot).varying_by_prefer(),
            reduced_snapshot: Rendered::new(&ReducedSnapshot::from(snapshot)).varying_by_prefer(),
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
    pub(crate) fn days(&self) -> &RecentDays {
        &self.days
    }

    /// The day, counted from 1970-01-01.
    pub(super) fn day(&self) -> u32 {
        self.day
    }

    /// The snapshot in one of its forms.
    pub(crate) fn snapshot(&self, form: SnapshotForm) -> &Rendered {
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
