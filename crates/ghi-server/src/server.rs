//! The life cycle of a server: start workers, render the next day in advance, drain, stop.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use bytes::Bytes;
use ghi_engine::{Inputs, Model};
use hyper::{Request, Response};
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{sleep, timeout};

use crate::api::Api;
use crate::clock::is_system_time_in_range;
use crate::config::Config;
use crate::net::{Arrival, Connections, Content, Listener, SHUTDOWN_TIMEOUT};
use crate::router::check_fail_flag;
use crate::worker::Worker;

/// The interval at which the server checks whether midnight is near and connections have timed out.
const TICK: Duration = Duration::from_secs(1);

/// The limit on connections of the probe socket.
pub const PROBE_CONNECTIONS: usize = 64;

/// The workers of a [`Sandbox`]: two, so that requests of one client run in parallel.
const SANDBOX_WORKERS: NonZeroUsize = NonZeroUsize::new(2).expect("2 is not zero");

/// A server that accepts connections, for programs that run one. Tests use a [`Sandbox`].
pub struct Server {
    api: Arc<Api>,
    /// Those of the workers, and those of the probe socket.
    connections: [Arc<Connections>; 2],
    /// Whether a proxy may send it requests, so that it has to learn of the shutdown in time.
    is_behind_proxy: bool,
    shutdown: watch::Sender<()>,
    /// How many requests each worker cut off when it stopped. Closed when all workers have stopped.
    stopped: mpsc::UnboundedReceiver<usize>,
}

impl Server {
    /// Starts a worker for each socket of the listener. The server accepts connections from now on, and stops when it
    /// is dropped.
    pub fn start(listener: Listener, config: Config) -> io::Result<Self> {
        let checked = config.fail.iter().try_for_each(|flag| check_fail_flag(flag));
        checked.map_err(|reason| {
            io::Error::new(io::ErrorKind::InvalidInput, format!("fail: {reason}"))
        })?;
        let address = listener.local_addr()?;
        let Listener { sockets, probes } = listener;
        let (workers, total) = (sockets.len(), config.max_connections);
        let is_behind_proxy = !config.trusted_proxies.is_empty() || probes.is_some();
        let api = Arc::new(Api::new(config, address));
        // The first request should not wait for rendering.
        api.prepare_days();
        let (shutdown, stop) = watch::channel(());
        let (running, stopped) = mpsc::unbounded_channel();
        let connections = [total, PROBE_CONNECTIONS]
            .map(|total| Connections::new(total, &api.config, api.metrics.connections.clone()));
        for (number, socket) in sockets.into_iter().chain(probes).enumerate() {
            let is_for_probes = number == workers;
            let worker = Worker {
                is_for_probes,
                api: Arc::clone(&api),
                connections: Arc::clone(&connections[usize::from(is_for_probes)]),
                shutdown: stop.clone(),
            };
            let name = if is_for_probes { "probes".into() } else { format!("worker-{number}") };
            worker.start(name, socket, running.clone())?;
        }
        Ok(Self { api, connections, is_behind_proxy, shutdown, stopped })
    }

    /// Returns a handle that replaces the inputs while the server runs.
    pub fn reload_handle(&self) -> Reload {
        Reload(Arc::clone(&self.api))
    }

    /// Runs until the future is ready, and then shuts down gracefully. Needs a Tokio runtime with time enabled,
    /// preferably its own: the next day is rendered on its thread.
    ///
    /// The future returns how long to drain. While draining, the server keeps serving, but `/readyz`
    /// returns 503 and responses close their connections, so that a load balancer sends its requests
    /// elsewhere. Without trusted proxies, probe sockets and open connections there is nobody to drain for.
    /// Then open requests have five seconds to finish. Returns how many took longer and were cut off.
    pub async fn run(mut self, shutdown: impl Future<Output = Duration>) -> usize {
        // This thread serves no requests, so it can render while the workers continue.
        let drain = self.prepare_days_until(shutdown, TICK).await;
        self.api.start_draining();
        if self.is_behind_proxy || !self.connections[0].is_empty() {
            self.prepare_days_until(sleep(drain), TICK).await;
        }
        drop(self.shutdown);
        let mut cut_off = 0;
        let stopped = async {
            while let Some(count) = self.stopped.recv().await {
                cut_off += count;
            }
        };
        _ = timeout(2 * SHUTDOWN_TIMEOUT, stopped).await;
        cut_off
    }

    /// Renders each next day before midnight and closes connections in time, until the future is ready. The runtime can
    /// handle signals in between.
    async fn prepare_days_until<T>(&self, end: impl Future<Output = T>, interval: Duration) -> T {
        let mut end = pin!(end);
        loop {
            tokio::select! {
                output = &mut end => return output,
                () = sleep(interval) => {
                    // Logged even if nobody connects.
                    is_system_time_in_range();
                    self.connections.iter().for_each(|connections| connections.close_timed_out());
                    self.api.prepare_days();
                }
            }
        }
    }
}

/// Replaces the inputs of a running server. Each response is made entirely from the old data or from the new.
#[derive(Clone)]
pub struct Reload(Arc<Api>);

impl Reload {
    /// Replaces the inputs. The day is rendered first, on the calling thread, which delays no request.
    pub fn reload(&self, inputs: Inputs) {
        self.0.reload(inputs);
    }

    /// Counts a failed reload in the metrics, when the new inputs cannot be read or served.
    pub fn failed(&self) {
        self.0.metrics.reloaded(false);
    }
}

