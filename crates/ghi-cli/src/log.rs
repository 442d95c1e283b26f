//! Logs, to stderr.

use std::io::IsTerminal;
use std::panic;

use clap::ValueEnum;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::fmt;

/// How many lines may wait to be written.
const LINES_WAITING: usize = 8 * 1024;

/// How a line of the log looks.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// An object per line, for programs
    Json,
}

/// Sends every event to stderr from now on, panics among them: each is one line. What is logged by
/// the time that the guard is dropped is written.
///
/// A thread of its own writes, and drops lines where stderr is slower than they come: whoever reads
/// the log too slowly must not stop the server.
pub(crate) fn start(format: Format) -> WorkerGuard {
    let (writer, guard) =
        NonBlockingBuilder::default().buffered_lines_limit(LINES_WAITING).finish(std::io::stderr());
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let lines = fmt()
        .with_writer(writer)
        .with_ansi(colours)
        .with_target(false)
        // To say on stderr that stderr is gone would be a panic.
        .log_internal_errors(false);
    match format {
        Format::Text => lines.init(),
        Format::Json => lines.json().flatten_event(true).init(),
    }
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let message = info.payload_as_str().unwrap_or_default();
        tracing::error!(place, message, "panic");
    }));
    guard
}
