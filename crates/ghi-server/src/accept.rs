//! Connections: accept them and serve them.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, SystemTime};

use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use crate::api::Api;
use crate::clock::unix_micros;
use crate::connections::OpenConnections;
use crate::metrics::Shard;
use crate::refusal::refuse;
use crate::stream::{Stream, Wire};

/// How long to wait after an accept that failed for want of descriptors or memory.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The longest head of a request, bytes.
const HEAD_MAX: usize = 16 * 1024;

/// The most that hyper buffers of a connection, bytes.
const BUFFER_MAX: usize = 64 * 1024;

/// What a worker needs.
pub(crate) struct Worker {
    pub(crate) api: Arc<Api>,
    pub(crate) shard: Arc<Shard>,
    /// One permit per connection, over all workers.
    pub(crate) slots: Arc<Semaphore>,
    /// Becomes true when no more connections are to be accepted.
    pub(crate) ending: watch::Receiver<bool>,
    /// How long a client may take to send a request's head or to take a response.
    pub(crate) patience: Duration,
}

impl Worker {
    /// Serves the connections of a socket until the end. The queue is the same socket, to be asked
    /// without waiting.
    pub(crate) async fn run(self, listener: TcpListener, queue: StdListener) {
        let mut http = http1::Builder::new();
        http.auto_date_header(false) // It comes from the clock that stamps the body.
            // Who has sent all that it will may still wait for its answer.
            .half_close(true)
            .timer(TokioTimer::new())
            .header_read_timeout(self.patience)
            .max_header_size(HEAD_MAX)
            .max_buf_size(BUFFER_MAX)
            // To copy a document behind its head is cheaper than to have the kernel gather them.
            .writev(false);
        let open = OpenConnections::default();
        let start = |slot, tcp, peer| {
            let wire = Arc::<Wire>::default();
            let connection = self.serve(http.clone(), tcp, peer, Arc::clone(&wire));
            open.spawn(wire, async move {
                connection.await;
                drop(slot);
            });
        };
        let mut ending = self.ending.clone();
        loop {
            let (tcp, peer) = tokio::select! {
                accepted = accept(&listener) => accepted,
                _ = ending.wait_for(|ending| *ending) => break,
            };
            // After the accept: a permit held while nobody comes would keep others out.
            let slot = tokio::select! {
                slot = Arc::clone(&self.slots).acquire_owned() => slot.ok(),
                _ = ending.wait_for(|ending| *ending) => None,
            };
            start(slot, tcp, peer);
        }
        // Who is in the queue already was promised an answer.
        while let Ok((tcp, peer)) = queue.accept() {
            if let Ok(tcp) = tcp.set_nonblocking(true).and_then(|()| TcpStream::from_std(tcp)) {
                start(None, tcp, peer);
            }
        }
        drop((listener, queue));
        open.end().await;
    }

    /// Serves one connection.
    fn serve(
        &self,
        http: http1::Builder,
        tcp: TcpStream,
        peer: SocketAddr,
        wire: Arc<Wire>,
    ) -> impl Future<Output = ()> + use<> {
        let connection = self.api.open(peer.ip().to_canonical(), &self.shard, Arc::clone(&wire));
        let api = Arc::clone(&self.api);
        let patience = self.patience;
        async move {
            // Without it, the second of two pipelined responses may wait for the first's receipt.
            _ = tcp.set_nodelay(true);
            let stream = TokioIo::new(Stream::new(tcp, patience, Arc::clone(&wire)));
            let service = service_fn(move |request| {
                let response = api.respond(&connection, &request).map(Full::new);
                std::future::ready(Ok::<_, Infallible>(response))
            });
            let mut served = http.serve_connection(stream, service);
            let is_served = poll_fn(|context| {
                // hyper reads the system's clock at every turn, wanted or not, and panics where it
                // stands outside the years that HTTP can write.
                let Some(now) = unix_micros(SystemTime::now()) else { return Poll::Ready(false) };
                wire.wake(now);
                // A connection that ends badly is the client's affair.
                Pin::new(&mut served).poll(context).map(|_| true)
            })
            .await;
            if !is_served {
                let parts = served.into_parts();
                let tcp = parts.io.into_inner().into_tcp();
                refuse(tcp, &parts.read_buf, patience).await;
            }
        }
    }
}

/// The next connection.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    let mut is_told = false;
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            // The client went away while it waited.
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                if !is_told {
                    tracing::warn!(%error, "cannot accept connections for now");
                    is_told = true;
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Whether an accept failed for the connection's sake, so that the next may succeed.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
    )
}
