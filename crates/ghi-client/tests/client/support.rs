//! The reference server and its documents.

use ghi_client::{Client, HeaderName, Resource, Settings};
use ghi_contract::ForecastDays;
use ghi_server::{Clock, Config, Sandbox};

const PREFER: HeaderName = HeaderName::from_static("prefer");

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

pub(crate) fn client_with(base_url: &str, settings: Settings) -> Client {
    Client::with_settings(base_url, settings).unwrap()
}

/// Returns the settings of a client that sends a preference and never retries.
pub(crate) fn preferring(preference: &str) -> Settings {
    let preference = (PREFER, preference.parse().unwrap());
    Settings { retries: 0, headers: [preference].into_iter().collect(), ..Settings::default() }
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
