//! Logging to stderr.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{panic, thread};

use clap::ValueEnum;
use ghi_server::LOG_LINES_DROPPED;
use tracing_subscriber::fmt;

/// The maximum number of lines that wait to be written.
const LINES_WAITING: usize = 8 * 1024;

/// The maximum time for writing the last lines when the process exits.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}

/// Starts logging events and panics to stderr, one line each. A thread writes them. If stderr is too slow, lines are
/// dropped and counted, so that a slow reader of the log cannot stop the server.
pub(crate) fn start(format: Format) -> io::Result<Guard> {
    let guard = writer(io::stderr())?;
    let colours = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let events = fmt()
        .with_writer(Arc::clone(&guard.lines))
        .with_ansi(colours)
        .with_target(false)
        // Reporting on stderr that stderr is closed would panic.
        .log_internal_errors(false);
    match format {
        Format::Text => events.init(),
        Format::Json => events.json().flatten_event(true).init(),
    }
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let message = info.payload_as_str().unwrap_or_default();
        tracing::error!(place, message, "panic");
    }));
    Ok(guard)
}

fn writer(mut to: impl Write + Send + 'static) -> io::Result<Guard> {
    let (sender, waiting) = sync_channel::<Vec<u8>>(LINES_WAITING);
    let (running, ended) = channel();
    thread::Builder::new().name("log".into()).spawn(move || {
        let _running: Sender<()> = running;
        let mut reported = 0;
        loop {
            let line = waiting.try_recv().or_else(|_| {
                // Now there is room for the warning.
                let dropped = LOG_LINES_DROPPED.load(Ordering::Relaxed);
                if dropped > reported {
                    let lines = dropped - reported;
                    tracing::warn!(lines, "dropped log lines: stderr is too slow");
                    reported = dropped;
                }
                waiting.recv()
            });
            let Ok(line) = line else { return };
            // A failed write must not stop the server.
            _ = to.write_all(&line);
        }
    })?;
    Ok(Guard { lines: Arc::new(Lines(Mutex::new(Some(sender)))), ended })
}

/// Sends lines to the thread that writes them, until the guard is dropped.
struct Lines(Mutex<Option<SyncSender<Vec<u8>>>>);

impl Write for &Lines {
    /// Queues a line, or drops it if the queue is full.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sender.as_ref().is_none_or(|sender| sender.try_send(line.to_vec()).is_err()) {
            LOG_LINES_DROPPED.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// When dropped, waits until the lines are written, but only briefly, because stderr may be blocked.
pub(crate) struct Guard {
    lines: Arc<Lines>,
    /// Closed once all lines are written; nothing is sent.
    ended: Receiver<()>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.lines.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        _ = self.ended.recv_timeout(FLUSH_TIMEOUT);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::MutexGuard;

    use super::*;

    /// A writer that blocks while its lock is held.
    #[derive(Clone, Default)]
    struct BlockableWriter(Arc<Mutex<Vec<u8>>>);

    impl BlockableWriter {
        fn hold(&self) -> MutexGuard<'_, Vec<u8>> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    impl Write for BlockableWriter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.hold().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_logged_before_the_guard_is_dropped_are_written_in_order() {
        let output = BlockableWriter::default();
        let guard = writer(output.clone()).expect("a thread");
        let lines = Arc::clone(&guard.lines);
        let expected: Vec<String> = (0..1000).map(|number| format!("{number}\n")).collect();
        for line in &expected {
            (&*lines).write_all(line.as_bytes()).expect("a line");
        }
        drop(guard);
        assert_eq!(*output.hold(), expected.concat().into_bytes());
        (&*lines).write_all(b"late\n").expect("a late line is ignored");
    }

    #[test]
    fn lines_are_dropped_without_blocking_when_stderr_is_blocked() {
        let output = BlockableWriter::default();
        let guard = writer(output.clone()).expect("a thread");
        let lines = Arc::clone(&guard.lines);
        let held = output.hold();
        for _ in 0..2 * LINES_WAITING {
            (&*lines).write_all(b"x").expect("a line");
        }
        drop(guard);
        assert!(held.is_empty());
        drop(held);
        while Arc::strong_count(&output.0) > 1 {
            thread::yield_now();
        }
        let written = output.hold().len();
        assert!((LINES_WAITING..=LINES_WAITING + 1).contains(&written), "{written} lines");
        let dropped = LOG_LINES_DROPPED.load(Ordering::Relaxed);
        assert!(dropped as usize >= 2 * LINES_WAITING - written, "{dropped} dropped");
    }
}
