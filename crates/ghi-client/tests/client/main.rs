//! The client on real sockets: with a server of ours, and with servers that a test scripts.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod scripted;
mod support;

mod documents;
mod caching;
mod retries;
mod scenarios;
mod hostile;
mod https;
