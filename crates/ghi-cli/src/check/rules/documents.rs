//! The contents of documents: fields, timestamps, regions and costs.

use std::collections::HashMap;
use std::iter;

use ghi_contract::{GLOBAL, paths};
use ghi_engine::parse_date;
use ghi_server::Moment;
use jiff::SignedDuration;
use jiff::civil::{Date, DateTime};
use jiff::fmt::rfc2822;

use crate::check::json_object::ObjectKind::{self, *};
use crate::check::json_object::{DOCUMENTS, Field, JsonObject};
use crate::check::judge::Judge;
use crate::check::response::{CheckResponse, Finding, Judgement, unjudged};
use crate::text_table::own_decimals;

/// The most that the timestamps of one run may differ.
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// The tolerated relative difference between two floats for the same value, far below any published digit. The
/// contract specifies no precision.
const NOISE: f64 = 1e-9;

/// The names of the three costs, in ascending order.
pub(super) const COSTS: [&str; 3] = ["min_cost_usd", "avg_cost_usd", "max_cost_usd"];

pub(super) fn each_field(
    judge: &Judge,
    kinds: impl IntoIterator<Item = ObjectKind>,
    selects: fn(&Field) -> bool,
    verify: impl Fn(&JsonObject, Field) -> Judgement,
) -> Judgement {
    judge.each(kinds, |kind| {
        judge.each(judge.objects(kind), |object| {
            judge.each(kind.fields().filter(selects), |field| verify(&object, field))
        })
    })
}

pub(super) fn fields(judge: &Judge, kind: ObjectKind) -> Judgement {
    let is_required = |field: &Field| field.is_required;
    each_field(judge, [kind], is_required, |object, field| {
        let is_right = field.accepts_or_defers(object.get(field.name));
        object.verify(field.name, is_right, field.type_name)
    })
}

pub(super) fn snapshot_form(judge: &Judge) -> Judgement {
    let optional: Vec<Field> = Snapshot.fields().filter(|field| !field.is_required).collect();
    judge.each_object([Snapshot], |snapshot| {
        if optional.iter().all(|field| snapshot.get(field.name).is_none()) {
            return Ok(());
        }
        judge.each(&optional, |field| {
            let is_right = field.accepts_or_defers(snapshot.get(field.name));
            let expected = format_args!("{}, or neither of the two", field.type_name);
            snapshot.verify(field.name, is_right, expected)
        })
    })
}

pub(super) fn has_no_further_fields(kind: ObjectKind, object: &JsonObject) -> Judgement {
    // A region detail with this field breaks a rule of the contract.
    let is_judged = |name: &str| kind == RegionDetail && name == "engine_sandbox_version";
    let is_known = |name: &str| kind.fields().any(|field| field.name == name) || is_judged(name);
    let further = object.field_names().into_iter().find(|name| !is_known(name));
    let got = further.map(|name| object.at(name)).unwrap_or_default();
    let expected = "only the fields of the contract";
    object.response.verify(further.is_none(), expected, format_args!("also {got}"))
}

pub(super) fn indicator_fields(judge: &Judge) -> Judgement {
    judge.each(judge.targets(Indicator), |target| {
        let expected = "200 with a JSON object";
        let right = judge.verify_response(target, expected, CheckResponse::is_document);
        let indicator = JsonObject::whole(right?);
        for field in Indicator.fields() {
            let is_right = field.accepts(indicator.get(field.name));
            indicator.verify(field.name, is_right, field.type_name)?;
        }
        has_no_further_fields(Indicator, &indicator)
    })
}

pub(super) fn field_is(judge: &Judge, kind: ObjectKind, field: &str, expected: &str) -> Judgement {
    judge.each_object([kind], |object| object.verify_text(field, expected))
}

