//! Documents as tables and as CSV.

use std::collections::HashMap;

use ghi_client::{AnySnapshot, Resource};
use ghi_contract::{CURRENCY, GLOBAL, History, Regions};
use ghi_engine::visible;
use ghi_server::csv_table;
use serde_json::{Map, Value};

use crate::show::costs::{
    self, cost_range, decimals, own_decimals, plain, readable, snapshot_rows,
};
use crate::source::{DocumentSource, parse_document};
use crate::text_table::{aligned, aligned_with_names, row};

/// The maximum number of characters of a text in a table.
const TEXT_MAX: usize = 200;

/// Characters that start a formula in a spreadsheet.
const FORMULA_STARTS: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

/// The share of all regions together, in percent.
const WHOLE_PCT: f64 = 100.0;

/// The title of a table of costs. The heading replaces the coin with its name.
const COSTS: &str = "Cost of mining one coin, USD";

/// A document as rows.
pub(crate) struct DocumentTable {
    title: String,
    timestamp_utc: String,
    /// The scope and the last day of the data.
    data_of: [String; 2],
    /// The column names in CSV, which are the contract's field names, each followed by a colon and the label in
    /// a table. Columns without a label are not in the table. The server's tables have the same columns.
    columns: &'static str,
    rows: Vec<Vec<String>>,
    is_list: bool,
}

/// The style of cells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellStyle {
    Table,
    Csv,
}

impl CellStyle {
    fn text(self, text: &str) -> String {
        match self {
            Self::Table => visible(text, TEXT_MAX),
            Self::Csv if text.starts_with(FORMULA_STARTS) => format!("'{text}"),
            Self::Csv => text.into(),
        }
    }

    fn figure(self, figure: f64, decimals: usize) -> String {
        if self == Self::Table { readable(figure, decimals) } else { plain(figure, decimals) }
    }

    /// Formats minimum, average and maximum, of which some may be missing.
    fn costs(self, costs: [Option<f64>; 3], decimals: usize) -> [String; 3] {
        let missing = if self == Self::Table { "–" } else { "" };
        costs.map(|cost| cost.map_or_else(|| missing.into(), |cost| self.figure(cost, decimals)))
    }

    fn list<'a>(self, texts: impl Iterator<Item = &'a str>) -> String {
        let separator = if self == Self::Table { "\n" } else { " " };
        texts.map(|text| self.text(text)).collect::<Vec<_>>().join(separator)
    }
}

impl DocumentTable {
    /// Reads a document. `shares` are the hashrate shares of a snapshot's regions, in percent.
    pub(crate) fn read(
        resource: &Resource,
        document: &str,
        style: CellStyle,
        shares: &HashMap<String, f64>,
    ) -> Result<Self, String> {
        let text = |text: &str| style.text(text);
        let mut data_of = None;
        let (title, timestamp_utc, columns, rows) = match resource {
            Resource::Snapshot => {
                let snapshot: AnySnapshot = parse_document(document)?;
                let date = text(date_of(&snapshot.timestamp_utc));
                let all = snapshot_rows(&snapshot);
                let decimals = decimals(all.clone().flat_map(|(_, _, costs)| costs).flatten());
                let rows = all.map(|(id, name, costs)| {
                    let share = if id == GLOBAL { Some(&WHOLE_PCT) } else { shares.get(id) };
                    let share = share.map_or_else(String::new, |&share| {
                        style.figure(share, costs::decimals([share]))
                    });
                    let [min, avg, max] = style.costs(costs, decimals);
                    vec![date.clone(), text(id), text(name), CURRENCY.into(), min, avg, max, share]
                });
                let rows = rows.collect();
                let columns = "date|region_id:region|name:name|currency|min_cost_usd:min|avg_cost_usd:avg|max_cost_usd:max|hashrate_share_pct";
                (format!("{COSTS}, {date}"), snapshot.timestamp_utc, columns, rows)
            }
            Resource::Regions => {
                let Regions { regions, timestamp_utc, .. } = parse_document(document)?;
                let rows = regions.iter().map(|region| vec![text(&region.id), text(&region.name)]);
                let rows: Vec<_> = rows.collect();
                let regions = if rows.len() == 1 { "region" } else { "regions" };
                (format!("{} {regions}", rows.len()), timestamp_utc, "id:region|name:name", rows)
            }
            Resource::History(_) => {
                let History { points, region_id, timestamp_utc, .. } = parse_document(document)?;
                let (id, decimals) =
                    (text(&region_id), decimals(points.iter().flat_map(cost_range)));
                let rows = points.iter().map(|point| {
                    let [min, avg, max] = style.costs(cost_range(point).map(Some), decimals);
                    vec![text(&point.date), id.clone(), text(&point.currency), min, avg, max]
                });
                let rows: Vec<_> = rows.collect();
                let days = rows.first().zip(rows.last());
                data_of = days.map(|(_, last)| [region_id, last[0].clone()]);
                let days = days.map(|(first, last)| format!(", {} to {}", first[0], last[0]));
                let title = format!("{COSTS}, {id}{}", days.unwrap_or_default());
                let columns = "date:day|region_id|currency|min_cost_usd:min|avg_cost_usd:avg|max_cost_usd:max";
                (title, timestamp_utc, columns, rows)
            }
            _ => return Self::read_single(resource, document, style),
        };
        let today = || [GLOBAL.into(), date_of(&timestamp_utc).into()];
        let data_of = data_of.unwrap_or_else(today);
        Ok(Self { title, timestamp_utc, data_of, columns, rows, is_list: true })
    }

