//! `ghi explain`.

use std::process::ExitCode;

use ghi_client::with_query;
use ghi_contract::GLOBAL;
use ghi_engine::parse_date;
use jiff::civil::Date;

use crate::explain_table::explanation_table;
use crate::output::{Format, print};
use crate::signals::runtime;
use crate::source::{DocumentSource, EXPLAIN_CSV, EXPLAIN_JSON, SourceArgs, in_time};

/// The arguments of `ghi explain`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Region id, or global for worldwide
    #[arg(value_name = "ID", default_value = GLOBAL)]
    region_id: String,

    /// UTC date, such as 2026-11-15 [default: today]
    #[arg(long, value_name = "DATE", value_parser = parse_date)]
    date: Option<Date>,

    /// Also explain why the average has changed since this UTC date
    #[arg(long, value_name = "DATE", value_parser = parse_date)]
    since: Option<Date>,

    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,

    #[command(flatten)]
    source: SourceArgs,
}

/// Prints how a day's costs are calculated.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let source = DocumentSource::open(&args.source)?;
    print(&runtime()?.block_on(in_time(explained(args, &source)))?)
}

async fn explained(args: &Args, source: &DocumentSource) -> Result<String, String> {
    let path = match args.format {
        Format::Csv if args.since.is_some() => {
            return Err("--since is not available as CSV; use --format json".into());
        }
        Format::Csv => EXPLAIN_CSV,
        Format::Json | Format::Table => EXPLAIN_JSON,
    };
    let [date, since] = [args.date, args.since].map(|date| date.map(|date| date.to_string()));
    let id = Some(args.region_id.clone());
    let target = with_query(path, [("region_id", id), ("date", date), ("since", since)]);
    let text = source.file(&target).await?;
    if matches!(args.format, Format::Table) { explanation_table(&text, source) } else { Ok(text) }
}
