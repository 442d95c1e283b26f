//! The fields of single documents: types, constants, ids, order, counts and timestamps.

use std::collections::HashSet;

use ghi_client::Resource;
use ghi_contract::{GLOBAL, paths};
use ghi_engine::parse_date;
use ghi_server::Moment;
use jiff::SignedDuration;
use jiff::civil::Date;
use jiff::fmt::rfc2822;
use serde_json::Value;

use crate::check::json_object::{Field, JsonObject, ObjectKind, is_number_or_null};
use crate::check::judge::Judge;
use crate::check::response::{CheckResponse, Judgement, unjudged};

/// The most that the timestamps of one run may differ.
const DAY: SignedDuration = SignedDuration::from_hours(24);

fn each_field(
    judge: &mut Judge,
    kinds: impl IntoIterator<Item = ObjectKind>,
    selects: fn(&Field) -> bool,
    verify: impl Fn(&JsonObject, Field) -> Judgement,
) -> Judgement {
    judge.each(kinds, |judge, kind| {
        let objects = judge.objects(kind);
        let fields = objects
            .iter()
            .flat_map(|object| kind.fields().filter(selects).map(move |field| (object, field)));
        judge.each(fields, |_, (object, field)| verify(object, field))
    })
}

pub(super) fn fields(judge: &mut Judge, kind: ObjectKind) -> Judgement {
    each_field(judge, [kind], Field::is_required, |object, field| {
        let is_right = object.get(field.name).is_some_and(|value| field.accepts_or_defers(value));
        object.verify(field.name, is_right, field.type_name())
    })
}

pub(super) fn snapshot_form(judge: &mut Judge) -> Judgement {
    let optional: Vec<Field> = ObjectKind::Snapshot.optional_fields().collect();
    judge.each_object([ObjectKind::Snapshot], |snapshot| {
        if optional.iter().all(|field| snapshot.get(field.name).is_none()) {
            return Ok(());
        }
        for field in &optional {
            let value = snapshot.get(field.name);
            let is_right = value.is_some_and(|value| field.accepts_or_defers(value));
            let expected = format_args!("{}, or neither of the two", field.type_name());
            snapshot.verify(field.name, is_right, expected)?;
        }
        Ok(())
    })
}

pub(super) fn has_no_further_fields(kind: ObjectKind, object: &JsonObject) -> Judgement {
    // A region detail with this field breaks a rule of the contract.
    let is_judged =
        |name: &str| kind == ObjectKind::RegionDetail && name == "engine_sandbox_version";
    let is_known = |name: &str| kind.fields().any(|field| field.name == name) || is_judged(name);
    let further = object.field_names().into_iter().find(|name| !is_known(name));
    let got = further.map(|name| object.at(name)).unwrap_or_default();
    let expected = "only the fields of the contract";
    object.response.verify(further.is_none(), expected, format_args!("also {got}"))
}

pub(super) fn indicator_fields(judge: &mut Judge) -> Judgement {
    let kind = ObjectKind::Indicator;
    let resources = judge.resources(kind);
    judge.each(resources, |judge, resource| {
        let expected = "200 with a JSON object";
        let right = judge.verify_response(&resource, expected, CheckResponse::is_document);
        let indicator = JsonObject::whole(right?);
        for field in kind.fields() {
            let is_right = indicator.get(field.name).is_some_and(|value| field.accepts(value));
            indicator.verify(field.name, is_right, field.type_name())?;
        }
        has_no_further_fields(kind, &indicator)
    })
}

pub(super) fn figures_are_numbers(judge: &mut Judge) -> Judgement {
    let kinds = ObjectKind::all().filter(|kind| *kind != ObjectKind::Indicator);
    each_field(judge, kinds, Field::is_numeric, |object, field| match object.get(field.name) {
        Some(value) => object.verify(field.name, is_number_or_null(value), field.type_name()),
        None => Err(unjudged("no figures")),
    })
}

pub(super) fn floats_have_a_decimal_point(judge: &mut Judge) -> Judgement {
    each_field(judge, ObjectKind::all(), Field::is_numeric, |object, field| {
        object.number(field.name)?;
        let with = if field.is_float() { "with" } else { "without" };
        let is_right = object.get(field.name).is_some_and(Value::is_f64) == field.is_float();
        object.verify(field.name, is_right, format_args!("a number {with} a decimal point"))
    })
}

