//! The OpenAPI 3.0 document has the same content as the 3.1 document.

use jsonschema::{Draft, Validator};
use serde_json::{Value, json};

use crate::openapi::{DOCUMENT, resolve};

fn translated() -> Value {
    serde_json::from_str(&ghi_server::OPENAPI_3_0).unwrap()
}

/// Removes the schemas from a part of the document.
fn take_schemas(part: &mut Value, taken: &mut Vec<Value>) {
    match part {
        Value::Array(parts) => parts.iter_mut().for_each(|part| take_schemas(part, taken)),
        Value::Object(members) => {
            for (key, value) in members {
                match &**key {
                    "schema" => taken.push(value.take()),
                    "schemas" => taken.extend(value.take().as_object().unwrap().values().cloned()),
                    "example" | "examples" => {}
                    _ => take_schemas(value, taken),
                }
            }
        }
        _ => {}
    }
}

/// Checks that a schema uses only keywords of OpenAPI 3.0.
#[track_caller]
fn check(schema: &Value) {
    let keywords = schema.as_object().unwrap();
    for (keyword, value) in keywords {
        match &**keyword {
            "type" => assert!(value.is_string(), "{schema}"),
            "exclusiveMinimum" => {
                assert!(value.is_boolean() && schema["minimum"].is_number(), "{schema}");
            }
            "$ref" => assert_eq!(keywords.len(), 1, "{schema}"),
            "properties" => value.as_object().unwrap().values().for_each(check),
            "items" => check(value),
            "nullable" => assert!(value.is_boolean(), "{schema}"),
            known => {
                let same = ["description", "required", "format", "pattern", "minimum", "maximum"];
                let too = ["minItems", "maxLength", "default", "enum", "example"];
                assert!(same.contains(&known) || too.contains(&known), "{known} of {schema}");
            }
        }
    }
}

#[test]
fn version_3_0_has_the_same_content() {
    let (mut old, mut new) = (translated(), DOCUMENT.clone());
    assert_eq!(old["openapi"].take(), "3.0.3");
    assert_eq!(new["openapi"].take(), "3.1.0");
    assert!(new["info"]["license"].as_object_mut().unwrap().remove("identifier").is_some());
    let (mut old_schemas, mut new_schemas) = (Vec::new(), Vec::new());
    take_schemas(&mut old, &mut old_schemas);
    take_schemas(&mut new, &mut new_schemas);
    assert_eq!(old, new);
    assert_eq!(old_schemas.len(), new_schemas.len());
    assert!(old_schemas.len() > 50, "{}", old_schemas.len());
    old_schemas.iter().for_each(check);
}

#[test]
fn schemas_of_version_3_0_accept_and_reject_the_same_documents() {
    let document = translated();
    let names = |document: &Value| {
        let schemas = document["components"]["schemas"].as_object().unwrap();
        schemas.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(names(&document), names(&DOCUMENT));
    let validator = |reference: &str| -> Validator {
        let schema = json!({
            "allOf": [{"$ref": reference}],
            "components": document["components"],
        });
        // The schemas follow that draft as far as they use it.
        jsonschema::options().with_draft(Draft::Draft4).build(&schema).unwrap()
    };
    let mut examples = 0;
    for item in DOCUMENT["paths"].as_object().unwrap().values() {
        for response in item["get"]["responses"].as_object().unwrap().values() {
            for content in resolve(response)["content"].as_object().into_iter().flatten() {
                let Some(reference) = content.1["schema"]["$ref"].as_str() else { continue };
                let validator = validator(reference);
                for example in content.1["examples"].as_object().unwrap().values() {
                    assert!(validator.is_valid(&example["value"]), "{example}");
                    examples += 1;
                    for (field, value) in example["value"].as_object().unwrap() {
                        let mut spoilt = example["value"].clone();
                        spoilt[field] = if value.is_number() { json!(-1) } else { json!(true) };
                        assert!(!validator.is_valid(&spoilt), "{field} of {spoilt}");
                    }
                }
            }
        }
    }
    assert!(examples > 50, "{examples}");
}
