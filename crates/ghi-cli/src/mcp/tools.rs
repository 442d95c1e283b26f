//! The tools, their descriptions and the documents they request.

use ghi_client::{Resource, with_query};
use ghi_contract::{GLOBAL, paths};
use ghi_engine::{listed, visible};
use serde_json::{Map, Value, json};

use crate::mcp::schemas;
use crate::source::{COST_CURVE_CSV, ECONOMICS_CSV, EXPLAIN_JSON};

/// The maximum number of characters of an argument or tool name in a message.
const NAME_MAX: usize = 64;

/// The maximum length of a region id in bytes: longer than on any server.
const ID_MAX: usize = 256;

/// A tool, named after the document that it returns.
pub(super) struct Tool {
    name: &'static str,
    /// The path of its operation in the OpenAPI document, which describes arguments and result.
    path: &'static str,
    title: &'static str,
    description: &'static str,
    arguments: &'static [&'static str],
    request: fn(&ToolArguments) -> Result<ToolRequest, String>,
}

/// The document that a tool call requests.
#[derive(Debug, PartialEq)]
pub(super) enum ToolRequest {
    /// A document of the API.
    Document(Resource),
    /// The explanation at this path and query.
    Explanation(String),
    /// The cost curve of a day compared with a price.
    Curve { date: Option<String>, price: Option<String> },
    /// The CSV table at this path and query.
    Table(String),
}

impl ToolRequest {
    /// Returns whether the document lists every region and may take megabytes.
    pub(super) fn is_large(&self) -> bool {
        match self {
            Self::Document(resource) => matches!(resource, Resource::Snapshot | Resource::Regions),
            Self::Explanation(_) | Self::Curve { .. } => true,
            Self::Table(_) => false,
        }
    }
}

/// The arguments of a call. Many assistants send null for an omitted argument.
struct ToolArguments(Map<String, Value>);

impl ToolArguments {
    /// Returns an argument as it is written in a query. 7.0 is an integer too, as in JSON Schema.
    fn get(&self, name: &str) -> Result<Option<String>, String> {
        let is_number = matches!(name, "forecast_days" | "price");
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if !is_number => Ok(Some(text.clone())),
            Some(Value::Number(number)) if is_number => {
                Ok(number.as_f64().map(|number| number.to_string()))
            }
            Some(other) => {
                let got = visible(&other.to_string(), NAME_MAX);
                Err(format!("{name} must be {}; got {got}", expected(name)))
            }
        }
    }

    /// Returns a path with the arguments of these names.
    fn query(&self, path: &str, names: &[&'static str]) -> Result<String, String> {
        let given = names.iter().map(|name| Ok((*name, self.get(name)?)));
        Ok(with_query(path, given.collect::<Result<Vec<_>, String>>()?))
    }
}

/// Describes the values of an argument.
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

impl Tool {
    /// Finds a tool by name.
    pub(super) fn find(name: &str) -> Result<&'static Self, String> {
        TOOLS.iter().find(|tool| tool.name == name).ok_or_else(|| {
            let names = TOOLS.iter().map(|tool| tool.name).collect::<Vec<_>>().join(", ");
            format!("unknown tool '{}'; the tools are {names}", visible(name, NAME_MAX))
        })
    }

    /// Describes the tool and the kind of its data for assistants.
    pub(super) fn described(&self, data: &str) -> Value {
        json!({
            "name": self.name,
            "title": self.title,
            "description": format!("{} {data}.", self.description),
            "inputSchema": schemas::arguments(self.path, self.arguments),
            "outputSchema": schemas::result(self.path),
            "annotations": {
                "readOnlyHint": true,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
            },
        })
    }

    /// Returns the document that a call with these arguments requests.
    pub(super) fn request(&self, arguments: &str) -> Result<ToolRequest, String> {
        let invalid = |_| format!("arguments must be an object; {}", self.takes());
        let arguments: Map<String, Value> = serde_json::from_str(arguments).map_err(invalid)?;
        let is_unknown = |name: &&String| !self.arguments.contains(&name.as_str());
        if let Some(name) = arguments.keys().find(is_unknown) {
            let name = visible(name, NAME_MAX);
            return Err(format!("{} has no argument {name}; {}", self.name, self.takes()));
        }
        for name in ["id", "region_id"] {
            let id = arguments.get(name).and_then(Value::as_str);
            if id.is_some_and(|id| id.is_empty() || id.len() > ID_MAX) {
                return Err(format!("{name} must have 1 to {ID_MAX} bytes"));
            }
        }
        (self.request)(&ToolArguments(arguments))
    }

    /// Says which arguments the tool takes.
    fn takes(&self) -> String {
        match self.arguments {
            [] => "it takes none".into(),
            names => format!("it takes {}", listed(names)),
        }
    }
}

