//! The flags of `ghi serve`.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use ghi_server::{Config, IpNet, Moment, PublicUrl, SnapshotForm, Speed};

use crate::flag_values::{
    listen_address, moment, network, switch, time, time_of_a_second, whole_number,
};
use crate::log;

/// The default of `--idle-timeout`, as one would write it.
const IDLE_TIMEOUT: &str = "75s";

/// The flags of `ghi serve`; each has an environment variable.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Address and port, or a port of 127.0.0.1; :8000 is all addresses, port 0 a free port
    #[arg(help_heading = "Listening", long, env = "GHI_LISTEN", value_name = "ADDR")]
    #[arg(default_value = "127.0.0.1:8000", value_parser = listen_address)]
    // What other servers call it.
    #[arg(aliases = ["port", "host", "bind"])]
    pub(crate) listen: SocketAddr,

    /// Where clients reach the server behind a proxy, which is what links start with
    #[arg(help_heading = "Listening", long, env = "GHI_PUBLIC_URL", value_name = "URL")]
    pub(crate) public_url: Option<PublicUrl>,

    /// Trust X-Forwarded-For and Forwarded from this proxy or network; may be repeated
    #[arg(help_heading = "Listening", long, env = "GHI_TRUSTED_PROXY", value_name = "CIDR")]
    #[arg(value_delimiter = ',', value_parser = network)]
    pub(crate) trusted_proxy: Vec<IpNet>,

    /// Serve /healthz, /readyz and /metrics on this address as well, for an orchestrator alone
    #[arg(help_heading = "Listening", long, env = "GHI_PROBE_LISTEN", value_name = "ADDR")]
    #[arg(value_parser = listen_address)]
    pub(crate) probe_listen: Option<SocketAddr>,

    /// Graceful shutdown: go on serving for this long after SIGTERM, while /readyz answers 503
    #[arg(help_heading = "Listening", long, env = "GHI_DRAIN", value_name = "TIME")]
    #[arg(default_value = "5s", value_parser = time, allow_hyphen_values = true)]
    pub(crate) drain: Duration,

    /// Publish the network that this TOML file describes, instead of the built-in one
    #[arg(help_heading = "Figures and time", long, env = "GHI_INPUTS", value_name = "FILE")]
    pub(crate) inputs: Option<PathBuf>,

    /// Stop the clock at this UTC time, such as 2026-11-15T12:00:00Z; a day is its midnight
    #[arg(help_heading = "Figures and time", long, env = "GHI_AT", value_name = "TIMESTAMP")]
    #[arg(value_parser = moment)]
    pub(crate) at: Option<Moment>,

    /// Let the clock run on from --at, this many times as fast: 1 to 86400, which is a day a second
    #[arg(help_heading = "Figures and time", long, env = "GHI_SPEED", value_name = "N")]
    pub(crate) speed: Option<Speed>,

    /// Snapshot for requests without a Prefer header: with the regions, or the global figures alone
    #[arg(help_heading = "Figures and time", long, env = "GHI_SNAPSHOT_FORM", value_name = "FORM")]
    #[arg(default_value = "full", value_parser = snapshot_form())]
    pub(crate) snapshot_form: SnapshotForm,

    /// Make this share of all API requests fail: 429, 500, 503, truncated or cut; 0 for none
    #[arg(help_heading = "Failures on purpose", long, env = "GHI_CHAOS", value_name = "PERCENT")]
    #[arg(default_value = "0", value_parser = whole_number::<u8>(0..=100))]
    pub(crate) chaos: u8,

    /// Ignore what requests ask for with Prefer: code, delay, break and at
    #[arg(help_heading = "Failures on purpose", long, env = "GHI_NO_SCENARIOS")]
    #[arg(value_parser = switch)]
    pub(crate) no_scenarios: bool,

    /// Answer 400 to a query parameter that the path does not take, instead of ignoring it
    #[arg(help_heading = "Failures on purpose", long, env = "GHI_STRICT_PARAMETERS")]
    #[arg(value_parser = switch)]
    pub(crate) strict_parameters: bool,

    /// Requests per second of one client, with bursts of twice as many; 0 for no limit
    #[arg(help_heading = "Limits", long, env = "GHI_RATE_LIMIT", value_name = "N")]
    #[arg(default_value_t = Config::RATE_LIMIT.get(), value_parser = whole_number::<u32>(0..=1_000_000))]
    pub(crate) rate_limit: u32,

    /// Limit clients on this machine as well, to try 429 out
    #[arg(help_heading = "Limits", long, env = "GHI_RATE_LIMIT_LOOPBACK")]
    #[arg(value_parser = switch)]
    pub(crate) rate_limit_loopback: bool,

    #[arg(help_heading = "Limits", long, env = "GHI_MAX_CONNECTIONS", value_name = "N")]
    #[arg(help = format!("Connections that may be open; beyond that, the longest idle makes room [default: {}, or what the open-file limit (ulimit -n) allows]", Config::MAX_CONNECTIONS))]
    #[arg(value_parser = whole_number::<NonZeroUsize>(1..=999_999_999))]
    pub(crate) max_connections: Option<NonZeroUsize>,

    /// Close a connection that has been idle for this long between two requests
    #[arg(help_heading = "Limits", long, env = "GHI_IDLE_TIMEOUT", value_name = "TIME")]
    #[arg(default_value = IDLE_TIMEOUT, value_parser = time_of_a_second)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) idle_timeout: Duration,

    /// Worker threads [default: one per core]
    #[arg(help_heading = "Limits", long, env = "GHI_WORKERS", value_name = "N")]
    #[arg(value_parser = whole_number::<NonZeroUsize>(1..=999_999_999))]
    pub(crate) workers: Option<NonZeroUsize>,

    /// Format of the log on stderr: lines for people, or a JSON object per line
    #[arg(help_heading = "Logs", long, env = "GHI_LOG_FORMAT", value_name = "FORMAT")]
    #[arg(default_value = "text")]
    pub(crate) log_format: log::Format,

    /// Access log: a line for each request
    #[arg(help_heading = "Logs", long, env = "GHI_ACCESS_LOG")]
    #[arg(value_parser = switch)]
    pub(crate) access_log: bool,
}

fn snapshot_form() -> impl TypedValueParser<Value = SnapshotForm> {
    PossibleValuesParser::new(["full", "reduced"]).map(|form| match &*form {
        "reduced" => SnapshotForm::Reduced,
        _ => SnapshotForm::Full,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_idle_timeout_is_that_of_the_server() {
        assert_eq!(time(IDLE_TIMEOUT), Ok(Config::IDLE_TIMEOUT));
    }
}
