//! Rows as a table, CSV or JSON.

use ghi_client::with_query;
use ghi_display::grouped;
use ghi_engine::visible;
use ghi_server::csv_table;
use serde_json::{Value, json};

use crate::source::{COST_CURVE_CSV, DocumentSource, ECONOMICS_CSV, verify_memory};
use crate::text_table::{GAP, aligned};

/// The maximum length of a text in a table, in characters.
pub(super) const TEXT_MAX: usize = 200;

/// The limit on the estimated memory of a table in bytes. The economics of 11,000 days take 23 MB.
const MEMORY_MAX: usize = 24_000_000;

pub(super) const DATE_MAX: usize = 10;

/// The columns that contain text. The others contain numbers.
const TEXTS: [&str; 4] = ["date", "region_id", "id", "name"];

/// Characters that start a formula in a spreadsheet.
const FORMULA_STARTS: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

/// Rows under columns, each with its name in files and its label for people. A column without a label is only in
/// files.
#[derive(Default)]
pub(crate) struct Table {
    pub(crate) columns: Vec<(String, String)>,
    pub(crate) rows: Vec<Vec<String>>,
    /// Only for a cost curve: a price, and the share of the hashrate whose cost its revenue covers, in percent.
    pub(crate) price: Option<[String; 2]>,
}

impl Table {
    pub(crate) async fn fetch(source: &DocumentSource, target: &str) -> Result<Self, String> {
        let csv = source.file(target).await?;
        verify_memory(&csv, MEMORY_MAX)?;
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let invalid = |error: csv::Error| format!("not a valid table: {error}");
        let names = reader.headers().map_err(invalid)?.clone();
        // A table with names is for one day, so people don't see its date.
        let has_names = names.iter().any(|name| name == "name");
        let label = |name| visible(label(name, has_names), TEXT_MAX);
        let columns = names.iter().map(|name| (name.into(), label(name))).collect();
        let cells = |record: csv::StringRecord| record.iter().map(String::from).collect();
        let rows = reader.records().map(|record| record.map(cells)).collect::<Result<_, _>>();
        Ok(Self { columns, rows: rows.map_err(invalid)?, price: None })
    }

