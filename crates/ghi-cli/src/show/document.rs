//! Documents of the contract as rows.

use ghi_client::{AnySnapshot, Resource};
use ghi_contract::{CURRENCY, GLOBAL, Regions};
use ghi_display::WORLDWIDE;
use ghi_engine::{WHOLE_NETWORK_PCT, visible};
use serde_json::{Map, Value};

use crate::output::Format;
use crate::show::numbers::{decimals, own_decimals, plain, readable};
use crate::show::table::{Shown, Table};
use crate::source::{DocumentSource, parse_document};

/// The maximum length of a string in a table, in characters.
const TEXT_MAX: usize = 200;

/// Characters that start a formula in a spreadsheet.
const FORMULA_STARTS: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

type Object = Map<String, Value>;

/// Reads a document, with texts and numbers in the style of a format.
pub(super) fn read(
    resource: &Resource,
    json: String,
    format: Format,
    source: &DocumentSource,
) -> Result<Shown, String> {
    let mut document = known_fields(resource, &json)?;
    let entries = entries(resource, &mut document);
    let string = |name: &str| document.get(name).and_then(Value::as_str).unwrap_or_default();
    let timestamp = visible(string("timestamp_utc"), TEXT_MAX);
    let mut date = timestamp.split('T').next().unwrap_or_default().to_owned();
    let costs = entries.iter().flatten().filter(|(name, _)| name.ends_with("cost_usd"));
    let cost_decimals = decimals(costs.filter_map(|(_, cost)| cost.as_f64()));
    let cell = |entry: &Object, name: &str| match entry.get(name).or(document.get(name)) {
        Some(Value::Number(value)) => {
            let value = value.as_f64().unwrap_or_default();
            let decimals = match name {
                "difficulty" | "forecast_days" => own_decimals(value),
                _ if name.ends_with("cost_usd") => cost_decimals,
                _ => decimals([value]),
            };
            if format == Format::Csv { plain(value, decimals) } else { readable(value, decimals) }
        }
        Some(Value::String(value)) => text(value, format),
        Some(Value::Array(items)) => {
            let items = items.iter().filter_map(Value::as_str).map(|item| text(item, format));
            items.collect::<Vec<_>>().join(if format == Format::Csv { " " } else { "\n" })
        }
        _ if name == "date" => date.clone(),
        _ if name == "currency" => CURRENCY.into(),
        _ if name.ends_with("cost_usd") && format == Format::Table => "–".into(),
        _ => String::new(),
    };
    let columns: Vec<_> = columns(resource)
        .split('|')
        .map(|column| column.split_once(':').unwrap_or((column, "")))
        .collect();
    let row = |entry| columns.iter().map(|(name, _)| cell(entry, name)).collect();
    let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
    let region_id = document.get("region_id").and_then(Value::as_str);
    let region_id = text(region_id.unwrap_or(GLOBAL), format);
    let day_of = |row: Option<&Vec<String>>| row.map(|row| row[0].clone()).unwrap_or_default();
    let first = day_of(rows.first());
    if matches!(resource, Resource::History(_)) && !rows.is_empty() {
        date = day_of(rows.last());
    }
    let title = title(resource, &source.coin().name, &region_id, [&first, &date], rows.len());
    let time = timestamp.split('.').next().unwrap_or_default().trim_end_matches('Z');
    let columns = columns.into_iter().map(|(name, label)| (name.into(), label.into()));
    Ok(Shown {
        heading: source.heading(&title, &region_id, &date, &format!(", {time}Z")),
        json,
        table: Table { columns: columns.collect(), rows },
        is_list: matches!(resource, Resource::Snapshot | Resource::Regions | Resource::History(_)),
        summary: String::new(),
    })
}

