//! A worker: a socket, a thread, the connections that it accepts, and its interface to what answers their requests.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io::ErrorKind;
use std::mem::MaybeUninit;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::clock::{MonotonicTime, is_system_time_in_range};
use crate::net::connection::{Phase, SharedState, Stream, Unfinished};
use crate::net::connections::Connections;
use crate::net::content::{Content, ENDED_EARLY};
use crate::net::permits::{ClientKey, Permit};

/// How long to wait after an accept failed for lack of file descriptors or memory.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

const SWEEP: Duration = Duration::from_millis(100);

/// The largest head of a request, and the most that is buffered of a response before its next piece, in bytes.
const HEAD_MAX: usize = 16 * 1024;
const BUFFER_MAX: usize = 32 * 1024;

/// A request as received. Its body is never read.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub(crate) peer: IpAddr,
    pub(crate) on_probe_socket: bool,
    pub(crate) request: Request<()>,
    pub(crate) has_body: bool,
    /// What is wrong with it, if hyper has accepted a malformed request.
    pub(crate) defect: Option<&'static str>,
    /// When its connection was woken for it.
    pub(crate) started: MonotonicTime,
}

/// The reply to a request: a response, maybe after a delay. Without a response, the connection is reset.
pub(crate) type Reply = (Option<Response<Content>>, Option<Wait>);

/// A reply, or how to render one that takes too long for a worker's thread, with its place in the queue.
pub(crate) enum Answer {
    Ready(Reply),
    Queued(Permit, Box<dyn FnOnce() -> Reply + Send>),
}

impl Answer {
    /// Returns the response, however long it takes.
    pub(crate) fn into_response(self) -> Response<Content> {
        let (response, _) = match self {
            Self::Ready(reply) => reply,
            Self::Queued(_, render) => render(),
        };
        response.unwrap_or_default()
    }
}

#[derive(Debug)]
pub(crate) struct Wait {
    pub(crate) duration: Duration,
    pub(crate) permit: Permit,
}

/// Answers requests. It never blocks, because a worker serves all its connections on one thread.
pub(crate) trait Service: Send + Sync + 'static {
    /// Returns whether a peer's connections are limited. A proxy's are not: it forwards requests of many clients.
    fn is_bounded(&self, peer: IpAddr) -> bool;

    fn respond(self: &Arc<Self>, arrival: Arrival) -> Answer;
}

pub(crate) struct Worker<S> {
    pub(crate) number: usize,
    /// Whether it serves the probe socket, whose peers have no limit per client.
    pub(crate) is_for_probes: bool,
    pub(crate) service: Arc<S>,
    pub(crate) connections: Arc<Connections>,
    /// Becomes true, or is closed, when the worker should stop accepting connections.
    pub(crate) shutdown: watch::Receiver<bool>,
}

impl<S: Service> Worker<S> {
    /// Serves the connections of a socket until shutdown, and returns how many requests were cut off then.
    pub(crate) async fn run(self, listener: TcpListener) -> usize {
        let worker = Arc::new(self);
        tokio::select! {
            () = worker.accept_all(&listener) => {}
            never = worker.sweep() => match never {},
        }
        // Clients in the accept queue are already connected, and wait for a response.
        if let Ok(queue) = listener.into_std() {
            while let Ok((tcp, peer)) = queue.accept() {
                let tcp = tcp.set_nonblocking(true).and_then(|()| TcpStream::from_std(tcp));
                _ = tcp.map(|tcp| worker.serve(tcp, peer.ip().to_canonical(), None));
            }
        }
        worker.connections.shut_down(worker.number).await
    }

    async fn accept_all(self: &Arc<Self>, listener: &TcpListener) {
        let mut shutdown = self.shutdown.clone();
        loop {
            let (tcp, peer) = tokio::select! {
                accepted = accept(listener) => accepted,
                _ = shutdown.wait_for(|shutdown| *shutdown) => return,
            };
            let address = peer.ip().to_canonical();
            let is_bounded = !self.is_for_probes && self.service.is_bounded(address);
            let client = is_bounded.then(|| ClientKey::from(address));
            if client.is_some_and(|client| !self.connections.admits(client)) {
                continue;
            }
            // This follows the accept, because connections are evicted only for a client that waits.
            tokio::select! {
                () = self.connections.wait_for_slot() => {}
                _ = shutdown.wait_for(|shutdown| *shutdown) => {}
            }
            self.serve(tcp, address, client);
        }
    }

    async fn sweep(&self) -> Infallible {
        loop {
            let before = Instant::now();
            sleep(SWEEP).await;
            // If the process was paused, data that arrived during the pause is read first.
            if before.elapsed() < 3 * SWEEP {
                self.connections.close_timed_out(self.number);
            }
        }
    }

