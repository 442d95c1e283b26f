//! Lines over days: the plot that histories, spreads and comparisons are drawn as.

use askama::Template;
use ghi_engine::{Costs, Decimal};
use jiff::civil::Date;

use crate::day_axis::DayAxis;
use crate::end_labels::{LABEL_HEIGHT, placed};
use crate::frame::{Caption, Form, Place, Rooms, framed, rendered};
use crate::path::{Point, area, path, point, short};
use crate::pen::{Pen, Role};
use crate::scale::{Scale, ScaleStyle, Tick};
use crate::text::{SIZE, SMALL, isolated, shortened, width_of};
use crate::unit::Unit;

/// The averages of a scope.
#[derive(Clone, Copy)]
pub struct Line<'a> {
    /// The scope's name, for people.
    pub name: &'a str,
    /// One at least.
    pub days: &'a [(Date, Costs)],
    /// What it is among the lines.
    pub role: Role,
}

/// Above the highest line of the grid, room for its number, in pixels.
const TOP: u32 = 20;

/// Below the plot, room for days, in pixels.
const FOOT: u32 = 26;

/// Between the end of a line and its label, in pixels.
const GAP: f64 = 8.0;

/// How much wider bold letters are.
const BOLD: f64 = 1.1;

/// A plot of days that lines are drawn in.
pub(crate) struct Panel<'a> {
    form: Form<'a>,
    height: u32,
    unit: Unit,
    scale: Scale,
    axis: DayAxis,
    /// The first day, the last with figures, and the one on which the axis ends.
    dates: [Date; 3],
    areas: Vec<Area>,
    strokes: Vec<Stroke>,
    dots: Vec<Dot>,
    labels: Vec<Label>,
}

struct Area {
    path: String,
    colour: &'static str,
    opacity: f64,
    has_edge: bool,
}

struct Stroke {
    path: String,
    colour: &'static str,
    width: f64,
    is_dashed: bool,
}

struct Dot {
    x: f64,
    y: f64,
    radius: f64,
    colour: &'static str,
}

/// What stands at the end of a line.
struct Label {
    /// The height of the line's end.
    at: f64,
    text: String,
    colour: &'static str,
    is_bold: bool,
}

