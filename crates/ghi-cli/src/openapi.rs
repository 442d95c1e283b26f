//! `ghi openapi`.

use std::process::ExitCode;
use std::sync::LazyLock;

use ghi_server::{OPENAPI, OPENAPI_3_0};
use serde_json::Value;

use crate::output::print;

/// The OpenAPI document, for its schemas.
pub(crate) static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(OPENAPI).expect("the document is valid JSON"));

#[derive(clap::Args)]
pub(crate) struct Args {
    /// OpenAPI version; use 3.0 for client generators without 3.1 support
    #[arg(long, value_name = "VERSION", default_value = "3.1", value_parser = ["3.1", "3.0"])]
    oas: String,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    print(if args.oas == "3.0" { OPENAPI_3_0 } else { OPENAPI })
}
