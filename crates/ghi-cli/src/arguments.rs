//! The command line.

use std::env;
use std::ffi::{OsStr, OsString};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::mistakes::refuse;
use crate::{
    check, completions, explain, health, help_sections, inputs_check, man, mcp, openapi,
    serve_flags, show,
};

/// What `ghi` says of itself.
const ABOUT: &str =
    "The Global HashCost Index: what it costs, in USD, to mine one coin, worldwide and by region.
A sandbox of its API: the figures are synthetic, the structure is a promise.";

/// The `ghi` command.
#[derive(Parser)]
#[command(name = "ghi", version, about = ABOUT, override_usage = "ghi [COMMAND] [OPTIONS]")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// What `ghi` can do.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Serve the API and its pages over HTTP; this is what ghi does without a command
    Serve(serve_flags::Args),
    /// Show a document of the API in the terminal: as a table, JSON, CSV or a chart
    Show(show::Args),
    /// Explain a cost: each step from difficulty to USD per coin, with its numbers
    Explain(explain::Args),
    /// Check a deployment of the API: every rule of the contract, with evidence
    Check(check::Args),
    /// Ask a server whether it is ready: exit code 0 or 1, for probes without a shell
    Health(health::Args),
    /// Print the built-in inputs, a file to start from; or check another file
    Inputs(inputs_check::Args),
    /// Give the index to an assistant, as tools over the Model Context Protocol (MCP)
    Mcp(mcp::Args),
    /// Print the OpenAPI document that describes the API
    Openapi(openapi::Args),
    /// Print a script that completes commands and flags in your shell
    Completions(completions::Args),
    /// Print a manual page, for man and for packages
    Man(man::Args),
}

/// The command that the command line asks for. After help, version and messages about mistakes, the
/// process exits.
pub(crate) fn parse() -> Command {
    let mut line: Vec<OsString> = env::args_os().collect();
    if line.get(1).is_none_or(|first| is_flag_of_serve(first)) {
        line.insert(line.len().min(1), "serve".into());
    }
    let parsed = command()
        .mut_subcommands(|command| command.mut_args(without_empty_variable))
        .try_get_matches_from(&line)
        .and_then(|matches| Arguments::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| refuse(&error, &built(), &line)).command
}

/// The commands with all that they take, also what commands above them declare for all below.
pub(crate) fn built() -> clap::Command {
    let mut ghi = command().disable_help_subcommand(true);
    ghi.build();
    ghi
}

/// The commands and their flags, with all that help says.
pub(crate) fn command() -> clap::Command {
    complete(Arguments::command())
}

fn complete(command: clap::Command) -> clap::Command {
    let sections = help_sections::styled(help_sections::of(&command), &command);
    // The values of variables are the reader's own, and a help that shows them is another each time.
    let command = command.mut_args(|arg| {
        // A negative number is a wrong value, rather than an unknown flag.
        let takes_value = arg.get_action().takes_values();
        arg.hide_env_values(true).allow_negative_numbers(takes_value)
    });
    command.after_help(sections).mut_subcommands(complete)
}

fn is_flag_of_serve(first: &OsStr) -> bool {
    let of_ghi = ["-h", "--help", "-V", "--version"];
    first.as_encoded_bytes().starts_with(b"-") && !of_ghi.iter().any(|flag| first == *flag)
}

/// A variable that is set to nothing counts as not set: that is how compose files write it.
fn without_empty_variable(arg: clap::Arg) -> clap::Arg {
    let value = arg.get_env().and_then(env::var_os);
    if value.is_some_and(|value| value.is_empty()) { arg.env(None::<&str>) } else { arg }
}
