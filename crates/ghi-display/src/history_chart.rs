//! The history: the averages of several scopes over days, and the range of one of them.

use ghi_contract::ForecastDays;
use ghi_engine::{Costs, Day, Decimal, Model, NoFigures, Scope};
use jiff::ToSpan;
use jiff::civil::Date;

use crate::chart_layout::{Caption, ChartForm, ChartSource, ChartSvg, FileTexts};
use crate::dates::{long_date, period, short_date};
use crate::day_axis::DayAxis;
use crate::day_plot::{DayPlot, ScopeLine, on_page};
use crate::delta::Delta;
use crate::line_style::LineStyle;
use crate::numbers::Amount;
use crate::past::{Past, Range};
use crate::selection::{average_of, name_of};
use crate::svg::{isolated, rendered, shortened};
use crate::unit::Unit;

/// The widest name in a heading, in pixels at a chart's usual font size.
const NAME_MAX: f64 = 240.0;

/// The heights of the two plots, in pixels.
pub(crate) const LINES_HEIGHT: u32 = 300;
const BAND_HEIGHT: u32 = 150;

/// The history of a scope compared with others, with the forecast.
pub struct HistoryChart<'a> {
    scope: Scope,
    /// The scope's name.
    pub name: &'a str,
    /// The scope's name, shortened as in the heading.
    pub short_name: String,
    /// The heading: how the average changed.
    pub heading: String,
    /// The days of the scope.
    pub past: Past,
    /// The lines.
    pub lines: Vec<ScopeLine<'a>>,
    /// The day of the forecast, and the predicted average. None if the calendar ends before.
    pub forecast: Option<(Date, Decimal)>,
}

impl<'a> HistoryChart<'a> {
    /// Collects the days of a range up to a day, for a scope and for the scopes drawn as lines. `past_of`
    /// returns the days of any of them.
    pub fn new(
        model: &'a Model,
        today: &Day,
        (scope, range): (Scope, Range),
        line_scopes: impl IntoIterator<Item = Scope>,
        past_of: impl Fn(Scope) -> Result<Past, NoFigures>,
    ) -> Result<Self, NoFigures> {
        let past = past_of(scope)?;
        let horizon = if range == Range::Week { ForecastDays::MIN } else { ForecastDays::DEFAULT };
        let last = today.date.saturating_add(i64::from(horizon).days());
        let name = name_of(scope, model);
        let short_name = shortened(name, NAME_MAX);
        let lines = line_scopes.into_iter().map(|scope| {
            let days = past_of(scope)?.days;
            Ok(ScopeLine { scope, name: name_of(scope, model), days })
        });
        Ok(Self {
            scope,
            name,
            heading: heading(&average_of(scope, &short_name), range, &past),
            short_name,
            lines: lines.collect::<Result<_, _>>()?,
            past,
            forecast: (last > today.date).then(|| (last, model.forecast_avg_usd(today))),
        })
    }

    /// Draws both plots for a page: the lines, and below them the range from minimum to maximum.
    pub fn on_page(&self) -> [String; 2] {
        let lines = Caption {
            id: "history",
            heading: &self.heading,
            description: &self.lines_description(),
        };
        let band = Caption {
            id: "spread",
            heading: &format!("{}: minimum to maximum", isolated(self.name)),
            description: &self.band_description(),
        };
        on_page([(&lines, &|form| self.lines_plot(form)), (&band, &|form| self.band_plot(form))])
    }

    /// Draws both plots as one file.
    pub fn file(&self, source: ChartSource<'_>) -> String {
        let plots = [self.lines_plot(ChartForm::File), self.band_plot(ChartForm::File)];
        let margins = DayPlot::margins(plots.iter());
        let description = format!("{} {}", self.lines_description(), self.band_description());
        let caption = Caption { id: "history", heading: &self.heading, description: &description };
        let DayAxis { first, last, end } = self.axis();
        let forecast = match (end - last).get_days() {
            0 => String::new(),
            1 => ", with the forecast for 1 day".into(),
            days => format!(", with the forecast for {days} days"),
        };
        let subtitle = format!("Average cost of one coin, USD, {}{forecast}", period(first, last));
        rendered(&ChartSvg {
            form: ChartForm::File,
            margins,
            plot_height: LINES_HEIGHT + BAND_HEIGHT,
            plot: &(plots[0].draw(margins, 0) + &plots[1].draw(margins, LINES_HEIGHT)),
            caption: &caption,
            file: Some(FileTexts { subtitle: &subtitle, date: long_date(last), source }),
        })
    }

