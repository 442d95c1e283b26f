//! Every page and file of a day, by its cache key.

use ghi_display::Range;
use ghi_engine::{NoFigures, Scope};

use crate::edition::{Chart, DailyFile, Edition, Theme};
use crate::http::caching::Representation;
use crate::http::site::Site;
use crate::routes::files::daily_rows::DailyTable;
use crate::routes::files::explain_files::ExplanationFile;
use crate::routes::files::{charts, csv, feed};
use crate::routes::pages::view::{DEFAULT_RANGE, View};
use crate::routes::pages::{dashboard, explain, region};
use crate::routes::parameters::ExplainedDays;

/// The files that are slow with many regions, and those that are requested most.
const WARMED: [DailyFile; 12] = [
    DailyFile::Dashboard(Scope::Global, DEFAULT_RANGE),
    DailyFile::Chart(Chart::History(Scope::Global, Range::Week), Theme::Auto),
    DailyFile::Chart(Chart::History(Scope::Global, Range::Week), Theme::Light),
    DailyFile::Chart(Chart::History(Scope::Global, Range::Week), Theme::Dark),
    DailyFile::Chart(Chart::Regions, Theme::Auto),
    DailyFile::Chart(Chart::Regions, Theme::Light),
    DailyFile::Chart(Chart::Regions, Theme::Dark),
    DailyFile::SnapshotCsv,
    DailyFile::Feed,
    DailyFile::Explain(Scope::Global),
    DailyFile::ExplainCsv(Scope::Global),
    DailyFile::ExplainJson(Scope::Global),
];

/// Renders the most important files ahead of requests.
pub(crate) fn warm_files(edition: &Edition, site: &Site) {
    for file in WARMED {
        edition.files.warm(file, || render(file, edition, site));
    }
}

/// Renders a page or file of an edition's day.
pub(crate) fn render(
    file: DailyFile,
    edition: &Edition,
    site: &Site,
) -> Result<Representation, NoFigures> {
    let explained = |scope| ExplainedDays { scope, date: edition.date(), since: None };
    let model = edition.model();
    match file {
        DailyFile::Dashboard(scope, range) => {
            dashboard::page_of_day(edition, site, &View { scope, range, ..View::DEFAULT })
        }
        DailyFile::Region(id, range) => region::page_of_day(edition, site, id, range),
        DailyFile::Explain(scope) => explain::page_of(model, site, explained(scope)),
        DailyFile::ExplainCsv(scope) => ExplanationFile::Csv.render(model, site, explained(scope)),
        DailyFile::ExplainJson(scope) => {
            ExplanationFile::Json.render(model, site, explained(scope))
        }
        DailyFile::HistoryCsv(scope) => csv::week_table(edition, site, DailyTable::History(scope)),
        DailyFile::NetworkCsv => csv::week_table(edition, site, DailyTable::Network),
        DailyFile::SnapshotCsv => csv::snapshot_table(edition, site),
        DailyFile::CostCurveCsv => csv::cost_curve_of_day(edition, site),
        DailyFile::Chart(chart, theme) => charts::draw(chart, edition, site, theme),
        DailyFile::Feed => feed::feed_of_day(edition, site),
    }
}
