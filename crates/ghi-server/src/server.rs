//! A server's life: start its workers, render the next day ahead, drain, stop.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::{Arc, mpsc as std_mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::time::{Interval, interval, sleep, timeout};

use crate::api::Api;
use crate::config::Config;
use crate::memory::check_memory;
use crate::net::{Listener, SHUTDOWN_TIMEOUT, Worker};

/// How often to look whether midnight is near.
const TICK: Duration = Duration::from_secs(1);

/// The memory that a worker takes at start, bytes: its stack, and twice as much for the rest.
const MEMORY_OF_WORKER: usize = 6 * 1024 * 1024;

/// The memory that a region takes, bytes: twice what was measured with ten thousand of them.
const MEMORY_OF_REGION: usize = 16 * 1024;

/// The memory that must be left for requests at start, bytes: what a crowd of slow readers may take.
const MEMORY_OF_REQUESTS: usize = 64 * 1024 * 1024;

/// The workers of a [`Sandbox`]: two, so that requests of one client really run beside each other.
const SANDBOX_WORKERS: NonZeroUsize = NonZeroUsize::new(2).expect("2 is not zero");

/// A server that accepts connections, for programs that run one. Tests take a [`Sandbox`].
///
/// ```
/// use std::num::NonZeroUsize;
/// use std::time::Duration;
/// use ghi_server::{Config, Listener, Server};
///
/// # fn main() -> std::io::Result<()> {
/// let listener = Listener::bind(([127, 0, 0, 1], 0).into(), NonZeroUsize::MIN)?;
/// let server = Server::start(listener, Config::default())?;
///
/// let shutdown = async { Duration::ZERO };
/// let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
/// runtime.block_on(server.run(shutdown));
/// # Ok(()) }
/// ```
pub struct Server {
    api: Arc<Api>,
    shutdown: watch::Sender<bool>,
    /// Closed once all workers have stopped.
    stopped: mpsc::Receiver<()>,
}

impl Server {
    /// Starts a worker for each socket of the listener. It accepts connections from now on, and
    /// stops when it is dropped.
    ///
    /// It fails where there are not enough threads, descriptors or memory to serve with.
    pub fn start(listener: Listener, config: Config) -> io::Result<Self> {
        let sockets = listener.into_sockets();
        let regions = config.inputs.region_count().saturating_mul(MEMORY_OF_REGION);
        let workers = sockets.len().saturating_mul(MEMORY_OF_WORKER);
        check_memory(regions.saturating_add(workers).saturating_add(MEMORY_OF_REQUESTS))?;
        let slots = Arc::new(Semaphore::new(config.max_connections.min(Semaphore::MAX_PERMITS)));
        let client_timeout = config.client_timeout;
        let api = Arc::new(Api::new(config, sockets.len()));
        let (shutdown, stop) = watch::channel(false);
        let (running, stopped) = mpsc::channel::<()>(1);
        for (number, socket) in sockets.into_iter().enumerate() {
            let worker = Worker {
                number,
                service: Arc::clone(&api),
                slots: Arc::clone(&slots),
                shutdown: stop.clone(),
                client_timeout,
            };
            let running = running.clone();
            // What can fail fails here, so that the caller learns of it.
            let runtime = Builder::new_current_thread().enable_all().build()?;
            let accept_queue = socket.try_clone()?;
            let listener = {
                let _runtime_context = runtime.enter();
                TcpListener::from_std(socket)?
            };
            let (started, has_started) = std_mpsc::sync_channel(1);
            let thread = thread::Builder::new().name(format!("worker-{number}"));
            let thread = thread.spawn(move || {
                _ = started.send(());
                runtime.block_on(worker.run(listener, accept_queue));
                // With the connections that took too long.
                drop(runtime);
                drop(running);
            });
            thread.map_err(|error| {
                let message = format!("there is no thread for a worker: {error}");
                io::Error::new(error.kind(), message)
            })?;
            // A thread that starts may take much for its allocator alone; look at what is left.
            _ = has_started.recv();
            check_memory(MEMORY_OF_REQUESTS)?;
        }
        Ok(Self { api, shutdown, stopped })
    }

