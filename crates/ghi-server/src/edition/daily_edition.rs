//! An edition: all documents, pages and files of a day, each rendered once.

use std::sync::Arc;

use ghi_contract::{ForecastDays, Snapshot};
use ghi_display::{Past, Range};
use ghi_engine::{Model, NoFigures, RecentDays, RegionIndex, Scope};
use jiff::civil::Date;

use crate::clock::Moment;
use crate::config::SnapshotForm;
use crate::edition::documents::Documents;
use crate::edition::rendered::{DocumentHeaders, render};
use crate::http::caching::{PageCache, Representation};

/// How many pages and files are cached for one of the clock's days, and for another day.
const FILES: usize = 256;
const FILES_OF_OTHER_DAY: usize = 4;

/// The documents, pages and files of one UTC day. Each is rendered when it is first requested, or in advance.
#[derive(Debug)]
pub(crate) struct Edition {
    model: Arc<Model>,
    headers: Arc<DocumentHeaders>,
    /// The first moment of the day.
    midnight: Moment,
    days: RecentDays,
    documents: PageCache<Document>,
    pub(crate) files: PageCache<DailyFile>,
}

/// A document of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Document {
    Metadata,
    Regions,
    Network,
    Indicator,
    Snapshot(SnapshotForm),
    History(Scope),
    Forecast(ForecastDays),
    RegionDetail(RegionIndex),
}

/// The cache key of a page or file of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum DailyFile {
    Dashboard(Scope, Range),
    Region(RegionIndex, Range),
    Explain(Scope),
    ExplainCsv(Scope),
    ExplainJson(Scope),
    HistoryCsv(Scope),
    NetworkCsv,
    SnapshotCsv,
    CostCurveCsv,
    Chart(Chart, Theme),
    Feed,
}

/// A standalone chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Chart {
    History(Scope, Range),
    Regions,
    CostCurve,
}

/// The colours of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Theme {
    /// Follows the reader's system.
    Auto,
    Light,
    Dark,
}

impl Edition {
    /// Computes the data of a moment's day, without rendering a document.
    pub(super) fn new(model: Arc<Model>, headers: Arc<DocumentHeaders>, moment: Moment) -> Self {
        Self {
            midnight: moment.midnight(),
            documents: PageCache::with_capacity(usize::MAX),
            files: PageCache::with_capacity(FILES),
            days: RecentDays::up_to(moment.date(), &model),
            headers,
            model,
        }
    }

    /// Makes this the edition of a day other than the clock's, with a small cache for its pages and files.
    pub(super) fn for_other_day(self) -> Self {
        Self { files: PageCache::with_capacity(FILES_OF_OTHER_DAY), ..self }
    }

    /// Returns an edition of the same day with other data.
    pub(super) fn with_days(&self, days: RecentDays) -> Self {
        let (model, headers) = (Arc::clone(&self.model), Arc::clone(&self.headers));
        Self { days, ..Self::new(model, headers, self.midnight).for_other_day() }
    }

    /// Returns a document, rendering it if necessary.
    pub(crate) fn document(&self, document: Document) -> Result<Arc<Representation>, NoFigures> {
        self.documents.get(document, "", || self.rendered(document))
    }

    fn rendered(&self, document: Document) -> Result<Representation, NoFigures> {
        let documents = Documents::new(&self.model, &self.days, self.midnight);
        let DocumentHeaders { plain, varying_by_prefer, with_successor } = &*self.headers;
        Ok(match document {
            Document::Metadata => render(&documents.metadata(), plain),
            Document::Regions => render(&documents.regions(), plain),
            Document::Network => render(&documents.network()?, plain),
            Document::Indicator => render(&documents.indicator()?, with_successor),
            Document::Snapshot(SnapshotForm::Full) => {
                render(&documents.snapshot()?, varying_by_prefer)
            }
            Document::Snapshot(SnapshotForm::Reduced) => {
                let snapshot = documents.snapshot()?;
                let reduced = Snapshot { region_count: None, regions: None, ..snapshot };
                render(&reduced, varying_by_prefer)
            }
            Document::History(scope) => render(&documents.history(scope)?, plain),
            Document::Forecast(days) => render(&documents.forecast(days)?, plain),
            Document::RegionDetail(region) => render(&documents.region_detail(region)?, plain),
        })
    }

    pub(crate) fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Returns the data that all documents of the day are made from.
    pub(crate) fn days(&self) -> &RecentDays {
        &self.days
    }

    /// Returns the days of a range up to this one.
    pub(crate) fn past(&self, scope: Scope, range: Range) -> Result<Past, NoFigures> {
        Past::new(&self.model, None, scope, range, self.date())
    }

    /// Returns the days of a range up to the last day with data, if this day comes after it.
    pub(crate) fn last_covered(&self, scope: Scope, range: Range) -> Result<Past, NoFigures> {
        let last = self.model.nearest_covered(self.date()).min(self.date());
        Past::new(&self.model, None, scope, range, last)
    }

    pub(crate) fn date(&self) -> Date {
        self.midnight.date()
    }

    /// Returns the day as a number, counted from 1970-01-01.
    pub(super) fn day(&self) -> u32 {
        self.midnight.day()
    }
}
