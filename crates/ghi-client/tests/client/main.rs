//! Tests of the client on real sockets, with the reference server and with scripted servers.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod scripted;
mod support;

mod documents;
mod caching;
mod retries;
mod scenarios;
mod hostile;
mod https;
