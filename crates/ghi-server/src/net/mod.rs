//! Sockets and bytes: from a listening address to requests, and from responses to bytes.
//!
//! Independent of the index: requests are answered by an implementation of [`Service`].

mod worker;
mod connections;
mod stream;
mod request_heads;
mod connection_state;
mod service;
mod permits;
mod pool;
mod content;
mod drip;
mod lazy;
mod listener;

pub(crate) use connection_state::Defect;
pub(crate) use connections::{ConnectionLimits, Connections, SHUTDOWN_TIMEOUT};
pub(crate) use content::{Content, CutAt};
pub use listener::Listener;
pub(crate) use permits::{ClientBuckets, ClientKey, Permit, PermitPool};
pub(crate) use pool::{RenderPool, Ticket};
pub(crate) use service::{Arrival, Reply, Service, Wait};
pub(crate) use worker::Worker;
