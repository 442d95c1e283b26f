//! The cost curve: each region's costs over its share of the hashrate, cheapest first, or the machines of all regions
//! in the order of their costs, compared with a price.

use askama::Template;
use ghi_engine::{
    CostCurve, CurveRow, Day, Decimal, MeritPart, Model, NoFigures, RegisteredRegion,
};

use crate::numbers::{Unit, grouped, long_date, rounded, share_in_words, share_percent};
use crate::scale::{Scale, Tick};
use crate::svg::{
    ChartForm, ChartFrame, HEAD, LABEL_HEIGHT, Margins, SIZE, SMALL_SIZE, isolated, short,
    shortened, spread_out, width_of,
};

/// The heights of the plot, on a phone of the rotated plot, of the numbers below and of the space above, in pixels.
const PLOT: f64 = 360.0;
const ROWS: f64 = 270.0;
const FOOT: f64 = 24.0;
const TOP: f64 = 12.0;
const MARGINS: Margins = Margins { left: 48, right: 102 };

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

/// The generations of machines: their highest efficiency in J/TH, their name, and the opacity of their colour.
const GENERATIONS: [(f64, &str, f64); 4] = [
    (20.0, "Up to 20 J/TH", 0.15),
    (30.0, "20 to 30 J/TH", 0.3),
    (50.0, "30 to 50 J/TH", 0.45),
    (f64::INFINITY, "Above 50 J/TH", 0.6),
];

/// The price that a cost curve is compared with.
#[derive(Clone, Copy, Debug)]
pub struct CurvePrice {
    /// The price.
    pub usd: Decimal,
    /// The highest cost that is not above the revenue at this price, or the average if there is no price.
    pub break_even_usd: Decimal,
    /// Whether it is the worldwide average, because there is no price.
    pub is_average: bool,
    label: &'static str,
}

impl CurvePrice {
    /// Creates the reader's price or, without one, the market price or the average of the day.
    pub fn new(model: &Model, day: &Day, reader: Option<Decimal>) -> Result<Self, NoFigures> {
        let label = if reader.is_some() { "Your price" } else { "Market price" };
        let average = day.global.avg_usd;
        Ok(match reader.or(day.network.price_usd) {
            Some(usd) => {
                let break_even_usd = model.revenue_usd_per_coin(day, usd)?;
                Self { usd, break_even_usd, is_average: false, label }
            }
            None => {
                Self { usd: average, break_even_usd: average, is_average: true, label: "Average" }
            }
        })
    }
}

/// A region as a block. Positions are hundredths of a percent and pixels.
struct RegionBlock<'a> {
    id: &'a str,
    title: String,
    name: String,
    /// The name as it fits on a phone, or an empty string, and as it fits vertically.
    row_name: String,
    column_name: String,
    /// The indices of the first plot widths in which the name fits above the block, and vertically below it.
    level_from: usize,
    vertical_from: usize,
    name_above: f64,
    start: u64,
    middle: f64,
    width: u64,
    /// Of minimum, average and maximum.
    heights: [i64; 3],
}

/// The parts of the curve that machines of similar efficiency mine.
struct Generation {
    /// Its name and its share: `Up to 20 J/TH: 66%`.
    label: String,
    opacity: f64,
    /// A rectangle for each part, in the order of cost, as high as the plot.
    path: String,
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
pub struct CostCurveChart<'a> {
    /// The finding: how much of the hashrate mines below the price, or below the revenue at it.
    pub heading: String,
    /// This share of the hashrate.
    pub share_below_pct: Decimal,
    form: ChartForm,
    prefix: &'a str,
    description: String,
    ticks: Vec<Tick>,
    /// Empty if the curve is by cost: then it has the generations of machines, and a line through 101 points.
    blocks: Vec<RegionBlock<'a>>,
    generations: Vec<Generation>,
    line: String,
    /// The part of the plot's height above the price, where bands have another colour, in percent.
    price_at: f64,
    /// The price and the reader's cost, the highest first.
    levels: Vec<CostLevel>,
}

