//! An edition: all documents of a day, each rendered once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use ghi_contract::{ForecastDays, Snapshot};
use ghi_engine::{Costs, Model, NoFigures, RecentDays, RegionIndex, Scope};
use jiff::civil::Date;
use serde::Serialize;

use crate::clock::Moment;
use crate::config::SnapshotForm;
use crate::edition::documents::Documents;
use crate::edition::rendered::{DocumentHeaders, render};
use crate::http::caching::{Cacheable, Representation};
use crate::http::page_cache::PageCache;
use ghi_display::{Past, Range};

/// How many region-days (days × regions) may be computed while a request waits; they take a few
/// milliseconds.
const REGION_DAYS_MAX: usize = 50_000;

/// How many pages and files are cached for a day other than the clock's.
const FILES_OF_OTHER_DAY: usize = 4;

/// Every document of one UTC day. Each is rendered when it is first requested, or in advance by
/// [`Edition::render_all`]. So on an uncached day, a request waits only for its own document to be
/// rendered.
#[derive(Debug)]
pub(crate) struct Edition {
    model: Arc<Model>,
    /// The number of models that were loaded before this one.
    generation: u64,
    headers: Arc<DocumentHeaders>,
    /// The first moment of the day.
    midnight: Moment,
    days: RecentDays,
    /// The worldwide costs of a year, once they are computed, which is slow with many regions.
    year: OnceLock<Vec<(Date, Costs)>>,
    metadata: Document,
    regions: Document,
    network: Document,
    indicator: Document,
    snapshot: Document,
    reduced_snapshot: Document,
    region_details: Box<[Document]>,
    global_history: Document,
    region_histories: Box<[Document]>,
    forecasts: Box<[Document]>,
    /// Pages and files of the day.
    pub(crate) files: PageCache<DailyFile>,
    is_prepared: AtomicBool,
}

