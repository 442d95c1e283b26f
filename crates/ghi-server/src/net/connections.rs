//! The connections of a server: limits, eviction, timeouts and shutdown.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;

use crate::clock::MonotonicTime;
use crate::net::connection_state::{ConnectionState, Phase};
use crate::net::permits::{ClientKey, Permit, PermitPool};

/// The time that open requests have to finish at shutdown.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// The interval at which connections that have timed out are closed.
pub(crate) const SWEEP: Duration = Duration::from_millis(100);

/// How often to look for newly idle connections, at shutdown and while a new connection waits for a slot.
const IDLE_CHECK: Duration = Duration::from_millis(5);

/// One in this many connections is evicted at a time, so that not every new connection has to scan all the
/// others.
const CONNECTIONS_PER_EVICTION: usize = 100;

/// How long a client has to send a complete request before its connection may be evicted, which happens
/// only when all slots are in use. If there are twice as many such clients as slots, a new client waits
/// twice as long.
const GRACE: Duration = Duration::from_millis(50);

/// How long a client may read nothing of its response before its connection may be evicted, which happens
/// only when all slots are in use.
const STALLED_GRACE: Duration = Duration::from_secs(1);

/// A connection is closed if its client reads nothing of a response for this many times the head timeout.
/// The kernels on both sides buffer up to 200 KB, so a client that reads steadily seems to read nothing
/// until it has emptied the buffers: with 30 s, 7 KB/s is enough.
const STALLED_TIMEOUT_FACTOR: u32 = 3;

/// Limits on open connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionLimits {
    /// The total limit.
    pub(crate) total: usize,
    /// The limit per client.
    pub(crate) per_client: usize,
    /// How long a client may take to send the head of a request.
    pub(crate) head_timeout: Duration,
    /// How long a connection may be idle between two requests.
    pub(crate) idle_timeout: Duration,
}

/// The open connections of all workers that share the limits.
pub(crate) struct Connections {
    limits: ConnectionLimits,
    slots: Arc<Semaphore>,
    /// Limits the connections per client.
    clients: Arc<PermitPool>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    connections: HashMap<ConnectionId, OpenConnection>,
    next_id: ConnectionId,
}

/// The id of a connection: the number of connections opened before it.
type ConnectionId = u64;

struct OpenConnection {
    task: AbortHandle,
    state: Arc<ConnectionState>,
    worker: usize,
}

/// A slot for a connection. Dropping it, however the connection ended, frees the slot.
pub(crate) struct Admission {
    connections: Arc<Connections>,
    id: ConnectionId,
    _client: Permit,
    /// Released after the connection is removed from the list, so that nothing waits for the slot of a connection
    /// that has ended.
    slot: Option<OwnedSemaphorePermit>,
}

impl Admission {
    /// Waits for a slot. If none is free, connections are closed in the order of [`EvictionClass`]; if all
    /// are busy, this waits until one is not. Calls `evicted` for each connection closed.
    pub(crate) async fn wait_for_slot(&mut self, evicted: impl Fn()) {
        let mut slot = pin!(Arc::clone(&self.connections.slots).acquire_owned());
        let mut wait = Duration::ZERO;
        self.slot = loop {
            if let Ok(slot) = tokio::time::timeout(wait, &mut slot).await {
                break slot.ok();
            }
            // Checked each time, because the freed slot may go to another new connection.
            (0..self.connections.evict(MonotonicTime::now())).for_each(|_| evicted());
            wait = IDLE_CHECK;
        };
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        let removed = self.connections.lock().connections.remove(&self.id);
        // Dropped outside the lock.
        drop(removed);
    }
}

impl Connections {
    pub(crate) fn new(limits: ConnectionLimits) -> Self {
        let slots = Semaphore::new(limits.total.min(Semaphore::MAX_PERMITS));
        let clients = PermitPool::new(usize::MAX, limits.per_client);
        Self { limits, slots: Arc::new(slots), clients, open: Mutex::default() }
    }

