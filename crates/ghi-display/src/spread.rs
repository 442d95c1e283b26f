//! A scope from minimum to maximum over days.

use ghi_engine::{Costs, Decimal};
use jiff::civil::Date;

use crate::amounts::Amount;
use crate::finding::period;
use crate::frame::{Caption, Form, Rooms};
use crate::panel::{self, Both, Panel};
use crate::pen::Pen;
use crate::text::isolated;
use crate::unit::Unit;

/// From minimum to maximum of one scope on a page. There is one day at least.
pub(crate) fn on_page(
    name: &str,
    days: &[(Date, Costs)],
    chart: &Both,
    rooms: [Rooms; 2],
) -> String {
    let last = days[days.len() - 1].0;
    let period = period(days[0].0, last);
    let caption = Caption {
        name: "spread",
        heading: &format!("{}: minimum to maximum", isolated(name)),
        subtitle: &format!("Cost of one coin, USD, {period}"),
        description: &description(name, days),
        date: last,
    };
    panel::on_page(chart, rooms, &caption)
}

/// In pixels.
pub(crate) const HEIGHT: u32 = 150;

/// A band from minimum to maximum of some days, one at least, with the average as a line; the axis ends
/// with another day.
pub(crate) fn panel<'a>(
    days: &[(Date, Costs)],
    end: Date,
    unit: Unit,
    form: Form<'a>,
) -> Panel<'a> {
    let (last, costs) = days[days.len() - 1];
    let all = days.iter().flat_map(|day| [day.1.min_usd, day.1.max_usd]);
    let mut panel = Panel::new(all, unit, [days[0].0, last, end], HEIGHT, form);
    let of = |pick: fn(&Costs) -> Decimal| days.iter().map(move |day| (day.0, pick(&day.1)));
    panel.area(
        [&mut of(|costs| costs.max_usd), &mut of(|costs| costs.min_usd)],
        "range",
        0.3,
        true,
    );
    let average = Pen { colour: "average", width: 2.0 };
    panel.line(of(|costs| costs.avg_usd), average);
    panel.dot((last, costs.avg_usd), average);
    let words = Pen { colour: "faint", width: 1.0 };
    panel.name("Maximum", costs.max_usd, words);
    panel.name("Average", costs.avg_usd, average);
    panel.name("Minimum", costs.min_usd, words);
    panel
}

pub(crate) fn description(name: &str, days: &[(Date, Costs)]) -> String {
    let (date, costs) = days[days.len() - 1];
    format!(
        "On {}, costs of {} ranged from {} to {} USD.",
        date.strftime("%-d %B %Y"),
        isolated(name),
        Amount(costs.min_usd),
        Amount(costs.max_usd)
    )
}
