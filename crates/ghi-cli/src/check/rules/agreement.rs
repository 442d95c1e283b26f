//! Documents of the same day agree with each other.

use std::collections::HashMap;

use ghi_client::Resource;
use ghi_contract::GLOBAL;

use crate::check::json_object::JsonObject;
use crate::check::judge::Judge;
use crate::check::rules::values::COSTS;
use crate::check::schema::ObjectKind;

/// The tolerated relative difference between two floats for the same value, far below any published digit. The
/// contract specifies no precision.
const NOISE: f64 = 1e-9;

/// The global cost is the lowest or the highest of the regions' costs, whichever `pick` selects.
pub(super) fn global_cost_is_extreme(judge: &mut Judge, field: &str, pick: fn(f64, f64) -> f64) {
    for snapshot in judge.objects(ObjectKind::Snapshot) {
        let global_field = format!("global_{field}");
        let regions = regions_of(judge, &snapshot);
        let costs: Option<Vec<_>> =
            regions.iter().map(|region| judge.number(region, field)).collect();
        if let Some(extreme) = costs.and_then(|costs| costs.into_iter().reduce(pick))
            && let Some(global) = judge.number(&snapshot, &global_field)
        {
            let is_right = (extreme - global).abs() <= extreme.abs() * NOISE;
            judge.verify_field(&snapshot, &global_field, is_right, extreme);
        }
    }
}

/// Returns the regions that determine the global costs of a snapshot: the regions in the snapshot, or the
/// region details if it has the reduced form.
fn regions_of(judge: &mut Judge, snapshot: &JsonObject) -> Vec<JsonObject> {
    if snapshot.get("regions").is_some() {
        return judge.objects(ObjectKind::SnapshotRegion);
    }
    let mut details = all_details(judge).unwrap_or_default();
    if details.iter().any(|detail| judge.midnight_passed(detail.time(), snapshot.time())) {
        details.clear();
    }
    details
}

/// Returns the details of all regions, if all are requested and from the same day.
fn all_details(judge: &mut Judge) -> Option<Vec<JsonObject>> {
    let count = judge.region_ids().len();
    let sample = judge.sample();
    if sample.len() < count {
        let (requested, ids) = (sample.len(), sample.join(", "));
        judge.skip(format!(
            "needs the details of all {count} regions, but only {requested} are requested: {ids}"
        ));
        return None;
    }
    let details = judge.objects(ObjectKind::RegionDetail);
    let is_complete = !details.is_empty() && details.len() == count;
    if !is_complete {
        judge.skip("a region detail is missing");
        return None;
    }
    let first = details[0].time();
    let passed = details.iter().any(|detail| judge.midnight_passed(detail.time(), first));
    (!passed).then_some(details)
}

pub(super) fn snapshot_has_the_registry(judge: &mut Judge) {
    let registry = judge.region_ids();
    for snapshot in judge.objects(ObjectKind::Snapshot) {
        if snapshot.get("regions").is_none() {
            judge.skip("the snapshot is in the reduced form");
            continue;
        }
        let regions = snapshot.entries("regions");
        let ids: Option<Vec<_>> = regions.iter().map(|region| judge.text(region, "id")).collect();
        if let Some(ids) = ids.filter(|_| !registry.is_empty()) {
            let (expected, got) = (registry.join(", "), ids.join(", "));
            judge.verify(&snapshot.response, registry == ids, expected, got);
        }
    }
}

pub(super) fn region_names_agree(judge: &mut Judge) {
    let registry = judge.objects(ObjectKind::Region);
    let names = registry.iter().filter_map(|entry| Some((entry.text("id")?, entry.text("name")?)));
    let names: HashMap<&str, &str> = names.collect();
    for (kind, id) in [(ObjectKind::SnapshotRegion, "id"), (ObjectKind::RegionDetail, "region_id")]
    {
        for region in judge.objects(kind) {
            let Some(id) = judge.text(&region, id) else { continue };
            match names.get(id) {
                Some(name) => judge.verify_text(&region, "name", name),
                None => judge.skip(format!("region {id:?} has no name in the list of regions")),
            }
        }
    }
}

/// An object has the same costs as the snapshot, in which the field names begin with `prefix`.
fn verify_costs(judge: &mut Judge, object: &JsonObject, snapshot: &JsonObject, prefix: &str) {
    for field in COSTS {
        if !judge.midnight_passed(object.time(), snapshot.time())
            && let Some(cost) = judge.number(object, field)
            && let Some(expected) = judge.number(snapshot, &format!("{prefix}{field}"))
        {
            let right = format_args!("{expected}, as in the snapshot");
            judge.verify_field(object, field, cost == expected, right);
        }
    }
}

