//! The connections of a server: limits, eviction, timeouts and shutdown.

use std::collections::BTreeMap;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use tokio::task::{self, AbortHandle, yield_now};
use tokio::time::{sleep, timeout};

use crate::config::Config;
use crate::net::connection::{Phase, SharedState};
use crate::net::permits::ClientKey;

/// The time that open requests have to finish at shutdown.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// The number of connections that one client may always have, within the total limit.
const PER_CLIENT_MIN: usize = 16;

/// How often to look for newly idle connections, at shutdown and while a new connection waits for a slot.
const IDLE_CHECK: Duration = Duration::from_millis(5);

/// One in this many connections is evicted at a time, so that not every new connection has to scan the others.
const CONNECTIONS_PER_EVICTION: usize = 100;

/// How long a client has to send a complete request before its connection may be evicted.
const GRACE: Duration = Duration::from_millis(50);

/// How long a client may read nothing of its response before its connection may be evicted.
const STALLED_GRACE: Duration = Duration::from_secs(1);

/// How long a connection may be silent at shutdown. Its request may have arrived but not been read yet.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);

/// A connection is closed if its client reads nothing of a response for this many times the head timeout.
/// The kernels on both sides buffer up to 200 KB, so a client that reads steadily seems to read nothing
/// until it has emptied the buffers: with 30 s, 7 KB/s is enough.
const STALLED_TIMEOUT_FACTOR: u32 = 3;

#[derive(Clone, Debug, Default)]
pub(crate) struct ConnectionCounts {
    pub(crate) open: Gauge,
    pub(crate) refused: Counter,
    pub(crate) evicted: Counter,
}

/// The connections of all workers that share the limits.
pub(crate) struct Connections {
    total: usize,
    per_client: usize,
    /// How long a client may take to send the head of a request.
    head_timeout: Duration,
    idle_timeout: Duration,
    counts: ConnectionCounts,
    /// The number of the next connection.
    next: AtomicU64,
    open: Mutex<BTreeMap<u64, OpenConnection>>,
}

/// A connection, until its task has ended or been told to.
struct OpenConnection {
    task: AbortHandle,
    state: SharedState,
    client: Option<ClientKey>,
}

/// Removes a connection from the list when its task ends, however it does.
struct Listed(Arc<Connections>, u64);

impl Drop for Listed {
    fn drop(&mut self) {
        self.0.lock().remove(&self.1);
        self.0.counts.open.dec();
    }
}

