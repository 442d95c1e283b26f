//! What the sockets hand requests to.

use std::convert::Infallible;
use std::future::{pending, poll_fn};
use std::net::IpAddr;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use hyper::{Request, Response};
use tokio::sync::watch;

use crate::net::connection_state::{ConnectionState, Defect, Phase};
use crate::net::content::Content;
use crate::net::permits::Permit;

/// A request as it arrived. Its body is never read.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub(crate) request: Request<()>,
    pub(crate) has_body: bool,
    /// What is wrong with it that hyper does not mind.
    pub(crate) defect: Option<Defect>,
    /// When its connection was woken for it.
    pub(crate) started: Instant,
}

/// How a request is answered.
pub(crate) enum Reply {
    Now(Response<Content>),
    /// After a delay.
    Later(Response<Content>, Wait),
    /// With what this returns, which takes too long for a worker's thread.
    InBackground(Box<dyn FnOnce() -> Reply + Send>),
}

/// A delay before a response. It holds a timer and a permit.
#[derive(Debug)]
pub(crate) struct Wait {
    duration: Duration,
    permit: Permit,
}

impl Wait {
    pub(crate) fn new(duration: Duration, permit: Permit) -> Self {
        Self { duration, permit }
    }

    /// Waits, though no longer than until the server shuts down. A client that may have gone gives its
    /// permit back; it is answered all the same, since it may only have nothing more to send.
    pub(crate) async fn over(self, mut shutdown: watch::Receiver<bool>, state: &ConnectionState) {
        let Self { duration, permit } = self;
        let give_back = async move {
            // The stream wakes this task when it has noticed.
            poll_fn(|_| match state.phase() {
                Phase::HalfClosed => Poll::Ready(()),
                _ => Poll::Pending,
            })
            .await;
            drop(permit);
            pending::<Infallible>().await
        };
        tokio::select! {
            () = tokio::time::sleep(duration) => {}
            _ = shutdown.wait_for(|shutdown| *shutdown) => {}
            never = give_back => match never {},
        }
    }
}

impl Reply {
    /// The response, however long it takes.
    #[cfg(any(test, feature = "internals"))]
    pub(crate) fn into_response(self) -> Response<Content> {
        match self {
            Self::Now(response) | Self::Later(response, _) => response,
            Self::InBackground(work) => work().into_response(),
        }
    }
}

/// Answers requests. Nothing in it waits: a worker serves all its connections on one thread.
pub(crate) trait Service: Send + Sync + 'static {
    /// What the requests of one connection have in common.
    type Connection: Send + Sync + 'static;

    /// Whether the connections of a peer are bounded for itself alone: not those of a proxy, which
    /// speaks for many.
    fn is_bounded(&self, peer: IpAddr) -> bool;

    /// A peer was not let in, since it has as many connections as one client may have.
    fn refused(&self, worker: usize);

    /// A connection was closed to make room for another.
    fn evicted(&self, worker: usize);

    /// A peer has connected to a worker. The value is dropped when the connection is closed.
    fn connect(&self, peer: IpAddr, worker: usize) -> Self::Connection;

    /// The reply to a request.
    fn respond(self: &Arc<Self>, connection: &Arc<Self::Connection>, arrival: Arrival) -> Reply;
}
