//! Shutdown signals.

use std::io;
use std::process::ExitCode;

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

pub(crate) fn runtime() -> Result<Runtime, String> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| format!("cannot start: {error}"))
}

pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    quit: Signal,
}

impl Signals {
    pub(crate) fn watch() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            quit: signal(SignalKind::quit())?,
        })
    }

    pub(crate) async fn next(&mut self) -> SignalKind {
        tokio::select! {
            _ = self.interrupt.recv() => SignalKind::interrupt(),
            _ = self.terminate.recv() => SignalKind::terminate(),
            _ = self.quit.recv() => SignalKind::quit(),
        }
    }
}

/// Runs a future until it is ready. If a signal arrives first, the error is its exit code.
pub(crate) fn until_signal<T>(
    work: impl Future<Output = T>,
) -> Result<Result<T, ExitCode>, String> {
    let runtime = runtime()?;
    let done = runtime.block_on(async {
        let mut signals = Signals::watch()?;
        tokio::select! {
            done = work => Ok(Ok(done)),
            kind = signals.next() => Ok(Err(exit_code(kind))),
        }
    });
    // A thread that waits for a blocked output would keep the process running.
    runtime.shutdown_background();
    done.map_err(|error: io::Error| format!("cannot start: {error}"))
}

/// Returns the exit code that shells report for a process killed by a signal.
pub(crate) fn exit_code(signal: SignalKind) -> ExitCode {
    ExitCode::from(128 + signal.as_raw_value() as u8)
}
