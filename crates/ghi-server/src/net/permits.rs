//! Clients, and permits for limited resources: a limit in total and a limit per client, so that one client
//! cannot starve the others.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, spawn, spawn_blocking};

/// An IPv4 address, or the /64 that one IPv6 subscriber gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClientKey(u128);

impl From<IpAddr> for ClientKey {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self(u128::from(address.to_bits())),
            IpAddr::V6(address) => Self(address.to_bits() >> 64 << 64),
        }
    }
}

impl ClientKey {
    pub(crate) const BUCKETS: u64 = 1 << 16;

    /// Returns the bucket of the client, so that what is kept for each client doesn't grow with the number of
    /// addresses. Clients rarely share a bucket, and a client cannot choose its bucket.
    pub(crate) fn bucket(self) -> u64 {
        static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        HASHER.hash_one(self) % Self::BUCKETS
    }
}

/// A limited number of permits, shared by all clients.
#[derive(Debug)]
pub(crate) struct PermitPool {
    total: usize,
    per_client: usize,
    unused: Arc<Semaphore>,
    /// The turns of the clients that have permits.
    turns: Mutex<HashMap<ClientKey, Weak<Turn>>>,
}

type Turn = tokio::sync::Mutex<()>;

#[derive(Debug)]
pub(crate) struct Permit {
    /// Shared by the permits of the client, and by nothing else, so that they can be counted.
    turn: Arc<Turn>,
    _used: OwnedSemaphorePermit,
}

impl PermitPool {
    pub(crate) fn new(total: usize, per_client: usize) -> Arc<Self> {
        let total = total.min(Semaphore::MAX_PERMITS);
        let unused = Arc::new(Semaphore::new(total));
        Arc::new(Self { total, per_client, unused, turns: Mutex::default() })
    }

    /// Takes a permit, unless all are in use or the client has reached its limit. Without a client, only
    /// the total limit applies.
    pub(crate) fn acquire(&self, client: Option<ClientKey>) -> Option<Permit> {
        let used = Arc::clone(&self.unused).try_acquire_owned().ok()?;
        let turn = client.map_or_else(|| Some(Arc::default()), |client| self.turn(client))?;
        Some(Permit { turn, _used: used })
    }

    /// Returns the turn of a client, unless it has reached its limit.
    fn turn(&self, client: ClientKey) -> Option<Arc<Turn>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if turns.len() == turns.capacity() {
            turns.retain(|_, turn| turn.strong_count() > 0);
        }
        let turn = turns.get(&client).and_then(Weak::upgrade).unwrap_or_default();
        turns.insert(client, Arc::downgrade(&turn));
        // This one counts as well.
        (Arc::strong_count(&turn) <= self.per_client).then_some(turn)
    }

    pub(crate) fn in_use(&self) -> usize {
        self.total - self.unused.available_permits()
    }
}

impl Permit {
    /// Waits for the client's turn and for the worker's blocking thread, first come, first served, and does work that
    /// takes too long for the worker itself. Fails if the work panics or the server stops.
    pub(crate) async fn render<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        // On its own task, which keeps its place even if the client leaves: the thread is busy nevertheless.
        let rendering = spawn(async move {
            let permit = self;
            let _turn = permit.turn.lock().await;
            spawn_blocking(work).await
        });
        rendering.await?
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    fn client(last: u8) -> Option<ClientKey> {
        Some(IpAddr::V4(Ipv4Addr::new(203, 0, 113, last)).into())
    }

    #[test]
    fn one_client_cannot_use_up_all_permits() {
        let pool = PermitPool::new(4, 2);
        let first = [pool.acquire(client(1)), pool.acquire(client(1))];
        assert!(first.iter().all(Option::is_some) && pool.acquire(client(1)).is_none());
        let others = [pool.acquire(client(2)), pool.acquire(client(3))];
        assert!(others.iter().all(Option::is_some));
        assert!(
            pool.acquire(client(4)).is_none() && pool.acquire(None).is_none(),
            "all are in use"
        );
        assert_eq!(pool.in_use(), 4);
    }

