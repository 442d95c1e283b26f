//! Lines over days: the plot of histories, ranges and comparisons.

use std::fmt::Write;

use askama::Template;
use ghi_engine::{
    CostScope, DayForecast, Decimal, Model, NoFigures, PublishedEstimate, RegionIndex, Scope,
};
use jiff::civil::Date;

use crate::numbers::Unit;
use crate::scale::{DayAxis, Scale};
use crate::selection::{Past, Range, name_of};
use crate::svg::{
    BOLD, ChartForm, ChartFrame, HEAD, LABEL_HEIGHT, Margins, Point, area, isolated, path, short,
    shortened, small_width_of, spread_out, width_of,
};

/// The costs of a scope over days, whose averages are drawn as a line.
#[derive(Clone, Debug)]
pub struct ScopeLine<'a> {
    /// A region, or worldwide.
    pub scope: Scope,
    /// The scope's name.
    pub name: &'a str,
    /// Its days.
    pub past: Past,
    /// Seven-day averages, drawn in front of the days. Empty if there are none.
    pub means: Vec<(Date, Decimal)>,
    /// Whether costs stay the same for days, so that changes are drawn as steps.
    pub(crate) is_stepped: bool,
}

impl<'a> ScopeLine<'a> {
    /// Creates the line of a scope over a range up to a date, without averages.
    pub fn new(
        model: &'a Model,
        scope: Scope,
        range: Range,
        last: Date,
    ) -> Result<Self, NoFigures> {
        let past = Past::new(model, scope, range, last)?;
        let (name, is_stepped) = (name_of(scope, model), !past.changes_often(model, scope));
        Ok(Self { scope, name, past, means: Vec::new(), is_stepped })
    }

    /// Returns the averages of the day before the range and of its days, the oldest first.
    pub(crate) fn averages(&self) -> impl Iterator<Item = (Date, Decimal)> + Clone {
        self.past.points.iter().map(|day| (day.0, day.1.avg_usd))
    }

    /// Converts each average to a percentage of the average before the range, and removes the seven-day averages.
    pub(crate) fn relative(mut self) -> Self {
        self.means.clear();
        let base = u128::from(self.past.base().1.avg_usd.count().max(1));
        for (_, costs) in &mut self.past.points {
            let count = (1_000_000 * u128::from(costs.avg_usd.count()) + base / 2) / base;
            costs.avg_usd = Decimal::new(u64::try_from(count).unwrap_or(u64::MAX), 4);
        }
        self
    }

    /// Returns the average before the range (or else the first one), and the last.
    pub(crate) fn ends(&self) -> [(Date, Decimal); 2] {
        [self.past.base(), self.past.last()].map(|day| (day.0, day.1.avg_usd))
    }
}

pub(crate) fn drawn_costs(lines: &[ScopeLine<'_>]) -> Vec<Decimal> {
    let days = lines.iter().flat_map(|line| line.averages().chain(line.means.iter().copied()));
    days.map(|day| day.1).collect()
}

/// Returns whether the highest cost is at least five times the lowest, which needs a logarithmic scale.
pub(crate) fn is_logarithmic(costs: &[Decimal]) -> bool {
    let low = costs.iter().min().map_or(0, |cost| cost.count());
    low > 0 && costs.iter().any(|cost| cost.count() / 5 >= low)
}

/// The heights above the highest grid line, for its number, and below the plot, for the dates, in pixels.
const TOP: u32 = 20;
const FOOT: u32 = 26;

/// The usual space to the left of the plot, and that on a phone to its left and to its right, in pixels.
const USUAL_LEFT: f64 = 64.0;
const NARROW_LEFT: f64 = 38.0;
const NARROW_RIGHT: f64 = 22.0;

/// The width of the widest name in a legend, and of a line in front of it, in pixels.
const LEGEND_MAX: f64 = 104.0;
const LEGEND_LINE: f64 = 20.0;

/// The space between the end of a line and its label, in pixels.
const GAP: f64 = 8.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LineStyle {
    pub(crate) colour: &'static str,
    pub(crate) width: f64,
    /// Whether it is dashed, so that it differs from its neighbour without colour.
    pub(crate) is_dashed: bool,
}

/// The colours of regions, by their index in the registry. With more regions, some look the same.
const COLOURS: [&str; 12] = [
    "line-1", "line-2", "line-3", "line-4", "line-5", "line-6", "line-7", "line-8", "line-9",
    "line-10", "line-11", "line-12",
];

/// Returns the colour of a region in every chart and list, by its name in the stylesheet.
pub fn region_colour(region: RegionIndex) -> &'static str {
    COLOURS[region.get() % COLOURS.len()]
}

