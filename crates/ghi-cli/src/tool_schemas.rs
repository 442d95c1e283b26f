//! The schemas of the tools, out of the OpenAPI document.

use ghi_server::OPENAPI;
use serde_json::{Map, Value, json};

/// What a reference to a schema of the OpenAPI document starts with, and what takes its place where
/// the schema stands alone.
const COMPONENTS: &str = "#/components/schemas/";
const DEFS: &str = "#/$defs/";

/// The OpenAPI document.
pub(crate) struct Schemas(Value);

impl Schemas {
    pub(crate) fn read() -> Result<Self, String> {
        let document = serde_json::from_str(OPENAPI);
        document.map(Self).map_err(|error| format!("cannot read the OpenAPI document: {error}"))
    }

    /// What can be asked for below a path.
    pub(crate) fn operation(&self, path: &str) -> Result<Operation<'_>, String> {
        match &self.0["paths"][path]["get"] {
            Value::Null => Err(format!("the OpenAPI document has no {path}")),
            operation => Ok(Operation { operation, document: &self.0 }),
        }
    }
}

/// An operation of the OpenAPI document.
pub(crate) struct Operation<'a> {
    operation: &'a Value,
    document: &'a Value,
}

impl Operation<'_> {
    /// An object with the parameters of path and query, and no other.
    pub(crate) fn input_schema(&self) -> Map<String, Value> {
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
    pub(crate) fn output_schema(&self) -> Result<Map<String, Value>, String> {
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
        let schemas = Schemas::read().unwrap();
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
    fn arguments_are_the_parameters_of_the_operation() {
        let schemas = Schemas::read().unwrap();
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
