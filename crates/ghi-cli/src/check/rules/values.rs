//! Values within a single document: constants, ids, order, counts and timestamps.

use std::collections::HashSet;
use std::fmt::Display;

use ghi_client::Resource;
use ghi_contract::{API_CURRENT, GLOBAL, HISTORY_DAYS, REGION_ID_MAX, is_region_id, paths};
use ghi_engine::parse_date;
use ghi_server::Moment;
use jiff::SignedDuration;
use jiff::civil::Date;
use jiff::fmt::rfc2822;
use serde_json::Value;

use crate::check::json_object::JsonObject;
use crate::check::judge::Judge;
use crate::check::schema::{FieldType, ObjectKind};

/// The most that the timestamps of one run may differ.
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Judges a string field of these objects.
pub(super) fn verify_texts(
    judge: &mut Judge,
    objects: Vec<JsonObject>,
    field: &str,
    expected: impl Display,
    mut is_right: impl FnMut(&str) -> bool,
) {
    for object in objects {
        if let Some(text) = judge.text(&object, field) {
            judge.verify_field(&object, field, is_right(text), &expected);
        }
    }
}

/// A string field has this value in every object of a kind.
pub(super) fn field_is(judge: &mut Judge, kind: ObjectKind, field: &str, expected: &str) {
    for object in judge.objects(kind) {
        judge.verify_text(&object, field, expected);
    }
}

pub(super) fn version_is_1_1(judge: &mut Judge) {
    let is_v1_1 = |kind: &ObjectKind| kind.is_shown() && kind.has_field("version");
    for kind in ObjectKind::ALL.into_iter().filter(is_v1_1) {
        field_is(judge, kind, "version", API_CURRENT);
    }
}

pub(super) fn engine_version_is_of_a_sandbox(judge: &mut Judge) {
    let documents = judge.all_documents();
    verify_texts(judge, documents, "engine_sandbox_version", "<version>-sandbox", |text| {
        text.strip_suffix("-sandbox").is_some_and(|version| !version.is_empty())
    });
}

pub(super) fn region_detail_has_no_engine_version(judge: &mut Judge) {
    for detail in judge.objects(ObjectKind::RegionDetail) {
        let field = "engine_sandbox_version";
        judge.verify_field(&detail, field, detail.get(field).is_none(), "missing");
    }
}

pub(super) fn timestamps_are_utc(judge: &mut Judge) {
    let documents = judge.all_documents();
    let expected = "a time such as \"2026-11-15T12:00:00.000000Z\"";
    verify_texts(judge, documents, "timestamp_utc", expected, is_utc);
}

pub(super) fn timestamps_have_microseconds(judge: &mut Judge) {
    let documents = judge.all_documents();
    let expected = "six digits after the seconds";
    verify_texts(judge, documents, "timestamp_utc", expected, |stamp| {
        // Other times break a rule of the contract.
        !is_utc(stamp) || stamp.len() == "2026-11-15T12:00:00.000000Z".len()
    });
}

/// Every document is stamped within a day of the time that passed during the run, by the server's own clock.
pub(super) fn timestamps_agree(judge: &mut Judge) {
    let documents = judge.all_documents();
    let times: Vec<_> = documents.iter().filter_map(JsonObject::time).collect();
    let Some((first, latest)) = times.iter().min().zip(times.iter().max()) else {
        return judge.skip("no document has a valid timestamp_utc");
    };
    // Most servers need no second look at their clock.
    let clock = match latest.duration_since(*first) > DAY {
        true => judge.clock(),
        false => Some([*first, *latest]),
    };
    let Some([first, latest]) = clock else { return };
    for document in &documents {
        let Some(time) = document.time() else { continue };
        let is_right = first.duration_since(time) <= DAY && time.duration_since(latest) <= DAY;
        let target = &documents[0].response.request.target;
        let expected = format_args!("within a day of {first}Z, as in {target}");
        judge.verify_field(document, "timestamp_utc", is_right, expected);
    }
}

