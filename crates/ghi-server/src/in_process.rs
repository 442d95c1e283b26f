//! A server without sockets.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use hyper::{Request, Response};

use crate::api::{Api, Connection};
use crate::config::Config;
use crate::net::{Arrival, Content, Service};

/// A server without sockets, with a single connection.
pub struct InProcess {
    api: Arc<Api>,
    connection: Arc<Connection>,
}

impl InProcess {
    /// Starts a server with a connection from a peer.
    pub fn new(config: Config, peer: IpAddr) -> Self {
        let api = Arc::new(Api::new(config, ([127, 0, 0, 1], 8000).into(), 1));
        let connection = Arc::new(api.connect(peer, 0));
        Self { api, connection }
    }

    /// Makes the server respond as it does while it shuts down.
    pub fn start_draining(&self) {
        self.api.start_draining();
    }

    /// Returns the response to a request, with its whole body.
    pub fn respond(&self, request: Request<String>) -> Response<Bytes> {
        let has_body = !request.body().is_empty();
        let started = Instant::now();
        let arrival = Arrival { request: request.map(|_| ()), has_body, defect: None, started };
        let reply = self.api.respond(&self.connection, arrival);
        reply.into_response().map(Content::into_bytes)
    }
}
