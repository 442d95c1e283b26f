//! Shutdown signals, and long work that does not delay them.

use std::io;
use std::thread;

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
