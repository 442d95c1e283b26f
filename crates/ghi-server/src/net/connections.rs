//! The connections of a server: how many there may be, which makes room for another, and how they
//! are closed.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;

use crate::clock::UnixMicros;
use crate::net::client_key::ClientKey;
use crate::net::coarse_clock::CoarseClock;
use crate::net::connection_state::{ConnectionState, Phase};

/// How long open requests may take to finish at shutdown.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// How often to look for connections whose time is over.
pub(crate) const SWEEP: Duration = Duration::from_millis(100);

/// How often to look for connections that became idle meanwhile: at shutdown, and where a newcomer
/// waits for room.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// How often a newcomer looks for the place of a connection that was closed for it, before it has
/// another one closed.
const LOOKS_PER_EVICTION: u32 = 10;

/// How many connections to choose at a time to make room, so that not every newcomer has to look at
/// all of them.
const CHOSEN_AT_A_TIME: usize = 256;

/// How long a newcomer has to send something before others have a better right to its slot,
/// milliseconds.
const SILENCE_MILLIS: u64 = 250;

/// The same for a whole request, once it has begun to send one.
const GRACE_MILLIS: u64 = 1000;

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
    clock: Arc<CoarseClock>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    tasks: HashMap<Number, Task>,
    /// How many there have been.
    count: Number,
    /// How many connections each client has.
    of_clients: HashMap<ClientKey, usize>,
    /// When somebody last looked who is to go, by the coarse clock.
    looked: Option<u64>,
    /// Who was to go then, the first last.
    next_to_go: Vec<(Number, Since)>,
}

/// The number of a connection, counted from the first.
type Number = u64;

/// Since when a connection has been as it is: by the coarse clock, and where that says the same of
/// two, when their tasks were last woken.
type Since = (u64, UnixMicros);

struct Task {
    handle: AbortHandle,
    state: Arc<ConnectionState>,
    worker: usize,
}

impl Task {
    fn since(&self) -> Since {
        (self.state.since(), self.state.woken())
    }
}

/// A client's leave to have one more connection; given back when it is dropped.
pub(crate) struct Admission {
    connections: Arc<Connections>,
    client: Option<ClientKey>,
}

impl Drop for Admission {
    fn drop(&mut self) {
        let Some(client) = self.client else { return };
        let mut open = self.connections.lock();
        if let Some(count) = open.of_clients.get_mut(&client) {
            *count -= 1;
            if *count == 0 {
                open.of_clients.remove(&client);
            }
        }
    }
}

impl Connections {
    pub(crate) fn new(limits: ConnectionLimits) -> Self {
        let slots = Semaphore::new(limits.total.min(Semaphore::MAX_PERMITS));
        Self { limits, slots: Arc::new(slots), clock: Arc::default(), open: Mutex::default() }
    }

    /// The state of a new connection.
    pub(crate) fn new_state(&self) -> Arc<ConnectionState> {
        Arc::new(ConnectionState::new(Arc::clone(&self.clock)))
    }

    /// Lets a client open another connection, unless it has as many as one client may have. Where
    /// nobody says which client it is, there is no such bound.
    pub(crate) fn admit(self: &Arc<Self>, client: Option<ClientKey>) -> Option<Admission> {
        if let Some(client) = client {
            let mut open = self.lock();
            let count = open.of_clients.entry(client).or_default();
            if *count >= self.limits.per_client {
                return None;
            }
            *count += 1;
        }
        Some(Admission { connections: Arc::clone(self), client })
    }

    /// A slot for one more connection. Where all are taken, the connection that has been idle
    /// longest makes room; while all are busy, the newcomer waits.
    /// Says when one was closed for it.
    pub(crate) async fn slot(&self, evicted: impl Fn()) -> Option<OwnedSemaphorePermit> {
        let mut freed = pin!(Arc::clone(&self.slots).acquire_owned());
        let (mut wait, mut looks) = (Duration::ZERO, 0);
        loop {
            if let Ok(slot) = tokio::time::timeout(wait, &mut freed).await {
                return slot.ok();
            }
            wait = LOOK_AGAIN;
            // Again after some looks: the place of the first may have gone to another newcomer.
            if looks == 0 {
                if !self.evict() {
                    continue;
                }
                evicted();
            }
            looks = (looks + 1) % LOOKS_PER_EVICTION;
        }
    }

    /// Closes the connection that has been idle longest: whether there is one.
    fn evict(&self) -> bool {
        let mut open = self.lock();
        let now = self.clock.millis();
        // Of the last look as long as it is fresh, and else of another.
        for has_looked in [open.looked == Some(now), true] {
            if !has_looked || open.next_to_go.is_empty() {
                open.choose_next_to_go(now);
            }
            while let Some((number, since)) = open.next_to_go.pop() {
                let task = open.tasks.get(&number).filter(|task| task.since() == since);
                if task.is_some_and(|task| task.state.phase() != Phase::Sending) {
                    // Off the list at once, so that it is not chosen again before it is gone.
                    let task = open.tasks.remove(&number);
                    task.inspect(|task| task.handle.abort());
                    return true;
                }
            }
        }
        false
    }

