//! What the sockets hand requests to.

use std::net::IpAddr;

use hyper::body::Body;
use hyper::{Request, Response};

use crate::net::connection_state::Arrival;
use crate::net::content::Content;
use crate::net::waiting::Wait;

/// A response, and how it is sent.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) response: Response<Content>,
    /// What it waits for before that.
    pub(crate) wait: Option<Wait>,
}

impl From<Response<Content>> for Reply {
    fn from(response: Response<Content>) -> Self {
        Self { response, wait: None }
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

    /// An idle connection was closed to make room for another.
    fn evicted(&self, worker: usize);

    /// A peer has connected to a worker. The value is dropped when the connection is closed.
    fn connect(&self, peer: IpAddr, worker: usize) -> Self::Connection;

    /// The reply to a request, whose body is not read.
    fn respond<B: Body>(
        &self,
        connection: &Self::Connection,
        request: &Request<B>,
        arrival: Arrival,
    ) -> Reply;

    /// The response to a GET of a path while the system's clock is unusable.
    fn refuse(&self, path: &str) -> Response<Content>;
}
