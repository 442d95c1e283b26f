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
    pub(super) fn apply(self, text: &str, edition: &Edition) -> Option<String> {
        if matches!(self, Self::Null | Self::Missing | Self::String) {
            return self.change_first_cost(text);
        }
        let mut document: Value = serde_json::from_str(text).ok()?;
        if self == Self::Gap {
            document.get_mut("points")?.as_array_mut()?.remove(HISTORY_DAYS / 2);
        } else {
            extend(&mut document, edition);
        }
        Some(document_json(&document))
    }

    /// Replaces or removes the first cost of a document, which is never the first field of its object.
    fn change_first_cost(self, text: &str) -> Option<String> {
        let (before, _) = text.split_once("_cost_usd\":")?;
        let (before, field) = text.split_at(before.rfind(',')?);
        let (field, after) = field.split_at(1 + field[1..].find([',', '}'])?);
        let (name, cost) = field.split_once(':')?;
        Some(match self {
            Self::Missing => format!("{before}{after}"),
            Self::String => format!("{before}{name}:\"{cost}\"{after}"),
            _ => format!("{before}{name}:null{after}"),
        })
    }
}

pub(super) fn has_costs(route: &str) -> bool {
    const WITHOUT_COSTS: [&str; 3] = [paths::NETWORK, paths::REGIONS, paths::METADATA];
    route.starts_with(paths::PREFIX) && !WITHOUT_COSTS.contains(&route)
}

/// Extends a document as a later release might: every object has one more field, and a history begins a
/// day earlier.
fn extend(document: &mut Value, edition: &Edition) {
    let region_id = document["region_id"].as_str().unwrap_or_default();
    let scope = Scope::find(region_id, edition.model().registry());
    if let Some(points) = document.get_mut("points").and_then(Value::as_array_mut)
        && let Some(scope) = scope
        && let Ok(day) = edition.days().days_ago(7)
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
