//! `ghi mcp`: tools for AI assistants.

mod message;
mod methods;
mod schemas;
mod tools;

use std::collections::HashMap;
use std::io::{self, ErrorKind, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::task::{AbortHandle, JoinSet};

use crate::mcp::message::{INVALID_REQUEST, Message, NO_ID, error_line};
use crate::mcp::methods::{ReplyLine, ToolServer};
use crate::output::print_error;
use crate::signals::{Signals, runtime};
use crate::source::{DocumentSource, SourceArgs};

/// The maximum length of a line in bytes. A call has a few hundred.
const LINE_MAX: usize = 1 << 20;

/// The maximum number of calls at once. While that many run, no further line is read.
const CALLS_MAX: usize = 16;

/// The arguments of `ghi mcp`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    source: SourceArgs,
}

/// Serves an assistant over stdin and stdout until they are closed or a signal arrives.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let server = ToolServer::new(DocumentSource::open(&args.source)?);
    if io::stdin().is_terminal() {
        print_error("waiting for Model Context Protocol messages on stdin; press Ctrl-D to exit");
    }
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let mut signals = Signals::watch().map_err(|error| format!("cannot start: {error}"))?;
        tokio::select! {
            served = serve(server) => served.map_err(|error| format!("cannot continue: {error}")),
            _ = signals.next() => Ok(()),
        }
    });
    // A thread that waits for input from a terminal would keep the process running.
    runtime.shutdown_background();
    served.map(|()| ExitCode::SUCCESS)
}

/// Handles messages, one per line. Replies are sent as soon as they are ready; after the last message, the
/// remaining replies are sent.
async fn serve(server: ToolServer) -> io::Result<()> {
    let server = Arc::new(server);
    let mut lines = BoundedLines::new(BufReader::new(tokio::io::stdin()));
    let mut stdout = tokio::io::stdout();
    let mut calls = Calls::default();
    let mut is_open = true;
    loop {
        let reply = tokio::select! {
            line = lines.next(), if is_open && calls.running.len() < CALLS_MAX => match line? {
                InputLine::End => {
                    is_open = false;
                    continue;
                }
                InputLine::TooLong => {
                    let message = format!("a line must have at most {LINE_MAX} bytes");
                    error_line(NO_ID, INVALID_REQUEST, &message).into()
                }
                InputLine::Whole(line) => match read(&server, &mut calls, &line) {
                    Ok(()) => continue,
                    Err(reply) => reply.into(),
                },
            },
            Some(reply) = calls.next() => reply,
            else => return Ok(()),
        };
        let written = async {
            stdout.write_all(&reply.line).await?;
            stdout.flush().await
        };
        match written.await {
            // The assistant has closed the pipe.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
    }
}

/// Handles a line. Returns an immediate reply as the error.
fn read(server: &Arc<ToolServer>, calls: &mut Calls, line: &[u8]) -> Result<(), Vec<u8>> {
    let Some(message) = Message::read(line)? else { return Ok(()) };
    match message.id {
        Some(id) => {
            let call = server.begin(id, &message)?;
            calls.start(id, Arc::clone(server).answer(call));
        }
        None => message.cancelled().into_iter().for_each(|id| calls.cancel(id)),
    }
    Ok(())
}

/// The running calls, which the assistant can cancel.
#[derive(Default)]
struct Calls {
    running: JoinSet<ReplyLine>,
    /// The handles by request id, as JSON.
    handles: HashMap<String, AbortHandle>,
}

impl Calls {
    fn start(&mut self, id: &str, reply: impl Future<Output = ReplyLine> + Send + 'static) {
        self.handles.retain(|_, call| !call.is_finished());
        self.handles.insert(id.into(), self.running.spawn(reply));
    }

    /// Cancels a call without a reply.
    fn cancel(&mut self, id: &str) {
        if let Some(handle) = self.handles.remove(id) {
            handle.abort();
        }
    }

    /// Waits for the next reply. Returns `None` if no call is running.
    async fn next(&mut self) -> Option<ReplyLine> {
        loop {
            // A cancelled call has no reply.
            if let Ok(reply) = self.running.join_next().await? {
                return Some(reply);
            }
        }
    }
}

/// The lines of an input, in bounded memory.
struct BoundedLines<R> {
    input: R,
    line: Vec<u8>,
    is_too_long: bool,
}

/// A line without its line end, or why there is none.
#[derive(Debug, PartialEq, Eq)]
enum InputLine {
    Whole(Vec<u8>),
    /// The line had more than [`LINE_MAX`] bytes and was skipped.
    TooLong,
    End,
}

impl<R: AsyncBufRead + Unpin> BoundedLines<R> {
    fn new(input: R) -> Self {
        Self { input, line: Vec::new(), is_too_long: false }
    }

    /// Reads the next line. Cancelling the future loses nothing.
    async fn next(&mut self) -> io::Result<InputLine> {
        loop {
            let room = LINE_MAX + 1 - self.line.len();
            let mut input = (&mut self.input).take(room as u64);
            input.read_until(b'\n', &mut self.line).await?;
            let is_whole = self.line.pop_if(|last| *last == b'\n').is_some();
            if !is_whole && self.line.len() > LINE_MAX {
                self.is_too_long = true;
                self.line = Vec::new();
                continue;
            }
            let line = std::mem::take(&mut self.line);
            return Ok(match std::mem::take(&mut self.is_too_long) {
                true => InputLine::TooLong,
                false if !is_whole && line.is_empty() => InputLine::End,
                false => InputLine::Whole(line),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_overlong_line_is_skipped_and_the_next_is_read() {
        let longest = "x".repeat(LINE_MAX);
        let text = format!("a\n\n{longest}\n{longest}x\nb\n{longest}{longest}");
        for capacity in [1 << 10, 4 << 20] {
            let reader = BufReader::with_capacity(capacity, text.as_bytes());
            let mut lines = BoundedLines::new(reader);
            let whole = |text: &str| InputLine::Whole(text.into());
            let expected = [whole("a"), whole(""), whole(&longest), InputLine::TooLong, whole("b")];
            for expected in expected.into_iter().chain([InputLine::TooLong, InputLine::End]) {
                assert!(lines.next().await.unwrap() == expected);
            }
        }
    }
}
