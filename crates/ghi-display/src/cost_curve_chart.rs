//! The cost curve: each region's costs over its share of the hashrate, cheapest first, compared with a price.

use askama::Template;
use ghi_engine::{CostCurve, CurveRow, Day, Decimal, Model, NoFigures};

use crate::numbers::{Unit, grouped, long_date, rounded, share_in_words, share_percent};
use crate::scale::{Scale, Tick};
use crate::svg::{
    BOLD, ChartForm, ChartSvg, HEAD, LABEL_HEIGHT, Margins, SIZE, SMALL_SIZE, isolated, short,
    shortened, spread_out, width_of,
};

/// The heights of the plot, on a phone of the rotated plot, of the numbers below and of the space above, in pixels.
const PLOT: f64 = 360.0;
const ROWS: f64 = 270.0;
const FOOT: f64 = 24.0;
const TOP: f64 = 12.0;
const MARGINS: Margins = Margins { left: 48, right: 102 };

/// Above `REGIONS_MAX` regions, neighbours share blocks of `SHARED_BLOCK` hundredths of a percent or more.
const REGIONS_MAX: usize = 32;
const SHARED_BLOCK: u64 = 400;

/// The plot widths, in pixels, from which the stylesheet shows more names. The second is the width in a file.
const WIDTHS: [f64; 3] = [330.0, 490.0, 980.0];

/// The height of a name above its block, in pixels. On a phone, names are smaller, and not wider than `ROW_NAME_MAX`.
const NAME_HEIGHT: f64 = 20.0;
const ROW_NAME_HEIGHT: f64 = 12.0;
const ROW_NAME_MAX: f64 = 150.0;

/// The height of the label of a level, with the space below it, in lines.
const LABEL_LINES: f64 = 2.4;

/// The smallest width of a block, and height below its band, for a vertical name, in pixels.
const VERTICAL_WIDTH: f64 = 16.0;
const VERTICAL_HEIGHT: f64 = 48.0;

/// The hashrate in hundredths of a percent, which is the width of the plot in its own units.
const WHOLE: u64 = 10_000;

/// The number of blocks up to which rows without a name are links on a phone. More would make the page too large.
const THIN_LINKS_MAX: usize = 12;

/// The price that a cost curve is compared with.
#[derive(Clone, Copy, Debug)]
pub enum CurvePrice {
    /// The market price of the day.
    Market(Decimal),
    /// A reader's price.
    Reader(Decimal),
    /// The worldwide average, if there is no price.
    Average(Decimal),
}

impl CurvePrice {
    /// Returns the reader's price or, without one, the market price or the average of the day.
    pub fn of(reader: Option<Decimal>, day: &Day) -> Self {
        let market = day.network.price_usd.map(Self::Market);
        reader.map(Self::Reader).or(market).unwrap_or(Self::Average(day.global.avg_usd))
    }

    /// Returns the price.
    pub fn usd(self) -> Decimal {
        let (Self::Market(price) | Self::Reader(price) | Self::Average(price)) = self;
        price
    }

    /// Returns the highest cost that is not above the revenue at this price, or the average if there is no price.
    pub fn break_even_usd(self, model: &Model, day: &Day) -> Result<Decimal, NoFigures> {
        match self {
            Self::Market(price) | Self::Reader(price) => model.revenue_usd_per_coin(day, price),
            Self::Average(average) => Ok(average),
        }
    }
}

/// A region, or neighbours that share a block. Positions are hundredths of a percent and pixels.
struct RegionBlock {
    /// The path and query of the region, or of the table if the block has several regions.
    link: String,
    title: String,
    name: String,
    /// The name as it fits on a phone, or an empty string, and as it fits vertically.
    row_name: String,
    column_name: String,
    /// The indices of the first plot widths in which the name fits above the block, and vertically below it.
    level_from: usize,
    vertical_from: usize,
    /// The name is written above this height.
    name_above: f64,
    start: u64,
    /// The middle, in percent.
    middle: f64,
    width: u64,
    /// Of minimum, average and maximum.
    heights: [i64; 3],
}

struct CostLevel {
    dashes: &'static str,
    label: &'static str,
    amount: String,
    /// Whether it is above the scale. Then only its label is drawn, with an arrow.
    is_off: bool,
    y: f64,
    label_y: f64,
    /// The share of the hashrate that costs less, in percent, if it is marked.
    share: Option<f64>,
}

/// The cost curve of a day: in a file, or on a page, both in a wide form and rotated for phones.
#[derive(Template)]
#[template(path = "cost_curve_chart.svg", escape = "html")]
struct CurvePlot<'a> {
    form: ChartForm,
    prefix: &'a str,
    description: String,
    ticks: Vec<Tick>,
    blocks: Vec<RegionBlock>,
    /// The part of the plot's height above the price, where bands have another colour, in percent.
    price_at: f64,
    share_below_pct: Decimal,
    /// The price and the reader's cost, the highest first.
    levels: Vec<CostLevel>,
}

