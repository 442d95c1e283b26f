//! Data to stdout, messages to stderr.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use ghi_engine::{is_invisible, visible};

/// The longest message, characters: it may repeat text of a server or a file.
const MESSAGE_MAX: usize = 800;

/// A format of data.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Format {
    Table,
    Json,
    Csv,
}

/// Prints data: to a terminal without characters that control it, to a file or a pipe as it is. A reader
/// that closes the pipe early is not an error.
pub(crate) fn print(text: &str) -> Result<ExitCode, String> {
    let mut stdout = io::stdout();
    let printed = match stdout.is_terminal() {
        true => write_escaped(BufWriter::new(stdout.lock()), text),
        false => stdout.write_all(text.as_bytes()),
    };
    match printed {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("cannot write to the standard output: {error}"))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Escapes all but line ends, tabs and what is visible.
fn write_escaped(mut terminal: impl Write, text: &str) -> io::Result<()> {
    let mut written = 0;
    for (at, char) in text.char_indices() {
        let is_plain = matches!(char, '\n' | '\t') || text[at..].starts_with("\r\n");
        if is_invisible(char) && !is_plain {
            terminal.write_all(&text.as_bytes()[written..at])?;
            // As JSON escapes it, so that a document stays one.
            for unit in char.encode_utf16(&mut [0; 2]) {
                write!(terminal, "\\u{unit:04x}")?;
            }
            written = at + char.len_utf8();
        }
    }
    terminal.write_all(&text.as_bytes()[written..])?;
    terminal.flush()
}

/// Prints a message to stderr, each line escaped and cut. That stderr is closed is not another error.
pub(crate) fn print_error(message: &str) {
    for line in message.lines() {
        _ = writeln!(io::stderr(), "ghi: {}", visible(line, MESSAGE_MAX));
    }
}