/// The first document is stamped within a day of its `Date`.
pub(super) fn timestamps_are_near_the_date(judge: &mut Judge) {
    let Some(document) = judge.first_document() else { return };
    let date = document.response.http().and_then(|http| http.header("date"));
    let date = date.and_then(|date| rfc2822::parse(&date).ok());
    let Some((date, time)) = date.zip(document.time()) else {
        return judge.skip("no valid Date or timestamp_utc");
    };
    let date = date.datetime();
    let is_right = date.duration_since(time).abs() <= DAY;
    let expected =
        format_args!("within a day of {date}Z, its Date; the server's clock may be stopped");
    judge.verify_field(&document, "timestamp_utc", is_right, expected);
}

pub(super) fn region_ids_are_unique(judge: &mut Judge) {
    for kind in [ObjectKind::Region, ObjectKind::SnapshotRegion] {
        let regions = judge.objects(kind);
        let mut seen = HashSet::new();
        let expected = "a unique id, other than \"\" and \"global\"";
        verify_texts(judge, regions, "id", expected, |id| {
            !id.is_empty() && id != GLOBAL && seen.insert(id.to_owned())
        });
    }
}

pub(super) fn region_ids_are_short_codes(judge: &mut Judge) {
    let regions = judge.objects(ObjectKind::Region);
    let expected = format_args!("a code such as \"us\", of up to {REGION_ID_MAX} characters");
    // An empty id breaks a rule of the contract.
    verify_texts(judge, regions, "id", expected, |id| id.is_empty() || is_region_id(id));
}

pub(super) fn snapshot_region_id_is_the_id(judge: &mut Judge) {
    for region in judge.objects(ObjectKind::SnapshotRegion) {
        if let Some(id) = judge.text(&region, "id") {
            judge.verify_text(&region, "region_id", id);
        }
    }
}

/// The names of the three costs, in ascending order.
pub(super) const COSTS: [&str; 3] = ["min_cost_usd", "avg_cost_usd", "max_cost_usd"];

/// The numbers in three fields are in ascending order. Equal numbers are allowed.
pub(super) fn in_order(judge: &mut Judge, kind: ObjectKind, fields: [&str; 3]) {
    for object in judge.objects(kind) {
        if let [Some(min), Some(avg), Some(max)] = fields.map(|field| judge.number(&object, field))
        {
            let is_right = min <= avg && avg <= max;
            let expected = fields.map(|field| object.at(field)).join(" <= ");
            judge.verify(&object.response, is_right, expected, format_args!("{min}, {avg}, {max}"));
        }
    }
}

/// `region_count` is the length of `regions`.
pub(super) fn region_count(judge: &mut Judge, kind: ObjectKind) {
    for object in judge.objects(kind) {
        if let Some(regions) = judge.read(&object, "regions", "an array", Value::as_array)
            && let Some(count) = judge.integer(&object, "region_count")
        {
            let expected = format_args!("{}, the number of regions", regions.len());
            judge.verify_field(&object, "region_count", count == regions.len() as f64, expected);
        }
    }
}

/// The document for a region has the id of that region.
pub(super) fn region_id_is(judge: &mut Judge, resource: fn(String) -> Resource, id: &str) {
    if let Some(document) = judge.document(&resource(id.to_owned())) {
        judge.verify_text(&document, "region_id", id);
    }
}

/// The documents for the sampled regions have their ids.
pub(super) fn region_id_is_echoed(judge: &mut Judge, resource: fn(String) -> Resource) {
    for id in judge.sample() {
        region_id_is(judge, resource, &id);
    }
}

pub(super) fn forecast_days_are_echoed(judge: &mut Judge) {
    for resource in judge.resources(ObjectKind::Forecast) {
        if let Resource::Forecast(days) = resource
            && let Some(forecast) = judge.document(&resource)
            && let Some(echo) = judge.integer(&forecast, "forecast_days")
        {
            let is_right = echo == f64::from(days.get());
            judge.verify_field(&forecast, "forecast_days", is_right, days.get());
        }
    }
}

