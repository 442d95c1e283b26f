//! The server's life: start its workers, keep the day at hand, end without losing a request.

use std::net::TcpListener;
use std::pin::pin;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc, watch};

use crate::accept::Worker;
use crate::api::Api;
use crate::connections::END_WITHIN;
use crate::{Config, Listener};

/// How often to look whether midnight is near.
const TICK: Duration = Duration::from_secs(1);

/// Serves until `shutdown` is ready. It says how long to drain: to go on serving while `/readyz`
/// says no and responses close their connections, so that a load balancer sends its requests
/// elsewhere. Then the open requests are finished.
pub async fn serve(
    listener: Listener,
    config: Config,
    shutdown: impl Future<Output = Duration>,
) -> std::io::Result<()> {
    let sockets = listener.into_sockets();
    let slots = Arc::new(Semaphore::new(config.max_connections.min(Semaphore::MAX_PERMITS)));
    let patience = config.patience;
    let api = Arc::new(Api::new(config, sockets.len()));
    let (end, ending) = watch::channel(false);
    let (running, mut all_ended) = mpsc::channel::<()>(1);
    for (number, socket) in sockets.into_iter().enumerate() {
        let worker = Worker {
            api: Arc::clone(&api),
            shard: api.shard(number),
            slots: Arc::clone(&slots),
            ending: ending.clone(),
            patience,
        };
        let running = running.clone();
        thread::Builder::new().name(format!("worker-{number}")).spawn(move || {
            run(worker, socket);
            drop(running);
        })?;
    }
    drop(running);

    // This thread serves nobody, so it can render while the workers go on.
    let mut shutdown = pin!(shutdown);
    let mut tick = tokio::time::interval(TICK);
    let drain = loop {
        tokio::select! {
            drain = &mut shutdown => break drain,
            _ = tick.tick() => api.prepare_tomorrow(),
        }
    };
    api.start_draining();
    tokio::time::sleep(drain).await;
    _ = end.send(true);
    _ = tokio::time::timeout(2 * END_WITHIN, all_ended.recv()).await;
    Ok(())
}

/// One worker, on a thread and a runtime of its own.
fn run(worker: Worker, socket: TcpListener) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime {
        Ok(runtime) => runtime.block_on(worker.run(socket)),
        Err(error) => tracing::error!(%error, "a worker cannot start"),
    }
}
