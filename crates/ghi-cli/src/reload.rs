//! SIGHUP: the inputs are read again.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::thread;

use ghi_server::{Clock, Reload};
use tokio::signal::unix::Signal;
use tokio::sync::oneshot;

use crate::inputs;
use crate::served::Served;

/// Reads the inputs again at each SIGHUP, one after the other: any number that come meanwhile are
/// one. Without a file, a hangup changes nothing, and a server goes on when the terminal that
/// started it is closed.
pub(crate) async fn reload_on_hangup(
    mut hangup: Signal,
    file: Option<PathBuf>,
    clock: &Clock,
    reload: &Reload,
) -> Infallible {
    loop {
        hangup.recv().await;
        let Some(file) = &file else {
            tracing::info!("no inputs to reload: they are built in, without --inputs");
            continue;
        };
        match read_aside(file.clone(), clock.clone(), reload.clone()).await {
            Ok(served) => {
                let Served { regions, days, fingerprint, .. } = &served;
                tracing::info!(inputs = ?file, regions, days, fingerprint, "figures reloaded");
                served.log_warnings();
            }
            Err(problems) => {
                for problem in problems.lines() {
                    tracing::error!("figures not reloaded: {problem}");
                }
            }
        }
    }
}

/// Reads the inputs and has them served, on a thread of its own, so that signals are still heard:
/// what they are, or what is wrong.
async fn read_aside(file: PathBuf, clock: Clock, reload: Reload) -> Result<Served, String> {
    let (done, is_done) = oneshot::channel();
    let failed = reload.clone();
    let thread = thread::Builder::new().name("reload".into());
    let thread = thread.spawn(move || _ = done.send(read(&file, &clock, &reload)));
    match thread {
        // It says nothing where it panicked, which is logged by itself.
        Ok(_) => is_done.await.unwrap_or_else(|_| Err("a defect of the server".into())),
        Err(error) => Err(format!("there is no thread for it: {error}")),
    }
    .inspect_err(|_| failed.failed())
}

fn read(file: &Path, clock: &Clock, reload: &Reload) -> Result<Served, String> {
    let inputs = inputs::read(file)?;
    let served = Served::new(&inputs, clock);
    reload.reload(inputs).map_err(|error| error.to_string())?;
    Ok(served)
}
