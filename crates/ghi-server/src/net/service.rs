//! What the sockets hand requests to.

use std::net::IpAddr;

use bytes::Bytes;
use hyper::body::Body;
use hyper::{Request, Response};

use crate::net::connection_state::Arrival;

/// Answers requests. Nothing in it waits: a worker serves all its connections on one thread.
pub(crate) trait Service: Send + Sync + 'static {
    /// What the requests of one connection have in common.
    type Connection: Send + Sync + 'static;

    /// A peer has connected to a worker. The value is dropped when the connection is closed.
    fn connect(&self, peer: IpAddr, worker: usize) -> Self::Connection;

    /// The response to a request, whose body is not read.
    fn respond<B: Body>(
        &self,
        connection: &Self::Connection,
        request: &Request<B>,
        arrival: Arrival,
    ) -> Response<Bytes>;

    /// The response to a GET of a path while the system's clock is unusable.
    fn refuse(&self, path: &str) -> Response<Bytes>;
}
