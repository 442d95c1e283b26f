//! A worker: a socket, a thread, and the connections that it accepts.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::mem::MaybeUninit;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use crate::clock::{MonotonicTime, is_system_time_in_range};
use crate::net::connection_state::{ConnectionState, Phase};
use crate::net::connections::{Connections, SWEEP};
use crate::net::content::{EndedEarly, SentContent};
use crate::net::permits::ClientKey;
use crate::net::service::{Arrival, Reply, Service};
use crate::net::stream::Stream;

/// How long to wait after an accept failed for lack of file descriptors or memory.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The largest head of a request, in bytes.
const HEAD_MAX: usize = 16 * 1024;

/// The most that hyper buffers per connection, in bytes, before it asks for the next piece of a response.
const BUFFER_MAX: usize = 32 * 1024;

/// The parts of a worker.
pub(crate) struct Worker<S> {
    /// Its index, counted from 0.
    pub(crate) number: usize,
    /// Whether it serves the probe socket, whose peers have no limit per client.
    pub(crate) is_for_probes: bool,
    pub(crate) service: Arc<S>,
    /// The connections of all workers.
    pub(crate) connections: Arc<Connections>,
    /// Becomes true, or is closed, when the worker should stop accepting connections.
    pub(crate) shutdown: watch::Receiver<bool>,
}

impl<S: Service> Worker<S> {
    /// Serves the connections of a socket until shutdown, and returns how many requests were cut off then.
    /// `accept_queue` is the same socket in non-blocking mode, used to empty the accept queue.
    pub(crate) async fn run(self, listener: TcpListener, accept_queue: StdListener) -> usize {
        let mut http = http1::Builder::new();
        http.auto_date_header(false) // It is set from the same clock as the body.
            // A client that has closed its sending side may still wait for its response.
            .half_close(true)
            // The sweep enforces this timeout without a timer per request.
            .header_read_timeout(None)
            .max_header_size(HEAD_MAX)
            .max_buf_size(BUFFER_MAX)
            // Bodies are shared; flattening them would leave a copy with the connection.
            .writev(true);
        let start = |tcp, peer, admission| {
            let state = Arc::new(ConnectionState::new());
            let connection = self.serve(http.clone(), tcp, peer, Arc::clone(&state));
            self.connections.spawn(self.number, state, admission, connection);
        };
        let mut shutdown = self.shutdown.clone();
        let accepting = async {
            loop {
                let (tcp, peer) = tokio::select! {
                    accepted = accept(&listener) => accepted,
                    _ = shutdown.wait_for(|shutdown| *shutdown) => return,
                };
                let address = peer.ip().to_canonical();
                let is_bounded = !self.is_for_probes && self.service.is_bounded(address);
                let client = is_bounded.then(|| ClientKey::from(address));
                let Some(mut admission) = self.connections.admit(client) else {
                    self.service.refused(self.number);
                    continue;
                };
                // This follows the accept, because a worker with a slot but no client would block others.
                tokio::select! {
                    () = admission.wait_for_slot(|| self.service.evicted(self.number)) => {}
                    _ = shutdown.wait_for(|shutdown| *shutdown) => {}
                }
                start(tcp, peer, admission);
            }
        };
        tokio::select! {
            () = accepting => {}
            never = self.sweep() => match never {},
        }
        // Clients in the queue are already connected, and wait for a response.
        loop {
            match accept_queue.accept() {
                Ok((tcp, peer)) => {
                    let tcp = tcp.set_nonblocking(true).and_then(|()| TcpStream::from_std(tcp));
                    if let (Ok(tcp), Some(admission)) = (tcp, self.connections.admit(None)) {
                        start(tcp, peer, admission);
                    }
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(_) => break,
            }
        }
        drop((listener, accept_queue));
        self.connections.shut_down(self.number).await
    }

    /// Periodically closes connections that have timed out.
    async fn sweep(&self) -> Infallible {
        let mut sweep = interval(SWEEP);
        sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last = Instant::now();
        loop {
            sweep.tick().await;
            // If the process was paused, data that arrived during the pause is read first.
            if last.elapsed() < 3 * SWEEP {
                self.connections.sweep(self.number);
            }
            last = Instant::now();
        }
    }

    /// Serves one connection.
    fn serve(
        &self,
        http: http1::Builder,
        tcp: TcpStream,
        peer: SocketAddr,
        state: Arc<ConnectionState>,
    ) -> impl Future<Output = ()> + use<S> {
        let peer = peer.ip().to_canonical();
        let connection = Arc::new(self.service.connect(peer, self.number, self.is_for_probes));
        let service = Arc::clone(&self.service);
        let shutdown = self.shutdown.clone();
        async move {
            if !has_received(&tcp) {
                state.enter(Phase::New);
            }
            // Without this, the second of two pipelined responses may wait for the acknowledgement of the
            // first.
            _ = tcp.set_nodelay(true);
            let stream = TokioIo::new(Stream::new(tcp, Arc::clone(&state)));
            let answering = service_fn(|request: Request<Incoming>| {
                let has_body = !request.body().is_end_stream();
                let defect = state.begin_request();
                let started = state.woken();
                let arrival = Arrival { request: request.map(|_| ()), has_body, defect, started };
                match service.respond(&connection, arrival) {
                    Reply::Now(response) => {
                        Answering::Done(Some(response.map(|content| content.sent_on(&state))))
                    }
                    reply => {
                        let settled = settled(reply, Arc::clone(&state), shutdown.clone());
                        Answering::Pending(Box::pin(settled))
                    }
                }
            });
            let mut served = http.serve_connection(stream, answering);
            poll_fn(|context| {
                state.wake(MonotonicTime::now());
                // hyper would panic. It has the socket, so there is no way to say why.
                if !is_system_time_in_range() {
                    return Poll::Ready(());
                }
                // A failed connection is not the server's error.
                Pin::new(&mut served).poll(context).map(|_| ())
            })
            .await;
        }
    }
}

/// The future of a response. An `async` block would move the response twice more.
enum Answering {
    Done(Option<Response<SentContent>>),
    /// Boxed, so that connections don't reserve memory that few of them need.
    Pending(Pin<Box<dyn Future<Output = Result<Response<SentContent>, EndedEarly>> + Send>>),
}

impl Future for Answering {
    type Output = Result<Response<SentContent>, EndedEarly>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Done(response) => Poll::Ready(Ok(response.take().unwrap_or_default())),
            Self::Pending(settled) => settled.as_mut().poll(context),
        }
    }
}

