//! The tools: their descriptions, their schemas from the OpenAPI document, and the documents they request.

use ghi_client::{Resource, with_query};
use ghi_contract::{GLOBAL, paths};
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

/// The maximum length of a region id in bytes: longer than on any server.
const ID_MAX: usize = 256;

/// The limit on the estimated memory of a document in bytes. A snapshot of 256 regions takes 0.6 MB.
const MEMORY_MAX: usize = 11_000_000;

/// The keywords of schemas that go beyond the contract. Other servers may not conform to them.
const OWN_RULES: [&str; 7] =
    ["exclusiveMinimum", "format", "maximum", "maxLength", "minimum", "minItems", "pattern"];

/// A tool, named after the document that it returns.
pub(super) struct DocumentTool {
    name: &'static str,
    /// The path of its operation in the OpenAPI document, which has its title, arguments and result.
    path: &'static str,
    description: &'static str,
}

pub(super) const TOOLS: [DocumentTool; 12] = [
    DocumentTool {
        name: "snapshot",
        path: paths::SNAPSHOT,
        description: "Today's cost of mining one coin, in USD: minimum, average and maximum, worldwide and in every region. Use it for current costs and to compare regions.",
    },
    DocumentTool {
        name: "history",
        path: paths::HISTORY,
        description: "The daily cost of mining one coin, in USD, for the last seven days including today: minimum, average and maximum, worldwide or in one region. Use it to see how costs have changed.",
    },
    DocumentTool {
        name: "region",
        path: paths::REGION_DETAIL,
        description: "Today's cost of mining one coin in one region, in USD, and the region's share of the hashrate in percent.",
    },
    DocumentTool {
        name: "regions",
        path: paths::REGIONS,
        description: "The ids and names of all regions. Use it to find the ids that other tools accept.",
    },
    DocumentTool {
        name: "network",
        path: paths::NETWORK,
        description: "The mining network today: hashrate in EH/s, difficulty, and mean transaction fee in USD.",
    },
    DocumentTool {
        name: "forecast",
        path: paths::FORECAST,
        description: "The predicted worldwide average cost of mining one coin, in USD. Unless it is based on dated series, it is the same for every horizon.",
    },
    DocumentTool {
        name: "past_forecasts",
        path: FORECAST_CSV,
        description: "Forecasts of the worldwide average cost in USD, one row per day on which a forecast was made: the expected average, the ends of its 80% interval and, once it is known, the actual average with the error in percent. Defaults to the last 365 days. With from and to set to one day, forecast_days may be a range such as \"1-90\". Use it for the interval of today's forecast.",
    },
    DocumentTool {
        name: "forecast_score",
        path: FORECAST_SCORE_CSV,
        description: "How good the forecasts were that have come due, by horizon in days: the mean error in percent, that of repeating the day's average, the first divided by the second, and how many percent of the actual averages were inside the 80% interval. from and to limit the days on which the forecasts were made.",
    },
    DocumentTool {
        name: "metadata",
        path: paths::METADATA,
        description: "The environment, API versions and endpoints of the service. It has no costs.",
    },
    DocumentTool {
        name: "explain",
        path: EXPLAIN_JSON,
        description: "How a day's cost is calculated from its inputs, step by step with the numbers: difficulty, block reward, hardware efficiency, electricity price and overhead, and the contribution of each region to the worldwide average. With since, also the change in the average since that day, split into its factors. Use it to explain why a cost is what it is, and why it changed.",
    },
    DocumentTool {
        name: "cost_curve",
        path: COST_CURVE_CSV,
        description: "The regions on a day, sorted by average cost: each region's share of the hashrate and the cumulative share in percent, its minimum, average and maximum cost of one coin in USD, and its full cost if the cost of machines is known; and the share of the hashrate that mines at or below a price, by default the market price. Use it to find out who mines at a profit.",
    },
    DocumentTool {
        name: "economics",
        path: ECONOMICS_CSV,
        description: "Daily price and worldwide average cost of one coin in USD, price and revenue divided by cost, hashprice in USD per PH/s per day, the electricity price and efficiency at which an average miner breaks even, and the share of the hashrate that is profitable, in percent; the cost of electricity alone, the all-in cost with machines and the 80% interval of the average; the network's power and energy. The price is the market price unless you specify one; figures that the inputs don't allow are null. Use it for margins.",
    },
];

