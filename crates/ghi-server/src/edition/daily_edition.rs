//! An edition: all documents of a day, each rendered once.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use ghi_contract::ForecastDays;
use ghi_engine::{Costs, Model, NoFigures, RecentDays, RegionIndex, Registry, Scope};
use jiff::civil::Date;

use crate::clock::Moment;
use crate::config::SnapshotForm;
use crate::edition::documents::Documents;
use crate::edition::rendered::{DocumentHeaders, render};
use crate::http::caching::Representation;
use crate::http::page_cache::PageCache;
use ghi_display::{Past, Range};

/// How many pages and files are cached for a day other than the clock's.
const FILES_OF_OTHER_DAY: usize = 4;

/// Every document of one UTC day. Each is rendered when it is first requested, or in advance by
/// [`Edition::render_all`]. So on an uncached day, a request waits only for its own document to be
/// rendered.
#[derive(Debug)]
pub(crate) struct Edition {
    model: Arc<Model>,
    /// The number of models that were loaded before this one.
    pub(super) generation: u64,
    headers: Arc<DocumentHeaders>,
    /// The first moment of the day.
    midnight: Moment,
    days: RecentDays,
    /// The worldwide costs of a year, once they are computed, which is slow with many regions.
    year: OnceLock<Vec<(Date, Costs)>>,
    /// Each document, once it is rendered, by its [index](Edition::index).
    documents: Box<[OnceLock<Representation>]>,
    /// Pages and files of the day.
    pub(crate) files: PageCache<DailyFile>,
    /// Whether it has been rendered in advance, or is being rendered.
    pub(super) is_prepared: AtomicBool,
}

/// A document of the contract.
#[derive(Clone, Copy, Debug)]
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
    pub(super) fn new(
        model: Arc<Model>,
        generation: u64,
        headers: Arc<DocumentHeaders>,
        moment: Moment,
    ) -> Self {
        let documents = documents(model.registry()).map(|_| OnceLock::new());
        Self {
            midnight: moment.midnight(),
            documents: documents.collect(),
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
        // Documents cannot be rendered if the day has no data.
        for document in documents(self.model.registry()) {
            _ = self.document(document).map(Representation::compress);
        }
        // This comes last, because requests wait for documents, and pages that show a year are rare. It fails
        // if the year has no data.
        if let Ok(Past { days, before, .. }) = self.past(Scope::Global, Range::Year) {
            self.year.get_or_init(|| before.into_iter().chain(days).collect());
        }
    }

    /// Returns a document, rendering it if necessary.
    pub(crate) fn document(&self, document: Document) -> Result<&Representation, NoFigures> {
        let slot = &self.documents[self.index(document)];
        if let Some(rendered) = slot.get() {
            return Ok(rendered);
        }
        let rendered = self.rendered(document)?;
        Ok(slot.get_or_init(|| rendered))
    }

    /// Returns the index of a document, in the order of [`documents`].
    fn index(&self, document: Document) -> usize {
        const FORECASTS: usize = (ForecastDays::MAX - ForecastDays::MIN) as usize + 1;
        let regions = self.model.registry().regions().len();
        match document {
            Document::Metadata => 0,
            Document::Regions => 1,
            Document::Network => 2,
            Document::Indicator => 3,
            Document::Snapshot(SnapshotForm::Full) => 4,
            Document::Snapshot(SnapshotForm::Reduced) => 5,
            Document::History(Scope::Global) => 6,
            Document::Forecast(days) => 7 + usize::from(days.get() - ForecastDays::MIN),
            Document::RegionDetail(region) => 7 + FORECASTS + region.get(),
            Document::History(Scope::Region(region)) => 7 + FORECASTS + regions + region.get(),
        }
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
                render(&documents.snapshot()?.reduced(), varying_by_prefer)
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

    pub(crate) fn date(&self) -> Date {
        self.midnight.date()
    }

    /// Returns the day as a number, counted from 1970-01-01.
    pub(super) fn day(&self) -> u32 {
        self.midnight.day()
    }
}

/// Returns every document of a network.
fn documents(registry: &Registry) -> impl Iterator<Item = Document> + use<> {
    let single = [
        Document::Metadata,
        Document::Regions,
        Document::Network,
        Document::Indicator,
        Document::Snapshot(SnapshotForm::Full),
        Document::Snapshot(SnapshotForm::Reduced),
        Document::History(Scope::Global),
    ];
    let forecasts = ForecastDays::all().map(Document::Forecast);
    let details = registry.indices().map(Document::RegionDetail);
    let histories = registry.indices().map(|region| Document::History(Scope::Region(region)));
    single.into_iter().chain(forecasts).chain(details).chain(histories)
}

#[cfg(test)]
mod tests {
    use ghi_engine::Inputs;

    use crate::http::site::Site;

    use super::*;

    #[test]
    fn each_document_has_its_own_index() {
        let model = Arc::new(Model::new(Inputs::default()));
        let headers = Arc::new(DocumentHeaders::new(&Site::new(None)));
        let noon = "2026-11-15T12:00:00Z".parse().unwrap();
        let edition = Edition::new(Arc::clone(&model), 0, headers, noon);
        let indices = documents(model.registry()).map(|document| edition.index(document));
        assert!(indices.eq(0..edition.documents.len()));
    }
}
