//! The render pool: threads for responses that are made for one request alone and take too long for a worker.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, spawn_blocking};

use crate::net::permits::{ClientKey, Permit, PermitPool};

/// How many responses are rendered at the same time.
const THREADS: usize = 2;

/// How many requests of one client may be rendered or wait: one and eight.
const PER_CLIENT: usize = 9;

/// How many requests of all clients may be rendered or wait.
const TOTAL: usize = 64;

/// Renders responses on threads of its own, for each client one after the other. Shared by all workers.
#[derive(Debug)]
pub(crate) struct RenderPool {
    places: Arc<PermitPool>,
    threads: Arc<Semaphore>,
}

/// A place in the queue, which is given up when this is dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    place: Permit,
    threads: Arc<Semaphore>,
}

impl RenderPool {
    pub(crate) fn new() -> Self {
        let threads = Arc::new(Semaphore::new(THREADS));
        Self { places: PermitPool::new(TOTAL, PER_CLIENT), threads }
    }

    /// Queues a request, unless the queue of its client, or of all clients, is full. Without a client, only
    /// the limits in total apply.
    pub(crate) fn queue(&self, client: Option<ClientKey>) -> Option<Ticket> {
        let place = self.places.acquire(client)?;
        Some(Ticket { place, threads: Arc::clone(&self.threads) })
    }
}

impl Ticket {
    /// Waits for the client's turn and for a thread, and does the work there. Fails if the work panics or
    /// the server stops.
    pub(crate) async fn render<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        let turn = acquire(&self.place.turn).await;
        let thread = acquire(&self.threads).await;
        spawn_blocking(move || {
            let done = work();
            // Held until here even if the client has left: the thread was busy nevertheless.
            drop((thread, turn, self.place));
            done
        })
        .await
    }
}

/// Waits for a permit, first come, first served. The semaphores are never closed.
async fn acquire(semaphore: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    Arc::clone(semaphore).acquire_owned().await.ok()
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    fn client(last: u8) -> Option<ClientKey> {
        Some(IpAddr::V4(Ipv4Addr::new(203, 0, 113, last)).into())
    }

    #[test]
    fn nine_requests_of_a_client_and_64_of_all_are_queued() {
        let pool = RenderPool::new();
        let tickets = |client| std::iter::from_fn(|| pool.queue(client)).collect::<Vec<_>>();
        let queued: Vec<_> = (0..7).map(|last| tickets(client(last))).collect();
        assert!(queued.iter().all(|tickets| tickets.len() == 9));
        let last = tickets(client(7));
        assert_eq!((last.len(), pool.queue(None).is_none()), (1, true));
        drop(queued);
        assert_eq!(tickets(None).len(), 63, "without a client, only the total counts");
        drop(last);
    }

    #[tokio::test]
    async fn requests_of_one_client_are_rendered_one_after_the_other() {
        let pool = RenderPool::new();
        let (go, wait) = mpsc::channel::<()>();
        let [first, second] = [(); 2].map(|()| pool.queue(client(1)).unwrap());
        let other = pool.queue(client(2)).unwrap();
        let first = tokio::spawn(first.render(move || _ = wait.recv()));
        tokio::task::yield_now().await;
        let mut second = tokio::spawn(second.render(|| ()));
        other.render(|| ()).await.unwrap();
        let waited = tokio::time::timeout(Duration::from_millis(50), &mut second).await;
        assert!(waited.is_err(), "it waits for the first request of its client");
        go.send(()).unwrap();
        first.await.unwrap().unwrap();
        second.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn work_that_has_begun_keeps_its_place_when_the_client_leaves() {
        let pool = RenderPool::new();
        let (go, wait) = mpsc::channel::<()>();
        let (begun, begins) = mpsc::channel();
        let left = tokio::spawn(pool.queue(client(1)).unwrap().render(move || {
            begun.send(()).unwrap();
            _ = wait.recv();
        }));
        while begins.try_recv().is_err() {
            tokio::task::yield_now().await;
        }
        left.abort();
        assert!(left.await.unwrap_err().is_cancelled());
        assert_eq!(pool.places.in_use(), 1);
        let next = pool.queue(client(1)).unwrap();
        go.send(()).unwrap();
        next.render(|| ()).await.unwrap();
        assert_eq!(pool.places.in_use(), 0);
    }
}
