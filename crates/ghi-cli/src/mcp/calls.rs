//! The requests that are being answered.

use std::collections::HashMap;

use jsonrpsee_types::Id;
use tokio::task::{AbortHandle, JoinSet};

/// The requests that are being answered, each of which an assistant can take back.
#[derive(Default)]
pub(super) struct Calls {
    running: JoinSet<(Id<'static>, String)>,
    handles: HashMap<Id<'static>, AbortHandle>,
}

impl Calls {
    pub(super) fn start(
        &mut self,
        id: Id<'static>,
        answer: impl Future<Output = String> + Send + 'static,
    ) {
        let named = id.clone();
        let handle = self.running.spawn(async move { (named, answer.await) });
        self.handles.insert(id, handle);
    }

    /// Gives up a request: it is not answered.
    pub(super) fn cancel(&mut self, id: &Id<'static>) {
        if let Some(handle) = self.handles.remove(id) {
            handle.abort();
        }
    }

    /// The next answer that is ready; none where nothing is asked for.
    pub(super) async fn next(&mut self) -> Option<String> {
        loop {
            if let Ok((id, answer)) = self.running.join_next().await? {
                self.handles.remove(&id);
                return Some(answer);
            }
        }
    }
}
