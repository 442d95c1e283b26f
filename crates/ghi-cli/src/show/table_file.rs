//! Tables that are not part of the contract, from their CSV.

use csv::{ReaderBuilder, StringRecord};
use ghi_engine::visible;
use jiff::civil::Date;
use serde_json::{Map, Value, json};

use crate::output::Format;
use crate::source::{DocumentSource, TableRequest};
use crate::text_table::{aligned, aligned_with_names};

/// The longest cell that is shown, characters.
const CELL_MAX: usize = 80;

/// The columns with text.
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

    /// The cell of a row in a column of this name.
    pub(crate) fn cell(&self, row: usize, column: &str) -> Option<&str> {
        let column = self.columns.iter().position(|name| name == column)?;
        self.rows.get(row)?.get(column)
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// `{"rows": [...]}`, with numbers as numbers.
    pub(crate) fn json(&self) -> Value {
        let value = |(name, cell): (&str, &str)| {
            let number = || serde_json::from_str::<serde_json::Number>(cell).ok();
            let number = if TEXTS.contains(&name) { None } else { number() };
            (name.to_owned(), number.map_or_else(|| cell.into(), Value::Number))
        };
        let row = |row: &StringRecord| -> Value {
            Value::Object(self.columns.iter().zip(row).map(value).collect::<Map<_, _>>())
        };
        json!({"rows": self.rows.iter().map(row).collect::<Vec<_>>()})
    }

    /// The table in a format; for people below a title.
    pub(crate) fn shown(
        &self,
        format: Format,
        title: &str,
        source: &DocumentSource,
        width: Option<usize>,
    ) -> Result<String, String> {
        let heading = || format!("{title}\n{}, {}\n", source.kind_of_data(), source.name());
        Ok(match format {
            Format::Csv => self.csv.clone(),
            Format::Json => self.json().to_string() + "\n",
            Format::Table if self.rows.is_empty() => heading() + "\nNo data.\n",
            Format::Table => format!("{}\n{}", heading(), self.table(width)),
        })
    }

    /// The rows without units in the headings; a name is last, since it may be cut.
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

/// The cost curve of a day, and how a price compares with it.
pub(crate) struct CurveTable {
    pub(crate) table: TableFile,
    date: String,
    /// The price, and the share of the hashrate that mines at it or below it, percent.
    pub(crate) price: Option<[String; 2]>,
}

impl CurveTable {
    /// Fetches the curve. Without a price, it is compared with the market price, if there is one.
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

    fn title(&self) -> String {
        format!("Cost curve, USD per coin, {}", visible(&self.date, CELL_MAX))
    }

    /// What the curve is of, and from where.
    pub(crate) fn heading(&self, source: &DocumentSource) -> String {
        format!("{}\n{}, {}\n", self.title(), source.kind_of_data(), source.name())
    }

    /// How the price compares with the curve.
    pub(crate) fn finding(&self) -> String {
        match &self.price {
            Some([price, share]) => {
                format!("\n{share}% of the hashrate mines a coin for {price} USD or less\n")
            }
            None => String::new(),
        }
    }

    /// The curve in a format.
    pub(crate) fn shown(
        &self,
        format: Format,
        source: &DocumentSource,
        width: Option<usize>,
    ) -> Result<String, String> {
        let text = self.table.shown(format, &self.title(), source, width)?;
        Ok(if matches!(format, Format::Table) { text + &self.finding() } else { text })
    }
}
