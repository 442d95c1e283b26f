//! `ghi openapi`.

use std::process::ExitCode;

use ghi_server::{OPENAPI, OPENAPI_3_0};

use crate::output::print;

/// What `ghi openapi` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The version of OpenAPI: some generators of clients know 3.0 alone
    #[arg(long, value_name = "VERSION", default_value = "3.1")]
    oas: Version,
}

/// A version of OpenAPI.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Version {
    #[value(name = "3.1")]
    V3_1,
    #[value(name = "3.0")]
    V3_0,
}

/// Prints the document that describes the API.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    print(match args.oas {
        Version::V3_1 => OPENAPI,
        Version::V3_0 => OPENAPI_3_0,
    })
}
