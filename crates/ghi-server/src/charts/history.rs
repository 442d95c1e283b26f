//! The averages of several scopes over days.

use ghi_engine::{Costs, Decimal};
use jiff::civil::Date;

use crate::charts::amounts::Amount;
use crate::charts::finding::period;
use crate::charts::frame::{Caption, Form, framed};
use crate::charts::panel::{Line, Panel, Pen};
use crate::charts::spread;
use crate::charts::text::isolated;

/// The averages of several scopes as lines: one line at least, each with one day at least.
pub(crate) struct History<'a> {
    /// The finding.
    pub(crate) heading: &'a str,
    pub(crate) lines: Vec<Line<'a>>,
    pub(crate) forecast: Option<(Date, Decimal)>,
}

/// The averages of several scopes, and what is expected.
pub(crate) fn history(history: &History<'_>, form: Form<'_>) -> String {
    let panel = panel(history, form);
    let rooms = panel.rooms();
    let [_, last, _] = dates(history);
    let caption = Caption {
        name: "history",
        heading: history.heading,
        subtitle: &subtitle(history),
        description: &description(history),
        date: last,
    };
    framed(&panel.draw(rooms, 0), height(form), rooms, &caption, form)
}

/// The same, and below it a scope from minimum to maximum.
pub(crate) fn history_with_spread(
    history: &History<'_>,
    name: &str,
    days: &[(Date, Costs)],
    form: Form<'_>,
) -> String {
    let [_, last, end] = dates(history);
    let panels = [panel(history, form), spread::panel(days, end, form)];
    let rooms = panels[0].rooms().or_more(panels[1].rooms());
    let caption = Caption {
        name: "history",
        heading: history.heading,
        subtitle: &subtitle(history),
        description: &format!("{} {}", description(history), spread::description(name, days)),
        date: last,
    };
    let above = height(form);
    let plots = panels[0].draw(rooms, 0) + &panels[1].draw(rooms, above);
    framed(&plots, above + spread::height(form), rooms, &caption, form)
}

fn height(form: Form<'_>) -> u32 {
    form.pick(320, 260, 320)
}

/// The first day, the last with figures, and the one on which the axis ends.
fn dates(history: &History<'_>) -> [Date; 3] {
    let days = || history.lines.iter().flat_map(|line| line.days).map(|day| day.0);
    let first = days().min().unwrap_or_default();
    let last = days().max().unwrap_or_default();
    [first, last, history.forecast.map_or(last, |forecast| forecast.0.max(last))]
}

fn panel<'a>(history: &History<'_>, form: Form<'a>) -> Panel<'a> {
    let averages = |line: &Line<'_>| line.days.iter().map(|day| day.1.avg_usd).collect::<Vec<_>>();
    let costs = history.lines.iter().flat_map(averages);
    let costs = costs.chain(history.forecast.map(|forecast| forecast.1));
    let mut panel = Panel::new(costs, dates(history), height(form), form);
    let pens = Pen::of(&history.lines);
    let mut lines: Vec<(&Line<'_>, Pen)> = history.lines.iter().zip(pens).collect();
    // What matters most is drawn above the others.
    lines.sort_by(|(_, a), (_, b)| a.width.total_cmp(&b.width));
    for (line, pen) in &lines {
        panel.average(line, *pen);
    }
    if let (Some(forecast), Some((line, pen))) = (history.forecast, lines.last()) {
        let (date, costs) = line.days[line.days.len() - 1];
        panel.dashes([(date, costs.avg_usd), forecast], *pen);
        panel.name("Forecast", forecast.1, Pen { width: 1.75, ..*pen });
    }
    panel
}

fn subtitle(history: &History<'_>) -> String {
    let [first, last, end] = dates(history);
    let period = period(first, last);
    let subtitle = format!("Average cost of one coin, USD, {period}");
    match (end - last).get_days() {
        0 => subtitle,
        1 => format!("{subtitle}, with the forecast for 1 day"),
        days => format!("{subtitle}, with the forecast for {days} days"),
    }
}

fn description(history: &History<'_>) -> String {
    let [first, last, _] = dates(history);
    let lines = history.lines.iter().map(|line| {
        let [from, to] = [line.days[0], line.days[line.days.len() - 1]].map(|day| day.1.avg_usd);
        format!("{} from {} to {}", isolated(line.name), Amount(from), Amount(to))
    });
    let lines = lines.collect::<Vec<_>>().join("; ");
    let mut description =
        format!("Average cost of one coin in USD, {}: {lines}.", period(first, last));
    if let Some((date, forecast)) = history.forecast {
        let date = date.strftime("%-d %B %Y");
        description.push_str(&format!(" Forecast for {date}: {}.", Amount(forecast)));
    }
    description
}
