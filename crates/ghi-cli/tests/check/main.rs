//! `ghi check` finds what is broken, and nothing else.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod broken_servers;
mod contract_mutations;
mod strict_mutations;
mod accepted;
mod own_server;
mod hostile_servers;
mod pace;
mod formats;
mod scripted;
mod runner;
#[path = "../program/mod.rs"]
mod program;
