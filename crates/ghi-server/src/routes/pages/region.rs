//! The page of a region: its costs today, its history, and why it differs from the worldwide average.

use std::cmp::Ordering;

use askama::Template;
use ghi_contract::paths as contract;
use ghi_display::{Delta, efficiency, long_date, rounded, rounded_to_four_digits, signed_percent};
use ghi_engine::{
    CostSteps, Costs, Day, Decimal, DisplayNumber, MeanMiner, NoFigures, RegionIndex,
    RegisteredRegion, Scope,
};

use crate::edition::{DailyFile, Edition};
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::pages::general::{Frame, GetData, daily_page, page};
use crate::routes::pages::history::HistoryBlock;
use crate::routes::pages::view::{DEFAULT_RANGE, PageInput, View};
use crate::routes::parameters::{range, region_of_path};

pub(crate) fn region(context: &Context<'_>) -> HandlerResult {
    let region = region_of_path(context.path_parameter, context.registry())?;
    let range = range(&context.query)?.unwrap_or(DEFAULT_RANGE);
    let view = View { range, scope: Scope::Region(region), ..View::DEFAULT };
    let render = |edition: &Edition, site: &Site| {
        let input = PageInput::new(edition, site, &view, &[])?;
        Ok(daily_page(site, &RegionPage::new(&input, region)?))
    };
    Ok(page(context.daily_file(DailyFile::Region(region, range), "", render)?))
}

#[derive(Template)]
#[template(path = "region.html")]
struct RegionPage<'a> {
    frame: Frame<'a>,
    input: PageInput<'a>,
    region: &'a RegisteredRegion,
    costs: Costs,
    /// Changes in the average, each with its period, such as `since yesterday`.
    changes: Vec<(Delta, &'static str)>,
    rank: String,
    share_pct: Decimal,
    difference: Delta,
    history: HistoryBlock<'a>,
    cost_drivers: [CostDriver; 3],
    get_figures: GetData<'a>,
    get_derivation: GetData<'a>,
}

