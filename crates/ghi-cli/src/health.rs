//! `ghi health`: whether a server is ready, for probes without a shell.

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use ghi_client::{BaseUrl, Client, ErrorKind};

use crate::flag_values::listen_address;
use crate::output::{print, print_error};
use crate::serve::link;
use crate::signals::runtime;

/// Where a server says whether it is ready.
const READYZ: &str = "/readyz";

/// How long a server may take to answer: shorter than most probes wait for this command.
const TIMEOUT: Duration = Duration::from_secs(3);

/// The variables that tell a server where to listen, the one for probes first.
const LISTENS_AT: [&str; 2] = ["GHI_PROBE_LISTEN", "GHI_LISTEN"];

/// What `ghi health` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The server's base address. Without it, the one where GHI_PROBE_LISTEN or GHI_LISTEN let a
    /// server on this machine listen, or else http://127.0.0.1:8000
    #[arg(value_name = "URL")]
    url: Option<BaseUrl>,
}

/// Exit code 0: it is ready. 1: it is not, and a message says why. 2, as of any command: wrong arguments.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let url = match &args.url {
        // The whole address of the probe is accepted too.
        Some(url) => url.as_str().strip_suffix(READYZ).unwrap_or(url.as_str()).to_owned(),
        None => url_of_this_machine()?,
    };
    let client = Client::builder(&url).map_err(|invalid| format!("{url} {invalid}"))?;
    let client = client.timeout(TIMEOUT).retries(0).build();
    match runtime()?.block_on(client.text_at(READYZ)) {
        // Of another server, the document may be anything.
        Err(error) if !matches!(error.kind(), ErrorKind::NotTheDocument | ErrorKind::TooLarge) => {
            print_error(&format!("the server is not ready: {error}"));
            Ok(ExitCode::FAILURE)
        }
        _ => print("ready\n"),
    }
}

/// Where a server on this machine listens that has the same environment.
fn url_of_this_machine() -> Result<String, String> {
    let given = LISTENS_AT.into_iter().find_map(|name| {
        let value = env::var(name).ok().filter(|value| !value.is_empty());
        value.map(|value| (name, value))
    });
    let (name, value) = given.unwrap_or(("GHI_LISTEN", "127.0.0.1:8000".into()));
    let address = listen_address(&value).map_err(|wrong| format!("{name} '{value}' {wrong}"))?;
    if address.port() == 0 {
        return Err(format!("{name} '{value}' lets the server take any free port; give its URL"));
    }
    Ok(link(address))
}
