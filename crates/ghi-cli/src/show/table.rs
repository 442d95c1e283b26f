//! Rows as a table, CSV or JSON.

use csv::ReaderBuilder;
use ghi_client::with_query;
use ghi_contract::GLOBAL;
use ghi_engine::visible;
use ghi_server::csv_table;
use serde_json::{Value, json};

use crate::source::{COST_CURVE_CSV, DocumentSource, ECONOMICS_CSV};
use crate::text_table::{aligned, aligned_with_names, row};

const CELL_MAX: usize = 200;

const DATE_MAX: usize = 10;

/// The columns of files that contain text. The others contain numbers.
const TEXTS: [&str; 3] = ["date", "region_id", "name"];

/// Rows under columns, each with its name in files and its label for people. A column without a label is only in
/// files.
pub(crate) struct Table {
    pub(crate) columns: Vec<(String, String)>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) async fn fetch(source: &DocumentSource, target: &str) -> Result<Self, String> {
        let csv = source.file(target).await?;
        let mut reader = ReaderBuilder::new().from_reader(csv.as_bytes());
        let invalid = |error: csv::Error| format!("not a valid table: {error}");
        let names = reader.headers().map_err(invalid)?.clone();
        // A table with names is for one day, so people don't see its date.
        let has_names = names.iter().any(|name| name == "name");
        let label = |name| visible(label(name, has_names), CELL_MAX);
        let columns = names.iter().map(|name| (name.into(), label(name))).collect();
        let cells = |record: csv::StringRecord| record.iter().map(String::from).collect();
        let rows = reader.records().map(|record| record.map(cells)).collect::<Result<_, _>>();
        Ok(Self { columns, rows: rows.map_err(invalid)? })
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    pub(crate) fn cell(&self, row: usize, column: &str) -> Option<&str> {
        let column = self.names().position(|name| name == column)?;
        self.rows.get(row)?.get(column).map(String::as_str)
    }

    pub(crate) fn date(&self) -> &str {
        self.cell(self.rows.len().saturating_sub(1), "date").unwrap_or_default()
    }

    /// Formats the columns that have a label, with the labels as the first line. Names may be shortened to fit the
    /// terminal, so their column comes last.
    pub(crate) fn text(mut self, terminal: Option<usize>) -> String {
        let shown = self.shown_columns();
        let mut rows = vec![shown.iter().map(|at| self.columns[*at].1.clone()).collect()];
        let pick = |row: &mut Vec<String>| -> Vec<String> {
            let cell = |at: &usize| std::mem::take(&mut row[*at]);
            shown.iter().map(cell).map(|cell| visible(&cell, CELL_MAX)).collect()
        };
        rows.extend(self.rows.iter_mut().map(pick));
        match shown.last().is_some_and(|last| self.columns[*last].0 == "name") {
            true => aligned_with_names(&rows, terminal),
            false => aligned(&rows),
        }
    }

    /// Formats the first row with one line per field. A cell may have more lines.
    pub(crate) fn fields(&self) -> String {
        let lines = self.shown_columns().into_iter().flat_map(|at| {
            let labels = std::iter::once(&*self.columns[at].1).chain(std::iter::repeat(""));
            labels.zip(self.rows[0][at].lines()).map(|(label, value)| row([label, value]))
        });
        aligned_with_names(&lines.collect::<Vec<_>>(), None)
    }

    /// Returns the places of the columns that people see.
    fn shown_columns(&self) -> Vec<usize> {
        let has_label = |at: &usize| !self.columns[*at].1.is_empty();
        let mut shown: Vec<usize> = (0..self.columns.len()).filter(has_label).collect();
        shown.sort_by_key(|at| self.columns[*at].0 == "name");
        shown
    }

    pub(crate) fn csv(&self) -> String {
        let columns: Vec<&str> = self.names().collect();
        String::from_utf8_lossy(&csv_table(&columns, self.rows.iter().cloned())).into_owned()
    }

    /// Converts a file to `{"rows": [...]}`.
    pub(crate) fn json(&self) -> Value {
        let value = |((name, _), cell): (&(String, String), &String)| {
            let is_text = TEXTS.contains(&name.as_str());
            (name.clone(), if is_text { cell.as_str().into() } else { number(cell) })
        };
        let row =
            |row: &Vec<String>| -> Value { self.columns.iter().zip(row).map(value).collect() };
        json!({"rows": self.rows.iter().map(row).collect::<Vec<_>>()})
    }
}

