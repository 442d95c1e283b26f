//! Documents of the same day agree with each other.

use std::collections::HashMap;

use ghi_client::Resource;
use ghi_contract::GLOBAL;

use crate::check::json_object::JsonObject;
use crate::check::judge::Judge;
use crate::check::response::{Finding, judged};
use crate::check::rules::values::COSTS;
use crate::check::schema::ObjectKind;

/// The tolerated relative difference between two floats for the same value, far below any published digit. The
/// contract specifies no precision.
const NOISE: f64 = 1e-9;

/// The global cost is the lowest or the highest of the regions' costs, whichever `pick` selects.
pub(super) fn global_cost_is_extreme(judge: &mut Judge, field: &str, pick: fn(f64, f64) -> f64) {
    let Some(snapshot) = judge.document(&Resource::Snapshot) else { return };
    // The reduced form is judged by the details of the regions.
    let regions = match snapshot.get("regions") {
        Some(_) => Ok(judge.objects(ObjectKind::SnapshotRegion)),
        None => all_details(judge, &snapshot),
    };
    let judgement = regions.and_then(|regions| {
        let Some(extreme) = numbers(&regions, field)?.into_iter().reduce(pick) else {
            return Err(Finding::Unjudged("no regions".into()));
        };
        let field = format!("global_{field}");
        let is_right = (extreme - snapshot.number(&field)?).abs() <= extreme.abs() * NOISE;
        snapshot.verify(&field, is_right, extreme)
    });
    judge.record(&snapshot.response, judgement);
}

fn numbers(objects: &[JsonObject], field: &str) -> Result<Vec<f64>, Finding> {
    objects.iter().map(|object| object.number(field)).collect()
}

/// Returns the details of all regions, if all are requested and comparable with a document.
fn all_details(judge: &mut Judge, document: &JsonObject) -> Result<Vec<JsonObject>, Finding> {
    let count = judge.region_ids().len();
    let sample = judge.sample();
    if sample.len() < count {
        let (requested, ids) = (sample.len(), sample.join(", "));
        return Err(Finding::Unjudged(format!(
            "needs the details of all {count} regions, but only {requested} are requested: {ids}"
        )));
    }
    let details = judge.objects(ObjectKind::RegionDetail);
    if details.is_empty() || details.len() < count {
        return Err(Finding::Unjudged("a region detail is missing".into()));
    }
    for detail in &details {
        judge.comparable(detail, document)?;
    }
    Ok(details)
}

pub(super) fn snapshot_has_the_registry(judge: &mut Judge) {
    let registry = judge.region_ids();
    judge.each([ObjectKind::Snapshot], |snapshot| {
        if snapshot.get("regions").is_none() {
            return Err(Finding::Unjudged("the snapshot is in the reduced form".into()));
        }
        let regions = snapshot.entries("regions");
        let ids = regions.iter().map(|region| region.text("id")).collect::<Result<Vec<_>, _>>()?;
        if registry.is_empty() {
            return Err(Finding::Unjudged("no list of regions".into()));
        }
        judged(registry == ids, registry.join(", "), ids.join(", "))
    });
}

pub(super) fn region_names_agree(judge: &mut Judge) {
    let registry = judge.objects(ObjectKind::Region);
    let name = |entry: &JsonObject| {
        Some((entry.text("id").ok()?.to_owned(), entry.text("name").ok()?.to_owned()))
    };
    let names: HashMap<String, String> = registry.iter().filter_map(name).collect();
    for (kind, id) in [(ObjectKind::SnapshotRegion, "id"), (ObjectKind::RegionDetail, "region_id")]
    {
        judge.each([kind], |region| {
            let id = region.text(id)?;
            let unknown = || format!("region {id:?} has no name in the list of regions");
            let name = names.get(id).ok_or_else(|| Finding::Unjudged(unknown()))?;
            region.verify_text("name", name)
        });
    }
}

