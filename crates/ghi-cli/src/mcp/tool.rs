//! The tools: what each is for, and what it is asked for.

use ghi_client::Resource;
use ghi_contract::{ForecastDays, GLOBAL, paths};
use ghi_engine::{parse_date, visible};
use jiff::civil::Date;
use serde_json::{Map, Value, json};

use crate::mcp::schemas::Schemas;

/// The longest name of an argument or a tool that a message repeats, characters.
const NAME_MAX: usize = 64;

/// Where a server explains its figures, beside the contract.
const EXPLAIN_JSON: &str = "/export/explain.json";

/// A tool, named like what it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    Snapshot,
    History,
    Region,
    Regions,
    Network,
    Forecast,
    Metadata,
    Explain,
}

/// What a tool is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// A document of the API.
    Document(Resource),
    /// Where the figures of a day come from; today without a date.
    Explanation { region_id: String, date: Option<Date> },
}

impl Tool {
    pub(super) const ALL: [Self; 8] = [
        Self::Snapshot,
        Self::History,
        Self::Region,
        Self::Regions,
        Self::Network,
        Self::Forecast,
        Self::Metadata,
        Self::Explain,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Snapshot => "snapshot",
            Self::History => "history",
            Self::Region => "region",
            Self::Regions => "regions",
            Self::Network => "network",
            Self::Forecast => "forecast",
            Self::Metadata => "metadata",
            Self::Explain => "explain",
        }
    }

    /// Its operation in the OpenAPI document, which has what it takes and gives.
    fn path(self) -> &'static str {
        match self {
            Self::Snapshot => paths::SNAPSHOT,
            Self::History => paths::HISTORY,
            Self::Region => paths::REGION_DETAIL,
            Self::Regions => paths::REGIONS,
            Self::Network => paths::NETWORK,
            Self::Forecast => paths::FORECAST,
            Self::Metadata => paths::METADATA,
            Self::Explain => EXPLAIN_JSON,
        }
    }

    /// What it is called, and what it is for.
    fn description(self) -> (&'static str, &'static str) {
        match self {
            Self::Snapshot => (
                "Costs today",
                "Today's cost of mining one coin, in USD: minimum, average and maximum, worldwide and of every region. Synthetic figures. Use it for what mining costs now, and to compare regions.",
            ),
            Self::History => (
                "Costs of the last days",
                "The daily cost of mining one coin, in USD, of the last seven days up to today: minimum, average and maximum of each, worldwide or of one region. Synthetic figures. Use it for how costs have moved.",
            ),
            Self::Region => (
                "A region today",
                "Today's cost of mining one coin in one region, in USD, and its share of the network's hashrate in percent. Synthetic figures.",
            ),
            Self::Regions => (
                "The regions",
                "The ids and names of all regions. Use it to find the id that other tools take.",
            ),
            Self::Network => (
                "The network today",
                "The mining network today: hashrate in EH/s, difficulty, and the mean fee of a transaction in USD. Synthetic figures.",
            ),
            Self::Forecast => (
                "Forecast",
                "The predicted worldwide average cost of mining one coin, in USD. A sandbox's forecast: the same for every horizon. Synthetic.",
            ),
            Self::Metadata => (
                "The service",
                "What the service is: environment, API versions and endpoints. No figures.",
            ),
            Self::Explain => (
                "Where a cost comes from",
                "How the cost of a day follows from its inputs, step by step with the numbers: difficulty, block reward, efficiency of hardware, price of electricity, overhead; what each region adds to the worldwide average, and what 1% more of each input does. Synthetic figures. Use it for why a cost is what it is.",
            ),
        }
    }

    /// The tool of this name.
    pub(super) fn find(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|tool| tool.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("there is no tool '{}'; there are {names}", visible(name, NAME_MAX))
        })
    }

    /// The tool as assistants see it.
    pub(super) fn described(self, schemas: &Schemas) -> Result<Value, String> {
        let (title, description) = self.description();
        let operation = schemas.operation(self.path())?;
        Ok(json!({
            "name": self.name(),
            "title": title,
            "description": description,
            "inputSchema": operation.input_schema(),
            "outputSchema": operation.output_schema()?,
            "annotations": {
                "readOnlyHint": true,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
            },
        }))
    }

    /// What it is asked for with these arguments.
    pub(super) fn asked(self, arguments: &Map<String, Value>) -> Result<Asked, String> {
        let taken: &[&str] = match self {
            Self::History => &["region_id"],
            Self::Region => &["id"],
            Self::Forecast => &["forecast_days"],
            Self::Explain => &["region_id", "date"],
            Self::Snapshot | Self::Regions | Self::Network | Self::Metadata => &[],
        };
        if let Some(name) = arguments.keys().find(|name| !taken.contains(&name.as_str())) {
            return Err(self.takes_no(name, taken));
        }
        // Many assistants write null for what they leave out.
        let given = |name: &str| arguments.get(name).filter(|value| !value.is_null());
        let region_id = || given("region_id").map_or_else(|| Ok(GLOBAL.into()), region_id);
        Ok(Asked::Document(match self {
            Self::Snapshot => Resource::Snapshot,
            Self::History => Resource::History(region_id()?),
            Self::Region => {
                let id =
                    given("id").ok_or("id is missing: a region's id, as regions lists them")?;
                Resource::RegionDetail(self::region_id(id)?)
            }
            Self::Regions => Resource::Regions,
            Self::Network => Resource::Network,
            Self::Forecast => Resource::Forecast(
                given("forecast_days")
                    .map_or_else(|| Ok(ForecastDays::default()), forecast_days)?,
            ),
            Self::Metadata => Resource::Metadata,
            Self::Explain => {
                let date = given("date").map(date).transpose()?;
                return Ok(Asked::Explanation { region_id: region_id()?, date });
            }
        }))
    }

    fn takes_no(self, name: &str, taken: &[&str]) -> String {
        let takes = match taken {
            [] => "nothing".into(),
            taken => taken.join(" and "),
        };
        format!("{} takes no '{}'; it takes {takes}", self.name(), visible(name, NAME_MAX))
    }
}

