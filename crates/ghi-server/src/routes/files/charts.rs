//! Charts as standalone SVG images.

use ghi_display::{
    ChartSource, CurvePrice, HistoryChart, Range, cost_curve_chart as draw_cost_curve,
    kind_of_data, line_scopes, regions_chart as draw_regions, shown_regions,
};
use std::sync::LazyLock;

use ghi_engine::{Day, Model, NoFigures, Scope};
use hyper::Response;

use crate::edition::{Chart, DailyFile, Edition, Theme};
use crate::http::caching::{Representation, daily_api_headers};
use crate::http::site::Site;
use crate::net::Content;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::pages::general::with_policies;
use crate::routes::parameters::{date, price, range, scope, theme};

/// Average costs over time, as a chart.
///
/// Lines for the worldwide average and up to five regions, and the forecast as a dotted line. With
/// `region_id`, the chart includes that region. `range` is `7d`, `30d`, `90d`, `1y`, `5y` or `all`, by default
/// `7d`; `5y` and `all` show one point per week. The SVG image can be embedded in other pages.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::HISTORY_CHART, tag = "Charts and files",
    params(("region_id" = Option<String>, Query), ("range" = Option<String>, Query), ("theme" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "image/svg+xml"))))]
pub(crate) fn history_chart(context: &Context<'_>) -> HandlerResult {
    let scope = scope(&context.query, context.registry())?;
    let range = range(&context.query)?.unwrap_or(Range::Week);
    let theme = theme(&context.query)?;
    respond(context, Chart::History(scope, range), theme)
}

/// Costs by region, as a chart.
///
/// Each region's minimum, average and maximum, largest share of the hashrate first. Always includes the
/// regions with the lowest minimum and the highest maximum.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::REGIONS_CHART, tag = "Charts and files",
    params(("theme" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "image/svg+xml"))))]
pub(crate) fn regions_chart(context: &Context<'_>) -> HandlerResult {
    respond(context, Chart::Regions, theme(&context.query)?)
}

/// The cost curve as a chart.
///
/// Each region is a block, cheapest first: its bottom is the minimum cost, its top the maximum, and its width
/// the region's share of the hashrate. A horizontal line marks the average. A dashed line marks `price`, which
/// defaults to the market price; the parts of blocks above it have a different colour. `date` defaults to today.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::COST_CURVE_CHART, tag = "Charts and files",
    params(("price" = Option<f64>, Query), ("date" = Option<String>, Query), ("theme" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "image/svg+xml"))))]
pub(crate) fn cost_curve_chart(context: &Context<'_>) -> HandlerResult {
    let (model, theme) = (context.model(), theme(&context.query)?);
    let price = price(&context.query, model)?.map(CurvePrice::Reader);
    let date = date(&context.query)?.unwrap_or(context.today());
    if price.is_none() && date == context.today() {
        return respond(context, Chart::CostCurve, theme);
    }
    let svg = cost_curve(model, &model.day(date)?, price, context.site)?;
    Ok(with_chart_policies(context.daily(&in_theme(svg, context.site, theme))))
}

/// Draws a chart in a theme.
pub(crate) fn draw(
    chart: Chart,
    edition: &Edition,
    site: &Site,
    theme: Theme,
) -> Result<Representation, NoFigures> {
    let (model, today) = (edition.model(), edition.days().today()?);
    let source = |data| ChartSource { data, host: site.host() };
    let data = |scope| Ok::<_, NoFigures>(kind_of_data(&model.provenance(scope, today.date)?));
    let svg = match chart {
        Chart::History(scope, range) => {
            let past = |scope| edition.past(scope, range);
            let lines = line_scopes(model, today, scope);
            let chart = HistoryChart::new(model, today, (scope, range), lines, past)?;
            chart.file(source(&data(scope)?))
        }
        Chart::Regions => {
            let shown = shown_regions(model, today);
            draw_regions(today, model, &shown, source(&data(Scope::Global)?))
        }
        Chart::CostCurve => cost_curve(model, today, None, site)?,
    };
    Ok(in_theme(svg, site, theme))
}

/// Adds the colours of a theme to a chart.
fn in_theme(svg: String, site: &Site, theme: Theme) -> Representation {
    let svg = svg.replacen("</desc>", &format!("</desc><style>{}</style>", style(theme)), 1);
    Representation::new(daily_api_headers(site, "image/svg+xml"), svg)
}

/// Draws the cost curve of a day with a reader's price, or else the market price.
fn cost_curve(
    model: &Model,
    day: &Day,
    price: Option<CurvePrice>,
    site: &Site,
) -> Result<String, NoFigures> {
    let data = kind_of_data(&model.provenance(Scope::Global, day.date)?);
    let price = price.or(day.network.price_usd.map(CurvePrice::Market));
    let price = price.unwrap_or(CurvePrice::Average(day.global.avg_usd));
    draw_cost_curve(model, day, price, ChartSource { data: &data, host: site.host() })
}

fn respond(context: &Context<'_>, chart: Chart, theme: Theme) -> HandlerResult {
    let draw = |edition: &Edition, site: &Site| draw(chart, edition, site, theme);
    Ok(with_chart_policies(context.daily_file(DailyFile::Chart(chart, theme), "", draw)?))
}

/// Adds the policies for a chart that is opened as a document: it may only use its own styles.
fn with_chart_policies(response: Response<Content>) -> Response<Content> {
    with_policies(response, "default-src 'none'; style-src 'unsafe-inline'")
}

/// Returns the colours of a theme.
fn style(theme: Theme) -> String {
    static COLOURS_OF_PAGES: LazyLock<[String; 2]> =
        LazyLock::new(|| colours(include_str!("../../../assets/style.css")));
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

/// Extracts the colours from a stylesheet, which defines each as a pair of a light and a dark colour. Returns
/// the light ones and the dark ones.
fn colours(stylesheet: &str) -> [String; 2] {
    let pairs = stylesheet.lines().filter_map(|line| {
        let (name, pair) = line.trim().strip_suffix(");")?.split_once(": light-dark(")?;
        let (light, dark) = pair.split_once(", ")?;
        Some([light, dark].map(|colour| format!("{name}: {colour};")))
    });
    pairs.fold([String::new(), String::new()], |[light, dark], pair| {
        [light + &pair[0], dark + &pair[1]]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stylesheet_has_every_colour_in_light_and_dark() {
        let stylesheet = include_str!("../../../assets/style.css");
        for colours in colours(stylesheet) {
            assert_eq!(colours.matches(": #").count(), stylesheet.matches("light-dark(").count());
            for used in ["card", "ink", "faint", "rule", "range", "average", "line-1", "line-12"] {
                assert!(colours.contains(&format!("--{used}: #")), "{used} of {colours}");
            }
        }
    }
}