impl DocumentTool {
    pub(super) fn find(name: &str) -> Result<&'static Self, String> {
        TOOLS.iter().find(|tool| tool.name == name).ok_or_else(|| {
            let names = TOOLS.iter().map(|tool| tool.name).collect::<Vec<_>>().join(", ");
            format!("unknown tool '{}'; the tools are {names}", visible(name, NAME_MAX))
        })
    }

    /// Returns whether the document lists every region and may take megabytes.
    pub(super) fn is_large(&self) -> bool {
        let large = ["snapshot", "regions", "explain", "cost_curve", "economics", "past_forecasts"];
        large.contains(&self.name)
    }

    /// Describes the tool and the kind of its data for assistants.
    pub(super) fn described(&self, data: &str) -> Tool {
        let annotations = ToolAnnotations::new().read_only(true).destructive(false);
        Tool::new(self.name, format!("{} {data}.", self.description), self.arguments_schema())
            .with_title(self.operation()["summary"].as_str().unwrap_or_default())
            .with_raw_output_schema(object(self.result_schema()).into())
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

    /// Returns the schema of the result, with the types and fields that every server has.
    fn result_schema(&self) -> Value {
        let response = &self.operation()["responses"]["200"]["content"];
        if response["text/csv"].is_null() {
            return contract_schema(&response["application/json"]["schema"]);
        }
        let rows = json!({"type": "array", "items": {"type": "object"}});
        json!({"type": "object", "properties": {"rows": rows}, "required": ["rows"]})
    }

    /// Fetches the document that a call with these arguments requests.
    pub(super) async fn fetch(
        &self,
        source: &DocumentSource,
        arguments: JsonObject,
    ) -> Result<Value, String> {
        let given = self.given(arguments)?;
        let get = |name| given.iter().find(|(given, _)| *given == name).and_then(|it| it.1.clone());
        let resource = match self.name {
            "snapshot" => Resource::Snapshot,
            "history" => Resource::History(get("region_id").unwrap_or_else(|| GLOBAL.into())),
            "region" => {
                let missing = || format!("id is missing; it must be {}", expected("id"));
                Resource::RegionDetail(get("id").ok_or_else(missing)?)
            }
            "regions" => Resource::Regions,
            "network" => Resource::Network,
            "forecast" => {
                let days = get("forecast_days").map(|days| days.parse()).transpose();
                let days = days.map_err(|invalid| format!("forecast_days {invalid}"))?;
                Resource::Forecast(days.unwrap_or_default())
            }
            "metadata" => Resource::Metadata,
            "explain" => return parsed(&source.file(&with_query(self.path, given)).await?),
            "cost_curve" => {
                let curve = Table::fetch_cost_curve(source, get("date"), get("price"));
                return Ok(curve.await?.json());
            }
            _ => return Ok(Table::fetch(source, &with_query(self.path, given)).await?.json()),
        };
        let mut document = parsed(&source.json(&resource).await?)?;
        // A server's documents don't give reasons.
        let reasons = source.outlook();
        if self.name == "forecast" && !reasons.is_empty() {
            document["reasons"] = reasons.into();
        }
        Ok(document)
    }

    /// Returns the arguments of a call as they are written in a query. Many assistants send null for an omitted
    /// argument, and 7.0 is an integer too, as in JSON Schema.
    fn given(&self, arguments: JsonObject) -> Result<Vec<(&'static str, Option<String>)>, String> {
        let names: Vec<&str> = self.parameters().filter_map(|it| it["name"].as_str()).collect();
        let takes = match &names[..] {
            [] => "it takes none".into(),
            names => format!("it takes {}", listed(names)),
        };
        let mut given = Vec::new();
        for (name, value) in arguments {
            let Some(name) = names.iter().find(|known| **known == name) else {
                let name = visible(&name, NAME_MAX);
                return Err(format!("{} has no argument {name}; {takes}", self.name));
            };
            let is_number = matches!(*name, "forecast_days" | "price");
            let text = match (&value, value.as_f64()) {
                (Value::Null, _) => continue,
                (Value::String(text), _) if !is_number || self.path == FORECAST_CSV => text.clone(),
                (_, Some(number)) if is_number => number.to_string(),
                _ => {
                    let got = visible(&value.to_string(), NAME_MAX);
                    return Err(format!("{name} must be {}; got {got}", expected(name)));
                }
            };
            if name.ends_with("id") && !(1..=ID_MAX).contains(&text.len()) {
                return Err(format!("{name} must have 1 to {ID_MAX} bytes"));
            }
            given.push((*name, Some(text)));
        }
        Ok(given)
    }
}

