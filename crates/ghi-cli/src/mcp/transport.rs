//! Messages on stdin and stdout, in bounded memory.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::ClientNotification::CancelledNotification;
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{Stdin, Stdout, stdin, stdout};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The maximum length of a line in bytes; longer lines are ignored. A call has a few hundred.
const LINE_MAX: usize = 64 << 10;

/// The maximum number of requests without a response. While there are that many, no further line is read.
const REQUESTS_MAX: usize = 16;

pub(super) struct BoundedTransport {
    lines: AsyncRwTransport<RoleServer, Stdin, Stdout>,
    room: Arc<Semaphore>,
    /// The requests without a response. Those that are cancelled get none.
    open: Arc<Mutex<HashMap<RequestId, OwnedSemaphorePermit>>>,
}

impl BoundedTransport {
    pub(super) fn stdio() -> Self {
        let lines = AsyncRwTransport::new(stdin(), stdout()).with_max_line_length(LINE_MAX);
        Self { lines, room: Arc::new(Semaphore::new(REQUESTS_MAX)), open: Arc::default() }
    }
}

impl Transport<RoleServer> for BoundedTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let id = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let (open, sending) = (Arc::clone(&self.open), self.lines.send(message));
        async move {
            let sent = sending.await;
            id.and_then(|id| open.lock().unwrap_or_else(PoisonError::into_inner).remove(&id));
            sent
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let permit = Arc::clone(&self.room).acquire_owned().await.ok()?;
        let message = self.lines.receive().await?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match &message {
            JsonRpcMessage::Request(request) => _ = open.insert(request.id.clone(), permit),
            JsonRpcMessage::Notification(received) => {
                if let CancelledNotification(cancelled) = &received.notification {
                    cancelled.params.request_id.as_ref().and_then(|id| open.remove(id));
                }
            }
            _ => {}
        }
        drop(open);
        Some(message)
    }

    async fn close(&mut self) -> io::Result<()> {
        self.lines.close().await
    }
}
