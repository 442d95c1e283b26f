//! Which regions a table shows, and in which order.

use ghi_display::Delta;
use ghi_engine::{Costs, Day, Decimal, RegionIndex, Registry};

use crate::routes::view::{Column, Order};

/// The regions whose name or id contains a text, in capitals or not; all of them where it is empty.
pub(crate) fn found(registry: &Registry, text: &str) -> Vec<RegionIndex> {
    let text = text.to_lowercase();
    let contains = |region: &RegionIndex| {
        let region = &registry[*region];
        text.is_empty() || region.id.contains(&text) || region.name.to_lowercase().contains(&text)
    };
    registry.indices().filter(contains).collect()
}

/// Sorts regions: names from A on, numbers from the largest on. Equal ones stay in the registry's
/// order, so that a page is the same whenever it is made.
pub(crate) fn sort(
    regions: &mut [RegionIndex],
    order: Order,
    registry: &Registry,
    today: &Day,
    week_ago: Option<&Day>,
) {
    let cost = |pick: fn(&Costs) -> Decimal| -> Vec<f64> {
        today.regions.iter().map(|costs| pick(costs).count() as f64).collect()
    };
    let keys = match order.column {
        Column::Name => {
            regions.sort_by_cached_key(|region| registry[*region].name.to_lowercase());
            if order.reversed {
                regions.reverse();
            }
            return;
        }
        Column::Share => {
            today.hashrate_shares_pct.iter().map(|share| share.count() as f64).collect()
        }
        Column::Minimum => cost(|costs| costs.min_usd),
        Column::Maximum => cost(|costs| costs.max_usd),
        Column::Average | Column::Difference => cost(|costs| costs.avg_usd),
        Column::Change => match week_ago {
            Some(day) => std::iter::zip(&day.regions, &today.regions)
                .map(|(from, to)| Delta { from: from.avg_usd, to: to.avg_usd }.percent())
                .collect(),
            None => return,
        },
    };
    regions.sort_by(|one, other| {
        let [one, other] = [one, other].map(|region| keys[region.get()]);
        if order.reversed { one.total_cmp(&other) } else { other.total_cmp(&one) }
    });
}
