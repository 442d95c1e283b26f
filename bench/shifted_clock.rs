//! A server whose clock starts at a moment of one's choice and goes on from there, for benchmarks
//! that cross midnight.
//!
//! `shifted_clock ADDRESS WORKERS INPUTS SECONDS_SINCE_1970`

use std::error::Error;
use std::future::pending;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ghi_server::{Clock, Config, Inputs, Listener, Server};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, workers, inputs, seconds] = &arguments[..] else {
        return Err("usage: shifted_clock ADDRESS WORKERS INPUTS SECONDS_SINCE_1970".into());
    };
    let inputs = Inputs::parse(&std::fs::read_to_string(inputs)?)?;
    let listener = Listener::bind(address.parse()?, workers.parse()?)?;
    let (start, real) = (UNIX_EPOCH + Duration::from_secs(seconds.parse()?), SystemTime::now());
    let clock = Clock::from_fn(move || start + real.elapsed().unwrap_or_default());
    let config = Config { inputs, clock, ..Config::default() };
    let server = Server::start(listener, config)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    runtime.block_on(server.run(pending()));
    Ok(())
}