/// A number that determines costs: its label, its value and its text in the region and worldwide, and its effect.
type CostDriver = (&'static str, [(f64, String); 2], String);

impl<'a> RegionPage<'a> {
    fn new(input: &PageInput<'a>, region: RegionIndex) -> Result<Self, NoFigures> {
        let PageInput { edition, model, registry, today, site, view, .. } = *input;
        let (scope, range, days) = (view.scope, view.range, edition.days());
        let RegisteredRegion { id, name } = &registry[region];
        let costs = today.regions[region.get()];
        let avg_usd = costs.avg_usd;
        let since = |day: Result<&Day, NoFigures>, since| {
            Some((Delta { from: scope.costs(day.ok()?).avg_usd, to: avg_usd }, since))
        };
        let changes =
            [since(days.days_ago(1), "since yesterday"), since(days.days_ago(7), "over 7 days")];
        let miners = [model.mean_miner(scope, today)?, model.mean_miner(Scope::Global, today)?];
        let history = HistoryBlock::new(input, true)?;
        let detail = contract::REGION_DETAIL.replace("{id}", id);
        let explained = |path| format!("{path}?region_id={id}");
        let derivation =
            vec![("JSON", explained(paths::EXPLAIN_JSON)), ("CSV", explained(paths::EXPLAIN_CSV))];
        let mut path = paths::REGION.replace("{id}", id);
        let mut preview =
            history.preview("See its rank and why it differs from the worldwide average.");
        if range == DEFAULT_RANGE {
            let (date, coin) = (long_date(today.date), history.chart.coin);
            let average = rounded(avg_usd);
            preview.title = format!("{name}: ${average} to mine one {coin} on {date}");
        } else {
            path += &format!("?range={}", range.name());
        }
        Ok(Self {
            frame: Frame::of_figures(site, &path, preview, model, (scope, today.date))?,
            input: *input,
            region: &registry[region],
            costs,
            changes: changes.into_iter().flatten().collect(),
            rank: rank(region, today),
            share_pct: today.hashrate_shares_pct[region.get()],
            difference: Delta { from: today.global.avg_usd, to: avg_usd },
            history,
            cost_drivers: cost_drivers(&miners),
            get_figures: GetData { site, of: "the region", files: vec![("JSON", detail)] },
            get_derivation: GetData {
                site,
                of: "the comparison with the worldwide average",
                files: derivation,
            },
        })
    }
}

/// Returns the values that determine the cost of a region. Their effects multiply to the difference between the averages.
fn cost_drivers([own, worldwide]: &[MeanMiner; 2]) -> [CostDriver; 3] {
    let driver = |label, pick: fn(&CostSteps) -> DisplayNumber, write: fn(f64) -> String| {
        let values = [own, worldwide].map(|miner| pick(&miner.steps).value());
        let effect = signed_percent(100.0 * (values[0] / values[1] - 1.0), 1);
        (label, values.map(|value| (value, write(value))), effect)
    };
    let price = |usd| format!("${}/kWh", rounded_to_four_digits(usd));
    let factor = |factor| rounded_to_four_digits(factor).to_string();
    [
        driver("Efficiency", |steps| steps.efficiency_j_per_th, efficiency),
        driver("Electricity", |steps| steps.electricity_usd_per_kwh, price),
        driver("Overhead", |steps| steps.overhead, factor),
    ]
}

/// Returns the rank of a region by its average on a day, from the nearer end: `2nd cheapest of 30`.
fn rank(region: RegionIndex, day: &Day) -> String {
    let own = day.regions[region.get()].avg_usd;
    let count =
        |ordering| day.regions.iter().filter(|costs| costs.avg_usd.cmp(&own) == ordering).count();
    let [below, same, above] = [Ordering::Less, Ordering::Equal, Ordering::Greater].map(count);
    let all = day.regions.len();
    if all == 1 {
        return "the only region".into();
    }
    if same == all {
        return format!("the same as all {all}");
    }
    let (rank, end) =
        if below <= above { (below + 1, "cheapest") } else { (above + 1, "most expensive") };
    let rank = if rank == 1 { String::new() } else { format!("{} ", ordinal(rank)) };
    let shared = if same > 1 { format!(", shared by {same}") } else { String::new() };
    format!("{rank}{end} of {all}{shared}")
}

fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use ghi_engine::{Inputs, Model};
    use jiff::civil::date;

    use super::*;

    /// Returns the ranks of three regions with these averages.
    fn ranks(averages: [u64; 3]) -> [String; 3] {
        let model = Model::new(Inputs::default());
        let mut day = model.day(date(2026, 11, 15)).unwrap();
        for (costs, average) in std::iter::zip(&mut day.regions, averages) {
            costs.avg_usd = Decimal::new(average, 2);
        }
        let mut regions = model.registry().indices();
        std::array::from_fn(|_| rank(regions.next().unwrap(), &day))
    }

    #[test]
    fn a_rank_is_counted_from_the_nearer_end() {
        let expected = ["2nd cheapest of 3", "most expensive of 3", "cheapest of 3"];
        assert_eq!(ranks([2, 3, 1]), expected);
    }

    #[test]
    fn regions_with_equal_averages_share_a_rank() {
        let shared = "cheapest of 3, shared by 2";
        assert_eq!(ranks([1, 1, 2]), [shared, shared, "most expensive of 3"]);
        let shared = "most expensive of 3, shared by 2";
        assert_eq!(ranks([2, 1, 2]), [shared, "cheapest of 3", shared]);
        assert_eq!(ranks([5, 5, 5]), ["the same as all 3"; 3]);
    }

    #[test]
    fn ordinals_have_their_endings() {
        let written = [2, 3, 4, 11, 12, 13, 21, 102, 111, 250].map(ordinal);
        let expected =
            ["2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th", "250th"];
        assert_eq!(written, expected);
    }
}
