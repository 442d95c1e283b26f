//! The schemas of the tools, out of the OpenAPI document.

use ghi_server::OPENAPI;
use serde_json::{Map, Value, json};

/// What a reference to a schema of the OpenAPI document starts with, and what takes its place where
/// the schema stands alone.
const COMPONENTS: &str = "#/components/schemas/";
const DEFS: &str = "#/$defs/";

/// What our schemas say of values, beside the contract.
const OF_VALUES: [&str; 7] =
    ["exclusiveMinimum", "format", "maximum", "maxLength", "minimum", "minItems", "pattern"];

/// The OpenAPI document, as far as a source keeps to it.
pub(super) struct Schemas(Value);

impl Schemas {
    /// What this server takes and gives.
    pub(super) fn of_this_server() -> Result<Self, String> {
        let document = serde_json::from_str(OPENAPI);
        document.map(Self).map_err(|error| format!("cannot read the OpenAPI document: {error}"))
    }

    /// What any deployment takes and gives: it promises the contract, not what this server adds.
    pub(super) fn of_any_deployment() -> Result<Self, String> {
        let Self(mut document) = Self::of_this_server()?;
        forget_values(&mut document);
        Ok(Self(document))
    }

    /// What can be asked for below a path.
    pub(super) fn operation(&self, path: &str) -> Result<Operation<'_>, String> {
        match &self.0["paths"][path]["get"] {
            Value::Null => Err(format!("the OpenAPI document has no {path}")),
            operation => Ok(Operation { operation, document: &self.0 }),
        }
    }
}

/// An operation of the OpenAPI document.
pub(super) struct Operation<'a> {
    operation: &'a Value,
    document: &'a Value,
}

impl Operation<'_> {
    /// An object with the parameters of path and query, and no other.
    pub(super) fn input_schema(&self) -> Map<String, Value> {
        let parameters = self.operation["parameters"].as_array().map_or(&[][..], Vec::as_slice);
        // Headers are of HTTP.
        let parameters = parameters
            .iter()
            .filter(|parameter| matches!(parameter["in"].as_str(), Some("path" | "query")));
        let mut properties = Map::new();
        let mut required = Vec::new();
        for parameter in parameters {
            let Some(name) = parameter["name"].as_str() else { continue };
            let mut schema = parameter["schema"].clone();
            schema["description"] = parameter["description"].clone();
            properties.insert(name.into(), schema);
            if parameter["required"] == true {
                required.push(name);
            }
        }
        object(json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }))
    }

    /// The schema of the answer, with all that it refers to.
    pub(super) fn output_schema(&self) -> Result<Map<String, Value>, String> {
        let schema = &self.operation["responses"]["200"]["content"]["application/json"]["schema"];
        let name = schema["$ref"].as_str().and_then(|name| name.strip_prefix(COMPONENTS));
        let name = name.ok_or("the OpenAPI document has an answer without a schema")?;
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
        Ok(object(schema))
    }

    fn component(&self, name: &str) -> Value {
        self.document["components"]["schemas"][name].clone()
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// Leaves types and fields. A property may be called like a rule, so that only what is no object goes.
fn forget_values(document: &mut Value) {
    match document {
        Value::Object(object) => {
            object.retain(|key, value| value.is_object() || !OF_VALUES.contains(&&**key));
            object.values_mut().for_each(forget_values);
        }
        Value::Array(values) => values.iter_mut().for_each(forget_values),
        _ => {}
    }
}

/// The names of the schemas that one refers to, each of them from now on in `$defs`.
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
    fn a_schema_that_stands_alone_refers_to_nothing_else() {
        let schemas = Schemas::of_this_server().unwrap();
        for (path, defs) in [
            ("/v1/ghi/snapshot", &["SnapshotRegion"][..]),
            ("/v1/ghi/history", &["HistoryPoint"]),
            ("/v1/ghi/network", &[]),
        ] {
            let schema = schemas.operation(path).unwrap().output_schema().unwrap();
            assert_eq!(schema["type"], "object", "{path}");
            let text = Value::Object(schema.clone()).to_string();
            assert!(!text.contains(COMPONENTS), "{text}");
            let found: Vec<&str> = schema.get("$defs").map_or_else(Vec::new, |defs| {
                defs.as_object().unwrap().keys().map(|name| &**name).collect()
            });
            assert_eq!(found, defs, "{path}");
        }
    }

    #[test]
    fn of_any_deployment_only_types_and_fields_are_expected() {
        let schemas = Schemas::of_any_deployment().unwrap();
        let schema = schemas.operation("/v1/ghi/history").unwrap().output_schema().unwrap();
        let document = json!({
            "version": "1.0", "timestamp_utc": "2026-11-15 12:00", "engine_sandbox_version": "x",
            "region_id": "US_West", "points": [], "added": true,
        });
        jsonschema::validate(&schema.clone().into(), &document).unwrap();
        assert!(!jsonschema::is_valid(&schema.into(), &json!({"version": "1.0"})));
        let schema = schemas.operation("/v1/ghi/regions/{id}").unwrap().input_schema();
        assert!(jsonschema::is_valid(&schema.into(), &json!({"id": "US_West"})));
    }

    #[test]
    fn arguments_are_the_parameters_of_the_operation() {
        let schemas = Schemas::of_this_server().unwrap();
        let schema = schemas.operation("/v1/ghi/forecast").unwrap().input_schema();
        let days = &schema["properties"]["forecast_days"];
        assert_eq!((&days["minimum"], &days["maximum"]), (&json!(1), &json!(365)));
        let schema = schemas.operation("/v1/ghi/regions/{id}").unwrap().input_schema();
        assert_eq!(
            (&schema["required"], &schema["additionalProperties"]),
            (&json!(["id"]), &json!(false))
        );
        let schema = schemas.operation("/v1/ghi/snapshot").unwrap().input_schema();
        assert_eq!(schema["properties"], json!({}));
    }
}
