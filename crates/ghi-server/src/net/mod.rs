//! Sockets and bytes: from a listening address to requests, and from responses to bytes.
//!
//! Knows no documents: what answers is whatever implements [`Service`].

mod worker;
mod refusal;
mod connections;
mod stream;
mod line_ends;
mod connection_state;
mod service;
mod listener;

pub(crate) use connection_state::Arrival;
pub(crate) use connections::SHUTDOWN_TIMEOUT;
pub use listener::Listener;
pub(crate) use service::Service;
pub(crate) use worker::Worker;
