//! Checks for any bytes that the server or the engine reads.
//!
//! `cargo test --workspace` runs them with the files in `corpus`, and the programs in `bin` with the fuzzer's bytes.

pub mod inputs;
pub mod request;
pub mod series;