/// Draws the cost curve of a day as a file with the text about its source.
pub fn cost_curve_chart(
    model: &Model,
    day: &Day,
    price: CurvePrice,
    source: &str,
) -> Result<String, NoFigures> {
    let plot = CurvePlot::new(model, day, price, None)?;
    let subtitle = "One block per region: width is its share of the hashrate, height its range of costs, and the line its average";
    let chart = ChartSvg {
        form: plot.form,
        margins: MARGINS,
        plot_height: (TOP + PLOT + FOOT) as u32,
        plot: plot.to_string(),
        id: "cost-curve",
        heading: &cost_curve_finding(model, day, price)?,
        description: &plot.description,
        file: Some([subtitle, source]),
    };
    Ok(chart.to_string())
}

/// Draws the cost curve of a day for a page, with the reader's own cost if there is one, and links with a prefix.
pub fn cost_curve_on_page(
    model: &Model,
    day: &Day,
    price: CurvePrice,
    yours: Option<Decimal>,
    prefix: &str,
) -> Result<String, NoFigures> {
    let plot = CurvePlot::new(model, day, price, yours)?;
    Ok(CurvePlot { form: ChartForm::Wide, prefix, ..plot }.to_string())
}

/// Returns the heading of a cost curve: how much of the hashrate mines below a price, or below the revenue at it.
pub fn cost_curve_finding(
    model: &Model,
    day: &Day,
    price: CurvePrice,
) -> Result<String, NoFigures> {
    let break_even = price.break_even_usd(model, day)?;
    let share = model.cost_curve(day)?.share_below_pct(break_even);
    let limit = format!("${}", rounded(price.usd()));
    let limit = match price {
        CurvePrice::Average(_) => "for less than the average".into(),
        _ if break_even == price.usd() => format!("for less than {limit}"),
        _ => format!("at a profit at a price of {limit}"),
    };
    let (share, coin) = (share_in_words(share, "All", "None"), &model.coin().name);
    Ok(format!("{share} of the hashrate mines a {coin} {limit}"))
}

impl CurvePlot<'_> {
    fn new(
        model: &Model,
        day: &Day,
        price: CurvePrice,
        yours: Option<Decimal>,
    ) -> Result<Self, NoFigures> {
        let (curve, mut rows) = (model.cost_curve(day)?, model.curve_rows(day)?);
        let break_even = price.break_even_usd(model, day)?;
        rows.retain(|row| row.hashrate_share_pct.count() > 0);
        let highest = rows.iter().map(|row| row.costs.max_usd).fold(day.global.avg_usd, Ord::max);
        // A cost far above the others would make them too small to see.
        let far = Decimal::new(highest.count() * 2, highest.decimals());
        let costs = [Some(break_even), yours].into_iter().flatten().filter(|cost| *cost <= far);
        let (zero, high) = (Decimal::new(0, far.decimals()), costs.fold(highest, Ord::max));
        let scale = Scale::linear(Unit::of([high]), [zero, high], [PLOT, 0.0], 8, true);
        let percentiles =
            CostCurve::PERCENTILES.iter().zip(curve.percentiles_usd(CostCurve::PERCENTILES));
        let percentiles =
            percentiles.map(|(percent, cost)| format!("{percent}% {}", grouped(cost)));
        let description = format!(
            "Cost by cumulative share of the hashrate on {}, USD per {}: {}. Average {}.",
            long_date(day.date),
            model.coin().unit(),
            percentiles.collect::<Vec<_>>().join(", "),
            grouped(day.global.avg_usd)
        );
        let yours = yours.map(|cost| (cost, curve.share_below_pct(cost).to_f64()));
        let levels = levels(&scale, (price, break_even), yours);
        Ok(Self {
            form: ChartForm::File,
            prefix: "",
            description,
            ticks: scale.ticks(),
            blocks: groups(&rows).map(|rows| block(model, rows, &scale, &levels)).collect(),
            price_at: short(100.0 * scale.place(break_even).clamp(0.0, PLOT) / PLOT),
            share_below_pct: curve.share_below_pct(break_even),
            levels,
        })
    }

    /// Returns a height as a position from the left on a phone, in percent.
    fn across(&self, y: &f64) -> f64 {
        short(100.0 - 100.0 * y / PLOT).min(100.0)
    }

    /// Returns whether the label of a level fits to the left of its line on a phone.
    fn fits_left(&self, level: &CostLevel) -> bool {
        let width = BOLD * (width_of(level.label) + width_of(&level.amount));
        width + SIZE < self.across(&level.y) / 100.0 * ChartForm::Narrow.width()
    }

    /// Returns the blocks whose names fit from a plot width on. Files have no vertical names.
    fn names(&self, from: &usize, is_vertical: &bool) -> Vec<&RegionBlock> {
        let is_named = |block: &&RegionBlock| match is_vertical {
            true => block.vertical_from == *from && *from < block.level_from,
            false => block.level_from == *from,
        };
        let is_shown = self.form.is_on_page() || (!is_vertical && *from < 2);
        self.blocks.iter().filter(|_| is_shown).filter(is_named).collect()
    }

    /// Returns a position on the hashrate axis as a height on a phone, in pixels.
    fn row(&self, share: &u64) -> f64 {
        short(*share as f64 * ROWS / WHOLE as f64)
    }
}

