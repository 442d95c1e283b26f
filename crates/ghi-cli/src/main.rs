//! The `ghi` command.

mod arguments;
mod log;
mod serve;

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    match arguments::parse() {
        arguments::Command::Serve(args) => serve::run(args),
    }
    .unwrap_or_else(|message| {
        complain(&message);
        ExitCode::from(2)
    })
}

/// Says what is wrong. Where nobody can hear it, that is no reason to fail otherwise.
fn complain(message: &str) {
    _ = writeln!(std::io::stderr(), "ghi: {message}");
}
