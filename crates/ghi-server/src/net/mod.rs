//! Sockets and bytes: from a listening address to requests, and from responses to bytes.
//!
//! Independent of the index: requests are answered by an implementation of [`Service`].

mod worker;
mod connections;
mod service;
mod pool;
mod content;
mod permits;
mod connection;
mod request_heads;
mod listener;

pub(crate) use connections::{ConnectionLimits, Connections, SHUTDOWN_TIMEOUT};
pub(crate) use content::{Content, CutAt};
pub use listener::Listener;
pub(crate) use permits::{ClientBuckets, ClientKey, Permit, PermitPool};
pub(crate) use pool::{RenderPool, Ticket};
pub(crate) use request_heads::Defect;
pub(crate) use service::{Arrival, Reply, Service, Wait};
pub(crate) use worker::Worker;
