//! `ghi show`.

mod document;
pub(crate) mod table;
mod charts;

use std::process::ExitCode;

use clap::Subcommand;
use clap::builder::NonEmptyStringValueParser;
use ghi_client::{Resource, with_query};
use ghi_contract::{ForecastDays, GLOBAL};
use ghi_display::grouped;
use ghi_engine::visible;

use crate::flag_values::date;
use crate::output::{Format, print};
use crate::show::table::{DATE_MAX, Table};
use crate::signals::runtime;
use crate::source::{
    DocumentSource, ECONOMICS_CSV, FORECAST_CSV, FORECAST_SCORE_CSV, SNAPSHOT_CSV, SourceArgs,
    in_time,
};

#[derive(clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = false)]
#[command(subcommand_value_name = "DOCUMENT", subcommand_help_heading = "Documents")]
#[command(disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    document: RequestedDocument,

    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "table", global = true)]
    format: Format,

    /// Draw a chart (history, regions and curve only)
    #[arg(long, global = true, conflicts_with = "format")]
    plot: bool,

    #[command(flatten)]
    source: SourceArgs,
}

#[derive(Subcommand)]
enum RequestedDocument {
    /// Today's costs, worldwide and in each region
    Snapshot,
    /// The ids and names of the regions; with --plot, their costs
    Regions,
    /// One region: today's costs and hashrate share
    Region {
        /// Region id
        #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
        id: String,
    },
    /// Daily costs: the last seven days, or other days
    History {
        /// Region id, or global for worldwide
        #[arg(long, value_name = "ID", default_value = GLOBAL)]
        region: String,

        #[command(flatten)]
        days: RequestedDays,
    },
    /// Hashrate, difficulty and mean fee
    Network,
    /// The expected average cost with its 80% interval, or how good forecasts were
    Forecast {
        /// Forecast horizon in days
        #[arg(long, value_name = "N", default_value = "7", conflicts_with = "score")]
        days: ForecastDays,

        /// Show how good the forecasts were that have come due
        #[arg(long)]
        score: bool,

        /// First UTC date on which forecasts were made
        #[arg(long, value_name = "DATE", value_parser = date, requires = "score", conflicts_with = "days")]
        from: Option<String>,

        /// Last UTC date on which forecasts were made
        #[arg(long, value_name = "DATE", value_parser = date, requires = "score", conflicts_with = "days")]
        to: Option<String>,
    },
    /// The cost curve: regions sorted by cost, with their cumulative share of the hashrate
    Curve {
        /// Price of one coin in USD [default: the market price, if there is one]
        #[arg(long, value_name = "USD")]
        price: Option<String>,

        /// UTC date, such as 2026-11-15 [default: today]
        #[arg(long, value_name = "DATE", value_parser = date)]
        date: Option<String>,
    },
    /// Daily price, margin, hashprice and break-evens: the last seven days, or other days
    Economics {
        /// Price of one coin in USD [default: the market price]
        #[arg(long, value_name = "USD")]
        price: Option<String>,

        #[command(flatten)]
        days: RequestedDays,
    },
    /// API 1.0: today's worldwide costs
    Indicator,
    /// Environment, API versions and endpoints
    Metadata,
}

#[derive(clap::Args)]
struct RequestedDays {
    /// First UTC date, such as 2026-11-01 [default: six days before --to]
    #[arg(long, value_name = "DATE", value_parser = date)]
    from: Option<String>,

    /// Last UTC date [default: today]
    #[arg(long, value_name = "DATE", value_parser = date)]
    to: Option<String>,
}

