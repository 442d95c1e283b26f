//! The schemas of the tools, from the OpenAPI document.

use serde_json::{Map, Value, json};

use crate::openapi::DOCUMENT;
use crate::source::{COST_CURVE_CSV, ECONOMICS_CSV};

/// The prefix of references to schemas in the OpenAPI document.
const COMPONENTS: &str = "#/components/schemas/";

/// The keywords that go beyond the contract. Other servers may not conform to them.
const OWN_RULES: [&str; 7] =
    ["exclusiveMinimum", "format", "maximum", "maxLength", "minimum", "minItems", "pattern"];

/// Returns the schema of an object with the path and query parameters of an operation, and the
/// parameters in `more`, which come from the economics table.
pub(super) fn arguments(path: &str, more: &[&str]) -> Value {
    let parameters = |path: &str| {
        let parameters = DOCUMENT["paths"][path]["get"]["parameters"].as_array();
        // The other parameters are headers.
        let is_argument = |it: &&Value| matches!(it["in"].as_str(), Some("path" | "query"));
        parameters.into_iter().flatten().filter(is_argument)
    };
    let is_more =
        |parameter: &&Value| parameter["name"].as_str().is_some_and(|name| more.contains(&name));
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

/// Returns the schema of the result, with the types and fields that every server has.
pub(super) fn result(path: &str) -> Value {
    let response = &DOCUMENT["paths"][path]["get"]["responses"]["200"];
    if response["content"]["text/csv"].is_object() {
        let rows = json!({"type": "array", "items": {"type": "object"}});
        let mut schema =
            json!({"type": "object", "properties": {"rows": rows}, "required": ["rows"]});
        if path == COST_CURVE_CSV {
            for name in ["price_usd", "hashrate_below_price_pct"] {
                schema["properties"][name] = json!({"type": "number"});
            }
        }
        return schema;
    }
    resolved(&response["content"]["application/json"]["schema"])
}

/// Returns a schema with those that it refers to in place of the references. Of the keywords, only types and
/// fields are kept. A property may have the name of a keyword, so objects are never removed.
fn resolved(schema: &Value) -> Value {
    match schema {
        Value::Object(object) => {
            if let Some(name) = schema["$ref"].as_str().and_then(|at| at.strip_prefix(COMPONENTS)) {
                return resolved(&DOCUMENT["components"]["schemas"][name]);
            }
            let is_kept = |(key, value): &(&String, &Value)| {
                value.is_object() || !OWN_RULES.contains(&key.as_str())
            };
            let resolved = |(key, value): (&String, &Value)| (key.clone(), resolved(value));
            Value::Object(object.iter().filter(is_kept).map(resolved).collect())
        }
        Value::Array(values) => values.iter().map(resolved).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standalone_schema_has_no_references() {
        for path in ["/v1/ghi/snapshot", "/v1/ghi/history", "/export/explain.json"] {
            let schema = result(path);
            assert_eq!(schema["type"], "object", "{path}");
            assert!(!schema.to_string().contains("$ref"), "{schema}");
        }
        let point = result("/v1/ghi/history")["properties"]["points"]["items"].take();
        assert_eq!(point["properties"]["date"]["type"], "string");
    }

    #[test]
    fn result_schemas_have_only_the_types_and_fields_of_the_contract() {
        let schema = result("/v1/ghi/history");
        let document = json!({
            "version": "1.0", "timestamp_utc": "2026-11-15 12:00", "engine_sandbox_version": "x",
            "region_id": "US_West", "points": [], "added": true,
        });
        jsonschema::validate(&schema, &document).unwrap();
        assert!(!jsonschema::is_valid(&schema, &json!({"version": "1.0"})));
        let schema = arguments("/v1/ghi/regions/{id}", &[]);
        assert!(jsonschema::is_valid(&schema, &json!({"id": "US_West"})));
    }

    #[test]
    fn arguments_are_the_parameters_of_the_operation() {
        let schema = arguments("/v1/ghi/forecast", &[]);
        let days = &schema["properties"]["forecast_days"];
        assert_eq!((&days["minimum"], &days["maximum"]), (&json!(1), &json!(365)));
        let schema = arguments("/v1/ghi/regions/{id}", &[]);
        assert_eq!(
            (&schema["required"], &schema["additionalProperties"]),
            (&json!(["id"]), &json!(false))
        );
        let schema = arguments("/v1/ghi/snapshot", &[]);
        assert_eq!(schema["properties"], json!({}));
    }
}
