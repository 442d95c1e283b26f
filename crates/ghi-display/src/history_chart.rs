//! Averages over days: the history of several scopes, and the comparison of two.

use ghi_engine::{Day, DayForecast, Decimal, Model, NoFigures, Outlook, PublishedEstimate, Scope};
use jiff::ToSpan;
use jiff::civil::Date;

use crate::day_plot::{DayPlot, LineStyle, ScopeLine, drawn_costs, is_logarithmic, on_page};
use crate::numbers::{
    Delta, Unit, day_before, grouped, long_date, period, rounded, short_date, signed_percent,
};
use crate::selection::{Past, Range};
use crate::svg::{ChartForm, isolated, shortened};

/// The widest name in a heading, in pixels at a chart's usual font size.
const NAME_MAX: f64 = 240.0;
const LEVEL: &str = "Long-run level";

/// The history of a scope compared with others, with the forecast.
pub struct HistoryChart<'a> {
    /// The scope, with its costs.
    pub own: ScopeLine<'a>,
    lines: Vec<ScopeLine<'a>>,
    /// The forecast, which is the same for every day. `None` with dated series, which have no long-run level.
    pub level: Option<Decimal>,
    /// The 80% interval of the average on each day, if the inputs have `[uncertainty]`. Worldwide only.
    pub band: Vec<(Date, [Decimal; 2])>,
    /// The costs that others published for these days, with their costs rounded like the index.
    pub estimates: Vec<(&'a PublishedEstimate, Decimal)>,
    /// The forecasts of the days after the range, from its last day on. Worldwide only.
    pub forecasts: Vec<DayForecast>,
    /// The coin's name.
    pub coin: &'a str,
    /// Whether the change over the range is drawn instead of costs.
    pub is_change: bool,
    /// The days of retargets and of halvings.
    pub marks: [Vec<Date>; 2],
    /// The days on which the next retarget and the next halving are expected.
    expected: Vec<(&'static str, Date)>,
    range: Range,
}

impl<'a> HistoryChart<'a> {
    /// Collects the days of a range up to a day, for the scopes that are drawn as lines, one of them the chart's own.
    pub fn new(
        model: &'a Model,
        today: &Day,
        (scope, range): (Scope, Range),
        line_scopes: Vec<Scope>,
    ) -> Result<Self, NoFigures> {
        let lines = line_scopes.into_iter();
        let lines = lines.map(|scope| ScopeLine::new(model, scope, range, today.date));
        let mut lines = lines.collect::<Result<Vec<_>, _>>()?;
        let has_means = range.has_means(model.registry().regions().len());
        if has_means && lines.iter().all(|line| !line.is_stepped) {
            for line in &mut lines {
                line.means = line.past.means(model, line.scope);
            }
        }
        let own = lines.iter().find(|line| line.scope == scope).expect("the scope has a line");
        let averages = own.averages().filter(|_| scope == Scope::Global);
        let interval = |(date, average)| Some((date, model.interval_usd(average)?));
        Ok(Self {
            band: averages.filter_map(interval).collect(),
            estimates: Vec::new(),
            own: own.clone(),
            level: model.long_run_avg_usd(today),
            forecasts: Vec::new(),
            is_change: false,
            marks: marks(model, &own.past, range),
            expected: Vec::new(),
            coin: &model.coin().name,
            range,
            lines,
        })
    }

    /// Continues a worldwide chart into the forecasts for the next days, at most as many as the range has, and marks the
    /// days on which the next retarget and the next halving are expected.
    pub fn with_forecasts(mut self, coming: &[DayForecast], outlook: &Outlook) -> Self {
        let (date, average) = self.own.ends()[1];
        let coming = &coming[..coming.len().min(self.range.days().into())];
        let (Scope::Global, Some([first, .., last])) = (self.own.scope, Some(coming)) else {
            return self;
        };
        // A long-run level has no slope.
        let (predicted_avg_usd, interval_usd) = match self.level {
            Some(level) => (level, first.interval_usd),
            None => (average, Some([average; 2])),
        };
        let today = DayForecast { target_date: date, predicted_avg_usd, interval_usd, ..*first };
        let coming = if self.level.is_some() { std::slice::from_ref(last) } else { coming };
        self.forecasts = std::iter::once(&today).chain(coming).copied().collect();
        let retarget = outlook.retarget.map(|retarget| ("Retarget", retarget.date));
        let expected = retarget.into_iter().chain(outlook.halving.map(|date| ("Halving", date)));
        self.expected =
            expected.filter(|(_, day)| *day > date && *day <= last.target_date).collect();
        self
    }

    /// Adds what others published for days from the first to the last with data.
    pub fn with_published(mut self, model: &'a Model) -> Self {
        let [(first, _), (last, _)] = self.own.ends();
        let published = model.inputs().published().iter();
        let drawn = published.filter(|estimate| (first..=last).contains(&estimate.date));
        self.estimates =
            drawn.map(|estimate| (estimate, model.usd(estimate.usd_per_coin))).collect();
        self
    }

    /// Draws the change over the range instead of costs, with the lines of days alone: all else would not start at zero.
    pub fn as_change(self) -> Self {
        let lines = self.lines.into_iter().map(ScopeLine::relative).collect();
        let (forecasts, expected, band, estimates) = Default::default();
        Self { lines, level: None, forecasts, expected, band, estimates, is_change: true, ..self }
    }

    /// Returns how the average changed or, if seven-day averages are drawn, how they did.
    pub fn title(&self) -> String {
        let (average, ends) = match &*self.own.means {
            [first, .., last] if !self.is_change => ("7-day average", [*first, *last]),
            _ => ("average", self.own.ends()),
        };
        let name = shortened(self.own.name, NAME_MAX);
        let end = if name.ends_with('s') { "" } else { "s" };
        match self.own.scope {
            Scope::Global => heading(&format!("The worldwide {average} is"), ends),
            Scope::Region(_) => heading(&format!("{}'{end} {average} is", isolated(&name)), ends),
        }
    }

    /// Draws the lines for a page.
    pub fn on_page(&self) -> String {
        on_page(|form| self.draw(form, None))
    }

    /// Draws the lines as a file with the text about the source of the data.
    pub fn file(&self, source: &str) -> String {
        let band = if self.band.is_empty() { "" } else { ". Band: its 80% interval worldwide" };
        self.draw(ChartForm::File, Some([&format!("{}{band}", self.caption()), source]))
    }

    /// Returns the latest value of each line, or its seven-day average, if drawn: `Worldwide $56,018`.
    pub fn readings(&self, of_means: bool) -> Vec<String> {
        let is_drawn =
            of_means || self.own.means.is_empty() || self.is_change || !self.range.is_weekly();
        let (unit, sign) = (self.unit(), if self.is_change { "" } else { "$" });
        let text = |line: &ScopeLine<'_>| {
            let last = if of_means { *line.means.last()? } else { line.ends()[1] };
            Some(format!("{} {sign}{}", isolated(line.name), unit.written(last.1)))
        };
        let lines = self.lines.iter().filter(|_| is_drawn);
        let others = lines.filter(|line| self.is_change || line.scope != self.own.scope);
        others.filter_map(text).collect()
    }

    fn unit(&self) -> Unit {
        if self.is_change { Unit::CHANGE } else { Unit::of(self.costs()) }
    }

    /// Returns whether the chart shows only seven-day averages, without the days.
    pub fn is_weekly(&self) -> bool {
        self.range.is_weekly()
    }

    /// Returns whether equal distances are equal factors.
    pub fn is_logarithmic(&self) -> bool {
        is_logarithmic(&self.costs())
    }

    fn costs(&self) -> Vec<Decimal> {
        let mut costs = drawn_costs(&self.lines);
        for forecast in &self.forecasts {
            costs.push(forecast.predicted_avg_usd);
            costs.extend(forecast.interval_usd.into_iter().flatten());
        }
        costs.extend(self.level);
        costs.extend(self.band.iter().flat_map(|day| day.1));
        costs.extend(self.estimates.iter().map(|estimate| estimate.1));
        costs
    }

    /// Returns what the lines show, in which unit, and when.
    pub fn caption(&self) -> String {
        let (coin, [(first, _), (last, _)]) = (self.coin, self.own.ends());
        match self.is_change {
            true => {
                format!("Change in the average cost of one {coin} since {}, %", short_date(first))
            }
            false => format!("Average cost of one {coin}, USD, {}", period(first, last)),
        }
    }

    fn draw(&self, form: ChartForm, file: Option<[&str; 2]>) -> String {
        let [first, last] = self.own.ends().map(|day| day.0);
        let last = self.forecasts.last().map_or(last, |forecast| forecast.target_date);
        let mut plot = DayPlot::new(form, self.unit(), [first, last], &self.costs());
        plot.marks.clone_from(&self.marks);
        plot.expected.clone_from(&self.expected);
        plot.estimates.clone_from(&self.estimates);
        plot.band(&self.band, self.own.is_stepped);
        if !self.forecasts.is_empty() {
            plot.forecast(&self.forecasts, self.level.is_none());
        }
        if let Some(level) = self.level {
            plot.level(LEVEL, level);
        }
        let scopes = self.lines.iter().map(|line| line.scope);
        let styles = LineStyle::of(scopes, Some(self.own.scope));
        let mut lines: Vec<_> = self.lines.iter().zip(styles).collect();
        // The thickest is drawn last, on top of the others.
        lines.sort_by(|(_, a), (_, b)| a.width.total_cmp(&b.width));
        for (line, style) in lines {
            plot.line(line, style, self.range.is_weekly());
        }
        if self.lines.iter().any(|line| !line.means.is_empty()) {
            plot.note("7-day averages", None);
        }
        plot.chart(["history", &self.title(), &self.description()], file)
    }

    fn description(&self) -> String {
        let lines = self.lines.iter().map(|line| {
            let (name, ends) = (isolated(line.name), line.ends().map(|end| end.1));
            match self.is_change {
                true => format!("{name} {}", self.unit().written(ends[1])),
                false => format!("{name} from {} to {}", grouped(ends[0]), grouped(ends[1])),
            }
        });
        let lines = lines.collect::<Vec<_>>().join("; ");
        let level = self.level.map(|level| format!(" {LEVEL}: {}.", grouped(level)));
        let band = self.band.last().map(|(_, ends)| {
            let [low, high] = ends.map(grouped);
            format!(" 80% interval of the worldwide average on the last day: {low} to {high}.")
        });
        let estimates = match self.estimates.len() {
            0 => String::new(),
            count => format!(" Published estimates: {count}, in the list below the chart."),
        };
        let [level, band] = [level, band].map(Option::unwrap_or_default);
        format!("{}: {lines}.{level}{band}{estimates}", self.caption())
    }
}

