//! A server of ours, and what may be asked of it.

use ghi_client::{Builder, Client, Resource};
use ghi_contract::ForecastDays;
use ghi_server::{Clock, Config, Sandbox};

/// A server of the default inputs whose clock stands still.
pub(crate) fn sandbox() -> Sandbox {
    start(Config::default())
}

/// A server whose clock stands still.
pub(crate) fn start(config: Config) -> Sandbox {
    let clock = Clock::at("2026-11-15T12:00:00Z".parse().unwrap());
    Sandbox::start(Config { clock, ..config }).unwrap()
}

pub(crate) fn client(base_url: &str) -> Client {
    Client::new(base_url).unwrap()
}

/// A client that sends a header with each request, and sends none twice.
pub(crate) fn preferring(base_url: &str, preference: &str) -> Builder {
    let builder = Client::builder(base_url).unwrap().retries(0);
    builder.header("prefer".parse().unwrap(), preference.parse().unwrap())
}

/// Each document there is.
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
