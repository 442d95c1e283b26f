//! Two scopes on one axis, and the gap between them.

use ghi_engine::{Costs, Decimal};
use jiff::civil::Date;

use crate::amounts::Amount;
use crate::differences::Difference;
use crate::finding::{percent, period};
use crate::frame::Caption;
use crate::history::HEIGHT;
use crate::panel::{Line, Panel, both, on_page, rooms_of};
use crate::pen::Pen;
use crate::text::isolated;
use crate::unit::Unit;

/// Two scopes on one axis with the gap between them shaded, and named in USD and in percent of the
/// second at the last day.
pub fn comparison(heading: &str, lines: [Line<'_>; 2]) -> String {
    let days = lines.map(|line| [line.days[0].0, line.days[line.days.len() - 1].0]);
    let first = days[0][0].min(days[1][0]);
    let last = days[0][1].max(days[1][1]);
    let ends = lines.map(|line| line.days[line.days.len() - 1].1.avg_usd);
    let gap = Decimal::new(ends[0].count().abs_diff(ends[1].count()), ends[0].decimals());
    let part = percent(ends[1], ends[0]);
    let averages = || lines.map(|line| line.days.iter().map(average));
    let costs = || averages().into_iter().flatten().map(|(_, cost)| cost);
    let unit = Unit::of(costs());
    let size = match unit {
        Unit::ONE => Difference { from: ends[1], to: ends[0] }.size_usd(),
        unit => format!("${}", unit.written(gap)),
    };
    let panel = |form| {
        let mut panel = Panel::new(costs(), unit, [first, last, last], HEIGHT, form);
        let [mut upper, mut lower] = averages();
        panel.area([&mut upper, &mut lower], "range", 0.2, false);
        for (line, pen) in lines.iter().zip(Pen::of(&lines.map(|line| line.role))) {
            panel.average(line, pen);
        }
        if gap.count() > 0 {
            panel.note(format!("Gap {size}"), ends);
            panel.note(part.clone(), ends);
        }
        panel
    };
    let description = format!(
        "On {}, the average cost of one coin was {} USD in {} and {} USD in {}: a gap of {} USD, {part}.",
        last.strftime("%-d %B %Y"),
        Amount(ends[0]),
        isolated(lines[0].name),
        Amount(ends[1]),
        isolated(lines[1].name),
        Amount(gap)
    );
    let subtitle = format!("Average cost of one coin, USD, {}", period(first, last));
    let (name, subtitle, description) = ("comparison", &*subtitle, &*description);
    let caption = Caption { name, heading, subtitle, description, date: last };
    let chart = both(panel);
    on_page(&chart, rooms_of(&[&chart]), &caption)
}

fn average(day: &(Date, Costs)) -> (Date, Decimal) {
    (day.0, day.1.avg_usd)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use crate::pen::Role;

    use super::*;

    fn region(place: usize) -> Role {
        Role::Region { place, is_chosen: false }
    }

    fn days(averages: [u64; 2]) -> [(Date, Costs); 2] {
        let costs = averages.map(|count| Decimal::new(count, 2));
        let [first, last] = [date(2026, 11, 15), date(2026, 11, 16)];
        let all = |cost| Costs { min_usd: cost, avg_usd: cost, max_usd: cost };
        [(first, all(costs[0])), (last, all(costs[1]))]
    }

    #[test]
    fn the_gap_is_named_in_dollars_and_in_percent_of_the_second() {
        let [us, cn] = [days([6_100_000, 6_150_000]), days([5_900_000, 6_000_000])];
        let lines = [
            Line { name: "United States", days: &us, role: region(0) },
            Line { name: "China", days: &cn, role: region(2) },
        ];
        let both = comparison("Two", lines);
        for svg in both.lines() {
            assert!(svg.contains(">Gap $1,500<") && svg.contains(">2.5\u{a0}%<"), "{svg}");
            assert!(svg.contains("United St") && svg.contains(">China"), "{svg}");
        }
        assert_eq!(both.matches("fill-opacity").count(), 1, "one area");
    }

    #[test]
    fn the_same_costs_have_no_gap() {
        let days = days([6_100_000, 6_150_000]);
        let line = |name| Line { name, days: &days, role: region(0) };
        assert!(!comparison("Two", [line("A"), line("B")]).contains(">Gap"));
    }
}
