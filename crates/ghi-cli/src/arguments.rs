//! The command line.

use std::env;
use std::ffi::{OsStr, OsString};

use clap::builder::BoolishValueParser;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};
use ghi_engine::listed;

use crate::output::print_error;
use crate::source::SourceArgs;
use crate::{
    check, collect, diff, explain, fixtures, health, inputs, reference, release, serve_flags, show,
};

const ABOUT: &str =
    "The Global HashCost Index: what it costs, in USD, to mine one coin, worldwide and by region.
This is the reference implementation of its API. The data is synthetic, but the response format is final: later releases stay compatible with it.";

#[derive(Parser)]
#[command(name = "ghi", version, about = ABOUT, override_usage = "ghi [COMMAND] [OPTIONS]")]
#[command(after_help = GHI)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Serve the API and its web pages over HTTP (the default command)
    #[command(after_help = SERVE)]
    Serve(serve_flags::Args),
    /// Show a document of the API as a table, JSON, CSV or a chart
    #[command(after_help = SHOW)]
    Show(show::Args),
    /// Explain how a cost is calculated, step by step, from difficulty to USD per coin
    Explain(explain::Args),
    /// Write a citable edition to files, or check one; --check exits with 1 if a file differs
    Release(release::Args),
    /// Compare the costs of two inputs files or releases; exits with 1 if one differs
    Diff(diff::Args),
    /// Write every document and error to files, for tests without a server
    Fixtures(fixtures::Args),
    /// Check a server against the API contract (docs/contract.md)
    #[command(after_help = CHECK)]
    Check(check::Args),
    /// Check whether a server is ready; exits with 0 if it is, 1 if not
    Health(health::Args),
    /// Print the built-in inputs as a template, or check your own inputs file
    Inputs(inputs::Args),
    /// Collect daily network data from your node into a CSV file
    #[command(after_help = COLLECT)]
    Collect(collect::Args),
    /// Give an AI assistant access to the data, over the Model Context Protocol (MCP)
    #[command(after_help = MCP)]
    Mcp(SourceArgs),
    /// Print the OpenAPI document that describes the API
    Openapi(reference::OpenapiArgs),
    /// Print a completion script for your shell
    Completions(reference::CompletionsArgs),
    /// Print the manual page (roff)
    Man(reference::ManArgs),
}

/// Parses the command line. Exits the process after help, version or an error.
pub(crate) fn parse() -> Command {
    let mut line: Vec<OsString> = env::args_os().collect();
    if line.get(1).is_none_or(|first| is_serve_flag(first)) {
        line.insert(line.len().min(1), "serve".into());
    }
    // Compose files leave variables empty to unset them.
    let is_empty = |name: &OsStr| env::var_os(name).is_some_and(|value| value.is_empty());
    let without_empty_variable = |arg: Arg| match arg.get_env().is_some_and(is_empty) {
        true => arg.env(None::<&str>),
        false => arg,
    };
    let parsed = command()
        .mut_subcommands(|command| command.mut_args(without_empty_variable))
        .try_get_matches_from(&line)
        .and_then(|matches| CommandLine::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| exit(&error, &line)).command
}

/// Prints help, the version or a one-line error, and exits.
fn exit(error: &clap::Error, line: &[OsString]) -> ! {
    if !error.use_stderr() {
        error.exit();
    }
    let text = alias_message(error, line).unwrap_or_else(|| error.to_string());
    let own_tip = tip(error);
    let is_message = |part: &&str| {
        let is_usage = part.starts_with("Usage:") || part.starts_with("For more");
        !is_usage && (own_tip.is_none() || !part.trim_start().starts_with("tip:"))
    };
    let parts = text.trim_start_matches("error: ").split("\n\n").filter(is_message);
    let parts = parts.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    print_error(&parts.chain(own_tip.clone()).collect::<Vec<_>>().join("; "));
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
    match &typed[..] {
        _ if !text.contains(LISTEN) => None,
        [] | ["--listen"] => None,
        [one] => Some(text.replace(LISTEN, &format!("'{one}', which means '--listen'"))),
        all => Some(format!(
            "{} mean the same; use '--listen' once, with an address and a port, such as '--listen 0.0.0.0:8000'",
            listed(all)
        )),
    }
}

