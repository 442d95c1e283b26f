//! Connections: accept them, serve them, end them.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;

use crate::Config;
use crate::api::Api;

/// How long a client may take to send a request's head; ends idle connections, too.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);

/// How long open requests may take to finish once the server is told to end.
const DRAIN: Duration = Duration::from_secs(5);

/// How long to wait after an accept that failed: descriptors may be short for a while.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `shutdown` is ready, then finishes the open requests.
pub async fn serve(listener: TcpListener, config: Config, shutdown: impl Future<Output = ()>) {
    let api = Arc::new(Api::new(config));
    let mut http = http1::Builder::new();
    // The `Date` header comes from the clock that stamps the body.
    http.auto_date_header(false).timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
    let connections = GracefulShutdown::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut shutdown => break,
        };
        let Ok((stream, _peer)) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let api = Arc::clone(&api);
        let service = service_fn(move |request| {
            let response = api.respond(&request).map(Full::new);
            async move { Ok::<_, Infallible>(response) }
        });
        let connection = http.serve_connection(TokioIo::new(stream), service);
        let connection = connections.watch(connection);
        // A connection that ends badly is the client's affair.
        tokio::spawn(async move { _ = connection.await });
    }
    drop(listener);
    _ = tokio::time::timeout(DRAIN, connections.shutdown()).await;
}
