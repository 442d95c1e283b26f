//! A program that asks the API, and how to test it: against a sandbox that is part of the test, at an
//! instant of one's choice.
//!
//! `cargo run --example embed` shows it at work, `cargo test --example embed` runs its tests.

use std::error::Error;

use ghi_client::Client;
use ghi_server::{Clock, Config, Sandbox};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let clock = Clock::at("2026-11-15T12:00:00Z".parse()?);
    let sandbox = Sandbox::start(Config { clock, ..Config::default() })?;

    let cost = average_cost_usd(&Client::new(sandbox.url())?).await?;
    println!("On 15 November 2026 it cost {cost} USD to mine one coin, says {}.", sandbox.url());
    Ok(())
}

/// What is to be tested: today's average worldwide.
async fn average_cost_usd(client: &Client) -> Result<f64, Box<dyn Error>> {
    let snapshot = client.snapshot().await?;
    Ok(snapshot.global_avg_cost_usd.ok_or("version 1.0 has no average worldwide")?)
}

#[tokio::test]
async fn the_average_is_that_of_a_known_day() -> Result<(), Box<dyn Error>> {
    let clock = Clock::at("2026-11-15T12:00:00Z".parse()?);
    let sandbox = Sandbox::start(Config { clock, ..Config::default() })?;
    assert_eq!(average_cost_usd(&Client::new(sandbox.url())?).await?, 56275.86);
    Ok(())
}

#[tokio::test]
async fn a_failure_is_not_taken_for_a_figure() -> Result<(), Box<dyn Error>> {
    let sandbox = Sandbox::start(Config { chaos_percent: 100, ..Config::default() })?;
    let client = Client::builder(sandbox.url())?.retries(0).build();
    for _ in 0..20 {
        assert!(average_cost_usd(&client).await.is_err());
    }
    Ok(())
}
