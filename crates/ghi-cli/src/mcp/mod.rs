//! `ghi mcp`: the index as tools for assistants.

mod calls;
mod index;
mod message;
mod schemas;
mod tool;

use std::io::{self, ErrorKind, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::mcp::calls::Calls;
use crate::mcp::index::Index;
use crate::mcp::message::Message;
use crate::output::complain;
use crate::signals::Signals;
use crate::source::{Source, SourceArgs};

/// What `ghi mcp` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    source: SourceArgs,
}

/// Answers an assistant over the standard input and output, until it closes them or a signal comes.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let index = Index::new(Source::open(&args.source)?)?;
    if io::stdin().is_terminal() {
        complain(
            "mcp waits for an assistant on its standard input, in the Model Context Protocol; Ctrl-D ends it",
        );
    }
    let cannot_start = |error: io::Error| format!("cannot start: {error}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(cannot_start)?;
    let served = runtime.block_on(async {
        let mut signals = Signals::watch().map_err(cannot_start)?;
        tokio::select! {
            served = serve(index) => served.map_err(|error| format!("cannot go on: {error}")),
            _ = signals.next() => Ok(()),
        }
    });
    // A thread that waits for a line from a terminal would keep the process.
    runtime.shutdown_background();
    served.map(|()| ExitCode::SUCCESS)
}

/// Answers messages, one a line, in the order in which the answers are ready; after the last message,
/// until all are answered.
async fn serve(index: Index) -> io::Result<()> {
    let index = Arc::new(index);
    let mut lines = BufReader::new(tokio::io::stdin()).split(b'\n');
    let mut stdout = tokio::io::stdout();
    let mut calls = Calls::default();
    let mut is_open = true;
    loop {
        let answer = tokio::select! {
            line = lines.next_segment(), if is_open => match line?.map(|line| Message::read(&line)) {
                None => {
                    is_open = false;
                    continue;
                }
                Some(Message::Request(request)) => {
                    calls.start(request.id.clone(), Arc::clone(&index).answer(request));
                    continue;
                }
                Some(Message::Cancelled(id)) => {
                    calls.cancel(&id);
                    continue;
                }
                Some(Message::Wrong(answer)) => answer,
                Some(Message::Other) => continue,
            },
            Some(answer) = calls.next() => answer,
            else => return Ok(()),
        };
        let written = async {
            stdout.write_all(format!("{answer}\n").as_bytes()).await?;
            stdout.flush().await
        };
        match written.await {
            // It wants to know no more.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            written => written?,
        }
    }
}
