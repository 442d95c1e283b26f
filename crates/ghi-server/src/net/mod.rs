//! Sockets and bytes: from a listening address to requests, and from responses to the wire.
//!
//! Knows no documents: what answers is whatever implements [`Service`].

mod worker;
mod refusal;
mod connections;
mod stream;
mod line_ends;
mod wire;
mod service;
mod listener;

pub(crate) use connections::SHUTDOWN_TIMEOUT;
pub use listener::Listener;
pub(crate) use service::Service;
pub(crate) use wire::Arrival;
pub(crate) use worker::Worker;
