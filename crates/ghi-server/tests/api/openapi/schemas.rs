//! Bounds, formats and examples for the OpenAPI schemas of the documents.
//!
//! A field of the same name has the same bounds in every document; [`refine`] adds them to a schema.
//! Values that a compatible release may extend are examples, not closed lists, so that generated
//! clients can also read the next release.

use utoipa::openapi::schema::{Array, Object};
use utoipa::openapi::{KnownFormat, RefOr, Schema, SchemaFormat, Type};
use utoipa::{Number, ToSchema};

use ghi_contract::{
    API_CURRENT, API_PREVIOUS, CURRENCY, ENVIRONMENT, ForecastDays, GLOBAL, Indicator,
    REGION_ID_MAX, REGION_ID_PATTERN,
};

/// The pattern of `timestamp_utc`.
const TIMESTAMP: &str = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$";

/// Refines every field of a document by its name, and sets the example of `version`.
pub(super) fn refine_fields(document_name: &str, document: &mut RefOr<Schema>) {
    let RefOr::T(Schema::Object(document)) = document else { return };
    for (name, field) in &mut document.properties {
        refine(name, field);
        if let ("version", RefOr::T(Schema::Object(version))) = (&**name, field) {
            let is_old = document_name == Indicator::name();
            version.examples = vec![if is_old { API_PREVIOUS } else { API_CURRENT }.into()];
        }
    }
}

/// Adds the bounds and formats that the name of a field or parameter implies.
pub(super) fn refine(name: &str, field: &mut RefOr<Schema>) {
    match field {
        RefOr::T(Schema::Object(field)) => refine_value(name, field),
        RefOr::T(Schema::Array(field)) => refine_list(name, field),
        _ => {}
    }
}

fn refine_value(name: &str, value: &mut Object) {
    match name {
        "api_current" => value.examples = vec![API_CURRENT.into()],
        "timestamp_utc" => {
            value.format = Some(SchemaFormat::KnownFormat(KnownFormat::DateTime));
            value.pattern = Some(TIMESTAMP.into());
        }
        "engine_sandbox_version" => value.pattern = Some(format!("^.+-{ENVIRONMENT}$")),
        "environment" => value.examples = vec![ENVIRONMENT.into()],
        "currency" => value.examples = vec![CURRENCY.into()],
        "date" => value.format = Some(SchemaFormat::KnownFormat(KnownFormat::Date)),
        "id" | "region_id" => {
            value.pattern = Some(REGION_ID_PATTERN.into());
            value.max_length = Some(REGION_ID_MAX);
        }
        "region_count" => value.minimum = Some(Number::UInt(1)),
        "forecast_days" if value.schema_type == Type::Integer.into() => {
            value.minimum = Some(Number::UInt(ForecastDays::MIN.into()));
            value.maximum = Some(Number::UInt(ForecastDays::MAX.into()));
        }
        "hashrate_share_pct" => {
            value.minimum = Some(Number::UInt(0));
            value.maximum = Some(Number::UInt(100));
        }
        "status" if value.schema_type == Type::Integer.into() => {
            value.minimum = Some(Number::UInt(400));
            value.maximum = Some(Number::UInt(599));
        }
        "hashrate_eh"
        | "difficulty"
        | "hashes_per_difficulty"
        | "block_reward_coins"
        | "hashes_per_coin" => value.exclusive_minimum = Some(Number::UInt(0)),
        // The share of a region may be 0, and a change may be negative.
        "contribution_usd" => value.minimum = Some(Number::UInt(0)),
        "change_usd" | "total_change_usd" => {}
        name if name.ends_with("_usd") => value.exclusive_minimum = Some(Number::UInt(0)),
        _ => {}
    }
}

fn refine_list(name: &str, list: &mut Array) {
    if ["points", "regions", "api_supported", "available_endpoints"].contains(&name) {
        list.min_items = Some(1);
    }
}

/// Returns the default value of a parameter.
pub(super) fn default_of(parameter: &str) -> Option<serde_json::Value> {
    match parameter {
        "region_id" => Some(GLOBAL.into()),
        "forecast_days" => Some(ForecastDays::DEFAULT.into()),
        _ => None,
    }
}
