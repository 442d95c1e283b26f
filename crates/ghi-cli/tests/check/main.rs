//! `ghi check`: that it finds what is broken, and nothing else.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod teeth;
mod contract_mutations;
mod strict_mutations;
mod accepted;
mod own_server;
mod strangers;
mod pace;
mod formats;
mod scripted;
mod judge;
