//! Sockets and bytes: from a listening address to requests, and from responses to bytes.
//!
//! Independent of the index: requests are answered by an implementation of [`Service`].

mod worker;
mod connections;
mod content;
mod permits;
mod connection;
mod listener;

pub(crate) use connections::{ConnectionCounts, ConnectionLimits, Connections, SHUTDOWN_TIMEOUT};
pub(crate) use content::Content;
pub use listener::Listener;
pub(crate) use permits::{ClientKey, Permit, PermitPool};
pub(crate) use worker::{Answer, Arrival, Reply, Service, Wait, Worker};
