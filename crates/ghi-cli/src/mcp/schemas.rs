//! The schemas of the tools, from the OpenAPI document.

use ghi_server::OPENAPI;
use serde_json::{Map, Value, json};

use crate::source::{COST_CURVE_CSV, ECONOMICS_CSV};

/// The prefix of references to schemas in the OpenAPI document, and its replacement in a standalone schema.
const COMPONENTS: &str = "#/components/schemas/";
const DEFS: &str = "#/$defs/";

/// The keywords that go beyond the contract. Other servers may not conform to them.
const OWN_RULES: [&str; 7] =
    ["exclusiveMinimum", "format", "maximum", "maxLength", "minimum", "minItems", "pattern"];

/// The OpenAPI document, reduced to the types and fields that every server has.
pub(super) struct Schemas(Value);

impl Schemas {
    pub(super) fn new() -> Result<Self, String> {
        let mut document: Value = serde_json::from_str(OPENAPI)
            .map_err(|error| format!("cannot read the OpenAPI document: {error}"))?;
        remove_own_rules(&mut document["components"]);
        Ok(Self(document))
    }

    /// Returns the schema of an object with the path and query parameters of an operation, and the
    /// parameters in `more`, which come from the economics table.
    pub(super) fn arguments(&self, path: &str, more: &[&str]) -> Value {
        let parameters = |path: &str| {
            let parameters = self.0["paths"][path]["get"]["parameters"].as_array();
            // The other parameters are headers.
            let is_argument = |it: &&Value| matches!(it["in"].as_str(), Some("path" | "query"));
            parameters.into_iter().flatten().filter(is_argument)
        };
        let is_more = |parameter: &&Value| {
            parameter["name"].as_str().is_some_and(|name| more.contains(&name))
        };
        let others = parameters(ECONOMICS_CSV).filter(is_more);
        let mut properties = Map::new();
        let mut required = Vec::new();
        for parameter in parameters(path).chain(others) {
            let Some(name) = parameter["name"].as_str() else { continue };
            let mut schema = parameter["schema"].clone();
            // Other servers may have other ids.
            schema.as_object_mut().map(|schema| schema.remove("pattern"));
            schema["description"] = parameter["description"].clone();
            properties.insert(name.into(), schema);
            if parameter["required"] == true {
                required.push(name);
            }
        }
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }

    /// Returns the schema of the result, including all schemas that it refers to.
    pub(super) fn result(&self, path: &str) -> Result<Value, String> {
        let response = &self.0["paths"][path]["get"]["responses"]["200"];
        if response["content"]["text/csv"].is_object() {
            let rows = json!({"type": "array", "items": {"type": "object"}});
            let mut schema =
                json!({"type": "object", "properties": {"rows": rows}, "required": ["rows"]});
            if path == COST_CURVE_CSV {
                for name in ["price_usd", "hashrate_below_price_pct"] {
                    schema["properties"][name] = json!({"type": "number"});
                }
            }
            return Ok(schema);
        }
        let schema = &response["content"]["application/json"]["schema"];
        let name = schema["$ref"].as_str().and_then(|name| name.strip_prefix(COMPONENTS));
        let name = name.ok_or_else(|| format!("the OpenAPI document has no schema for {path}"))?;
        let mut schema = self.component(name);
        let mut defs = Map::new();
        let mut wanted = references(&mut schema);
        while let Some(name) = wanted.pop() {
            if !defs.contains_key(&name) {
                let mut schema = self.component(&name);
                wanted.extend(references(&mut schema));
                defs.insert(name, schema);
            }
        }
        if !defs.is_empty() {
            schema["$defs"] = defs.into();
        }
        Ok(schema)
    }

    fn component(&self, name: &str) -> Value {
        self.0["components"]["schemas"][name].clone()
    }
}

/// Removes all keywords but types and fields. A property may have the name of a keyword, so objects are never
/// removed.
fn remove_own_rules(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.retain(|key, value| value.is_object() || !OWN_RULES.contains(&&**key));
            object.values_mut().for_each(remove_own_rules);
        }
        Value::Array(values) => values.iter_mut().for_each(remove_own_rules),
        _ => {}
    }
}

/// Redirects the references of a schema to `$defs`, and returns their names.
fn references(schema: &mut Value) -> Vec<String> {
    match schema {
        Value::Object(object) => {
            let mut names: Vec<String> = object.values_mut().flat_map(references).collect();
            if let Some(Value::String(reference)) = object.get_mut("$ref")
                && let Some(name) = reference.strip_prefix(COMPONENTS)
            {
                names.push(name.to_owned());
                *reference = format!("{DEFS}{name}");
            }
            names
        }
        Value::Array(values) => values.iter_mut().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standalone_schema_refers_only_to_itself() {
        let schemas = Schemas::new().unwrap();
        for (path, defs) in [
            ("/v1/ghi/snapshot", &["SnapshotRegion"][..]),
            ("/v1/ghi/history", &["HistoryPoint"]),
            ("/v1/ghi/network", &[]),
        ] {
            let schema = schemas.result(path).unwrap();
            assert_eq!(schema["type"], "object", "{path}");
            assert!(!schema.to_string().contains(COMPONENTS), "{schema}");
            let found: Vec<&str> = schema.get("$defs").map_or_else(Vec::new, |defs| {
                defs.as_object().unwrap().keys().map(|name| &**name).collect()
            });
            assert_eq!(found, defs, "{path}");
        }
    }

    #[test]
    fn result_schemas_have_only_the_types_and_fields_of_the_contract() {
        let schemas = Schemas::new().unwrap();
        let schema = schemas.result("/v1/ghi/history").unwrap();
        let document = json!({
            "version": "1.0", "timestamp_utc": "2026-11-15 12:00", "engine_sandbox_version": "x",
            "region_id": "US_West", "points": [], "added": true,
        });
        jsonschema::validate(&schema, &document).unwrap();
        assert!(!jsonschema::is_valid(&schema, &json!({"version": "1.0"})));
        let schema = schemas.arguments("/v1/ghi/regions/{id}", &[]);
        assert!(jsonschema::is_valid(&schema, &json!({"id": "US_West"})));
    }

    #[test]
    fn arguments_are_the_parameters_of_the_operation() {
        let schemas = Schemas::new().unwrap();
        let schema = schemas.arguments("/v1/ghi/forecast", &[]);
        let days = &schema["properties"]["forecast_days"];
        assert_eq!((&days["minimum"], &days["maximum"]), (&json!(1), &json!(365)));
        let schema = schemas.arguments("/v1/ghi/regions/{id}", &[]);
        assert_eq!(
            (&schema["required"], &schema["additionalProperties"]),
            (&json!(["id"]), &json!(false))
        );
        let schema = schemas.arguments("/v1/ghi/snapshot", &[]);
        assert_eq!(schema["properties"], json!({}));
    }
}
