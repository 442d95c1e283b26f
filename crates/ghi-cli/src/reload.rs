//! Reloads the inputs on SIGHUP, and logs what is served.

use std::convert::Infallible;
use std::path::{Path, PathBuf};

use ghi_server::{Clock, Inputs, Reload};
use tokio::signal::unix::Signal;

use crate::inputs;
use crate::signals::on_thread;

/// Reloads the inputs on each SIGHUP. Signals that arrive during a reload count as one. Without an inputs
/// file, the signal is ignored, so that a server survives the terminal that started it.
pub(crate) async fn reload_on_hangup(
    mut hangup: Signal,
    file: Option<PathBuf>,
    clock: &Clock,
    reload: &Reload,
) -> Infallible {
    loop {
        hangup.recv().await;
        let Some(file) = &file else {
            tracing::info!("nothing to reload: the inputs are built in");
            continue;
        };
        let (path, clock, to) = (file.clone(), clock.clone(), reload.clone());
        match on_thread("reload", move || read(&path, &clock, &to)).await {
            Ok(served) => {
                let Served { regions, days, fingerprint, .. } = &served;
                tracing::info!(inputs = ?file, regions, days, fingerprint, "inputs reloaded");
                served.log_warnings();
            }
            Err(problems) => {
                reload.failed();
                for problem in problems.lines() {
                    tracing::error!("inputs not reloaded: {problem}");
                }
            }
        }
    }
}

/// Reads the inputs and starts serving them. Returns what to log.
fn read(file: &Path, clock: &Clock, reload: &Reload) -> Result<Served, String> {
    let inputs = inputs::read(file)?;
    let served = Served::new(&inputs, clock);
    reload.reload(inputs);
    Ok(served)
}

/// The inputs of a server, as they are logged.
pub(crate) struct Served {
    pub(crate) regions: usize,
    /// The days with data.
    pub(crate) days: String,
    pub(crate) fingerprint: String,
    /// Probable mistakes, and a warning if today has no data.
    warnings: Vec<String>,
}

impl Served {
    pub(crate) fn new(inputs: &Inputs, clock: &Clock) -> Self {
        let no_figures = inputs.check(clock.now().date()).err();
        let warnings =
            inputs.warnings().into_iter().chain(no_figures.map(|error| inputs::no_data(&error)));
        Self {
            regions: inputs.region_count(),
            days: inputs.coverage().to_string(),
            fingerprint: inputs.fingerprint().to_string(),
            warnings: warnings.collect(),
        }
    }

    pub(crate) fn log_warnings(&self) {
        for warning in &self.warnings {
            tracing::warn!("inputs: {warning}");
        }
    }
}
