//! SIGHUP: the inputs are read again.

use std::convert::Infallible;
use std::path::{Path, PathBuf};

use ghi_server::{Clock, Reload};
use tokio::signal::unix::Signal;

use crate::inputs;
use crate::served::Served;
use crate::signals::on_thread;

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
        let (path, clock, to) = (file.clone(), clock.clone(), reload.clone());
        match on_thread("reload", move || read(&path, &clock, &to)).await {
            Ok(served) => {
                let Served { regions, days, fingerprint, .. } = &served;
                tracing::info!(inputs = ?file, regions, days, fingerprint, "figures reloaded");
                served.log_warnings();
            }
            Err(problems) => {
                reload.failed();
                for problem in problems.lines() {
                    tracing::error!("figures not reloaded: {problem}");
                }
            }
        }
    }
}

/// Reads the inputs and serves them from now on: what the log says of them, or what is wrong.
fn read(file: &Path, clock: &Clock, reload: &Reload) -> Result<Served, String> {
    let inputs = inputs::read(file)?;
    let served = Served::new(&inputs, clock);
    reload.reload(inputs);
    Ok(served)
}
