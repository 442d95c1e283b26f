//! The command line, and the messages about a wrong one.

use std::env;
use std::ffi::{OsStr, OsString};

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::output::complain;
use crate::{check, explain, inputs_check, openapi, serve};

/// The production-cost index: what it costs, in USD, to mine one coin. A sandbox with synthetic
/// figures.
///
/// Without a command, `ghi` serves; `ghi serve --help` names the flags.
#[derive(Parser)]
#[command(name = "ghi", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// What `ghi` can do.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Serve the API over HTTP; the default
    Serve(serve::Args),
    /// Explain a cost: its derivation from difficulty to USD per coin, with the numbers filled in
    Explain(explain::Args),
    /// Check a deployment of the API: every rule of the contract, with evidence
    Check(check::Args),
    /// Print the built-in inputs, a file to start from; or check another file
    Inputs(inputs_check::Args),
    /// Print the OpenAPI document that describes the API
    Openapi(openapi::Args),
}

/// The command that the command line asks for. After help, version and messages about mistakes, the
/// process exits.
pub(crate) fn parse() -> Command {
    let mut line: Vec<OsString> = env::args_os().collect();
    if line.get(1).is_none_or(|first| is_flag_of_serve(first)) {
        line.insert(line.len().min(1), "serve".into());
    }
    let command =
        Arguments::command().mut_subcommands(|command| command.mut_args(without_empty_variable));
    let parsed = command
        .try_get_matches_from(&line)
        .and_then(|matches| Arguments::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| refuse(&error, &line)).command
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

/// Prints what the command line asked for instead of running, or what is wrong with it.
fn refuse(error: &clap::Error, line: &[OsString]) -> ! {
    if !error.use_stderr() {
        error.exit();
    }
    // The first sentence, and a tip if there is one; the usage is what `--help` is for.
    let text = error.to_string();
    let lines = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let said = lines.filter(|line| !line.is_empty() && !line.starts_with("For more"));
    let said =
        said.collect::<Vec<_>>().join("; ").replace("; [possible values", " [possible values");
    let from = variable_to_blame(error, line).map(|name| format!(", from the variable {name}"));
    complain(&format!("{}{}", said.trim_start_matches("error: "), from.unwrap_or_default()));
    std::process::exit(2);
}

/// The environment variable whose value was refused: that of a flag which the line does not have.
fn variable_to_blame(error: &clap::Error, line: &[OsString]) -> Option<String> {
    let Some(ContextValue::String(arg)) = error.get(ContextKind::InvalidArg) else { return None };
    let flag = arg.split([' ', '=']).next()?;
    let in_line = line.iter().any(|word| word.as_encoded_bytes().starts_with(flag.as_bytes()));
    let name = format!("GHI_{}", flag.trim_start_matches('-').replace('-', "_").to_uppercase());
    (!in_line && env::var_os(&name).is_some()).then_some(name)
}
