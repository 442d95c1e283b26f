//! Proxies, as the environment has them.

use reqwest::{NoProxy, Proxy};

/// What no proxy is asked for: it would look on its own machine.
const LOOPBACK: &str = "localhost,127.0.0.0/8,::1";

/// The proxies that the environment names, the one to ask first at the front.
///
/// `variable` reads the environment. A value that is no URL is ignored, as other tools ignore it.
pub(crate) fn proxies(variable: impl Fn(&str) -> Option<String>) -> Vec<Proxy> {
    let either = |name: &str| variable(name).or_else(|| variable(&name.to_lowercase()));
    // A CGI program finds a request's header Proxy under the name HTTP_PROXY.
    if variable("REQUEST_METHOD").is_some() {
        return Vec::new();
    }
    let direct = either("NO_PROXY").unwrap_or_default() + "," + LOOPBACK;
    let proxy = |name: &str, of: fn(String) -> reqwest::Result<Proxy>| {
        let url = either(name).filter(|url| !url.is_empty())?;
        Some(of(url).ok()?.no_proxy(NoProxy::from_string(&direct)))
    };
    [
        proxy("HTTP_PROXY", Proxy::http),
        proxy("HTTPS_PROXY", Proxy::https),
        proxy("ALL_PROXY", Proxy::all),
    ]
    .into_iter()
    .flatten()
    .collect()
}
