//! The cost curve and the economics, read from their CSV.

use csv::{ReaderBuilder, StringRecord};
use ghi_contract::GLOBAL;
use ghi_engine::visible;
use jiff::civil::Date;
use serde_json::{Map, Value, json};

use crate::output::Format;
use crate::source::{DocumentSource, TableRequest};
use crate::text_table::{aligned, aligned_with_names};

/// The maximum length of a cell in characters.
const CELL_MAX: usize = 80;

/// The columns that contain text. The others contain numbers.
const TEXTS: [&str; 3] = ["date", "region_id", "name"];

/// A table as a server sends it.
pub(crate) struct TableFile {
    csv: String,
    columns: StringRecord,
    rows: Vec<StringRecord>,
}

impl TableFile {
    pub(crate) fn parse(csv: String) -> Result<Self, String> {
        let mut reader = ReaderBuilder::new().from_reader(csv.as_bytes());
        let invalid = |error: csv::Error| format!("not a valid table: {error}");
        let columns = reader.headers().map_err(invalid)?.clone();
        let rows = reader.records().collect::<Result<Vec<_>, _>>().map_err(invalid)?;
        Ok(Self { csv, columns, rows })
    }

    /// Returns the cell of a row in the column with this name.
    pub(crate) fn cell(&self, row: usize, column: &str) -> Option<&str> {
        let column = self.columns.iter().position(|name| name == column)?;
        self.rows.get(row)?.get(column)
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Converts the table to `{"rows": [...]}`.
    pub(crate) fn json(&self) -> Value {
        let value = |(name, cell): (&str, &str)| {
            let value = if TEXTS.contains(&name) { cell.into() } else { number(cell) };
            (name.to_owned(), value)
        };
        let row = |row: &StringRecord| -> Value {
            Value::Object(self.columns.iter().zip(row).map(value).collect::<Map<_, _>>())
        };
        json!({"rows": self.rows.iter().map(row).collect::<Vec<_>>()})
    }

    /// Returns a title, and a line with the kind of the data on the last day and its source.
    fn heading(&self, title: &str, source: &DocumentSource) -> String {
        let date = self.cell(self.len().saturating_sub(1), "date").unwrap_or_default();
        format!("{title}\n{}, {}\n", source.kind_of_data(GLOBAL, date), source.name())
    }

    /// Formats the table. Only the format for people has a title.
    pub(crate) fn shown(
        &self,
        format: Format,
        title: &str,
        source: &DocumentSource,
        width: Option<usize>,
    ) -> String {
        match format {
            Format::Csv => self.csv.clone(),
            Format::Json => self.json().to_string() + "\n",
            Format::Table => format!("{}\n{}", self.heading(title, source), self.table(width)),
        }
    }

    /// Formats the rows, without units in the headings. Names may be shortened, so their column comes last.
    fn table(&self, width: Option<usize>) -> String {
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        let name = self.columns.iter().position(|name| name == "name");
        let hidden = name.and(self.columns.iter().position(|name| name == "date"));
        order.retain(|column| Some(*column) != hidden);
        order.sort_by_key(|column| Some(*column) == name);
        let cells = |record: &StringRecord| -> Vec<String> {
            order.iter().map(|column| visible(&record[*column], CELL_MAX)).collect()
        };
        let label = |column: &usize| match &self.columns[*column] {
            "region_id" => "region".to_owned(),
            "hashrate_share_pct" => "share %".into(),
            "cumulative_share_pct" => "up to %".into(),
            "price_usd" => "price".into(),
            "price_to_cost" => "price/cost".into(),
            "hashprice_usd_per_ph_day" => "hashprice".into(),
            "break_even_usd_per_kwh" => "even USD/kWh".into(),
            "break_even_j_per_th" => "even J/TH".into(),
            "hashrate_below_price_pct" => "below %".into(),
            other => visible(other.trim_end_matches("_cost_usd"), CELL_MAX),
        };
        let header = order.iter().map(label).collect();
        let rows: Vec<_> = std::iter::once(header).chain(self.rows.iter().map(cells)).collect();
        if name.is_some() { aligned_with_names(rows, width) } else { aligned(&rows) }
    }
}

/// Converts a cell to a JSON number, if it is one.
fn number(cell: &str) -> Value {
    serde_json::from_str(cell).map_or_else(|_| cell.into(), Value::Number)
}

/// The cost curve of a day compared with a price.
pub(crate) struct CurveTable {
    pub(crate) table: TableFile,
    date: String,
    /// The price, and the share of the hashrate that mines at or below it, in percent.
    pub(crate) price: Option<[String; 2]>,
}

impl CurveTable {
    /// Fetches the curve. The price defaults to the market price, if there is one.
    pub(crate) async fn fetch(
        source: &DocumentSource,
        date: Option<Date>,
        price: Option<f64>,
    ) -> Result<Self, String> {
        let request = TableRequest { date, ..Default::default() };
        let table = TableFile::parse(source.table(&request).await?)?;
        let date = table.cell(0, "date").ok_or("the cost curve has no rows")?.to_owned();
        let day = date.parse().map_err(|_| "the cost curve has no date".to_owned())?;
        let request =
            TableRequest { is_economics: true, date: Some(day), price, ..Default::default() };
        let economics = match source.table(&request).await {
            Ok(economics) => Some(TableFile::parse(economics)?),
            Err(error) if price.is_some() => return Err(error),
            Err(_) => None,
        };
        let cells = |economics: TableFile| {
            let cell = |column| economics.cell(0, column).map(|cell| visible(cell, CELL_MAX));
            Some([cell("price_usd")?, cell("hashrate_below_price_pct")?])
        };
        Ok(Self { table, date, price: economics.and_then(cells) })
    }

    fn title(&self, source: &DocumentSource) -> String {
        format!("Cost curve, USD per {}, {}", source.coin().unit(), visible(&self.date, CELL_MAX))
    }

    /// Returns the title and the source.
    pub(crate) fn heading(&self, source: &DocumentSource) -> String {
        self.table.heading(&self.title(source), source)
    }

    /// States how much of the hashrate mines at or below the price.
    pub(crate) fn summary(&self, source: &DocumentSource) -> String {
        let coin = source.coin().name;
        self.price.as_ref().map_or_else(String::new, |[price, share]| {
            format!("\n{share}% of the hashrate mines one {coin} for {price} USD or less\n")
        })
    }

    /// Converts the curve to JSON: the rows, the price and the share that mines at or below it.
    pub(crate) fn json(&self) -> Value {
        let mut json = self.table.json();
        if let Some([price, share]) = &self.price {
            json["price_usd"] = number(price);
            json["hashrate_below_price_pct"] = number(share);
        }
        json
    }

    /// Formats the curve.
    pub(crate) fn shown(
        &self,
        format: Format,
        source: &DocumentSource,
        width: Option<usize>,
    ) -> String {
        match format {
            Format::Json => self.json().to_string() + "\n",
            Format::Csv => self.table.csv.clone(),
            Format::Table => {
                let table = self.table.shown(format, &self.title(source), source, width);
                table + &self.summary(source)
            }
        }
    }
}