/// Explains what is expected, such as `1,203 of 2,016 blocks mined, 4% ahead of schedule: difficulty +4.1% expected on 24
/// November 2026.` Empty if nothing is known.
pub fn outlook_in_words(outlook: &Outlook) -> String {
    let retarget = outlook.retarget.map(|retarget| {
        let percent = (100.0 * (retarget.pace - 1.0)).round();
        let pace = match percent {
            0.0 => "on schedule".into(),
            1.0.. => format!("{percent}% ahead of schedule"),
            _ => format!("{}% behind schedule", -percent),
        };
        let [mined, all] = [retarget.blocks_mined, retarget.retarget_blocks].map(grouped);
        let change = signed_percent(100.0 * (retarget.difficulty_factor - 1.0), 1);
        let date = long_date(retarget.date);
        format!("{mined} of {all} blocks mined, {pace}: difficulty {change} expected on {date}.")
    });
    let halving = |date| format!("Next halving expected on {}.", long_date(date));
    retarget.into_iter().chain(outlook.halving.map(halving)).collect::<Vec<_>>().join(" ")
}

/// Returns the heading of a chart: how an average changed over a range.
fn heading(average: &str, [(since, from), (last, to)]: [(Date, Decimal); 2]) -> String {
    if since == last {
        return format!("{average} ${} on {}", rounded(to), short_date(last));
    }
    let delta = Delta { from, to };
    let change = match delta.percent() / 100.0 + 1.0 {
        times @ 10.0..1e15 => format!("{} times as high as", grouped(times.round())),
        times @ 3.0..10.0 => format!("{times:.1} times as high as"),
        _ => delta.in_words("lower than", "the same as", "higher than"),
    };
    format!("{average} {change} on {}", day_before(since, last))
}

