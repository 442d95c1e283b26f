//! The server's life: start its workers, keep the day at hand, end without losing a request.

use std::pin::pin;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, watch};

use crate::accept::Worker;
use crate::api::Api;
use crate::connections::END_WITHIN;
use crate::{Config, Listener};

/// How often to look whether midnight is near.
const TICK: Duration = Duration::from_secs(1);

/// Serves until `shutdown` is ready, which is first asked once all workers run.
///
/// It says how long to drain: to go on serving while `/readyz` says no and responses close their
/// connections, so that a load balancer sends its requests elsewhere. Then the open requests are
/// finished.
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
        // What can fail fails here, so that the caller learns of it.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let queue = socket.try_clone()?;
        let listener = {
            let _of_this_runtime = runtime.enter();
            TcpListener::from_std(socket)?
        };
        thread::Builder::new().name(format!("worker-{number}")).spawn(move || {
            runtime.block_on(worker.run(listener, queue));
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
    let mut drained = pin!(tokio::time::sleep(drain));
    loop {
        tokio::select! {
            () = &mut drained => break,
            _ = tick.tick() => api.prepare_tomorrow(),
        }
    }
    _ = end.send(true);
    _ = tokio::time::timeout(2 * END_WITHIN, all_ended.recv()).await;
    Ok(())
}
