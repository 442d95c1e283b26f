//! The interface between sockets and whatever answers requests.

use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::{Request, Response};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::clock::MonotonicTime;
use crate::net::connection::{Phase, SharedState};
use crate::net::content::Content;
use crate::net::permits::Permit;
use crate::net::pool::Ticket;
use crate::net::request_heads::Defect;

/// A request as received. Its body is never read.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub(crate) request: Request<()>,
    pub(crate) has_body: bool,
    /// A defect in it that hyper accepts, if any.
    pub(crate) defect: Option<Defect>,
    /// When its connection was woken for it.
    pub(crate) started: MonotonicTime,
}

/// The reply to a request.
pub(crate) enum Reply {
    /// A response after a delay, if there is one. Without a response, the connection is reset.
    Ready(Option<Response<Content>>, Option<Wait>),
    /// A reply that takes too long to render on a worker's thread, with its place in the queue.
    Rendered(Ticket, Box<dyn FnOnce() -> Reply + Send>),
}

impl Reply {
    /// Returns the response, however long it takes.
    pub(crate) fn into_response(self) -> Response<Content> {
        match self {
            Self::Ready(response, _) => response.unwrap_or_default(),
            Self::Rendered(_, render) => render().into_response(),
        }
    }
}

/// A delay before a response.
#[derive(Debug)]
pub(crate) struct Wait {
    pub(crate) duration: Duration,
    pub(crate) permit: Permit,
}

impl Wait {
    /// Waits, but not beyond the server's shutdown. If the client may be gone, the permit is returned
    /// early. The response is still sent, because the client may simply have nothing more to send.
    pub(crate) async fn over(self, mut shutdown: watch::Receiver<bool>, state: &SharedState) {
        let mut permit = Some(self.permit);
        let mut delay = pin!(sleep(self.duration));
        let delay = poll_fn(|context| {
            // The stream wakes this task when it notices.
            permit.take_if(|_| state.lock().phase == Phase::HalfClosed);
            delay.as_mut().poll(context)
        });
        tokio::select! {
            () = delay => {}
            _ = shutdown.wait_for(|shutdown| *shutdown) => {}
        }
    }
}

/// Answers requests. It never blocks, because a worker serves all its connections on one thread.
pub(crate) trait Service: Send + Sync + 'static {
    /// The state shared by the requests of one connection.
    type Connection: Send + Sync + 'static;

    /// Returns whether a peer's connections are limited. A proxy's are not, because it forwards requests
    /// for many clients.
    fn is_bounded(&self, peer: IpAddr) -> bool;

    /// Called when a peer has reached the limit per client.
    fn refused(&self);

    /// Called with the number of connections that were evicted for another.
    fn evicted(&self, count: usize);

    /// Called when a peer connects to a worker, maybe on the probe socket.
    fn connect(&self, peer: IpAddr, worker: usize, is_probe: bool) -> Self::Connection;

    fn respond(self: &Arc<Self>, connection: &Arc<Self::Connection>, arrival: Arrival) -> Reply;
}
