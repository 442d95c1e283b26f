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

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;
    use std::thread;

    use reqwest::ClientBuilder;

    use crate::tls;

    use super::*;

    /// The address of a server that answers with its name, and the line of the request.
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

    /// What comes for a URL in an environment with these variables, if anything does.
    async fn get(url: &str, variables: &[(&str, &str)]) -> Option<String> {
        let variable = |name: &str| {
            let variable = variables.iter().find(|variable| variable.0 == name);
            variable.map(|variable| variable.1.to_owned())
        };
        let builder = reqwest::Client::builder().tls_backend_preconfigured(tls::config());
        let builder = proxies(variable).into_iter().fold(builder.no_proxy(), ClientBuilder::proxy);
        let response = builder.build().unwrap().get(url).send().await.ok()?;
        Some(response.text().await.unwrap())
    }

    const FAR: &str = "http://example.invalid/";
    const BY_PROXY: Option<&str> = Some("proxy: GET http://example.invalid/ HTTP/1.1");
    const DIRECT: Option<&str> = Some("here: GET / HTTP/1.1");

    #[tokio::test]
    async fn the_proxies_are_those_of_the_environment() {
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
    async fn no_proxy_is_asked_where_none_shall_be() {
        let [proxy, here] = [serve("proxy"), serve("here")];
        for near in
            [format!("http://{here}/"), format!("http://{here}/").replace("127.0.0.1", "localhost")]
        {
            for value in [&*proxy, "", "::", "http://"] {
                let said = get(&near, &[("HTTP_PROXY", value), ("ALL_PROXY", value)]).await;
                assert_eq!(said.as_deref(), DIRECT, "{near} {value}");
            }
        }
        // Nobody knows the name, so that without a proxy nothing comes.
        for (list, expected) in
            [("example.com", BY_PROXY), ("a, example.invalid", None), ("*", None)]
        {
            let said = get(FAR, &[("HTTP_PROXY", &proxy), ("NO_PROXY", list)]).await;
            assert_eq!(said.as_deref(), expected, "{list}");
        }
        let cgi = [("HTTP_PROXY", &*proxy), ("REQUEST_METHOD", "GET")];
        assert_eq!(get(FAR, &cgi).await, None, "the proxy may be a header of a request");
    }
}
