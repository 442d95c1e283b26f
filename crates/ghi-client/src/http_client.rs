//! The HTTP client below this one.

use std::env;
use std::time::Duration;

use reqwest::ClientBuilder;
use reqwest::redirect::Policy;

use crate::proxies::proxies;
use crate::tls;

/// What requests call themselves.
const USER_AGENT: &str = concat!("ghi-client/", env!("CARGO_PKG_VERSION"));

/// How long it may take to connect, TLS included. A packet that is lost is sent again after 1 s and
/// after 3 s: both are waited for.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a connection is kept that nobody uses: shorter than the 60 s after which servers and load
/// balancers usually close it, so that no request meets a closed connection.
const IDLE_TIMEOUT: Duration = Duration::from_secs(50);

/// What requests are sent with, for those who send some of their own.
///
/// HTTP/1.1. TLS is rustls with ring; it trusts what the system trusts, `SSL_CERT_FILE` and
/// `SSL_CERT_DIR` included, and reads that at the first connection by https: http works on a machine
/// that trusts nobody. An answer is what was sent: no redirect is followed, nothing is decompressed.
/// Proxies come from the environment (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`); none is
/// asked for what is on this machine.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let sandbox = ghi_server::Sandbox::start(ghi_server::Config::default())?;
/// # let url = sandbox.url();
/// let http = ghi_client::http_client_builder().build()?;
/// let ready = http.get(format!("{url}/readyz")).send().await?;
/// assert_eq!(ready.status(), 200);
/// # Ok(()) }
/// ```
pub fn http_client_builder() -> ClientBuilder {
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls::config())
        .user_agent(USER_AGENT)
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .http1_only()
        .no_proxy();
    proxies(|name| env::var(name).ok()).into_iter().fold(builder, ClientBuilder::proxy)
}
