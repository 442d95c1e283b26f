//! The underlying HTTP client: TLS, proxies and timeouts.

use std::env;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, NoProxy, Proxy};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

/// The `User-Agent` of requests.
const USER_AGENT: &str = concat!("ghi-client/", env!("CARGO_PKG_VERSION"));

/// The timeout for connecting, including TLS. TCP resends a lost packet after 1 s and after 3 s; the timeout
/// allows for both.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long an idle connection stays open: shorter than the usual 60 s of servers and load balancers, so that
/// no request is sent on a closed connection.
const IDLE_TIMEOUT: Duration = Duration::from_secs(50);

/// Hosts that are never reached through a proxy, because the proxy would connect to itself.
const LOOPBACK: &str = "localhost,127.0.0.0/8,::1";

/// Returns a builder with the settings of this HTTP client, for your own requests.
///
/// It uses HTTP/1.1, and rustls with ring for TLS. It trusts the system's certificate authorities, or those
/// in `SSL_CERT_FILE` and `SSL_CERT_DIR`. It doesn't follow redirects or decompress responses. Proxies
/// come from the environment (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`) and are not used for
/// localhost.
pub fn http_client_builder() -> ClientBuilder {
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(TLS.clone())
        .user_agent(USER_AGENT)
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .http1_only()
        .no_proxy();
    proxies(|name| env::var(name).ok()).into_iter().fold(builder, ClientBuilder::proxy)
}

/// Configures TLS with the system's certificate authorities, which are read once. If there are none, plain HTTP
/// still works.
static TLS: LazyLock<ClientConfig> = LazyLock::new(|| {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("ring supports all TLS versions");
    let mut config = match Verifier::new(provider) {
        Ok(system) => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(system))
            .with_no_client_auth(),
        Err(_) => builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth(),
    };
    config.alpn_protocols = vec!["http/1.1".into()];
    config
});

/// Returns the proxies from the environment, in order of precedence.
///
/// `variable` reads the environment. A value that is not a URL is ignored, as in other tools.
fn proxies(variable: impl Fn(&str) -> Option<String>) -> Vec<Proxy> {
    let either = |name: &str| variable(name).or_else(|| variable(&name.to_lowercase()));
    // In a CGI program, HTTP_PROXY contains the request's Proxy header.
    if variable("REQUEST_METHOD").is_some() {
        return Vec::new();
    }
    let direct = either("NO_PROXY").unwrap_or_default() + "," + LOOPBACK;
    let proxies: [(&str, fn(String) -> reqwest::Result<Proxy>); 3] =
        [("HTTP_PROXY", Proxy::http), ("HTTPS_PROXY", Proxy::https), ("ALL_PROXY", Proxy::all)];
    let proxies = proxies
        .into_iter()
        .filter_map(|(name, proxy)| proxy(either(name).filter(|url| !url.is_empty())?).ok());
    proxies.map(|proxy| proxy.no_proxy(NoProxy::from_string(&direct))).collect()
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// Starts a server that returns its name and the request line. Returns its address.
    fn serve(name: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut lines = BufReader::new(&stream).lines().map(Result::unwrap);
                let line = lines.next().unwrap();
                lines.find(String::is_empty).unwrap();
                let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
                write!(stream, "{head}{name}: {line}").unwrap();
            }
        });
        address.to_string()
    }

    /// Fetches a URL in an environment with these variables. Returns the body, if any.
    async fn get(url: &str, variables: &[(&str, &str)]) -> Option<String> {
        let variable = |name: &str| {
            let variable = variables.iter().find(|variable| variable.0 == name);
            variable.map(|variable| variable.1.to_owned())
        };
        let builder = reqwest::Client::builder().tls_backend_preconfigured(TLS.clone());
        let builder = proxies(variable).into_iter().fold(builder.no_proxy(), ClientBuilder::proxy);
        let response = builder.build().unwrap().get(url).send().await.ok()?;
        Some(response.text().await.unwrap())
    }

    const FAR: &str = "http://example.invalid/";
    const BY_PROXY: Option<&str> = Some("proxy: GET http://example.invalid/ HTTP/1.1");
    const DIRECT: Option<&str> = Some("here: GET / HTTP/1.1");

    #[tokio::test]
    async fn proxies_come_from_the_environment() {
        let [proxy, other] = [serve("proxy"), serve("other")];
        for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
            for url in [&proxy, &format!("http://{proxy}/")] {
                assert_eq!(get(FAR, &[(name, url)]).await.as_deref(), BY_PROXY, "{name}={url}");
            }
        }
        for (of_http, of_all, of_https) in
            [(&proxy, &other, &other), (&String::new(), &proxy, &other)]
        {
            let all =
                [("ALL_PROXY", &**of_all), ("HTTP_PROXY", of_http), ("HTTPS_PROXY", of_https)];
            assert_eq!(get(FAR, &all).await.as_deref(), BY_PROXY);
        }
    }

    #[tokio::test]
    async fn no_proxy_is_used_for_loopback_or_hosts_in_no_proxy() {
        let [proxy, here] = [serve("proxy"), serve("here")];
        for near in
            [format!("http://{here}/"), format!("http://{here}/").replace("127.0.0.1", "localhost")]
        {
            for value in [&*proxy, "", "::", "http://"] {
                let said = get(&near, &[("HTTP_PROXY", value), ("ALL_PROXY", value)]).await;
                assert_eq!(said.as_deref(), DIRECT, "{near} {value}");
            }
        }
        // The name does not resolve, so there is no response without a proxy.
        for (list, expected) in
            [("example.com", BY_PROXY), ("a, example.invalid", None), ("*", None)]
        {
            let said = get(FAR, &[("HTTP_PROXY", &proxy), ("NO_PROXY", list)]).await;
            assert_eq!(said.as_deref(), expected, "{list}");
        }
        let cgi = [("HTTP_PROXY", &*proxy), ("REQUEST_METHOD", "GET")];
        assert_eq!(get(FAR, &cgi).await, None, "HTTP_PROXY may come from a request header");
    }
}