    /// Reads a document with a single row.
    fn read_single(resource: &Resource, document: &str, style: CellStyle) -> Result<Self, String> {
        let fields: Map<String, Value> = parse_document(document)?;
        let string = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
        let date = style.text(date_of(string("timestamp_utc")));
        let (title, columns) = match resource {
            Resource::Network => (
                format!("Network, {date}"),
                "date|hashrate_eh:hashrate, EH/s|difficulty:difficulty|avg_fee_usd:mean fee, USD",
            ),
            Resource::Forecast(_) => (
                "Forecast of the average cost of mining one coin".into(),
                "date|forecast_days:horizon, days|predicted_avg_cost_usd:average, USD",
            ),
            Resource::Indicator => (
                format!("{COSTS}, {GLOBAL}, API 1.0"),
                "date:day|currency|min_cost_usd:min|avg_cost_usd:avg|max_cost_usd:max",
            ),
            Resource::Metadata => (
                "Service".into(),
                "version|timestamp_utc|engine_sandbox_version:engine|environment:environment|api_current:current API|api_supported:supported APIs|available_endpoints:endpoints",
            ),
            _ => (
                format!("{COSTS}, {}, {date}", style.text(string("region_id"))),
                "date|region_id:region|name:name|currency|min_cost_usd:min|avg_cost_usd:avg|max_cost_usd:max|hashrate_share_pct:hashrate share, %",
            ),
        };
        let costs = fields.iter().filter(|(name, _)| name.ends_with("cost_usd"));
        let cost_decimals = decimals(costs.filter_map(|(_, cost)| cost.as_f64()));
        let cell = |(name, _): (&str, &str)| match fields.get(name) {
            Some(Value::String(value)) => style.text(value),
            Some(Value::Array(items)) => style.list(items.iter().filter_map(Value::as_str)),
            Some(number) => {
                let number = number.as_f64().unwrap_or_default();
                let decimals = match name {
                    "difficulty" | "forecast_days" => own_decimals(number),
                    _ if name.ends_with("cost_usd") => cost_decimals,
                    _ => decimals([number]),
                };
                style.figure(number, decimals)
            }
            None if name == "date" => date.clone(),
            None => CURRENCY.into(),
        };
        let rows = vec![split(columns).map(cell).collect()];
        let timestamp_utc = string("timestamp_utc").to_owned();
        let region_id = fields.get("region_id").and_then(Value::as_str).unwrap_or(GLOBAL);
        let data_of = [region_id.into(), date];
        Ok(Self { title, timestamp_utc, data_of, columns, rows, is_list: false })
    }

    /// Returns the title, the source and the time of the document, in two lines.
    pub(crate) fn heading(&self, source: &DocumentSource) -> String {
        let timestamp = CellStyle::Table.text(&self.timestamp_utc);
        let seconds = timestamp.split('.').next().unwrap_or_default().trim_end_matches('Z');
        let title = self.title.replacen("one coin", &format!("one {}", source.coin().name), 1);
        let [region_id, date] = &self.data_of;
        format!(
            "{title}\n{}, {}, {seconds}Z\n",
            source.kind_of_data(region_id, date),
            source.name()
        )
    }

    /// Formats a table for a terminal of this width: one line per row for a list, one per field otherwise.
    pub(crate) fn table(self, width: Option<usize>) -> String {
        let labels: Vec<&str> = split(self.columns).map(|(_, label)| label).collect();
        // Names may be shortened, so their column comes last.
        let mut shown: Vec<usize> =
            (0..labels.len()).filter(|at| !labels[*at].is_empty()).collect();
        shown.sort_by_key(|at| labels[*at] == "name");
        if self.rows.is_empty() {
            return "No data.\n".into();
        }
        if !self.is_list {
            let fields = shown.iter().flat_map(|at| {
                let labels = std::iter::once(labels[*at]).chain(std::iter::repeat(""));
                labels.zip(self.rows[0][*at].lines()).map(|(label, value)| row([label, value]))
            });
            return aligned_with_names(fields.collect(), None);
        }
        let header = shown.iter().map(|at| labels[*at].to_owned()).collect();
        let pick = |mut cells: Vec<String>| {
            shown.iter().map(|at| std::mem::take(&mut cells[*at])).collect::<Vec<_>>()
        };
        let rows = std::iter::once(header).chain(self.rows.into_iter().map(pick)).collect();
        if labels.contains(&"name") { aligned_with_names(rows, width) } else { aligned(&rows) }
    }

    /// Formats CSV with a header row.
    pub(crate) fn csv(self) -> String {
        let columns: Vec<&str> = split(self.columns).map(|(name, _)| name).collect();
        String::from_utf8_lossy(&csv_table(&columns, self.rows.into_iter())).into_owned()
    }
}

fn split(columns: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    columns.split('|').map(|column| column.split_once(':').unwrap_or((column, "")))
}

/// Returns the UTC date of a document.
pub(crate) fn date_of(timestamp_utc: &str) -> &str {
    timestamp_utc.split('T').next().unwrap_or_default()
}