    fn axis(&self) -> DayAxis {
        let dates = || self.lines.iter().flat_map(|line| &line.days).map(|day| day.0);
        let first = dates().min().unwrap_or_default();
        let last = dates().max().unwrap_or_default();
        DayAxis { first, last, end: self.forecast.map_or(last, |forecast| forecast.0.max(last)) }
    }

    /// Returns the costs that are drawn as lines.
    fn costs(&self) -> impl Iterator<Item = Decimal> + Clone {
        let averages = self.lines.iter().flat_map(|line| &line.days).map(|day| day.1.avg_usd);
        averages.chain(self.forecast.map(|forecast| forecast.1))
    }

    /// Returns the unit of both plots.
    fn unit(&self) -> Unit {
        Unit::of(self.costs().chain(self.past.days.iter().map(|day| day.1.max_usd)))
    }

    fn lines_plot(&self, form: ChartForm) -> DayPlot {
        let mut plot = DayPlot::new(self.costs(), self.unit(), self.axis(), LINES_HEIGHT, form);
        let scopes: Vec<Scope> = self.lines.iter().map(|line| line.scope).collect();
        let styles = LineStyle::of(&scopes, Some(self.scope));
        let mut lines: Vec<_> = self.lines.iter().zip(styles).collect();
        // The thickest is drawn last, on top of the others.
        lines.sort_by(|(_, a), (_, b)| a.width.total_cmp(&b.width));
        for (line, style) in &lines {
            plot.line(line.averages(), line.name, *style);
        }
        if let (Some(forecast), Some((line, style))) = (self.forecast, lines.last()) {
            plot.dashes([line.ends()[1], forecast], *style);
            plot.name("Forecast", forecast.1, LineStyle { width: 1.75, ..*style });
        }
        plot
    }

    /// Draws the scope from minimum to maximum as a band, with the average as a line.
    fn band_plot(&self, form: ChartForm) -> DayPlot {
        let days = &self.past.days;
        let of = |pick: fn(&Costs) -> Decimal| days.iter().map(move |day| (day.0, pick(&day.1)));
        let costs = days.iter().flat_map(|day| [day.1.min_usd, day.1.max_usd]);
        let axis = DayAxis { first: days[0].0, last: self.past.last().0, end: self.axis().end };
        let mut plot = DayPlot::new(costs, self.unit(), axis, BAND_HEIGHT, form);
        let [maximum, minimum] = [of(|costs| costs.max_usd), of(|costs| costs.min_usd)];
        plot.area(maximum, minimum, 0.3, " stroke=\"var(--range)\"");
        let Costs { min_usd, max_usd, .. } = self.past.last().1;
        let faint = LineStyle { colour: "faint", width: 1.0 };
        plot.name("Maximum", max_usd, faint);
        let average = LineStyle { colour: "average", width: 2.0 };
        plot.line(of(|costs| costs.avg_usd), "Average", average);
        plot.name("Minimum", min_usd, faint);
        plot
    }

    fn lines_description(&self) -> String {
        let DayAxis { first, last, .. } = self.axis();
        let lines = self.lines.iter().map(|line| {
            let [from, to] = line.ends().map(|(_, average)| Amount(average));
            format!("{} from {from} to {to}", isolated(line.name))
        });
        let lines = lines.collect::<Vec<_>>().join("; ");
        let forecast = self.forecast.map(|(date, forecast)| {
            format!(" Forecast for {}: {}.", long_date(date), Amount(forecast))
        });
        let period = period(first, last);
        let forecast = forecast.unwrap_or_default();
        format!("Average cost of one coin in USD, {period}: {lines}.{forecast}")
    }

    fn band_description(&self) -> String {
        let (date, Costs { min_usd, max_usd, .. }) = self.past.last();
        let [min, max] = [min_usd, max_usd].map(Amount);
        let (date, name) = (long_date(date), isolated(self.name));
        format!("{name} on {date}: {min} to {max} USD.")
    }
}