fn region_id(value: &Value) -> Result<String, String> {
    let text = value.as_str().map(str::to_owned);
    text.ok_or_else(|| "a region's id must be text, such as \"us\"; regions lists them".into())
}

fn forecast_days(value: &Value) -> Result<ForecastDays, String> {
    // 7.0 is an integer too, as JSON Schema has it.
    let days = value.as_f64().filter(|days| days.fract() == 0.0 && *days <= f64::from(u16::MAX));
    let days = days.filter(|days| *days > 0.0).and_then(|days| ForecastDays::new(days as u16));
    days.ok_or_else(|| {
        let (min, max) = (ForecastDays::MIN, ForecastDays::MAX);
        format!("forecast_days must be a whole number from {min} to {max}")
    })
}

fn date(value: &Value) -> Result<Date, String> {
    parse_date(value.as_str().unwrap_or_default()).map_err(|invalid| format!("date {invalid}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(tool: Tool, arguments: &Value) -> Result<Asked, String> {
        tool.asked(arguments.as_object().unwrap())
    }

    #[test]
    fn what_is_left_out_or_null_has_its_default() {
        for arguments in [json!({}), json!({"region_id": null})] {
            let history = Asked::Document(Resource::History(GLOBAL.into()));
            assert_eq!(asked(Tool::History, &arguments), Ok(history));
            let explanation = Asked::Explanation { region_id: GLOBAL.into(), date: None };
            assert_eq!(asked(Tool::Explain, &arguments), Ok(explanation));
        }
    }

    #[test]
    fn a_horizon_is_any_integer_within_its_bounds() {
        for (value, days) in [(json!(1), 1), (json!(365), 365), (json!(7.0), 7)] {
            let forecast = Asked::Document(Resource::Forecast(ForecastDays::new(days).unwrap()));
            assert_eq!(asked(Tool::Forecast, &json!({"forecast_days": value})), Ok(forecast));
        }
        for value in [json!(0), json!(366), json!(-1), json!(1.5), json!("7"), json!(65543)] {
            let said = asked(Tool::Forecast, &json!({"forecast_days": value})).unwrap_err();
            assert!(said.starts_with("forecast_days must be a whole number from 1 to 365"));
        }
    }

    #[test]
    fn every_argument_of_the_schemas_is_taken_and_no_other() {
        let schemas = Schemas::of_this_server().unwrap();
        for tool in Tool::ALL {
            let schema = schemas.operation(tool.path()).unwrap().input_schema();
            for name in schema["properties"].as_object().unwrap().keys() {
                let said = asked(tool, &json!({name: {}})).err().unwrap_or_default();
                assert!(!said.contains("takes no"), "{said}");
            }
            let said = asked(tool, &json!({"frobnicate": 1})).unwrap_err();
            assert!(said.contains("takes no 'frobnicate'; it takes "), "{said}");
        }
    }
}