impl LineStyle {
    /// Returns the line styles of these scopes: thick for the chosen one, and alternately dashed and solid for the others.
    pub(crate) fn of(scopes: impl Iterator<Item = Scope>, chosen: Option<Scope>) -> Vec<Self> {
        let mut is_dashed = chosen.is_none();
        let style = |scope: Scope| {
            let colour = match scope {
                Scope::Global => "average",
                Scope::Region(region) => region_colour(region),
            };
            if chosen == Some(scope) {
                return Self { colour, width: 3.0, is_dashed: false };
            }
            is_dashed = !is_dashed;
            Self { colour, width: 1.75, is_dashed }
        };
        scopes.map(style).collect()
    }

    fn is_bold(self) -> bool {
        self.width >= 3.0
    }

    fn letter_width(self) -> f64 {
        if self.is_bold() { BOLD } else { 1.0 }
    }
}

#[derive(Template)]
#[template(path = "day_plot.svg", escape = "html")]
pub(crate) struct DayPlot<'a> {
    form: ChartForm,
    height: u32,
    unit: Unit,
    scale: Scale,
    axis: DayAxis,
    lines: String,
    /// The dots at the ends of lines, as SVG. They are separate from the lines, which are stretched.
    dots: String,
    labels: Vec<LineLabel>,
    /// On a phone, the height and the text of a name inside the plot.
    inside: Option<(f64, String)>,
    /// The days of retargets and of halvings.
    pub(crate) marks: [Vec<Date>; 2],
    pub(crate) expected: Vec<(&'static str, Date)>,
    /// What others published, as points.
    pub(crate) estimates: Vec<(&'a PublishedEstimate, Decimal)>,
}

/// The name of a line: next to its end or, on a phone, in a legend above the plot.
struct LineLabel {
    /// The position in pixels: from the top next to the end of a line, or from the left in a legend.
    at: f64,
    name: String,
    amount: String,
    style: LineStyle,
    /// Whether the script shows the costs of the line's days here.
    is_followed: bool,
}

impl<'a> DayPlot<'a> {
    /// Creates a plot with an axis from the first to the last day, and one for costs in a unit.
    pub(crate) fn new(form: ChartForm, unit: Unit, days: [Date; 2], costs: &[Decimal]) -> Self {
        let ends = [costs.iter().min(), costs.iter().max()];
        let [low, high] = ends.map(|cost| cost.copied().unwrap_or(Decimal::new(0, 0)));
        let height = form.pick(380, 240, 380);
        let ends = [height - FOOT, TOP].map(f64::from);
        // Changes of less than a percent don't fill the plot.
        let space = (high.count() / 100).saturating_sub(high.count() - low.count()) / 2;
        let flat = [low.count() - space.min(low.count()), high.count() + space]
            .map(|count| Decimal::new(count, high.decimals()));
        let scale = match is_logarithmic(costs) {
            true => Scale::logarithmic(unit, [low, high], ends, form.is_narrow()),
            false => Scale::linear(unit, flat, ends, 5, form.is_narrow()),
        };
        Self {
            form,
            height,
            unit,
            scale,
            axis: DayAxis { first: days[0], last: days[1] },
            lines: String::new(),
            dots: String::new(),
            labels: Vec::new(),
            inside: None,
            marks: Default::default(),
            expected: Vec::new(),
            estimates: Vec::new(),
        }
    }

    /// Returns the points of costs, in days across and half pixels down: as precise as a screen, and short to write.
    fn points(&self, costs: impl IntoIterator<Item = (Date, Decimal)>) -> Vec<Point> {
        let half_pixels = |cost| (2.0 * self.scale.place(cost)).round() as i64;
        costs.into_iter().map(|(date, cost)| (self.axis.day(date), half_pixels(cost))).collect()
    }

    fn add_path(&mut self, path: &str, attributes: &str) {
        // Strokes keep their width when the plot is stretched; on a page, the stylesheet takes care of that.
        let effect = self.form.pick("", "", " vector-effect=\"non-scaling-stroke\"");
        _ = write!(self.lines, "<path d=\"{path}\" {attributes}{effect}/>");
    }

    fn add_stroke(&mut self, points: &[Point], style: LineStyle, more: &str) {
        let LineStyle { colour, width, is_dashed } = style;
        // Lines with many points are thinner, so that they don't blur into an area.
        let is_thin = points.len() > self.form.pick(600, 200, 600);
        let width = if is_thin { width / 2.0 } else { width };
        let more = format!("{}{more}", if is_dashed { " stroke-dasharray=\"7 4\"" } else { "" });
        let attributes = format!("stroke=\"var(--{colour})\" stroke-width=\"{width}\"{more}");
        self.add_path(&path(points), &attributes);
    }

    /// Draws a line with its name and a dot at its end; for a single day, only these. If there are seven-day averages,
    /// they are drawn in front, and the days are faint unless they are hidden.
    pub(crate) fn line(&mut self, line: &ScopeLine<'_>, style: LineStyle, hides_days: bool) {
        let (means, days) = (&line.means, line.past.days().len());
        let hides_days = hides_days && !means.is_empty();
        let costs = if hides_days { means.clone() } else { line.averages().collect() };
        let points = self.points(costs.iter().copied());
        let for_script = self.costs_for_script(&costs, days);
        if points.len() > 1 && line.is_stepped {
            self.add_stroke(&steps(&points), style, "");
            self.add_stroke(&points, style, &format!(" stroke-opacity=\"0\"{for_script}"));
        } else if points.len() > 1 && (means.is_empty() || hides_days) {
            self.add_stroke(&points, style, &for_script);
        } else if points.len() > 1 {
            let faint = LineStyle { width: 1.0, is_dashed: false, ..style };
            self.add_stroke(&points, faint, &format!(" stroke-opacity=\".4\"{for_script}"));
            let more = format!(" class=\"mean\"{}", self.costs_for_script(means, days));
            self.add_stroke(&self.points(means.iter().copied()), style, &more);
        }
        if let Some(&(date, cost)) = means.last().or(costs.last()) {
            let (x, y) = (self.axis.percent(date), short(self.scale.place(cost)));
            let (radius, colour) = (2.0 + style.width / 2.0, style.colour);
            _ = write!(
                self.dots,
                "<circle cx=\"{x}%\" cy=\"{y}\" r=\"{radius}\" fill=\"var(--{colour})\"/>"
            );
            self.name(line.name, " ", cost, style);
            if let Some(label) = self.labels.last_mut() {
                label.is_followed = points.len() > 1 && self.form == ChartForm::Wide;
            }
        }
    }

    /// Returns the attribute with the costs of the last days of a line, as the script writes them next to the plot.
    fn costs_for_script(&self, costs: &[(Date, Decimal)], days: usize) -> String {
        if !self.form.is_on_page() {
            return String::new();
        }
        let last = costs.iter().skip(costs.len() - days).filter(|_| !self.form.is_narrow());
        let written: Vec<String> = last.map(|(_, cost)| self.unit.written(*cost)).collect();
        format!(" data-costs=\"{}\"", written.join(" "))
    }

    /// Fills the intervals of forecasts, which start at the last day with data, and draws them as a line if they have one.
    pub(crate) fn forecast(&mut self, forecasts: &[DayForecast], has_line: bool) {
        let bounds = [1, 0].map(|end| {
            let ends =
                forecasts.iter().filter_map(|it| Some((it.target_date, it.interval_usd?[end])));
            self.points(ends)
        });
        self.add_path(&area(&bounds[0], &bounds[1]), "fill=\"var(--range)\" fill-opacity=\"0.2\"");
        if has_line {
            let predicted = forecasts.iter().map(|it| (it.target_date, it.predicted_avg_usd));
            let style = LineStyle { colour: "average", width: 1.75, is_dashed: true };
            self.add_stroke(&steps(&self.points(predicted)), style, "");
        }
    }

    /// Fills the interval of an average, behind all lines.
    pub(crate) fn band(&mut self, band: &[(Date, [Decimal; 2])], is_stepped: bool) {
        if band.len() < 2 {
            return;
        }
        let [lower, upper] = [0, 1].map(|end| {
            let points = self.points(band.iter().map(|(date, ends)| (*date, ends[end])));
            if is_stepped { steps(&points) } else { points }
        });
        let attributes = "class=\"band\" fill=\"var(--average)\" fill-opacity=\"0.12\"";
        self.add_path(&area(&upper, &lower), attributes);
    }

    pub(crate) fn level(&mut self, name: &str, cost: Decimal) {
        let points = self.points([(self.axis.first, cost), (self.axis.last, cost)]);
        let style = LineStyle { colour: "faint", width: 1.25, is_dashed: false };
        self.add_stroke(&points, style, " stroke-dasharray=\"2 4\"");
        if self.form.is_narrow() {
            let text = format!("{name} ${}", self.unit.written(cost));
            self.inside = Some((short(self.scale.place(cost) - 5.0), text));
        } else {
            self.name(name, " $", cost, style);
        }
    }

    /// Fills the area between two lines. For a single day, draws a bar.
    pub(crate) fn area(&mut self, lines: &[ScopeLine<'_>; 2]) {
        let [upper, lower] = lines.each_ref().map(|line| {
            let points = self.points(line.averages());
            if line.is_stepped && points.len() > 1 { steps(&points) } else { points }
        });
        if let ([upper], [lower]) = (&*upper, &*lower) {
            let bar = LineStyle { colour: "range", width: 6.0, is_dashed: false };
            self.add_stroke(&[*upper, *lower], bar, "");
        } else {
            self.add_path(&area(&upper, &lower), "fill=\"var(--range)\" fill-opacity=\"0.2\"");
        }
    }

    fn label_max(&self) -> f64 {
        self.form.pick(190.0, 0.0, 240.0)
    }

    fn name(&mut self, name: &str, before_amount: &str, cost: Decimal, style: LineStyle) {
        let (at, name, amount) = if self.form.is_narrow() {
            let end =
                |label: &LineLabel| label.at + LEGEND_LINE + small_width_of(&label.name) + GAP;
            let at = short(self.labels.last().map_or(GAP, end));
            (at, shortened(name, LEGEND_MAX), String::new())
        } else {
            let amount = format!("{before_amount}{}", self.unit.written(cost));
            let max = self.label_max() / style.letter_width() - width_of(&amount);
            (self.scale.place(cost), shortened(name, max), amount)
        };
        let name = isolated(&name);
        self.labels.push(LineLabel { at, name, amount, style, is_followed: false });
    }

    /// Writes a note about the last day: between two lines that end at these costs, or above the names of the lines.
    pub(crate) fn note(&mut self, text: &str, between: Option<[Decimal; 2]>) {
        let names = self.labels.iter().filter(|label| label.style.colour != "faint");
        let above = names.map(|name| name.at).fold(f64::INFINITY, f64::min) - 0.1;
        let middle = |[a, b]: [Decimal; 2]| (self.scale.place(a) + self.scale.place(b)) / 2.0;
        let at = between.map_or(above, middle);
        if width_of(text) <= self.label_max() && at.is_finite() {
            let style = LineStyle { colour: "ink", width: 0.0, is_dashed: false };
            let (name, amount) = (text.into(), String::new());
            self.labels.push(LineLabel { at, name, amount, style, is_followed: false });
        }
    }

    fn margins(&self) -> Margins {
        if self.form.is_narrow() {
            return Margins::new(NARROW_LEFT, NARROW_RIGHT, self.form);
        }
        let ticks = self.scale.ticks();
        let numbers = ticks.iter().map(|tick| small_width_of(&format!("${}", tick.label)));
        let left = numbers.fold(0.0, f64::max) + GAP;
        let labels = self.labels.iter().map(|label| {
            width_of(&format!("{}{}", label.name, label.amount)) * label.style.letter_width()
        });
        // Plots on a page all have the same margins, unless their costs are unusual.
        let right = (labels.fold(0.0, f64::max) + GAP).max(self.form.pick(146.0, 146.0, 0.0));
        // Long numbers are inside the plot, on top of the lines.
        let left = if left > self.form.width() / 5.0 { USUAL_LEFT } else { left };
        Margins::new(left.max(USUAL_LEFT), right, self.form)
    }

    /// Returns the days that are marked with a vertical line, in percent, and the label above each. A label that would
    /// overlap the one before joins it, and its own day has none.
    fn marked_days(&self) -> Vec<(f64, String)> {
        let width = self.margins().plot_width(self.form);
        let halvings = self.marks[1].iter().map(|date| (*date, "Halving".to_owned()));
        let expected = self.expected.iter().map(|(name, date)| {
            let day = date.strftime("%-d %b");
            (*date, format!("{name} {day}"))
        });
        let mut days: Vec<(Date, String)> = halvings.chain(expected).collect();
        days.sort_by_key(|day| day.0);
        let mut marked: Vec<(f64, String)> = Vec::new();
        let mut labelled = 0;
        for (date, label) in days {
            let at = self.axis.percent(date);
            let needed = |before: &str| GAP + small_width_of(&format!("{before}{label}")) / 2.0;
            match marked.get_mut(labelled) {
                Some((start, before)) if (at - *start) / 100.0 * width < needed(before) => {
                    if !before.ends_with(&label) {
                        *before += &format!(" · {label}");
                    }
                    marked.push((at, String::new()));
                }
                _ => {
                    labelled = marked.len();
                    marked.push((at, label));
                }
            }
        }
        marked
    }

    fn end_labels(&self) -> impl Iterator<Item = (&LineLabel, f64)> {
        let labels = self.labels.iter().filter(|_| !self.form.is_narrow());
        let heights: Vec<f64> = labels.clone().map(|label| label.at).collect();
        let bounds = [LABEL_HEIGHT / 2.0, f64::from(self.height - FOOT)];
        labels.zip(spread_out(&heights, bounds).into_iter().map(short))
    }

    /// Draws the chart with its id, heading and description and, in a file, its subtitle and source.
    pub(crate) fn chart(&self, texts: [&str; 3], file: Option<[&str; 2]>) -> String {
        let (form, margins, plot) = (self.form, self.margins(), (self.height, self));
        ChartFrame { form, margins, plot, texts, file }.to_string()
    }
}

/// Returns the corners of a line on which each value stays until the next one.
fn steps(points: &[Point]) -> Vec<Point> {
    let changes = points.windows(2).filter(|pair| pair[0].1 != pair[1].1);
    let corners = changes.flat_map(|pair| [(pair[1].0, pair[0].1), pair[1]]);
    points.first().copied().into_iter().chain(corners).chain(points.last().copied()).collect()
}

pub(crate) fn on_page(draw: impl Fn(ChartForm) -> String) -> String {
    [ChartForm::Wide, ChartForm::Narrow].map(draw).join("\n")
}

#[cfg(test)]
mod tests {
    use ghi_engine::Inputs;

    use super::*;

    #[test]
    fn regions_have_different_colours() {
        let model = Model::new(Inputs::default());
        let colours: Vec<&str> = model.registry().indices().map(region_colour).collect();
        assert_eq!(colours, ["line-1", "line-2", "line-3"]);
    }

    #[test]
    fn the_chosen_line_is_thick_and_neighbours_differ() {
        let model = Model::new(Inputs::default());
        let regions = model.registry().indices().map(Scope::Region);
        let scopes: Vec<Scope> = std::iter::once(Scope::Global).chain(regions).collect();
        for chosen in [0, 1, 3] {
            let styles = LineStyle::of(scopes.iter().copied(), Some(scopes[chosen]));
            let thick = styles.iter().position(|style| style.width == 3.0);
            assert_eq!((thick, styles[chosen].is_dashed), (Some(chosen), false));
            let others = styles.iter().filter(|style| style.width < 3.0);
            let dashed: Vec<bool> = others.map(|style| style.is_dashed).collect();
            assert_eq!(dashed, [true, false, true]);
        }
        let styles = LineStyle::of(scopes[..2].iter().copied(), None);
        let dashed = styles.into_iter().map(|style| style.is_dashed);
        assert_eq!(dashed.collect::<Vec<_>>(), [false, true]);
    }
}
