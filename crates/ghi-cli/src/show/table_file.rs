//! The cost curve and the economics, read from their CSV.

use csv::{ReaderBuilder, StringRecord};
use ghi_client::with_query;
use ghi_contract::GLOBAL;
use ghi_engine::visible;
use serde_json::{Map, Value, json};

use crate::output::{Format, terminal_width};
use crate::source::{COST_CURVE_CSV, DocumentSource, ECONOMICS_CSV};
use crate::text_table::labelled;

/// The maximum length of a cell in characters.
const CELL_MAX: usize = 80;

/// The columns that contain text. The others contain numbers.
const TEXTS: [&str; 3] = ["date", "region_id", "name"];

/// A table as a server sends it.
pub(crate) struct TableFile {
    csv: String,
    columns: StringRecord,
    rows: Vec<StringRecord>,
    /// A cost curve's price, and the share of the hashrate that mines at or below it, in percent.
    pub(crate) price: Option<[String; 2]>,
    /// Whether the price is the user's, not the market price.
    has_own_price: bool,
}

impl TableFile {
    /// Fetches the table at this path and query.
    pub(crate) async fn fetch(source: &DocumentSource, target: &str) -> Result<Self, String> {
        let csv = source.file(target).await?;
        let mut reader = ReaderBuilder::new().from_reader(csv.as_bytes());
        let invalid = |error: csv::Error| format!("not a valid table: {error}");
        let columns = reader.headers().map_err(invalid)?.clone();
        let rows = reader.records().collect::<Result<Vec<_>, _>>().map_err(invalid)?;
        Ok(Self { csv, columns, rows, price: None, has_own_price: false })
    }

    /// Fetches the cost curve of a day. The price defaults to the market price, if there is one.
    pub(crate) async fn fetch_curve(
        source: &DocumentSource,
        date: Option<String>,
        price: Option<String>,
    ) -> Result<Self, String> {
        let mut curve = Self::fetch(source, &with_query(COST_CURVE_CSV, [("date", date)])).await?;
        let date = curve.cell(0, "date").ok_or("the cost curve has no rows")?.to_owned();
        let given = [("date", Some(date)), ("price", price.clone())];
        curve.has_own_price = price.is_some();
        let economics = match Self::fetch(source, &with_query(ECONOMICS_CSV, given)).await {
            Err(error) if price.is_some() => return Err(error),
            economics => economics.ok(),
        };
        curve.price = economics.and_then(|economics| {
            let cell = |column| economics.cell(0, column).map(|cell| visible(cell, CELL_MAX));
            Some([cell("price_usd")?, cell("hashrate_below_price_pct")?])
        });
        Ok(curve)
    }

    /// Returns the cell of a row in the column with this name.
    pub(crate) fn cell(&self, row: usize, column: &str) -> Option<&str> {
        let column = self.columns.iter().position(|name| name == column)?;
        self.rows.get(row)?.get(column)
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Converts the table to `{"rows": [...]}`, with the price if there is one.
    pub(crate) fn json(&self) -> Value {
        let value = |(name, cell): (&str, &str)| {
            let value = if TEXTS.contains(&name) { cell.into() } else { number(cell) };
            (name.to_owned(), value)
        };
        let row = |row: &StringRecord| -> Value {
            Value::Object(self.columns.iter().zip(row).map(value).collect::<Map<_, _>>())
        };
        let mut json = json!({"rows": self.rows.iter().map(row).collect::<Vec<_>>()});
        if let Some([price, share]) = &self.price {
            json["price_usd"] = number(price);
            json["hashrate_below_price_pct"] = number(share);
        }
        json
    }

    /// Formats the price as a row of the curve: its share is cumulative, and it is an average cost.
    fn price_row(&self) -> String {
        let Some([price, share]) = &self.price else { return String::new() };
        let cells = self.columns.iter().map(|column| match column {
            "date" => self.cell(0, "date").unwrap_or_default(),
            "name" => "price",
            "cumulative_share_pct" => share,
            "avg_cost_usd" => price,
            _ => "",
        });
        cells.collect::<Vec<_>>().join(",") + "\r\n"
    }

    /// Formats the table. The format for people has a title, and a chart instead of the rows if one is given.
    pub(crate) fn shown(
        &self,
        format: Format,
        title: &str,
        source: &DocumentSource,
        chart: Option<String>,
    ) -> String {
        match format {
            Format::Csv if self.has_own_price => self.csv.clone() + &self.price_row(),
            Format::Csv => self.csv.clone(),
            Format::Json => self.json().to_string() + "\n",
            Format::Table => {
                let date = self.cell(self.len().saturating_sub(1), "date").unwrap_or_default();
                let (data, name) = (source.kind_of_data(GLOBAL, date), source.name());
                let table = chart.unwrap_or_else(|| self.table());
                format!("{title}\n{data}, {name}\n\n{table}{}", self.summary(source))
            }
        }
    }

    /// States how much of the hashrate mines at or below the price.
    fn summary(&self, source: &DocumentSource) -> String {
        let coin = source.coin().name;
        self.price.as_ref().map_or_else(String::new, |[price, share]| {
            format!("\n{share}% of the hashrate mines one {coin} for {price} USD or less\n")
        })
    }

    /// Formats the rows, without units in the labels. A table with names is for one day, so it has no date.
    fn table(&self) -> String {
        let has_names = self.columns.iter().any(|column| column == "name");
        let label = |column| match column {
            "date" if has_names => "",
            "region_id" => "region",
            "hashrate_share_pct" => "share %",
            "cumulative_share_pct" => "up to %",
            "price_usd" => "price",
            "price_to_cost" => "price/cost",
            "hashprice_usd_per_ph_day" => "hashprice",
            "break_even_usd_per_kwh" => "even USD/kWh",
            "break_even_j_per_th" => "even J/TH",
            "hashrate_below_price_pct" => "below %",
            other => other.trim_end_matches("_cost_usd"),
        };
        let labels: Vec<String> =
            self.columns.iter().map(|column| visible(label(column), CELL_MAX)).collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let cells = |row: &StringRecord| row.iter().map(|cell| visible(cell, CELL_MAX)).collect();
        let width = terminal_width().filter(|_| has_names);
        labelled(&labels, self.rows.iter().map(cells), width)
    }
}

/// Converts a cell to a JSON number, if it is one.
fn number(cell: &str) -> Value {
    serde_json::from_str(cell).map_or_else(|_| cell.into(), Value::Number)
}