impl Connections {
    pub(crate) fn new(total: usize, config: &Config, counts: ConnectionCounts) -> Arc<Self> {
        Arc::new(Self {
            total,
            per_client: (total / 10).max(PER_CLIENT_MIN).min(total),
            head_timeout: config.client_timeout,
            idle_timeout: config.idle_timeout,
            counts,
            next: AtomicU64::default(),
            open: Mutex::default(),
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    pub(crate) fn admits(&self, client: ClientKey) -> bool {
        let count = self.lock().values().filter(|open| open.client == Some(client)).count();
        let is_admitted = count < self.per_client;
        self.counts.refused.inc_by((!is_admitted).into());
        is_admitted
    }

    /// Waits until fewer connections are open than the limit allows, and evicts others if necessary and possible.
    /// Workers that do this at the same time may exceed the limit by one connection each.
    pub(crate) async fn wait_for_slot(&self) {
        while self.lock().len() >= self.total && self.evict(Instant::now()) == 0 {
            sleep(IDLE_CHECK).await;
        }
    }

    /// Serves a connection on its own task. The client is that whose limit it counts against.
    pub(crate) fn spawn(
        self: &Arc<Self>,
        client: Option<ClientKey>,
        state: SharedState,
        connection: impl Future<Output = ()> + Send + 'static,
    ) {
        // Held until the connection is in the list, from which the end of its task removes it.
        let mut open = self.lock();
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let listed = Listed(Arc::clone(self), number);
        self.counts.open.inc();
        let task = task::spawn(async move {
            connection.await;
            drop(listed);
        });
        open.insert(number, OpenConnection { task: task.abort_handle(), state, client });
    }

    /// Closes the connections whose clients wait for a response the least: by phase, and in each phase the one that has
    /// been in it longest. Returns how many.
    fn evict(&self, now: Instant) -> usize {
        let count = (self.total / CONNECTIONS_PER_EVICTION).max(1);
        let evicted = self.close(count, now, |phase, age| match phase {
            Phase::Idle => true,
            Phase::New | Phase::Receiving => age >= GRACE,
            Phase::Stalled => age >= STALLED_GRACE,
            Phase::Sending => false,
        });
        self.counts.evicted.inc_by(evicted as u64);
        evicted
    }

    /// Closes the connections that have timed out.
    pub(crate) fn close_timed_out(&self) {
        self.close(usize::MAX, Instant::now(), |phase, age| match phase {
            Phase::New | Phase::Receiving => age >= self.head_timeout,
            Phase::Idle => age >= self.idle_timeout,
            Phase::Stalled => age >= STALLED_TIMEOUT_FACTOR * self.head_timeout,
            Phase::Sending => false,
        });
    }

    /// Keeps closing idle connections until no connection is left or the time is up. The others close after their
    /// response, which says `Connection: close`. Returns how many were left, once for all workers.
    pub(crate) async fn shut_down(&self) -> usize {
        let closing = async {
            while !self.is_empty() {
                // Waits before the first scan, so that the tasks read any data that has already arrived.
                sleep(IDLE_CHECK).await;
                yield_now().await;
                self.close(usize::MAX, Instant::now(), |phase, age| match phase {
                    Phase::New => age >= SHUTDOWN_GRACE,
                    phase => phase == Phase::Idle,
                });
            }
        };
        _ = timeout(SHUTDOWN_TIMEOUT, closing).await;
        mem::take(&mut *self.lock()).len()
    }

    /// Closes up to `count` of the connections for whose phase and age this is true. Returns how many.
    fn close(
        &self,
        count: usize,
        now: Instant,
        is_over: impl Fn(Phase, Duration) -> bool,
    ) -> usize {
        let mut open = self.lock();
        let mut closing: Vec<_> = open
            .iter()
            .filter_map(|(number, connection)| {
                let state = connection.state.lock();
                let (phase, since) = (state.phase(), state.since);
                is_over(phase, now.duration_since(since)).then_some((phase, since, *number))
            })
            .collect();
        closing.sort_unstable();
        closing.truncate(count);
        for (.., number) in &closing {
            open.remove(number).inspect(|connection| connection.task.abort());
        }
        closing.len()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, OpenConnection>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn connections(total: usize, per_client: usize) -> Arc<Connections> {
        let counts = ConnectionCounts::default();
        let mut connections = Connections::new(total, &Config::default(), counts);
        Arc::get_mut(&mut connections).unwrap().per_client = per_client;
        connections
    }

    /// Returns a time after the start of all connections of a test.
    fn later() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    /// Opens connections that entered these phases the given number of milliseconds after the start, and
    /// stay open until they are closed.
    fn open(connections: &Arc<Connections>, start: Instant, phases: &[(Phase, u64)]) {
        for (phase, millis) in phases {
            let state = SharedState::in_phase(*phase);
            state.lock().since = start + Duration::from_millis(*millis);
            connections.spawn(None, state, std::future::pending());
        }
    }

    /// Returns when the open connections entered their phases, in milliseconds.
    fn listed(connections: &Connections, start: Instant) -> Vec<u128> {
        let open = connections.lock();
        let since = open.values().map(|open| open.state.lock().since);
        let mut listed: Vec<_> =
            since.map(|since| since.duration_since(start).as_millis()).collect();
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
        assert_eq!((evict_at(7), evict_at(8)), (1, 1));
        assert_eq!(listed(&connections, start), [1, 2, 4, 6], "a new one has a grace period");
        assert_eq!(evict_at(54), 1);
        assert_eq!(listed(&connections, start), [1, 2, 6], "a silent one is evicted first");
        assert_eq!((evict_at(54), evict_at(54)), (1, 1));
        assert_eq!(listed(&connections, start), [1], "a slow one is evicted last");
        assert_eq!(evict_at(60_000), 0, "one with a request in progress stays");
    }

    #[tokio::test]
    async fn a_connection_with_an_unread_response_is_evicted_last() {
        let (connections, start) = (connections(2, 2), later());
        let [stalled, slow] = [Phase::Stalled, Phase::Receiving];
        open(&connections, start, &[(stalled, 0), (stalled, 1), (slow, 990)]);
        let evict_at = |millis| connections.evict(start + Duration::from_millis(millis));
        assert_eq!(evict_at(999), 0);
        assert_eq!(evict_at(1_000), 1);
        assert_eq!(listed(&connections, start), [1, 990], "the one stalled longest is evicted");
        assert_eq!(evict_at(1_041), 1);
        assert_eq!(listed(&connections, start), [1], "a slow one is evicted earlier");
        assert_eq!(evict_at(1_041), 1);
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
        let counts = connections.counts.clone();
        connections.wait_for_slot().await;
        open(&connections, Instant::now(), &[(Phase::Idle, 0)]);
        assert_eq!((counts.evicted.get(), counts.open.get()), (0, 1), "a slot was free");
        connections.wait_for_slot().await;
        assert_eq!(counts.evicted.get(), 1);
        assert!(connections.is_empty());
        yield_now().await;
        assert_eq!(counts.open.get(), 0, "its socket is closed");
    }

    #[tokio::test]
    async fn connections_that_end_at_once_leave_the_list() {
        let connections = connections(1000, 1000);
        let (others, runtime) = (Arc::clone(&connections), tokio::runtime::Handle::current());
        // On another thread, so that a task may end before it is in the list.
        let spawning = std::thread::spawn(move || {
            let _context = runtime.enter();
            for _ in 0..1000 {
                others.spawn(None, SharedState::new(), std::future::ready(()));
            }
        });
        while !spawning.is_finished() {
            yield_now().await;
        }
        let deadline = Instant::now() + Duration::from_secs(10);
        while !connections.is_empty() {
            assert!(Instant::now() < deadline, "some are left");
            yield_now().await;
        }
    }

    #[tokio::test]
    async fn connections_per_client_are_limited() {
        let connections = connections(100, 2);
        let client = |text: &str| ClientKey::from(text.parse::<IpAddr>().unwrap());
        let first = client("203.0.113.7");
        for (client, is_open) in [(first, true), (first, true), (client("203.0.113.8"), false)] {
            assert!(connections.admits(client));
            let state = SharedState::new();
            let connection = async move {
                if is_open {
                    std::future::pending().await
                }
            };
            connections.spawn(Some(client), state, connection);
        }
        assert!(!connections.admits(first) && !connections.admits(client("::ffff:203.0.113.7")));
        assert!(connections.admits(client("203.0.113.8")));
        connections.evict(later());
        assert!(connections.admits(first));
    }
}