fn title(resource: &Resource, coin: &str, id: &str, days: [&str; 2], rows: usize) -> String {
    let costs = format!("Cost of mining one {coin}, USD");
    let [first, date] = days;
    match resource {
        Resource::Snapshot => format!("{costs}, {date}"),
        Resource::Regions if rows == 1 => "1 region".into(),
        Resource::Regions => format!("{rows} regions"),
        Resource::RegionDetail(_) => format!("{costs}, {id}, {date}"),
        Resource::History(_) if rows == 0 => format!("{costs}, {id}"),
        Resource::History(_) => format!("{costs}, {id}, {first} to {date}"),
        Resource::Network => format!("Network, {date}"),
        Resource::Forecast(_) => format!("Forecast of the average cost of mining one {coin}"),
        Resource::Indicator => format!("{costs}, {GLOBAL}, API 1.0"),
        Resource::Metadata => "Service".into(),
    }
}

fn text(text: &str, format: Format) -> String {
    match format {
        Format::Csv if text.starts_with(FORMULA_STARTS) => format!("'{text}"),
        Format::Csv => text.into(),
        _ => visible(text, TEXT_MAX),
    }
}

/// Returns the columns of a document: their names in CSV, which are the contract's field names, each followed by a
/// colon and the label in a table. Columns without a label are not in the table. The server's tables have the same
/// columns.
fn columns(resource: &Resource) -> &'static str {
    match resource {
        Resource::Snapshot => {
            "date|region_id:region|name:name|currency|min_cost_usd:min|avg_cost_usd:avg|max_cost_usd:max|hashrate_share_pct"
        }
        Resource::Regions => "id:region|name:name",
        Resource::RegionDetail(_) => {
            "date|region_id:region|name:name|currency|min_cost_usd:min|avg_cost_usd:avg|max_cost_usd:max|hashrate_share_pct:hashrate share, %"
        }
        Resource::History(_) => {
            "date:day|region_id|currency|min_cost_usd:min|avg_cost_usd:avg|max_cost_usd:max"
        }
        Resource::Network => {
            "date|hashrate_eh:hashrate, EH/s|difficulty:difficulty|avg_fee_usd:mean fee, USD"
        }
        Resource::Forecast(_) => {
            "date|forecast_days:horizon, days|predicted_avg_cost_usd:average, USD"
        }
        Resource::Indicator => {
            "date:day|currency|min_cost_usd:min|avg_cost_usd:avg|max_cost_usd:max"
        }
        Resource::Metadata => {
            "version|timestamp_utc|engine_sandbox_version:engine|environment:environment|api_current:current API|api_supported:supported APIs|available_endpoints:endpoints"
        }
    }
}

/// Parses a document. For a long one, keeps only the known fields, so that it takes bounded memory.
fn known_fields(resource: &Resource, json: &str) -> Result<Object, String> {
    let value = match resource {
        Resource::Snapshot => serde_json::to_value(parse_document::<AnySnapshot>(json)?),
        Resource::Regions => serde_json::to_value(parse_document::<Regions>(json)?),
        _ => return parse_document(json),
    };
    value.and_then(serde_json::from_value).map_err(|error| error.to_string())
}

/// Returns the objects whose fields are the cells of rows. In a snapshot, worldwide comes first; API 1.0 has no
/// worldwide costs, and the reduced form has no regions.
fn entries(resource: &Resource, document: &mut Object) -> Vec<Object> {
    let list = match resource {
        Resource::Snapshot | Resource::Regions => "regions",
        Resource::History(_) => "points",
        _ => return vec![document.clone()],
    };
    let entries = document.remove(list).unwrap_or_default();
    let mut entries: Vec<Object> = serde_json::from_value(entries).unwrap_or_default();
    let costs = document
        .iter()
        .filter_map(|(name, cost)| Some((name.strip_prefix("global_")?.to_owned(), cost.clone())));
    let mut worldwide: Object = costs.collect();
    if !worldwide.is_empty() {
        worldwide.insert("region_id".into(), GLOBAL.into());
        worldwide.insert("name".into(), WORLDWIDE.into());
        worldwide.insert("hashrate_share_pct".into(), WHOLE_NETWORK_PCT.to_f64().into());
        entries.insert(0, worldwide);
    }
    entries
}
