//! Rows as a table, CSV or JSON.

use csv::ReaderBuilder;
use ghi_client::with_query;
use ghi_contract::{ForecastDays, GLOBAL};
use ghi_display::grouped;
use ghi_engine::visible;
use ghi_server::csv_table;
use serde_json::{Value, json};

use crate::output::Format;
use crate::source::{COST_CURVE_CSV, DocumentSource, ECONOMICS_CSV, FORECAST_CSV, verify_memory};
use crate::text_table::{GAP, aligned};

const CELL_MAX: usize = 200;

/// The limit on the estimated memory of a table in bytes. The economics of 11,000 days take 23 MB.
const MEMORY_MAX: usize = 24_000_000;

pub(super) const DATE_MAX: usize = 10;

/// The columns of files that contain text. The others contain numbers.
const TEXTS: [&str; 3] = ["date", "region_id", "name"];

/// Rows under columns, each with its name in files and its label for people. A column without a label is only in
/// files.
#[derive(Default)]
pub(crate) struct Table {
    pub(super) columns: Vec<(String, String)>,
    pub(super) rows: Vec<Vec<String>>,
    /// Only for a cost curve: a price, and the share of the hashrate that mines at or below it, in percent.
    pub(super) price: Option<[String; 2]>,
}

impl Table {
    pub(crate) async fn fetch(source: &DocumentSource, target: &str) -> Result<Self, String> {
        let csv = source.file(target).await?;
        verify_memory(&csv, MEMORY_MAX)?;
        let mut reader = ReaderBuilder::new().from_reader(csv.as_bytes());
        let invalid = |error: csv::Error| format!("not a valid table: {error}");
        let names = reader.headers().map_err(invalid)?.clone();
        // A table with names is for one day, so people don't see its date.
        let has_names = names.iter().any(|name| name == "name");
        let label = |name| visible(label(name, has_names), CELL_MAX);
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
            let cell = |column| cell(column).map(|cell| visible(cell, CELL_MAX));
            Some([cell("price_usd")?, cell("hashrate_below_price_pct")?])
        });
        Ok(Self { price, ..curve })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    fn cell(&self, row: usize, column: &str) -> Option<&str> {
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

    /// Formats the columns that have a label, with the labels as the first line.
    pub(super) fn text(&self) -> String {
        let shown = self.shown_columns();
        let labels = shown.iter().map(|at| self.columns[*at].1.clone()).collect();
        let cells = |row: &Vec<String>| {
            shown.iter().map(|at| visible(&row[*at], CELL_MAX)).collect::<Vec<_>>()
        };
        aligned(&[labels].into_iter().chain(self.rows.iter().map(cells)).collect::<Vec<_>>())
    }

    /// Formats the first row with one line per field. A cell may have more lines.
    pub(super) fn fields(&self) -> String {
        let shown = self.shown_columns();
        let width = shown.iter().map(|at| self.columns[*at].1.len()).max().unwrap_or_default();
        let lines = shown.into_iter().flat_map(|at| {
            let labels = [&*self.columns[at].1].into_iter().chain(std::iter::repeat(""));
            labels.zip(self.rows[0][at].lines())
        });
        let line = |(label, value)| format!("{label:width$}{GAP}{value}").trim_end().to_owned();
        lines.map(|it| line(it) + "\n").collect()
    }

    /// Returns the places of the columns that people see. Names may be shortened to fit the terminal, so their
    /// column comes last.
    fn shown_columns(&self) -> Vec<usize> {
        let has_label = |at: &usize| !self.columns[*at].1.is_empty();
        let mut shown: Vec<usize> = (0..self.columns.len()).filter(has_label).collect();
        shown.sort_by_key(|at| self.columns[*at].0 == "name");
        shown
    }

    pub(super) fn csv(&self) -> String {
        let columns: Vec<&str> = self.names().collect();
        String::from_utf8_lossy(&csv_table(&columns, self.rows.iter().cloned())).into_owned()
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

/// A document or a file with what is shown around its rows.
#[derive(Default)]
pub(super) struct Shown {
    /// The title, the source and the time, in two lines.
    pub(super) heading: String,
    pub(super) json: String,
    pub(super) table: Table,
    /// A sentence below the table. May be empty.
    pub(super) note: String,
    /// Whether each row is a line, not each field of the only row.
    pub(super) is_list: bool,
}

impl Shown {
    /// Adds the interval and the reasons of a forecast. Other servers may not have the file with the interval.
    pub(super) async fn add_interval(
        &mut self,
        source: &DocumentSource,
        days: ForecastDays,
        format: Format,
    ) {
        let today = Some(self.table.date().to_owned());
        let days = Some(days.get().to_string());
        let given = [("forecast_days", days), ("from", today.clone()), ("to", today)];
        let file = Table::fetch(source, &with_query(FORECAST_CSV, given)).await.ok();
        for (name, label) in [("low_cost_usd", "80% from, USD"), ("high_cost_usd", "80% to, USD")] {
            let cell = file.as_ref().and_then(|file| file.cell(0, name)).unwrap_or_default();
            let label = if cell.is_empty() { "" } else { label };
            self.table.columns.push((name.into(), label.into()));
            let is_csv = format == Format::Csv;
            self.table.rows[0].push(if is_csv { cell.to_owned() } else { grouped(cell) });
        }
        self.note = source.outlook();
    }

    pub(super) fn file(source: &DocumentSource, title: &str, table: Table) -> Self {
        let heading = source.heading(title, GLOBAL, table.date(), "");
        Self { heading, json: table.json().to_string(), table, is_list: true, ..Self::default() }
    }
}
