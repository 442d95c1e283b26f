//! The snapshot.

use ghi_contract::CURRENCY;

use crate::check::case::Case;
use crate::check::fields::Shape;
use crate::check::parts::{Part, parts, region_ids};
use crate::check::request::Request;
use crate::check::rule::{Rule, contract, strict};
use crate::check::rules::regions::{costs_are_in_order, verify_count, verify_order};

pub(super) const RULES: &[Rule] = &[
    contract(
        "snapshot-region-id-is-the-id",
        "2",
        "In a region of the snapshot, `region_id` is the same as `id`.",
        snapshot_region_id_is_the_id,
    ),
    contract(
        "snapshot-currency-is-usd",
        "2",
        "In a region of the snapshot, `currency` is `USD`.",
        |case| currency_is_usd(case, Shape::SnapshotRegion),
    ),
    contract(
        "snapshot-costs-are-in-order",
        "2",
        "In a region of the snapshot the minimum is not above the average, nor that above the maximum.",
        |case| costs_are_in_order(case, Shape::SnapshotRegion),
    ),
    contract(
        "snapshot-count-is-the-number-of-regions",
        "2",
        "`region_count` of the snapshot is the number of its regions.",
        |case| verify_count(case, Shape::Snapshot),
    ),
    contract(
        "global-minimum-is-the-lowest",
        "2",
        "The global minimum is the lowest minimum of the regions.",
        |case| verify_bound(case, "min_cost_usd", f64::min),
    ),
    contract(
        "global-maximum-is-the-highest",
        "2",
        "The global maximum is the highest maximum of the regions.",
        |case| verify_bound(case, "max_cost_usd", f64::max),
    ),
    contract(
        "global-average-is-between",
        "2",
        "The global average is between the global minimum and maximum.",
        global_average_is_between,
    ),
    strict(
        "snapshot-has-the-registry",
        "2",
        "The full snapshot has the regions of the registry, in its order.",
        snapshot_has_the_registry,
    ),
    strict(
        "minimal-snapshot-by-preference",
        "2",
        "`Prefer: return=minimal` gets the reduced snapshot and `Preference-Applied`.",
        |case| verify_preference(case, "minimal"),
    ),
    strict(
        "full-snapshot-by-preference",
        "2",
        "`Prefer: return=representation` gets the full snapshot and `Preference-Applied`.",
        |case| verify_preference(case, "representation"),
    ),
];

/// By how much two floats may differ that are the same figure, relative to it: far below any digit
/// that is published. The contract shows no precision.
const NOISE: f64 = 1e-9;

fn snapshot_region_id_is_the_id(case: &mut Case<'_>) {
    for part in parts(case, Shape::SnapshotRegion) {
        if let (Some(id), Some(_)) = (part.text("id"), part.text("region_id")) {
            let at = part.at("region_id");
            case.verify_value(&part.exchange, &at, id, part.get("region_id"));
        }
    }
}

/// Looks whether a currency is USD.
pub(super) fn currency_is_usd(case: &mut Case<'_>, shape: Shape) {
    for part in parts(case, shape) {
        if part.text("currency").is_some() {
            let at = part.at("currency");
            case.verify_value(&part.exchange, &at, CURRENCY, part.get("currency"));
        }
    }
}

/// The regions that make the global figures of a snapshot: its own, or in its reduced form the
/// details, if those of all regions came on the same day.
fn regions_of(case: &mut Case<'_>, snapshot: &Part) -> Vec<Part> {
    if snapshot.get("regions").is_some() {
        return parts(case, Shape::SnapshotRegion);
    }
    let count = region_ids(case).len();
    let mut details = parts(case, Shape::RegionDetail);
    details.retain(|detail| detail.exchange.day() == snapshot.exchange.day());
    if details.len() == count { details } else { Vec::new() }
}

fn verify_bound(case: &mut Case<'_>, field: &str, pick: fn(f64, f64) -> f64) {
    for snapshot in parts(case, Shape::Snapshot) {
        let regions = regions_of(case, &snapshot);
        let costs: Option<Vec<f64>> = regions.iter().map(|region| region.number(field)).collect();
        let bound = costs.and_then(|costs| costs.into_iter().reduce(pick));
        let global_field = format!("global_{field}");
        match (bound, snapshot.number(&global_field)) {
            (Some(bound), Some(global)) => {
                let expected = format!("{global_field}: {bound}");
                let got = format!("{global_field}: {global}");
                let is_right = (bound - global).abs() <= bound.abs() * NOISE;
                case.verify(&snapshot.exchange, is_right, expected, got);
            }
            _ => case.skip("the snapshot is reduced, or the cost of a region is missing"),
        }
    }
}

fn global_average_is_between(case: &mut Case<'_>) {
    for part in parts(case, Shape::Snapshot) {
        let fields = ["global_min_cost_usd", "global_avg_cost_usd", "global_max_cost_usd"];
        verify_order(case, &part, fields);
    }
}

fn snapshot_has_the_registry(case: &mut Case<'_>) {
    let registry = region_ids(case);
    for snapshot in parts(case, Shape::Snapshot) {
        if snapshot.get("regions").is_none() {
            case.skip("the snapshot is reduced");
            continue;
        }
        let entries = parts(case, Shape::SnapshotRegion);
        let ids: Vec<&str> = entries.iter().filter_map(|entry| entry.text("id")).collect();
        let (expected, got) = (registry.join(", "), ids.join(", "));
        if ids.len() == entries.len() && !registry.is_empty() {
            case.verify(&snapshot.exchange, registry == ids, expected, got);
        }
    }
}

fn verify_preference(case: &mut Case<'_>, form: &str) {
    let preference = format!("return={form}");
    let request = Request::get(ghi_contract::paths::SNAPSHOT).header("prefer", &preference);
    let Some(exchange) = case.document_by(request) else { return };
    let part = Part::whole(exchange, Shape::Snapshot);
    let has_regions = part.get("regions").is_some() && part.get("region_count").is_some();
    let has_any = part.get("regions").is_some() || part.get("region_count").is_some();
    let is_right = if form == "minimal" { !has_any } else { has_regions };
    let expected = format!("the snapshot as {form}");
    case.verify(&part.exchange, is_right, expected, part.exchange.shown());
    let applied = |value: &str| value == preference;
    case.verify_header(&part.exchange, "preference-applied", &preference, applied);
}
