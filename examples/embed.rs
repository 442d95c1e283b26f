//! A client of the API, and how to test it: against a sandbox that is part of the test, at an instant
//! of one's choice.
//!
//! `cargo run --example embed` shows the client at work, `cargo test --example embed` runs its tests.

use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;

use ghi_server::{Clock, Config, Sandbox};

fn main() -> Result<(), Box<dyn Error>> {
    let clock = Clock::at("2026-11-15T12:00:00Z".parse()?);
    let sandbox = Sandbox::start(Config { clock, ..Config::default() })?;

    let cost = average_cost_usd(sandbox.url())?;
    println!("On 15 November 2026 it cost {cost} USD to mine one coin, says {}.", sandbox.url());
    Ok(())
}

/// The client: today's global average.
fn average_cost_usd(base_url: &str) -> Result<f64, Box<dyn Error>> {
    let snapshot = get(base_url, "/v1/ghi/snapshot")?;
    let value = snapshot.split("\"global_avg_cost_usd\":").nth(1).ok_or("no such field")?;
    Ok(value.split([',', '}']).next().unwrap_or_default().parse()?)
}

/// A GET without any library, so that this file stands alone; a real client has one.
fn get(base_url: &str, path: &str) -> Result<String, Box<dyn Error>> {
    let host = base_url.strip_prefix("http://").ok_or("no http URL")?;
    let mut stream = TcpStream::connect(host)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or("no end of the head")?;
    if !head.starts_with("HTTP/1.1 200 ") {
        return Err(head.into());
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let is_whole = length == Some(body.len().to_string().as_str());
    if is_whole { Ok(body.into()) } else { Err("the body ends early".into()) }
}

#[test]
fn the_client_reads_the_average_of_a_known_day() -> Result<(), Box<dyn Error>> {
    let clock = Clock::at("2026-11-15T12:00:00Z".parse()?);
    let sandbox = Sandbox::start(Config { clock, ..Config::default() })?;
    assert_eq!(average_cost_usd(sandbox.url())?, 59_535.92);
    Ok(())
}

#[test]
fn the_client_takes_no_failure_for_a_figure() -> Result<(), Box<dyn Error>> {
    let sandbox = Sandbox::start(Config { chaos_percent: 100, ..Config::default() })?;
    for _ in 0..20 {
        assert!(average_cost_usd(sandbox.url()).is_err());
    }
    Ok(())
}
