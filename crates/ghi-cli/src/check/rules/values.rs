//! Values within a single document: constants, ids, order, counts and timestamps.

use std::collections::HashSet;

use ghi_client::Resource;
use ghi_contract::{GLOBAL, paths};
use ghi_engine::parse_date;
use ghi_server::Moment;
use jiff::SignedDuration;
use jiff::civil::Date;
use jiff::fmt::rfc2822;

use crate::check::json_object::JsonObject;
use crate::check::judge::Judge;
use crate::check::response::{Finding, judged};
use crate::check::schema::ObjectKind;

/// The most that the timestamps of one run may differ.
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// A string field has this value in every object of a kind.
pub(super) fn field_is(judge: &mut Judge, kind: ObjectKind, field: &str, expected: &str) {
    judge.each([kind], |object| object.verify_text(field, expected));
}

/// A string field is right in every object of these kinds.
pub(super) fn texts(
    judge: &mut Judge,
    kinds: impl IntoIterator<Item = ObjectKind>,
    field: &str,
    expected: &str,
    mut is_right: impl FnMut(&str) -> bool,
) {
    judge.each(kinds, |object| object.verify(field, is_right(object.text(field)?), expected));
}

/// Whether a string is a valid time of the form YYYY-MM-DDTHH:MM:SS, with an optional fraction, and Z.
pub(super) fn is_utc(text: &str) -> bool {
    text.parse::<Moment>().is_ok()
}

/// Whether a time has six digits after the seconds. Other strings break a rule of the contract.
pub(super) fn has_microseconds(text: &str) -> bool {
    !is_utc(text) || text.len() == "2026-11-15T12:00:00.000000Z".len()
}

pub(super) fn is_engine_of_a_sandbox(text: &str) -> bool {
    text.strip_suffix("-sandbox").is_some_and(|version| !version.is_empty())
}

pub(super) fn region_ids_are_unique(judge: &mut Judge) {
    for kind in [ObjectKind::Region, ObjectKind::SnapshotRegion] {
        let mut seen = HashSet::new();
        texts(judge, [kind], "id", "a unique id, other than \"\" and \"global\"", |id| {
            !id.is_empty() && id != GLOBAL && seen.insert(id.to_owned())
        });
    }
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
        judge.record(&document.response, document.verify("timestamp_utc", is_right, expected));
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
    judge.record(&document.response, document.verify("timestamp_utc", is_right, expected));
}

/// The names of the three costs, in ascending order.
pub(super) const COSTS: [&str; 3] = ["min_cost_usd", "avg_cost_usd", "max_cost_usd"];

/// The numbers in three fields are in ascending order. Equal numbers are allowed.
pub(super) fn in_order(judge: &mut Judge, kind: ObjectKind, fields: [&str; 3]) {
    judge.each([kind], |object| {
        let [min, avg, max] = fields.map(|field| object.number(field));
        let (min, avg, max) = (min?, avg?, max?);
        let expected = fields.map(|field| object.at(field)).join(" <= ");
        judged(min <= avg && avg <= max, expected, format_args!("{min}, {avg}, {max}"))
    });
}

/// `region_count` is the length of `regions`.
pub(super) fn region_count(judge: &mut Judge, kind: ObjectKind) {
    judge.each([kind], |object| {
        let regions = object.list("regions")?.len();
        let is_right = object.integer("region_count")? == regions as f64;
        object.verify("region_count", is_right, format_args!("{regions}, the number of regions"))
    });
}

/// The documents for these regions have their ids.
pub(super) fn region_ids_are_echoed(
    judge: &mut Judge,
    resource: fn(String) -> Resource,
    ids: fn(&mut Judge) -> Vec<String>,
) {
    for id in ids(judge) {
        if let Some(document) = judge.document(&resource(id.clone())) {
            judge.record(&document.response, document.verify_text("region_id", &id));
        }
    }
}

pub(super) fn forecast_days_are_echoed(judge: &mut Judge) {
    let field = "forecast_days";
    for resource in judge.resources(ObjectKind::Forecast) {
        if let Resource::Forecast(days) = resource
            && let Some(forecast) = judge.document(&resource)
        {
            let echo = forecast.integer(field);
            let judgement = echo
                .and_then(|echo| forecast.verify(field, echo == f64::from(days.get()), days.get()));
            judge.record(&forecast.response, judgement);
        }
    }
}

pub(super) fn forecast_is_constant(judge: &mut Judge) {
    let field = "predicted_avg_cost_usd";
    let forecasts = judge.objects(ObjectKind::Forecast);
    let [first, others @ ..] = &*forecasts else { return };
    for forecast in others {
        let comparable = judge.comparable(first, forecast);
        let judgement = comparable.and_then(|()| {
            let (predicted, number) = (first.number(field)?, forecast.number(field)?);
            forecast.verify(field, number == predicted, predicted)
        });
        judge.record(&forecast.response, judgement);
    }
}

/// A list in the metadata has these entries.
pub(super) fn list_includes(judge: &mut Judge, field: &str, required: &[&str]) {
    judge.each([ObjectKind::Metadata], |metadata| {
        let listed = metadata.texts(field)?;
        let is_right = required.iter().all(|entry| listed.contains(entry));
        metadata.verify(field, is_right, format_args!("a list with {}", required.join(", ")))
    });
}

/// A list in the metadata has these entries, in this order, and no others.
pub(super) fn list_is(judge: &mut Judge, field: &str, required: &[&str]) {
    judge.each([ObjectKind::Metadata], |metadata| {
        let listed = metadata.texts(field)?;
        if required.iter().any(|entry| !listed.contains(entry)) {
            return Err(Finding::Unjudged("a missing entry breaks a rule of the contract".into()));
        }
        metadata.verify(field, listed == required, format_args!("{required:?}"))
    });
}

pub(super) fn endpoints_are_below_the_prefix(judge: &mut Judge) {
    judge.each([ObjectKind::Metadata], |metadata| {
        let listed = metadata.texts("available_endpoints")?;
        let other = listed.into_iter().find(|path| !path.starts_with(paths::PREFIX));
        let expected = format_args!("a path below {}", paths::PREFIX);
        judged(other.is_none(), expected, other.unwrap_or_default())
    });
}

/// The dates of every history are right.
pub(super) fn dates(
    judge: &mut Judge,
    expected: &str,
    are_right: fn(&[Date], &JsonObject) -> bool,
) {
    judge.each([ObjectKind::History], |history| {
        let points = history.entries("points");
        let dates = points.iter().map(|point| parse_date(point.text("date").ok()?).ok());
        let dates: Vec<Date> = dates.collect::<Option<_>>().unwrap_or_default();
        if dates.is_empty() {
            let why = "a history without points, or a point without a valid date";
            return Err(Finding::Unjudged(why.into()));
        }
        let got = dates.iter().map(Date::to_string).collect::<Vec<_>>().join(", ");
        judged(are_right(&dates, history), expected, got)
    });
}

/// Whether the second date is the day after the first. Dates that don't increase break a rule of the contract.
pub(super) fn is_next(pair: &[Date]) -> bool {
    pair[1] <= pair[0] || pair[0].tomorrow().ok() == Some(pair[1])
}

pub(super) fn indicator_is_for_today(judge: &mut Judge) {
    judge.each([ObjectKind::Indicator], |indicator| match indicator.day() {
        Some(today) => indicator.verify_text("date", &today.to_string()),
        None => Err(Finding::Unjudged("no valid timestamp_utc".into())),
    });
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
