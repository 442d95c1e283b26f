//! `ghi health`: is a server ready? For probes where there is no shell.

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use ghi_client::{BaseUrl, cause};
use ghi_engine::visible;
use serde_json::Value;

use crate::flag_values::listen_address;
use crate::output::{print, print_error};
use crate::serve::link;

/// Where a server says whether it is ready.
const READYZ: &str = "/readyz";

/// How long a server may take to answer: shorter than most probes wait for this command.
const TIMEOUT: Duration = Duration::from_secs(3);

/// The longest answer that is looked at for why a server is not ready, bytes, and how much of its words is
/// repeated, characters.
const PROBLEM_MAX: usize = 16 * 1024;
const DETAIL_MAX: usize = 300;

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

/// Exit code 0: it is ready. 1: it is not, and a sentence says why. 2, as of any command: what was asked
/// for makes no sense.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let given = args.url.as_ref().map(|url| {
        // Who has the whole address of the probe may give that.
        let url = url.as_str();
        url.strip_suffix(READYZ).unwrap_or(url).to_owned()
    });
    let url = given.map_or_else(of_this_machine, Ok)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("cannot start: {error}"))?;
    match runtime.block_on(ask(&url)) {
        Ok(()) => print("ready\n"),
        Err(reason) => {
            print_error(&format!("{url} is not ready: {reason}"));
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Where a server on this machine listens that has the same environment.
fn of_this_machine() -> Result<String, String> {
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

/// Asks whether it is ready; an error is why it is not.
async fn ask(url: &str) -> Result<(), String> {
    let http = ghi_client::http_client_builder().timeout(TIMEOUT).build();
    let http = http.map_err(|error| error.to_string())?;
    let answer = http.get(format!("{url}{READYZ}")).send().await;
    let mut answer = answer.map_err(|error| reason(&error))?;
    let status = answer.status();
    if status.is_success() {
        return Ok(());
    }
    let mut body = Vec::new();
    while let Ok(Some(more)) = answer.chunk().await
        && body.len() + more.len() <= PROBLEM_MAX
    {
        body.extend_from_slice(&more);
    }
    let problem: Option<Value> = serde_json::from_slice(&body).ok();
    let detail = problem.as_ref().and_then(|problem| problem["detail"].as_str());
    let detail = detail.map(|detail| format!(": {}", visible(detail, DETAIL_MAX)));
    Err(format!("{status}{}", detail.unwrap_or_default()))
}

fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no answer within {} s", TIMEOUT.as_secs());
    }
    cause(error)
}