pub(super) fn forecast_is_constant(judge: &mut Judge) {
    let field = "predicted_avg_cost_usd";
    let forecasts = judge.objects(ObjectKind::Forecast);
    let [first, others @ ..] = &*forecasts else { return };
    let Some(predicted) = judge.number(first, field) else { return };
    for forecast in others {
        if !judge.midnight_passed(first.time(), forecast.time())
            && let Some(number) = judge.number(forecast, field)
        {
            judge.verify_field(forecast, field, number == predicted, predicted);
        }
    }
}

/// A list of strings in the metadata.
fn list<'a>(judge: &mut Judge, metadata: &'a JsonObject, field: &str) -> Option<Vec<&'a str>> {
    let list = judge.read(metadata, field, FieldType::TextList.name(), |value| {
        value.as_array().filter(|_| FieldType::TextList.accepts(value))
    });
    Some(list?.iter().filter_map(Value::as_str).collect())
}

/// A list in the metadata has these entries.
pub(super) fn list_includes(judge: &mut Judge, field: &str, required: &[&str]) {
    for metadata in judge.objects(ObjectKind::Metadata) {
        if let Some(listed) = list(judge, &metadata, field) {
            let is_right = required.iter().all(|entry| listed.contains(entry));
            let expected = format_args!("a list with {}", required.join(", "));
            judge.verify_field(&metadata, field, is_right, expected);
        }
    }
}

/// A list in the metadata has these entries, in this order, and no others.
pub(super) fn list_is(judge: &mut Judge, field: &str, required: &[&str]) {
    for metadata in judge.objects(ObjectKind::Metadata) {
        // A list without one of them breaks a rule of the contract.
        if let Some(listed) = list(judge, &metadata, field)
            && required.iter().all(|entry| listed.contains(entry))
        {
            judge.verify_field(&metadata, field, listed == required, format_args!("{required:?}"));
        }
    }
}

pub(super) fn endpoints_are_below_the_prefix(judge: &mut Judge) {
    for metadata in judge.objects(ObjectKind::Metadata) {
        for path in list(judge, &metadata, "available_endpoints").unwrap_or_default() {
            let expected = format_args!("a path below {}", paths::PREFIX);
            judge.verify(&metadata.response, path.starts_with(paths::PREFIX), expected, path);
        }
    }
}

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
    verify_texts(judge, points, "date", expected, |text| parse_date(text).is_ok());
}

pub(super) fn indicator_is_for_today(judge: &mut Judge) {
    for indicator in judge.objects(ObjectKind::Indicator) {
        if let Some(today) = indicator.day() {
            judge.verify_text(&indicator, "date", &today);
        }
    }
}

fn verify_dates(judge: &mut Judge, expected: &str, are_right: fn(&[Date], &JsonObject) -> bool) {
    for history in judge.objects(ObjectKind::History) {
        let points = history.entries("points");
        let dates = points.iter().map(|point| parse_date(point.text("date")?).ok());
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
        history.day().is_none_or(|today| last == Some(today))
    });
}

/// Whether a string is a valid time of the form YYYY-MM-DDTHH:MM:SS, with an optional fraction, and Z.
fn is_utc(text: &str) -> bool {
    text.parse::<Moment>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_utc_time_may_have_any_fraction() {
        for text in
            ["2026-11-15T12:00:00Z", "2026-11-15T12:00:00.1Z", "2028-02-29T23:59:59.123456789Z"]
        {
            assert!(is_utc(text), "{text}");
        }
        for text in [
            "",
            "Z",
            "2026-11-15",
            "2026-11-15T12:00:00",
            "2026-11-15T12:00:00+00:00",
            "2026-11-15 12:00:00Z",
            "2026-11-15T12:00:00.Z",
            "2026-11-15T12:00:00,1Z",
            "2026-02-29T12:00:00Z",
            "2026-11-15T25:00:00Z",
            "2026-11-15T12:00:00z",
            "2026-11-15T12:00:00ZZ",
            "2026-11-15T12:00:0\u{661}Z",
            "20261115T120000Z",
        ] {
            assert!(!is_utc(text), "{text}");
        }
    }
}