impl<'a> Panel<'a> {
    /// A plot for some costs, written in a unit, on some days: the first, the last with figures, and the
    /// one on which the axis ends.
    pub(crate) fn new(
        costs: impl IntoIterator<Item = Decimal>,
        unit: Unit,
        dates: [Date; 3],
        height: u32,
        form: Form<'a>,
    ) -> Self {
        let mut costs = costs.into_iter();
        let any = costs.next().unwrap_or(Decimal::new(0, 0));
        let (low, high) =
            costs.fold((any, any), |(low, high), cost| (low.min(cost), high.max(cost)));
        let ends = [height - FOOT, TOP].map(f64::from);
        let (ticks_max, is_brief) = (if height < 200 { 4 } else { 5 }, form.is_narrow());
        let unit = unit.or_smaller(high);
        Self {
            form,
            height,
            unit,
            scale: Scale::in_unit(unit, low, high, ends, ScaleStyle { ticks_max, is_brief }),
            axis: DayAxis::new(dates[0], dates[2]),
            dates,
            areas: Vec::new(),
            strokes: Vec::new(),
            dots: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// Across in days, down in half pixels: as exact as a screen, and short to write.
    fn points(&self, costs: impl Iterator<Item = (Date, Decimal)>) -> Vec<Point> {
        let half_pixels = |cost| (2.0 * self.scale.place(cost)).round();
        costs.map(|(date, cost)| point(self.axis.day(date), half_pixels(cost))).collect()
    }

    /// Draws a line, if there are two points at least.
    pub(crate) fn line(&mut self, costs: impl Iterator<Item = (Date, Decimal)>, pen: Pen) {
        let points = self.points(costs);
        if points.len() > 1 {
            let Pen { colour, width } = pen;
            self.strokes.push(Stroke { path: path(&points), colour, width, is_dashed: false });
        }
    }

    /// Draws the averages of a scope, and names them.
    pub(crate) fn average(&mut self, line: &Line<'_>, pen: Pen) {
        let (date, costs) = line.days[line.days.len() - 1];
        self.line(line.days.iter().map(|day| (day.0, day.1.avg_usd)), pen);
        self.dot((date, costs.avg_usd), pen);
        self.name(line.name, costs.avg_usd, pen);
    }

    /// Draws a dashed line from a day to another.
    pub(crate) fn dashes(&mut self, ends: [(Date, Decimal); 2], pen: Pen) {
        let path = path(&self.points(ends.into_iter()));
        let Pen { colour, width } = pen;
        self.strokes.push(Stroke { path, colour, width, is_dashed: true });
    }

    /// Draws the area between two lines; of a single day, a bar.
    pub(crate) fn area(
        &mut self,
        [upper, lower]: [&mut dyn Iterator<Item = (Date, Decimal)>; 2],
        colour: &'static str,
        opacity: f64,
        has_edge: bool,
    ) {
        let [upper, lower] = [self.points(upper), self.points(lower)];
        if let ([upper], [lower]) = (&*upper, &*lower) {
            let path = path(&[*upper, *lower]);
            self.strokes.push(Stroke { path, colour, width: 6.0, is_dashed: false });
        } else {
            self.areas.push(Area { path: area(&upper, &lower), colour, opacity, has_edge });
        }
    }

    /// Marks the end of a line.
    pub(crate) fn dot(&mut self, (date, cost): (Date, Decimal), pen: Pen) {
        let (x, y) = (self.axis.percent(date), short(self.scale.place(cost)));
        self.dots.push(Dot { x, y, radius: 2.0 + pen.width / 2.0, colour: pen.colour });
    }

    /// The longest label, in pixels.
    fn label_max(&self) -> f64 {
        self.form.pick(190.0, 102.0, 240.0)
    }

    /// Names a line that ends at a cost, which is written where there is room for it.
    pub(crate) fn name(&mut self, name: &str, cost: Decimal, pen: Pen) {
        let room = self.label_max();
        let is_bold = pen.width >= 3.0 && !self.form.is_narrow();
        let room = if is_bold { room / BOLD } else { room };
        let amount = match self.form.is_narrow() {
            true => String::new(),
            false => format!(" {}", self.unit.written(cost)),
        };
        let name = isolated(&shortened(name, room - width_of(&amount)));
        let at = self.scale.place(cost);
        self.labels.push(Label { at, text: name + &amount, colour: pen.colour, is_bold });
    }

    /// Says something between two lines that end at some costs, if there is room for it.
    pub(crate) fn note(&mut self, text: String, costs: [Decimal; 2]) {
        if width_of(&text) <= self.label_max() {
            let [first, second] = costs.map(|cost| self.scale.place(cost));
            let at = (first + second) / 2.0;
            self.labels.push(Label { at, text, colour: "ink", is_bold: false });
        }
    }

    /// The space that some plots need on both sides, of which each stands below the one before, so that
    /// their days do too. There is one at least.
    pub(crate) fn rooms(plots: &[&Self]) -> Rooms {
        let sides = plots.iter().map(|plot| plot.sides());
        let [left, right] =
            sides.fold([0.0; 2], |[left, right], sides| [sides[0].max(left), sides[1].max(right)]);
        Rooms::new(left, right, plots[0].form)
    }

    /// The space that it needs to the left and to the right, in pixels.
    fn sides(&self) -> [f64; 2] {
        let numbers = self.scale.ticks();
        let numbers = numbers.iter().map(|tick| width_of(&format!("${}", tick.label)));
        let left = numbers.fold(0.0, f64::max) * SMALL / SIZE + GAP;
        let labels = self
            .labels
            .iter()
            .map(|label| width_of(&label.text) * if label.is_bold { BOLD } else { 1.0 });
        let right = labels.fold(0.0, f64::max) + GAP;
        // Plots that stand above each other have the same room, as long as costs are not unusual.
        let (usual_left, usual_right) = self.form.pick((64.0, 146.0), (40.0, 80.0), (64.0, 0.0));
        // Long numbers stand in the plot, where lines run below them.
        let left = if left > self.form.width() / 5.0 { usual_left } else { left };
        [left.max(usual_left), right.max(usual_right)]
    }

    /// What is drawn in it, without its numbers and names: its lines, and the dots at their ends, which
    /// stay round however wide it is.
    fn drawing(&self) -> [String; 2] {
        let is_on_page = self.form.is_on_page();
        let lines = Lines { areas: &self.areas, strokes: &self.strokes, is_on_page };
        [rendered(&lines), rendered(&Dots { dots: &self.dots })]
    }

    /// Draws it between some rooms, below so many pixels of other plots.
    pub(crate) fn draw(&self, rooms: Rooms, above: u32) -> String {
        self.draw_around(&self.drawing(), rooms, above)
    }

    /// The same around lines and dots that are drawn already.
    fn draw_around(&self, [lines, dots]: &[String; 2], rooms: Rooms, above: u32) -> String {
        let bottom = self.height - FOOT;
        let heights: Vec<f64> = self.labels.iter().map(|label| label.at).collect();
        let placed = placed(&heights, [LABEL_HEIGHT / 2.0, f64::from(bottom)]);
        let Place { x, y, width } = Place::new(rooms, above, self.form);
        let [first, last, end] = self.dates;
        rendered(&Plot {
            x,
            y,
            width,
            start: -i64::from(rooms.left),
            height: self.height,
            top: TOP,
            bottom,
            is_on_page: self.form.is_on_page(),
            has_dates: !self.form.is_narrow(),
            first,
            last,
            end,
            length: self.axis.days,
            ticks: self.scale.ticks(),
            days: self.axis.ticks(last, rooms.plot_width(self.form)),
            lines,
            dots,
            labels: self.labels.iter().zip(placed.into_iter().map(short)).collect(),
        })
    }
}

/// A chart in both of its forms on a page, the wide one first.
pub(crate) type Both = [Panel<'static>; 2];

/// Both forms of a chart.
pub(crate) fn both(panel: impl Fn(Form<'static>) -> Panel<'static>) -> Both {
    [panel(Form::Wide), panel(Form::Narrow)]
}

/// The space that both forms of charts which stand above each other need on both sides.
pub(crate) fn rooms_of(charts: &[&Both]) -> [Rooms; 2] {
    [0, 1].map(|form| Panel::rooms(&charts.iter().map(|chart| &chart[form]).collect::<Vec<_>>()))
}

/// Both forms of a chart between some rooms. Lines and dots are the same in both, as long as their
/// numbers can be written alike, and are then sent once.
pub(crate) fn on_page(chart: &Both, rooms: [Rooms; 2], caption: &Caption<'_>) -> String {
    let [mut wide, mut narrow] = chart.each_ref().map(Panel::drawing);
    for ((part, other), name) in wide.iter_mut().zip(&mut narrow).zip(["lines", "dots"]) {
        let id = format!("{}-{name}", caption.name);
        if part == other {
            *other = format!("<use href=\"#{id}\"/>");
        }
        *part = format!("<g id=\"{id}\">{part}</g>");
    }
    let draw = |place: usize, drawing| {
        let (panel, rooms) = (&chart[place], rooms[place]);
        framed(&panel.draw_around(drawing, rooms, 0), panel.height, rooms, caption, panel.form)
    };
    draw(0, &wide) + "\n" + &draw(1, &narrow)
}

#[derive(Template)]
#[template(path = "lines.svg", escape = "html")]
struct Lines<'a> {
    areas: &'a [Area],
    strokes: &'a [Stroke],
    is_on_page: bool,
}

#[derive(Template)]
#[template(path = "dots.svg", escape = "html")]
struct Dots<'a> {
    dots: &'a [Dot],
}

#[derive(Template)]
#[template(path = "panel.svg", escape = "html")]
struct Plot<'a> {
    x: u32,
    y: u32,
    width: String,
    /// Where the lines of the grid begin.
    start: i64,
    height: u32,
    top: u32,
    bottom: u32,
    is_on_page: bool,
    /// Both forms on a page have the same days.
    has_dates: bool,
    first: Date,
    last: Date,
    end: Date,
    /// In days.
    length: i64,
    ticks: Vec<Tick>,
    days: Vec<Tick>,
    lines: &'a str,
    dots: &'a str,
    labels: Vec<(&'a Label, f64)>,
}
