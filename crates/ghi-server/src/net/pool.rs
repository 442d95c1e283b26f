//! The render pool: threads for responses that are made for one request alone and take too long for a worker.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, spawn_blocking};

use crate::net::permits::ClientKey;

/// How many requests of one client may be rendered at a time.
const RUNNING_PER_CLIENT: usize = 1;

/// How many more requests of one client may wait for their turn.
const QUEUED_PER_CLIENT: usize = 8;

/// How many requests of all clients may be rendered or wait.
const TOTAL: usize = 64;

/// Renders responses on threads of its own, one client after the other. Shared by all workers.
#[derive(Debug)]
pub(crate) struct RenderPool {
    /// How many responses are rendered at the same time.
    threads: Arc<Semaphore>,
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    total: usize,
    by_client: HashMap<ClientKey, ClientQueue>,
}

/// The requests of one client.
#[derive(Debug)]
struct ClientQueue {
    count: usize,
    /// Held while one of them is rendered. First come, first served.
    turn: Arc<Semaphore>,
}

/// A place in the queue, which is given up when this is dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    pool: Arc<RenderPool>,
    /// The client and its turn. Without a client, only the limit in total applies.
    client: Option<(ClientKey, Arc<Semaphore>)>,
}

impl RenderPool {
    /// Creates a pool that renders this many responses at the same time.
    pub(crate) fn new(threads: usize) -> Arc<Self> {
        let threads = Arc::new(Semaphore::new(threads));
        Arc::new(Self { threads, queue: Mutex::default() })
    }

    /// Queues a request, unless the queue of its client, or of all clients, is full.
    pub(crate) fn queue(self: &Arc<Self>, client: Option<ClientKey>) -> Option<Ticket> {
        let mut queue = self.lock();
        if queue.total >= TOTAL {
            return None;
        }
        let client = match client {
            None => None,
            Some(client) => {
                let new = || {
                    let turn = Arc::new(Semaphore::new(RUNNING_PER_CLIENT));
                    ClientQueue { count: 0, turn }
                };
                let own = queue.by_client.entry(client).or_insert_with(new);
                if own.count >= RUNNING_PER_CLIENT + QUEUED_PER_CLIENT {
                    return None;
                }
                own.count += 1;
                Some((client, Arc::clone(&own.turn)))
            }
        };
        queue.total += 1;
        drop(queue);
        Some(Ticket { pool: Arc::clone(self), client })
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ticket {
    /// Waits for the client's turn and for a thread, and does the work there. Fails if the work panics or
    /// the server stops.
    pub(crate) async fn render<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        // The client's turn comes first, so that a client never waits for a thread twice.
        let turn = match &self.client {
            Some((_, turn)) => acquire(turn).await,
            None => None,
        };
        let thread = acquire(&self.pool.threads).await;
        spawn_blocking(move || {
            let done = work();
            // Held until here even if the client has left: the thread was busy nevertheless.
            drop((turn, thread, self));
            done
        })
        .await
    }
}

/// Waits for a permit. The semaphores are never closed.
async fn acquire(semaphore: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    Arc::clone(semaphore).acquire_owned().await.ok()
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut queue = self.pool.lock();
        queue.total -= 1;
        let Some((client, _)) = &self.client else { return };
        if let Some(own) = queue.by_client.get_mut(client) {
            own.count -= 1;
            if own.count == 0 {
                queue.by_client.remove(client);
            }
        }
    }
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

    fn tickets(pool: &Arc<RenderPool>, client: Option<ClientKey>) -> Vec<Ticket> {
        std::iter::from_fn(|| pool.queue(client)).collect()
    }

    #[test]
    fn nine_requests_of_a_client_and_64_of_all_are_queued() {
        let pool = RenderPool::new(1);
        let queued: Vec<_> = (0..7).map(|last| tickets(&pool, client(last))).collect();
        assert!(queued.iter().all(|tickets| tickets.len() == 9));
        let last = tickets(&pool, client(7));
        assert_eq!((last.len(), pool.queue(None).is_none()), (1, true));
        drop(queued);
        assert_eq!(tickets(&pool, None).len(), 63, "without a client, only the total counts");
        drop(last);
        let queue = pool.lock();
        assert!(queue.total == 0 && queue.by_client.is_empty(), "idle clients are forgotten");
    }

    #[tokio::test]
    async fn requests_of_one_client_are_rendered_one_after_the_other() {
        let pool = RenderPool::new(2);
        let (go, wait) = mpsc::channel::<()>();
        let first = pool.queue(client(1)).unwrap();
        let second = pool.queue(client(1)).unwrap();
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
        let pool = RenderPool::new(1);
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
        assert_eq!(pool.lock().total, 1);
        let next = pool.queue(client(1)).unwrap();
        go.send(()).unwrap();
        next.render(|| ()).await.unwrap();
        assert_eq!(pool.lock().total, 0);
    }
}
