//! Documents as CSV: the columns are called as the contract's fields, and where a server has a table of
//! the same, they are those of its table.

use std::collections::HashMap;

use ghi_contract::{CURRENCY, GLOBAL};
use ghi_server::SNAPSHOT_COLUMNS;
use serde::Deserialize;

use crate::show::costs::{Costs, rows};
use crate::show::document::Document;
use crate::show::figures::{DECIMALS, decimals, own_decimals, plain};
use crate::source::Source;

/// The share of all regions together, percent.
const WHOLE_NETWORK_PCT: f64 = 100.0;

/// What a spreadsheet takes for the beginning of a formula.
const FORMULA_STARTS: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

/// The document as a table, with a row of the columns' names first.
pub(crate) async fn csv(document: &Document, source: &Source) -> Result<String, String> {
    let date = cell(document.date());
    let figure = |figure: f64| plain(figure, decimals([figure]));
    match document {
        Document::Snapshot(snapshot) => {
            let shares = shares(source, document.date()).await;
            let all = rows(snapshot);
            let digits =
                decimals(all.iter().flat_map(|(_, _, costs)| costs.iter().flatten().copied()));
            let rows = all.into_iter().map(|(id, name, costs)| {
                let share = if id == GLOBAL { Some(&WHOLE_NETWORK_PCT) } else { shares.get(id) };
                let share = share.map_or(String::new(), |share| plain(*share, DECIMALS));
                region_row(&date, id, name, costs, digits, share)
            });
            written(&SNAPSHOT_COLUMNS, rows)
        }
        Document::Region(region) => {
            let costs = Costs {
                min: region.min_cost_usd,
                avg: region.avg_cost_usd,
                max: region.max_cost_usd,
            };
            let share = figure(region.hashrate_share_pct);
            let (id, name) = (&region.region_id, &region.name);
            let row = region_row(&date, id, name, costs.each().map(Some), costs.decimals(), share);
            written(&SNAPSHOT_COLUMNS, [row])
        }
        Document::Regions(regions) => {
            let regions = regions.regions.iter();
            written(&["id", "name"], regions.map(|region| [cell(&region.id), cell(&region.name)]))
        }
        Document::History(history) => {
            let points = history.points.iter();
            let digits = decimals(points.clone().flat_map(|point| Costs::from(point).each()));
            let rows = points.map(|point| {
                let [min, avg, max] = Costs::from(point).each().map(|cost| plain(cost, digits));
                let [date, currency] = [&point.date, &point.currency].map(|text| cell(text));
                [date, cell(&history.region_id), currency, min, avg, max]
            });
            let columns =
                ["date", "region_id", "currency", "min_cost_usd", "avg_cost_usd", "max_cost_usd"];
            written(&columns, rows)
        }
        Document::Network(network) => written(
            &["date", "hashrate_eh", "difficulty", "avg_fee_usd"],
            [[
                date,
                figure(network.hashrate_eh),
                plain(network.difficulty, own_decimals(network.difficulty)),
                figure(network.avg_fee_usd),
            ]],
        ),
        Document::Forecast(forecast) => {
            let (days, predicted) = (forecast.forecast_days, forecast.predicted_avg_cost_usd);
            let columns = ["date", "forecast_days", "predicted_avg_cost_usd"];
            written(&columns, [[date, days.to_string(), figure(predicted)]])
        }
        Document::Indicator(indicator) => {
            let costs = [indicator.min_cost_usd, indicator.avg_cost_usd, indicator.max_cost_usd];
            let digits = decimals(costs);
            let [min, avg, max] = costs.map(|cost| plain(cost, digits));
            let columns = ["date", "currency", "min_cost_usd", "avg_cost_usd", "max_cost_usd"];
            let [date, currency] = [&indicator.date, &indicator.currency].map(|text| cell(text));
            written(&columns, [[date, currency, min, avg, max]])
        }
        Document::Metadata(metadata) => {
            let columns = [
                "version",
                "timestamp_utc",
                "engine_sandbox_version",
                "environment",
                "api_current",
                "api_supported",
                "available_endpoints",
            ];
            let row = [
                &metadata.version,
                &metadata.timestamp_utc,
                &metadata.engine_sandbox_version,
                &metadata.environment,
                &metadata.api_current,
                &metadata.api_supported.join(" "),
                &metadata.available_endpoints.join(" "),
            ];
            written(&columns, [row.map(|text| cell(text))])
        }
    }
}

fn region_row(
    date: &str,
    id: &str,
    name: &str,
    costs: [Option<f64>; 3],
    decimals: usize,
    share: String,
) -> [String; 8] {
    let figure = |cost: Option<f64>| cost.map_or(String::new(), |cost| plain(cost, decimals));
    let [min, avg, max] = costs.map(figure);
    [date.into(), cell(id), cell(name), CURRENCY.into(), min, avg, max, share]
}

/// The hashrate share of each region by its id, percent. A snapshot has none; what explains its figures
/// does, where a deployment explains them.
async fn shares(source: &Source, date: &str) -> HashMap<String, f64> {
    let explained = source.explanation_json(GLOBAL, date.parse().ok()).await;
    let shares: Option<Shares> = explained.ok().and_then(|text| serde_json::from_str(&text).ok());
    let parts = shares.map(|shares| shares.parts).unwrap_or_default().into_iter();
    parts.map(|part| (part.region_id, part.hashrate_share_pct)).collect()
}

/// The part of an explanation that has the shares.
#[derive(Deserialize)]
struct Shares {
    parts: Vec<RegionShare>,
}

#[derive(Deserialize)]
struct RegionShare {
    region_id: String,
    hashrate_share_pct: f64,
}

/// A text of somebody else, as a spreadsheet may show it.
fn cell(text: &str) -> String {
    let is_formula = text.starts_with(FORMULA_STARTS);
    if is_formula { format!("'{text}") } else { text.into() }
}

/// Rows under a row of their names, in lines as RFC 4180 has them.
fn written<const N: usize>(
    columns: &[&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> Result<String, String> {
    let mut records =
        csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let mut written = records.write_record(columns);
    for row in rows {
        written = written.and_then(|()| records.write_record(row));
    }
    written.map_err(|error| error.to_string())?;
    let text = records.into_inner().map_err(|error| error.to_string())?;
    String::from_utf8(text).map_err(|error| error.to_string())
}
