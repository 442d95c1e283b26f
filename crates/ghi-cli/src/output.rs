//! Data to stdout, messages to stderr.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use ghi_engine::{is_invisible, visible};
use rustix::termios::tcgetwinsize;

/// The maximum length of a message in characters: it may contain text from a server or a file.
const MESSAGE_MAX: usize = 800;

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
        true => write_escaped(BufWriter::new(stdout.lock()), text),
        false => stdout.write_all(text.as_bytes()),
    };
    match printed {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("cannot write to stdout: {error}"))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Escapes everything but visible characters, line ends and tabs.
fn write_escaped(mut terminal: impl Write, text: &str) -> io::Result<()> {
    let mut written = 0;
    for (at, char) in text.char_indices() {
        let is_plain = matches!(char, '\n' | '\t') || text[at..].starts_with("\r\n");
        if is_invisible(char) && !is_plain {
            terminal.write_all(&text.as_bytes()[written..at])?;
            // As in JSON, so that a JSON document stays valid.
            for unit in char.encode_utf16(&mut [0; 2]) {
                write!(terminal, "\\u{unit:04x}")?;
            }
            written = at + char.len_utf8();
        }
    }
    terminal.write_all(&text.as_bytes()[written..])?;
    terminal.flush()
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
