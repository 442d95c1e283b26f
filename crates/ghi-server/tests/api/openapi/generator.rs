//! Generates `openapi.json`.
//!
//! The handlers define parameters and documents, and the contract's types define the schemas.
//! Everything else is recorded: each operation is called with valid and invalid requests, on servers
//! whose clock is stopped, and their responses go into the document.

use ghi_contract::{API_CURRENT, paths};
use ghi_display::Range;
use ghi_server::internals::{Operations, codes, query_parameters};
use serde_json::Value;
use utoipa::OpenApi as _;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{
    Contact, Content, Deprecated, Info, KnownFormat, License, Object, OpenApi, Ref, RefOr,
    Required, ResponseBuilder, Schema, SchemaFormat, Server, Type, tag,
};

use crate::openapi::recorder::{EXPLAINED, REGION, Recorder};
use crate::openapi::{prefer, schemas};

/// The title of the API.
const TITLE: &str = "Global HashCost Index (GHI), sandbox";

/// A one-sentence summary, used for llms.txt as well.
const SUMMARY: &str = "The cost of mining one coin of a proof-of-work currency, in USD: minimum, average and maximum, worldwide \
     and per region, with a week of history, network metrics and a forecast. The data is synthetic, or based on dated series supplied by the operator.";

/// The rules that apply to every operation.
const FOR_ALL: &str = "The structure of responses is stable; their values are sandbox data, which changes once a day, at \
     midnight UTC.\n\n\
     The API is read-only and needs no key. Every resource supports `GET`, `HEAD` and `OPTIONS`; other methods return 405. \
     Under `/v1/ghi`, unknown parameters are ignored unless the server was started with `--strict-parameters`; charts and files reject them. \
     A trailing slash makes no difference.\n\n\
     Responses with an `ETag` support `If-None-Match`, and return 304 as long as their data is unchanged. Errors are \
     `application/problem+json` (RFC 9457); their `type` links to a page that explains them. Only requests that are not \
     valid HTTP, or whose head is too large, are rejected without a body.";

/// The tag of operations outside the API, which have no scenarios.
const OPERATION: &str = "Operation";

/// The tags of the operations, with their descriptions.
const TAGS: [(&str, &str); 3] = [
    ("Index", "Index data as JSON."),
    ("Charts and files", "The same data as charts to embed and tables to import."),
    (OPERATION, "Probes and metrics, for operators and orchestrators."),
];

/// Returns the document as text.
pub(crate) fn generate() -> String {
    let mut document = serde_json::to_value(document()).unwrap();
    add_examples_of_preferences(&mut document);
    serde_json::to_string_pretty(&document).unwrap() + "\n"
}

/// Adds named examples of `Prefer`, which utoipa's types cannot represent.
fn add_examples_of_preferences(document: &mut Value) {
    document["components"]["parameters"]["prefer"]["examples"] = prefer::examples("");
    let of_snapshot = &mut document["paths"][paths::SNAPSHOT]["get"]["parameters"];
    let mut of_snapshot = of_snapshot.as_array_mut().unwrap().iter_mut();
    let own = of_snapshot.find(|parameter| parameter["name"] == prefer::PREFER).unwrap();
    own["examples"] = prefer::examples(paths::SNAPSHOT);
}

fn document() -> OpenApi {
    let mut document = Operations::openapi();
    let mut info = Info::new(TITLE, API_CURRENT);
    info.description = Some(format!("{SUMMARY}\n\n{FOR_ALL}"));
    let mut license = License::new("MIT OR Apache-2.0");
    license.identifier = Some("MIT OR Apache-2.0".into());
    info.license = Some(license);
    // There is no public contact address; the operator of a server is the contact.
    let mut contact = Contact::new();
    contact.name = Some("The operator of this server".into());
    info.contact = Some(contact);
    document.info = info;
    document.servers = Some(vec![Server::new("/")]);
    document.security = Some(vec![]);

    let mut components = document.components.take().unwrap_or_default();
    for (name, schema) in &mut components.schemas {
        schemas::refine_fields(name, schema);
    }
    if let Some(RefOr::T(Schema::Object(problem))) = components.schemas.get_mut("Problem")
        && let Some(RefOr::T(Schema::Object(code))) = problem.properties.get_mut("code")
    {
        code.examples = codes().map(Value::from).collect();
    }
    components.parameters.insert("prefer".into(), prefer::parameter("").into());
    let mut recorder = Recorder::new(&mut components);
    for (path, item) in &mut document.paths.paths {
        let operation = item.get.as_mut().expect("every operation is a GET");
        if path == paths::INDICATOR {
            operation.deprecated = Some(Deprecated::True);
        }
        tidy(operation);
        complete(path, operation);
        for parameter in operation.parameters.iter_mut().flatten() {
            if let RefOr::T(parameter) = parameter {
                describe(path, parameter);
            }
        }
        let takes_scenarios = operation.tags.as_deref() != Some(&[OPERATION.into()]);
        if takes_scenarios {
            let shared = || RefOr::Ref(Ref::new("#/components/parameters/prefer"));
            let own = (path == paths::SNAPSHOT).then(|| prefer::parameter(path).into());
            operation.parameters.get_or_insert_default().push(own.unwrap_or_else(shared));
        }
        recorder.record(path, operation, takes_scenarios);
    }
    let tag = |(name, about): (&str, &str)| {
        let mut tag = tag::Tag::new(name);
        tag.description = Some(about.into());
        tag
    };
    document.tags = Some(TAGS.map(tag).into());
    document.components = Some(components);
    document
}

