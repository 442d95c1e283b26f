//! The `ghi` command.

mod arguments;
mod log;
mod serve;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    match arguments::parse() {
        arguments::Command::Serve(args) => serve::run(args),
        arguments::Command::Openapi => print(ghi_server::OPENAPI),
    }
    .unwrap_or_else(|message| {
        complain(&message);
        ExitCode::from(2)
    })
}

/// Prints data. A reader who has seen enough is no error.
fn print(text: &str) -> Result<ExitCode, String> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("cannot write to the standard output: {error}"))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Says what is wrong. Where nobody can hear it, that is no reason to fail otherwise.
fn complain(message: &str) {
    _ = writeln!(std::io::stderr(), "ghi: {message}");
}
