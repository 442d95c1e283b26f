//! The averages of several scopes over days.

use ghi_engine::{Costs, Decimal};
use jiff::civil::Date;

use crate::amounts::Amount;
use crate::finding::period;
use crate::frame::{Caption, Form, Source, framed};
use crate::panel::{Line, Panel, both, on_page, rooms_of};
use crate::pen::Pen;
use crate::spread;
use crate::text::isolated;
use crate::unit::Unit;

/// The averages of several scopes as lines: one line at least, each with one day at least.
pub struct History<'a> {
    /// The finding.
    pub heading: &'a str,
    pub lines: Vec<Line<'a>>,
    pub forecast: Option<(Date, Decimal)>,
}

/// The averages of several scopes with what is expected, and a scope from minimum to maximum, whose
/// days stand below those of the first.
pub fn history_and_spread(
    history: &History<'_>,
    name: &str,
    days: &[(Date, Costs)],
) -> [String; 2] {
    let [_, last, end] = dates(history);
    let caption = Caption {
        name: "history",
        heading: history.heading,
        subtitle: &subtitle(history),
        description: &description(history),
        date: last,
    };
    let unit = unit(history, days);
    let lines = both(|form| panel(history, unit, form));
    let spread = both(|form| spread::panel(days, end, unit, form));
    let rooms = rooms_of(&[&lines, &spread]);
    [on_page(&lines, rooms, &caption), spread::on_page(name, days, &spread, rooms)]
}

/// Both as one picture that stands alone.
pub fn history_with_spread(
    history: &History<'_>,
    name: &str,
    days: &[(Date, Costs)],
    source: Source<'_>,
) -> String {
    let form = Form::Alone(source);
    let [_, last, end] = dates(history);
    let unit = unit(history, days);
    let panels = [panel(history, unit, form), spread::panel(days, end, unit, form)];
    let rooms = Panel::rooms(&[&panels[0], &panels[1]]);
    let caption = Caption {
        name: "history",
        heading: history.heading,
        subtitle: &subtitle(history),
        description: &format!("{} {}", description(history), spread::description(name, days)),
        date: last,
    };
    let plots = panels[0].draw(rooms, 0) + &panels[1].draw(rooms, HEIGHT);
    framed(&plots, HEIGHT + spread::HEIGHT, rooms, &caption, form)
}

/// In pixels.
pub(crate) const HEIGHT: u32 = 300;

/// The first day, the last with figures, and the one on which the axis ends.
fn dates(history: &History<'_>) -> [Date; 3] {
    let days = || history.lines.iter().flat_map(|line| line.days).map(|day| day.0);
    let first = days().min().unwrap_or_default();
    let last = days().max().unwrap_or_default();
    [first, last, history.forecast.map_or(last, |forecast| forecast.0.max(last))]
}

/// The costs that are drawn as lines.
fn costs(history: &History<'_>) -> impl Iterator<Item = Decimal> {
    let days = history.lines.iter().flat_map(|line| line.days);
    days.map(|day| day.1.avg_usd).chain(history.forecast.map(|forecast| forecast.1))
}

/// The unit of both plots.
fn unit(history: &History<'_>, days: &[(Date, Costs)]) -> Unit {
    Unit::of(costs(history).chain(days.iter().map(|day| day.1.max_usd)))
}