fn parsed(text: &str) -> Result<Value, String> {
    verify_memory(text, MEMORY_MAX)?;
    parse_document(text)
}

fn expected(name: &str) -> &'static str {
    match name {
        "id" => "a region id such as \"us\", as listed by regions",
        "region_id" => "\"global\" or a region id such as \"us\", as listed by regions",
        "forecast_days" => "a whole number from 1 to 365",
        "range" => "a string such as \"30d\"",
        "price" => "a number, in USD",
        _ => "a date such as \"2026-11-15\"",
    }
}

/// Returns a schema with those that it refers to in place of the references. Of the keywords, only types and
/// fields are kept. A property may have the name of a keyword, so objects are never removed.
fn contract_schema(schema: &Value) -> Value {
    match schema {
        Value::Object(object) => {
            if let Some(name) = schema["$ref"].as_str().and_then(|at| at.rsplit('/').next()) {
                return contract_schema(&DOCUMENT["components"]["schemas"][name]);
            }
            let is_kept = |(key, value): &(&String, &Value)| {
                value.is_object() || !OWN_RULES.contains(&key.as_str())
            };
            let kept = object.iter().filter(is_kept);
            kept.map(|(key, value)| (key.clone(), contract_schema(value))).collect()
        }
        Value::Array(values) => values.iter().map(contract_schema).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::source::SourceArgs;

    use super::*;

    fn tool(name: &str) -> &'static DocumentTool {
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
        tool(name).fetch(&source, object(arguments)).await
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
                assert!(error.starts_with(&format!("{name} must be ")), "{error}");
                assert!(error.ends_with("; got []"), "{error}");
            }
        }
    }

    #[test]
    fn a_standalone_schema_has_no_references() {
        for name in ["snapshot", "history", "explain"] {
            let schema = tool(name).result_schema();
            assert_eq!(schema["type"], "object", "{name}");
            assert!(!schema.to_string().contains("$ref"), "{schema}");
        }
        let point = tool("history").result_schema()["properties"]["points"]["items"].take();
        assert_eq!(point["properties"]["date"]["type"], "string");
    }

    #[test]
    fn result_schemas_have_only_the_types_and_fields_of_the_contract() {
        let schema = tool("history").result_schema();
        let document = json!({
            "version": "1.0", "timestamp_utc": "2026-11-15 12:00", "engine_sandbox_version": "x",
            "region_id": "US_West", "points": [], "added": true,
        });
        jsonschema::validate(&schema, &document).unwrap();
        assert!(!jsonschema::is_valid(&schema, &json!({"version": "1.0"})));
        let schema = Value::Object(tool("region").arguments_schema());
        assert!(jsonschema::is_valid(&schema, &json!({"id": "US_West"})));
    }

    #[test]
    fn arguments_are_the_parameters_of_the_operation() {
        let schema = tool("forecast").arguments_schema();
        let days = &schema["properties"]["forecast_days"];
        assert_eq!((&days["minimum"], &days["maximum"]), (&json!(1), &json!(365)));
        let schema = tool("region").arguments_schema();
        assert_eq!(
            (&schema["required"], &schema["additionalProperties"]),
            (&json!(["id"]), &json!(false))
        );
        assert_eq!(tool("snapshot").arguments_schema()["properties"], json!({}));
        let names = tool("economics").arguments_schema()["properties"].as_object().unwrap().len();
        assert_eq!(names, 5);
    }
}
