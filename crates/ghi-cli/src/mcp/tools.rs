//! The tools: their descriptions and arguments from the OpenAPI document, and the documents they request.

use ghi_client::{Resource, with_query};
use ghi_contract::paths;
use ghi_engine::{listed, visible};
use rmcp::model::{JsonObject, Tool, ToolAnnotations, object};
use serde_json::{Map, Value, json};

use crate::reference::DOCUMENT;
use crate::show::table::Table;
use crate::source::{
    COST_CURVE_CSV, DocumentSource, ECONOMICS_CSV, EXPLAIN_JSON, FORECAST_CSV, FORECAST_SCORE_CSV,
    parse_document, verify_memory,
};

/// The maximum number of characters of a name of an argument, tool or method in a message.
pub(super) const NAME_MAX: usize = 64;

/// The limit on the estimated memory of a document in bytes. A snapshot of 256 regions takes 0.6 MB.
const MEMORY_MAX: usize = 11_000_000;

/// A tool, named after the document that it returns.
pub(super) struct DocumentTool {
    name: &'static str,
    /// The path of its operation in the OpenAPI document, which describes it and its arguments.
    path: &'static str,
}

const fn tool(name: &'static str, path: &'static str) -> DocumentTool {
    DocumentTool { name, path }
}

pub(super) const TOOLS: [DocumentTool; 12] = [
    tool("snapshot", paths::SNAPSHOT),
    tool("history", paths::HISTORY),
    tool("region", paths::REGION_DETAIL),
    tool("regions", paths::REGIONS),
    tool("network", paths::NETWORK),
    tool("forecast", paths::FORECAST),
    tool("past_forecasts", FORECAST_CSV),
    tool("forecast_score", FORECAST_SCORE_CSV),
    tool("metadata", paths::METADATA),
    tool("explain", EXPLAIN_JSON),
    tool("cost_curve", COST_CURVE_CSV),
    tool("economics", ECONOMICS_CSV),
];