/// Returns the levels of the price, which is at the break-even cost, and of the reader's cost.
fn levels(
    scale: &Scale,
    (price, break_even): (CurvePrice, Decimal),
    yours: Option<(Decimal, f64)>,
) -> Vec<CostLevel> {
    let level = |dashes, label, [shown, cost]: [Decimal; 2], share| {
        let at = scale.place(cost);
        let (y, is_off) = (short(at.clamp(-TOP, PLOT)), at < -TOP);
        let amount = format!("${}", Unit::of([shown]).written(shown));
        CostLevel { dashes, label, amount, is_off, y, label_y: y, share }
    };
    let label = match price {
        CurvePrice::Market(_) => "Market price",
        CurvePrice::Reader(_) => "Your price",
        CurvePrice::Average(_) => "Average",
    };
    let mut levels = vec![level("6 4", label, [price.usd(), break_even], None)];
    levels.extend(yours.map(|(cost, share)| level("2 3", "You", [cost; 2], Some(share))));
    levels.sort_by(|one, other| one.y.total_cmp(&other.y));
    let heights: Vec<f64> = levels.iter().map(|level| level.y / LABEL_LINES).collect();
    let placed = spread_out(&heights, [0.0, (PLOT - LABEL_HEIGHT) / LABEL_LINES]);
    for (level, y) in levels.iter_mut().zip(placed) {
        level.label_y = short(LABEL_LINES * y);
    }
    levels
}

/// Groups the regions, cheapest first, into those that share a block.
fn groups(rows: &[CurveRow]) -> impl Iterator<Item = &[CurveRow]> {
    let is_shared = rows.len() > REGIONS_MAX;
    let mut share = SHARED_BLOCK;
    rows.chunk_by(move |row, _| {
        share = if share < SHARED_BLOCK { share } else { 0 } + row.hashrate_share_pct.count();
        is_shared && share < SHARED_BLOCK
    })
}

fn block(model: &Model, rows: &[CurveRow], scale: &Scale, levels: &[CostLevel]) -> RegionBlock {
    let [first, last] = [&rows[0], &rows[rows.len() - 1]];
    let start = first.cumulative_share_pct.count() - first.hashrate_share_pct.count();
    let width = last.cumulative_share_pct.count() - start;
    let costs = [
        rows.iter().map(|row| row.costs.min_usd).fold(first.costs.min_usd, Ord::min),
        // Rows are sorted by average. If there are several, the line is at the average of the middle one.
        rows[rows.len() / 2].costs.avg_usd,
        rows.iter().map(|row| row.costs.max_usd).fold(first.costs.max_usd, Ord::max),
    ];
    let (name, link) = match rows {
        [row] => {
            let region = &model.registry()[row.region];
            (region.name.clone(), format!("regions/{}", region.id))
        }
        _ => (format!("{} regions", rows.len()), "?page=1#regions".into()),
    };
    let part = width as f64 / WHOLE as f64;
    let is_row_named = part * ROWS >= ROW_NAME_HEIGHT;
    let row_name = if is_row_named { shortened(&name, ROW_NAME_MAX) } else { String::new() };
    let [min, average, max] = costs.map(|cost| Unit::of([costs[2]]).written(cost));
    let share = share_percent(Decimal::new(width, 2));
    let heights = costs.map(|cost| scale.place(cost).round() as i64);
    let column = PLOT - heights[0] as f64;
    let from = |width: f64| WIDTHS.iter().take_while(|plot| width > *plot * part).count();
    RegionBlock {
        name_above: name_above(scale.place(costs[2]), scale.place(costs[1]), levels),
        link,
        title: format!(
            "{}: average ${average} (${min} to ${max}), {share} of hashrate",
            isolated(&name)
        ),
        level_from: from(width_of(&name)),
        vertical_from: if column >= VERTICAL_HEIGHT { from(VERTICAL_WIDTH) } else { WIDTHS.len() },
        column_name: isolated(&shortened(&name, column * SIZE / SMALL_SIZE)),
        row_name: isolated(&row_name),
        name: isolated(&name),
        start,
        middle: ((2 * start + width) as f64 / 20.0).round() / 10.0,
        width,
        heights,
    }
}

