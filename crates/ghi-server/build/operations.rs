//! The operations of the OpenAPI document as a readable list, in Markdown.

use std::error::Error;

use serde_json::Value;

/// Lists every operation, by tag, and then once the headers that most of them accept.
pub(crate) fn operations(openapi: &str) -> Result<String, Box<dyn Error>> {
    let document: Value = serde_json::from_str(openapi)?;
    let mut list = String::new();
    for tag in elements(&document["tags"]) {
        list += &format!("## {}\n\n{}\n\n", text(&tag["name"]), text(&tag["description"]));
        for (path, item) in document["paths"].as_object().into_iter().flatten() {
            let operation = &item["get"];
            if operation["tags"][0] == tag["name"] {
                list += &of_operation(&document, path, operation);
            }
        }
    }
    list += "## Request headers\n\n";
    for header in document["components"]["parameters"].as_object().into_iter().flatten() {
        list +=
            &format!("### `{}`\n\n{}\n\n", text(&header.1["name"]), text(&header.1["description"]));
    }
    Ok(list)
}

fn of_operation(document: &Value, path: &str, operation: &Value) -> String {
    let [summary, description] = ["summary", "description"].map(|name| text(&operation[name]));
    let mut list = format!("### `GET {path}`\n\n**{summary}.** {description}\n\n");
    for parameter in elements(&operation["parameters"]) {
        let parameter = resolved(document, parameter);
        let name = text(&parameter["name"]);
        // Headers are described once, below.
        if parameter["in"] != "header" {
            let place = text(&parameter["in"]);
            list += &format!("- `{name}`, in the {place}: {}\n", text(&parameter["description"]));
        }
    }
    let responses = operation["responses"].as_object().into_iter().flatten();
    let answers: Vec<String> = responses
        .map(|(status, response)| {
            format!("`{status}` {}", text(&resolved(document, response)["description"]))
        })
        .collect();
    format!("{list}\nResponses: {}.\n\n", answers.join(" · "))
}

/// Returns the value that a reference points to.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let target = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    target.and_then(|pointer| document.pointer(pointer)).unwrap_or(value)
}

fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