/// Returns the response of a reply that takes time. Fails if there is none, or if the runtime shuts down
/// first.
async fn settled(
    mut reply: Reply,
    state: Arc<ConnectionState>,
    shutdown: watch::Receiver<bool>,
) -> Result<Response<SentContent>, EndedEarly> {
    let response = loop {
        reply = match reply {
            Reply::Now(response) => break response,
            Reply::Later(response, wait) => {
                wait.over(shutdown, &state).await;
                break response;
            }
            Reply::Reset(wait) => {
                if let Some(wait) = wait {
                    wait.over(shutdown, &state).await;
                }
                state.is_reset.store(true, Ordering::Relaxed);
                return Err(EndedEarly);
            }
            Reply::Rendered(ticket, render) => {
                ticket.render(render).await.map_err(|_| EndedEarly)?
            }
        }
    };
    Ok(response.map(|content| content.sent_on(&state)))
}

/// Accepts the next connection.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    let mut is_logged = false;
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            // The client left while it was in the queue.
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                if !is_logged {
                    tracing::warn!(%error, "cannot accept connections at the moment");
                    is_logged = true;
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Returns whether data is waiting to be read, even if the runtime hasn't noticed yet.
fn has_received(tcp: &TcpStream) -> bool {
    SockRef::from(tcp).peek(&mut [MaybeUninit::uninit()]).is_ok_and(|length| length > 0)
}

/// Returns whether an accept failed because of that one connection, so that the next may succeed.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
    )
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{IpAddr, Ipv4Addr, TcpStream as Client};
    use std::sync::atomic::AtomicUsize;

    use crate::net::connections::ConnectionLimits;

    use super::*;

    /// Limits each peer, as if it were on another machine.
    #[derive(Default)]
    struct Bounded {
        refused: AtomicUsize,
    }

    impl Service for Bounded {
        type Connection = ();

        fn is_bounded(&self, _peer: IpAddr) -> bool {
            true
        }

        fn refused(&self, _worker: usize) {
            self.refused.fetch_add(1, Ordering::Relaxed);
        }

        fn evicted(&self, _worker: usize) {}

        fn connect(&self, _peer: IpAddr, _worker: usize, _is_probe: bool) {}

        fn respond(self: &Arc<Self>, _connection: &Arc<()>, _arrival: Arrival) -> Reply {
            Reply::Now(Response::new("answer".into()))
        }
    }

    /// Returns whether a request on a connection gets a response.
    fn is_answered(client: &mut Client) -> bool {
        let sent = client.write_all(b"GET / HTTP/1.1\r\nHost: test\r\n\r\n");
        sent.is_ok() && client.read(&mut [0; 256]).is_ok_and(|length| length > 0)
    }

    #[test]
    fn connections_per_client_are_limited_by_the_worker() {
        let timeout = Duration::from_secs(10);
        let limits = ConnectionLimits {
            total: 100,
            per_client: 3,
            head_timeout: timeout,
            idle_timeout: timeout,
        };
        let service = Arc::new(Bounded::default());
        let (stop, shutdown) = watch::channel(false);
        let worker = Worker {
            number: 0,
            is_for_probes: false,
            service: Arc::clone(&service),
            connections: Arc::new(Connections::new(limits)),
            shutdown,
        };
        let socket = StdListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        socket.set_nonblocking(true).unwrap();
        let address = socket.local_addr().unwrap();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                let queue = socket.try_clone().unwrap();
                worker.run(TcpListener::from_std(socket).unwrap(), queue).await
            })
        });
        let connect = || Client::connect(address).unwrap();
        let mut open: Vec<Client> = (0..3).map(|_| connect()).collect();
        assert!(open.iter_mut().all(is_answered));
        assert!(!is_answered(&mut connect()), "the fourth is closed");
        assert_eq!(service.refused.load(Ordering::Relaxed), 1);
        assert!(open.iter_mut().all(is_answered), "the others stay");
        open.pop();
        let deadline = std::time::Instant::now() + timeout;
        while !is_answered(&mut connect()) {
            assert!(std::time::Instant::now() < deadline, "its slot is still in use");
        }
        stop.send(true).unwrap();
        assert_eq!(thread.join().unwrap(), 0);
    }
}