/// Returns the heading of a chart: how an average changed from the first day of a range to the last.
fn heading(average: &str, range: Range, past: &Past) -> String {
    let ((since, from), (last, to)) = (past.first(), past.last());
    if since == last {
        return format!("{average} is ${} on {}", Amount(to.avg_usd).rounded(), short_date(last));
    }
    let is_whole = since == last.saturating_sub(i64::from(range.days()).days());
    let ago = match range {
        _ if !is_whole => format!("on {}", long_date(since)),
        Range::Week => "a week ago".into(),
        Range::Year => "a year ago".into(),
        Range::Month | Range::Quarter => format!("{} days ago", range.days()),
    };
    let delta = Delta { from: from.avg_usd, to: to.avg_usd };
    format!("{average} is {} {ago}", delta.in_words("lower than", "the same as", "higher than"))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    const SOURCE: ChartSource<'_> =
        ChartSource { data: "Synthetic data", host: Some("ghi.example") };

    const LAST: Date = date(2026, 11, 16);

    /// Returns some days from the first of a month.
    fn days(averages: &[u64], decimals: u8) -> Vec<(Date, Costs)> {
        let day = |(index, count): (i64, &u64)| {
            let cost = |count| Decimal::new(count, decimals);
            let costs = Costs {
                min_usd: cost(count / 2),
                avg_usd: cost(*count),
                max_usd: cost(count + count / 3),
            };
            (date(2026, 11, 1).saturating_add(index.days()), costs)
        };
        (0..).zip(averages).map(day).collect()
    }

    fn chart<'a>(
        lines: Vec<(&'a str, Vec<(Date, Costs)>)>,
        heading: &str,
        forecast: Option<(Date, Decimal)>,
    ) -> HistoryChart<'a> {
        let scope = Scope::Global;
        HistoryChart {
            scope,
            name: lines[0].0,
            short_name: lines[0].0.into(),
            heading: heading.into(),
            past: Past { days: lines[0].1.clone(), before: None },
            lines: lines.into_iter().map(|(name, days)| ScopeLine { scope, name, days }).collect(),
            forecast,
        }
    }

    /// Returns the values of an attribute.
    fn values<'a>(svg: &'a str, attribute: &str) -> Vec<&'a str> {
        let starts = svg.split(attribute).skip(1);
        starts.map(|rest| rest.split('"').next().unwrap()).collect()
    }

    #[test]
    fn a_chart_labels_the_ends_of_its_lines_and_names_its_source() {
        let [all, eu] =
            [[6_180_000, 6_146_549], [6_300_000, 6_319_150]].map(|averages| days(&averages, 2));
        let forecast = Some((date(2026, 11, 9), Decimal::new(6_127_507, 2)));
        let chart = chart(vec![("Worldwide", all), ("Europe", eu)], "Lower", forecast);
        let [both, _] = chart.on_page();
        let (wide, narrow) = both.split_once('\n').unwrap();
        let file = chart.file(SOURCE);
        for text in [">Worldwide 61,465<", ">Europe 63,192<", ">Forecast 61,275<"] {
            assert!(wide.contains(text) && file.contains(text), "{text}");
        }
        assert!(narrow.contains(">Worldwide<") && narrow.contains(">Europe<"));
        let [first, last, end] =
            ["first", "last", "end"].map(|name| values(wide, &format!("data-{name}=\"")));
        assert_eq!([first, last, end], [["2026-11-01"], ["2026-11-02"], ["2026-11-09"]]);
        assert!(!file.contains("hairline") && wide.contains("class=\"hairline\""));
        let subtitle =
            "Average cost of one coin, USD, 1 Nov to 2 Nov 2026, with the forecast for 7 days<";
        assert!(file.contains(subtitle), "{file}");
        assert!(file.contains(">Synthetic data · 2 November 2026 · ghi.example<"));
        // The lines are sent once.
        assert!(wide.contains("<g id=\"history-lines\"><path"), "{wide}");
        assert!(narrow.contains("<use href=\"#history-lines\"/>") && !narrow.contains("<path"));
    }

    #[test]
    fn a_single_day_is_a_point() {
        let chart = chart(vec![("Worldwide", days(&[6_180_000], 2))], "One", None);
        let [svg, _] = chart.on_page();
        assert!(svg.contains("<circle") && !svg.contains("<path"), "{svg}");
    }

    proptest! {
        #[test]
        fn nothing_is_drawn_outside_a_chart(
            averages in prop::collection::vec(1..10_u64.pow(15), 1..20),
            shift in 0..15_u32,
            decimals in 0..11_u8,
            names in prop::collection::vec("\\PC{1,100}", 6),
        ) {
            let counts: Vec<u64> = averages.iter().map(|count| count / 10_u64.pow(shift)).collect();
            let days = days(&counts, decimals);
            let lines = names.iter().map(|name| (&**name, days.clone())).collect();
            let forecast = Some((date(2026, 12, 1), days[0].1.avg_usd));
            let chart = chart(lines, &names[0], forecast);
            let (file, pages) = (chart.file(SOURCE), chart.on_page());
            // The days of the second are below those of the first.
            let margins = pages.each_ref().map(|both| values(both, "room-"));
            prop_assert_eq!(&margins[0], &margins[1]);
            let charts = pages.iter().flat_map(|both| both.lines()).chain([&*file]);
            for svg in charts {
                let height: f64 = values(svg, " height=\"")[0].parse().unwrap();
                for attribute in [" y=\"", " y1=\"", " y2=\"", " cy=\""] {
                    for value in values(svg, attribute) {
                        prop_assert!((0.0..=height).contains(&value.parse().unwrap()), "{value}");
                    }
                }
                for value in values(svg, " cx=\"") {
                    let percent: f64 = value.strip_suffix('%').unwrap().parse().unwrap();
                    prop_assert!((0.0..=100.0).contains(&percent));
                }
                if let Some(rest) = svg.split("room-").nth(1) {
                    let margins = rest.split('"').next().unwrap();
                    let rule = format!(".room-{margins} {{ padding-right: {margins}px; }}");
                    let stylesheet = include_str!("../../ghi-server/assets/style.css");
                    prop_assert!(stylesheet.contains(&rule), "{rule}");
                }
            }
        }
    }

    /// Checks the heading of a range whose data begins on a day, with an average on that day and on the
    /// last.
    #[track_caller]
    fn check(range: Range, first: Date, averages: [u64; 2], expected: &str) {
        let [from, to] = averages.map(|count| days(&[count], 2)[0].1);
        // The day before isn't drawn.
        let before = Some((first.yesterday().unwrap(), days(&[1], 2)[0].1));
        let past = Past { days: vec![(first, from), (LAST, to)], before };
        assert_eq!(heading("The worldwide average", range, &past), expected);
    }

    #[test]
    fn a_heading_says_how_the_average_changed_from_the_first_day_drawn() {
        let check = |range: Range, to, expected| {
            let first = LAST.saturating_sub(i64::from(range.days()).days());
            check(range, first, [6_180_000, to], expected);
        };
        check(Range::Quarter, 6_146_549, "The worldwide average is 0.5% lower than 90 days ago");
        check(Range::Month, 6_800_000, "The worldwide average is 10.0% higher than 30 days ago");
        check(Range::Year, 6_183_500, "The worldwide average is 0.1% higher than a year ago");
        let far = "The worldwide average is 3,977.7% higher than a year ago";
        check(Range::Year, 252_000_000, far);
        check(Range::Week, 6_180_000, "The worldwide average is the same as a week ago");
        check(Range::Week, 6_179_999, "The worldwide average is <0.1% lower than a week ago");
    }

    #[test]
    fn the_heading_of_an_incomplete_range_names_its_first_day() {
        let day = date(2026, 11, 3);
        let changed = "The worldwide average is 0.6% higher than on 3 November 2026";
        check(Range::Quarter, day, [10_000, 10_060], changed);
        check(
            Range::Quarter,
            day,
            [1, 1],
            "The worldwide average is the same as on 3 November 2026",
        );
        let before = "The worldwide average is 0.6% higher than on 31 December 2025";
        check(Range::Year, date(2025, 12, 31), [10_000, 10_060], before);
        let past = Past { days: vec![(LAST, days(&[6_146_549], 2)[0].1)], before: None };
        let only = "The worldwide average is $61,465 on 16 Nov 2026";
        assert_eq!(heading("The worldwide average", Range::Week, &past), only);
    }
}
