//! Responses that wait before they are sent. Each holds a timer and a place among those that may wait.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// The places of responses that wait.
#[derive(Debug)]
pub(crate) struct WaitingRoom {
    places: Arc<Semaphore>,
    total: usize,
}

impl WaitingRoom {
    pub(crate) fn new(total: usize) -> Self {
        let total = total.min(Semaphore::MAX_PERMITS);
        Self { places: Arc::new(Semaphore::new(total)), total }
    }

    /// A place, unless all are taken.
    pub(crate) fn enter(&self, duration: Duration) -> Option<Wait> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        Some(Wait { duration, _place: place })
    }

    /// How many wait now.
    pub(crate) fn taken(&self) -> usize {
        self.total - self.places.available_permits()
    }
}

/// A response's wait.
#[derive(Debug)]
pub(crate) struct Wait {
    duration: Duration,
    _place: OwnedSemaphorePermit,
}

impl Wait {
    /// Waits, though no longer than until the server shuts down.
    pub(crate) async fn over(self, mut shutdown: watch::Receiver<bool>) {
        tokio::select! {
            () = tokio::time::sleep(self.duration) => {}
            _ = shutdown.wait_for(|shutdown| *shutdown) => {}
        }
    }
}