fn panel<'a>(history: &History<'_>, unit: Unit, form: Form<'a>) -> Panel<'a> {
    let mut panel = Panel::new(costs(history), unit, dates(history), HEIGHT, form);
    let roles: Vec<_> = history.lines.iter().map(|line| line.role).collect();
    let pens = Pen::of(&roles);
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

#[cfg(test)]
mod tests {
    use jiff::ToSpan;
    use jiff::civil::date;
    use proptest::prelude::*;

    use crate::pen::Role;

    use super::*;

    const SOURCE: Source<'_> = Source { data: "Synthetic data", host: Some("ghi.example") };

    /// Some days from the first of a month on.
    fn days(averages: &[u64], decimals: u8) -> Vec<(Date, Costs)> {
        let day = |(place, count): (i64, &u64)| {
            let cost = |count| Decimal::new(count, decimals);
            let costs = Costs {
                min_usd: cost(count / 2),
                avg_usd: cost(*count),
                max_usd: cost(count + count / 3),
            };
            (date(2026, 11, 1).saturating_add(place.days()), costs)
        };
        (0..).zip(averages).map(day).collect()
    }

    /// The values of an attribute.
    fn values<'a>(svg: &'a str, attribute: &str) -> Vec<&'a str> {
        let starts = svg.split(attribute).skip(1);
        starts.map(|rest| rest.split('"').next().unwrap()).collect()
    }

    #[test]
    fn a_chart_names_its_lines_at_their_ends_and_where_it_comes_from() {
        let [all, eu] =
            [[6_180_000, 6_146_549], [6_300_000, 6_319_150]].map(|days_of| days(&days_of, 2));
        let lines = vec![
            Line { name: "Worldwide", days: &all, role: Role::Worldwide },
            Line { name: "Europe", days: &eu, role: Role::Region { place: 1, is_chosen: false } },
        ];
        let forecast = Some((date(2026, 11, 9), Decimal::new(6_127_507, 2)));
        let chart = History { heading: "Lower", lines, forecast };
        let [both, _] = history_and_spread(&chart, "Worldwide", &all);
        let (wide, narrow) = both.split_once('\n').unwrap();
        let alone = history_with_spread(&chart, "Worldwide", &all, SOURCE);
        for text in [">Worldwide 61,465<", ">Europe 63,192<", ">Forecast 61,275<"] {
            assert!(wide.contains(text) && alone.contains(text), "{text}");
        }
        assert!(narrow.contains(">Worldwide<") && narrow.contains(">Europe<"));
        let [first, last, end] =
            ["first", "last", "end"].map(|name| values(wide, &format!("data-{name}=\"")));
        assert_eq!([first, last, end], [["2026-11-01"], ["2026-11-02"], ["2026-11-09"]]);
        assert!(!alone.contains("hairline") && wide.contains("class=\"hairline\""));
        let subtitle =
            "Average cost of one coin, USD, 1 Nov to 2 Nov 2026, with the forecast for 7 days<";
        assert!(alone.contains(subtitle), "{alone}");
        assert!(alone.contains(">Synthetic data · 2 November 2026 · ghi.example<"));
        // The lines are sent once.
        assert!(wide.contains("<g id=\"history-lines\"><path"), "{wide}");
        assert!(narrow.contains("<use href=\"#history-lines\"/>") && !narrow.contains("<path"));
    }

    #[test]
    fn a_single_day_is_a_point() {
        let days = days(&[6_180_000], 2);
        let lines = vec![Line { name: "Worldwide", days: &days, role: Role::Worldwide }];
        let chart = History { heading: "One", lines, forecast: None };
        let [svg, _] = history_and_spread(&chart, "Worldwide", &days);
        assert!(svg.contains("<circle") && !svg.contains("<path"), "{svg}");
    }

    proptest! {
        #[test]
        fn nothing_of_any_chart_is_outside(
            averages in prop::collection::vec(1..10_u64.pow(15), 1..20),
            shift in 0..15_u32,
            decimals in 0..11_u8,
            names in prop::collection::vec("\\PC{1,100}", 6),
        ) {
            let counts: Vec<u64> = averages.iter().map(|count| count / 10_u64.pow(shift)).collect();
            let days = days(&counts, decimals);
            let lines = names.iter().enumerate().map(|(place, name)| {
                Line { name, days: &days, role: Role::Region { place, is_chosen: false } }
            });
            let lines = lines.collect();
            let forecast = Some((date(2026, 12, 1), days[0].1.avg_usd));
            let chart = History { heading: &names[0], lines, forecast };
            let alone = history_with_spread(&chart, &names[1], &days, SOURCE);
            let pages = history_and_spread(&chart, &names[1], &days);
            // The days of the second stand below those of the first.
            let rooms = pages.each_ref().map(|both| values(both, "room-"));
            prop_assert_eq!(&rooms[0], &rooms[1]);
            let charts = pages.iter().flat_map(|both| both.lines()).chain([&*alone]);
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
                    let room = rest.split('"').next().unwrap();
                    let rule = format!(".room-{room} {{ padding-right: {room}px; }}");
                    prop_assert!(include_str!("../../ghi-server/assets/style.css").contains(&rule), "{rule}");
                }
            }
        }
    }
}