/// Returns the height above which a block's name is written: the top of the band. If a level would cross the name, it
/// is written inside the block, above the average or, if there is no space, above the level.
fn name_above(top: f64, average: f64, levels: &[CostLevel]) -> f64 {
    let crossing = |at: f64| levels.iter().rfind(|level| (at - NAME_HEIGHT..at).contains(&level.y));
    let inside = top + NAME_HEIGHT;
    let place = match crossing(top) {
        None => top,
        Some(_) if inside < average && crossing(inside).is_none() => inside,
        Some(level) => crossing(level.y).map_or(level.y, |other| other.y),
    };
    short(place)
}

#[cfg(test)]
mod tests {
    use ghi_engine::Inputs;
    use jiff::civil::date;

    use super::*;

    fn draw(price: fn(&Day) -> CurvePrice, yours: Option<Decimal>) -> [String; 2] {
        let model = Model::new(Inputs::default());
        let day = model.day(date(2026, 11, 15)).unwrap();
        let price = price(&day);
        [
            cost_curve_chart(&model, &day, price, "Synthetic data").unwrap(),
            cost_curve_on_page(&model, &day, price, yours, "/x").unwrap(),
        ]
    }

    #[test]
    fn each_region_has_a_block_as_wide_as_its_share() {
        let [file, page] = draw(|day| CurvePrice::Market(day.global.max_usd), None);
        for (id, name, width) in
            [("us", "United States", 6_000), ("eu", "Europe", 1_300), ("cn", "China", 2_700)]
        {
            assert!(page.contains(&format!("<a href=\"/x/regions/{id}\">")), "{page}");
            for svg in [&file, &page] {
                assert!(svg.contains(&format!("<title>{name}: average $")), "{svg}");
                assert!(svg.contains("<rect width=\"100.00%\" height=\"5\" fill=\"var(--range)\""));
                assert!(svg.contains(&format!("h{width}V")), "{svg}");
                assert!(!svg.contains(">You"), "{svg}");
            }
        }
        assert!(!file.contains("<a "), "{file}");
        assert!(file.contains("All of the hashrate mines a bitcoin for less than $"), "{file}");
    }

    #[test]
    fn a_name_too_wide_for_its_block_is_vertical_below_it() {
        let inputs = ghi_engine::DEFAULT_INPUTS.replace("\"Europe\"", "\"A name of 21 letters\"");
        let model = Model::new(Inputs::parse(&inputs).unwrap());
        let day = model.day(date(2026, 11, 15)).unwrap();
        let price = CurvePrice::Average(day.global.avg_usd);
        let page = cost_curve_on_page(&model, &day, price, None, "").unwrap();
        let (level, vertical) = page.split_once("class=\"from-0 vertical\"").unwrap();
        assert!(level.contains(">United States</text>"), "{level}");
        assert!(vertical.contains("<text x=\"93.5%\">A name of 21 letters</text>"), "{vertical}");
        let file = cost_curve_chart(&model, &day, price, "Synthetic data").unwrap();
        assert!(!file.contains(">A name of 21 letters</text>"), "{file}");
    }

    #[test]
    fn the_part_of_a_band_above_the_price_has_another_colour() {
        let prices = [
            |day: &Day| CurvePrice::Reader(day.global.max_usd),
            |day: &Day| CurvePrice::Average(day.global.avg_usd),
            |day: &Day| CurvePrice::Reader(day.global.min_usd),
        ];
        let starts = prices.map(|price| {
            let stops = draw(price, None).map(|svg| {
                let [above, below] = ["line-1", "range"].map(|colour| {
                    let end = format!("%\" stop-color=\"var(--{colour})\"/>");
                    let (before, _) = svg.split_once(&end).unwrap();
                    before.rsplit_once("<stop offset=\"").unwrap().1.parse::<f64>().unwrap()
                });
                assert_eq!(above, below);
                above
            });
            assert_eq!(stops[0], stops[1]);
            stops[0]
        });
        assert!(0.0 < starts[0] && starts.is_sorted() && starts[2] < 100.0, "{starts:?}");
        let [file, _] = draw(|day| CurvePrice::Average(day.global.avg_usd), None);
        assert!(file.contains("for less than the average"), "{file}");
    }

    #[test]
    fn the_readers_cost_is_on_the_curve_even_if_it_is_far_away() {
        for (cents, label) in [(4_120_000, "$41,200"), (1, "$0.01"), (10_u64.pow(15), "$10.00tn")] {
            let yours = Some(Decimal::new(cents, 2));
            let [_, page] = draw(|day| CurvePrice::Average(day.global.avg_usd), yours);
            assert_eq!(page.matches(label).count(), 2, "{page}");
        }
    }
}
