//! The cost curve as a chart: each region's costs over its share of the hashrate, cheapest first.

use askama::Template;
use ghi_engine::{CostCurve, Costs, CurveRow, Day, Decimal, Model, NoFigures};

use crate::chart_layout::{Caption, ChartForm, ChartSource, ChartSvg, FileTexts, HEAD, Margins};
use crate::dates::long_date;
use crate::numbers::{Amount, Percent};
use crate::scale::{Scale, ScaleStyle, Tick};
use crate::svg::{isolated, rendered, short, shortened, small_width_of, width_of};
use crate::unit::Unit;

/// The heights of the plot and of the numbers below it, in pixels.
const PLOT: f64 = 320.0;
const FOOT: f64 = 24.0;

/// The space between the numbers on the left and the plot, in pixels.
const GAP: f64 = 8.0;

/// With more regions than this, neighbours share a block.
const REGIONS_MAX: usize = 200;

/// The minimum share of a shared block, hundredths of a percent.
const SHARED_BLOCK: u64 = 50;

/// The price that a cost curve is compared with.
#[derive(Clone, Copy, Debug)]
pub enum CurvePrice {
    /// The market price of the day.
    Market(Decimal),
    /// A reader's price.
    Reader(Decimal),
}

impl CurvePrice {
    fn usd(self) -> Decimal {
        match self {
            Self::Market(price) | Self::Reader(price) => price,
        }
    }

    fn label(self) -> String {
        let price = Amount(self.usd()).rounded();
        match self {
            Self::Market(_) => format!("Market price ${price}"),
            Self::Reader(_) => format!("Your price ${price}"),
        }
    }
}

/// A region, or neighbours that share a block.
struct CurveBlock {
    title: String,
    /// The name above it; empty if it does not fit.
    name: String,
    colour: &'static str,
    /// In percent of the plot.
    from: f64,
    width: f64,
    end: f64,
    middle: f64,
    /// In pixels from the top.
    top: f64,
    height: f64,
    average: f64,
}

/// The price as a line.
struct PriceLine {
    y: f64,
    label: String,
}

#[derive(Template)]
#[template(path = "cost_curve_chart.svg", escape = "html")]
struct CurvePlot {
    margins: Margins,
    ticks: Vec<Tick>,
    blocks: Vec<CurveBlock>,
    price: Option<PriceLine>,
}

/// Draws a file with the cost curve of a day. Each region is a block from minimum to maximum cost whose
/// width is its share of the hashrate, with a line at the average.
pub fn cost_curve_chart(
    model: &Model,
    day: &Day,
    price: Option<CurvePrice>,
    source: ChartSource<'_>,
) -> Result<String, NoFigures> {
    let curve = CostCurve::new(day);
    let name = &model.coin().name;
    let heading = match price.map(CurvePrice::usd) {
        Some(price) => format!(
            "{} of the hashrate mines one {name} for ${} or less",
            Percent(curve.share_below_pct(price)),
            Amount(price).rounded()
        ),
        None => format!(
            "Half of the hashrate mines one {name} for ${} or less",
            Amount(curve.percentile_usd(50)).rounded()
        ),
    };
    let percentiles = CostCurve::PERCENTILES.iter().zip(curve.percentiles_usd());
    let percentiles = percentiles.map(|(percent, cost)| format!("{percent}% {}", Amount(cost)));
    let description = format!(
        "Cost by cumulative share of the hashrate on {}, USD per {}: {}. Average {}.",
        long_date(day.date),
        model.coin().unit(),
        percentiles.collect::<Vec<_>>().join(", "),
        Amount(day.global.avg_usd)
    );
    let plot = CurvePlot::new(model, day, &model.curve_rows(day)?, price);
    let subtitle = "One block per region: width is its share of the hashrate, height its range of costs, and the line its average";
    Ok(rendered(&ChartSvg {
        form: ChartForm::File,
        margins: plot.margins,
        plot_height: (PLOT + FOOT) as u32,
        plot: &rendered(&plot),
        caption: &Caption { id: "cost-curve", heading: &heading, description: &description },
        file: Some(FileTexts { subtitle, date: long_date(day.date), source }),
    }))
}

impl CurvePlot {
    fn new(model: &Model, day: &Day, rows: &[CurveRow], price: Option<CurvePrice>) -> Self {
        let price_usd = price.map(CurvePrice::usd);
        let shown = rows.iter().filter(|row| row.hashrate_share_pct.count() > 0);
        let groups = groups(shown.collect(), REGIONS_MAX, SHARED_BLOCK);
        let highest = groups.iter().flatten().map(|row| row.costs.max_usd);
        let high = highest.chain(price_usd).fold(day.global.avg_usd, Ord::max);
        let style = ScaleStyle { ticks_max: 9, is_brief: true };
        let zero = Decimal::new(0, high.decimals());
        let scale = Scale::covering(zero, high, [PLOT, 0.0], style);
        let mut ticks = scale.ticks();
        if let Some(top) = ticks.last_mut() {
            top.label.insert(0, '$');
        }
        let left = ticks.iter().map(|tick| small_width_of(&tick.label)).fold(0.0, f64::max);
        let margins = Margins::new(left + GAP, GAP, ChartForm::File);
        let width = margins.plot_width(ChartForm::File);
        let blocks = groups.iter().map(|rows| block(model, rows, &scale, price_usd, width));
        let line = |price: CurvePrice| PriceLine {
            y: short(scale.place(price.usd())),
            label: price.label(),
        };
        Self { margins, ticks, blocks: blocks.collect(), price: price.map(line) }
    }
}

