//! The reference server and its documents.

use ghi_client::{Builder, Client, Resource};
use ghi_contract::ForecastDays;
use ghi_server::{Clock, Config, Sandbox};

/// Starts a server with the built-in inputs and a stopped clock.
pub(crate) fn sandbox() -> Sandbox {
    start(Config::default())
}

/// Starts a server with a stopped clock.
pub(crate) fn start(config: Config) -> Sandbox {
    let clock = Clock::at("2026-11-15T12:00:00Z".parse().unwrap());
    Sandbox::start(Config { clock, ..config }).unwrap()
}

pub(crate) fn client(base_url: &str) -> Client {
    Client::new(base_url).unwrap()
}

/// Returns a builder for a client that sends a preference and never retries.
pub(crate) fn preferring(base_url: &str, preference: &str) -> Builder {
    let builder = Client::builder(base_url).unwrap().retries(0);
    builder.header("prefer".parse().unwrap(), preference.parse().unwrap())
}

/// Returns every document.
pub(crate) fn resources() -> [Resource; 8] {
    [
        Resource::Metadata,
        Resource::Regions,
        Resource::RegionDetail("us".into()),
        Resource::Snapshot,
        Resource::History("us".into()),
        Resource::Network,
        Resource::Forecast(ForecastDays::default()),
        Resource::Indicator,
    ]
}
