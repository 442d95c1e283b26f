//! Documents of the contract as rows.

use ghi_client::Resource;
use ghi_contract::{CURRENCY, GLOBAL};
use ghi_display::WORLDWIDE;
use ghi_engine::{WHOLE_NETWORK_PCT, visible};
use serde_json::{Value, json};

use crate::output::Format;
use crate::show::Shown;
use crate::show::table::{TEXT_MAX, Table};
use crate::source::{DocumentSource, parse_document};
use crate::text_table::{decimals, own_decimals, plain};

/// Reads a document.
pub(super) fn read(
    resource: &Resource,
    json: String,
    format: Format,
    source: &DocumentSource,
) -> Result<Shown, String> {
    let mut document: Value = parse_document(&json)?;
    let entries = entries(resource, &mut document);
    let costs = entries.iter().filter_map(Value::as_object).flatten();
    let costs = costs.filter(|(name, _)| name.ends_with("cost_usd"));
    let cost_decimals = decimals(costs.filter_map(|(_, cost)| cost.as_f64()));
    let separator = if format == Format::Csv { " " } else { "\n" };
    let timestamp = document["timestamp_utc"].as_str().unwrap_or_default();
    let today = timestamp.split('T').next().unwrap_or_default();
    let cell = |entry: &Value, name: &str| {
        let text = |value| text(name, value, cost_decimals, separator);
        let own = text(&entry[name]).or_else(|| text(&document[name]));
        own.unwrap_or_else(|| match name {
            "date" => today.into(),
            "currency" => CURRENCY.into(),
            _ => String::new(),
        })
    };
    let columns = columns(resource);
    let columns = columns.split('|').map(|column| column.split_once(':').unwrap_or((column, "")));
    let row = |entry| columns.clone().map(|(name, _)| cell(entry, name)).collect();
    let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
    let columns = columns.map(|(name, label)| (name.into(), label.into())).collect();
    let table = Table { columns, rows, price: None };

    let [id, timestamp] = [document["region_id"].as_str().unwrap_or(GLOBAL), timestamp]
        .map(|text| visible(text, TEXT_MAX));
    let is_history = matches!(resource, Resource::History(_));
    let date = if is_history && !table.rows.is_empty() { table.date() } else { today };
    let date = visible(date, TEXT_MAX);
    let title = title(resource, &source.coin().name, &id, &date, &table);
    let time = timestamp.split('.').next().unwrap_or_default().trim_end_matches('Z');
    let heading = source.heading(&title, &id, &date, &format!(", {time}Z"));
    let is_list = is_history || matches!(resource, Resource::Snapshot | Resource::Regions);
    Ok(Shown { heading, json, table, is_list, note: String::new() })
}

/// Returns the objects whose fields are the cells of rows. In a snapshot, worldwide comes first; API 1.0 has no
/// worldwide costs, and the reduced form has no regions.
pub(super) fn entries(resource: &Resource, document: &mut Value) -> Vec<Value> {
    let list = match resource {
        Resource::Snapshot | Resource::Regions => "regions",
        Resource::History(_) => "points",
        _ => return vec![document.clone()],
    };
    let entries = document[list].take();
    let [min, avg, max] =
        ["min", "avg", "max"].map(|bound| document[format!("global_{bound}_cost_usd")].take());
    let has_worldwide = [&min, &avg, &max].into_iter().any(Value::is_number);
    let worldwide = json!({
        "region_id": GLOBAL,
        "name": WORLDWIDE,
        "min_cost_usd": min,
        "avg_cost_usd": avg,
        "max_cost_usd": max,
        "hashrate_share_pct": WHOLE_NETWORK_PCT.to_f64(),
    });
    let worldwide = has_worldwide.then_some(worldwide).into_iter();
    worldwide.chain(entries.as_array().into_iter().flatten().cloned()).collect()
}

/// Formats a value as in a file, unless it is null or an object.
fn text(name: &str, value: &Value, cost_decimals: usize, separator: &str) -> Option<String> {
    match value {
        Value::Number(number) => {
            let number = number.as_f64()?;
            let decimals = match name {
                "difficulty" | "forecast_days" => own_decimals(number),
                _ if name.ends_with("cost_usd") => cost_decimals,
                _ => decimals([number]),
            };
            Some(plain(number, decimals))
        }
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let items = items.iter().filter_map(|item| text(name, item, cost_decimals, separator));
            Some(items.collect::<Vec<_>>().join(separator))
        }
        _ => None,
    }
}

fn title(resource: &Resource, coin: &str, id: &str, date: &str, table: &Table) -> String {
    let costs = format!("Cost of mining one {coin}, USD");
    match resource {
        Resource::Snapshot => format!("{costs}, {date}"),
        Resource::Regions => "Regions".into(),
        Resource::RegionDetail(_) => format!("{costs}, {id}, {date}"),
        Resource::History(_) => match table.cell(0, "date") {
            Some(first) => format!("{costs}, {id}, {} to {date}", visible(first, TEXT_MAX)),
            None => format!("{costs}, {id}"),
        },
        Resource::Network => format!("Network, {date}"),
        Resource::Forecast(_) => format!("Forecast of the average cost of mining one {coin}"),
        Resource::Indicator => format!("{costs}, {GLOBAL}, API 1.0"),
        Resource::Metadata => "Service".into(),
    }
}

/// Returns the columns of a document: their names in CSV, which are the contract's field names, each followed by a
/// colon and the label in a table. Columns without a label are not in the table. The server's tables have the same
/// columns.
fn columns(resource: &Resource) -> String {
    let region = "date|region_id:region|name:name|currency";
    let costs = "min_cost_usd:min|avg_cost_usd:avg|max_cost_usd:max";
    match resource {
        Resource::Snapshot => format!("{region}|{costs}|hashrate_share_pct"),
        Resource::Regions => "id:region|name:name".into(),
        Resource::RegionDetail(_) => {
            format!("{region}|{costs}|hashrate_share_pct:hashrate share, %")
        }
        Resource::History(_) => format!("date:day|region_id|currency|{costs}"),
        Resource::Network => {
            "date|hashrate_eh:hashrate, EH/s|difficulty:difficulty|avg_fee_usd:mean fee, USD".into()
        }
        Resource::Forecast(_) => {
            "date|forecast_days:horizon, days|predicted_avg_cost_usd:average, USD".into()
        }
        Resource::Indicator => format!("date:day|currency|{costs}"),
        Resource::Metadata => {
            "version|timestamp_utc|engine_sandbox_version:engine|environment:environment|api_current:current API|api_supported:supported APIs|available_endpoints:endpoints".into()
        }
    }
}
