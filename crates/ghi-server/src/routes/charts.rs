//! Charts as SVG images that stand alone.

use std::sync::LazyLock;

use ghi_engine::{Costs, NoFigures, Scope};
use jiff::civil::Date;

use crate::charts::{self, Format};
use crate::edition::{DailyFile, Edition};
use crate::http::caching::{Cacheable, Representation};
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::context::{Answer, Context};
use crate::routes::pages::with_policies;
use crate::routes::parameters::{Theme, scope};

/// The colours that charts use, by their names in the stylesheet.
const COLOURS: [&str; 6] = ["card", "ink", "faint", "rule", "range", "average"];

/// The week as a chart.
///
/// A band from minimum to maximum with the average as a line, to be embedded where SVG images can
/// be.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::HISTORY_CHART, tag = "Charts and files",
    params(("region_id" = Option<String>, Query), ("theme" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "image/svg+xml"))))]
pub(crate) fn history_chart(context: &Context<'_>) -> Answer {
    let scope = scope(&context.query, context.registry())?;
    let theme = Theme::parse(&context.query)?;
    respond(context, Chart::History(scope), theme)
}

/// The regions as a chart.
///
/// Each region's range from minimum to maximum with its average, the largest by hashrate first.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::REGIONS_CHART, tag = "Charts and files",
    params(("theme" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "image/svg+xml"))))]
pub(crate) fn regions_chart(context: &Context<'_>) -> Answer {
    let theme = Theme::parse(&context.query)?;
    respond(context, Chart::Regions, theme)
}

/// A chart that stands alone.
#[derive(Clone, Copy)]
enum Chart {
    History(Scope),
    Regions,
}

impl Chart {
    fn file(self, theme: Theme) -> DailyFile {
        let (path, scope) = match self {
            Self::History(scope) => (paths::HISTORY_CHART, scope),
            Self::Regions => (paths::REGIONS_CHART, Scope::Global),
        };
        DailyFile { path, scope, variant: theme.name() }
    }

    /// Draws it in a theme.
    fn draw(
        self,
        edition: &Edition,
        site: &Site,
        theme: Theme,
    ) -> Result<Representation, NoFigures> {
        let model = edition.model();
        let svg = match self {
            Self::History(scope) => {
                let week = week(edition, scope)?;
                charts::history(&week, charts::name_of(scope, model), Format::Alone)
            }
            Self::Regions => charts::regions(edition.days().today()?, model, Format::Alone),
        };
        let svg = svg.replacen("</desc>", &format!("</desc><style>{}</style>", style(theme)), 1);
        Ok(Representation::new(Cacheable::of_api(site, "image/svg+xml"), svg))
    }
}

fn respond(context: &Context<'_>, chart: Chart, theme: Theme) -> Answer {
    let draw = |edition: &Edition| chart.draw(edition, context.site, theme);
    let response = context.daily_file(chart.file(theme), &[], draw)?;
    // Opened by itself, a chart is a document, and may do no more than look like itself.
    Ok(with_policies(response, "default-src 'none'; style-src 'unsafe-inline'"))
}

/// Draws the charts that most people ask for.
pub(crate) fn prepare(edition: &Edition, site: &Site) {
    for chart in [Chart::History(Scope::Global), Chart::Regions] {
        for theme in Theme::ALL {
            edition.files.prepare(chart.file(theme), || chart.draw(edition, site, theme));
        }
    }
}

/// Those days of the week that there are figures of, one at least, and the costs of a scope on each.
pub(crate) fn week(edition: &Edition, scope: Scope) -> Result<Vec<(Date, Costs)>, NoFigures> {
    let days = edition.days().covered()?;
    Ok(days.map(|day| (day.date, scope.costs(day))).collect())
}

/// The colours of a theme.
fn style(theme: Theme) -> String {
    // The stylesheet of the pages has the colours: first the light ones, then the dark ones.
    static COLOURS_OF_PAGES: LazyLock<[String; 2]> = LazyLock::new(|| {
        let mut roots =
            include_str!("../../assets/style.css").split(":root {").skip(1).map(colours);
        std::array::from_fn(|_| roots.next().unwrap_or_default())
    });
    let [light, dark] = &*COLOURS_OF_PAGES;
    match theme {
        Theme::Light => format!(":root{{{light}}}"),
        Theme::Dark => format!(":root{{{dark}}}"),
        Theme::Auto => {
            format!(
                ":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
            )
        }
    }
}

/// The colours of charts among the rules that a text starts with.
fn colours(rules: &str) -> String {
    let rules = rules.split('}').next().unwrap_or_default().lines().map(str::trim);
    let is_ours = |rule: &&str| {
        let name = rule.strip_prefix("--").and_then(|rule| rule.split(':').next());
        name.is_some_and(|name| COLOURS.contains(&name))
    };
    rules.filter(is_ours).collect()
}
