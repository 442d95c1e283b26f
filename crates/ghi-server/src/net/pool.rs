//! The render pool: threads for responses that are made for one request alone and take too long for a worker.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

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
    /// The turns of the clients that have a place. A turn is held while a response is rendered; first come, first
    /// served.
    turns: Mutex<HashMap<ClientKey, Weak<Semaphore>>>,
    threads: Arc<Semaphore>,
}

/// A place in the queue, which is given up when this is dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    place: Permit,
    /// Without a client, only the limits in total apply.
    turn: Option<Arc<Semaphore>>,
    threads: Arc<Semaphore>,
}

impl RenderPool {
    pub(crate) fn new() -> Self {
        let (places, threads) = (PermitPool::new(TOTAL, PER_CLIENT), Semaphore::new(THREADS));
        Self { places, turns: Mutex::default(), threads: Arc::new(threads) }
    }

    /// Queues a request, unless the queue of its client, or of all clients, is full.
    pub(crate) fn queue(&self, client: Option<ClientKey>) -> Option<Ticket> {
        let place = self.places.acquire(client)?;
        let turn = client.map(|client| self.turn(client));
        Some(Ticket { place, turn, threads: Arc::clone(&self.threads) })
    }

    fn turn(&self, client: ClientKey) -> Arc<Semaphore> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        // At most as many as there are places.
        turns.retain(|_, turn| turn.strong_count() > 0);
        let turn = turns.get(&client).and_then(Weak::upgrade);
        let turn = turn.unwrap_or_else(|| Arc::new(Semaphore::new(1)));
        turns.insert(client, Arc::downgrade(&turn));
        turn
    }
}

impl Ticket {
    /// Waits for the client's turn and for a thread, and does the work there. Fails if the work panics or
    /// the server stops.
    pub(crate) async fn render<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        let turn = match &self.turn {
            Some(turn) => acquire(turn).await,
            None => None,
        };
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

/// Waits for a permit. The semaphores are never closed.
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
        assert_eq!(pool.turns.lock().unwrap().len(), 7);
        let last = tickets(client(7));
        assert_eq!((last.len(), pool.queue(None).is_none()), (1, true));
        drop(queued);
        assert_eq!(tickets(None).len(), 63, "without a client, only the total counts");
        drop(last);
        drop(tickets(client(8)));
        assert_eq!(pool.turns.lock().unwrap().len(), 1, "idle clients are forgotten");
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
