//! The cost curve on a page: blocks that link to regions, a price, and the reader's own cost.

use askama::Template;
use ghi_engine::{CostCurve, CurveRow, Day, Decimal, Model, NoFigures};

use crate::cost_curve_chart::groups;
use crate::end_labels::{LABEL_HEIGHT, spread_out};
use crate::numbers::{Amount, Percent};
use crate::scale::{Scale, ScaleStyle, Tick};
use crate::svg::{isolated, short, shortened, width_of};
use crate::unit::Unit;

/// The height of the plot in pixels: with the regions side by side, and below each other on a phone.
const HEIGHT: f64 = 360.0;
const ROWS_HEIGHT: f64 = 300.0;

/// The most regions that have a block each, and otherwise the least share of a block, in hundredths of a
/// percent.
const REGIONS_MAX: usize = 32;
const SHARED_BLOCK: u64 = 400;

/// The widths of the plot, in pixels, from which the stylesheet shows more names.
const WIDTHS: [f64; 3] = [330.0, 560.0, 950.0];

/// The widest name on a phone, in pixels.
const ROW_NAME_MAX: f64 = 120.0;

/// The hashrate in hundredths of a percent, which is the width of the plot in its own units.
const WHOLE: u64 = 10_000;

/// The cost curve of a day for a page. Both forms are sent: wide, and turned by a right angle for phones.
#[derive(Template)]
#[template(path = "curve_on_page.svg", escape = "html")]
pub struct CurveOnPage<'a> {
    prefix: &'a str,
    /// A description for people who cannot see it.
    description: String,
    ticks: Vec<Tick>,
    blocks: Vec<PageBlock>,
    /// The price and the reader's cost.
    levels: Vec<CostLevel>,
}

/// A region, or neighbours that share a block. Positions are hundredths of a percent and pixels.
struct PageBlock {
    /// The path and query of the region, or of the table if the block has several.
    link: String,
    title: String,
    name: String,
    /// The name on a phone, if it fits.
    row_name: String,
    /// The first width at which the name fits, if it does.
    name_from: Option<usize>,
    start: u64,
    width: u64,
    max: i64,
    average: i64,
    min: i64,
    /// The top of the part of the band that is below the price.
    band_top: i64,
    /// The part of the band that is above the price, from its top to its bottom.
    above: Option<[i64; 2]>,
}

impl PageBlock {
    /// Returns the middle in percent of the hashrate.
    fn middle(&self) -> f64 {
        (2 * self.start + self.width) as f64 / 200.0
    }

    /// Returns the position and the height of its row on a phone, in pixels.
    fn row(&self) -> [f64; 2] {
        [self.start, self.width].map(|count| short(count as f64 * ROWS_HEIGHT / WHOLE as f64))
    }
}

/// A cost across the plot, with a label next to it.
struct CostLevel {
    class: &'static str,
    label: String,
    y: f64,
    /// The height of the label.
    label_y: f64,
    /// The share of the hashrate that costs less, in percent, if it is marked.
    share: Option<f64>,
}

impl CostLevel {
    /// Returns its position on a phone, in percent.
    fn from_left(&self) -> f64 {
        short(100.0 - 100.0 * self.y / HEIGHT)
    }
}

impl<'a> CurveOnPage<'a> {
    /// Draws the curve of a day with a labelled price and the reader's own cost. `prefix` comes before the
    /// paths of links.
    pub fn new(
        model: &Model,
        day: &Day,
        (price, price_label): (Decimal, &str),
        yours: Option<Decimal>,
        prefix: &'a str,
    ) -> Result<Self, NoFigures> {
        let (curve, rows) = (CostCurve::new(day), model.curve_rows(day)?);
        let shown = rows.iter().filter(|row| row.hashrate_share_pct.count() > 0);
        let highest = shown.clone().map(|row| row.costs.max_usd).max().unwrap_or(price);
        // A cost far above the others would make them too small to see.
        let far = Decimal::new(highest.count() * 2, highest.decimals());
        let costs = [Some(price), yours].into_iter().flatten().filter(|cost| *cost <= far);
        let high = costs.fold(highest, Ord::max);
        let style = ScaleStyle { ticks_max: 8, is_brief: true };
        let scale = Scale::covering(Decimal::new(0, high.decimals()), high, [HEIGHT, 0.0], style);
        let groups = groups(shown.collect(), REGIONS_MAX, SHARED_BLOCK);
        let blocks = groups.iter().map(|rows| block(model, rows, &scale, price)).collect();
        let percentiles = CostCurve::PERCENTILES.iter().zip(curve.percentiles_usd());
        let percentiles = percentiles.map(|(percent, cost)| format!("{percent}% {}", Amount(cost)));
        let description = format!(
            "Cost of one {} by cumulative share of the hashrate, USD: {}.",
            model.coin().name,
            percentiles.collect::<Vec<_>>().join(", ")
        );
        let mut ticks = scale.ticks();
        if let Some(top) = ticks.last_mut() {
            top.label.insert(0, '$');
        }
        let levels = levels(&scale, (price, price_label), yours, &curve);
        Ok(Self { prefix, description, ticks, blocks, levels })
    }

