//! Converts the OpenAPI document to version 3.0.3, for generators without OpenAPI 3.1 support.
//!
//! Translates everything that the two versions express differently. An unknown keyword fails the build,
//! because a half-translated document would mislead generators of clients.

use std::error::Error;

use serde_json::{Map, Value};

/// The keywords of a schema that mean the same in both versions.
const SAME: [&str; 11] = [
    "type",
    "description",
    "required",
    "format",
    "pattern",
    "minimum",
    "maximum",
    "minItems",
    "maxLength",
    "default",
    "enum",
];

/// Returns the same document as version 3.0.3, as text.
pub(crate) fn oas30(document: &str) -> Result<String, Box<dyn Error>> {
    let mut document: Value = serde_json::from_str(document)?;
    document["openapi"] = "3.0.3".into();
    // The name is the same expression.
    if let Some(license) = document["info"]["license"].as_object_mut() {
        license.remove("identifier");
    }
    for schema in members(&mut document["components"]["schemas"]) {
        translate(schema)?;
    }
    translate_within(&mut document["components"])?;
    translate_within(&mut document["paths"])?;
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

/// Translates every schema of a parameter, header or content within a part of the document.
fn translate_within(part: &mut Value) -> Result<(), Box<dyn Error>> {
    if let Value::Array(parts) = part {
        return parts.iter_mut().try_for_each(translate_within);
    }
    for (key, value) in part.as_object_mut().into_iter().flatten() {
        match &**key {
            "schema" => translate(value)?,
            // Examples of responses, which may have any field.
            "example" | "examples" => {}
            // Named schemas are translated by their names.
            "schemas" => {}
            _ => translate_within(value)?,
        }
    }
    Ok(())
}

/// Translates a schema, and the schemas it consists of.
fn translate(schema: &mut Value) -> Result<(), Box<dyn Error>> {
    let schema = schema.as_object_mut().ok_or("a schema is a boolean; expected an object")?;
    if schema.contains_key("$ref") {
        // A reference must be alone; the schema that it refers to has its own description.
        schema.remove("description");
    }
    let mut translated = Map::new();
    let is_reference = schema.len() == 1;
    for (keyword, mut value) in std::mem::take(schema) {
        match &*keyword {
            "type" if !value.is_string() => {
                let types = value.as_array().map(Vec::as_slice);
                let Some([Value::String(kind), Value::String(null)]) = types else {
                    return Err("a schema has many types".into());
                };
                if null != "null" {
                    return Err("a schema has two types".into());
                }
                translated.insert("nullable".into(), true.into());
                value = kind.as_str().into();
            }
            "$ref" if is_reference => {}
            "properties" => members(&mut value).try_for_each(translate)?,
            "items" => translate(&mut value)?,
            "examples" => {
                let first = value.get_mut(0).ok_or("a schema has an empty list of examples")?;
                translated.insert("example".into(), first.take());
                continue;
            }
            "exclusiveMinimum" => {
                translated.insert("minimum".into(), value);
                value = true.into();
            }
            same if SAME.contains(&same) => {}
            other => {
                return Err(
                    format!("no OpenAPI 3.0 translation for the schema keyword `{other}`").into()
                );
            }
        }
        translated.insert(keyword, value);
    }
    *schema = translated;
    Ok(())
}

/// Returns the values of an object.
fn members(object: &mut Value) -> impl Iterator<Item = &mut Value> {
    object.as_object_mut().into_iter().flat_map(Map::values_mut)
}