/// An object has the snapshot's costs for a region, or its global costs.
fn verify_costs_of(judge: &mut Judge, object: &JsonObject, id: &str) {
    if id == GLOBAL {
        for snapshot in judge.objects(ObjectKind::Snapshot) {
            verify_costs(judge, object, &snapshot, "global_");
        }
        return;
    }
    let regions = judge.objects(ObjectKind::SnapshotRegion);
    match regions.iter().find(|region| region.text("id") == Some(id)) {
        Some(region) => verify_costs(judge, object, region, ""),
        None => judge.skip(format!("the snapshot has no region {id:?}")),
    }
}

pub(super) fn region_detail_agrees_with_the_snapshot(judge: &mut Judge) {
    for id in judge.sample() {
        if let Some(detail) = judge.document(&Resource::RegionDetail(id.clone())) {
            verify_costs_of(judge, &detail, &id);
        }
    }
}

pub(super) fn history_agrees_with_the_snapshot(judge: &mut Judge) {
    for id in std::iter::once(GLOBAL.to_owned()).chain(judge.sample()) {
        let Some(history) = judge.document(&Resource::History(id.clone())) else { continue };
        let Some(snapshot) = judge.document(&Resource::Snapshot) else { continue };
        let (points, day) = (history.entries("points"), snapshot.day());
        match points.iter().find(|point| point.text("date") == day.as_deref()) {
            Some(today) => verify_costs_of(judge, today, &id),
            None => judge.skip("a history has no point for the day of the snapshot"),
        }
    }
}

pub(super) fn indicator_agrees_with_the_snapshot(judge: &mut Judge) {
    for indicator in judge.objects(ObjectKind::Indicator) {
        verify_costs_of(judge, &indicator, GLOBAL);
    }
}

pub(super) fn global_average_is_weighted(judge: &mut Judge) {
    let Some(details) = all_details(judge) else { return };
    let numbers = |judge: &mut Judge, field| -> Option<Vec<f64>> {
        details.iter().map(|detail| judge.number(detail, field)).collect()
    };
    let Some(costs) = numbers(judge, "avg_cost_usd") else { return };
    let Some(shares) = numbers(judge, "hashrate_share_pct") else { return };
    let weighted: f64 = std::iter::zip(&costs, &shares).map(|(cost, share)| cost * share).sum();
    let mean = weighted / shares.iter().sum::<f64>();
    for snapshot in judge.objects(ObjectKind::Snapshot) {
        if !judge.midnight_passed(snapshot.time(), details[0].time())
            && let Some(global) = judge.number(&snapshot, "global_avg_cost_usd")
        {
            let rounding = half_unit(costs.iter().chain([&global]));
            let is_right = (mean - global).abs() <= rounding;
            let expected = format_args!("{mean:.4}, rounded");
            judge.verify_field(&snapshot, "global_avg_cost_usd", is_right, expected);
        }
    }
}

pub(super) fn shares_are_percentages(judge: &mut Judge) {
    for detail in judge.objects(ObjectKind::RegionDetail) {
        if let Some(share) = judge.number(&detail, "hashrate_share_pct") {
            judge.verify_field(&detail, "hashrate_share_pct", share <= 100.0, "at most 100");
        }
    }
}

pub(super) fn shares_sum_to_100(judge: &mut Judge) {
    let Some(details) = all_details(judge) else { return };
    let shares = details.iter().map(|detail| judge.number(detail, "hashrate_share_pct"));
    let Some(shares) = shares.collect::<Option<Vec<_>>>() else { return };
    let sum: f64 = shares.iter().sum();
    let rounding = half_unit(&shares) * shares.len() as f64 + 100.0 * NOISE;
    let is_right = (sum - 100.0).abs() <= rounding;
    let got = format_args!("{shares:?}, which sum to {sum}");
    judge.verify(&details[0].response, is_right, "shares that sum to 100", got);
}

/// Returns half a unit of the last published decimal, plus a small tolerance for rounding.
fn half_unit<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> f64 {
    let decimals =
        |number: &f64| number.to_string().split_once('.').map_or(0, |(_, digits)| digits.len());
    let decimals = numbers.into_iter().map(decimals).max().unwrap_or_default();
    0.501 / 10_f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX))
}
