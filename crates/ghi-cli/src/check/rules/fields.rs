//! Section 2: the fields of each object. A figure that is no number breaks a rule of its own.

use serde_json::Value;

use crate::check::case::Case;
use crate::check::exchange::{shown, shown_value};
use crate::check::fields::{FULL_FORM, Shape, Type, is_number_or_null};
use crate::check::parts::{Part, all_parts, parts};
use crate::check::rule::{Rule, contract, strict};

pub(super) const RULES: &[Rule] = &[
    contract("metadata-fields", "2", "The metadata has its seven fields.", |case| {
        verify_fields(case, Shape::Metadata);
    }),
    contract("regions-fields", "2", "The list of regions has its five fields.", |case| {
        verify_fields(case, Shape::Regions);
    }),
    contract("region-fields", "2", "Each entry of the registry has an id and a name.", |case| {
        verify_fields(case, Shape::Region);
    }),
    contract("region-detail-fields", "2", "The region detail has its eight fields.", |case| {
        verify_fields(case, Shape::RegionDetail);
    }),
    contract(
        "snapshot-fields",
        "2",
        "The snapshot has the three fields of the envelope and three global costs.",
        |case| verify_fields(case, Shape::Snapshot),
    ),
    contract(
        "snapshot-form",
        "2",
        "The snapshot has both `region_count` and `regions`, or neither of them.",
        snapshot_form,
    ),
    contract(
        "snapshot-region-fields",
        "2",
        "Each region of the snapshot has its seven fields.",
        |case| verify_fields(case, Shape::SnapshotRegion),
    ),
    contract("history-fields", "2", "The history has its five fields.", |case| {
        verify_fields(case, Shape::History);
    }),
    contract("history-point-fields", "2", "Each point of a history has its five fields.", |case| {
        verify_fields(case, Shape::HistoryPoint);
    }),
    contract("network-fields", "2", "The network metrics have their six fields.", |case| {
        verify_fields(case, Shape::Network);
    }),
    contract("forecast-fields", "2", "The forecast has its five fields.", |case| {
        verify_fields(case, Shape::Forecast);
    }),
    strict(
        "no-further-fields",
        "2",
        "No object has fields beyond the contract's.",
        no_further_fields,
    ),
];

fn verify_fields(case: &mut Case<'_>, shape: Shape) {
    for part in parts(case, shape) {
        verify_fields_of(case, &part);
    }
}

/// Looks whether an object has its fields, of their types.
pub(super) fn verify_fields_of(case: &mut Case<'_>, part: &Part) {
    if part.object().is_none() {
        let (at, value) = part.place();
        let got = format!("{at}: {}", shown_value(value));
        case.verify(&part.exchange, false, format_args!("{at}: an object"), got);
        return;
    }
    for (field, of_type) in part.shape.fields() {
        let value = part.get(field);
        let is_right = value.is_some_and(|value| is_right(*of_type, value));
        let at = part.at(field);
        let got = format!("{at}: {}", shown_value(value));
        case.verify(&part.exchange, is_right, format_args!("{at}: {}", of_type.name()), got);
    }
}

/// Whether a value is of its type, or breaks the rule that figures are numbers.
fn is_right(of_type: Type, value: &Value) -> bool {
    of_type.is(value) || of_type.is_numeric() && !is_number_or_null(value)
}

fn snapshot_form(case: &mut Case<'_>) {
    for part in parts(case, Shape::Snapshot) {
        let values = FULL_FORM.map(|(field, of_type)| (field, of_type, part.get(field)));
        let is_reduced = values.iter().all(|(.., value)| value.is_none());
        for (field, of_type, value) in values {
            let is_right = is_reduced || value.is_some_and(|value| is_right(of_type, value));
            let expected = format!("{field}: {}, or neither of the two", of_type.name());
            let got = format!("{field}: {}", shown_value(value));
            case.verify(&part.exchange, is_right, expected, got);
        }
    }
}

fn no_further_fields(case: &mut Case<'_>) {
    for part in all_parts(case) {
        // That the region detail lacks the engine's version is a rule of the contract.
        let is_judged =
            |name: &str| part.shape == Shape::RegionDetail && name == "engine_sandbox_version";
        let mut names = part.object().into_iter().flatten().map(|(name, _)| name);
        let further = names.find(|name| !part.shape.knows(name) && !is_judged(name));
        let got = further.map(|name| format!("also {}", shown(&part.at(name))));
        let expected = "no fields beyond the contract's";
        case.verify(&part.exchange, further.is_none(), expected, got.unwrap_or_default());
    }
}