pub(super) fn texts(
    judge: &Judge,
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

/// Every document is stamped within a day of the time that passed during the run, by the server's own clock.
pub(super) fn timestamps_agree(judge: &Judge) -> Judgement {
    let document = judge.first_document()?;
    let (first, target) = (document.response.time()?, &document.response.request.target);
    judge.each_object(DOCUMENTS, |document| {
        let time = document.response.time()?;
        let is_near = |[start, end]: [DateTime; 2]| {
            start.duration_since(time) <= DAY && time.duration_since(end) <= DAY
        };
        // Most servers need no second look at their clock.
        let is_right = is_near([first, first]) || is_near(judge.clock()?);
        let expected = format_args!("within a day of {first}Z, as in {target}");
        document.verify("timestamp_utc", is_right, expected)
    })
}

/// The first document is stamped within a day of its `Date`.
pub(super) fn timestamps_are_near_the_date(judge: &Judge) -> Judgement {
    let document = judge.first_document()?;
    let date = document.response.header("date").and_then(|date| rfc2822::parse(&date).ok());
    let date = date.ok_or_else(|| unjudged("no valid Date"))?.datetime();
    let is_right = date.duration_since(document.response.time()?).abs() <= DAY;
    let why = "its Date; the server's clock may be stopped";
    document.verify("timestamp_utc", is_right, format_args!("within a day of {date}Z, {why}"))
}

/// The numbers in three fields are in ascending order. Equal numbers are allowed.
pub(super) fn in_order(judge: &Judge, kind: ObjectKind, fields: [&str; 3]) -> Judgement {
    judge.each_object([kind], |object| {
        let [min, avg, max] = fields.map(|field| object.number(field));
        let (min, avg, max) = (min?, avg?, max?);
        let expected = fields.map(|field| object.at(field)).join(" <= ");
        let got = format_args!("{min}, {avg}, {max}");
        object.response.verify(min <= avg && avg <= max, expected, got)
    })
}

pub(super) fn region_count(judge: &Judge, kind: ObjectKind) -> Judgement {
    judge.each_object([kind], |object| {
        let regions = object.list("regions")?.len();
        let is_right = object.integer("region_count")? == regions as f64;
        object.verify("region_count", is_right, format_args!("{regions}, the number of regions"))
    })
}

/// A list in the metadata has these entries, and possibly no others and in this order.
pub(super) fn entries(judge: &Judge, field: &str, required: &[&str], is_exact: bool) -> Judgement {
    judge.each_object([Metadata], |metadata| {
        let listed = metadata.list(field)?;
        let is_complete = required.iter().all(|entry| listed.contains(&(*entry).into()));
        if is_exact && !is_complete {
            return Err(unjudged("a missing entry breaks a rule of the contract"));
        }
        let expected = if is_exact { "exactly" } else { "a list with" };
        let is_right = is_complete && (!is_exact || *listed == *required);
        metadata.verify(field, is_right, format_args!("{expected} {}", required.join(", ")))
    })
}

pub(super) fn dates(
    judge: &Judge,
    expected: &str,
    are_right: fn(&[Date], &JsonObject) -> bool,
) -> Judgement {
    judge.each_object([History], |history| {
        let points = history.entries("points");
        let dates = points.iter().map(|point| parse_date(point.text("date").ok()?).ok());
        let missing = || unjudged("a history without points, or a point without a valid date");
        let dates = dates.collect::<Option<Vec<Date>>>().filter(|dates| !dates.is_empty());
        let dates = dates.ok_or_else(missing)?;
        let got = dates.iter().map(Date::to_string).collect::<Vec<_>>().join(", ");
        history.response.verify(are_right(&dates, history), expected, got)
    })
}

/// The global cost is the lowest or the highest of the regions' costs, whichever `pick` selects.
pub(super) fn global_cost_is_extreme(
    judge: &Judge,
    field: &str,
    pick: fn(f64, f64) -> f64,
) -> Judgement {
    let snapshot = judge.document(paths::SNAPSHOT)?;
    // The reduced form is judged by the details of the regions.
    let regions = match snapshot.get("regions") {
        Some(_) => judge.objects(SnapshotRegion),
        None => all_details(judge)?,
    };
    let extreme = numbers(&regions, field)?.into_iter().reduce(pick);
    let extreme = extreme.ok_or_else(|| unjudged("no regions"))?;
    let field = format!("global_{field}");
    let is_right = (extreme - snapshot.number(&field)?).abs() <= extreme.abs() * NOISE;
    snapshot.verify(&field, is_right, extreme)
}

fn numbers(objects: &[JsonObject], field: &str) -> Result<Vec<f64>, Finding> {
    objects.iter().map(|object| object.number(field)).collect()
}

/// Returns the details of all regions, if all are requested.
fn all_details(judge: &Judge) -> Result<Vec<JsonObject>, Finding> {
    let (count, details) = (judge.ids(Region).len(), judge.objects(RegionDetail));
    if details.len() < count.max(1) {
        return Err(unjudged(format!("needs the details of all {count} regions")));
    }
    Ok(details)
}

pub(super) fn snapshot_has_the_registry(judge: &Judge) -> Judgement {
    let registry = judge.ids(Region);
    let snapshot = judge.document(paths::SNAPSHOT)?;
    let regions = snapshot.entries("regions");
    if registry.is_empty() || regions.is_empty() {
        return Err(unjudged("no regions in the list of regions or in the snapshot"));
    }
    let ids = regions.iter().map(|region| region.text("id")).collect::<Result<Vec<_>, _>>()?;
    snapshot.response.verify(registry == ids, registry.join(", "), ids.join(", "))
}

pub(super) fn region_names_agree(judge: &Judge) -> Judgement {
    let registry = judge.objects(Region);
    let name = |entry: &JsonObject| {
        Some((entry.text("id").ok()?.to_owned(), entry.text("name").ok()?.to_owned()))
    };
    let names: HashMap<String, String> = registry.iter().filter_map(name).collect();
    judge.each([(SnapshotRegion, "id"), (RegionDetail, "region_id")], |(kind, id)| {
        judge.each_object([kind], |region| {
            let id = region.text(id)?;
            let unknown = || unjudged(format!("region {id:?} has no name in the list of regions"));
            region.verify_text("name", names.get(id).ok_or_else(unknown)?)
        })
    })
}

/// An object has the snapshot's costs for a region, or its global costs.
pub(super) fn has_costs_of(judge: &Judge, object: &JsonObject, id: &str) -> Judgement {
    let (costs, prefix) = match id {
        GLOBAL => (judge.document(paths::SNAPSHOT)?, "global_"),
        id => {
            let mut regions = judge.objects(SnapshotRegion).into_iter();
            let region = regions.find(|region| region.text("id").ok() == Some(id));
            (region.ok_or_else(|| unjudged(format!("the snapshot has no region {id:?}")))?, "")
        }
    };
    judge.each(COSTS, |field| {
        let cost = costs.number(&format!("{prefix}{field}"))?;
        let expected = format_args!("{cost}, as in the snapshot");
        object.verify(field, object.number(field)? == cost, expected)
    })
}

pub(super) fn global_average_is_weighted(judge: &Judge) -> Judgement {
    let snapshot = judge.document(paths::SNAPSHOT)?;
    let details = all_details(judge)?;
    let costs = numbers(&details, "avg_cost_usd")?;
    let shares = numbers(&details, "hashrate_share_pct")?;
    let weighted: f64 = iter::zip(&costs, &shares).map(|(cost, share)| cost * share).sum();
    let mean = weighted / shares.iter().sum::<f64>();
    let field = "global_avg_cost_usd";
    let global = snapshot.number(field)?;
    let is_right = (mean - global).abs() <= half_unit(costs.iter().chain([&global]));
    snapshot.verify(field, is_right, format_args!("{mean:.4}, rounded"))
}

pub(super) fn shares_sum_to_100(judge: &Judge) -> Judgement {
    let details = all_details(judge)?;
    let shares = numbers(&details, "hashrate_share_pct")?;
    let sum: f64 = shares.iter().sum();
    let rounding = half_unit(&shares) * shares.len() as f64 + 100.0 * NOISE;
    let got = format_args!("{shares:?}, which sum to {sum}");
    details[0].response.verify((sum - 100.0).abs() <= rounding, "shares that sum to 100", got)
}

/// Returns half a unit of the last published decimal, plus a small tolerance for rounding.
fn half_unit<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> f64 {
    let decimals = numbers.into_iter().map(|number| own_decimals(*number)).max();
    0.501 / 10_f64.powi(decimals.unwrap_or_default() as i32)
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