impl RequestedDays {
    fn parameters(&self) -> [(&'static str, Option<String>); 2] {
        [("from", self.from.clone()), ("to", self.to.clone())]
    }
}

/// A document or a file with what is shown around its rows.
#[derive(Default)]
struct Shown {
    /// The title, the source and the time, in two lines.
    heading: String,
    json: String,
    table: Table,
    /// A sentence below the table. May be empty.
    note: String,
    /// Whether each row is a line, not each field of the only row.
    is_list: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let source = DocumentSource::open(&args.source)?;
    let Shown { heading, json, table, note, is_list } =
        runtime()?.block_on(in_time(fetch(args, &source)))?;
    let body = match args.format {
        Format::Json => return print(&(json + "\n")),
        Format::Csv => return print(&table.csv()),
        Format::Table if args.plot => charts::chart(&json)?,
        Format::Table if table.rows.is_empty() => "No data.\n".into(),
        Format::Table => table.text(is_list),
    };
    let note = if note.is_empty() { note } else { format!("\n{note}\n") };
    print(&format!("{heading}\n{body}{note}"))
}

async fn fetch(args: &Args, source: &DocumentSource) -> Result<Shown, String> {
    let resource = match &args.document {
        RequestedDocument::History { region, .. } => Resource::History(region.clone()),
        // The list of regions has no costs; the snapshot has every region's costs.
        RequestedDocument::Regions if args.plot => Resource::Snapshot,
        RequestedDocument::Curve { price, date } => {
            return fetch_curve(args, source, price, date).await;
        }
        _ if args.plot => return Err("--plot works only with history, regions and curve".into()),
        RequestedDocument::Economics { price, days } => {
            let given = days.parameters().into_iter().chain([("price", price.clone())]);
            let table = Table::fetch(source, &with_query(ECONOMICS_CSV, given)).await?;
            let title = format!("Price and cost of one {}, USD, worldwide", source.coin().name);
            return Ok(file(source, &title, table));
        }
        RequestedDocument::Forecast { score: true, from, to, .. } => {
            let given = [("from", from.clone()), ("to", to.clone())];
            let table = Table::fetch(source, &with_query(FORECAST_SCORE_CSV, given)).await?;
            return Ok(file(source, "Forecasts of the average, by days ahead", table));
        }
        RequestedDocument::Snapshot => Resource::Snapshot,
        RequestedDocument::Regions => Resource::Regions,
        RequestedDocument::Region { id } => Resource::RegionDetail(id.clone()),
        RequestedDocument::Network => Resource::Network,
        RequestedDocument::Forecast { days, .. } => Resource::Forecast(*days),
        RequestedDocument::Indicator => Resource::Indicator,
        RequestedDocument::Metadata => Resource::Metadata,
    };
    let json = match &args.document {
        RequestedDocument::History { region, days } => {
            source.history_json(region, days.parameters()).await?
        }
        _ => source.json(&resource).await?,
    };
    if args.format == Format::Json {
        return Ok(Shown { json, ..Shown::default() });
    }
    let mut shown = document::read(&resource, json, args.format, source)?;
    if args.format == Format::Csv && resource == Resource::Snapshot {
        // A snapshot has no hashrate shares; this project's file does.
        let file = Table::fetch(source, SNAPSHOT_CSV).await.ok();
        let file = file.filter(|file| file.names().eq(shown.table.names()));
        shown.table = file.unwrap_or(shown.table);
    }
    if let Resource::Forecast(days) = resource {
        add_interval(&mut shown.table, source, days).await;
        shown.note = source.outlook();
    }
    Ok(shown)
}

async fn fetch_curve(
    args: &Args,
    source: &DocumentSource,
    price: &Option<String>,
    date: &Option<String>,
) -> Result<Shown, String> {
    let mut curve = Table::fetch_cost_curve(source, date.clone(), price.clone()).await?;
    if price.is_some() && args.format == Format::Csv {
        curve.add_price_row();
    }
    let date = visible(curve.date(), DATE_MAX);
    let title = format!("Cost curve, USD per {}, {date}", source.coin().unit());
    let note = curve.price.as_ref().map(|[price, share]| {
        let price = grouped(price);
        format!("At a price of {price} USD, revenue covers the cost of {share}% of the hashrate")
    });
    Ok(Shown { note: note.unwrap_or_default(), ..file(source, &title, curve) })
}

fn file(source: &DocumentSource, title: &str, table: Table) -> Shown {
    let heading = source.heading(title, GLOBAL, table.date(), "");
    Shown { heading, json: table.json().to_string(), table, is_list: true, ..Shown::default() }
}

/// Adds the interval of a forecast. Other servers may not have the file with it.
async fn add_interval(table: &mut Table, source: &DocumentSource, days: ForecastDays) {
    let today = Some(table.date().to_owned());
    let days = Some(days.get().to_string());
    let given = [("forecast_days", days), ("from", today.clone()), ("to", today)];
    let file = Table::fetch(source, &with_query(FORECAST_CSV, given)).await.unwrap_or_default();
    for (name, label) in [("low_cost_usd", "80% from, USD"), ("high_cost_usd", "80% to, USD")] {
        let cell = file.cell(0, name).unwrap_or_default();
        let label = if cell.is_empty() { "" } else { label };
        table.columns.push((name.into(), label.into()));
        table.rows[0].push(cell.to_owned());
    }
}
