//! The `ghi` command.

mod serve;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The production-cost index: what it costs, in USD, to mine one coin. A sandbox with synthetic
/// figures.
#[derive(Parser)]
#[command(name = "ghi", version, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: serve::Args,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the API over HTTP; the default.
    Serve(serve::Args),
}

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| refuse(&error));
    let outcome = match cli.command {
        Some(Command::Serve(args)) => serve::run(args),
        None => serve::run(cli.serve),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("ghi: {message}");
            ExitCode::from(2)
        }
    }
}

/// Prints what the command line asked for instead of running (help, the version), or what is
/// wrong with it.
fn refuse(error: &clap::Error) -> ! {
    if !error.use_stderr() {
        error.exit();
    }
    // The first sentence, and a tip if there is one; the usage is what `--help` is for.
    let text = error.to_string();
    let said = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let said: Vec<&str> =
        said.filter(|line| !line.is_empty() && !line.starts_with("For more")).collect();
    eprintln!("ghi: {}", said.join("; ").trim_start_matches("error: "));
    std::process::exit(2);
}
