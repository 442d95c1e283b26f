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

    async fn get(url: &str, variables: &[(&str, &str)]) -> String {
        let variable = |name: &str| {
            let value = variables.iter().find(|variable| variable.0 == name);
            value.map(|variable| variable.1.to_owned())
        };
        let builder = reqwest::Client::builder().tls_backend_preconfigured(crate::tls::config());
        let client = proxies(variable).into_iter().fold(builder.no_proxy(), |b, p| b.proxy(p));
        client.build().unwrap().get(url).send().await.unwrap().text().await.unwrap()
    }

    #[tokio::test]
    async fn proxies_are_those_of_the_environment_but_for_this_machine() {
        let [proxy, other, here] = [serve("proxy"), serve("other"), serve("here")];
        let far = "http://example.invalid/";
        let by_proxy = "proxy: GET http://example.invalid/ HTTP/1.1";
        for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
            assert_eq!(get(far, &[(name, &proxy)]).await, by_proxy, "{name}");
            let url = format!("http://{proxy}/");
            assert_eq!(get(far, &[(name, &url)]).await, by_proxy, "{name}");
            let near = format!("http://{here}/");
            assert_eq!(get(&near, &[(name, &proxy)]).await, "here: GET / HTTP/1.1");
            let near = near.replace("127.0.0.1", "localhost");
            assert_eq!(get(&near, &[(name, &proxy)]).await, "here: GET / HTTP/1.1");
        }
        let both = [("ALL_PROXY", &*other), ("HTTP_PROXY", &*proxy)];
        assert_eq!(get(far, &both).await, by_proxy, "the one that is meant for it comes first");
        let https_only = [("ALL_PROXY", &*proxy), ("HTTPS_PROXY", &*other)];
        assert_eq!(get(far, &https_only).await, by_proxy);
    }

    #[tokio::test]
    async fn no_proxy_is_asked_where_none_shall_be() {
        let [proxy, here] = [serve("proxy"), serve("here")];
        let near = format!("http://{here}/");
        for value in ["", "::", "http://"] {
            assert_eq!(get(&near, &[("HTTP_PROXY", value)]).await, "here: GET / HTTP/1.1");
        }
        let is_direct = |variables: &'static str| {
            let list = format!("example.org, {variables}");
            let proxy = proxy.clone();
            async move {
                let client = [("HTTP_PROXY", &*proxy), ("NO_PROXY", &*list)];
                let variable = |name: &str| {
                    let value = client.iter().find(|variable| variable.0 == name);
                    value.map(|variable| variable.1.to_owned())
                };
                let builder = reqwest::Client::builder();
                let builder = builder.tls_backend_preconfigured(crate::tls::config()).no_proxy();
                let client = proxies(variable).into_iter().fold(builder, |b, p| b.proxy(p));
                client.build().unwrap().get("http://example.invalid/").send().await.is_err()
            }
        };
        assert!(is_direct("example.invalid").await, "the name is not known here");
        assert!(is_direct("*").await);
        assert!(!is_direct("example.com").await);
    }
}
