//! The connections of a server: how many there may be, which is closed to make room for another, and
//! how they end.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;

use crate::net::client_key::ClientKey;
use crate::net::connection_state::{ConnectionState, Phase};

/// How long open requests may take to finish at shutdown.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// How often to close connections that have timed out.
pub(crate) const SWEEP: Duration = Duration::from_millis(100);

/// How often to look for connections that have become idle: at shutdown, and while a new connection
/// waits for a slot.
const IDLE_CHECK: Duration = Duration::from_millis(5);

/// One in so many connections is closed at a time to make room, so that not every new connection has
/// to look at all others.
const CONNECTIONS_PER_EVICTION: usize = 100;

/// How long a client has to send a whole request before its connection may be closed to make room,
/// which happens only if all are taken. Behind twice as many such clients as there are slots, another
/// client waits for twice this time.
const GRACE: Duration = Duration::from_millis(50);

/// How long a client may take nothing of its response before its connection may be closed to make
/// room, which happens only if all are taken.
const STALLED_GRACE: Duration = Duration::from_secs(1);

/// How many times as long as for a head a client may take nothing of its response. The kernels on
/// both sides hold up to 200 KB of it, so a client that takes them steadily seems to take nothing for
/// as long as it needs for that: with 30 s, 7 KB/s are enough.
const STALLED_TIMEOUT_FACTOR: u32 = 3;

/// Within which bounds connections may be open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionLimits {
    /// How many in all.
    pub(crate) total: usize,
    /// How many of one client.
    pub(crate) per_client: usize,
    /// How long a client may take to send a request's head.
    pub(crate) head_timeout: Duration,
    /// How long a connection may be idle between two requests.
    pub(crate) idle_timeout: Duration,
}

/// The open connections of all workers that share a bound.
pub(crate) struct Connections {
    limits: ConnectionLimits,
    slots: Arc<Semaphore>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    connections: HashMap<ConnectionId, OpenConnection>,
    next_id: ConnectionId,
    /// How many connections each client has.
    per_client: HashMap<ClientKey, usize>,
}

/// Counts connections from the first on.
type ConnectionId = u64;

struct OpenConnection {
    task: AbortHandle,
    state: Arc<ConnectionState>,
    worker: usize,
}

/// The right to have a connection. When it is dropped, however the connection has ended, the next may
/// take its place.
pub(crate) struct Admission {
    connections: Arc<Connections>,
    id: ConnectionId,
    client: Option<ClientKey>,
    /// Free again after the connection is off the list, so that nobody waits for the slot of one
    /// that has ended.
    slot: Option<OwnedSemaphorePermit>,
}

impl Admission {
    /// Waits for a slot. If all are taken, connections are closed in the order of [`EvictionClass`]; if
    /// all are busy, it waits for one that is not. Calls back for each that is closed.
    pub(crate) async fn wait_for_slot(&mut self, evicted: impl Fn()) {
        let mut slot = pin!(Arc::clone(&self.connections.slots).acquire_owned());
        let mut wait = Duration::ZERO;
        self.slot = loop {
            if let Ok(slot) = tokio::time::timeout(wait, &mut slot).await {
                break slot.ok();
            }
            // Each time, since the slot of the first may go to another new connection.
            (0..self.connections.evict(Instant::now())).for_each(|_| evicted());
            wait = IDLE_CHECK;
        };
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        let mut open = self.connections.lock();
        let removed = open.connections.remove(&self.id);
        if let Some(client) = self.client
            && let Some(count) = open.per_client.get_mut(&client)
        {
            *count -= 1;
            if *count == 0 {
                open.per_client.remove(&client);
            }
        }
        drop(open);
        // Without the lock.
        drop(removed);
    }
}

impl Connections {
    pub(crate) fn new(limits: ConnectionLimits) -> Self {
        let slots = Semaphore::new(limits.total.min(Semaphore::MAX_PERMITS));
        Self { limits, slots: Arc::new(slots), open: Mutex::default() }
    }

    /// Admits a connection, unless its client has as many as one client may have. Connections without
    /// a client have no such limit.
    pub(crate) fn admit(self: &Arc<Self>, client: Option<ClientKey>) -> Option<Admission> {
        let mut open = self.lock();
        if let Some(client) = client {
            let count = open.per_client.entry(client).or_default();
            if *count >= self.limits.per_client {
                return None;
            }
            *count += 1;
        }
        let id = open.next_id;
        open.next_id += 1;
        Some(Admission { connections: Arc::clone(self), id, client, slot: None })
    }