pub(super) const TOOLS: [Tool; 10] = [
    Tool {
        name: "snapshot",
        path: paths::SNAPSHOT,
        title: "Costs today",
        description: "Today's cost of mining one coin, in USD: minimum, average and maximum, worldwide and in every region. Use it for current costs and to compare regions.",
        arguments: &[],
        request: |_| Ok(ToolRequest::Document(Resource::Snapshot)),
    },
    Tool {
        name: "history",
        path: paths::HISTORY,
        title: "Recent costs",
        description: "The daily cost of mining one coin, in USD, for the last seven days including today: minimum, average and maximum, worldwide or in one region. Use it to see how costs have changed.",
        arguments: &["region_id"],
        request: |arguments| {
            let id = arguments.get("region_id")?.unwrap_or_else(|| GLOBAL.into());
            Ok(ToolRequest::Document(Resource::History(id)))
        },
    },
    Tool {
        name: "region",
        path: paths::REGION_DETAIL,
        title: "Region today",
        description: "Today's cost of mining one coin in one region, in USD, and the region's share of the hashrate in percent.",
        arguments: &["id"],
        request: |arguments| {
            let missing = || format!("id is missing; it must be {}", expected("id"));
            let id = arguments.get("id")?.ok_or_else(missing)?;
            Ok(ToolRequest::Document(Resource::RegionDetail(id)))
        },
    },
    Tool {
        name: "regions",
        path: paths::REGIONS,
        title: "Regions",
        description: "The ids and names of all regions. Use it to find the ids that other tools accept.",
        arguments: &[],
        request: |_| Ok(ToolRequest::Document(Resource::Regions)),
    },
    Tool {
        name: "network",
        path: paths::NETWORK,
        title: "Network today",
        description: "The mining network today: hashrate in EH/s, difficulty, and mean transaction fee in USD.",
        arguments: &[],
        request: |_| Ok(ToolRequest::Document(Resource::Network)),
    },
    Tool {
        name: "forecast",
        path: paths::FORECAST,
        title: "Forecast",
        description: "The predicted worldwide average cost of mining one coin, in USD. The forecast of the sandbox is the same for every horizon.",
        arguments: &["forecast_days"],
        request: |arguments| {
            let days = arguments.get("forecast_days")?.map(|days| days.parse()).transpose();
            let days: Option<_> = days.map_err(|invalid| format!("forecast_days {invalid}"))?;
            Ok(ToolRequest::Document(Resource::Forecast(days.unwrap_or_default())))
        },
    },
    Tool {
        name: "metadata",
        path: paths::METADATA,
        title: "Service",
        description: "The environment, API versions and endpoints of the service. It has no costs.",
        arguments: &[],
        request: |_| Ok(ToolRequest::Document(Resource::Metadata)),
    },
    Tool {
        name: "explain",
        path: EXPLAIN_JSON,
        title: "How a cost is calculated",
        description: "How a day's cost is calculated from its inputs, step by step with the numbers: difficulty, block reward, hardware efficiency, electricity price and overhead, and the contribution of each region to the worldwide average. With since, also the change in the average since that day, split into its factors. Use it to explain why a cost is what it is, and why it changed.",
        arguments: &["region_id", "date", "since"],
        request: |arguments| {
            let target = arguments.query(EXPLAIN_JSON, &["region_id", "date", "since"])?;
            Ok(ToolRequest::Explanation(target))
        },
    },
    Tool {
        name: "cost_curve",
        path: COST_CURVE_CSV,
        title: "Cost curve",
        description: "The regions on a day, sorted by average cost: each region's share of the hashrate and the cumulative share in percent, its minimum, average and maximum cost of one coin in USD, and its full cost if the cost of machines is known; and the share of the hashrate that mines at or below a price, by default the market price. Use it to find out who mines at a profit.",
        arguments: &["date", "price"],
        request: |arguments| {
            let (date, price) = (arguments.get("date")?, arguments.get("price")?);
            Ok(ToolRequest::Curve { date, price })
        },
    },
    Tool {
        name: "economics",
        path: ECONOMICS_CSV,
        title: "Price and margin by day",
        description: "Daily price and worldwide average cost of one coin in USD, price divided by cost, hashprice in USD per PH/s per day (block reward only), the electricity price and efficiency at which an average miner breaks even, and the share of the hashrate that mines at or below the price, in percent. The price is the market price unless you specify one. Use it for margins.",
        arguments: &["price", "date", "range", "from", "to"],
        request: |arguments| {
            let names = ["price", "date", "range", "from", "to"];
            Ok(ToolRequest::Table(arguments.query(ECONOMICS_CSV, &names)?))
        },
    },
];

