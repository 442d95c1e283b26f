//! `ghi completions`.

use std::process::ExitCode;

use clap::Command;
use clap_complete::Shell;

use crate::arguments;
use crate::output::print_bytes;

/// What `ghi completions` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The shell that completes
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints a script that completes commands and flags.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let mut script = Vec::new();
    let mut command = with_flags_of_serve(arguments::command());
    clap_complete::generate(args.shell, &mut command, "ghi", &mut script);
    print_bytes(&script)
}

/// Without a command, `ghi` takes the flags of `serve`, and its shell should complete them.
fn with_flags_of_serve(command: Command) -> Command {
    let serve = command.find_subcommand("serve").cloned().unwrap_or_default();
    command.args(serve.get_arguments())
}
