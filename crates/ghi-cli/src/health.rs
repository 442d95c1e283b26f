//! `ghi health`: a readiness check for containers without a shell or curl.

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use ghi_client::{BaseUrl, Client, Settings};
use ghi_server::is_system_time_in_range;

use crate::flag_values::listen_address;
use crate::output::{print, print_error};
use crate::serve::link;
use crate::signals::runtime;

const READYZ: &str = "/readyz";

/// The maximum time for a response: shorter than the timeout of most probes.
const TIMEOUT: Duration = Duration::from_secs(3);

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Base URL of the server [default: the address in GHI_PROBE_LISTEN or GHI_LISTEN, or
    /// http://127.0.0.1:8000]
    #[arg(value_name = "URL")]
    url: Option<BaseUrl>,
}

/// Exits with 0 if the server is ready, with 1 and a message if it is not, and with 2 for invalid arguments.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let url = match &args.url {
        // The URL of the readiness check itself is accepted too.
        Some(url) => url.as_str().strip_suffix(READYZ).unwrap_or(url.as_str()).to_owned(),
        None => local_url()?,
    };
    let settings = Settings { timeout: TIMEOUT, retries: 0, ..Settings::default() };
    let client = Client::with_settings(&url, settings);
    let client = client.map_err(|invalid| format!("{url} {invalid}"))?;
    match runtime()?.block_on(client.text_at(READYZ)) {
        Ok(_) => print("ready\n"),
        Err(error) => {
            print_error(&match is_system_time_in_range() {
                true => format!("the server is not ready: {error}"),
                // A server on this machine has the same clock.
                false => {
                    "the server is not ready: the system clock is outside the years 1970 to 9999"
                        .into()
                }
            });
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Returns the URL of a server on this machine that has the same environment.
fn local_url() -> Result<String, String> {
    let variable = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let given = variable("GHI_PROBE_LISTEN").or_else(|| variable("GHI_LISTEN"));
    let address = given.unwrap_or("127.0.0.1:8000".into());
    let url = listen_address(&address).map(link);
    url.map_err(|wrong| format!("the address of the server, '{address}', {wrong}"))
}
