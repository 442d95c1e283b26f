//! The history.

use ghi_contract::HISTORY_DAYS;
use jiff::civil::Date;
use serde_json::Value;

use crate::check::json_object::JsonObject;
use crate::check::judge::Judge;
use crate::check::rules::values::verify_texts;
use crate::check::schema::ObjectKind;

pub(super) fn history_has_seven_points(judge: &mut Judge) {
    for history in judge.objects(ObjectKind::History) {
        if let Some(points) = judge.read(&history, "points", "an array", Value::as_array) {
            let count = points.len();
            let (expected, got) = (format!("{HISTORY_DAYS} points"), format!("{count} points"));
            judge.verify(&history.response, count == HISTORY_DAYS, expected, got);
        }
    }
}

pub(super) fn history_dates_are_days(judge: &mut Judge) {
    let points = judge.objects(ObjectKind::HistoryPoint);
    let expected = "a date such as \"2026-11-15\"";
    verify_texts(judge, points, "date", expected, |text| date(text).is_some());
}

/// A date in the form of the contract.
fn date(text: &str) -> Option<Date> {
    let date = text.parse::<Date>().ok()?;
    // The parser accepts other forms of ISO 8601 too.
    (date.to_string() == text).then_some(date)
}

fn verify_dates(judge: &mut Judge, expected: &str, are_right: fn(&[Date], &JsonObject) -> bool) {
    for history in judge.objects(ObjectKind::History) {
        let points = history.entries("points");
        let dates = points.iter().map(|point| point.text("date").and_then(date));
        match dates.collect::<Option<Vec<_>>>() {
            Some(dates) if !dates.is_empty() => {
                let got = dates.iter().map(Date::to_string).collect::<Vec<_>>().join(", ");
                judge.verify(&history.response, are_right(&dates, &history), expected, got);
            }
            _ => judge.skip("a history without points, or a point without a valid date"),
        }
    }
}

pub(super) fn history_dates_increase(judge: &mut Judge) {
    verify_dates(judge, "increasing dates", |dates, _| dates.is_sorted_by(|a, b| a < b));
}

pub(super) fn history_has_every_day(judge: &mut Judge) {
    verify_dates(judge, "a point for each day", |dates, _| {
        // Dates that don't increase break a rule of the contract.
        let is_next =
            |pair: &[Date]| pair[1] <= pair[0] || pair[0].tomorrow().ok() == Some(pair[1]);
        dates.windows(2).all(is_next)
    });
}

pub(super) fn history_ends_today(judge: &mut Judge) {
    verify_dates(judge, "the day of timestamp_utc as the last date", |dates, history| {
        let last = dates.last().map(Date::to_string);
        history.day().is_none_or(|today| last.as_deref() == Some(today))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_has_one_form() {
        assert!(date("2028-02-29").is_some());
        for text in [
            "",
            "2026-02-29",
            "20260228",
            "2026-2-28",
            "2026-02-28T00:00:00",
            "+002026-02-28",
            " 2026-02-28",
        ] {
            assert!(date(text).is_none(), "{text}");
        }
    }
}