/// Turns a handler's doc comment into a title without a period and a one-line paragraph, and its name
/// into the id of the operation, with a verb before it.
fn tidy(operation: &mut Operation) {
    let handler = operation.operation_id.as_deref().unwrap_or_default();
    let verb = if handler == "regions" { "list" } else { "get" };
    let words = handler.split('_').map(|word| word[..1].to_uppercase() + &word[1..]);
    operation.operation_id = Some(verb.to_owned() + &words.collect::<String>());
    let summary = operation.summary.as_deref().unwrap_or_default().trim_end_matches('.');
    operation.summary = Some(summary.into());
    let description = operation.description.as_deref().unwrap_or_default().replace('\n', " ");
    operation.description = Some(description);
}

/// Adds the query parameters of the route, and the content of a chart or a table.
fn complete(path: &str, operation: &mut Operation) {
    for name in query_parameters(path) {
        let parameter = ParameterBuilder::new().name(*name).parameter_in(ParameterIn::Query);
        let parameter = parameter.required(Required::False).schema(Some(Object::new())).build();
        operation.parameters.get_or_insert_default().push(parameter.into());
    }
    let (_, extension) = path.rsplit_once('.').unwrap_or_default();
    let content_type = match extension {
        "csv" => "text/csv",
        "svg" => "image/svg+xml",
        _ => return,
    };
    let text = Content::new(Some(Object::with_type(Type::String)));
    let response = ResponseBuilder::new().content(content_type, text).build();
    operation.responses.responses.insert("200".into(), response.into());
}

/// Describes a parameter and its default.
fn describe(path: &str, parameter: &mut Parameter) {
    let name = &*parameter.name;
    parameter.description = Some(
        match name {
            "id" => "A region's id, as in the list of regions.",
            "region_id" => "`global`, or a region's id as in the list of regions.",
            "forecast_days" if path == paths::FORECAST => "The horizon in days, as decimal digits.",
            "forecast_days" => "The horizon in days, or a range of up to 90 days such as `1-90`. Defaults to 7.",
            "range" => "The range of days up to today: `7d`, `30d`, `90d`, `1y`, `5y` or `all`.",
            "from" if path == "/export/forecast-score.csv" => {
                "The first day on which forecasts were made, `YYYY-MM-DD`. Defaults to that of the first forecast."
            }
            "from" if path == "/export/forecast.csv" => {
                "The first day, `YYYY-MM-DD`. Defaults to six days before `to` or, without `to`, to 364 days ago."
            }
            "from" => {
                "The first day, `YYYY-MM-DD`. Defaults to six days before `to`."
            }
            "to" => {
                "The last day, `YYYY-MM-DD`. A range has at most 11,000 days, both ends included. Defaults to today."
            }
            "date" => "The UTC day, `YYYY-MM-DD`, from year 0001 to 9999. Defaults to today; in a table of several days, limits the table to this day.",
            "since" => {
                "Explain the change in the average since this UTC day, `YYYY-MM-DD`, which must not be after `date`. Omitted by default."
            }
            "price" => "The price of one coin in USD. Defaults to the market price in the inputs.",
            "order" => "The order of the curve: `region`, with one block per region, or `cost`, with the machines of the fleet, if the inputs have one.",
            "theme" => "The colour theme: `light`, `dark`, or `auto` to follow the reader's system.",
            _ => unreachable!("every parameter is described"),
        }
        .into(),
    );
    let Some(schema) = &mut parameter.schema else { return };
    // An optional parameter may be omitted, but never null.
    if let RefOr::T(Schema::Object(value)) = schema {
        let kind = match name {
            "forecast_days" if path == paths::FORECAST => Type::Integer,
            "price" => Type::Number,
            _ => Type::String,
        };
        value.schema_type = kind.into();
        value.default = schemas::default_of(name);
        if name == "forecast_days" && path != paths::FORECAST {
            value.default = None;
            value.examples = vec!["30".into(), "1-90".into()];
            value.pattern = Some("^[1-9][0-9]{0,2}(-[1-9][0-9]?)?$".into());
        } else if name == "forecast_days" {
            value.format = Some(SchemaFormat::KnownFormat(KnownFormat::Int32));
        }
        if name == "price" {
            // One unit of the last decimal.
            value.minimum = Some(0.01.into());
            value.maximum = Some(1e9.into());
            value.examples = vec![80_000.into()];
        }
        if ["from", "to"].contains(&name) {
            value.format = Some(SchemaFormat::KnownFormat(KnownFormat::Date));
            value.examples = vec!["2026-11-15".into()];
        }
        if name == "since" {
            value.format = Some(SchemaFormat::KnownFormat(KnownFormat::Date));
            // Before that of `date`.
            value.examples = vec!["2026-10-10".into()];
        }
        if name == "id" {
            value.examples = vec![REGION.into()];
        }
        if name == "date" {
            value.format = Some(SchemaFormat::KnownFormat(KnownFormat::Date));
            value.examples = vec![EXPLAINED.into()];
        }
        if name == "range" {
            value.enum_values = Some(Range::ALL.map(|range| Value::from(range.name())).into());
        }
        if name == "order" {
            value.enum_values = Some(["region", "cost"].map(Value::from).into());
            value.default = Some("region".into());
        }
        if name == "theme" {
            value.enum_values = Some(["auto", "light", "dark"].map(Value::from).into());
            value.default = Some("auto".into());
        }
    }
    schemas::refine(name, schema);
}
