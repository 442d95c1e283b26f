//! The command line.

use std::env;
use std::ffi::{OsStr, OsString};

use clap::builder::BoolishValueParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};
use ghi_contract::is_region_id;
use ghi_engine::listed;

use crate::output::print_error;
use crate::{
    check, collect, explain, fixtures, health, help_sections, inputs, mcp, openapi, reference,
    serve_flags, show,
};

const ABOUT: &str =
    "The Global HashCost Index: what it costs, in USD, to mine one coin, worldwide and by region.
This is the reference implementation of its API. The data is synthetic, but the response format is final: later releases stay compatible with it.";

#[derive(Parser)]
#[command(name = "ghi", version, about = ABOUT, override_usage = "ghi [COMMAND] [OPTIONS]")]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Serve the API and its web pages over HTTP (the default command)
    Serve(serve_flags::Args),
    /// Show a document of the API as a table, JSON, CSV or a chart
    Show(show::Args),
    /// Explain how a cost is calculated, step by step, from difficulty to USD per coin
    Explain(explain::Args),
    /// Write every document and error to files, for tests without a server
    Fixtures(fixtures::Args),
    /// Check a server against the API contract (docs/contract.md)
    Check(check::Args),
    /// Check whether a server is ready; exits with 0 if it is, 1 if not
    Health(health::Args),
    /// Print the built-in inputs as a template, or check your own inputs file
    Inputs(inputs::Args),
    /// Collect daily network data from your node into a CSV file
    Collect(collect::Args),
    /// Give an AI assistant access to the data, over the Model Context Protocol (MCP)
    Mcp(mcp::Args),
    /// Print the OpenAPI document that describes the API
    Openapi(openapi::Args),
    /// Print a completion script for your shell
    Completions(reference::CompletionsArgs),
    /// Print the manual page (roff)
    Man(reference::ManArgs),
}

/// Parses the command line. Exits the process after help, version or an error.
pub(crate) fn parse() -> Command {
    let given: Vec<OsString> = env::args_os().collect();
    let mut line = given.clone();
    if line.get(1).is_none_or(|first| is_serve_flag(first)) {
        line.insert(line.len().min(1), "serve".into());
    }
    let parsed = parse_line(&line).map_err(|error| {
        // A misspelled flag may be meant for ghi itself, such as --version.
        let without_serve = parse_line(&given).err().filter(has_similar_flag);
        without_serve.filter(|_| !has_similar_flag(&error)).unwrap_or(error)
    });
    parsed.unwrap_or_else(|error| exit(&error, &line)).command
}

fn parse_line(line: &[OsString]) -> Result<CommandLine, clap::Error> {
    command()
        .mut_subcommands(|command| command.mut_args(without_empty_variable))
        .try_get_matches_from(line)
        .and_then(|matches| CommandLine::from_arg_matches(&matches))
}

fn has_similar_flag(error: &clap::Error) -> bool {
    error.get(ContextKind::SuggestedArg).is_some()
}

/// Prints help, the version or a one-line error, and exits.
fn exit(error: &clap::Error, line: &[OsString]) -> ! {
    if !error.use_stderr() {
        error.exit();
    }
    let text = alias_message(error, line).unwrap_or_else(|| error.to_string());
    let own_tip = tip(error, line);
    let is_message = |part: &&str| {
        let is_usage = part.starts_with("Usage:") || part.starts_with("For more");
        !is_usage && (own_tip.is_none() || !part.trim_start().starts_with("tip:"))
    };
    let parts = text.trim_start_matches("error: ").split("\n\n").filter(is_message);
    let parts = parts.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    let message = parts.chain(own_tip.clone()).collect::<Vec<_>>().join("; ");
    print_error(&message);
    std::process::exit(2);
}