    /// Serves a connection on a task of its own, which holds a place until the connection is closed.
    pub(crate) fn spawn(
        self: &Arc<Self>,
        worker: usize,
        state: Arc<ConnectionState>,
        place: impl Send + 'static,
        connection: impl Future<Output = ()> + Send + 'static,
    ) {
        let mut open = self.lock();
        let number = open.count;
        open.count += 1;
        drop(open);
        // It is there before the task runs, which may be closed before it does.
        let held = Held { _listed: RemoveOnDrop(Arc::clone(self), number), _place: place };
        let task = tokio::spawn(async move {
            connection.await;
            drop(held);
        });
        // On the worker's own thread, where the task cannot have run yet.
        self.lock().tasks.insert(number, Task { handle: task.abort_handle(), state, worker });
    }

    /// Reads the time for the time-outs.
    pub(crate) fn tick(&self) {
        self.clock.tick();
    }

    /// Closes the connections of a worker whose time is over.
    pub(crate) fn sweep(&self, worker: usize) {
        // A phase may have begun a sweep later than the coarse clock said.
        let [head, idle] =
            [self.limits.head_timeout, self.limits.idle_timeout].map(|timeout| timeout + SWEEP);
        self.close(worker, |state| match state.phase() {
            Phase::New | Phase::Receiving => state.age() >= head,
            Phase::Idle => state.age() >= idle,
            // The stream bounds how long a response may take.
            Phase::Sending => false,
        });
    }

    /// Closes the idle connections of a worker. The others close by themselves, since the response
    /// that their clients wait for says so; but not all clients are patient enough to be waited for.
    /// How many were still waited for at the end.
    pub(crate) async fn shut_down(&self, worker: usize) -> usize {
        let deadline = Instant::now() + SHUTDOWN_TIMEOUT;
        while Instant::now() < deadline && self.count(worker) > 0 {
            // Before the first look, so that what has come in by now is read: the tasks that are
            // woken meanwhile get their turn.
            tokio::time::sleep(LOOK_AGAIN).await;
            tokio::task::yield_now().await;
            self.close(worker, |state| state.phase().is_idle());
        }
        self.count(worker)
    }

    fn close(&self, worker: usize, is_over: impl Fn(&ConnectionState) -> bool) {
        let open = self.lock();
        let tasks = open.tasks.values().filter(|task| task.worker == worker);
        let over: Vec<AbortHandle> =
            tasks.filter(|task| is_over(&task.state)).map(|task| task.handle.clone()).collect();
        drop(open);
        over.iter().for_each(AbortHandle::abort);
    }

    fn count(&self, worker: usize) -> usize {
        self.lock().tasks.values().filter(|task| task.worker == worker).count()
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Chooses who makes room next, in the order of [`Standing`]; never one that is being answered.
    fn choose_next_to_go(&mut self, now: u64) {
        let mut waiting: Vec<(Standing, Since, Number)> = self
            .tasks
            .iter()
            .filter_map(|(number, task)| {
                let since = task.since();
                Some((
                    Standing::of(task.state.phase(), now.saturating_sub(since.0))?,
                    since,
                    *number,
                ))
            })
            .collect();
        if waiting.len() > CHOSEN_AT_A_TIME {
            waiting.select_nth_unstable(CHOSEN_AT_A_TIME);
            waiting.truncate(CHOSEN_AT_A_TIME);
        }
        waiting.sort_unstable_by(|one, other| other.cmp(one));
        self.next_to_go = waiting.into_iter().map(|(_, since, number)| (number, since)).collect();
        self.looked = Some(now);
    }
}

/// Who makes room before whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// It has had the time to send something, and has not.
    Silent,
    /// Its client waits for nothing.
    Idle,
    /// It has had the time to send a whole request, and has not.
    Slow,
}

impl Standing {
    fn of(phase: Phase, age_millis: u64) -> Option<Self> {
        match phase {
            Phase::New => (age_millis >= SILENCE_MILLIS).then_some(Self::Silent),
            Phase::Idle => Some(Self::Idle),
            Phase::Receiving => (age_millis >= GRACE_MILLIS).then_some(Self::Slow),
            Phase::Sending => None,
        }
    }
}

/// What a connection holds. It is off the list before its place is free, so that nobody waits for
/// the place of one that has gone.
struct Held<P> {
    _listed: RemoveOnDrop,
    _place: P,
}