#[cfg(test)]
mod tests {
    use ghi_contract::ForecastDays;

    use super::*;

    fn request(tool: &str, arguments: &Value) -> Result<ToolRequest, String> {
        Tool::find(tool).unwrap().request(&arguments.to_string())
    }

    #[test]
    fn missing_and_null_arguments_default() {
        for arguments in [json!({}), json!({"region_id": null})] {
            let history = ToolRequest::Document(Resource::History(GLOBAL.into()));
            assert_eq!(request("history", &arguments), Ok(history));
            let explanation = ToolRequest::Explanation(EXPLAIN_JSON.into());
            assert_eq!(request("explain", &arguments), Ok(explanation));
        }
    }

    #[test]
    fn a_horizon_is_an_integer_from_1_to_365() {
        for (value, days) in [(json!(1), 1), (json!(365), 365), (json!(7.0), 7)] {
            let days = ForecastDays::new(days).unwrap();
            let forecast = ToolRequest::Document(Resource::Forecast(days));
            assert_eq!(request("forecast", &json!({"forecast_days": value})), Ok(forecast));
        }
        for value in [json!(0), json!(366), json!(-1), json!(1.5), json!(65543)] {
            let error = request("forecast", &json!({"forecast_days": value})).unwrap_err();
            assert!(error.starts_with("forecast_days must be a whole number from 1 to 365,"));
        }
    }

    #[test]
    fn tools_accept_exactly_the_arguments_in_their_schemas() {
        for tool in &TOOLS {
            let schema = schemas::arguments(tool.path, tool.arguments);
            for name in schema["properties"].as_object().unwrap().keys() {
                assert!(tool.arguments.contains(&&**name), "{} {name}", tool.name);
            }
            let count = schema["properties"].as_object().unwrap().len();
            assert_eq!(tool.arguments.len(), count, "{}", tool.name);
            let error = request(tool.name, &json!({"frobnicate": 1})).unwrap_err();
            assert!(error.contains("has no argument frobnicate; it takes "), "{error}");
            // No error names an argument of another tool.
            for name in tool.arguments {
                let error = request(tool.name, &json!({*name: []})).unwrap_err();
                assert!(error.starts_with(&format!("{name} must be ")), "{error}");
                assert!(error.ends_with("; got []"), "{error}");
            }
        }
    }

    #[test]
    fn documents_with_every_region_are_large() {
        let large = TOOLS.iter().filter(|tool| {
            let arguments = if tool.name == "region" { json!({"id": "us"}) } else { json!({}) };
            request(tool.name, &arguments).unwrap().is_large()
        });
        let names: Vec<&str> = large.map(|tool| tool.name).collect();
        assert_eq!(names, ["snapshot", "regions", "explain", "cost_curve"]);
    }
}
