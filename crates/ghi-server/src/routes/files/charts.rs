//! Charts as standalone SVG images.

use ghi_display::{
    CostCurveChart, CurvePrice, HistoryChart, Range, kind_of_data, line_scopes, long_date,
    regions_chart as draw_regions,
};
use ghi_engine::{NoFigures, Scope};
use jiff::civil::Date;

use crate::edition::{DailyFile, Edition, Theme};
use crate::http::caching::{Representation, daily_api_headers};
use crate::routes::context::{Context, HandlerResult};
use crate::routes::pages::general::with_policies;
use crate::routes::parameters::{date, is_by_cost, price, range, scope, theme};

/// Average costs over time, as a chart.
///
/// Lines for the worldwide average and up to five regions, and the forecast as a dotted line. With
/// `region_id`, the chart includes that region. `range` is `7d`, `30d`, `90d`, `1y`, `5y` or `all`, by default
/// `7d`; `5y` and `all` show one point per week. The SVG image can be embedded in other pages.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::HISTORY_CHART, tag = "Charts and files"))]
pub(crate) fn history_chart(context: &Context<'_>) -> HandlerResult {
    let scope = scope(&context.query, context.registry())?;
    let range = range(&context.query)?.unwrap_or(Range::Week);
    let theme = theme(&context.query)?;
    let file = Some(DailyFile::HistoryChart(scope, range, theme));
    respond(context, file, (scope, context.today(), theme), |edition, source| {
        let (model, today) = (edition.model(), edition.days().today()?);
        let lines = line_scopes(model, today, scope);
        Ok(HistoryChart::new(model, today, (scope, range), lines)?.file(source))
    })
}

/// Costs by region, as a chart.
///
/// Each region's minimum, average and maximum, largest share of the hashrate first. Always includes the
/// regions with the lowest minimum and the highest maximum.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::REGIONS_CHART, tag = "Charts and files"))]
pub(crate) fn regions_chart(context: &Context<'_>) -> HandlerResult {
    let theme = theme(&context.query)?;
    let file = Some(DailyFile::RegionsChart(theme));
    respond(context, file, (Scope::Global, context.today(), theme), |edition, source| {
        let (model, today) = (edition.model(), edition.days().today()?);
        Ok(draw_regions(model, today, source))
    })
}

/// The cost curve as a chart.
///
/// Each region is a block, cheapest first: its bottom is the minimum cost, its top the maximum, and its width
/// the region's share of the hashrate. A horizontal line marks the average. A dashed line marks `price`, which
/// defaults to the market price; the parts of blocks above it have a different colour. With `order=cost`, and if
/// the inputs have a fleet, the chart is one curve through the machines of all regions, coloured by efficiency.
/// `date` defaults to today.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::COST_CURVE_CHART, tag = "Charts and files"))]
pub(crate) fn cost_curve_chart(context: &Context<'_>) -> HandlerResult {
    let (theme, today) = (theme(&context.query)?, context.today());
    let price = price(&context.query, context.model())?;
    let date = date(&context.query)?.unwrap_or(today);
    let is_by_cost = is_by_cost(&context.query)?.unwrap_or(false);
    let is_cached = price.is_none() && date == today && !is_by_cost;
    let file = is_cached.then_some(DailyFile::CostCurveChart(theme));
    respond(context, file, (Scope::Global, date, theme), |edition, source| {
        let day = edition.model().day(date)?;
        let price = CurvePrice::new(edition.model(), &day, price)?;
        Ok(CostCurveChart::new(edition.model(), &day, (price, is_by_cost), None)?.file(source))
    })
}

fn respond(
    context: &Context<'_>,
    file: Option<DailyFile>,
    (scope, date, theme): (Scope, Date, Theme),
    draw: impl FnOnce(&Edition, &str) -> Result<String, NoFigures>,
) -> HandlerResult {
    let response = context.daily_file(file, "", |edition, site| {
        let model = edition.model();
        let kind = kind_of_data(model.inputs().about(), &model.provenance(scope, date)?);
        let host = site.host().map(|host| format!(" · {host}")).unwrap_or_default();
        let svg = draw(edition, &format!("{kind} · {}{host}", long_date(date)))?;
        let style = format!("</desc><style>{}</style>", style(theme));
        let svg = svg.replacen("</desc>", &style, 1);
        Ok(Representation::new(daily_api_headers(site, "image/svg+xml"), svg))
    })?;
    // A chart that is opened as a document may only use its own styles.
    Ok(with_policies(response, "default-src 'none'; style-src 'unsafe-inline'"))
}

fn style(theme: Theme) -> String {
    let [light, dark] = colours(include_str!("../../../assets/style.css"));
    let root = |colours: &str| format!(":root{{{colours}}}");
    let (light, dark) = (root(&light), root(&dark));
    match theme {
        Theme::Light => light,
        Theme::Dark => dark,
        Theme::Auto => format!("{light}@media screen and (prefers-color-scheme:dark){{{dark}}}"),
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
