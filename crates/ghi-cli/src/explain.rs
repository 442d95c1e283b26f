//! `ghi explain`.

use std::path::PathBuf;
use std::process::ExitCode;

use ghi_contract::GLOBAL;
use ghi_engine::{Model, parse_date};
use ghi_server::{Inputs, explanation_csv, explanation_json};
use jiff::civil::Date;

use crate::explain_table::explanation_table;
use crate::inputs;
use crate::output::{Format, print};
use crate::source::{find_scope, today};

/// The arguments of `ghi explain`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Region id, or global for worldwide
    #[arg(value_name = "ID", default_value = GLOBAL)]
    region_id: String,

    /// UTC date, such as 2026-11-15 [default: today]
    #[arg(long, value_name = "DATE", value_parser = parse_date)]
    date: Option<Date>,

    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,

    /// Use the network described in this TOML file instead of the built-in one
    #[arg(long, env = "GHI_INPUTS", value_name = "FILE")]
    inputs: Option<PathBuf>,
}

/// Prints how a day's costs are calculated.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let inputs = args.inputs.as_deref().map_or_else(|| Ok(Inputs::default()), inputs::read)?;
    let model = Model::new(inputs);
    let registry = model.registry();
    let scope = find_scope(&args.region_id, registry)?;
    let date = args.date.unwrap_or_else(today);
    let explanation = model.explain(scope, date).map_err(|no_figures| no_figures.to_string())?;
    print(&match args.format {
        Format::Table => explanation_table(&explanation, registry),
        Format::Json => explanation_json(&explanation, registry),
        Format::Csv => explanation_csv(&explanation, registry),
    })
}