/// Returns the days on which the difficulty changed, except in long ranges, and those on which the block reward halved.
fn marks(model: &Model, past: &Past, range: Range) -> [Vec<Date>; 2] {
    let Some(region) = model.registry().indices().next() else { return Default::default() };
    let network = |date: Date| {
        let inputs = model.day_inputs(region, date).ok()?;
        Some((inputs.difficulty, inputs.block_reward_coins))
    };
    let (mut retargets, mut halvings) = (Vec::new(), Vec::new());
    for (first, last) in past.days().windows(2).map(|pair| (pair[0].0, pair[1].0)) {
        let (Some(before), Some(after)) = (network(first), network(last)) else { continue };
        // Other changes of a reward, such as those of a second coin's revenue, aren't halvings.
        let is_half = |reward: f64| (before.1 / reward - 2.0).abs() < 0.01;
        if is_half(after.1) {
            let is_after = |date: &Date| network(*date).is_some_and(|day| is_half(day.1));
            halvings.extend(first.series(1.day()).find(is_after));
        } else if after.0 != before.0 && !range.is_weekly() {
            retargets.push(last);
        }
    }
    // If the difficulty changes on more than a quarter of the days, retargets aren't worth a mark.
    if retargets.len() + halvings.len() > past.days().len() / 4 {
        retargets.clear();
    }
    [retargets, halvings]
}

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

    /// Returns the first and the last day.
    pub fn days(&self) -> [String; 2] {
        self.lines[0].ends().map(|(date, _)| short_date(date))
    }

    /// Draws the chart for a page.
    pub fn on_page(&self) -> String {
        let [first, second] = self.lines.each_ref().map(|line| isolated(line.name));
        let [to, from] = [self.delta.to, self.delta.from].map(grouped);
        let description = format!(
            "Average cost on {}. {first}: {to} USD; {second}: {from} USD. Gap: {} USD, {}.",
            long_date(self.lines[0].past.last().0),
            grouped(self.delta.size()),
            self.delta.percent_size()
        );
        on_page(|form| self.plot(form).chart(["comparison", &self.heading, &description], None))
    }

    /// Returns whether equal distances are equal factors.
    pub fn is_logarithmic(&self) -> bool {
        is_logarithmic(&drawn_costs(&self.lines))
    }

    fn plot(&self, form: ChartForm) -> DayPlot<'_> {
        let costs = drawn_costs(&self.lines);
        let (unit, days) = (Unit::of(costs.iter().copied()), self.lines[0].ends().map(|day| day.0));
        let mut plot = DayPlot::new(form, unit, days, &costs);
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
    use ghi_engine::Costs;
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    const SOURCE: &str = "Synthetic data · 2 November 2026 · ghi.example";

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
        level: Option<Decimal>,
    ) -> HistoryChart<'a> {
        let scope = Scope::Global;
        let line = |(name, days)| ScopeLine {
            scope,
            name,
            past: Past { points: days, has_before: false },
            means: Vec::new(),
            is_stepped: false,
        };
        HistoryChart {
            own: line(lines[0].clone()),
            lines: lines.into_iter().map(line).collect(),
            level,
            is_change: false,
            coin: "coin",
            range: Range::Month,
            marks: Default::default(),
            forecasts: Vec::new(),
            expected: Vec::new(),
            band: Vec::new(),
            estimates: Vec::new(),
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
        let level = Some(Decimal::new(6_127_507, 2));
        let chart = chart(vec![("Worldwide", all), ("Europe", eu)], level);
        let both = chart.on_page();
        let (wide, narrow) = both.split_once('\n').unwrap();
        let file = chart.file(SOURCE);
        for text in [">Worldwide 61,465<", ">Europe 63,192<", ">Long-run level $61,275<"] {
            assert!(wide.contains(text) && file.contains(text), "{text}");
        }
        assert!(narrow.contains(">Worldwide<") && narrow.contains(">Europe<"));
        let [first, last] = ["first", "last"].map(|name| values(wide, &format!("data-{name}=\"")));
        assert_eq!([first, last], [["2026-11-01"], ["2026-11-02"]]);
        assert_eq!(values(wide, "data-costs=\""), ["61,800 61,465", "63,000 63,192"]);
        assert_eq!(values(wide, "data-name=\""), ["Worldwide", "Europe"]);
        assert!(!file.contains("hairline") && wide.contains("class=\"hairline\""));
        assert!(file.contains("Average cost of one coin, USD, 1 Nov to 2 Nov 2026<"), "{file}");
        assert!(file.contains(">Synthetic data · 2 November 2026 · ghi.example<"));
    }

    #[test]
    fn a_single_day_is_a_point() {
        let chart = chart(vec![("Worldwide", days(&[6_180_000], 2))], None);
        let svg = chart.on_page();
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
            let chart = chart(lines, Some(days[0].1.avg_usd));
            let (file, page) = (chart.file(SOURCE), chart.on_page());
            let charts = page.lines().chain([&*file]);
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

    #[test]
    fn a_heading_says_how_the_average_changed_since_the_day_before_the_range() {
        let check = |first: Date, averages: [u64; 2], expected: &str| {
            let [from, to] = averages.map(|count| Decimal::new(count, 2));
            assert_eq!(heading("The worldwide average is", [(first, from), (LAST, to)]), expected);
        };
        let day = date(2026, 11, 3);
        check(day, [10_000, 9_950], "The worldwide average is 0.5% lower than on 3 November");
        check(day, [10_000, 90_000], "The worldwide average is 9.0 times as high as on 3 November");
        check(day, [100, 400_050], "The worldwide average is 4,001 times as high as on 3 November");
        check(day, [10_000, 10_000], "The worldwide average is the same as on 3 November");
        check(
            day,
            [6_180_000, 6_179_999],
            "The worldwide average is <0.1% lower than on 3 November",
        );
        let before = "The worldwide average is 0.6% higher than on 31 Dec 2025";
        check(date(2025, 12, 31), [10_000, 10_060], before);
        let only = "The worldwide average is $61,465 on 16 Nov 2026";
        let end = (LAST, Decimal::new(6_146_549, 2));
        assert_eq!(heading("The worldwide average is", [end; 2]), only);
    }

    #[test]
    fn retargets_and_halvings_are_marked() {
        let inputs = ghi_engine::DEFAULT_INPUTS.replace(
            "[movement]",
            "[[network.reward]]\nfrom = \"2026-11-03\"\ncoins = 1.5625\n\n[movement]",
        );
        let model = Model::new(ghi_engine::Inputs::parse(&inputs).unwrap());
        let of = |range| {
            let past = Past::new(&model, Scope::Global, range, LAST).unwrap();
            marks(&model, &past, range)
        };
        let halvings = vec![date(2026, 11, 3)];
        let month = of(Range::Month);
        assert!(month[1] == halvings && month[0].len() == 2, "{month:?}");
        assert_eq!(
            of(Range::FiveYears),
            [vec![], halvings],
            "to the day, from points a week apart"
        );
    }

    #[test]
    fn the_mean_of_seven_days_is_in_front_of_faint_days() {
        let mut chart = chart(vec![("Worldwide", days(&[100; 10], 2))], None);
        chart.lines[0].means = chart.lines[0].averages().collect();
        chart.lines[0].means.last_mut().unwrap().1 = Decimal::new(90, 2);
        let svg = chart.on_page();
        assert_eq!(svg.matches("<path").count(), 2 * 2);
        assert!(svg.contains("stroke-opacity=\".4\" data-costs"), "{svg}");
        assert!(svg.contains(">Worldwide 0.90<"), "the name is at the end of the averages: {svg}");
    }

    #[test]
    fn costs_that_stay_the_same_for_days_are_drawn_as_steps() {
        let mut chart = chart(vec![("Worldwide", days(&[100, 100, 200, 200], 2))], None);
        chart.lines[0].is_stepped = true;
        let svg = chart.on_page();
        let (_, path) = svg.split_once("<path d=\"M0 ").unwrap();
        let steps = path.split_once('"').unwrap().0;
        assert!(steps.contains("l2 0 0-") && steps.ends_with(" 1 0"), "{steps}");
    }

    #[test]
    fn either_all_lines_have_averages_or_none() {
        let steps = ghi_engine::DEFAULT_INPUTS.replace("_pct = ", "_pct = 0 #");
        let steps = steps.replace("hashrate_share_pct = 0 #", "hashrate_share_pct = ");
        let steps = steps.replace("hashrate_pct = 0 #", "hashrate_pct = ");
        for (inputs, has_means) in [(ghi_engine::DEFAULT_INPUTS.to_owned(), true), (steps, false)] {
            let model = Model::new(ghi_engine::Inputs::parse(&inputs).unwrap());
            let today = model.day(LAST).unwrap();
            let region = Scope::Region(model.registry().indices().next().unwrap());
            for range in [Range::Quarter, Range::Year, Range::FiveYears, Range::All] {
                let scopes = vec![Scope::Global, region];
                let chart = HistoryChart::new(&model, &today, (region, range), scopes).unwrap();
                let has = chart.lines.iter().map(|line| !line.means.is_empty());
                assert_eq!(has.collect::<Vec<_>>(), [has_means; 2], "{range:?}");
                assert_eq!(!chart.own.means.is_empty(), has_means);
                assert_eq!(chart.title().contains("7-day average"), has_means);
                assert!(!chart.as_change().title().contains("7-day"), "changes are daily");
            }
        }
    }

    #[test]
    fn changes_start_at_zero_on_the_day_before_the_range() {
        let relative = |averages: &[u64]| {
            let mut chart = chart(vec![("Worldwide", days(averages, 2))], None);
            chart.own.past.has_before = true;
            chart.lines[0] = chart.own.clone();
            chart.as_change()
        };
        let near = relative(&[10_000, 10_500, 9_900]);
        assert!(near.on_page().contains("data-costs=\"+5.0% −1.0%\""));
        assert_eq!(near.caption(), "Change in the average cost of one coin since 1 Nov 2026, %");
        assert_eq!(near.lines[0].ends()[0], (date(2026, 11, 1), Decimal::new(1_000_000, 4)));
        let far = relative(&[10_000, 5_000, 4_280_000]);
        let svg = far.on_page();
        assert!(svg.contains("data-costs=\"−50.0% +42,700%\"") && svg.contains(">+900%<"), "{svg}");
    }

    fn compared(name: &str, averages: [u64; 2]) -> ScopeLine<'_> {
        let dates = [date(2026, 11, 15), date(2026, 11, 16)];
        let days = dates.into_iter().zip(averages.map(|count| Decimal::new(count, 2)));
        let costs = |cost| Costs { min_usd: cost, avg_usd: cost, max_usd: cost };
        let days = days.map(|(date, cost)| (date, costs(cost))).collect();
        ScopeLine {
            scope: Scope::Global,
            name,
            past: Past { points: days, has_before: false },
            means: Vec::new(),
            is_stepped: false,
        }
    }

    #[test]
    fn the_gap_is_shown_in_dollars_and_in_percent_of_the_second() {
        let [us, cn] = [[6_100_000, 6_150_000], [5_900_000, 6_000_000]];
        let chart = ComparisonChart::new([compared("United States", us), compared("China", cn)]);
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
        let chart = ComparisonChart::new(["A", "B"].map(|name| compared(name, [1, 6_150_000])));
        assert_eq!(chart.heading, "A: the same as B");
        assert!(!chart.on_page().contains(">Gap"));
    }
}
