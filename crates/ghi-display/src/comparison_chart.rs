//! Two scopes on one axis, with the gap between them.

use ghi_engine::Decimal;

use crate::day_plot::{DayPlot, LineStyle, ScopeLine, drawn_costs, is_logarithmic, on_page};
use crate::delta::Delta;
use crate::numbers::{Unit, grouped, long_date, short_date};
use crate::svg::{ChartForm, isolated};

/// Two scopes on one axis, with the gap between them shaded and labelled.
pub struct ComparisonChart<'a> {
    /// The costs of both.
    pub lines: [ScopeLine<'a>; 2],
    /// The change from the second scope's last average to the first's.
    pub delta: Delta,
    /// The heading: which of them costs less, and by how much.
    pub heading: String,
}

impl<'a> ComparisonChart<'a> {
    /// Compares two scopes on their last day.
    pub fn new(lines: [ScopeLine<'a>; 2]) -> Self {
        let [to, from] = lines.each_ref().map(|line| line.ends()[1].1);
        let delta = Delta { from, to };
        let [size, percent] = [delta.usd_size(), delta.difference()];
        let [first, second] = [lines[0].name, lines[1].name];
        let heading = match delta.pick("less", "", "more") {
            "" => format!("{first}: the same as {second}"),
            word => format!("{first}: {size} {word} than {second} ({percent})"),
        };
        Self { lines, delta, heading }
    }

    /// Returns the last averages of both.
    pub fn averages(&self) -> [Decimal; 2] {
        [self.delta.to, self.delta.from]
    }

    /// Returns the first and the last day.
    pub fn days(&self) -> [String; 2] {
        self.lines[0].ends().map(|(date, _)| short_date(date))
    }

    /// Draws the chart for a page.
    pub fn on_page(&self) -> String {
        let [first, second] = self.lines.each_ref().map(|line| isolated(line.name));
        let [to, from] = self.averages().map(grouped);
        let description = format!(
            "Average cost on {}. {first}: {to} USD; {second}: {from} USD. Gap: {} USD, {}.",
            long_date(self.lines[0].past.last().0),
            grouped(self.delta.size()),
            self.delta.percent_size()
        );
        on_page(|form| self.plot(form).chart("comparison", [&self.heading, &description], None))
    }

    /// Returns whether equal distances are equal factors.
    pub fn is_logarithmic(&self) -> bool {
        is_logarithmic(drawn_costs(&self.lines, None))
    }

    fn plot(&self, form: ChartForm) -> DayPlot {
        let unit = Unit::of(drawn_costs(&self.lines, None));
        let mut plot = DayPlot::new(&self.lines, None, unit, form);
        plot.area(&self.lines);
        let styles = LineStyle::of(self.lines.iter().map(|line| line.scope), None);
        for (line, style) in self.lines.iter().zip(styles) {
            plot.line(line, style, false);
        }
        let Delta { from, to } = self.delta;
        if from != to {
            let size = match unit {
                Unit::ONE => self.delta.usd_size(),
                unit => format!("${}", unit.written(self.delta.size())),
            };
            plot.note(&format!("Gap {size}"), Some([to, from]));
            plot.note(&self.delta.percent_size(), Some([to, from]));
        }
        plot
    }
}

#[cfg(test)]
mod tests {
    use ghi_engine::{Costs, Scope};
    use jiff::civil::date;

    use super::*;
    use crate::selection::Past;

    fn line(name: &str, averages: [u64; 2]) -> ScopeLine<'_> {
        let dates = [date(2026, 11, 15), date(2026, 11, 16)];
        let days = dates.into_iter().zip(averages.map(|count| Decimal::new(count, 2)));
        let costs = |cost| Costs { min_usd: cost, avg_usd: cost, max_usd: cost };
        let days = days.map(|(date, cost)| (date, costs(cost))).collect();
        ScopeLine {
            scope: Scope::Global,
            name,
            past: Past { days, before: None },
            means: Vec::new(),
            is_stepped: false,
        }
    }

    #[test]
    fn the_gap_is_shown_in_dollars_and_in_percent_of_the_second() {
        let [us, cn] = [[6_100_000, 6_150_000], [5_900_000, 6_000_000]];
        let chart = ComparisonChart::new([line("United States", us), line("China", cn)]);
        assert_eq!(chart.heading, "United States: $1,500 more than China (+2.5%)");
        let both = chart.on_page();
        let (wide, _) = both.split_once('\n').unwrap();
        assert!(wide.contains(">Gap $1,500<") && wide.contains(">2.5%<"), "{wide}");
        for svg in both.lines() {
            assert!(svg.contains("United St") && svg.contains(">China"), "{svg}");
        }
        assert_eq!(both.matches("fill-opacity").count(), 2, "one area in each form");
    }

    #[test]
    fn equal_costs_have_no_gap() {
        let chart = ComparisonChart::new(["A", "B"].map(|name| line(name, [1, 6_150_000])));
        assert_eq!(chart.heading, "A: the same as B");
        assert!(!chart.on_page().contains(">Gap"));
    }
}
