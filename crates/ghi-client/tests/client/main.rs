//! The client on real sockets: with a server of ours, and with servers that a test scripts.

mod caching;
mod documents;
mod hostile;
mod https;
mod retries;
mod scenarios;
mod scripted;
mod support;
