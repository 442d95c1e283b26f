//! A worker: a thread that accepts connections of a socket, and gives their requests to the API.

use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener as StdListener};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

use crate::api::Api;
use crate::clock::is_system_time_in_range;
use crate::net::{Arrival, ClientKey, Connections, Content, ENDED_EARLY, SharedState, Stream};

/// How long to wait after an accept failed for lack of file descriptors or memory.
const ACCEPT_PAUSE: Duration = Duration::from_millis(250);

/// The largest head of a request, and the most that is buffered of a response before its next piece, in bytes.
const HEAD_MAX: usize = 16 * 1024;
const BUFFER_MAX: usize = 32 * 1024;

pub(crate) struct Worker {
    pub(crate) is_for_probes: bool,
    pub(crate) api: Arc<Api>,
    pub(crate) connections: Arc<Connections>,
    /// Closed when the worker should stop accepting connections.
    pub(crate) shutdown: watch::Receiver<()>,
}

impl Worker {
    /// Starts a worker on its own thread. When it has stopped, it sends how many requests were cut off.
    pub(crate) fn start(
        self,
        name: String,
        socket: StdListener,
        stopped: mpsc::UnboundedSender<usize>,
    ) -> io::Result<()> {
        // Anything that can fail does so here, where the caller can handle it.
        // The blocking thread renders what would take the worker too long.
        let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(1).build()?;
        let listener = {
            let _runtime_context = runtime.enter();
            TcpListener::from_std(socket)?
        };
        let thread = thread::Builder::new().name(name).spawn(move || {
            let cut_off = runtime.block_on(Arc::new(self).run(listener));
            // This also drops the connections that took too long.
            drop(runtime);
            _ = stopped.send(cut_off);
        });
        thread.map(drop).map_err(|error| {
            io::Error::new(error.kind(), format!("failed to start a worker thread: {error}"))
        })
    }

    /// Serves the connections of a socket until shutdown, and returns how many requests were cut off then.
    async fn run(self: Arc<Self>, listener: TcpListener) -> usize {
        let mut shutdown = self.shutdown.clone();
        loop {
            let (tcp, peer) = tokio::select! {
                accepted = accept(&listener) => accepted,
                _ = shutdown.changed() => break,
            };
            let peer = peer.ip().to_canonical();
            let client = self.api.bounded_peer(peer).filter(|_| !self.is_for_probes);
            if client.is_some_and(|client| !self.connections.admits(client)) {
                continue;
            }
            // This follows the accept, because connections are evicted only for a client that waits.
            tokio::select! {
                () = self.connections.wait_for_slot() => {}
                _ = shutdown.changed() => {}
            }
            self.serve(tcp, peer, client);
        }
        // Clients in the accept queue are already connected, and wait for a response.
        if let Ok(queue) = listener.into_std() {
            while let Ok((tcp, peer)) = queue.accept() {
                let tcp = tcp.set_nonblocking(true).and_then(|()| TcpStream::from_std(tcp));
                _ = tcp.map(|tcp| self.serve(tcp, peer.ip().to_canonical(), None));
            }
        }
        self.connections.shut_down().await
    }

    /// Serves a connection. The client is that whose limit it counts against.
    fn serve(self: &Arc<Self>, tcp: TcpStream, peer: IpAddr, client: Option<ClientKey>) {
        // Without this, the second of two pipelined responses may wait for the acknowledgement of the first.
        _ = tcp.set_nodelay(true);
        let state = SharedState::new();
        let (worker, answered) = (Arc::clone(self), state.clone());
        let answer = service_fn(move |request: Request<Incoming>| {
            let arrival = Arrival {
                peer,
                on_probe_socket: worker.is_for_probes,
                has_body: !request.body().is_end_stream(),
                request: request.map(|_| ()),
                defect: answered.begin_request(),
                started: Instant::now(),
            };
            Arc::clone(&worker).answer(arrival, answered.clone())
        });
        let stream = TokioIo::new(Stream { inner: tcp, state: state.clone() });
        let mut http = http1::Builder::new();
        http.auto_date_header(false) // It is set from the same clock as the body.
            // A client that has closed its sending side may still wait for its response.
            .half_close(true)
            // Enforced by `Connections`, without a timer per request.
            .header_read_timeout(None)
            .max_header_size(HEAD_MAX)
            .max_buf_size(BUFFER_MAX)
            // Bodies are shared; flattening them would leave a copy with the connection.
            .writev(true);
        let mut served = http.serve_connection(stream, answer);
        let connection = poll_fn(move |context| {
            // hyper would panic. It has the socket, so there is no way to say why.
            if !is_system_time_in_range() {
                return Poll::Ready(());
            }
            // A failed connection is not the server's error.
            Pin::new(&mut served).poll(context).map(|_| ())
        });
        self.connections.spawn(client, state, connection);
    }

    /// Returns the response to a request. Fails if there is none, or if the runtime shuts down first. What takes time is
    /// boxed, so that connections don't reserve memory that few of them need.
    async fn answer(
        self: Arc<Self>,
        arrival: Arrival,
        state: SharedState,
    ) -> Result<Response<Content>, &'static str> {
        let reply = Arc::clone(&self.api).respond(arrival).await;
        let (response, wait) = reply.map_err(|_| ENDED_EARLY)?;
        if let Some((duration, _permit)) = wait {
            Box::pin(self.delay(duration, &state)).await;
        }
        response.ok_or_else(|| {
            state.lock().is_reset = true;
            ENDED_EARLY
        })
    }

    /// Waits, but not beyond the server's shutdown, and not for a client that has closed its sending side, because it may
    /// be gone.
    async fn delay(&self, duration: Duration, state: &SharedState) {
        let has_left = poll_fn(|_| match state.lock().is_half_closed {
            true => Poll::Ready(()),
            // The stream wakes this task when it notices.
            false => Poll::Pending,
        });
        let mut shutdown = self.shutdown.clone();
        tokio::select! {
            () = sleep(duration) => {}
            () = has_left => {}
            _ = shutdown.changed() => {}
        }
    }
}

async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept connections at the moment");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}
