//! Minimum to maximum as one bar.

use askama::Template;
use ghi_engine::{Costs, Decimal};

use crate::charts::amounts::{Amount, Compact};
use crate::charts::frame::{Form, rendered};
use crate::charts::path::short;
use crate::charts::text::{isolated, shortened, width_of};

/// Between the texts of both ends, in pixels.
const GAP: f64 = 12.0;

/// Minimum to maximum as one bar with the average marked, and its ends named after the regions that set
/// them.
pub(crate) fn range_bar(costs: &Costs, low_name: &str, high_name: &str, form: Form<'_>) -> String {
    let Costs { min_usd, avg_usd, max_usd } = *costs;
    let from_minimum = |cost: Decimal| (cost.count() - min_usd.count()) as f64;
    let span = from_minimum(max_usd);
    let description = format!(
        "From {} USD, the minimum, in {} to {} USD, the maximum, in {}; average {} USD.",
        Amount(min_usd),
        isolated(low_name),
        Amount(max_usd),
        isolated(high_name),
        Amount(avg_usd)
    );
    rendered(&RangeBar {
        form: form.pick("wide", "narrow", "alone"),
        is_narrow: form.is_narrow(),
        height: form.pick(42, 56, 42),
        description,
        average: short(if span > 0.0 { 100.0 * from_minimum(avg_usd) / span } else { 50.0 }),
        low: End::new(min_usd, "minimum", low_name, form),
        high: End::new(max_usd, "maximum", high_name, form),
    })
}

/// What stands at an end of the bar.
struct End {
    amount: Compact,
    of: String,
}

impl End {
    fn new(cost: Decimal, what: &str, name: &str, form: Form<'_>) -> Self {
        let amount = Compact(cost);
        let start = format!("{what}, ");
        let beside = if form.is_narrow() { 0.0 } else { width_of(&format!("${amount} ")) };
        let room = (form.width() - GAP) / 2.0 - beside - width_of(&start);
        Self { amount, of: start + &isolated(&shortened(name, room)) }
    }
}

#[derive(Template)]
#[template(path = "charts/range_bar.svg", escape = "html")]
struct RangeBar {
    form: &'static str,
    is_narrow: bool,
    height: u32,
    description: String,
    /// Percent of the bar.
    average: f64,
    low: End,
    high: End,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(counts: [u64; 3], form: Form<'_>) -> String {
        let [min_usd, avg_usd, max_usd] = counts.map(|count| Decimal::new(count, 2));
        range_bar(&Costs { min_usd, avg_usd, max_usd }, "China", &"W".repeat(64), form)
    }

    #[test]
    fn both_ends_are_named_and_the_average_is_marked() {
        let costs = [4_943_299, 6_285_405, 7_627_510];
        let [wide, narrow] = [Form::Wide, Form::Narrow].map(|form| bar(costs, form));
        assert!(wide.contains(">$49,433 <tspan fill=\"var(--faint)\">minimum, China<"), "{wide}");
        assert!(wide.contains(">$76,275 <tspan fill=\"var(--faint)\">maximum, WWW"), "{wide}");
        assert!(narrow.contains(">$49,433<") && narrow.contains(">minimum, China<"), "{narrow}");
        assert!(wide.contains("cx=\"50%\"") && wide.contains("W…<"), "{wide}");
    }

    #[test]
    fn the_average_of_costs_that_do_not_differ_is_in_the_middle() {
        assert!(bar([5, 5, 5], Form::Wide).contains("cx=\"50%\""));
    }
}
