//! The command line.

use std::env;
use std::ffi::{OsStr, OsString};

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use ghi_contract::is_region_id;

use crate::output::print_error;
use crate::{
    check, completions, explain, health, help_sections, inputs, man, mcp, openapi, serve_flags,
    show,
};

/// What `ghi` says of itself.
const ABOUT: &str =
    "The Global HashCost Index: what it costs, in USD, to mine one coin, worldwide and by region.
A sandbox of its API: the figures are synthetic, the structure is a promise.";

/// The `ghi` command.
#[derive(Parser)]
#[command(name = "ghi", version, about = ABOUT, override_usage = "ghi [COMMAND] [OPTIONS]")]
struct CommandLine {
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
    Inputs(inputs::Args),
    /// Give the index to an assistant, as tools over the Model Context Protocol (MCP)
    Mcp(mcp::Args),
    /// Print the OpenAPI document that describes the API
    Openapi(openapi::Args),
    /// Print a script that completes commands and flags in your shell
    Completions(completions::Args),
    /// Print a manual page, for man and for packages
    Man(man::Args),
}

/// The command that the command line requests. After help, version and errors, the process exits.
pub(crate) fn parse() -> Command {
    let mut line: Vec<OsString> = env::args_os().collect();
    if line.get(1).is_none_or(|first| is_serve_flag(first)) {
        line.insert(line.len().min(1), "serve".into());
    }
    let parsed = command()
        .mut_subcommands(|command| command.mut_args(without_empty_variable))
        .try_get_matches_from(&line)
        .and_then(|matches| CommandLine::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| exit(&error, &line)).command
}

/// Prints help or the version, or what is wrong in one line.
fn exit(error: &clap::Error, line: &[OsString]) -> ! {
    if !error.use_stderr() {
        error.exit();
    }
    let text = error.to_string();
    let is_message = |part: &&str| !part.starts_with("Usage:") && !part.starts_with("For more");
    let parts = text.trim_start_matches("error: ").split("\n\n").filter(is_message);
    let parts = parts.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    let message = parts.chain(tip(error, line)).collect::<Vec<_>>().join("; ");
    print_error(&message);
    std::process::exit(2);
}

/// What a word after `show` that is not a document or a flag may mean.
fn tip(error: &clap::Error, line: &[OsString]) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(&**text),
        _ => None,
    };
    let has = |word: &str| line.iter().skip(1).any(|given| given == word);
    let is_similar = error.get(ContextKind::SuggestedSubcommand).is_some();
    if let Some(word) = text(ContextKind::InvalidSubcommand) {
        let is_region = has("show") && is_region_id(word) && !is_similar;
        return is_region.then(|| format!("tip: for a region, use 'ghi show region {word}'"));
    }
    let word = text(ContextKind::InvalidArg)?;
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    let flags = [("forecast", "--days", is_number), ("history", "--region", is_region_id(word))];
    let flag = flags.into_iter().find(|(document, _, is_meant)| *is_meant && has(document));
    flag.map(|(_, flag, _)| format!("tip: use '{flag} {word}'"))
}

/// The commands with all their flags, the global ones included.
pub(crate) fn built() -> clap::Command {
    let mut ghi = command().disable_help_subcommand(true);
    ghi.build();
    ghi
}

/// The commands and their flags, with all that help says.
pub(crate) fn command() -> clap::Command {
    complete(CommandLine::command())
}

fn complete(command: clap::Command) -> clap::Command {
    let sections = help_sections::styled(help_sections::of(&command), &command);
    // With the values of variables, help would differ from one machine to the next.
    let command = command.mut_args(|arg| {
        // A negative number is an invalid value, not an unknown flag.
        let takes_value = arg.get_action().takes_values();
        arg.hide_env_values(true).allow_negative_numbers(takes_value)
    });
    command.after_help(sections).mut_subcommands(complete)
}

fn is_serve_flag(first: &OsStr) -> bool {
    let of_ghi = ["-h", "--help", "-V", "--version"];
    first.as_encoded_bytes().starts_with(b"-") && !of_ghi.iter().any(|flag| first == *flag)
}

/// An empty variable counts as unset: compose files write it so.
fn without_empty_variable(arg: clap::Arg) -> clap::Arg {
    let value = arg.get_env().and_then(env::var_os);
    if value.is_some_and(|value| value.is_empty()) { arg.env(None::<&str>) } else { arg }
}