pub(super) fn figures_are_positive(judge: &mut Judge) -> Judgement {
    each_field(judge, ObjectKind::all(), Field::is_float, |object, field| {
        // Values that are neither numbers nor null break a rule of the contract.
        let is_right = match object.get(field.name) {
            Some(Value::Null) => false,
            _ => object.number(field.name)? > 0.0,
        };
        object.verify(field.name, is_right, "a number above zero")
    })
}

pub(super) fn field_is(
    judge: &mut Judge,
    kind: ObjectKind,
    field: &str,
    expected: &str,
) -> Judgement {
    judge.each_object([kind], |object| object.verify_text(field, expected))
}

pub(super) fn texts(
    judge: &mut Judge,
    kinds: impl IntoIterator<Item = ObjectKind>,
    field: &str,
    expected: &str,
    mut is_right: impl FnMut(&str) -> bool,
) -> Judgement {
    judge.each_object(kinds, |object| object.verify(field, is_right(object.text(field)?), expected))
}

/// Whether a string is a valid time of the form YYYY-MM-DDTHH:MM:SS, with an optional fraction, and Z.
pub(super) fn is_utc(text: &str) -> bool {
    text.parse::<Moment>().is_ok()
}

/// Whether a time has six digits after the seconds. Other strings break a rule of the contract.
pub(super) fn has_microseconds(text: &str) -> bool {
    !is_utc(text) || text.len() == "2026-11-15T12:00:00.000000Z".len()
}

pub(super) fn region_ids_are_unique(judge: &mut Judge) -> Judgement {
    judge.each([ObjectKind::Region, ObjectKind::SnapshotRegion], |judge, kind| {
        let mut seen = HashSet::new();
        texts(judge, [kind], "id", "a unique id, other than \"\" and \"global\"", |id| {
            !id.is_empty() && id != GLOBAL && seen.insert(id.to_owned())
        })
    })
}

/// Every document is stamped within a day of the time that passed during the run, by the server's own clock.
pub(super) fn timestamps_agree(judge: &mut Judge) -> Judgement {
    let documents = judge.all_documents();
    let times: Vec<_> = documents.iter().filter_map(|document| document.time().ok()).collect();
    let Some((first, latest)) = times.iter().min().zip(times.iter().max()) else {
        return Err(unjudged("no document has a valid timestamp_utc"));
    };
    // Most servers need no second look at their clock.
    let [first, latest] = match latest.duration_since(*first) > DAY {
        true => judge.clock()?,
        false => [*first, *latest],
    };
    judge.each(&documents, |_, document| {
        let time = document.time()?;
        let is_right = first.duration_since(time) <= DAY && time.duration_since(latest) <= DAY;
        let target = &documents[0].response.request.target;
        let expected = format_args!("within a day of {first}Z, as in {target}");
        document.verify("timestamp_utc", is_right, expected)
    })
}

/// The first document is stamped within a day of its `Date`.
pub(super) fn timestamps_are_near_the_date(judge: &mut Judge) -> Judgement {
    let document = judge.first_document()?;
    let date = document.response.header("date");
    let date = date.and_then(|date| rfc2822::parse(&date).ok());
    let date = date.ok_or_else(|| unjudged("no valid Date"))?.datetime();
    let is_right = date.duration_since(document.time()?).abs() <= DAY;
    let expected =
        format_args!("within a day of {date}Z, its Date; the server's clock may be stopped");
    document.verify("timestamp_utc", is_right, expected)
}

/// The names of the three costs, in ascending order.
pub(super) const COSTS: [&str; 3] = ["min_cost_usd", "avg_cost_usd", "max_cost_usd"];

/// The numbers in three fields are in ascending order. Equal numbers are allowed.
pub(super) fn in_order(judge: &mut Judge, kind: ObjectKind, fields: [&str; 3]) -> Judgement {
    judge.each_object([kind], |object| {
        let [min, avg, max] = fields.map(|field| object.number(field));
        let (min, avg, max) = (min?, avg?, max?);
        let expected = fields.map(|field| object.at(field)).join(" <= ");
        let got = format_args!("{min}, {avg}, {max}");
        object.response.verify(min <= avg && avg <= max, expected, got)
    })
}