impl<'a> CostCurveChart<'a> {
    /// Creates the chart of a day with a price, by cost instead of by region if the flag is set and there is a
    /// fleet, and with the reader's own cost, if there is one.
    pub fn new(
        model: &'a Model,
        day: &Day,
        (price, is_by_cost): (CurvePrice, bool),
        yours: Option<Decimal>,
    ) -> Result<Self, NoFigures> {
        let (curve, mut rows) = (model.cost_curve(day)?, model.curve_rows(day)?);
        let break_even = price.break_even_usd;
        rows.retain(|row| row.hashrate_share_pct.count() > 0);
        let mut highest =
            rows.iter().map(|row| row.costs.max_usd).fold(day.global.avg_usd, Ord::max);
        let (mut points, mut generations) = (Vec::new(), Vec::new());
        if is_by_cost && model.has_fleet(day) {
            rows.clear();
            generations = generations_of(&model.merit_order(day)?);
            points = curve.percentiles_usd::<101>(std::array::from_fn(|at| at as u8)).to_vec();
            highest = day.global.avg_usd.max(points[100]);
        }
        // A cost far above the others would make them too small to see.
        let far = Decimal::new(highest.count() * 2, highest.decimals());
        let costs = [Some(break_even), yours].into_iter().flatten().filter(|cost| *cost <= far);
        let (zero, high) = (Decimal::new(0, far.decimals()), costs.fold(highest, Ord::max));
        let scale = Scale::linear(Unit::of([high]), [zero, high], [PLOT, 0.0], 8, true);
        let yours = yours.map(|cost| (cost, curve.share_below_pct(cost).to_f64()));
        let levels = levels(&scale, price, yours);
        let share_below_pct = curve.share_below_pct(break_even);
        Ok(Self {
            heading: heading(&model.coin().name, price, share_below_pct),
            share_below_pct,
            form: ChartForm::File,
            prefix: "",
            description: description(model, day, &curve) + &in_words(&generations),
            ticks: scale.ticks(),
            blocks: rows.iter().map(|row| block(model, row, &scale, &levels)).collect(),
            generations,
            line: line(&points, &scale),
            price_at: short(100.0 * scale.place(break_even).clamp(0.0, PLOT) / PLOT),
            levels,
        })
    }

    /// Draws the chart as a file with the text about its source.
    pub fn file(&self, source: &str) -> String {
        let subtitle = match self.generations.is_empty() {
            true => {
                "One block per region: width is its share of the hashrate, height its range of costs, and the line its average"
            }
            false => {
                "The cost below which a share of the hashrate mines, with the efficiency of the machines in the order of their costs"
            }
        };
        let plot = ((TOP + PLOT + FOOT) as u32, self);
        let texts = ["cost-curve", &self.heading, &self.description];
        let file = Some([subtitle, source]);
        ChartFrame { form: self.form, margins: MARGINS, plot, texts, file }.to_string()
    }

    /// Draws the chart for a page, in which links have a prefix.
    pub fn on_page(self, prefix: &'a str) -> String {
        Self { form: ChartForm::Wide, prefix, ..self }.to_string()
    }

    /// Returns a height as a position from the left on a phone, in percent.
    fn across(&self, y: &f64) -> f64 {
        short(100.0 - 100.0 * y / PLOT).min(100.0)
    }

    /// Returns whether the label of a level is to the left of its line on a phone, where there is more room.
    fn is_labelled_left(&self, level: &CostLevel) -> bool {
        self.across(&level.y) > 50.0
    }

