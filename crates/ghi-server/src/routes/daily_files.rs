//! The pages and files that are rendered ahead of requests.

use ghi_display::Range;
use ghi_engine::{NoFigures, Scope};

use crate::edition::{Chart, DailyFile, Edition, Theme};
use crate::http::caching::Representation;
use crate::http::site::Site;
use crate::routes::files::explain_files::ExplanationFile;
use crate::routes::files::{charts, csv, feed};
use crate::routes::pages::view::{DEFAULT_RANGE, View};
use crate::routes::pages::{dashboard, explain};
use crate::routes::parameters::ExplainedDays;

/// Renders the files that are slow with many regions, and those that are requested most.
pub(crate) fn warm_files(edition: &Edition, site: &Site) {
    let (model, scope) = (edition.model(), Scope::Global);
    let warm = |file, render: &dyn Fn() -> Result<Representation, NoFigures>| {
        edition.files.warm(file, render);
    };
    warm(DailyFile::Dashboard(scope, DEFAULT_RANGE), &|| {
        dashboard::page_of_day(edition, site, &View::DEFAULT)
    });
    for chart in [Chart::History(scope, Range::Week), Chart::Regions] {
        for theme in [Theme::Auto, Theme::Light, Theme::Dark] {
            warm(DailyFile::Chart(chart, theme), &|| charts::draw(chart, edition, site, theme));
        }
    }
    warm(DailyFile::SnapshotCsv, &|| csv::snapshot_table(edition, site));
    warm(DailyFile::Feed, &|| feed::feed_of_day(edition, site));
    let today = ExplainedDays { scope, date: edition.date(), since: None };
    warm(DailyFile::Explain(scope), &|| explain::page_of(model, site, today));
    warm(DailyFile::ExplainCsv(scope), &|| ExplanationFile::Csv.render(model, site, today));
    warm(DailyFile::ExplainJson(scope), &|| ExplanationFile::Json.render(model, site, today));
}