/// A document, once it is rendered.
type Document = OnceLock<Representation>;

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
    Metrics { is_open_metrics: bool },
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
    pub(super) fn new(
        model: Arc<Model>,
        generation: u64,
        headers: Arc<DocumentHeaders>,
        moment: Moment,
    ) -> Self {
        let documents = |count: usize| (0..count).map(|_| Document::new()).collect();
        let regions = model.registry().regions().len();
        Self {
            midnight: moment.midnight(),
            metadata: Document::new(),
            regions: Document::new(),
            network: Document::new(),
            indicator: Document::new(),
            snapshot: Document::new(),
            reduced_snapshot: Document::new(),
            region_details: documents(regions),
            global_history: Document::new(),
            region_histories: documents(regions),
            forecasts: documents(ForecastDays::all().count()),
            files: PageCache::default(),
            is_prepared: AtomicBool::new(false),
            days: RecentDays::up_to(moment.date(), &model),
            year: OnceLock::new(),
            headers,
            model,
            generation,
        }
    }

    /// Makes this the edition of a day other than the clock's, with a small cache for its pages and files.
    pub(super) fn for_other_day(self) -> Self {
        Self { files: PageCache::with_capacity(FILES_OF_OTHER_DAY), ..self }
    }

    /// Returns an edition of the same day with other data.
    pub(super) fn with_days(&self, days: RecentDays) -> Self {
        let (model, headers) = (Arc::clone(&self.model), Arc::clone(&self.headers));
        let same = Self::new(model, self.generation, headers, self.midnight).for_other_day();
        Self { days, ..same }
    }

    /// Renders and compresses every document, and computes the year.
    pub(super) fn render_all(&self) {
        let [full, reduced] =
            [SnapshotForm::Full, SnapshotForm::Reduced].map(|form| self.snapshot(form));
        let of_figures = [self.network(), self.indicator(), full, reduced].into_iter().flatten();
        for document in [self.metadata(), self.regions()].into_iter().chain(of_figures) {
            document.compress();
        }
        // These are too short to be compressed. They don't exist if the day has no data.
        _ = self.history(Scope::Global);
        for region in self.model.registry().indices() {
            _ = self.region_detail(region);
            _ = self.history(Scope::Region(region));
        }
        for days in ForecastDays::all() {
            _ = self.forecast(days);
        }
        // Last, because requests wait for documents, and pages that show a year are rare. There is no year
        // if it has no data.
        if let Ok(Past { days, before }) = self.past(Scope::Global, Range::Year) {
            self.year.get_or_init(|| before.into_iter().chain(days).collect());
        }
    }

    /// Returns `true` to the first caller, which then prepares the day.
    pub(super) fn begin_preparing(&self) -> bool {
        !self.is_prepared.swap(true, Ordering::Relaxed)
    }

    fn documents(&self) -> Documents<'_> {
        Documents::new(&self.model, &self.days, self.midnight)
    }

    /// Returns a document with data, rendering it if necessary.
    fn document<'a, T: Serialize>(
        &'a self,
        slot: &'a Document,
        headers: &Arc<Cacheable>,
        document: impl FnOnce(&Documents<'a>) -> Result<T, NoFigures>,
    ) -> Result<&'a Representation, NoFigures> {
        if let Some(rendered) = slot.get() {
            return Ok(rendered);
        }
        let document = document(&self.documents())?;
        Ok(slot.get_or_init(|| render(&document, headers)))
    }

    /// Returns a document without data, which exists for every day.
    fn document_of_any_day<'a, T: Serialize>(
        &'a self,
        slot: &'a Document,
        document: impl FnOnce(&Documents<'a>) -> T,
    ) -> &'a Representation {
        slot.get_or_init(|| render(&document(&self.documents()), &self.headers.plain))
    }

    pub(crate) fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Returns how many models were loaded before its own.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the data that all documents of the day are made from.
    pub(crate) fn days(&self) -> &RecentDays {
        &self.days
    }

    /// Returns the days of a range up to this one.
    pub(crate) fn past(&self, scope: Scope, range: Range) -> Result<Past, NoFigures> {
        let known = match scope {
            Scope::Global => self.year.get().map(Vec::as_slice),
            Scope::Region(_) => None,
        };
        Past::new(&self.model, known, scope, range, self.midnight.date())
    }

    /// Returns the days of a range up to the last day with data, if this day comes after it.
    pub(crate) fn last_covered(&self, scope: Scope, range: Range) -> Result<Past, NoFigures> {
        let today = self.midnight.date();
        match self.model.nearest_covered(today) {
            last if last < today => Past::new(&self.model, None, scope, range, last),
            _ => self.past(scope, range),
        }
    }

    /// Returns whether computing the days of a range is slow. It is with many regions, unless the year has
    /// been computed in advance.
    pub(crate) fn is_costly(&self, range: Range) -> bool {
        let points = usize::from(range.days()) / if range.is_weekly() { 7 } else { 1 };
        let region_days = self.region_details.len() * points;
        self.year.get().is_none() && region_days > REGION_DAYS_MAX
    }

    /// Returns the day as a number, counted from 1970-01-01.
    pub(super) fn day(&self) -> u32 {
        self.midnight.day()
    }

    pub(crate) fn metadata(&self) -> &Representation {
        self.document_of_any_day(&self.metadata, Documents::metadata)
    }

    pub(crate) fn regions(&self) -> &Representation {
        self.document_of_any_day(&self.regions, Documents::regions)
    }

    pub(crate) fn network(&self) -> Result<&Representation, NoFigures> {
        self.document(&self.network, &self.headers.plain, Documents::network)
    }

    pub(crate) fn indicator(&self) -> Result<&Representation, NoFigures> {
        self.document(&self.indicator, &self.headers.with_successor, Documents::indicator)
    }

    /// Returns the snapshot in one of its forms.
    pub(crate) fn snapshot(&self, form: SnapshotForm) -> Result<&Representation, NoFigures> {
        let headers = &self.headers.varying_by_prefer;
        match form {
            SnapshotForm::Full => self.document(&self.snapshot, headers, Documents::snapshot),
            SnapshotForm::Reduced => self.document(&self.reduced_snapshot, headers, |documents| {
                documents.snapshot().map(Snapshot::reduced)
            }),
        }
    }

    pub(crate) fn region_detail(&self, region: RegionIndex) -> Result<&Representation, NoFigures> {
        let slot = &self.region_details[region.get()];
        self.document(slot, &self.headers.plain, |documents| documents.region_detail(region))
    }

    pub(crate) fn history(&self, scope: Scope) -> Result<&Representation, NoFigures> {
        let slot = match scope {
            Scope::Global => &self.global_history,
            Scope::Region(region) => &self.region_histories[region.get()],
        };
        self.document(slot, &self.headers.plain, |documents| documents.history(scope))
    }

    pub(crate) fn forecast(&self, days: ForecastDays) -> Result<&Representation, NoFigures> {
        let slot = &self.forecasts[usize::from(days.get() - ForecastDays::MIN)];
        self.document(slot, &self.headers.plain, |documents| documents.forecast(days))
    }
}
