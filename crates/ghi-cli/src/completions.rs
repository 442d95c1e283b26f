//! `ghi completions`.

use std::process::ExitCode;

use clap::Command;
use clap_complete::Shell;

use crate::output::print;

/// The arguments of `ghi completions`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Shell to generate the script for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints a completion script for the commands of `ghi` and their flags.
pub(crate) fn run(args: &Args, ghi: Command) -> Result<ExitCode, String> {
    // Without a command, `ghi` accepts the flags of `serve`.
    let serve = ghi.find_subcommand("serve").cloned().unwrap_or_default();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut ghi.args(serve.get_arguments()), "ghi", &mut script);
    print(&String::from_utf8_lossy(&script))
}
