//! `ghi completions`.

use std::process::ExitCode;

use clap::Command;
use clap_complete::Shell;

use crate::output::print;

/// What `ghi completions` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The shell that completes
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints a script that completes the commands of `ghi` and their flags.
pub(crate) fn run(args: &Args, ghi: Command) -> Result<ExitCode, String> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut with_flags_of_serve(ghi), "ghi", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Without a command, `ghi` takes the flags of `serve`, and its shell should complete them.
fn with_flags_of_serve(command: Command) -> Command {
    let serve = command.find_subcommand("serve").cloned().unwrap_or_default();
    command.args(serve.get_arguments())
}
