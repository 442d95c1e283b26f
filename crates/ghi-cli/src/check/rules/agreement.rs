//! Documents of the same day agree with each other.

use std::collections::HashMap;

use ghi_client::Resource;
use ghi_contract::GLOBAL;

use crate::check::json_object::{JsonObject, ObjectKind};
use crate::check::judge::Judge;
use crate::check::response::{Finding, Judgement, unjudged};
use crate::check::rules::values::COSTS;

/// The tolerated relative difference between two floats for the same value, far below any published digit. The
/// contract specifies no precision.
const NOISE: f64 = 1e-9;

/// The global cost is the lowest or the highest of the regions' costs, whichever `pick` selects.
pub(super) fn global_cost_is_extreme(
    judge: &mut Judge,
    field: &str,
    pick: fn(f64, f64) -> f64,
) -> Judgement {
    let snapshot = judge.document(&Resource::Snapshot)?;
    // The reduced form is judged by the details of the regions.
    let regions = match snapshot.get("regions") {
        Some(_) => judge.objects(ObjectKind::SnapshotRegion),
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
fn all_details(judge: &mut Judge) -> Result<Vec<JsonObject>, Finding> {
    let count = judge.region_ids().len();
    let sample = judge.sample();
    if sample.len() < count {
        let (requested, ids) = (sample.len(), sample.join(", "));
        return Err(unjudged(format!(
            "needs the details of all {count} regions, but only {requested} are requested: {ids}"
        )));
    }
    let details = judge.objects(ObjectKind::RegionDetail);
    if details.is_empty() || details.len() < count {
        return Err(unjudged("a region detail is missing"));
    }
    Ok(details)
}

pub(super) fn snapshot_has_the_registry(judge: &mut Judge) -> Judgement {
    let registry = judge.region_ids();
    let snapshot = judge.document(&Resource::Snapshot)?;
    let regions = snapshot.entries("regions");
    if registry.is_empty() || regions.is_empty() {
        return Err(unjudged("no regions in the list of regions or in the snapshot"));
    }
    let ids = regions.iter().map(|region| region.text("id")).collect::<Result<Vec<_>, _>>()?;
    snapshot.response.verify(registry == ids, registry.join(", "), ids.join(", "))
}

pub(super) fn region_names_agree(judge: &mut Judge) -> Judgement {
    let registry = judge.objects(ObjectKind::Region);
    let name = |entry: &JsonObject| {
        Some((entry.text("id").ok()?.to_owned(), entry.text("name").ok()?.to_owned()))
    };
    let names: HashMap<String, String> = registry.iter().filter_map(name).collect();
    let fields = [(ObjectKind::SnapshotRegion, "id"), (ObjectKind::RegionDetail, "region_id")];
    judge.each(fields, |judge, (kind, id)| {
        judge.each_object([kind], |region| {
            let id = region.text(id)?;
            let unknown = || unjudged(format!("region {id:?} has no name in the list of regions"));
            region.verify_text("name", names.get(id).ok_or_else(unknown)?)
        })
    })
}

/// An object has the snapshot's costs for a region, or its global costs.
fn has_costs_of(judge: &mut Judge, object: &JsonObject, id: &str) -> Judgement {
    let (costs, prefix) = match id {
        GLOBAL => (judge.document(&Resource::Snapshot)?, "global_"),
        id => {
            let mut regions = judge.objects(ObjectKind::SnapshotRegion).into_iter();
            let region = regions.find(|region| region.text("id").ok() == Some(id));
            let unknown = || unjudged(format!("the snapshot has no region {id:?}"));
            (region.ok_or_else(unknown)?, "")
        }
    };
    judge.each(COSTS, |_, field| {
        let cost = costs.number(&format!("{prefix}{field}"))?;
        let expected = format_args!("{cost}, as in the snapshot");
        object.verify(field, object.number(field)? == cost, expected)
    })
}

pub(super) fn region_detail_agrees_with_the_snapshot(judge: &mut Judge) -> Judgement {
    let ids = judge.sample();
    judge.each(ids, |judge, id| {
        let detail = judge.document(&Resource::RegionDetail(id.clone()))?;
        has_costs_of(judge, &detail, &id)
    })
}

pub(super) fn history_agrees_with_the_snapshot(judge: &mut Judge) -> Judgement {
    let today = judge.document(&Resource::Snapshot)?.time()?.date().to_string();
    let ids = std::iter::once(GLOBAL.to_owned()).chain(judge.sample());
    judge.each(ids, |judge, id| {
        let history = judge.document(&Resource::History(id.clone()))?;
        let mut points = history.entries("points").into_iter();
        let point = points.find(|point| point.text("date").ok() == Some(&today));
        let missing = || unjudged("a history has no point for the day of the snapshot");
        has_costs_of(judge, &point.ok_or_else(missing)?, &id)
    })
}

pub(super) fn indicator_agrees_with_the_snapshot(judge: &mut Judge) -> Judgement {
    let indicators = judge.objects(ObjectKind::Indicator);
    judge.each(indicators, |judge, indicator| has_costs_of(judge, &indicator, GLOBAL))
}

pub(super) fn global_average_is_weighted(judge: &mut Judge) -> Judgement {
    let snapshot = judge.document(&Resource::Snapshot)?;
    let details = all_details(judge)?;
    let costs = numbers(&details, "avg_cost_usd")?;
    let shares = numbers(&details, "hashrate_share_pct")?;
    let weighted: f64 = std::iter::zip(&costs, &shares).map(|(cost, share)| cost * share).sum();
    let mean = weighted / shares.iter().sum::<f64>();
    let field = "global_avg_cost_usd";
    let global = snapshot.number(field)?;
    let is_right = (mean - global).abs() <= half_unit(costs.iter().chain([&global]));
    snapshot.verify(field, is_right, format_args!("{mean:.4}, rounded"))
}

pub(super) fn shares_sum_to_100(judge: &mut Judge) -> Judgement {
    let details = all_details(judge)?;
    let shares = numbers(&details, "hashrate_share_pct")?;
    let sum: f64 = shares.iter().sum();
    let rounding = half_unit(&shares) * shares.len() as f64 + 100.0 * NOISE;
    let got = format_args!("{shares:?}, which sum to {sum}");
    details[0].response.verify((sum - 100.0).abs() <= rounding, "shares that sum to 100", got)
}

/// Returns half a unit of the last published decimal, plus a small tolerance for rounding.
fn half_unit<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> f64 {
    let decimals =
        |number: &f64| number.to_string().split_once('.').map_or(0, |(_, digits)| digits.len());
    let decimals = numbers.into_iter().map(decimals).max().unwrap_or_default();
    0.501 / 10_f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX))
}
