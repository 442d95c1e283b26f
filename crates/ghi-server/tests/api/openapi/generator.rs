//! Generates `openapi.json`.
//!
//! The handlers say what they take and which document they answer with; the contract's types say
//! what a document is. The rest is not written but recorded: each operation is called, with
//! valid and invalid requests, on servers whose clock stands still, and what they answer is what the document says.

use ghi_contract::{API_CURRENT, paths, schemas};
use ghi_server::internals::{Operations, RANGES, THEMES, codes};
use serde_json::Value;
use utoipa::OpenApi as _;
use utoipa::openapi::path::{Operation, Parameter};
use utoipa::openapi::{
    Contact, Deprecated, Info, KnownFormat, License, OpenApi, Ref, RefOr, Schema, SchemaFormat,
    Server, Type, tag,
};

use crate::openapi::prefer;
use crate::openapi::recorder::{EXPLAINED, REGION, Recorder};

/// What the API is called.
const TITLE: &str = "Global HashCost Index (GHI), sandbox";

/// What it is, in one sentence.
const SUMMARY: &str = "What it costs, in USD, to mine one coin of a proof-of-work currency: worldwide and per region, as \
     minimum, average and maximum, with a week of history, network metrics and a forecast. Figures are synthetic, or follow from dated series that the operator provided.";

/// What holds for every operation.
const FOR_ALL: &str = "The structure of the answers is a promise; their values are a sandbox's. Figures change \
     once a day, at midnight UTC.\n\n\
     Nothing needs a key, and nothing can be written: every resource takes `GET`, `HEAD` and `OPTIONS`, and other \
     methods are answered with 405. Under `/v1/ghi`, unknown parameters are ignored, unless the server is strict about them; charts and files refuse them. A trailing slash makes no difference.\n\n\
     An answer with an `ETag` can be asked for with `If-None-Match`: as long as its figures are the same, that is \
     answered with 304. An error is `application/problem+json` as of RFC 9457, and its `type` leads to a page that \
     explains it; only what cannot be read as HTTP, or has a head too large, is refused without a body.";

/// The tag of what is not the API itself, and so takes no scenarios.
const OPERATION: &str = "Operation";

/// The tags of the operations, and what they are about.
const TAGS: [(&str, &str); 3] = [
    ("Index", "The documents of the index, as the contract has them."),
    ("Charts and files", "The same figures as charts to embed and tables to import."),
    (OPERATION, "For those who run the server, and their machines."),
];

/// The document, as text.
pub(crate) fn generate() -> String {
    let mut document = serde_json::to_value(document()).unwrap();
    add_examples_of_preferences(&mut document);
    serde_json::to_string_pretty(&document).unwrap() + "\n"
}

/// Names examples of `Prefer`, which the types that documents are assembled of have no room for.
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
    // There is no public address to write to; whoever runs a server is who to ask.
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
        for parameter in operation.parameters.iter_mut().flatten() {
            if let RefOr::T(parameter) = parameter {
                describe(parameter);
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

/// The comment on a handler becomes a title without a period, and a paragraph of one line; its name,
/// with a verb before it, the id of the operation.
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

/// Says what a parameter takes, and what it is when it is not given.
fn describe(parameter: &mut Parameter) {
    let name = &*parameter.name;
    parameter.description = Some(
        match name {
            "id" => "The region's id, as the registry has it.",
            "region_id" => "Whose figures: `global`, or a region's id as the registry has it.",
            "forecast_days" => "The horizon in days, in plain decimal digits.",
            "range" => "The last days up to today: `7d`, `30d`, `90d` or `1y`.",
            "from" => {
                "The first day, as `YYYY-MM-DD`. Without it, the first of the seven days up to `to`."
            }
            "to" => {
                "The last day, as `YYYY-MM-DD`, at most 11,000 days after `from`, both included. Without it, today."
            }
            "date" => "The UTC day, as `YYYY-MM-DD`, of years 0001 to 9999; without it, today.",
            "since" => {
                "The UTC day that the change of the average is counted from, as `YYYY-MM-DD`. Without it, no change is explained."
            }
            "price" => "The price of one coin, USD. Without it, the market price of the inputs.",
            "theme" => "The colours: `light`, `dark`, or `auto` for those of the reader's system.",
            _ => unreachable!("every parameter is described"),
        }
        .into(),
    );
    let Some(schema) = &mut parameter.schema else { return };
    // That a parameter may be left out does not make null a value of it.
    if let RefOr::T(Schema::Object(value)) = schema {
        let kind = match name {
            "forecast_days" => Type::Integer,
            "price" => Type::Number,
            _ => Type::String,
        };
        value.schema_type = kind.into();
        value.default = schemas::default_of(name);
        if name == "price" {
            value.format = None;
            value.examples = vec![80_000.into()];
        }
        if ["from", "to", "since"].contains(&name) {
            value.format = Some(SchemaFormat::KnownFormat(KnownFormat::Date));
            value.examples = vec!["2026-11-15".into()];
        }
        if name == "id" {
            value.examples = vec![REGION.into()];
        }
        if name == "date" {
            value.format = Some(SchemaFormat::KnownFormat(KnownFormat::Date));
            value.examples = vec![EXPLAINED.into()];
        }
        if name == "range" {
            value.enum_values = Some(RANGES.map(Value::from).into());
        }
        if name == "theme" {
            value.enum_values = Some(THEMES.map(Value::from).into());
            value.default = Some(THEMES[0].into());
        }
    }
    schemas::refine(name, schema);
}
