//! What a server serves, and within which bounds.

use std::num::NonZeroU32;
use std::time::Duration;

use ghi_engine::Inputs;
use ipnet::IpNet;

use crate::clock::Clock;

/// What a server serves, and within which bounds.
#[derive(Clone, Debug)]
pub struct Config {
    /// The network whose figures are published.
    pub inputs: Inputs,
    /// Where the time comes from.
    pub clock: Clock,
    /// The snapshot that a request without preference gets.
    pub snapshot_form: SnapshotForm,
    /// Requests per second of one client, with bursts of twice as many; `None` for no limit.
    pub rate_limit: Option<NonZeroU32>,
    /// The proxies whose `X-Forwarded-For` and `Forwarded` are trusted. IPv4-mapped networks, such
    /// as `::ffff:10.0.0.0/104`, are the IPv4 networks that they stand for.
    pub trusted_proxies: Vec<IpNet>,
    /// How many connections may be open; others wait.
    pub max_connections: usize,
    /// How long a client may take to send a request's head, or to take a response.
    pub client_timeout: Duration,
    /// Whether to log a line for each request.
    pub access_log: bool,
}

impl Config {
    /// The default rate limit, requests per second of one client.
    pub const RATE_LIMIT: NonZeroU32 = NonZeroU32::new(100).expect("100 is not zero");

    /// The default bound on open connections.
    pub const MAX_CONNECTIONS: usize = 10_000;
}

impl Default for Config {
    fn default() -> Self {
        Self {
            inputs: Inputs::default(),
            clock: Clock::system(),
            snapshot_form: SnapshotForm::default(),
            rate_limit: Some(Self::RATE_LIMIT),
            trusted_proxies: Vec::new(),
            max_connections: Self::MAX_CONNECTIONS,
            client_timeout: Duration::from_secs(10),
            access_log: false,
        }
    }
}

/// The two forms of the snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SnapshotForm {
    /// With the regions.
    #[default]
    Full,
    /// The global figures alone.
    Reduced,
}