    /// Returns every other tick, with its position from the left in percent.
    fn row_ticks(&self) -> impl Iterator<Item = (f64, &str)> {
        let from_left = |tick: &'_ Tick| short(100.0 - 100.0 * tick.at / HEIGHT);
        self.ticks.iter().rev().step_by(2).map(move |tick| (from_left(tick), &*tick.label))
    }
}

fn levels(
    scale: &Scale,
    (price, label): (Decimal, &str),
    yours: Option<Decimal>,
    curve: &CostCurve,
) -> Vec<CostLevel> {
    let level = |class, label: &str, cost: Decimal, share| {
        let y = short(scale.place(cost).clamp(-12.0, HEIGHT));
        let label = format!("{label} ${}", Unit::of([cost]).written(cost));
        CostLevel { class, label, y, label_y: y, share }
    };
    let mut levels = vec![level("price", label, price, None)];
    levels.extend(yours.map(|cost| {
        let share = curve.share_below_pct(cost).to_f64();
        level("you", "You", cost, Some(share))
    }));
    levels.sort_by(|one, other| one.y.total_cmp(&other.y));
    let heights: Vec<f64> = levels.iter().map(|level| level.y).collect();
    for (level, y) in levels.iter_mut().zip(spread_out(&heights, [-12.0, HEIGHT - LABEL_HEIGHT])) {
        level.label_y = short(y);
    }
    levels
}

/// Returns the block of some neighbours on the curve, of which there is at least one.
fn block(model: &Model, rows: &[&CurveRow], scale: &Scale, price: Decimal) -> PageBlock {
    let [first, last] = [rows[0], rows[rows.len() - 1]];
    let share = |row: &CurveRow| row.hashrate_share_pct.count();
    let start = first.cumulative_share_pct.count() - share(first);
    let width = last.cumulative_share_pct.count() - start;
    let min_usd = rows.iter().map(|row| row.costs.min_usd).fold(first.costs.min_usd, Ord::min);
    let max_usd = rows.iter().map(|row| row.costs.max_usd).fold(first.costs.max_usd, Ord::max);
    // Rows ascend by average: several have their line at the one in the middle.
    let avg_usd = rows[rows.len() / 2].costs.avg_usd;
    let region = (rows.len() == 1).then(|| &model.registry()[first.region]);
    let name =
        region.map_or_else(|| format!("{} regions", rows.len()), |region| region.name.clone());
    let part = width as f64 / WHOLE as f64;
    let y = |cost: Decimal| scale.place(cost).round() as i64;
    let [max, average, min, cut] = [max_usd, avg_usd, min_usd, price].map(y);
    let row_name = if part * ROWS_HEIGHT >= LABEL_HEIGHT {
        shortened(&name, ROW_NAME_MAX)
    } else {
        String::new()
    };
    PageBlock {
        link: region
            .map_or_else(|| "?page=1#regions".into(), |region| format!("regions/{}", region.id)),
        title: format!(
            "{}: ${}, {}",
            isolated(&name),
            Unit::of([max_usd]).written(avg_usd),
            Percent(Decimal::new(width, 2))
        ),
        name_from: WIDTHS.iter().position(|plot| width_of(&name) <= plot * part),
        row_name: isolated(&row_name),
        name: isolated(&name),
        start,
        width,
        max,
        average,
        min,
        band_top: if max_usd > price { cut.min(min) } else { max },
        above: (max_usd > price).then(|| [max, cut.min(min)]),
    }
}

#[cfg(test)]
mod tests {
    use ghi_engine::Inputs;
    use jiff::civil::date;

    use crate::svg::rendered;

    use super::*;

    fn draw(price: fn(&Day) -> Decimal, yours: Option<Decimal>) -> String {
        let model = Model::new(Inputs::default());
        let day = model.day(date(2026, 11, 15)).unwrap();
        rendered(&CurveOnPage::new(&model, &day, (price(&day), "Price"), yours, "/x").unwrap())
    }

    #[test]
    fn each_region_is_a_link_as_wide_as_its_share() {
        let svg = draw(|day| day.global.max_usd, None);
        for (id, width) in [("us", 6_000), ("eu", 1_300), ("cn", 2_700)] {
            assert!(svg.contains(&format!("<a href=\"/x/regions/{id}\">")), "{svg}");
            assert!(svg.contains(&format!("h{width}V")), "{svg}");
        }
        assert!(!svg.contains("class=\"band above\""), "{svg}");
        assert!(!svg.contains("You $"), "{svg}");
    }

    #[test]
    fn the_part_of_a_band_above_the_price_has_another_class() {
        let above = |svg: &str| svg.matches("class=\"band above\"").count();
        assert_eq!(above(&draw(|day| day.global.avg_usd, None)), 3);
        assert_eq!(above(&draw(|day| day.global.min_usd, None)), 3);
    }

    #[test]
    fn the_readers_cost_is_on_the_curve_even_if_it_is_far_away() {
        for (cents, label) in
            [(4_120_000, "You $41,200"), (1, "You $0.01"), (10_u64.pow(15), "You $10.00tn")]
        {
            let svg = draw(|day| day.global.avg_usd, Some(Decimal::new(cents, 2)));
            assert!(svg.contains(label), "{svg}");
        }
    }
}