    /// Returns the blocks whose names fit from a plot width on. Files have no vertical names.
    fn names(&self, from: &usize, is_vertical: &bool) -> Vec<&RegionBlock<'a>> {
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

fn heading(coin: &str, price: CurvePrice, share_below_pct: Decimal) -> String {
    let (share, usd) = (share_in_words(share_below_pct, "All", "None"), rounded(price.usd));
    let limit = match price.is_average {
        true => "for less than the average".into(),
        false if price.break_even_usd == price.usd => format!("for less than ${usd}"),
        false => format!("at a profit at a price of ${usd}"),
    };
    format!("{share} of the hashrate mines a {coin} {limit}")
}

fn description(model: &Model, day: &Day, curve: &CostCurve) -> String {
    let percentiles =
        CostCurve::PERCENTILES.iter().zip(curve.percentiles_usd(CostCurve::PERCENTILES));
    let percentiles = percentiles.map(|(percent, cost)| format!("{percent}% {}", grouped(cost)));
    format!(
        "Cost by cumulative share of the hashrate on {}, USD per {}: {}. Average {}.",
        long_date(day.date),
        model.coin().unit(),
        percentiles.collect::<Vec<_>>().join(", "),
        grouped(day.global.avg_usd)
    )
}

/// Returns the generations that have a share in these parts, in the order of cost.
fn generations_of(parts: &[MeritPart]) -> Vec<Generation> {
    let (mut paths, mut shares) =
        (GENERATIONS.map(|_| String::new()), GENERATIONS.map(|_| 0.0_f64));
    let mut cumulative = 0.0;
    for part in parts {
        let efficiency = part.efficiency_j_per_th.value();
        let place = GENERATIONS.iter().take_while(|(highest, ..)| efficiency > *highest).count();
        let share = part.hashrate_share_pct.to_f64();
        shares[place] += share;
        let [start, end] = [cumulative, cumulative + share].map(|at| (100.0 * at).round());
        cumulative += share;
        if start < end {
            paths[place] += &format!("M{start} 0H{end}V{PLOT}H{start}z");
        }
    }
    let generations = GENERATIONS.into_iter().zip(paths).zip(shares);
    let generations = generations.filter(|(_, share)| *share > 0.0);
    let generations = generations.map(|(((_, name, opacity), path), share)| {
        let share = Decimal::new((100.0 * share).round() as u64, 2);
        let share = share_in_words(share, "100%", "0%");
        Generation { label: format!("{name}: {share}"), opacity, path }
    });
    generations.collect()
}

fn in_words(generations: &[Generation]) -> String {
    let labels: Vec<&str> = generations.iter().map(|generation| &*generation.label).collect();
    if labels.is_empty() { String::new() } else { format!(" Machines: {}.", labels.join(", ")) }
}

/// Returns the path through costs at equal distances.
fn line(points: &[Decimal], scale: &Scale) -> String {
    let point = |(percent, cost): (usize, &Decimal)| {
        let letter = if percent == 0 { "M" } else { "L" };
        format!("{letter}{} {}", 100 * percent, short(scale.place(*cost)))
    };
    points.iter().enumerate().map(point).collect()
}

/// Returns the levels of the price, which is at the break-even cost, and of the reader's cost.
fn levels(scale: &Scale, price: CurvePrice, yours: Option<(Decimal, f64)>) -> Vec<CostLevel> {
    let level = |dashes, label, [shown, cost]: [Decimal; 2], share| {
        let at = scale.place(cost);
        let (y, is_off) = (short(at.clamp(-TOP, PLOT)), at < -TOP);
        let amount = format!("${}", Unit::of([shown]).written(shown));
        CostLevel { dashes, label, amount, is_off, y, label_y: y, share }
    };
    let prices = [price.usd, price.break_even_usd];
    let mut levels = vec![level("6 4", price.label, prices, None)];
    levels.extend(yours.map(|(cost, share)| level("2 3", "You", [cost; 2], Some(share))));
    levels.sort_by(|one, other| one.y.total_cmp(&other.y));
    let heights: Vec<f64> = levels.iter().map(|level| level.y / LABEL_LINES).collect();
    let placed = spread_out(&heights, [0.0, (PLOT - LABEL_HEIGHT) / LABEL_LINES]);
    for (level, y) in levels.iter_mut().zip(placed) {
        level.label_y = short(LABEL_LINES * y);
    }
    levels
}

fn block<'a>(
    model: &'a Model,
    row: &CurveRow,
    scale: &Scale,
    levels: &[CostLevel],
) -> RegionBlock<'a> {
    let RegisteredRegion { id, name } = &model.registry()[row.region];
    let width = row.hashrate_share_pct.count();
    let start = row.cumulative_share_pct.count() - width;
    let costs = [row.costs.min_usd, row.costs.avg_usd, row.costs.max_usd];
    let part = width as f64 / WHOLE as f64;
    let is_row_named = part * ROWS >= ROW_NAME_HEIGHT;
    let row_name = if is_row_named { shortened(name, ROW_NAME_MAX) } else { String::new() };
    let [min, average, max] = costs.map(|cost| Unit::of([costs[2]]).written(cost));
    let share = share_percent(row.hashrate_share_pct);
    let heights = costs.map(|cost| scale.place(cost).round() as i64);
    let column = PLOT - heights[0] as f64;
    let from = |width: f64| WIDTHS.iter().take_while(|plot| width > *plot * part).count();
    RegionBlock {
        id,
        title: format!(
            "{}: average ${average} (${min} to ${max}), {share} of hashrate",
            isolated(name)
        ),
        name_above: name_above(scale.place(costs[2]), scale.place(costs[1]), levels),
        level_from: from(width_of(name)),
        vertical_from: if column >= VERTICAL_HEIGHT { from(VERTICAL_WIDTH) } else { WIDTHS.len() },
        column_name: isolated(&shortened(name, column * SIZE / SMALL_SIZE)),
        row_name: isolated(&row_name),
        name: isolated(name),
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

    fn draw(price: fn(&Day) -> Option<Decimal>, yours: Option<Decimal>) -> [String; 2] {
        let model = Model::new(Inputs::default());
        let mut day = model.day(date(2026, 11, 15)).unwrap();
        day.network.price_usd = None;
        let price = CurvePrice::new(&model, &day, price(&day)).unwrap();
        let chart = || CostCurveChart::new(&model, &day, (price, false), yours).unwrap();
        [chart().file("Synthetic data"), chart().on_page("/x")]
    }

    #[test]
    fn each_region_has_a_block_as_wide_as_its_share() {
        let [file, page] = draw(|day| Some(day.global.max_usd), None);
        for (id, name, width) in
            [("us", "United States", 6_000), ("eu", "Europe", 1_300), ("cn", "China", 2_700)]
        {
            assert!(page.contains(&format!("<a href=\"/x/regions/{id}\">")), "{page}");
            for svg in [&file, &page] {
                assert!(svg.contains(&format!("<title>{name}: average $")), "{svg}");
                assert!(svg.contains("<rect width=\"100.00%\" height=\"5\" fill=\"var(--range)\""));
                assert!(svg.contains(&format!("h{width}V")), "{svg}");
                assert!(!svg.contains(">You<") && !svg.contains(">You $"), "{svg}");
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
        let price = CurvePrice::new(&model, &day, None).unwrap();
        let chart = || CostCurveChart::new(&model, &day, (price, false), None).unwrap();
        let page = chart().on_page("");
        let (level, vertical) = page.split_once("class=\"from-0 vertical\"").unwrap();
        assert!(level.contains(">United States</text>"), "{level}");
        assert!(vertical.contains("<text x=\"93.5%\">A name of 21 letters</text>"), "{vertical}");
        let file = chart().file("Synthetic data");
        assert!(!file.contains(">A name of 21 letters</text>"), "{file}");
    }

    #[test]
    fn the_part_of_a_band_above_the_price_has_another_colour() {
        let prices = [
            |day: &Day| Some(day.global.max_usd),
            |_: &Day| None,
            |day: &Day| Some(day.global.min_usd),
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
        let [file, _] = draw(|_| None, None);
        assert!(file.contains("for less than the average"), "{file}");
    }

    #[test]
    fn the_readers_cost_is_on_the_curve_even_if_it_is_far_away() {
        for (cents, label) in [(4_120_000, "$41,200"), (1, "$0.01"), (10_u64.pow(15), "$10.00tn")] {
            let yours = Some(Decimal::new(cents, 2));
            let [_, page] = draw(|_| None, yours);
            assert_eq!(page.matches(label).count(), 2, "{page}");
        }
    }
}