/// Describes an error of `--listen` that was typed under other names, which clap does not report.
fn alias_message(error: &clap::Error, line: &[OsString]) -> Option<String> {
    const LISTEN: &str = "'--listen <ADDR>'";
    let text = error.to_string();
    let is_alias = |flag: &&str| {
        let name = flag.strip_prefix("--");
        name.is_some_and(|name| name == "listen" || serve_flags::LISTEN_ALIASES.contains(&name))
    };
    let words = line.iter().filter_map(|word| word.to_str()?.split('=').next());
    let mut typed: Vec<&str> = words.filter(is_alias).collect();
    typed.dedup();
    if !text.contains(LISTEN) || typed.is_empty() || typed == ["--listen"] {
        return None;
    }
    Some(match &typed[..] {
        [one] => text.replace(LISTEN, &format!("'{one}', which means '--listen'")),
        all => format!(
            "{} mean the same; use '--listen' once, with an address and a port, such as '--listen 0.0.0.0:8000'",
            listed(all)
        ),
    })
}

/// Suggests what an unknown word may mean, or where to find help.
fn tip(error: &clap::Error, line: &[OsString]) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(&**text),
        _ => None,
    };
    let has = |word: &str| line.iter().skip(1).any(|given| given == word);
    let is_similar = error.get(ContextKind::SuggestedSubcommand).is_some();
    if let Some(word) = text(ContextKind::InvalidSubcommand) {
        let show = CommandLine::command().find_subcommand("show")?.clone();
        if !has("show") && show.find_subcommand(word).is_some() {
            return Some(format!("tip: a similar subcommand exists: 'show {word}'"));
        }
        let is_region = has("show") && is_region_id(word) && !is_similar;
        let region = is_region.then(|| format!("tip: for a region, use 'ghi show region {word}'"));
        return region.or_else(|| (!is_similar).then(|| help_tip(line)));
    }
    let Some(word) = text(ContextKind::InvalidArg) else {
        let is_missing = error.kind() == ErrorKind::MissingRequiredArgument;
        return is_missing.then(|| help_tip(line));
    };
    if error.kind() != ErrorKind::UnknownArgument || has_similar_flag(error) {
        return None;
    }
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    let flags = [("forecast", "--days", is_number), ("history", "--region", is_region_id(word))];
    let flag = flags.into_iter().find(|(document, _, is_meant)| *is_meant && has(document));
    let flag = flag.map(|(_, flag, _)| format!("tip: use '{flag} {word}'"));
    flag.or_else(|| Some(help_tip(line)))
}

/// Returns a tip that points to the help of the command in a command line.
fn help_tip(line: &[OsString]) -> String {
    let ghi = CommandLine::command();
    match line.get(1).and_then(|word| ghi.find_subcommand(word)) {
        Some(command) => format!("for help, run 'ghi {} --help'", command.get_name()),
        None => "for help, run 'ghi --help'".into(),
    }
}

/// Returns the commands and their flags, with all help text.
pub(crate) fn command() -> clap::Command {
    complete(CommandLine::command())
}

fn complete(command: clap::Command) -> clap::Command {
    let sections = help_sections::of(&command);
    let command = command.mut_args(|arg| {
        // If help showed the values of environment variables, it would depend on the machine.
        let arg = arg.hide_env_values(true);
        match arg.get_action() {
            // This lets its environment variable be 1 or yes as well as true.
            ArgAction::SetTrue => arg.value_parser(BoolishValueParser::new()),
            // A negative number is an invalid value, not an unknown flag.
            action if action.takes_values() => arg.allow_negative_numbers(true),
            _ => arg,
        }
    });
    command.after_help(sections).mut_subcommands(complete)
}

fn is_serve_flag(first: &OsStr) -> bool {
    let of_ghi = ["-h", "--help", "-V", "--version"];
    first.as_encoded_bytes().starts_with(b"-") && !of_ghi.iter().any(|flag| first == *flag)
}

/// Ignores an empty variable: compose files leave variables empty to unset them.
fn without_empty_variable(arg: clap::Arg) -> clap::Arg {
    let value = arg.get_env().and_then(env::var_os);
    if value.is_some_and(|value| value.is_empty()) { arg.env(None::<&str>) } else { arg }
}