/// Takes a connection off the list, however it is closed.
struct RemoveOnDrop(Arc<Connections>, Number);

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        // What the connection leaves is dropped without the lock.
        let removed = self.0.lock().tasks.remove(&self.1);
        drop(removed);
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

    /// A connection that lives until it is closed, with a slot.
    async fn open(
        connections: &Arc<Connections>,
        phase: Phase,
        since: u64,
    ) -> Arc<ConnectionState> {
        connections.clock.set(since);
        let slot = connections.slot(|| ()).await;
        let state = connections.new_state();
        // By way of another phase, so that it begins now.
        state.enter(if phase == Phase::New { Phase::Idle } else { Phase::New });
        state.enter(phase);
        connections.spawn(0, Arc::clone(&state), slot, std::future::pending());
        state
    }

    /// The phases and times of the connections that are open, in order of time.
    async fn listed(connections: &Connections) -> Vec<(Phase, u64)> {
        tokio::task::yield_now().await;
        let open = connections.lock();
        let mut listed: Vec<_> =
            open.tasks.values().map(|task| (task.state.phase(), task.state.since())).collect();
        listed.sort_unstable_by_key(|listed| listed.1);
        listed
    }

    /// How long each has been as it is; the time is in milliseconds.
    async fn since(connections: &Connections) -> Vec<u64> {
        listed(connections).await.into_iter().map(|listed| listed.1).collect()
    }

    #[tokio::test]
    async fn the_connection_that_has_been_idle_longest_makes_room() {
        let connections = connections(5, 5);
        open(&connections, Phase::Sending, 1).await;
        open(&connections, Phase::Receiving, 2).await;
        let idle = open(&connections, Phase::Idle, 3).await;
        open(&connections, Phase::New, 4).await;
        open(&connections, Phase::Idle, 5).await;
        open(&connections, Phase::Idle, 6).await;
        assert_eq!(since(&connections).await, [1, 2, 4, 5, 6]);
        assert_eq!(Arc::strong_count(&idle), 1, "its task is gone");
        open(&connections, Phase::Sending, 7).await;
        assert_eq!(since(&connections).await, [1, 2, 4, 6, 7], "a newcomer has a little time");
        open(&connections, Phase::Sending, 8).await;
        open(&connections, Phase::Sending, 254).await;
        assert_eq!(since(&connections).await, [1, 2, 7, 8, 254], "but no more than that");
        let half_sent =
            tokio::time::timeout(Duration::from_millis(50), connections.slot(|| ())).await;
        assert!(half_sent.is_err(), "nobody goes who has just begun to send a request");
        open(&connections, Phase::Sending, 1010).await;
        assert_eq!(
            since(&connections).await,
            [1, 7, 8, 254, 1010],
            "but who is slow about it does"
        );
        let waited = tokio::time::timeout(Duration::from_millis(50), connections.slot(|| ())).await;
        assert!(waited.is_err(), "nobody goes who is being answered");
    }

    #[tokio::test]
    async fn who_has_been_silent_goes_before_those_that_are_idle() {
        let connections = connections(3, 3);
        open(&connections, Phase::Idle, 1).await;
        open(&connections, Phase::New, 2).await;
        open(&connections, Phase::New, 3).await;
        open(&connections, Phase::Idle, 252).await;
        assert_eq!(since(&connections).await, [1, 3, 252]);
        open(&connections, Phase::Idle, 252).await;
        assert_eq!(since(&connections).await, [3, 252, 252], "the other has a little time left");
    }

    #[tokio::test]
    async fn of_those_of_one_tick_the_one_that_was_woken_first_goes() {
        let connections = connections(2, 2);
        let active = open(&connections, Phase::Idle, 1).await;
        let quiet = open(&connections, Phase::Idle, 1).await;
        let now = UnixMicros::now().unwrap();
        active.wake(now);
        connections.clock.set(2);
        open(&connections, Phase::Idle, 2).await;
        tokio::task::yield_now().await;
        assert_eq!((Arc::strong_count(&active), Arc::strong_count(&quiet)), (2, 1));
    }

    #[tokio::test]
    async fn who_has_been_busy_since_the_last_look_stays() {
        let connections = connections(3, 3);
        let first = open(&connections, Phase::Idle, 1).await;
        open(&connections, Phase::Idle, 2).await;
        open(&connections, Phase::Idle, 3).await;
        connections.lock().choose_next_to_go(4);
        connections.clock.set(4);
        first.begin_request();
        first.enter(Phase::Idle);
        open(&connections, Phase::Idle, 5).await;
        assert_eq!(since(&connections).await, [3, 4, 5]);
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
        assert!(many.iter().all(Option::is_some), "without a client there is no such bound");
        drop(kept);
        assert!(connections.admit(client("203.0.113.7")).is_some());
        assert!(connections.lock().of_clients.is_empty(), "who has gone is forgotten");
    }
}