    /// Fetches the cost curve of a day. The price defaults to the market price, if there is one.
    pub(crate) async fn fetch_cost_curve(
        source: &DocumentSource,
        date: Option<String>,
        price: Option<String>,
    ) -> Result<Self, String> {
        let curve = Self::fetch(source, &with_query(COST_CURVE_CSV, [("date", date)])).await?;
        let date = curve.cell(0, "date").ok_or("the cost curve has no rows")?.to_owned();
        let given = [("date", Some(date)), ("price", price.clone())];
        let economics = match Self::fetch(source, &with_query(ECONOMICS_CSV, given)).await {
            Err(error) if price.is_some() => return Err(error),
            economics => economics.ok(),
        };
        let price = economics.and_then(|economics| {
            let cell = |column| economics.cell(0, column).filter(|cell| !cell.is_empty());
            let cell = |column| cell(column).map(|cell| visible(cell, TEXT_MAX));
            Some([cell("price_usd")?, cell("hashrate_below_price_pct")?])
        });
        Ok(Self { price, ..curve })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    pub(super) fn cell(&self, row: usize, column: &str) -> Option<&str> {
        let column = self.names().position(|name| name == column)?;
        self.rows.get(row)?.get(column).map(String::as_str)
    }

    /// Returns the last date.
    pub(super) fn date(&self) -> &str {
        self.cell(self.rows.len().saturating_sub(1), "date").unwrap_or_default()
    }

    /// Adds the price of a cost curve as a row: its share is cumulative, and it is an average cost.
    pub(super) fn add_price_row(&mut self) {
        let Some([price, share]) = &self.price else { return };
        let cell = |name: &str| match name {
            "date" => self.date(),
            "name" => "price",
            "cumulative_share_pct" => share,
            "avg_cost_usd" => price,
            _ => "",
        };
        let row = self.names().map(|name| cell(name).to_owned()).collect();
        self.rows.push(row);
    }

    /// Formats the columns that have a label: a list with one line per row, otherwise one line per field.
    pub(crate) fn text(&self, is_list: bool) -> String {
        let mut shown: Vec<_> = self.columns.iter().enumerate().collect();
        shown.retain(|(_, (_, label))| !label.is_empty());
        // Names may have letters of any width, so their column comes last.
        shown.sort_by_key(|(_, (name, _))| name == "name");
        if is_list {
            let labels = shown.iter().map(|(_, (_, label))| label.clone()).collect();
            let cells = |row: &Vec<String>| {
                shown.iter().map(|(at, (name, _))| readable(name, &row[*at])).collect::<Vec<_>>()
            };
            return aligned(
                &[labels].into_iter().chain(self.rows.iter().map(cells)).collect::<Vec<_>>(),
            );
        }
        let width = shown.iter().map(|(_, (_, label))| label.len()).max().unwrap_or_default();
        let mut text = String::new();
        for (at, (name, label)) in shown {
            // A cell may have more lines.
            for (number, line) in self.rows[0][at].split('\n').enumerate() {
                let label = if number == 0 { label } else { "" };
                text += format!("{label:width$}{GAP}{}", readable(name, line)).trim_end();
                text += "\n";
            }
        }
        text
    }

    /// Formats the table as CSV, without texts that a spreadsheet would interpret as a formula.
    pub(crate) fn csv(&self) -> String {
        let columns: Vec<&str> = self.names().collect();
        let is_formula =
            |cell: &str| cell.starts_with(FORMULA_STARTS) && cell.parse::<f64>().is_err();
        let cell = |cell: &String| if is_formula(cell) { format!("'{cell}") } else { cell.clone() };
        let rows = self.rows.iter().map(|row| row.iter().map(cell));
        String::from_utf8_lossy(&csv_table(&columns, rows)).into_owned()
    }

    /// Converts a file to `{"rows": [...]}`, with the price if there is one.
    pub(crate) fn json(&self) -> Value {
        let value = |((name, _), cell): (&(String, String), &String)| {
            let is_text = TEXTS.contains(&name.as_str());
            (name.clone(), if is_text { cell.as_str().into() } else { number(cell) })
        };
        let row =
            |row: &Vec<String>| -> Value { self.columns.iter().zip(row).map(value).collect() };
        let mut json = json!({"rows": self.rows.iter().map(row).collect::<Vec<_>>()});
        if let Some([price, share]) = &self.price {
            json["price_usd"] = number(price);
            json["hashrate_below_price_pct"] = number(share);
        }
        json
    }
}

/// Returns a cell as people see it, with thousands separators.
fn readable(name: &str, cell: &str) -> String {
    let text = visible(cell, TEXT_MAX);
    match cell.parse::<f64>() {
        Ok(_) if !TEXTS.contains(&name) => grouped(text),
        Err(_) if cell.is_empty() && name.ends_with("cost_usd") => "–".into(),
        _ => text,
    }
}

fn label(name: &str, has_names: bool) -> &str {
    match name {
        "date" if has_names => "",
        "region_id" => "region",
        "forecast_days" => "days",
        "mean_absolute_error_pct" => "error %",
        "of_repeating_today_pct" => "repeating today %",
        "inside_interval_pct" => "inside interval %",
        "hashrate_share_pct" => "share %",
        "cumulative_share_pct" => "up to %",
        "price_usd" => "price",
        "price_to_cost" => "price/cost",
        "hashprice_usd_per_ph_day" => "hashprice",
        "break_even_usd_per_kwh" => "even USD/kWh",
        "break_even_j_per_th" => "even J/TH",
        "hashrate_below_price_pct" => "below %",
        "revenue_to_cost" => "revenue/cost",
        "power_gw" => "GW",
        "energy_twh_per_year" => "TWh/year",
        other => other.trim_end_matches("_cost_usd"),
    }
}

/// Converts a cell to a JSON number, if it is one, or to null if it is empty.
fn number(cell: &str) -> Value {
    match cell {
        "" => Value::Null,
        _ => serde_json::from_str(cell).map_or_else(|_| cell.into(), Value::Number),
    }
}
