//! `ghi openapi`.

use std::process::ExitCode;

use ghi_server::{OPENAPI, OPENAPI_3_0};

use crate::output::print;

/// What `ghi openapi` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The version of OpenAPI: some client generators do not support 3.1
    #[arg(long, value_name = "VERSION", default_value = "3.1", value_parser = ["3.1", "3.0"])]
    oas: String,
}

/// Prints the document that describes the API.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    print(if args.oas == "3.0" { OPENAPI_3_0 } else { OPENAPI })
}