pub(super) fn region_count(judge: &mut Judge, kind: ObjectKind) -> Judgement {
    judge.each_object([kind], |object| {
        let regions = object.list("regions")?.len();
        let is_right = object.integer("region_count")? == regions as f64;
        object.verify("region_count", is_right, format_args!("{regions}, the number of regions"))
    })
}

/// The documents for this region, or for all that are requested, have its id.
pub(super) fn region_ids_are_echoed(
    judge: &mut Judge,
    resource: fn(String) -> Resource,
    id: Option<&str>,
) -> Judgement {
    let ids = id.map_or_else(|| judge.sample(), |id| vec![id.into()]);
    judge
        .each(ids, |judge, id| judge.document(&resource(id.clone()))?.verify_text("region_id", &id))
}

pub(super) fn forecast_days_are_echoed(judge: &mut Judge) -> Judgement {
    let field = "forecast_days";
    let resources = judge.resources(ObjectKind::Forecast);
    judge.each(resources, |judge, resource| {
        let forecast = judge.document(&resource)?;
        let Resource::Forecast(days) = resource else { return Ok(()) };
        let is_right = forecast.integer(field)? == f64::from(days.get());
        forecast.verify(field, is_right, days.get())
    })
}

pub(super) fn forecast_is_constant(judge: &mut Judge) -> Judgement {
    let field = "predicted_avg_cost_usd";
    let forecasts = judge.objects(ObjectKind::Forecast);
    judge.each(forecasts.windows(2), |_, pair| {
        let predicted = pair[0].number(field)?;
        pair[1].verify(field, pair[1].number(field)? == predicted, predicted)
    })
}

/// A list in the metadata has these entries, and possibly no others and in this order.
pub(super) fn entries(
    judge: &mut Judge,
    field: &str,
    required: &[&str],
    is_exact: bool,
) -> Judgement {
    judge.each_object([ObjectKind::Metadata], |metadata| {
        let listed = metadata.list(field)?;
        let is_complete = required.iter().all(|entry| listed.contains(&(*entry).into()));
        if is_exact && !is_complete {
            return Err(unjudged("a missing entry breaks a rule of the contract"));
        }
        let expected = if is_exact { "exactly" } else { "a list with" };
        let is_right = !is_exact || *listed == *required;
        let expected = format_args!("{expected} {}", required.join(", "));
        metadata.verify(field, is_complete && is_right, expected)
    })
}

pub(super) fn endpoints_are_below_the_prefix(judge: &mut Judge) -> Judgement {
    judge.each_object([ObjectKind::Metadata], |metadata| {
        let mut paths = metadata.list("available_endpoints")?.iter().filter_map(Value::as_str);
        let other = paths.find(|path| !path.starts_with(paths::PREFIX));
        let expected = format_args!("a path below {}", paths::PREFIX);
        metadata.response.verify(other.is_none(), expected, other.unwrap_or_default())
    })
}

pub(super) fn dates(
    judge: &mut Judge,
    expected: &str,
    are_right: fn(&[Date], &JsonObject) -> bool,
) -> Judgement {
    judge.each_object([ObjectKind::History], |history| {
        let points = history.entries("points");
        let dates = points.iter().map(|point| parse_date(point.text("date").ok()?).ok());
        let dates: Vec<Date> = dates.collect::<Option<_>>().unwrap_or_default();
        if dates.is_empty() {
            return Err(unjudged("a history without points, or a point without a valid date"));
        }
        let got = dates.iter().map(Date::to_string).collect::<Vec<_>>().join(", ");
        history.response.verify(are_right(&dates, history), expected, got)
    })
}

/// Whether the second date is the day after the first. Dates that don't increase break a rule of the contract.
pub(super) fn is_next(pair: &[Date]) -> bool {
    pair[1] <= pair[0] || pair[0].tomorrow().ok() == Some(pair[1])
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
