//! The registry and the region detail.

use std::collections::HashSet;

use ghi_client::Resource;
use ghi_contract::{GLOBAL, REGION_ID_MAX, is_region_id};
use serde_json::Value;

use crate::check::case::Case;
use crate::check::exchange::shown;
use crate::check::fields::Shape;
use crate::check::parts::{Part, parts, sample};
use crate::check::rule::{Rule, contract, strict};

pub(super) const RULES: &[Rule] = &[
    contract(
        "region-ids-are-unique",
        "2",
        "Each region has an id of its own, which is not `global`.",
        region_ids_are_unique,
    ),
    strict(
        "region-ids-are-short-codes",
        "2",
        "An id is a lowercase letter, then lowercase letters, digits and hyphens, 32 at most.",
        region_ids_are_short_codes,
    ),
    contract(
        "region-detail-costs-are-in-order",
        "2",
        "In a region detail the minimum is not above the average, nor that above the maximum.",
        |case| costs_are_in_order(case, Shape::RegionDetail),
    ),
    contract(
        "region-detail-is-of-the-region",
        "4",
        "`/v1/ghi/regions/{id}` answers with the region of that id.",
        region_detail_is_of_the_region,
    ),
    contract(
        "region-count-is-the-number-of-regions",
        "4.4",
        "`region_count` of the list of regions is the number of its entries.",
        |case| verify_count(case, Shape::Regions),
    ),
];

fn region_ids_are_unique(case: &mut Case<'_>) {
    for shape in [Shape::Region, Shape::SnapshotRegion] {
        let mut seen = HashSet::new();
        for part in parts(case, shape) {
            if let Some(id) = part.text("id") {
                let is_right = !id.is_empty() && id != GLOBAL && seen.insert(id.to_owned());
                let got = format!("{}: {}", part.at("id"), shown(id));
                let expected = "an id that no other region has, and that is not global";
                case.verify(&part.exchange, is_right, expected, got);
            }
        }
    }
}

fn region_ids_are_short_codes(case: &mut Case<'_>) {
    for part in parts(case, Shape::Region) {
        // An id that is none at all breaks a rule of the contract.
        if let Some(id) = part.text("id").filter(|id| !id.is_empty()) {
            let expected = format!("a code such as us, of at most {REGION_ID_MAX} characters");
            let got = format!("{}: {}", part.at("id"), shown(id));
            case.verify(&part.exchange, is_region_id(id), expected, got);
        }
    }
}

/// Looks whether minimum, average and maximum are in that order.
pub(super) fn costs_are_in_order(case: &mut Case<'_>, shape: Shape) {
    for part in parts(case, shape) {
        verify_order(case, &part, ["min_cost_usd", "avg_cost_usd", "max_cost_usd"]);
    }
}

/// Looks whether the numbers in three fields ascend; equal ones do.
pub(super) fn verify_order(case: &mut Case<'_>, part: &Part, fields: [&str; 3]) {
    if let [Some(min), Some(avg), Some(max)] = fields.map(|field| part.number(field)) {
        let at = fields.map(|field| part.at(field)).join(" <= ");
        let got = format!("{min}, {avg}, {max}");
        case.verify(&part.exchange, min <= avg && avg <= max, at, got);
    }
}

fn region_detail_is_of_the_region(case: &mut Case<'_>) {
    for id in sample(case) {
        if let Some(exchange) = case.document(&Resource::RegionDetail(id.clone())) {
            let part = Part::whole(exchange, Shape::RegionDetail);
            if part.text("region_id").is_some() {
                case.verify_value(&part.exchange, "region_id", id, part.get("region_id"));
            }
        }
    }
}

/// Looks whether `region_count` is the length of `regions`.
pub(super) fn verify_count(case: &mut Case<'_>, shape: Shape) {
    for part in parts(case, shape) {
        let count = part.number("region_count").filter(|count| count.fract() == 0.0);
        let entries = part.get("regions").and_then(Value::as_array).map(Vec::len);
        if let (Some(count), Some(entries)) = (count, entries) {
            let expected = format!("region_count: {entries}, as regions has entries");
            let got = format!("region_count: {count}");
            case.verify(&part.exchange, count == entries as f64, expected, got);
        }
    }
}
