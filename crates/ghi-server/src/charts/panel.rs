//! Lines over days: the plot that histories, spreads and comparisons are drawn as.

use askama::Template;
use ghi_engine::{Costs, Decimal};
use jiff::civil::Date;

use crate::charts::amounts::Compact;
use crate::charts::day_axis::DayAxis;
use crate::charts::end_labels::{LABEL_HEIGHT, placed};
use crate::charts::frame::{Caption, Form, Place, Rooms, framed, rendered};
use crate::charts::path::{Point, area, path, point, short};
use crate::charts::scale::{Scale, ScaleStyle, Tick};
use crate::charts::text::{SIZE, SMALL, isolated, shortened, width_of};

/// The averages of a scope.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) name: &'a str,
    /// One at least.
    pub(crate) days: &'a [(Date, Costs)],
    pub(crate) role: Role,
}

/// What a line is among others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Worldwide,
    Chosen,
    Other,
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
pub(super) struct Panel<'a> {
    form: Form<'a>,
    height: u32,
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

/// How a line is drawn.
#[derive(Clone, Copy)]
pub(super) struct Pen {
    pub(super) colour: &'static str,
    pub(super) width: f64,
}

impl Pen {
    /// The pens of some lines: each region has a colour of its own.
    pub(super) fn of(lines: &[Line<'_>]) -> Vec<Self> {
        const COLOURS: [&str; 5] = ["line-1", "line-2", "line-3", "line-4", "line-5"];
        let mut colours = COLOURS.into_iter().cycle();
        let pen = |line: &Line<'_>| match line.role {
            Role::Worldwide => Self { colour: "average", width: 3.0 },
            Role::Chosen => Self { colour: colours.next().unwrap_or_default(), width: 2.5 },
            Role::Other => Self { colour: colours.next().unwrap_or_default(), width: 1.75 },
        };
        lines.iter().map(pen).collect()
    }
}

impl<'a> Panel<'a> {
    /// A plot for some costs on some days: the first, the last with figures, and the one on which the
    /// axis ends.
    pub(super) fn new(
        costs: impl IntoIterator<Item = Decimal>,
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
        Self {
            form,
            height,
            scale: Scale::covering(low, high, ends, ScaleStyle { ticks_max, is_brief }),
            axis: DayAxis::new(dates[0], dates[2]),
            dates,
            areas: Vec::new(),
            strokes: Vec::new(),
            dots: Vec::new(),
            labels: Vec::new(),
        }
    }

    fn points(&self, costs: impl Iterator<Item = (Date, Decimal)>) -> Vec<Point> {
        costs.map(|(date, cost)| point(self.axis.day(date), self.scale.place(cost))).collect()
    }

    /// Draws a line, if there are two points at least.
    pub(super) fn line(&mut self, costs: impl Iterator<Item = (Date, Decimal)>, pen: Pen) {
        let points = self.points(costs);
        if points.len() > 1 {
            let Pen { colour, width } = pen;
            self.strokes.push(Stroke { path: path(&points), colour, width, is_dashed: false });
        }
    }

    /// Draws the averages of a scope, and names them.
    pub(super) fn average(&mut self, line: &Line<'_>, pen: Pen) {
        let (date, costs) = line.days[line.days.len() - 1];
        self.line(line.days.iter().map(|day| (day.0, day.1.avg_usd)), pen);
        self.dot((date, costs.avg_usd), pen);
        self.name(line.name, costs.avg_usd, pen);
    }

    /// Draws a dashed line from a day to another.
    pub(super) fn dashes(&mut self, ends: [(Date, Decimal); 2], pen: Pen) {
        let path = path(&self.points(ends.into_iter()));
        let Pen { colour, width } = pen;
        self.strokes.push(Stroke { path, colour, width, is_dashed: true });
    }

