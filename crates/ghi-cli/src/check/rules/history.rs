//! The history.

use ghi_client::Resource;
use ghi_contract::{GLOBAL, HISTORY_DAYS};
use jiff::civil::Date;
use serde_json::Value;

use crate::check::case::Case;
use crate::check::exchange::shown;
use crate::check::fields::Shape;
use crate::check::parts::{Part, entries_of, parts, sample};
use crate::check::rule::{Rule, contract, strict};
use crate::check::rules::regions::costs_are_in_order;
use crate::check::rules::snapshot::currency_is_usd;

pub(super) const RULES: &[Rule] = &[
    contract(
        "history-dates-are-days",
        "2",
        "The `date` of a point is a day of the calendar, `YYYY-MM-DD`.",
        history_dates_are_days,
    ),
    contract(
        "history-currency-is-usd",
        "2",
        "In a point of a history, `currency` is `USD`.",
        |case| currency_is_usd(case, Shape::HistoryPoint),
    ),
    contract(
        "history-costs-are-in-order",
        "2",
        "In a point of a history the minimum is not above the average, nor that above the maximum.",
        |case| costs_are_in_order(case, Shape::HistoryPoint),
    ),
    contract(
        "history-dates-increase",
        "2",
        "The dates of a history increase strictly.",
        history_dates_increase,
    ),
    strict(
        "history-has-every-day",
        "2",
        "A history leaves out no day between its first and its last.",
        history_has_every_day,
    ),
    strict(
        "history-ends-today",
        "2",
        "The last point of a history is of the day of its `timestamp_utc`.",
        history_ends_today,
    ),
    contract(
        "history-of-a-region",
        "4",
        "`region_id=` with the id of a region gets a history with that `region_id`.",
        history_of_a_region,
    ),
    contract(
        "history-has-seven-points",
        "4.1",
        "A history has seven points.",
        history_has_seven_points,
    ),
    contract(
        "history-of-global",
        "4.2",
        "`region_id=global` gets a history with the `region_id` `global`.",
        |case| verify_region_id(case, GLOBAL.into()),
    ),
];

fn verify_region_id(case: &mut Case<'_>, id: String) {
    if let Some(exchange) = case.document(&Resource::History(id.clone())) {
        let part = Part::whole(exchange, Shape::History);
        if part.text("region_id").is_some() {
            case.verify_value(&part.exchange, "region_id", id, part.get("region_id"));
        }
    }
}

fn history_of_a_region(case: &mut Case<'_>) {
    for id in sample(case) {
        verify_region_id(case, id);
    }
}

fn history_has_seven_points(case: &mut Case<'_>) {
    for part in parts(case, Shape::History) {
        if let Some(points) = part.get("points").and_then(Value::as_array) {
            let expected = format!("points: {HISTORY_DAYS}");
            let got = format!("points: {}", points.len());
            case.verify(&part.exchange, points.len() == HISTORY_DAYS, expected, got);
        }
    }
}

fn history_dates_are_days(case: &mut Case<'_>) {
    for part in parts(case, Shape::HistoryPoint) {
        if let Some(date) = part.text("date") {
            let at = part.at("date");
            let expected = format!("{at}: a day such as 2026-11-15");
            case.verify(
                &part.exchange,
                day(date).is_some(),
                expected,
                format_args!("{at}: {}", shown(date)),
            );
        }
    }
}

/// The day that a text names as the contract does.
pub(super) fn day(text: &str) -> Option<Date> {
    let date = text.parse::<Date>().ok()?;
    // The parser knows other forms of ISO-8601.
    (date.to_string() == text).then_some(date)
}

/// The days of a history, if all its points have one.
fn days(part: &Part) -> Option<Vec<Date>> {
    let points = entries_of(part, "points", Shape::HistoryPoint);
    points.iter().map(|point| point.text("date").and_then(day)).collect()
}

fn verify_days(case: &mut Case<'_>, expected: &str, are_right: fn(&[Date], &Part) -> bool) {
    for part in parts(case, Shape::History) {
        match days(&part) {
            Some(days) if !days.is_empty() => {
                let shown: Vec<_> = days.iter().map(Date::to_string).collect();
                let is_right = are_right(&days, &part);
                case.verify(&part.exchange, is_right, expected, shown.join(", "));
            }
            _ => case.skip("the points of a history have no dates"),
        }
    }
}

fn history_dates_increase(case: &mut Case<'_>) {
    verify_days(case, "dates that increase strictly", |days, _| days.is_sorted_by(|a, b| a < b));
}

fn history_has_every_day(case: &mut Case<'_>) {
    verify_days(case, "a point for each day", |days, _| {
        // Dates that do not increase break a rule of the contract.
        let next = |pair: &[Date]| pair[1] <= pair[0] || pair[0].tomorrow().ok() == Some(pair[1]);
        days.windows(2).all(next)
    });
}

fn history_ends_today(case: &mut Case<'_>) {
    verify_days(case, "the day of timestamp_utc among the dates, as the last", |days, part| {
        // The latest one, whatever the order.
        let last = days.iter().max().map(Date::to_string);
        part.exchange.day().is_none_or(|today| last.as_deref() == Some(today))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_one_form() {
        assert!(day("2028-02-29").is_some());
        for text in [
            "",
            "2026-02-29",
            "20260228",
            "2026-2-28",
            "2026-02-28T00:00:00",
            "+002026-02-28",
            " 2026-02-28",
        ] {
            assert!(day(text).is_none(), "{text}");
        }
    }
}
