//! What documents of the same day say of the same thing.

use std::collections::HashMap;

use ghi_client::Resource;
use ghi_contract::GLOBAL;

use crate::check::case::Case;
use crate::check::fields::Shape;
use crate::check::parts::{Part, entries_of, parts, region_ids, sample};
use crate::check::rule::{Rule, strict};

pub(super) const RULES: &[Rule] = &[
    strict(
        "region-names-agree",
        "2",
        "A region has one name: in the registry, in the snapshot and in its detail.",
        region_names_agree,
    ),
    strict(
        "region-detail-agrees-with-the-snapshot",
        "2",
        "The costs of a region detail are those of the snapshot of the day.",
        region_detail_agrees_with_the_snapshot,
    ),
    strict(
        "history-agrees-with-the-snapshot",
        "2",
        "Today's point of a history has the costs of the snapshot of the day.",
        history_agrees_with_the_snapshot,
    ),
    strict(
        "global-average-is-weighted",
        "2",
        "The global average is the mean of the regions' averages, weighted by hashrate share.",
        global_average_is_weighted,
    ),
];

/// The three costs, by their names in regions and points.
pub(super) const COSTS: [&str; 3] = ["min_cost_usd", "avg_cost_usd", "max_cost_usd"];

fn region_names_agree(case: &mut Case<'_>) {
    let registry = parts(case, Shape::Region);
    let names = registry.iter().filter_map(|entry| Some((entry.text("id")?, entry.text("name")?)));
    let names: HashMap<&str, &str> = names.collect();
    let name = |id: &str| names.get(id).copied();
    let named = [(Shape::SnapshotRegion, "id"), (Shape::RegionDetail, "region_id")];
    for (shape, id_field) in named {
        for part in parts(case, shape) {
            if let Some(name) =
                part.text(id_field).and_then(name).filter(|_| part.text("name").is_some())
            {
                let at = part.at("name");
                case.verify_value(&part.exchange, &at, name, part.get("name"));
            }
        }
    }
}

/// Looks whether two objects of the same day have the same costs; `prefix` is what the names of the
/// second begin with.
pub(super) fn verify_costs(case: &mut Case<'_>, part: &Part, other: &Part, prefix: &str) {
    if part.exchange.day() != other.exchange.day() {
        case.skip("a day ended between two answers");
        return;
    }
    for field in COSTS {
        if let (Some(cost), Some(expected)) =
            (part.number(field), other.number(&format!("{prefix}{field}")))
        {
            let at = part.at(field);
            let expected_text = format!("{at}: {expected}, as in the snapshot");
            case.verify(
                &part.exchange,
                cost == expected,
                expected_text,
                format_args!("{at}: {cost}"),
            );
        }
    }
}

/// The entry of a region in the snapshot.
fn snapshot_entry(case: &mut Case<'_>, id: &str) -> Option<Part> {
    let entries = parts(case, Shape::SnapshotRegion);
    let entry = entries.into_iter().find(|entry| entry.text("id") == Some(id));
    if entry.is_none() {
        case.skip("the snapshot is reduced, or lacks the region");
    }
    entry
}

fn region_detail_agrees_with_the_snapshot(case: &mut Case<'_>) {
    for id in sample(case) {
        if let Some(exchange) = case.document(&Resource::RegionDetail(id.clone()))
            && let Some(entry) = snapshot_entry(case, &id)
        {
            verify_costs(case, &Part::whole(exchange, Shape::RegionDetail), &entry, "");
        }
    }
}

fn history_agrees_with_the_snapshot(case: &mut Case<'_>) {
    let ids = sample(case);
    for id in std::iter::once(GLOBAL.to_owned()).chain(ids) {
        let Some(exchange) = case.document(&Resource::History(id.clone())) else { continue };
        let history = Part::whole(exchange, Shape::History);
        let points = entries_of(&history, "points", Shape::HistoryPoint);
        let today = points.iter().find(|point| point.text("date") == history.exchange.day());
        let Some(today) = today else {
            case.skip("a history has no point of its day");
            continue;
        };
        if id == GLOBAL {
            for snapshot in parts(case, Shape::Snapshot) {
                verify_costs(case, today, &snapshot, "global_");
            }
        } else if let Some(entry) = snapshot_entry(case, &id) {
            verify_costs(case, today, &entry, "");
        }
    }
}

fn global_average_is_weighted(case: &mut Case<'_>) {
    let count = region_ids(case).len();
    let sample = sample(case);
    if sample.len() < count {
        let (asked, ids) = (sample.len(), sample.join(", "));
        case.skip(format!(
            "it takes the shares of all {count} regions, and each takes a request; only {asked} were asked for: {ids}"
        ));
        return;
    }
    for snapshot in parts(case, Shape::Snapshot) {
        let mut details = parts(case, Shape::RegionDetail);
        details.retain(|detail| detail.exchange.day() == snapshot.exchange.day());
        let weighted = details.iter().map(|detail| {
            Some((detail.number("avg_cost_usd")?, detail.number("hashrate_share_pct")?))
        });
        let weighted: Option<Vec<_>> = weighted.collect();
        let global = snapshot.number("global_avg_cost_usd");
        let (Some(weighted), Some(global)) = (weighted.filter(|all| all.len() == count), global)
        else {
            case.skip("a figure is missing, or a day ended between two answers");
            continue;
        };
        let shares: f64 = weighted.iter().map(|(_, share)| share).sum();
        let mean = weighted.iter().map(|(avg, share)| avg * share).sum::<f64>() / shares;
        let is_right = (mean - global).abs() <= half_a_unit(&weighted, global);
        let expected = format!("global_avg_cost_usd: {mean:.4}, but for rounding");
        let got = format!("global_avg_cost_usd: {global}");
        case.verify(&snapshot.exchange, is_right, expected, got);
    }
}

/// Half a unit of the last decimal that any of the averages is published with, and some more: the
/// shares are rounded too.
fn half_a_unit(weighted: &[(f64, f64)], global: f64) -> f64 {
    let decimals =
        |number: f64| number.to_string().split_once('.').map_or(0, |(_, digits)| digits.len());
    let averages = weighted.iter().map(|(avg, _)| *avg).chain([global]);
    let decimals = averages.map(decimals).max().unwrap_or_default();
    0.501 / 10_f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX))
}
