//! The flags of `ghi serve`.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use ghi_server::{Config, IpNet, Moment, PublicUrl};

use crate::flag_values::{listen_address, moment, network, time_between, whole_number};
use crate::log;

/// The other names of `--listen`.
pub(crate) const LISTEN_ALIASES: [&str; 3] = ["port", "host", "bind"];

/// The flags of `ghi serve`; each has an environment variable.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Address and port to listen on. 8000 means 127.0.0.1:8000; :8000 means port 8000 on all
    /// interfaces; port 0 means any free port
    #[arg(help_heading = "Listening", long, env = "GHI_LISTEN", value_name = "ADDR")]
    #[arg(default_value = "127.0.0.1:8000", value_parser = listen_address)]
    // The names of this flag in other servers.
    #[arg(visible_aliases = LISTEN_ALIASES)]
    pub(crate) listen: SocketAddr,

    /// Public base URL for links, if the server is behind a proxy
    #[arg(help_heading = "Listening", long, env = "GHI_PUBLIC_URL", value_name = "URL")]
    pub(crate) public_url: Option<PublicUrl>,

    /// Trust X-Forwarded-For and Forwarded from this address or network; repeatable
    #[arg(help_heading = "Listening", long, env = "GHI_TRUSTED_PROXY", value_name = "CIDR")]
    #[arg(value_delimiter = ',', value_parser = network)]
    pub(crate) trusted_proxy: Vec<IpNet>,

    /// Also serve /healthz, /readyz and /metrics on this address, usually a private one
    #[arg(help_heading = "Listening", long, env = "GHI_PROBE_LISTEN", value_name = "ADDR")]
    #[arg(value_parser = listen_address)]
    pub(crate) probe_listen: Option<SocketAddr>,

    /// Graceful shutdown: keep serving for this long after SIGTERM, while /readyz returns 503. An idle
    /// server without --trusted-proxy and --probe-listen stops at once
    #[arg(help_heading = "Listening", long, env = "GHI_DRAIN", value_name = "TIME")]
    #[arg(default_value = "5s", value_parser = time_between("0s", "24h"), allow_hyphen_values = true)]
    pub(crate) drain: Duration,

    /// Publish the network described in this TOML file instead of the built-in one
    #[arg(help_heading = "Data and time", long, env = "GHI_INPUTS", value_name = "FILE")]
    pub(crate) inputs: Option<PathBuf>,

    /// Reload the inputs when their file or one of its CSV files changes
    #[arg(help_heading = "Data and time", long, env = "GHI_WATCH")]
    pub(crate) watch: bool,

    /// Stop the clock at this UTC time, such as 2026-11-15T12:00:00Z; a date means 00:00 UTC on that day
    #[arg(help_heading = "Data and time", long, env = "GHI_AT", value_name = "TIMESTAMP")]
    #[arg(value_parser = moment)]
    pub(crate) at: Option<Moment>,

    /// Run the clock from --at, N times as fast: 1 to 86400, which is one day per second
    #[arg(help_heading = "Data and time", long, env = "GHI_SPEED", value_name = "N")]
    #[arg(requires = "at", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(crate) speed: Option<u32>,

    /// Default snapshot: full (with regions) or reduced (worldwide only)
    #[arg(help_heading = "Data and time", long, env = "GHI_SNAPSHOT_FORM", value_name = "FORM")]
    #[arg(default_value = "full", value_parser = ["full", "reduced"])]
    pub(crate) snapshot_form: String,

    /// Answer API requests as if they had these preferences, such as "code=503, times=2", or those for one
    /// path, as in "/v1/ghi/history: delay=500"; repeatable
    #[arg(help_heading = "Testing", long, env = "GHI_FAIL", value_name = "PREFERENCES")]
    #[arg(value_delimiter = ';', value_parser = fail_flag)]
    pub(crate) fail: Vec<String>,

    /// Make this percentage of API requests fail: 429, 500, 503, or a broken response
    #[arg(help_heading = "Testing", long, env = "GHI_CHAOS", value_name = "PERCENT")]
    #[arg(default_value = "0", value_parser = whole_number::<u8>(0..=100))]
    pub(crate) chaos: u8,

    /// Limit --chaos to this path, such as /v1/ghi/history
    #[arg(help_heading = "Testing", long, env = "GHI_CHAOS_PATH", value_name = "PATH")]
    #[arg(value_parser = api_path, requires = "chaos")]
    pub(crate) chaos_path: Option<String>,

    /// Ignore the Prefer header, except return=
    #[arg(help_heading = "Testing", long, env = "GHI_NO_SCENARIOS")]
    pub(crate) no_scenarios: bool,

    /// Return 400 for unknown query parameters instead of ignoring them
    #[arg(help_heading = "Testing", long, env = "GHI_STRICT_PARAMETERS")]
    pub(crate) strict_parameters: bool,

    /// Print the base URL to stdout once the server accepts connections
    #[arg(help_heading = "Testing", long, env = "GHI_PRINT_URL")]
    pub(crate) print_url: bool,

    /// Shut down when standard input closes, for example because the parent process exited
    #[arg(help_heading = "Testing", long, env = "GHI_EXIT_WITH_STDIN")]
    pub(crate) exit_with_stdin: bool,

    /// Requests per second per client, with bursts of twice as many; 0 for no limit
    #[arg(help_heading = "Limits", long, env = "GHI_RATE_LIMIT", value_name = "N")]
    #[arg(default_value_t = Config::RATE_LIMIT.get(), value_parser = whole_number::<u32>(0..=1_000_000))]
    pub(crate) rate_limit: u32,

    /// Also limit clients on this machine, to test 429
    #[arg(help_heading = "Limits", long, env = "GHI_RATE_LIMIT_LOOPBACK")]
    pub(crate) rate_limit_loopback: bool,

    #[arg(help_heading = "Limits", long, env = "GHI_MAX_CONNECTIONS", value_name = "N")]
    #[arg(help = format!("Maximum open connections; at the limit, a new connection replaces an idle or stalled one [default: {}, or what the open-file limit (ulimit -n) allows]", Config::MAX_CONNECTIONS))]
    #[arg(value_parser = whole_number::<NonZeroUsize>(1..=999_999_999))]
    pub(crate) max_connections: Option<NonZeroUsize>,

    /// How long a connection may be idle between two requests
    #[arg(help_heading = "Limits", long, env = "GHI_IDLE_TIMEOUT", value_name = "TIME")]
    #[arg(default_value = "75s", value_parser = time_between("1s", "24h"))]
    #[arg(allow_hyphen_values = true)]
    pub(crate) idle_timeout: Duration,

    /// Worker threads [default: one per core]
    #[arg(help_heading = "Limits", long, env = "GHI_WORKERS", value_name = "N")]
    #[arg(value_parser = whole_number::<NonZeroUsize>(1..=999_999_999))]
    pub(crate) workers: Option<NonZeroUsize>,

    /// Log format on stderr: plain text, or one JSON object per line
    #[arg(help_heading = "Logs", long, env = "GHI_LOG_FORMAT", value_name = "FORMAT")]
    #[arg(default_value = "text")]
    pub(crate) log_format: log::Format,

    /// Log one line per request
    #[arg(help_heading = "Logs", long, env = "GHI_ACCESS_LOG")]
    pub(crate) access_log: bool,
}

/// Parses a path of the API; a trailing slash makes no difference.
fn api_path(text: &str) -> Result<String, &'static str> {
    let path = text.strip_suffix('/').unwrap_or(text);
    let known = ghi_server::is_api_path(path).then(|| path.to_owned());
    known.ok_or("must be a path of the API, such as /v1/ghi/history or /v1/ghi/regions/{id}")
}

fn fail_flag(text: &str) -> Result<String, String> {
    ghi_server::check_fail_flag(text).map(|()| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, FromArgMatches};

    use super::*;

    #[test]
    fn the_default_idle_timeout_matches_the_server() {
        let command = Args::augment_args(clap::Command::new("serve"));
        let args = Args::from_arg_matches(&command.get_matches_from(["serve"])).unwrap();
        assert_eq!(args.idle_timeout, Config::IDLE_TIMEOUT);
    }
}