/// Suggests `ghi show` for a document that was typed as a command.
fn tip(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    CommandLine::command().find_subcommand("show")?.find_subcommand(word)?;
    Some(format!("tip: a similar subcommand exists: 'show {word}'"))
}

/// Returns the commands and their flags, with all help text.
pub(crate) fn command() -> clap::Command {
    complete(CommandLine::command())
}

fn complete(command: clap::Command) -> clap::Command {
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
    command.mut_subcommands(complete)
}

fn is_serve_flag(first: &OsStr) -> bool {
    let of_ghi = ["-h", "--help", "-V", "--version"];
    first.as_encoded_bytes().starts_with(b"-") && !of_ghi.iter().any(|flag| first == *flag)
}

// The text below the flags in help and manual pages. A line without indentation is a heading.

const GHI: &str = "\
Server flags:
  ghi serve --help    lists all server flags; ghi without a command accepts them too

Examples:
  ghi                                    serve the API and a dashboard on http://127.0.0.1:8000/
  ghi --listen 9000 --at 2026-11-15      serve on port 9000, with the clock stopped
  ghi show history --plot                show the costs of the last seven days as a chart
  ghi check http://127.0.0.1:8000        check a running server

Environment:
  GHI_...     Every server flag has a variable, such as GHI_RATE_LIMIT for --rate-limit.
  NO_COLOR    If set, output has no colors.

More help:
  ghi COMMAND --help            the flags of a command
  http://127.0.0.1:8000/docs    API reference, while the server is running";

const SHOW: &str = "\
Examples:
  ghi show snapshot                                  today's costs, worldwide and in each region
  ghi show history --plot                            the last seven days as a chart
  ghi show history --from 2026-01-01 --format csv    other days, for a spreadsheet
  ghi show curve --price 70000 --plot                the cost curve with a price
  ghi show metadata --url http://127.0.0.1:8000      the metadata of a running server";

const SERVE: &str = r#"Examples:
  ghi serve --listen :8000                     accept connections from other machines
  ghi serve --at 2026-11-15T12:00:00Z          return the same responses every time, for tests
  ghi serve --at 2026-12-31 --speed 86400      run one day per second
  ghi serve --fail "code=503, times=2"         make the first two requests for each path fail
  ghi serve --chaos 30                         make three in ten requests fail
  ghi serve --inputs my.toml                   publish your own network; see ghi inputs

Values:
  TIMESTAMP    UTC: 2026-11-15T12:00:00Z, "2026-11-15 12:00", or 2026-11-15 for 00:00
  TIME         5s, 500ms, 2m; a plain number means seconds
  A flag takes precedence over its variable. An empty variable counts as unset.

Signals:
  SIGTERM      graceful shutdown after --drain; Ctrl-C skips the drain
  SIGHUP       reload --inputs (automatic with --watch)"#;

const CHECK: &str = "\
Exit codes:
  0    all rules hold
  1    a rule is broken
  2    some rules could not be checked: connection failed, not an HTTP server, still
       rate-limited (429); or the arguments are invalid

Examples:
  ghi check http://127.0.0.1:8000
  ghi check https://example.org/sandbox --format junit > report.xml";

const COLLECT: &str = "\
Exit codes:
  0    success, including when there was nothing to append
  1    the node failed: timeout, invalid response, still starting or syncing
  2    user error: wrong address or password, pruned node, invalid arguments, or the file
       belongs to another chain

Environment:
  GHI_RPC_PASSWORD    the password for --user

Examples:
  ghi collect --cookie ~/.bitcoin/.cookie --out network.csv
  ghi collect --rpc http://127.0.0.1:9332 --user me --out litecoin.csv --from 2024-01-01";

const MCP: &str = r#"Tools:
  snapshot, history, region, regions, network, forecast, past_forecasts,
  forecast_score, metadata, explain, cost_curve, economics

Configuration:
  Most assistants read a JSON file like this; the full path of ghi is safest:

  {"mcpServers": {"ghi": {"command": "ghi", "args": ["mcp"]}}}

  To use a running server: "args": ["mcp", "--url", "http://127.0.0.1:8000"]"#;