fn label(name: &str, has_names: bool) -> &str {
    match name {
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
    }
}

/// Converts a cell to a JSON number, if it is one.
fn number(cell: &str) -> Value {
    serde_json::from_str(cell).map_or_else(|_| cell.into(), Value::Number)
}

/// The cost curve of a day, compared with a price.
pub(crate) struct CostCurve {
    pub(crate) table: Table,
    /// The price, and the share of the hashrate that mines at or below it, in percent.
    pub(crate) price: Option<[String; 2]>,
}

impl CostCurve {
    /// Fetches the curve of a day. The price defaults to the market price, if there is one.
    pub(crate) async fn fetch(
        source: &DocumentSource,
        date: Option<String>,
        price: Option<String>,
    ) -> Result<Self, String> {
        let table = Table::fetch(source, &with_query(COST_CURVE_CSV, [("date", date)])).await?;
        let date = table.cell(0, "date").ok_or("the cost curve has no rows")?.to_owned();
        let given = [("date", Some(date)), ("price", price.clone())];
        let economics = match Table::fetch(source, &with_query(ECONOMICS_CSV, given)).await {
            Err(error) if price.is_some() => return Err(error),
            economics => economics.ok(),
        };
        let price = economics.and_then(|economics| {
            let cell = |column| economics.cell(0, column).map(|cell| visible(cell, CELL_MAX));
            Some([cell("price_usd")?, cell("hashrate_below_price_pct")?])
        });
        Ok(Self { table, price })
    }

    /// Converts the curve to the JSON of its rows, with the price if there is one.
    pub(crate) fn json(&self) -> Value {
        let mut json = self.table.json();
        if let Some([price, share]) = &self.price {
            json["price_usd"] = number(price);
            json["hashrate_below_price_pct"] = number(share);
        }
        json
    }

    /// Returns what to show, with the price as a last row if requested: its share is cumulative, and it is an average
    /// cost.
    pub(crate) fn shown(self, source: &DocumentSource, has_price_row: bool) -> Shown {
        let json = self.json();
        let Self { mut table, price } = self;
        let coin = source.coin();
        let date = table.date().to_owned();
        let title = format!("Cost curve, USD per {}, {}", coin.unit(), visible(&date, DATE_MAX));
        let Some([price, share]) = price else {
            return Shown::file(source, &title, json, table);
        };
        let summary =
            format!("\n{share}% of the hashrate mines one {} for {price} USD or less\n", coin.name);
        if has_price_row {
            let cell = |name: &str| match name {
                "date" => date.clone(),
                "name" => "price".into(),
                "cumulative_share_pct" => share.clone(),
                "avg_cost_usd" => price.clone(),
                _ => String::new(),
            };
            let row = table.names().map(cell).collect();
            table.rows.push(row);
        }
        Shown { summary, ..Shown::file(source, &title, json, table) }
    }
}

/// A document or a file with what is shown around its rows.
pub(crate) struct Shown {
    /// The title, the source and the time, in two lines.
    pub(crate) heading: String,
    pub(crate) json: String,
    pub(crate) table: Table,
    /// Whether each row is a line, not each field of the only row.
    pub(crate) is_list: bool,
    pub(crate) summary: String,
}

impl Shown {
    pub(crate) fn file(source: &DocumentSource, title: &str, json: Value, table: Table) -> Self {
        let heading = source.heading(title, GLOBAL, table.date(), "");
        let json = json.to_string();
        Self { heading, json, table, is_list: true, summary: String::new() }
    }
}
