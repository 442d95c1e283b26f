//! What an OpenAPI description says of the documents beyond their types.
//!
//! A field's name determines its values, wherever it occurs; [`refine`] writes that into a
//! schema.

use std::borrow::Cow;

use utoipa::openapi::schema::{AnyOfBuilder, Array, Object};
use utoipa::openapi::{KnownFormat, RefOr, Schema, SchemaFormat};
use utoipa::{Number, PartialSchema, ToSchema};

use crate::{
    API_CURRENT, API_PREVIOUS, API_SUPPORTED, AnySnapshot, CURRENCY, ENVIRONMENT, ForecastDays,
    GLOBAL, HISTORY_DAYS, Indicator, REGION_ID_MAX, REGION_ID_PATTERN, ReducedSnapshot, Snapshot,
    paths,
};

/// The form of `timestamp_utc`.
const TIMESTAMP: &str = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$";

// By hand, since a full snapshot is a valid reduced one too and so not one of the two alone.
impl PartialSchema for AnySnapshot {
    fn schema() -> RefOr<Schema> {
        let reference = |name: Cow<'_, str>| utoipa::openapi::Ref::from_schema_name(name);
        let either = AnyOfBuilder::new()
            .item(reference(Snapshot::name()))
            .item(reference(ReducedSnapshot::name()))
            .description(Some("A snapshot in either form; clients must tolerate both."));
        RefOr::T(Schema::AnyOf(either.build()))
    }
}

impl ToSchema for AnySnapshot {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Snapshot::name().into(), Snapshot::schema()));
        Snapshot::schemas(schemas);
        schemas.push((ReducedSnapshot::name().into(), ReducedSnapshot::schema()));
        ReducedSnapshot::schemas(schemas);
    }
}

/// Refines every field of a document by its name, and the version by the document.
pub fn refine_fields(document_name: &str, document: &mut RefOr<Schema>) {
    let RefOr::T(Schema::Object(document)) = document else { return };
    for (name, field) in &mut document.properties {
        refine(name, field);
        if let ("version", RefOr::T(Schema::Object(version))) = (&**name, field) {
            let is_old = document_name == Indicator::name();
            version.enum_values = one_of(&[if is_old { API_PREVIOUS } else { API_CURRENT }]);
        }
    }
}

fn one_of(words: &[&str]) -> Option<Vec<serde_json::Value>> {
    Some(words.iter().map(|word| (*word).into()).collect())
}

/// Adds the bounds and formats that the name of a field or parameter implies.
pub fn refine(name: &str, field: &mut RefOr<Schema>) {
    match field {
        RefOr::T(Schema::Object(field)) => refine_value(name, field),
        RefOr::T(Schema::Array(field)) => refine_list(name, field),
        _ => {}
    }
}

fn refine_value(name: &str, value: &mut Object) {
    match name {
        "api_current" => value.enum_values = one_of(&[API_CURRENT]),
        "timestamp_utc" => {
            value.format = Some(SchemaFormat::KnownFormat(KnownFormat::DateTime));
            value.pattern = Some(TIMESTAMP.into());
        }
        "engine_sandbox_version" => value.pattern = Some(format!("^.+-{ENVIRONMENT}$")),
        "environment" => value.enum_values = one_of(&[ENVIRONMENT]),
        "currency" => value.enum_values = one_of(&[CURRENCY]),
        "date" => value.format = Some(SchemaFormat::KnownFormat(KnownFormat::Date)),
        "id" | "region_id" => {
            value.pattern = Some(REGION_ID_PATTERN.into());
            value.max_length = Some(REGION_ID_MAX);
        }
        "region_count" => value.minimum = Some(Number::UInt(1)),
        "forecast_days" => {
            value.minimum = Some(Number::UInt(ForecastDays::MIN.into()));
            value.maximum = Some(Number::UInt(ForecastDays::MAX.into()));
        }
        "hashrate_share_pct" => {
            value.exclusive_minimum = Some(Number::UInt(0));
            value.maximum = Some(Number::UInt(100));
        }
        "status" => {
            value.minimum = Some(Number::UInt(400));
            value.maximum = Some(Number::UInt(599));
        }
        "hashrate_eh" | "difficulty" => value.exclusive_minimum = Some(Number::UInt(0)),
        name if name.ends_with("_usd") => value.exclusive_minimum = Some(Number::UInt(0)),
        _ => {}
    }
}

fn refine_list(name: &str, list: &mut Array) {
    match name {
        "points" => {
            list.min_items = Some(HISTORY_DAYS);
            list.max_items = Some(HISTORY_DAYS);
        }
        "regions" => list.min_items = Some(1),
        "api_supported" => list.min_items = Some(API_SUPPORTED.len()),
        "available_endpoints" => list.min_items = Some(paths::AVAILABLE_ENDPOINTS.len()),
        _ => {}
    }
}

/// What a parameter is when a request does not give it.
pub fn default_of(parameter: &str) -> Option<serde_json::Value> {
    match parameter {
        "region_id" => Some(GLOBAL.into()),
        "forecast_days" => Some(ForecastDays::DEFAULT.into()),
        _ => None,
    }
}
