//! SIGHUP: the inputs are read again.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::thread;

use ghi_server::Reload;
use tokio::signal::unix::Signal;
use tokio::sync::oneshot;

use crate::inputs;

/// Reads the inputs again at each SIGHUP, one after the other: any number that come meanwhile are
/// one. Without a file, a hangup changes nothing, and a server goes on when the terminal that
/// started it is closed.
pub(crate) async fn reload_on_hangup(
    mut hangup: Signal,
    file: Option<PathBuf>,
    reload: &Reload,
) -> Infallible {
    loop {
        hangup.recv().await;
        let Some(file) = &file else {
            tracing::info!("no inputs to reload: they are built in, without --inputs");
            continue;
        };
        match read_aside(file.clone(), reload.clone()).await {
            Ok(read) => {
                let Read { regions, fingerprint, warnings } = read;
                tracing::info!(inputs = ?file, regions, fingerprint, "figures reloaded");
                log_warnings(&warnings);
            }
            Err(problems) => {
                for problem in problems.lines() {
                    tracing::error!("figures not reloaded: {problem}");
                }
            }
        }
    }
}

/// Logs what is probably a slip in inputs that are served.
pub(crate) fn log_warnings(warnings: &[String]) {
    for warning in warnings {
        tracing::warn!("inputs: {warning}");
    }
}

/// What the log says of inputs that were read and are served.
struct Read {
    regions: usize,
    fingerprint: String,
    warnings: Vec<String>,
}

/// Reads the inputs and has them served, on a thread of its own, so that signals are still heard:
/// what they are, or what is wrong.
async fn read_aside(file: PathBuf, reload: Reload) -> Result<Read, String> {
    let (done, is_done) = oneshot::channel();
    let failed = reload.clone();
    let thread = thread::Builder::new().name("reload".into());
    let thread = thread.spawn(move || _ = done.send(read(&file, &reload)));
    match thread {
        // It says nothing where it panicked, which is logged by itself.
        Ok(_) => is_done.await.unwrap_or_else(|_| Err("a defect of the server".into())),
        Err(error) => Err(format!("there is no thread for it: {error}")),
    }
    .inspect_err(|_| failed.failed())
}

fn read(file: &Path, reload: &Reload) -> Result<Read, String> {
    let inputs = inputs::read(file)?;
    let read = Read {
        regions: inputs.region_count(),
        fingerprint: inputs.fingerprint().to_string(),
        warnings: inputs.warnings(),
    };
    reload.reload(inputs).map_err(|error| error.to_string())?;
    Ok(read)
}