    /// Draws the area between two lines; of a single day, a bar.
    pub(super) fn area(
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
    pub(super) fn dot(&mut self, (date, cost): (Date, Decimal), pen: Pen) {
        let (x, y) = (self.axis.percent(date), short(self.scale.place(cost)));
        self.dots.push(Dot { x, y, radius: 2.0 + pen.width / 2.0, colour: pen.colour });
    }

    /// The longest label, in pixels.
    fn label_max(&self) -> f64 {
        self.form.pick(150.0, 100.0, 240.0)
    }

    /// Names a line that ends at a cost, which is written where there is room for it.
    pub(super) fn name(&mut self, name: &str, cost: Decimal, pen: Pen) {
        let room = self.label_max();
        let is_bold = pen.width >= 3.0 && !self.form.is_narrow();
        let room = if is_bold { room / BOLD } else { room };
        let amount =
            if self.form.is_narrow() { String::new() } else { format!(" {}", Compact(cost)) };
        let name = isolated(&shortened(name, room - width_of(&amount)));
        let at = self.scale.place(cost);
        self.labels.push(Label { at, text: name + &amount, colour: pen.colour, is_bold });
    }

    /// Says something between two lines that end at some costs, if there is room for it.
    pub(super) fn note(&mut self, text: String, costs: [Decimal; 2]) {
        if width_of(&text) <= self.label_max() {
            let [first, second] = costs.map(|cost| self.scale.place(cost));
            let at = (first + second) / 2.0;
            self.labels.push(Label { at, text, colour: "ink", is_bold: false });
        }
    }

    /// The space that it needs on both sides.
    pub(super) fn rooms(&self) -> Rooms {
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
        Rooms::new(left.max(usual_left), right.max(usual_right), self.form)
    }

    /// What is drawn in it, without its numbers and names.
    pub(super) fn lines(&self) -> String {
        rendered(&Lines { areas: &self.areas, strokes: &self.strokes })
    }

    /// Draws it between some rooms, below so many pixels of other plots.
    pub(super) fn draw(&self, rooms: Rooms, above: u32) -> String {
        self.draw_around(&self.lines(), rooms, above)
    }

    /// The same around lines that are drawn already.
    fn draw_around(&self, lines: &str, rooms: Rooms, above: u32) -> String {
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
            first,
            last,
            end,
            length: self.axis.days,
            ticks: self.scale.ticks(),
            days: self.axis.ticks(last, rooms.plot_width(self.form)),
            lines,
            dots: &self.dots,
            labels: self.labels.iter().zip(placed.into_iter().map(short)).collect(),
        })
    }
}

/// A chart in both of its forms on a page, the wide one first.
pub(super) type Both = [Panel<'static>; 2];

/// Both forms of a chart.
pub(super) fn both(panel: impl Fn(Form<'static>) -> Panel<'static>) -> Both {
    [panel(Form::Wide), panel(Form::Narrow)]
}

/// The space that both forms of a chart need on both sides.
pub(super) fn rooms_of(chart: &Both) -> [Rooms; 2] {
    chart.each_ref().map(Panel::rooms)
}

/// The same of two charts that stand above each other, so that their days do too.
pub(super) fn rooms_of_two(charts: [&Both; 2]) -> [Rooms; 2] {
    let [above, below] = charts.map(rooms_of);
    [0, 1].map(|place| above[place].or_more(below[place], charts[0][place].form))
}

/// Both forms of a chart between some rooms. The lines are the same in both, as long as their numbers
/// can be written alike, and are then sent once.
pub(super) fn on_page(chart: &Both, rooms: [Rooms; 2], caption: &Caption<'_>) -> String {
    let [lines, narrow_lines] = chart.each_ref().map(Panel::lines);
    let id = format!("{}-lines", caption.name);
    let narrow_lines = match lines == narrow_lines {
        true => format!("<use href=\"#{id}\"/>"),
        false => narrow_lines,
    };
    let lines = format!("<g id=\"{id}\">{lines}</g>");
    let draw = |place: usize, lines: &str| {
        let (panel, rooms) = (&chart[place], rooms[place]);
        framed(&panel.draw_around(lines, rooms, 0), panel.height, rooms, caption, panel.form)
    };
    draw(0, &lines) + "\n" + &draw(1, &narrow_lines)
}

#[derive(Template)]
#[template(path = "charts/lines.svg", escape = "html")]
struct Lines<'a> {
    areas: &'a [Area],
    strokes: &'a [Stroke],
}

#[derive(Template)]
#[template(path = "charts/panel.svg", escape = "html")]
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
    first: Date,
    last: Date,
    end: Date,
    /// In days.
    length: i64,
    ticks: Vec<Tick>,
    days: Vec<Tick>,
    lines: &'a str,
    dots: &'a [Dot],
    labels: Vec<(&'a Label, f64)>,
}
