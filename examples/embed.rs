//! A program that uses the API, with tests that start their own sandbox at a fixed time.
//!
//! Run it with `cargo run --example embed`, and its tests with `cargo test --example embed`.

use std::error::Error;

use ghi_client::Client;
use ghi_server::{Clock, Config, Sandbox};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let clock = Clock::at("2026-11-15T12:00:00Z".parse()?);
    let sandbox = Sandbox::start(Config { clock, ..Config::default() })?;

    let cost = average_cost_usd(&Client::new(sandbox.url())?).await?;
    println!("{} says that mining one coin cost {cost} USD on 2026-11-15.", sandbox.url());
    Ok(())
}

/// Returns today's worldwide average. This is the function under test.
async fn average_cost_usd(client: &Client) -> Result<f64, Box<dyn Error>> {
    let snapshot = client.snapshot().await?;
    Ok(snapshot.global_avg_cost_usd.ok_or("API 1.0 has no worldwide average")?)
}

#[tokio::test]
async fn the_average_on_a_fixed_day_is_known() -> Result<(), Box<dyn Error>> {
    let clock = Clock::at("2026-11-15T12:00:00Z".parse()?);
    let sandbox = Sandbox::start(Config { clock, ..Config::default() })?;
    assert_eq!(average_cost_usd(&Client::new(sandbox.url())?).await?, 56_018.28);
    Ok(())
}

#[tokio::test]
async fn a_failed_request_returns_an_error() -> Result<(), Box<dyn Error>> {
    let sandbox = Sandbox::start(Config { chaos_percent: 100, ..Config::default() })?;
    let settings = ghi_client::Settings { retries: 0, ..Default::default() };
    let client = Client::with_settings(sandbox.url(), settings)?;
    for _ in 0..20 {
        assert!(average_cost_usd(&client).await.is_err());
    }
    Ok(())
}

#[tokio::test]
async fn the_average_changes_at_midnight() -> Result<(), Box<dyn Error>> {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::{Duration, UNIX_EPOCH};

    // One second before 2027 begins.
    let now = Arc::new(AtomicU64::new(1_798_761_599));
    let shown = Arc::clone(&now);
    let clock =
        Clock::from_fn(move || UNIX_EPOCH + Duration::from_secs(shown.load(Ordering::Relaxed)));
    let sandbox = Sandbox::start(Config { clock, ..Config::default() })?;
    let client = Client::new(sandbox.url())?;
    let before = average_cost_usd(&client).await?;
    now.fetch_add(1, Ordering::Relaxed);
    assert_ne!(average_cost_usd(&client).await?, before);
    assert_eq!(client.history("global").await?.points[6].date, "2027-01-01");
    Ok(())
}