impl DocumentTool {
    pub(super) fn find(name: &str) -> Result<&'static Self, String> {
        let tool = TOOLS.iter().find(|tool| tool.name == name);
        tool.ok_or_else(|| format!("unknown tool '{}'", visible(name, NAME_MAX)))
    }

    /// Returns whether the document lists every region and may take megabytes.
    pub(super) fn is_large(&self) -> bool {
        let large = ["snapshot", "regions", "explain", "cost_curve", "economics", "past_forecasts"];
        large.contains(&self.name)
    }

    /// Describes the tool and the kind of its data for assistants.
    pub(super) fn described(&self, data: &str) -> Tool {
        let text = |key: &str| self.operation()[key].as_str().unwrap_or_default();
        let (title, description) = (text("summary"), text("description"));
        let description = format!("{title}. {description} {data}.");
        let annotations = ToolAnnotations::new().read_only(true).destructive(false);
        Tool::new(self.name, description, self.arguments_schema())
            .with_title(title)
            .with_annotations(annotations.idempotent(true).open_world(false))
    }

    /// Returns its operation in the OpenAPI document.
    fn operation(&self) -> &'static Value {
        &DOCUMENT["paths"][self.path]["get"]
    }

    /// Returns the parameters of its operation. The cost curve is compared with a price of the economics.
    fn parameters(&self) -> impl Iterator<Item = &'static Value> {
        let economics = DOCUMENT["paths"][ECONOMICS_CSV]["get"]["parameters"].as_array();
        let price = economics.into_iter().flatten().filter(|it| it["name"] == "price");
        let price = price.filter(|_| self.path == COST_CURVE_CSV);
        let own = self.operation()["parameters"].as_array().into_iter().flatten();
        // The other parameters are headers.
        own.filter(|it| matches!(it["in"].as_str(), Some("path" | "query"))).chain(price)
    }

    fn arguments_schema(&self) -> JsonObject {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for parameter in self.parameters() {
            let name = parameter["name"].as_str().unwrap_or_default();
            let mut schema = parameter["schema"].clone();
            // Other servers may have other ids.
            schema.as_object_mut().map(|schema| schema.remove("pattern"));
            schema["description"] = parameter["description"].clone();
            properties.insert(name.into(), schema);
            required.extend((parameter["required"] == true).then_some(name));
        }
        object(json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }))
    }

    /// Fetches the document that a call with these arguments requests.
    pub(super) async fn fetch(
        &self,
        source: &DocumentSource,
        arguments: JsonObject,
    ) -> Result<Value, String> {
        let given = self.given(arguments)?;
        let get = |name| given.iter().find(|(given, _)| *given == name).and_then(|it| it.1.clone());
        let target = match self.path {
            COST_CURVE_CSV => {
                let curve = Table::fetch_cost_curve(source, get("date"), get("price"));
                return Ok(curve.await?.json());
            }
            paths::REGION_DETAIL => {
                let id = get("id").filter(|id| !id.is_empty());
                Resource::RegionDetail(id.ok_or("id is missing; regions lists the ids")?).target()
            }
            path => with_query(path, given),
        };
        if self.path.ends_with(".csv") {
            return Ok(Table::fetch(source, &target).await?.json());
        }
        let text = source.file(&target).await?;
        verify_memory(&text, MEMORY_MAX)?;
        let mut document: JsonObject = parse_document(&text)?;
        // A server's documents don't give reasons.
        let reasons = source.outlook();
        if self.path == paths::FORECAST && !reasons.is_empty() {
            document.insert("reasons".into(), reasons.into());
        }
        Ok(document.into())
    }

    /// Returns the arguments of a call as they are written in a query. Many assistants send null for an omitted
    /// argument, and 7.0 is an integer too, as in JSON Schema.
    fn given(&self, arguments: JsonObject) -> Result<Vec<(&'static str, Option<String>)>, String> {
        let known = self.parameters().filter_map(|it| Some((it["name"].as_str()?, it)));
        let known: Vec<(&'static str, &'static Value)> = known.collect();
        let mut given = Vec::new();
        for (name, value) in arguments {
            let Some((name, parameter)) = known.iter().find(|known| known.0 == name) else {
                let names: Vec<&str> = known.iter().map(|known| known.0).collect();
                let takes = if names.is_empty() { "none".into() } else { listed(&names) };
                let name = visible(&name, NAME_MAX);
                return Err(format!("{} has no argument {name}; it takes {takes}", self.name));
            };
            let text = match value {
                Value::Null => continue,
                Value::String(text) => text,
                Value::Number(number) => number.as_f64().unwrap_or_default().to_string(),
                _ => {
                    let text = |value: &'static Value| value.as_str().unwrap_or_default();
                    let kind = text(&parameter["schema"]["type"]);
                    let description = text(&parameter["description"]);
                    return Err(format!("{name} must be of type {kind}: {description}"));
                }
            };
            given.push((*name, Some(text)));
        }
        Ok(given)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use ghi_contract::GLOBAL;

    use crate::source::SourceArgs;

    use super::*;

    fn find(name: &str) -> &'static DocumentTool {
        DocumentTool::find(name).unwrap()
    }

    #[derive(clap::Parser)]
    struct SourceOnly {
        #[command(flatten)]
        source: SourceArgs,
    }

    /// Calls a tool of the built-in engine.
    async fn call(name: &str, arguments: Value) -> Result<Value, String> {
        let args = SourceOnly::parse_from(["ghi", "--at", "2026-11-15T12:00:00Z"]);
        let source = DocumentSource::open(&args.source).unwrap();
        find(name).fetch(&source, object(arguments)).await
    }

    #[tokio::test]
    async fn missing_and_null_arguments_default() {
        for arguments in [json!({}), json!({"region_id": null})] {
            for name in ["history", "explain"] {
                assert_eq!(call(name, arguments.clone()).await.unwrap()["region_id"], GLOBAL);
            }
        }
    }

    #[tokio::test]
    async fn a_horizon_is_an_integer_from_1_to_365() {
        for (value, days) in [(json!(1), 1), (json!(365), 365), (json!(7.0), 7)] {
            let forecast = call("forecast", json!({"forecast_days": value})).await.unwrap();
            assert_eq!(forecast["forecast_days"], days);
        }
        for value in [json!(0), json!(366), json!(-1), json!(1.5), json!(65543)] {
            let error = call("forecast", json!({"forecast_days": value})).await.unwrap_err();
            assert!(error.starts_with("forecast_days must be a whole number from 1 to 365,"));
        }
    }

    #[test]
    fn arguments_of_the_wrong_name_or_type_are_errors() {
        for tool in &TOOLS {
            let error = tool.given(object(json!({"frobnicate": 1}))).unwrap_err();
            assert!(error.contains("has no argument frobnicate; it takes "), "{error}");
            for name in tool.arguments_schema()["properties"].as_object().unwrap().keys() {
                let error = tool.given(object(json!({name: []}))).unwrap_err();
                let start = format!("{name} must be of type ");
                assert!(error.starts_with(&start) && error.ends_with('.'), "{error}");
            }
        }
    }

    #[test]
    fn arguments_may_be_ids_of_other_servers() {
        let schema = Value::Object(find("region").arguments_schema());
        assert!(jsonschema::is_valid(&schema, &json!({"id": "US_West"})));
    }

    #[test]
    fn arguments_are_the_parameters_of_the_operation() {
        let schema = find("forecast").arguments_schema();
        let days = &schema["properties"]["forecast_days"];
        assert_eq!((&days["minimum"], &days["maximum"]), (&json!(1), &json!(365)));
        let schema = find("region").arguments_schema();
        assert_eq!(
            (&schema["required"], &schema["additionalProperties"]),
            (&json!(["id"]), &json!(false))
        );
        assert_eq!(find("snapshot").arguments_schema()["properties"], json!({}));
        let names = find("economics").arguments_schema()["properties"].as_object().unwrap().len();
        assert_eq!(names, 5);
    }
}