    /// Runs until the future is ready, and then shuts down gracefully.
    ///
    /// The future says how long to drain: to go on serving while `/readyz` answers 503 and
    /// responses close their connections, so that a load balancer sends its requests elsewhere.
    /// Then open requests are finished, within five seconds.
    ///
    /// It takes a Tokio runtime with time enabled, best one of its own: the next day is rendered on
    /// its thread.
    pub async fn run(mut self, shutdown: impl Future<Output = Duration>) {
        // This thread serves nobody, so it can render while the workers go on.
        let mut tick = interval(TICK);
        let drain = self.prepare_days_until(shutdown, &mut tick).await;
        self.api.start_draining();
        self.prepare_days_until(sleep(drain), &mut tick).await;
        _ = self.shutdown.send(true);
        _ = timeout(2 * SHUTDOWN_TIMEOUT, self.stopped.recv()).await;
    }

    /// Renders each next day before its midnight until the future is ready.
    async fn prepare_days_until<T>(&self, end: impl Future<Output = T>, tick: &mut Interval) -> T {
        let mut end = pin!(end);
        loop {
            tokio::select! {
                output = &mut end => return output,
                _ = tick.tick() => self.api.prepare_tomorrow(),
            }
        }
    }
}

/// A server on a free port of this machine, for tests and demonstrations. It runs on threads of its
/// own and stops when it is dropped.
///
/// ```
/// use ghi_server::{Clock, Config, Sandbox};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let clock = Clock::at("2026-11-15T12:00:00Z".parse()?);
/// let sandbox = Sandbox::start(Config { clock, ..Config::default() })?;
/// assert!(sandbox.url().starts_with("http://127.0.0.1:"));
/// # Ok(()) }
/// ```
pub struct Sandbox {
    address: SocketAddr,
    url: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Sandbox {
    /// Starts a server. It accepts connections when this returns.
    pub fn start(config: Config) -> io::Result<Self> {
        let listener = Listener::bind((Ipv4Addr::LOCALHOST, 0).into(), SANDBOX_WORKERS)?;
        let address = listener.local_addr()?;
        let server = Server::start(listener, config)?;
        let runtime = Builder::new_current_thread().enable_time().build()?;
        let (stop, stopped) = oneshot::channel();
        let shutdown = async {
            _ = stopped.await;
            Duration::ZERO
        };
        let thread = thread::Builder::new().name("sandbox".into());
        let thread = thread.spawn(move || runtime.block_on(server.run(shutdown)))?;
        let url = format!("http://{address}");
        Ok(Self { address, url, stop: Some(stop), thread: Some(thread) })
    }

    /// The base address of the API, without a slash at its end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Sandbox {
    /// Stops the server, once open requests are finished.
    fn drop(&mut self) {
        drop(self.stop.take());
        let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) else { return };
        if !thread::panicking() {
            std::panic::resume_unwind(panic);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::clock::{Clock, Moment};

    use super::*;

    #[test]
    fn a_running_server_renders_tomorrow_when_midnight_is_near() {
        let [near_midnight, tomorrow] =
            ["2026-11-15T23:56:00Z", "2026-11-16T00:00:00Z"].map(|text| text.parse().unwrap());
        let listener = Listener::bind(([127, 0, 0, 1], 0).into(), NonZeroUsize::MIN).unwrap();
        let config = Config { clock: Clock::at(near_midnight), ..Config::default() };
        let server = Server::start(listener, config).unwrap();
        let api = Arc::clone(&server.api);
        let is_prepared = |day: Moment| api.editions().find(day).is_some();
        assert!(is_prepared(near_midnight) && !is_prepared(tomorrow));
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

    #[tokio::test]
    async fn a_sandbox_starts_and_stops_within_a_runtime_of_others() {
        let sandbox = Sandbox::start(Config::default()).unwrap();
        let address = sandbox.address();
        assert_eq!(sandbox.url(), format!("http://{address}"));
        tokio::net::TcpStream::connect(address).await.unwrap();
        drop(sandbox);
        tokio::net::TcpStream::connect(address).await.unwrap_err();
    }
}