/// A server on a free port of this machine, for tests and demonstrations. It stops when it is dropped.
pub struct Sandbox {
    address: SocketAddr,
    url: String,
    reload: Reload,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Sandbox {
    /// Starts a server. It accepts connections when this returns.
    pub fn start(config: Config) -> io::Result<Self> {
        let listener = Listener::bind((Ipv4Addr::LOCALHOST, 0).into(), SANDBOX_WORKERS)?;
        let address = listener.local_addr()?;
        let server = Server::start(listener, config)?;
        let reload = server.reload_handle();
        let runtime = Builder::new_current_thread().enable_time().build()?;
        let (stop, stopped) = oneshot::channel();
        let shutdown = async {
            _ = stopped.await;
            Duration::ZERO
        };
        let thread = thread::Builder::new().name("sandbox".into());
        let thread = thread.spawn(move || _ = runtime.block_on(server.run(shutdown)))?;
        let url = format!("http://{address}");
        Ok(Self { address, url, reload, stop: Some(stop), thread: Some(thread) })
    }

    /// Returns the base URL of the API, without a trailing slash.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns a handle that replaces the inputs, for other threads.
    pub fn reload_handle(&self) -> Reload {
        self.reload.clone()
    }
}

impl Drop for Sandbox {
    /// Stops the server after open requests are finished.
    fn drop(&mut self) {
        drop(self.stop.take());
        let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) else { return };
        if !thread::panicking() {
            std::panic::resume_unwind(panic);
        }
    }
}

/// A server without sockets, whose requests come from this machine.
pub struct InProcess(Arc<Api>);

impl InProcess {
    /// Creates a server.
    pub fn new(config: Config) -> Self {
        Self(Arc::new(Api::new(config, ([127, 0, 0, 1], 8000).into())))
    }

    /// Returns the model of its inputs.
    pub fn model(&self) -> Arc<Model> {
        self.0.editions.model()
    }

    /// Makes the server respond as it does while it shuts down.
    pub fn start_draining(&self) {
        self.0.start_draining();
    }

    /// Returns the response to a request, with its whole body.
    pub fn respond(&self, request: Request<String>) -> Response<Bytes> {
        let arrival = Arrival {
            peer: Ipv4Addr::LOCALHOST.into(),
            on_probe_socket: false,
            has_body: !request.body().is_empty(),
            request: request.map(|_| ()),
            defect: None,
            started: Instant::now(),
        };
        self.0.respond_now(arrival).map(Content::into_bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixStream;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::UNIX_EPOCH;

    use crate::clock::{Clock, Moment};

    use super::*;

    #[test]
    fn a_running_server_renders_tomorrow_when_midnight_is_near() {
        let [noon, near_midnight, tomorrow] =
            ["2026-11-15T12:00:00Z", "2026-11-15T23:56:00Z", "2026-11-16T00:00:00Z"]
                .map(|text| text.parse::<Moment>().unwrap());
        let is_late = Arc::new(AtomicBool::new(false));
        let late = Arc::clone(&is_late);
        let clock = Clock::from_fn(move || {
            let moment = if late.load(Ordering::Relaxed) { near_midnight } else { noon };
            UNIX_EPOCH + Duration::from_secs(moment.unix_second())
        });
        let listener = Listener::bind(([127, 0, 0, 1], 0).into(), NonZeroUsize::MIN).unwrap();
        let server = Server::start(listener, Config { clock, ..Config::default() }).unwrap();
        let api = Arc::clone(&server.api);
        let is_prepared = |day: Moment| api.editions.find(day).is_some();
        assert!(is_prepared(noon) && !is_prepared(tomorrow));
        is_late.store(true, Ordering::Relaxed);
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        let prepared = async {
            while !is_prepared(tomorrow) {
                tokio::task::yield_now().await;
            }
            Duration::ZERO
        };
        let run = async { timeout(Duration::from_secs(10), server.run(prepared)).await };
        runtime.block_on(run).expect("tomorrow is rendered");
    }

    #[test]
    fn signals_are_handled_even_if_every_tick_is_late() {
        let (signal, sent) = UnixStream::pair().unwrap();
        let reads = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&reads);
        let clock = Clock::from_fn(move || {
            // Rendering that takes ten times as long as a tick.
            thread::sleep(Duration::from_millis(10));
            if counted.fetch_add(1, Ordering::Relaxed) == 20 {
                (&sent).write_all(b"!").unwrap();
            }
            UNIX_EPOCH
        });
        let listener = Listener::bind(([127, 0, 0, 1], 0).into(), NonZeroUsize::MIN).unwrap();
        let server = Server::start(listener, Config { clock, ..Config::default() }).unwrap();
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            signal.set_nonblocking(true).unwrap();
            let signal = tokio::net::UnixStream::from_std(signal).unwrap();
            let interval = Duration::from_millis(1);
            server.prepare_days_until(signal.readable(), interval).await.unwrap();
        });
        // With ticks that catch up, a hundred would pass before the runtime checks for events.
        let reads = reads.load(Ordering::Relaxed);
        assert!(reads < 40, "after {reads} readings of the clock");
    }

    #[tokio::test]
    async fn a_sandbox_starts_and_stops_inside_another_runtime() {
        let sandbox = Sandbox::start(Config::default()).unwrap();
        let address = sandbox.address();
        assert_eq!(sandbox.url(), format!("http://{address}"));
        tokio::net::TcpStream::connect(address).await.unwrap();
        drop(sandbox);
        tokio::net::TcpStream::connect(address).await.unwrap_err();
    }
}