    /// Whether no connection is open.
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().connections.is_empty()
    }

    /// Admits a connection, unless its client has reached the limit per client. Connections without a
    /// client have no such limit.
    pub(crate) fn admit(self: &Arc<Self>, client: Option<ClientKey>) -> Option<Admission> {
        let client = self.clients.acquire(client)?;
        let mut open = self.lock();
        let id = open.next_id;
        open.next_id += 1;
        Some(Admission { connections: Arc::clone(self), id, _client: client, slot: None })
    }

    /// Serves a connection on its own task.
    pub(crate) fn spawn(
        &self,
        worker: usize,
        state: Arc<ConnectionState>,
        admission: Admission,
        connection: impl Future<Output = ()> + Send + 'static,
    ) {
        let id = admission.id;
        // Held until the connection is in the list, from which the end of its task removes it.
        let mut open = self.lock();
        let task = tokio::spawn(async move {
            connection.await;
            drop(admission);
        });
        let connection = OpenConnection { task: task.abort_handle(), state, worker };
        open.connections.insert(id, connection);
    }

    /// Closes the connections that come first in the order of [`EvictionClass`], and within a class those
    /// that have been in it longest. Returns how many.
    fn evict(&self, now: MonotonicTime) -> usize {
        let mut open = self.lock();
        let candidates = open.connections.iter().filter_map(|(id, connection)| {
            let (phase, since) = connection.state.phase_since();
            let class = EvictionClass::new(phase, now.since(since))?;
            Some((class, since, *id))
        });
        let mut candidates: Vec<_> = candidates.collect();
        let count = (self.limits.total / CONNECTIONS_PER_EVICTION).max(1);
        if candidates.len() > count {
            candidates.select_nth_unstable(count);
            candidates.truncate(count);
        }
        // Skips connections that have received a request in the meantime. The others leave the list
        // immediately, so that they are not chosen again before they have ended.
        candidates.retain(|(_, since, id)| {
            let Entry::Occupied(entry) = open.connections.entry(*id) else { return false };
            let is_as_before = entry.get().state.phase_since().1 == *since;
            if is_as_before {
                entry.remove().task.abort();
            }
            is_as_before
        });
        candidates.len()
    }

    /// Closes the connections of a worker that have timed out.
    pub(crate) fn sweep(&self, worker: usize) {
        let now = MonotonicTime::now();
        self.close(worker, |phase, since| {
            let age = now.since(since);
            match phase {
                Phase::New | Phase::Receiving => age >= self.limits.head_timeout,
                Phase::Idle => age >= self.limits.idle_timeout,
                Phase::Sending | Phase::HalfClosed => false,
                Phase::Stalled => age >= STALLED_TIMEOUT_FACTOR * self.limits.head_timeout,
            }
        });
    }

    /// Keeps closing the idle connections of a worker until no connection is left or the time is up. The
    /// others close after their response, which says `Connection: close`. Returns how many were left.
    pub(crate) async fn shut_down(&self, worker: usize) -> usize {
        let deadline = MonotonicTime::now() + SHUTDOWN_TIMEOUT;
        while MonotonicTime::now() < deadline && self.count(worker) > 0 {
            // Waits before the first scan, so that the tasks read any data that has already arrived.
            tokio::time::sleep(IDLE_CHECK).await;
            tokio::task::yield_now().await;
            // Their clients are not waiting for anything.
            self.close(worker, |phase, _| matches!(phase, Phase::New | Phase::Idle));
        }
        self.count(worker)
    }

    fn close(&self, worker: usize, is_over: impl Fn(Phase, MonotonicTime) -> bool) {
        let open = self.lock();
        for connection in open.connections.values().filter(|open| open.worker == worker) {
            let (phase, since) = connection.state.phase_since();
            if is_over(phase, since) {
                connection.task.abort();
            }
        }
    }

    fn count(&self, worker: usize) -> usize {
        self.lock().connections.values().filter(|open| open.worker == worker).count()
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The order in which connections are evicted. A connection whose client is reading its response is never
/// evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum EvictionClass {
    /// The client has sent nothing within [`GRACE`].
    Silent,
    /// The client isn't waiting for anything.
    Idle,
    /// The client closed its sending side [`GRACE`] ago, before its response: it is gone, or has nothing
    /// more to send.
    HalfClosed,
    /// The client has not completed its request within [`GRACE`].
    Slow,
    /// The client has read nothing of its response within [`STALLED_GRACE`].
    Stalled,
}

