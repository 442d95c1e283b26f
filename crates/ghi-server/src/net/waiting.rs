//! Responses that wait before they are sent. Each holds a timer and a permit.

use std::time::Duration;

use tokio::sync::watch;

use crate::net::permits::Permit;

/// A response's delay.
#[derive(Debug)]
pub(crate) struct Wait {
    duration: Duration,
    _permit: Permit,
}

impl Wait {
    pub(crate) fn new(duration: Duration, permit: Permit) -> Self {
        Self { duration, _permit: permit }
    }

    /// Waits, though no longer than until the server shuts down.
    pub(crate) async fn over(self, mut shutdown: watch::Receiver<bool>) {
        tokio::select! {
            () = tokio::time::sleep(self.duration) => {}
            _ = shutdown.wait_for(|shutdown| *shutdown) => {}
        }
    }
}
