//! Documents that are valid JSON but differ from the contract.

use ghi_contract::{HISTORY_DAYS, paths};
use ghi_engine::Scope;
use serde_json::Value;

use crate::edition::{Edition, document_json, history_point};

/// A change to a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alteration {
    /// The first cost is null, absent, or a string.
    Null,
    Missing,
    String,
    /// The document has additions, as a later release might.
    Extra,
    /// The history lacks a day.
    Gap,
}

impl Alteration {
    pub(crate) fn is_possible_on(self, route: &str) -> bool {
        match self {
            Self::Null | Self::Missing | Self::String => has_costs(route),
            Self::Extra => route.starts_with(paths::PREFIX),
            Self::Gap => route == paths::HISTORY,
        }
    }

    /// Returns a changed document of an edition, if it can be changed.
    pub(super) fn apply(self, text: &[u8], edition: &Edition) -> Option<String> {
        let mut document: Value = serde_json::from_slice(text).ok()?;
        let is_changed = match self {
            Self::Null => change_first_cost(&mut document, |_| Some(Value::Null)),
            Self::Missing => change_first_cost(&mut document, |_| None),
            Self::String => {
                change_first_cost(&mut document, |cost| Some(document_json(cost).into()))
            }
            Self::Gap => {
                let points = document.get_mut("points").and_then(Value::as_array_mut);
                points.map(|points| points.remove(HISTORY_DAYS / 2)).is_some()
            }
            Self::Extra => {
                extend(&mut document, edition);
                true
            }
        };
        is_changed.then(|| document_json(&document))
    }
}

pub(super) fn has_costs(route: &str) -> bool {
    const WITHOUT_COSTS: [&str; 3] = [paths::NETWORK, paths::REGIONS, paths::METADATA];
    route.starts_with(paths::PREFIX) && !WITHOUT_COSTS.contains(&route)
}

/// Replaces or removes the first cost of a document. Returns whether it has a cost.
fn change_first_cost(value: &mut Value, change: fn(&Value) -> Option<Value>) -> bool {
    match value {
        Value::Object(fields) => {
            let names: Vec<String> = fields.keys().cloned().collect();
            names.into_iter().any(|name| {
                if !name.ends_with("_cost_usd") {
                    return change_first_cost(&mut fields[&name], change);
                }
                match change(&fields[&name]) {
                    Some(changed) => fields.insert(name, changed),
                    None => fields.shift_remove(&name),
                };
                true
            })
        }
        Value::Array(values) => values.iter_mut().any(|value| change_first_cost(value, change)),
        _ => false,
    }
}

/// Extends a document as a later release might: every object has one more field, and a history begins a
/// day earlier.
fn extend(document: &mut Value, edition: &Edition) {
    let region_id = document["region_id"].as_str().unwrap_or_default();
    let scope = Scope::find(region_id, edition.model().registry());
    if let Some(points) = document.get_mut("points").and_then(Value::as_array_mut)
        && let Some(scope) = scope
        && let Ok(day) = edition.days().week_ago()
        && let Ok(point) = serde_json::to_value(history_point(day.date, &scope.costs(day)))
    {
        points.insert(0, point);
    }
    add_fields(document);
}

fn add_fields(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(add_fields);
            fields.insert("added_later".into(), true.into());
        }
        Value::Array(values) => values.iter_mut().for_each(add_fields),
        _ => {}
    }
}
