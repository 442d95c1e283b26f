//! The connections of a worker, and how they are closed at shutdown.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::{AbortHandle, Id};

use crate::net::connection_state::ConnectionState;

/// How long open requests may take to finish at shutdown.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// How often to look for connections that became idle meanwhile.
const SHUTDOWN_TICK: Duration = Duration::from_millis(5);

/// The open connections of a worker.
#[derive(Clone, Default)]
pub(crate) struct OpenConnections(Arc<Mutex<Tasks>>);

type Tasks = HashMap<Id, (AbortHandle, Arc<ConnectionState>)>;

impl OpenConnections {
    /// Serves a connection on a task of its own.
    pub(crate) fn spawn(
        &self,
        state: Arc<ConnectionState>,
        connection: impl Future<Output = ()> + Send + 'static,
    ) {
        let this = self.clone();
        let task = tokio::spawn(async move {
            let _listed = RemoveOnDrop(this, tokio::task::id());
            connection.await;
        });
        self.lock().insert(task.id(), (task.abort_handle(), state));
    }

    /// Closes the idle connections. The others close by themselves, since the response that their
    /// clients wait for says so; but not all clients are patient enough to be waited for.
    pub(crate) async fn shut_down(&self) {
        let deadline = Instant::now() + SHUTDOWN_TIMEOUT;
        while Instant::now() < deadline && !self.lock().is_empty() {
            // Before the first look, so that what has come in by now is read: the tasks that are
            // woken meanwhile get their turn.
            tokio::time::sleep(SHUTDOWN_TICK).await;
            tokio::task::yield_now().await;
            self.idle().iter().for_each(AbortHandle::abort);
        }
    }

    fn idle(&self) -> Vec<AbortHandle> {
        let open = self.lock();
        let idle = open.values().filter(|(_, state)| state.is_idle());
        idle.map(|(task, _)| task.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Tasks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes a connection off the list, however it is closed.
struct RemoveOnDrop(OpenConnections, Id);

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        self.0.lock().remove(&self.1);
    }
}