/// An object has the snapshot's costs for a region, or its global costs.
fn verify_costs(judge: &mut Judge, object: &JsonObject, id: &str) {
    let (costs, prefix) = match id {
        GLOBAL => (judge.document(&Resource::Snapshot), "global_"),
        id => {
            let regions = judge.objects(ObjectKind::SnapshotRegion).into_iter();
            let mut regions = regions.filter(|region| region.text("id").ok() == Some(id));
            (regions.next(), "")
        }
    };
    let Some(costs) = costs else {
        return judge.skip(format!("the snapshot has no region {id:?}"));
    };
    for field in COSTS {
        let comparable = judge.comparable(object, &costs);
        let judgement = comparable.and_then(|()| {
            let (cost, expected) =
                (object.number(field)?, costs.number(&format!("{prefix}{field}"))?);
            object.verify(field, cost == expected, format_args!("{expected}, as in the snapshot"))
        });
        judge.record(&object.response, judgement);
    }
}

pub(super) fn region_detail_agrees_with_the_snapshot(judge: &mut Judge) {
    for id in judge.sample() {
        if let Some(detail) = judge.document(&Resource::RegionDetail(id.clone())) {
            verify_costs(judge, &detail, &id);
        }
    }
}

pub(super) fn history_agrees_with_the_snapshot(judge: &mut Judge) {
    let Some(snapshot) = judge.document(&Resource::Snapshot) else { return };
    let today = snapshot.day().map(|day| day.to_string());
    for id in std::iter::once(GLOBAL.to_owned()).chain(judge.sample()) {
        let Some(history) = judge.document(&Resource::History(id.clone())) else { continue };
        let points = history.entries("points");
        match points.iter().find(|point| point.text("date").ok() == today.as_deref()) {
            Some(today) => verify_costs(judge, today, &id),
            None => judge.skip("a history has no point for the day of the snapshot"),
        }
    }
}

pub(super) fn indicator_agrees_with_the_snapshot(judge: &mut Judge) {
    for indicator in judge.objects(ObjectKind::Indicator) {
        verify_costs(judge, &indicator, GLOBAL);
    }
}

pub(super) fn global_average_is_weighted(judge: &mut Judge) {
    let Some(snapshot) = judge.document(&Resource::Snapshot) else { return };
    let judgement = all_details(judge, &snapshot).and_then(|details| {
        let costs = numbers(&details, "avg_cost_usd")?;
        let shares = numbers(&details, "hashrate_share_pct")?;
        let weighted: f64 = std::iter::zip(&costs, &shares).map(|(cost, share)| cost * share).sum();
        let mean = weighted / shares.iter().sum::<f64>();
        let field = "global_avg_cost_usd";
        let global = snapshot.number(field)?;
        let is_right = (mean - global).abs() <= half_unit(costs.iter().chain([&global]));
        snapshot.verify(field, is_right, format_args!("{mean:.4}, rounded"))
    });
    judge.record(&snapshot.response, judgement);
}

pub(super) fn shares_sum_to_100(judge: &mut Judge) {
    let Some(first) = judge.objects(ObjectKind::RegionDetail).into_iter().next() else { return };
    let judgement = all_details(judge, &first).and_then(|details| {
        let shares = numbers(&details, "hashrate_share_pct")?;
        let sum: f64 = shares.iter().sum();
        let rounding = half_unit(&shares) * shares.len() as f64 + 100.0 * NOISE;
        let got = format_args!("{shares:?}, which sum to {sum}");
        judged((sum - 100.0).abs() <= rounding, "shares that sum to 100", got)
    });
    judge.record(&first.response, judgement);
}

/// Returns half a unit of the last published decimal, plus a small tolerance for rounding.
fn half_unit<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> f64 {
    let decimals =
        |number: &f64| number.to_string().split_once('.').map_or(0, |(_, digits)| digits.len());
    let decimals = numbers.into_iter().map(decimals).max().unwrap_or_default();
    0.501 / 10_f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX))
}
