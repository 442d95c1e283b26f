//! Shutdown signals, and long work that does not delay them.

use std::process::ExitCode;
use std::{io, thread};

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

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

/// Runs long work on its own thread, so that signals are handled while it runs.
pub(crate) async fn on_thread<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let (done, is_done) = oneshot::channel();
    let thread = thread::Builder::new().name(name.into()).spawn(move || _ = done.send(work()));
    match thread {
        // The panic hook has logged the panic.
        Ok(_) => is_done.await.unwrap_or_else(|_| Err("internal error".into())),
        Err(error) => Err(format!("failed to start a thread: {error}")),
    }
}