    /// Serves a connection. The client is that whose limit it counts against.
    fn serve(self: &Arc<Self>, tcp: TcpStream, peer: IpAddr, client: Option<ClientKey>) {
        // Without this, the second of two pipelined responses may wait for the acknowledgement of the first.
        _ = tcp.set_nodelay(true);
        // Data may be waiting to be read, even if the runtime hasn't noticed yet.
        let peeked = SockRef::from(&tcp).peek(&mut [MaybeUninit::uninit()]);
        let is_waiting = peeked.is_ok_and(|length| length > 0);
        let state = SharedState::new(if is_waiting { Phase::Receiving } else { Phase::New });
        let (worker, answered) = (Arc::clone(self), state.clone());
        let answer = service_fn(move |request: Request<Incoming>| {
            let has_body = !request.body().is_end_stream();
            let (defect, started) = answered.lock().begin_request();
            let (request, on_probe_socket) = (request.map(|_| ()), worker.is_for_probes);
            let arrival = Arrival { peer, on_probe_socket, request, has_body, defect, started };
            settle(
                worker.service.respond(arrival),
                Unfinished(answered.clone()),
                Arc::clone(&worker),
            )
        });
        let stream = TokioIo::new(Stream { inner: tcp, state: state.clone() });
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
        let mut served = http.serve_connection(stream, answer);
        let woken = state.clone();
        let connection = poll_fn(move |context| {
            woken.lock().woken = MonotonicTime::now();
            // hyper would panic. It has the socket, so there is no way to say why.
            if !is_system_time_in_range() {
                return Poll::Ready(());
            }
            // A failed connection is not the server's error.
            Pin::new(&mut served).poll(context).map(|_| ())
        });
        self.connections.spawn(self.number, client, state, connection);
    }
}

/// Returns the response of a reply. Fails if there is none, or if the runtime shuts down first. What takes
/// time is boxed, so that connections don't reserve memory that few of them need.
async fn settle<S: Service>(
    answer: Answer,
    unfinished: Unfinished,
    worker: Arc<Worker<S>>,
) -> Result<Response<Content>, &'static str> {
    let (response, wait) = match answer {
        Answer::Ready(reply) => reply,
        Answer::Queued(place, render) => {
            Box::pin(place.render(render)).await.map_err(|_| ENDED_EARLY)?
        }
    };
    if let Some(wait) = wait {
        Box::pin(delay(wait, worker.shutdown.clone(), &unfinished.0)).await;
    }
    let Some(mut response) = response else {
        unfinished.0.lock().is_reset = true;
        return Err(ENDED_EARLY);
    };
    response.body_mut().unfinished = Some(unfinished);
    Ok(response)
}

/// Waits, but not beyond the server's shutdown. If the client may be gone, the permit is returned early. The response
/// is still sent, because the client may simply have nothing more to send.
async fn delay(wait: Wait, mut shutdown: watch::Receiver<bool>, state: &SharedState) {
    let mut permit = Some(wait.permit);
    let mut over = pin!(sleep(wait.duration));
    let over = poll_fn(|context| {
        // The stream wakes this task when it notices.
        permit.take_if(|_| state.lock().phase == Phase::HalfClosed);
        over.as_mut().poll(context)
    });
    tokio::select! {
        () = over => {}
        _ = shutdown.wait_for(|shutdown| *shutdown) => {}
    }
}

async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    let mut is_logged = false;
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            // The client has left the queue.
            Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
            Err(error) => {
                if !is_logged {
                    tracing::warn!(%error, "cannot accept connections at the moment");
                    is_logged = true;
                }
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{Ipv4Addr, TcpListener as StdListener, TcpStream as Client};

    use crate::net::connections::{ConnectionCounts, ConnectionLimits};

    use super::*;

    /// Limits each peer, as if it were on another machine.
    struct Bounded;

    impl Service for Bounded {
        fn is_bounded(&self, _peer: IpAddr) -> bool {
            true
        }

        fn respond(self: &Arc<Self>, _arrival: Arrival) -> Answer {
            Answer::Ready((Some(Response::new("answer".into())), None))
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
        let counts = ConnectionCounts::default();
        let (stop, shutdown) = watch::channel(false);
        let worker = Worker {
            number: 0,
            is_for_probes: false,
            service: Arc::new(Bounded),
            connections: Connections::new(limits, counts.clone()),
            shutdown,
        };
        let socket = StdListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        socket.set_nonblocking(true).unwrap();
        let address = socket.local_addr().unwrap();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime
                .unwrap()
                .block_on(async { worker.run(TcpListener::from_std(socket).unwrap()).await })
        });
        let connect = || Client::connect(address).unwrap();
        let mut open: Vec<Client> = (0..3).map(|_| connect()).collect();
        assert!(open.iter_mut().all(is_answered));
        assert!(!is_answered(&mut connect()), "the fourth is closed");
        assert_eq!(counts.refused.get(), 1);
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