    /// Serves a connection on a task of its own.
    pub(crate) fn spawn(
        &self,
        worker: usize,
        state: Arc<ConnectionState>,
        admission: Admission,
        connection: impl Future<Output = ()> + Send + 'static,
    ) {
        let id = admission.id;
        let task = tokio::spawn(async move {
            connection.await;
            drop(admission);
        });
        // This is the worker's only thread, so the task cannot have run yet.
        let connection = OpenConnection { task: task.abort_handle(), state, worker };
        self.lock().connections.insert(id, connection);
    }

    /// Closes the connections that are first in the order of [`EvictionClass`], and of one class
    /// those that have been in it longest. Returns how many.
    fn evict(&self, now: Instant) -> usize {
        let mut open = self.lock();
        let candidates = open.connections.iter().filter_map(|(id, connection)| {
            let (phase, since) = connection.state.phase_since();
            let class = EvictionClass::new(phase, now.saturating_duration_since(since))?;
            Some((class, since, *id))
        });
        let mut candidates: Vec<_> = candidates.collect();
        let count = (self.limits.total / CONNECTIONS_PER_EVICTION).max(1);
        if candidates.len() > count {
            candidates.select_nth_unstable(count);
            candidates.truncate(count);
        }
        // Not one that has meanwhile received a request; and off the list at once, so that it is not
        // chosen again before it has ended.
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
        let now = Instant::now();
        self.close(worker, |phase, since| {
            let age = now.saturating_duration_since(since);
            match phase {
                Phase::New | Phase::Receiving => age >= self.limits.head_timeout,
                Phase::Idle => age >= self.limits.idle_timeout,
                Phase::Sending | Phase::HalfClosed => false,
                Phase::Stalled => age >= STALLED_TIMEOUT_FACTOR * self.limits.head_timeout,
            }
        });
    }

    /// Closes the idle connections of a worker until none is left or the time is up. The others close
    /// by themselves, since the response that their clients wait for says so. Returns how many were
    /// left.
    pub(crate) async fn shut_down(&self, worker: usize) -> usize {
        let deadline = Instant::now() + SHUTDOWN_TIMEOUT;
        while Instant::now() < deadline && self.count(worker) > 0 {
            // Before the first look, so that the tasks read what has come in by now.
            tokio::time::sleep(IDLE_CHECK).await;
            tokio::task::yield_now().await;
            self.close(worker, |phase, _| phase.is_idle());
        }
        self.count(worker)
    }

