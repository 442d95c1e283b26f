//! Data to stdout, messages to stderr.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use ghi_engine::visible;

/// The longest message, characters: it may repeat what somebody else wrote.
const MESSAGE_MAX: usize = 800;

/// A format of data.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Format {
    Table,
    Json,
    Csv,
}

/// Prints data. A reader who has seen enough is no error.
pub(crate) fn print(text: &str) -> Result<ExitCode, String> {
    print_bytes(text.as_bytes())
}

/// Prints data, of whatever kind it is.
pub(crate) fn print_bytes(data: &[u8]) -> Result<ExitCode, String> {
    match std::io::stdout().write_all(data) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("cannot write to the standard output: {error}"))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Says what is wrong, in a visible line for each line of the message. Where nobody can hear it, that
/// is no reason to fail otherwise.
pub(crate) fn complain(message: &str) {
    for line in message.lines() {
        _ = writeln!(std::io::stderr(), "ghi: {}", visible(line, MESSAGE_MAX));
    }
}