    #[test]
    fn dropped_permits_return_to_the_pool() {
        let pool = PermitPool::new(2, 1);
        drop(pool.acquire(client(1)));
        assert!(pool.acquire(client(1)).is_some());
        assert_eq!(pool.in_use(), 0);
        (0..200).for_each(|last| drop(pool.acquire(client(last))));
        let remembered = pool.turns.lock().unwrap().len();
        assert!(remembered < 20, "clients without permits are forgotten");
    }

    #[test]
    fn without_a_client_only_the_limit_in_total_applies() {
        let pool = PermitPool::new(3, 1);
        let taken: Vec<_> = (0..4).map(|_| pool.acquire(None)).collect();
        assert_eq!(taken.iter().flatten().count(), 3);
    }

    /// Returns how many different clients these addresses count as.
    fn clients(addresses: &[&str]) -> usize {
        let keys = addresses.iter().map(|text| ClientKey::from(text.parse::<IpAddr>().unwrap()));
        keys.collect::<std::collections::HashSet<_>>().len()
    }

    #[test]
    fn ipv6_clients_are_identified_by_their_64_prefix() {
        let same = ["2001:db8:1:2::", "2001:db8:1:2:8000::", "2001:db8:1:2::1", "2001:db8:1:2:3::"];
        assert_eq!(clients(&same), 1, "one subscriber owns a whole /64");
        let others = ["2001:db8:1:2::", "2001:db8:1:3::", "2001:db8:1:8000::", "2001:db8:2:2::"];
        assert_eq!(clients(&others), 4, "neighbours each have their own /64");
        assert_eq!(clients(&["203.0.113.7", "203.0.113.8"]), 2);
        assert_eq!(clients(&["203.0.113.7", "::ffff:203.0.113.7"]), 1);
    }
    #[test]
    fn nine_requests_of_a_client_and_64_of_all_are_queued() {
        let pool = PermitPool::new(64, 9);
        let tickets = |client| std::iter::from_fn(|| pool.acquire(client)).collect::<Vec<_>>();
        let queued: Vec<_> = (0..7).map(|last| tickets(client(last))).collect();
        assert!(queued.iter().all(|tickets| tickets.len() == 9));
        let last = tickets(client(7));
        assert_eq!((last.len(), pool.acquire(None).is_none()), (1, true));
        drop(queued);
        assert_eq!(tickets(None).len(), 63, "without a client, only the total counts");
        drop(last);
    }

    #[tokio::test]
    async fn requests_of_one_client_are_rendered_one_after_the_other() {
        let pool = PermitPool::new(64, 9);
        let (go, wait) = mpsc::channel::<()>();
        let [first, second] = [(); 2].map(|()| pool.acquire(client(1)).unwrap());
        let other = pool.acquire(client(2)).unwrap();
        let first = tokio::spawn(first.render(move || _ = wait.recv()));
        tokio::task::yield_now().await;
        let mut second = tokio::spawn(second.render(|| ()));
        other.render(|| ()).await.unwrap();
        let waited = tokio::time::timeout(Duration::from_millis(50), &mut second).await;
        assert!(waited.is_err(), "it waits for the first request of its client");
        let others: Vec<_> = (0..9).filter_map(|_| pool.acquire(client(1))).collect();
        assert_eq!(others.len(), 7, "each request has one place, whether it waits or is rendered");
        drop(others);
        go.send(()).unwrap();
        first.await.unwrap().unwrap();
        second.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn work_that_has_begun_keeps_its_place_when_the_client_leaves() {
        let pool = PermitPool::new(64, 9);
        let (go, wait) = mpsc::channel::<()>();
        let (begun, begins) = mpsc::channel();
        let left = tokio::spawn(pool.acquire(client(1)).unwrap().render(move || {
            begun.send(()).unwrap();
            _ = wait.recv();
        }));
        while begins.try_recv().is_err() {
            tokio::task::yield_now().await;
        }
        left.abort();
        assert!(left.await.unwrap_err().is_cancelled());
        assert_eq!(pool.in_use(), 1);
        let next = pool.acquire(client(1)).unwrap();
        go.send(()).unwrap();
        next.render(|| ()).await.unwrap();
        assert_eq!(pool.in_use(), 0);
    }
}
