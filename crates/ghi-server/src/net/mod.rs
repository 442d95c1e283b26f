//! Sockets and bytes: listening addresses, connections, permits and bodies. Independent of the index.

mod connections;
mod content;
mod permits;
mod connection;
mod listener;

pub(crate) use connection::{Arrival, SharedState, Stream};
pub(crate) use connections::{ConnectionCounts, Connections, SHUTDOWN_TIMEOUT};
pub(crate) use content::{Content, ENDED_EARLY};
pub use listener::Listener;
pub(crate) use permits::{ClientKey, Permit, PermitPool};