    fn close(&self, worker: usize, is_over: impl Fn(Phase, Instant) -> bool) {
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

/// Which connections are closed before others to make room; never one whose client takes its
/// response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum EvictionClass {
    /// Its client has sent nothing within [`GRACE`].
    Silent,
    /// Its client waits for nothing.
    Idle,
    /// Its client closed its side [`GRACE`] ago, before its response: it has gone, or has no more to send.
    HalfClosed,
    /// Its client has not finished its request within [`GRACE`].
    Slow,
    /// Its client has taken nothing of its response within [`STALLED_GRACE`].
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

    /// A time after the start of all connections of a test.
    fn later() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    /// Opens connections that have been in these phases since so many milliseconds after the start,
    /// and last until they are closed.
    fn open(connections: &Arc<Connections>, start: Instant, phases: &[(Phase, u64)]) {
        for (phase, millis) in phases {
            let state = Arc::new(ConnectionState::new());
            state.wake(start + Duration::from_millis(*millis));
            // By way of another phase, so that it begins now.
            state.enter(if *phase == Phase::New { Phase::Idle } else { Phase::New });
            state.enter(*phase);
            let admission = connections.admit(None).unwrap();
            connections.spawn(0, state, admission, std::future::pending());
        }
    }

    /// Since when the open connections have been in their phases, in milliseconds.
    fn listed(connections: &Connections, start: Instant) -> Vec<u128> {
        let open = connections.lock();
        let states = open.connections.values().map(|open| open.state.phase_since().1);
        // A state rounds to the microsecond.
        let since = states.map(|since| (since + Duration::from_micros(1) - start).as_millis());
        let mut listed: Vec<_> = since.collect();
        listed.sort_unstable();
        listed
    }

    #[tokio::test]
    async fn the_connection_that_has_been_idle_longest_makes_room() {
        let (connections, start) = (connections(5, 5), later());
        let [silent, idle, slow] = [Phase::New, Phase::Idle, Phase::Receiving];
        let phases = [(Phase::Sending, 1), (slow, 2), (idle, 3), (silent, 4), (idle, 5), (idle, 6)];
        open(&connections, start, &phases);
        let evict_at = |millis| connections.evict(start + Duration::from_millis(millis));
        assert_eq!(evict_at(7), 1);
        assert_eq!(listed(&connections, start), [1, 2, 4, 5, 6]);
        assert_eq!(evict_at(8), 1);
        assert_eq!(listed(&connections, start), [1, 2, 4, 6], "a new connection has a little time");
        assert_eq!(evict_at(54), 1);
        assert_eq!(listed(&connections, start), [1, 2, 6], "a silent one goes before an idle one");
        assert_eq!((evict_at(54), evict_at(54)), (1, 1));
        assert_eq!(listed(&connections, start), [1], "a slow one goes last");
        assert_eq!(evict_at(60_000), 0, "one that is being answered stays");
    }

    #[tokio::test]
    async fn a_response_that_its_client_does_not_take_makes_room_last() {
        let (connections, start) = (connections(2, 2), later());
        let [stalled, slow, gone] = [Phase::Stalled, Phase::Receiving, Phase::HalfClosed];
        let phases = [(stalled, 0), (stalled, 1), (slow, 990), (gone, 991)];
        open(&connections, start, &phases);
        let evict_at = |millis| connections.evict(start + Duration::from_millis(millis));
        assert_eq!(evict_at(999), 0);
        assert_eq!(evict_at(1_000), 1);
        assert_eq!(listed(&connections, start), [1, 990, 991], "the one that has stalled longest");
        assert_eq!(evict_at(1_041), 1);
        assert_eq!(listed(&connections, start), [1, 990], "one whose client may have gone");
        assert_eq!(evict_at(1_041), 1);
        assert_eq!(listed(&connections, start), [1], "a slow one goes before");
        assert_eq!(evict_at(1_041), 1);
    }

    #[tokio::test]
    async fn a_client_that_has_just_begun_to_send_a_request_has_a_little_time() {
        let (connections, start) = (connections(2, 2), later());
        open(&connections, start, &[(Phase::Receiving, 0), (Phase::New, 0)]);
        assert_eq!(connections.evict(start + GRACE - Duration::from_millis(1)), 0);
        assert_eq!(connections.evict(start + GRACE), 1);
    }

    #[tokio::test]
    async fn of_many_connections_one_in_a_hundred_is_closed_at_a_time() {
        let (connections, start) = (connections(300, 300), later());
        let phases: Vec<_> = (0..300).rev().map(|millis| (Phase::Idle, millis)).collect();
        open(&connections, start, &phases);
        assert_eq!(connections.evict(start), 3);
        assert_eq!(listed(&connections, start)[..2], [3, 4]);
    }

    #[tokio::test]
    async fn a_new_connection_gets_the_slot_of_one_that_is_closed_for_it() {
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
        assert!(listed(&connections, Instant::now()).is_empty());
    }

    #[test]
    fn a_client_may_have_so_many_connections_and_no_more() {
        let connections = connections(100, 2);
        let kept: Vec<_> = (0..2).map(|_| connections.admit(client("203.0.113.7"))).collect();
        assert!(kept.iter().all(Option::is_some));
        assert!(connections.admit(client("203.0.113.7")).is_none());
        assert!(connections.admit(client("::ffff:203.0.113.7")).is_none());
        assert!(connections.admit(client("203.0.113.8")).is_some());
        let many: Vec<_> = (0..10).map(|_| connections.admit(None)).collect();
        assert!(many.iter().all(Option::is_some), "without a client there is no such limit");
        drop(kept);
        assert!(connections.admit(client("203.0.113.7")).is_some());
        assert!(
            connections.lock().per_client.is_empty(),
            "nothing is kept of a client without any"
        );
    }
}