/// The regions of each block, the cheapest first. If there are more than a number of regions, a block has at
/// least a share, in hundredths of a percent.
pub(crate) fn groups(
    rows: Vec<&CurveRow>,
    regions_max: usize,
    least_share: u64,
) -> Vec<Vec<&CurveRow>> {
    let share =
        |rows: &[&CurveRow]| -> u64 { rows.iter().map(|row| row.hashrate_share_pct.count()).sum() };
    let is_shared = rows.len() > regions_max;
    let mut groups: Vec<Vec<&CurveRow>> = Vec::new();
    for row in rows {
        match groups.last_mut() {
            Some(group) if is_shared && share(group) < least_share => group.push(row),
            _ => groups.push(vec![row]),
        }
    }
    groups
}

/// Returns the block of one or more neighbours on the curve.
fn block(
    model: &Model,
    rows: &[&CurveRow],
    scale: &Scale,
    price: Option<Decimal>,
    plot_width: f64,
) -> CurveBlock {
    let [first, last] = [rows[0], rows[rows.len() - 1]];
    let costs = rows.iter().fold(first.costs, |all, row| Costs {
        min_usd: all.min_usd.min(row.costs.min_usd),
        // Rows are sorted by average, so this is the median of the averages.
        avg_usd: rows[rows.len() / 2].costs.avg_usd,
        max_usd: all.max_usd.max(row.costs.max_usd),
    });
    let start = first.cumulative_share_pct.count() - first.hashrate_share_pct.count();
    let end = last.cumulative_share_pct.count();
    let share = Decimal::new(end - start, last.cumulative_share_pct.decimals());
    let [from, width] = [start, end - start].map(|count| count as f64 / 100.0);
    let name = match rows.len() {
        1 => model.registry()[first.region].name.clone(),
        count => format!("{count} regions"),
    };
    let unit = Unit::of([costs.max_usd]);
    let fits = width_of(&name) <= plot_width * width / 100.0;
    let [top, average, bottom] =
        [costs.max_usd, costs.avg_usd, costs.min_usd].map(|cost| short(scale.place(cost)));
    CurveBlock {
        title: format!(
            "{}: ${}, {} of the hashrate",
            isolated(&shortened(&name, plot_width)),
            unit.written(costs.avg_usd),
            Percent(share)
        ),
        name: if fits { isolated(&name) } else { String::new() },
        colour: match price {
            Some(price) if costs.avg_usd > price => "line-1",
            _ => "average",
        },
        from: short(from),
        width: short(width),
        end: short(from + width),
        middle: short(from + width / 2.0),
        top,
        height: short(bottom - top),
        average,
    }
}

#[cfg(test)]
mod tests {
    use ghi_engine::Inputs;
    use jiff::civil::date;

    use super::*;

    const SOURCE: ChartSource<'_> = ChartSource { data: "Synthetic data", host: None };

    #[test]
    fn the_width_of_a_block_is_the_share_of_its_region() {
        let model = Model::new(Inputs::default());
        let day = model.day(date(2026, 11, 15)).unwrap();
        let svg = cost_curve_chart(&model, &day, None, SOURCE).unwrap();
        for (region, share) in model.registry().regions().iter().zip(&*day.hashrate_shares_pct) {
            assert!(svg.contains(&format!("<title>{}: $", region.name)), "{svg}");
            assert!(svg.contains(&format!(" width=\"{}%\"", share.to_f64())), "{svg}");
        }
        let half = Amount(CostCurve::new(&day).percentile_usd(50)).rounded();
        assert!(svg.contains(&format!("for ${half} or less")), "{svg}");
        assert!(!svg.contains("line-1"), "{svg}");
    }

    #[test]
    fn regions_above_the_price_have_another_colour() {
        let model = Model::new(Inputs::default());
        let day = model.day(date(2026, 11, 15)).unwrap();
        let [low, high] = [day.global.min_usd, day.global.max_usd];
        for (price, above) in [(low, 3), (high, 0)] {
            let price = CurvePrice::Reader(price);
            let svg = cost_curve_chart(&model, &day, Some(price), SOURCE).unwrap();
            assert_eq!(svg.matches("fill=\"var(--line-1)\"").count(), above, "{svg}");
            assert!(svg.contains(&price.label()), "{svg}");
        }
        let share = Percent(CostCurve::new(&day).share_below_pct(high));
        assert_eq!(share.to_string(), "100%");
    }
}
