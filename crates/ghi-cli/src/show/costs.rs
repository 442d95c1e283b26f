//! Costs of a day.

use ghi_client::AnySnapshot;
use ghi_contract::{GLOBAL, HistoryPoint};
use ghi_display::WORLDWIDE;
use ghi_engine::Decimal;

use crate::show::figures::{decimals, plain};

/// The largest count of units of the last decimal that charts are drawn of: floats beyond it are more
/// than a unit apart.
const COUNT_MAX: u64 = 1_000_000_000_000_000;

/// The most decimals of a cost that is drawn.
const DECIMALS_MAX: u8 = 15;

/// Minimum, average and maximum, USD per coin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    pub(crate) min: f64,
    pub(crate) avg: f64,
    pub(crate) max: f64,
}

impl Costs {
    pub(crate) fn each(self) -> [f64; 3] {
        [self.min, self.avg, self.max]
    }

    /// As many decimals as it takes to write each of them.
    pub(crate) fn decimals(self) -> usize {
        decimals(self.each())
    }
}

impl From<&HistoryPoint> for Costs {
    fn from(point: &HistoryPoint) -> Self {
        Self { min: point.min_cost_usd, avg: point.avg_cost_usd, max: point.max_cost_usd }
    }
}

/// The regions of a snapshot: id, name and costs. The reduced form has none.
pub(crate) fn of_regions(snapshot: &AnySnapshot) -> impl Iterator<Item = (&str, &str, Costs)> {
    snapshot.regions.iter().flatten().map(|region| {
        let costs =
            Costs { min: region.min_cost_usd, avg: region.avg_cost_usd, max: region.max_cost_usd };
        (&*region.id, &*region.name, costs)
    })
}

/// The costs worldwide, if there are all three of them.
pub(crate) fn worldwide(snapshot: &AnySnapshot) -> Option<Costs> {
    let [min, avg, max] = each_worldwide(snapshot);
    Some(Costs { min: min?, avg: avg?, max: max? })
}

/// All rows of a snapshot: id, name, and the costs that there are. Worldwide comes first; a snapshot of
/// API 1.0 has no costs of it.
pub(crate) fn rows(snapshot: &AnySnapshot) -> Vec<(&str, &str, [Option<f64>; 3])> {
    let worldwide = Some(each_worldwide(snapshot));
    let worldwide = worldwide.filter(|costs| costs.iter().any(Option::is_some));
    let regions = of_regions(snapshot).map(|(id, name, costs)| (id, name, costs.each().map(Some)));
    worldwide.map(|costs| (GLOBAL, WORLDWIDE, costs)).into_iter().chain(regions).collect()
}

fn each_worldwide(snapshot: &AnySnapshot) -> [Option<f64>; 3] {
    [snapshot.global_min_cost_usd, snapshot.global_avg_cost_usd, snapshot.global_max_cost_usd]
}

/// The lowest and the highest of some costs, as a scale takes them.
pub(crate) fn bounds(costs: impl Iterator<Item = f64> + Clone) -> Result<[Decimal; 2], String> {
    let low = costs.clone().fold(f64::INFINITY, f64::min);
    let high = costs.fold(f64::NEG_INFINITY, f64::max);
    if low < 0.0 {
        return Err(format!("a cost of {low} USD cannot be drawn: a cost is positive"));
    }
    // Large costs have no decimals that count.
    let bounds = [decimals([low, high]), 0].into_iter().find_map(|decimals| {
        let count = |cost: f64| plain(cost, decimals).replace('.', "").parse().ok();
        let [low, high]: [u64; 2] = [count(low)?, count(high)?];
        let decimals = u8::try_from(decimals).ok().filter(|decimals| *decimals <= DECIMALS_MAX)?;
        (high <= COUNT_MAX).then(|| [low, high].map(|count| Decimal::new(count, decimals)))
    });
    bounds.ok_or_else(|| format!("a cost of {high:e} USD is too large to be drawn"))
}

/// A cost in the decimals of a scale's bounds.
pub(crate) fn at_scale(cost: f64, bound: Decimal) -> Decimal {
    let units = cost * 10_f64.powi(bound.decimals().into());
    Decimal::new(units.round() as u64, bound.decimals())
}
