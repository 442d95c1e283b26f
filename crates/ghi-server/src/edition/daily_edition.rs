//! An edition: all documents, pages and files of a day.

use std::sync::{Arc, OnceLock};

use ghi_contract::ForecastDays;
use ghi_display::{Past, Range};
use ghi_engine::{
    DayForecast, ForecastRecord, ForecastScore, Model, NoFigures, RecentDays, RegionIndex, Scope,
};
use hyper::HeaderMap;
use jiff::civil::Date;

use crate::clock::Moment;
use crate::config::SnapshotForm;
use crate::http::caching::{PageCache, Representation};

/// The documents, pages and files of one UTC day. Each is rendered when it is first requested, or in advance.
#[derive(Debug)]
pub(crate) struct Edition {
    pub(super) model: Arc<Model>,
    pub(super) headers: Arc<HeaderMap>,
    pub(super) midnight: Moment,
    pub(super) days: RecentDays,
    pub(super) documents: PageCache<Document>,
    pub(crate) files: PageCache<DailyFile>,
    pub(super) forecasts: OnceLock<EditionForecasts>,
}

/// The forecasts up to a day.
#[derive(Debug)]
pub(crate) struct EditionForecasts {
    pub(crate) record: ForecastRecord,
    pub(crate) scores: [ForecastScore; 7],
    /// The forecasts of the day for the next month.
    pub(crate) coming: Vec<DayForecast>,
}

/// How many days of the forecast are drawn.
const COMING_DAYS: u16 = 30;

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
    MeritOrderCsv,
    ForecastScoreCsv,
    HistoryChart(Scope, Range, Theme),
    RegionsChart(Theme),
    CostCurveChart(Theme),
    Feed,
    Methodology,
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
    pub(crate) fn document(&self, document: Document) -> Result<Arc<Representation>, NoFigures> {
        self.documents.get(document, "", || self.rendered(document))
    }

    pub(crate) fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Returns the data that all documents of the day are made from.
    pub(crate) fn days(&self) -> &RecentDays {
        &self.days
    }

    pub(crate) fn past(&self, scope: Scope, range: Range) -> Result<Past, NoFigures> {
        Past::new(&self.model, scope, range, self.date())
    }

    /// Returns the forecasts up to the day, which are computed when they are first needed.
    pub(crate) fn forecasts(&self) -> &EditionForecasts {
        self.forecasts.get_or_init(|| {
            let date = self.date();
            let record = ForecastRecord::new(&self.model, None, date);
            let coming = (1..=COMING_DAYS).flat_map(|days| record.forecasts(days, date, date));
            EditionForecasts { scores: record.scores(None, date), coming: coming.collect(), record }
        })
    }

    pub(crate) fn date(&self) -> Date {
        self.midnight.date()
    }
}
