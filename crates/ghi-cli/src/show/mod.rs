//! `ghi show`.

mod document;
mod tables;
mod csv;
mod history_chart;
mod range_bars;
mod canvas;
mod costs;
mod figures;
mod terminal;

use std::process::ExitCode;

use clap::Subcommand;
use ghi_client::{AnySnapshot, Resource};
use ghi_contract::{ForecastDays, GLOBAL, History};
use ghi_engine::{InvalidDate, parse_date};
use jiff::civil::Date;
use serde::de::DeserializeOwned;

use crate::output::{Format, print};
use crate::show::document::Document;
use crate::show::terminal::Terminal;
use crate::source::{Source, SourceArgs, in_time};

/// What `ghi show` takes.
#[derive(clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = false)]
#[command(subcommand_value_name = "DOCUMENT", subcommand_help_heading = "Documents")]
#[command(disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,

    /// A table for people, json for programs, or csv for spreadsheets
    #[arg(long, value_name = "FORMAT", default_value = "table", global = true)]
    format: Format,

    /// Draw a chart: of the history, or of the regions' costs
    #[arg(long, global = true)]
    plot: bool,

    #[command(flatten)]
    source: SourceArgs,
}

/// The document to show.
#[derive(Subcommand)]
enum What {
    /// Costs of today, worldwide and in each region
    Snapshot,
    /// The registry of regions; with --plot, the range of costs in each of them
    Regions,
    /// One region: costs of today and hashrate share
    Region {
        /// The region's id
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Costs by day: the week up to today, or any days
    History {
        /// A region's id, or global for worldwide
        #[arg(long, value_name = "ID", default_value = GLOBAL)]
        region: String,

        /// The first UTC day, such as 2026-11-01 [default: six days before the last]
        #[arg(long, value_name = "DATE", value_parser = date)]
        from: Option<Date>,

        /// The last UTC day [default: today]
        #[arg(long, value_name = "DATE", value_parser = date)]
        to: Option<Date>,
    },
    /// Hashrate, difficulty and mean fee of the network
    Network,
    /// The average cost that is expected
    Forecast {
        /// The horizon, days
        #[arg(long, value_name = "N", default_value = "7")]
        days: ForecastDays,
    },
    /// API 1.0: worldwide costs of today
    Indicator,
    /// What the service is: environment, API versions, endpoints
    Metadata,
}

fn date(text: &str) -> Result<Date, InvalidDate> {
    parse_date(text)
}

/// Prints a document.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let source = Source::open(&args.source)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("cannot start: {error}"))?;
    let shown = async {
        match args.plot {
            true => plotted(args, &source).await,
            false => written(args, &source).await,
        }
    };
    print(&runtime.block_on(in_time(shown))?)
}

/// A document in the format that is asked for.
async fn written(args: &Args, source: &Source) -> Result<String, String> {
    let mut text = text(&args.what, source).await?;
    if matches!(args.format, Format::Json) {
        text.push('\n');
        return Ok(text);
    }
    let document = document(&args.what, &text)?;
    drop(text);
    match args.format {
        Format::Csv => csv::csv(&document, source).await,
        _ => Ok(tables::table(&document, source, Terminal::of_stdout().width_of_text())),
    }
}

/// A chart of a document under its heading.
async fn plotted(args: &Args, source: &Source) -> Result<String, String> {
    if !matches!(args.format, Format::Table) {
        return Err("--plot draws for people; leave out --format".into());
    }
    let terminal = Terminal::of_stdout();
    let (document, chart) = match &args.what {
        what @ What::History { .. } => {
            let history = read::<History>(&text(what, source).await?)?;
            let chart = history_chart::chart(&history, &terminal)?;
            (Document::History(history), chart)
        }
        // The registry has no costs; the snapshot has those of every region.
        What::Regions => {
            let snapshot = read::<AnySnapshot>(&text(&What::Snapshot, source).await?)?;
            let chart = range_bars::chart(&snapshot, &terminal)?;
            (Document::Snapshot(snapshot), chart)
        }
        _ => return Err("--plot draws history and regions; give it with one of them".into()),
    };
    Ok(format!("{}\n{chart}", tables::heading(&document, source)))
}

/// The document itself.
async fn text(what: &What, source: &Source) -> Result<String, String> {
    let resource = match what {
        What::History { region, from, to } => return source.history_json(region, *from, *to).await,
        What::Snapshot => Resource::Snapshot,
        What::Regions => Resource::Regions,
        What::Region { id } => Resource::RegionDetail(id.clone()),
        What::Network => Resource::Network,
        What::Forecast { days } => Resource::Forecast(*days),
        What::Indicator => Resource::Indicator,
        What::Metadata => Resource::Metadata,
    };
    source.json(&resource).await
}

fn document(what: &What, text: &str) -> Result<Document, String> {
    Ok(match what {
        What::Snapshot => Document::Snapshot(read(text)?),
        What::Regions => Document::Regions(read(text)?),
        What::Region { .. } => Document::Region(read(text)?),
        What::History { .. } => Document::History(read(text)?),
        What::Network => Document::Network(read(text)?),
        What::Forecast { .. } => Document::Forecast(read(text)?),
        What::Indicator => Document::Indicator(read(text)?),
        What::Metadata => Document::Metadata(read(text)?),
    })
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("this is not the document: {error}"))
}
