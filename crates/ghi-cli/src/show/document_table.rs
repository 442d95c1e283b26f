//! Documents as tables and as CSV.

use ghi_client::{AnySnapshot, Resource};
use ghi_contract::{CURRENCY, GLOBAL, Regions};
use ghi_display::WORLDWIDE;
use ghi_engine::visible;
use ghi_server::csv_table;
use serde_json::{Map, Value};

use crate::show::costs::{decimals, own_decimals, plain, readable};
use crate::source::{DocumentSource, parse_document};
use crate::text_table::{aligned_with_names, labelled, row};

/// The maximum length of a string in a table, in characters.
const TEXT_MAX: usize = 200;

/// Characters that start a formula in a spreadsheet.
const FORMULA_STARTS: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

/// The share of all regions together, in percent.
const WHOLE_PCT: f64 = 100.0;

/// The title of a table of costs. The heading replaces the coin with its name.
const COSTS: &str = "Cost of mining one coin, USD";

type Object = Map<String, Value>;

/// A document as rows.
pub(crate) struct DocumentTable {
    title: String,
    timestamp_utc: String,
    /// The scope of the data and its last day.
    data_of: [String; 2],
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

    fn list<'a>(self, texts: impl Iterator<Item = &'a str>) -> String {
        let separator = if self == Self::Table { "\n" } else { " " };
        texts.map(|text| self.text(text)).collect::<Vec<_>>().join(separator)
    }
}

impl DocumentTable {
    /// Reads a document.
    pub(crate) fn read(
        resource: &Resource,
        document: &str,
        style: CellStyle,
    ) -> Result<Self, String> {
        let mut document = known_fields(resource, document)?;
        let entries = entries(resource, &mut document);
        let string = |name: &str| document.get(name).and_then(Value::as_str).unwrap_or_default();
        let mut date = style.text(date_of(string("timestamp_utc")));
        let costs = entries.iter().flatten().filter(|(name, _)| name.ends_with("cost_usd"));
        let cost_decimals = decimals(costs.filter_map(|(_, cost)| cost.as_f64()));
        let cell = |entry: &Object, name: &str| match entry.get(name).or(document.get(name)) {
            Some(Value::String(value)) => style.text(value),
            Some(Value::Array(items)) => style.list(items.iter().filter_map(Value::as_str)),
            Some(Value::Number(number)) => {
                let number = number.as_f64().unwrap_or_default();
                let decimals = match name {
                    "difficulty" | "forecast_days" => own_decimals(number),
                    _ if name.ends_with("cost_usd") => cost_decimals,
                    _ => decimals([number]),
                };
                style.figure(number, decimals)
            }
            _ if name == "date" => date.clone(),
            _ if name == "currency" => CURRENCY.into(),
            _ if name.ends_with("cost_usd") && style == CellStyle::Table => "–".into(),
            _ => String::new(),
        };
        let columns = columns(resource);
        let row = |entry| split(columns).map(|(name, _)| cell(entry, name)).collect();
        let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
        let id = style.text(string("region_id"));
        let title = match resource {
            Resource::Snapshot => format!("{COSTS}, {date}"),
            Resource::Regions if rows.len() == 1 => "1 region".into(),
            Resource::Regions => format!("{} regions", rows.len()),
            Resource::RegionDetail(_) => format!("{COSTS}, {id}, {date}"),
            Resource::History(_) => match (rows.first(), rows.last()) {
                (Some(first), Some(last)) => {
                    date.clone_from(&last[0]);
                    format!("{COSTS}, {id}, {} to {date}", first[0])
                }
                _ => format!("{COSTS}, {id}"),
            },
            Resource::Network => format!("Network, {date}"),
            Resource::Forecast(_) => "Forecast of the average cost of mining one coin".into(),
            Resource::Indicator => format!("{COSTS}, {GLOBAL}, API 1.0"),
            Resource::Metadata => "Service".into(),
        };
        let is_list =
            matches!(resource, Resource::Snapshot | Resource::Regions | Resource::History(_));
        let region_id = document.get("region_id").and_then(Value::as_str).unwrap_or(GLOBAL);
        let (timestamp_utc, data_of) = (string("timestamp_utc").into(), [region_id.into(), date]);
        Ok(Self { title, timestamp_utc, data_of, columns, rows, is_list })
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
        if self.rows.is_empty() {
            return "No data.\n".into();
        }
        if self.is_list {
            return labelled(&labels, self.rows, width);
        }
        let fields = labels.iter().zip(&self.rows[0]).filter(|(label, _)| !label.is_empty());
        let mut fields: Vec<_> = fields.collect();
        fields.sort_by_key(|(label, _)| **label == "name");
        let lines = fields.into_iter().flat_map(|(label, value)| {
            let labels = std::iter::once(*label).chain(std::iter::repeat(""));
            labels.zip(value.lines()).map(|(label, value)| row([label, value]))
        });
        aligned_with_names(lines.collect(), None)
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
fn date_of(timestamp_utc: &str) -> &str {
    timestamp_utc.split('T').next().unwrap_or_default()
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
fn known_fields(resource: &Resource, document: &str) -> Result<Object, String> {
    let value = match resource {
        Resource::Snapshot => serde_json::to_value(parse_document::<AnySnapshot>(document)?),
        Resource::Regions => serde_json::to_value(parse_document::<Regions>(document)?),
        _ => return parse_document(document),
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
    let entries = document.remove(list).map(serde_json::from_value::<Vec<Object>>);
    let mut entries = entries.and_then(Result::ok).unwrap_or_default();
    if matches!(resource, Resource::Snapshot) {
        let costs = document.iter().filter_map(|(name, cost)| {
            Some((name.strip_prefix("global_")?.to_owned(), cost.clone()))
        });
        let mut worldwide: Object = costs.collect();
        if !worldwide.is_empty() {
            worldwide.insert("region_id".into(), GLOBAL.into());
            worldwide.insert("name".into(), WORLDWIDE.into());
            worldwide.insert("hashrate_share_pct".into(), WHOLE_PCT.into());
            entries.insert(0, worldwide);
        }
    }
    entries
}
