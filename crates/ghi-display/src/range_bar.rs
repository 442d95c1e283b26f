//! Minimum to maximum as one bar.

use askama::Template;
use ghi_engine::{Costs, Decimal};

use crate::frame::rendered;
use crate::path::short;

/// Minimum to maximum as one bar with the average marked, as wide as its place. What its ends are is said
/// by the page, whose text has no bounds.
pub fn range_bar(costs: &Costs) -> String {
    let Costs { min_usd, avg_usd, max_usd } = *costs;
    let from_minimum = |cost: Decimal| (cost.count() - min_usd.count()) as f64;
    let span = from_minimum(max_usd);
    let average = if span > 0.0 { 100.0 * from_minimum(avg_usd) / span } else { 50.0 };
    rendered(&RangeBar { average: short(average) })
}

#[derive(Template)]
#[template(path = "range_bar.svg", escape = "html")]
struct RangeBar {
    /// Percent of the bar.
    average: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(counts: [u64; 3]) -> String {
        let [min_usd, avg_usd, max_usd] = counts.map(|count| Decimal::new(count, 2));
        range_bar(&Costs { min_usd, avg_usd, max_usd })
    }

    #[test]
    fn the_average_is_marked_where_it_stands() {
        assert!(bar([4_943_299, 6_285_405, 7_627_510]).contains("cx=\"50%\""));
        assert!(bar([0, 25, 100]).contains("cx=\"25%\""));
    }

    #[test]
    fn the_average_of_costs_that_do_not_differ_is_in_the_middle() {
        assert!(bar([5, 5, 5]).contains("cx=\"50%\""));
    }
}
