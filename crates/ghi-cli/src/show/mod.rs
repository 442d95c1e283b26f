//! `ghi show`.

mod document_table;
pub(crate) mod table_file;
mod curve_chart;
mod history_chart;
mod range_bars;
pub(crate) mod costs;

use std::env;
use std::process::ExitCode;

use clap::Subcommand;
use clap::builder::NonEmptyStringValueParser;
use ghi_client::{Resource, with_query};
use ghi_contract::{ForecastDays, GLOBAL};
use ghi_engine::visible;

use crate::flag_values::date;
use crate::output::{Format, print, terminal_width};
use crate::show::document_table::{CellStyle, DocumentTable};
use crate::show::table_file::TableFile;
use crate::signals::runtime;
use crate::source::{
    DocumentSource, ECONOMICS_CSV, SNAPSHOT_CSV, SourceArgs, in_time, parse_document,
};

/// The minimum width of a chart, the width without a terminal, and the maximum, in columns.
const CHART_WIDTHS: [usize; 3] = [24, 80, 400];

/// The maximum length of a date in a title, in characters.
const DATE_MAX: usize = 10;

/// The message for a document without a chart.
const CANNOT_PLOT: &str = "--plot works only with history, regions and curve";

/// The arguments of `ghi show`.
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
    #[arg(long, global = true)]
    plot: bool,

    #[command(flatten)]
    source: SourceArgs,
}

/// The document to show.
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

        /// First UTC date, such as 2026-11-01 [default: six days before --to]
        #[arg(long, value_name = "DATE", value_parser = date)]
        from: Option<String>,

        /// Last UTC date [default: today]
        #[arg(long, value_name = "DATE", value_parser = date)]
        to: Option<String>,
    },
    /// Hashrate, difficulty and mean fee
    Network,
    /// The expected average cost
    Forecast {
        /// Forecast horizon in days
        #[arg(long, value_name = "N", default_value = "7")]
        days: ForecastDays,
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

        /// First UTC date, such as 2026-11-01 [default: six days before --to]
        #[arg(long, value_name = "DATE", value_parser = date)]
        from: Option<String>,

        /// Last UTC date [default: today]
        #[arg(long, value_name = "DATE", value_parser = date)]
        to: Option<String>,
    },
    /// API 1.0: today's worldwide costs
    Indicator,
    /// Environment, API versions and endpoints
    Metadata,
}

/// Prints a document.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let source = DocumentSource::open(&args.source)?;
    print(&runtime()?.block_on(in_time(shown(args, &source)))?)
}

async fn shown(args: &Args, source: &DocumentSource) -> Result<String, String> {
    if args.plot && !matches!(args.format, Format::Table) {
        return Err("--plot cannot be combined with --format".into());
    }
    let resource = match &args.document {
        RequestedDocument::History { from, to, .. }
        | RequestedDocument::Economics { from, to, .. }
            if to.is_some() && from > to =>
        {
            return Err("--from must not be after --to".into());
        }
        RequestedDocument::Curve { price, date } => {
            let curve = TableFile::fetch_curve(source, date.clone(), price.clone()).await?;
            let chart = args.plot.then(|| curve_chart::chart(&curve, chart_width())).transpose()?;
            let date = visible(curve.cell(0, "date").unwrap_or_default(), DATE_MAX);
            let title = format!("Cost curve, USD per {}, {date}", source.coin().unit());
            return Ok(curve.shown(args.format, &title, source, chart.map(in_locale)));
        }
        RequestedDocument::Economics { .. } if args.plot => return Err(CANNOT_PLOT.into()),
        RequestedDocument::Economics { price, from, to } => {
            let given = [("price", price), ("from", from), ("to", to)];
            let given = given.map(|(name, value)| (name, value.clone()));
            let table = TableFile::fetch(source, &with_query(ECONOMICS_CSV, given)).await?;
            let title = format!("Price and cost of one {}, USD, worldwide", source.coin().name);
            return Ok(table.shown(args.format, &title, source, None));
        }
        // The list of regions has no costs; the snapshot has every region's costs.
        RequestedDocument::Regions if args.plot => Resource::Snapshot,
        RequestedDocument::History { region, .. } => Resource::History(region.clone()),
        _ if args.plot => return Err(CANNOT_PLOT.into()),
        RequestedDocument::Snapshot => Resource::Snapshot,
        RequestedDocument::Regions => Resource::Regions,
        RequestedDocument::Region { id } => Resource::RegionDetail(id.clone()),
        RequestedDocument::Network => Resource::Network,
        RequestedDocument::Forecast { days } => Resource::Forecast(*days),
        RequestedDocument::Indicator => Resource::Indicator,
        RequestedDocument::Metadata => Resource::Metadata,
    };
    let text = match &args.document {
        RequestedDocument::History { region, from, to } => {
            source.history_json(region, from.clone(), to.clone()).await?
        }
        _ => source.json(&resource).await?,
    };
    document(args, source, &resource, text).await
}

/// Formats a document of the contract.
async fn document(
    args: &Args,
    source: &DocumentSource,
    resource: &Resource,
    mut text: String,
) -> Result<String, String> {
    if matches!(args.format, Format::Json) {
        text.push('\n');
        return Ok(text);
    }
    if matches!(args.format, Format::Csv) {
        let own_table = DocumentTable::read(resource, &text, CellStyle::Csv)?.csv();
        if matches!(resource, Resource::Snapshot) {
            // A snapshot has no hashrate shares; this project's file does.
            let file = source.file(SNAPSHOT_CSV).await.unwrap_or_default();
            if file.lines().next() == own_table.lines().next() {
                return Ok(file);
            }
        }
        return Ok(own_table);
    }
    let table = DocumentTable::read(resource, &text, CellStyle::Table)?;
    let heading = table.heading(source);
    let shown = match args.plot {
        true if matches!(resource, Resource::History(_)) => {
            in_locale(history_chart::chart(&parse_document(&text)?, chart_width())?)
        }
        true => in_locale(range_bars::chart(&parse_document(&text)?, chart_width())?),
        false => {
            drop(text);
            table.table(terminal_width())
        }
    };
    Ok(format!("{heading}\n{shown}"))
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn chart_width() -> usize {
    let columns = || variable("COLUMNS").and_then(|text| text.parse().ok());
    let [min, default, max] = CHART_WIDTHS;
    terminal_width().or_else(columns).unwrap_or(default).clamp(min, max)
}

/// Converts a chart to ASCII unless the locale is UTF-8.
fn in_locale(chart: String) -> String {
    // The first one that is set takes precedence, as in other programs.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable).unwrap_or_default();
    if ["utf-8", "utf8"].iter().any(|encoding| locale.to_lowercase().contains(encoding)) {
        return chart;
    }
    let ascii = |char| match char {
        '│' => '|',
        '┊' => ':',
        '─' => '-',
        '┤' | '├' | '┴' | '└' => '+',
        '●' | '\u{2800}'..='\u{28ff}' => '*',
        '░' => ':',
        '━' => '=',
        '┄' => '-',
        char => char,
    };
    chart.chars().map(ascii).collect()
}