impl EvictionClass {
    fn new(phase: Phase, age: Duration) -> Option<Self> {
        match phase {
            Phase::New => (age >= GRACE).then_some(Self::Silent),
            Phase::Idle => Some(Self::Idle),
            Phase::Receiving => (age >= GRACE).then_some(Self::Slow),
            Phase::Sending => None,
            Phase::HalfClosed => (age >= GRACE).then_some(Self::HalfClosed),
            Phase::Stalled => (age >= STALLED_GRACE).then_some(Self::Stalled),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn connections(total: usize, per_client: usize) -> Arc<Connections> {
        let timeout = Duration::from_secs(10);
        let limits =
            ConnectionLimits { total, per_client, head_timeout: timeout, idle_timeout: timeout };
        Arc::new(Connections::new(limits))
    }

    fn client(text: &str) -> Option<ClientKey> {
        Some(text.parse::<IpAddr>().unwrap().into())
    }

    /// Returns a time after the start of all connections of a test.
    fn later() -> MonotonicTime {
        MonotonicTime::now() + Duration::from_secs(60)
    }

    /// Opens connections that entered these phases the given number of milliseconds after the start, and
    /// stay open until they are closed.
    fn open(connections: &Arc<Connections>, start: MonotonicTime, phases: &[(Phase, u64)]) {
        for (phase, millis) in phases {
            let state = Arc::new(ConnectionState::new());
            state.wake(start + Duration::from_millis(*millis));
            // Switches phases, so that the phase begins now.
            state.enter(if *phase == Phase::New { Phase::Idle } else { Phase::New });
            state.enter(*phase);
            let admission = connections.admit(None).unwrap();
            connections.spawn(0, state, admission, std::future::pending());
        }
    }

    /// Returns when the open connections entered their phases, in milliseconds.
    fn listed(connections: &Connections, start: MonotonicTime) -> Vec<u128> {
        let open = connections.lock();
        let states = open.connections.values().map(|open| open.state.phase_since().1);
        let since = states.map(|since| since.since(start).as_millis());
        let mut listed: Vec<_> = since.collect();
        listed.sort_unstable();
        listed
    }

    #[tokio::test]
    async fn the_connection_that_has_been_idle_longest_is_evicted_first() {
        let (connections, start) = (connections(5, 5), later());
        let [silent, idle, slow] = [Phase::New, Phase::Idle, Phase::Receiving];
        let phases = [(Phase::Sending, 1), (slow, 2), (idle, 3), (silent, 4), (idle, 5), (idle, 6)];
        open(&connections, start, &phases);
        let evict_at = |millis| connections.evict(start + Duration::from_millis(millis));
        assert_eq!(evict_at(7), 1);
        assert_eq!(listed(&connections, start), [1, 2, 4, 5, 6]);
        assert_eq!(evict_at(8), 1);
        assert_eq!(
            listed(&connections, start),
            [1, 2, 4, 6],
            "a new connection has a grace period"
        );
        assert_eq!(evict_at(54), 1);
        assert_eq!(
            listed(&connections, start),
            [1, 2, 6],
            "a silent one is evicted before an idle one"
        );
        assert_eq!((evict_at(54), evict_at(54)), (1, 1));
        assert_eq!(listed(&connections, start), [1], "a slow one is evicted last");
        assert_eq!(evict_at(60_000), 0, "one with a request in progress stays");
    }

    #[tokio::test]
    async fn a_connection_with_an_unread_response_is_evicted_last() {
        let (connections, start) = (connections(2, 2), later());
        let [stalled, slow, gone] = [Phase::Stalled, Phase::Receiving, Phase::HalfClosed];
        let phases = [(stalled, 0), (stalled, 1), (slow, 990), (gone, 991)];
        open(&connections, start, &phases);
        let evict_at = |millis| connections.evict(start + Duration::from_millis(millis));
        assert_eq!(evict_at(999), 0);
        assert_eq!(evict_at(1_000), 1);
        assert_eq!(
            listed(&connections, start),
            [1, 990, 991],
            "the one stalled longest is evicted"
        );
        assert_eq!(evict_at(1_041), 1);
        assert_eq!(
            listed(&connections, start),
            [1, 990],
            "one whose client may be gone is evicted earlier"
        );
        assert_eq!(evict_at(1_041), 1);
        assert_eq!(listed(&connections, start), [1], "a slow one is evicted earlier");
        assert_eq!(evict_at(1_041), 1);
    }

    #[tokio::test]
    async fn a_client_that_has_just_begun_to_send_a_request_has_a_grace_period() {
        let (connections, start) = (connections(2, 2), later());
        open(&connections, start, &[(Phase::Receiving, 0), (Phase::New, 0)]);
        assert_eq!(connections.evict(start + (GRACE - Duration::from_millis(1))), 0);
        assert_eq!(connections.evict(start + GRACE), 1);
    }

    #[tokio::test]
    async fn one_in_a_hundred_connections_is_evicted_at_a_time() {
        let (connections, start) = (connections(300, 300), later());
        let phases: Vec<_> = (0..300).rev().map(|millis| (Phase::Idle, millis)).collect();
        open(&connections, start, &phases);
        assert_eq!(connections.evict(start), 3);
        assert_eq!(listed(&connections, start)[..2], [3, 4]);
    }

    #[tokio::test]
    async fn a_new_connection_gets_the_slot_of_an_evicted_one() {
        let connections = connections(1, 1);
        let mut first = connections.admit(None).unwrap();
        first.wait_for_slot(|| panic!("a slot is free")).await;
        let state = Arc::new(ConnectionState::new());
        state.enter(Phase::Idle);
        connections.spawn(0, state, first, std::future::pending());
        let evicted = std::cell::Cell::new(0);
        let mut second = connections.admit(None).unwrap();
        second.wait_for_slot(|| evicted.set(evicted.get() + 1)).await;
        assert_eq!((evicted.get(), second.slot.is_some()), (1, true));
        assert!(listed(&connections, MonotonicTime::now()).is_empty());
    }

    #[tokio::test]
    async fn connections_that_end_at_once_leave_the_list() {
        let connections = connections(1000, 1000);
        let (others, runtime) = (Arc::clone(&connections), tokio::runtime::Handle::current());
        // On another thread, so that a task may end before it is in the list.
        let spawning = std::thread::spawn(move || {
            let _context = runtime.enter();
            for _ in 0..1000 {
                let (admission, state) = (others.admit(None).unwrap(), ConnectionState::new());
                others.spawn(0, Arc::new(state), admission, std::future::ready(()));
            }
        });
        while !spawning.is_finished() {
            tokio::task::yield_now().await;
        }
        let deadline = MonotonicTime::now() + Duration::from_secs(10);
        while connections.count(0) > 0 {
            assert!(MonotonicTime::now() < deadline, "{} are left", connections.count(0));
            tokio::task::yield_now().await;
        }
    }

    #[test]
    fn connections_per_client_are_limited() {
        let connections = connections(100, 2);
        let kept: Vec<_> = (0..2).map(|_| connections.admit(client("203.0.113.7"))).collect();
        assert!(kept.iter().all(Option::is_some));
        assert!(connections.admit(client("203.0.113.7")).is_none());
        assert!(connections.admit(client("::ffff:203.0.113.7")).is_none());
        assert!(connections.admit(client("203.0.113.8")).is_some());
        let many: Vec<_> = (0..10).map(|_| connections.admit(None)).collect();
        assert!(many.iter().all(Option::is_some), "connections without a client are not limited");
        drop(kept);
        assert!(connections.admit(client("203.0.113.7")).is_some());
    }
}
