//! Data to stdout, messages to stderr.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use ghi_engine::{is_invisible, visible};
use rustix::termios::tcgetwinsize;

/// The maximum length of a message in characters: it may contain text from a server or a file.
const MESSAGE_MAX: usize = 800;

/// The maximum length of a text that a message quotes, in characters.
pub(crate) const QUOTE_MAX: usize = 200;

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
pub(crate) enum Format {
    Table,
    Json,
    Csv,
}

/// Prints data. On a terminal, control characters are escaped; a file or a pipe gets the data unchanged. A
/// reader that closes the pipe early is not an error.
pub(crate) fn print(text: &str) -> Result<ExitCode, String> {
    let mut stdout = io::stdout();
    let printed = match stdout.is_terminal() {
        true => stdout.write_all(escaped(text).as_bytes()),
        false => stdout.write_all(text.as_bytes()),
    };
    match printed.and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("cannot write to stdout: {error}"))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Escapes everything but visible characters, line ends and tabs, as in JSON, so that a JSON document stays valid.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (at, char) in text.char_indices() {
        let is_plain = matches!(char, '\n' | '\t') || text[at..].starts_with("\r\n");
        if is_plain || !is_invisible(char) {
            escaped.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            escaped += &format!("\\u{unit:04x}");
        }
    }
    escaped
}

/// Returns the width of the terminal in columns, if stdout is a terminal that reports it.
pub(crate) fn terminal_width() -> Option<usize> {
    let size = io::stdout().is_terminal().then(|| tcgetwinsize(io::stdout()).ok()).flatten();
    size.map(|size| usize::from(size.ws_col)).filter(|width| *width > 0)
}

/// Prints a message to stderr, with each line escaped and shortened. A closed stderr is ignored.
pub(crate) fn print_error(message: &str) {
    for line in message.lines() {
        _ = writeln!(io::stderr(), "ghi: {}", visible(line, MESSAGE_MAX));
    }
}
