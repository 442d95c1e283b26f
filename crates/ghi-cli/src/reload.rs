//! Reloads the inputs on SIGHUP or when their files change, and logs what is served.

use std::convert::Infallible;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use ghi_server::{Clock, Inputs, Reload};
use tokio::signal::unix::Signal;
use tokio::time::sleep;

use crate::inputs;
use crate::signals::on_thread;

/// How often watched files are checked, and how long they must stay unchanged to count as complete.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// Notices changes to an inputs file and to the series that it names.
pub(crate) struct FileWatch {
    inputs: PathBuf,
    files: Vec<PathBuf>,
    /// The time of the last change and the size of each file, if it exists.
    stamps: Vec<Option<(SystemTime, u64)>>,
}

impl FileWatch {
    /// Watches for changes from now on.
    pub(crate) fn new(inputs: PathBuf) -> Self {
        let files = inputs::named_files(&inputs);
        Self { stamps: stamps(&files), inputs, files }
    }

    /// Waits until a file has changed and then stayed the same, so that it is complete.
    async fn changed(&self) {
        let mut previous = None;
        loop {
            sleep(WATCH_INTERVAL).await;
            let stamps = Some(stamps(&self.files)).filter(|stamps| *stamps != self.stamps);
            if stamps.is_some() && stamps == previous {
                return;
            }
            previous = stamps;
        }
    }
}

fn stamps(files: &[PathBuf]) -> Vec<Option<(SystemTime, u64)>> {
    let stamp = |file: &PathBuf| fs::metadata(file).and_then(|it| Ok((it.modified()?, it.len())));
    files.iter().map(|file| stamp(file).ok()).collect()
}

/// Reloads the inputs on each SIGHUP, and when a watched file has changed. Signals that arrive during a reload
/// count as one. Without an inputs file, the signal is ignored, so that a server survives the terminal that
/// started it.
pub(crate) async fn reload_on_change(
    mut hangup: Signal,
    mut watch: Option<FileWatch>,
    file: Option<PathBuf>,
    clock: &Clock,
    reload: &Reload,
) -> Infallible {
    loop {
        match &mut watch {
            Some(watch) => {
                tokio::select!(_ = hangup.recv() => (), () = watch.changed() => ());
                *watch = FileWatch::new(watch.inputs.clone());
            }
            None => _ = hangup.recv().await,
        }
        let Some(file) = &file else {
            tracing::info!("nothing to reload: the inputs are built in");
            continue;
        };
        let (path, clock, to) = (file.clone(), clock.clone(), reload.clone());
        let reloaded = on_thread("reload", move || {
            let inputs = inputs::read(&path)?;
            let served = Served::new(&inputs, &clock);
            to.reload(inputs);
            Ok(served)
        });
        match reloaded.await {
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

/// The inputs of a server, as they are logged.
pub(crate) struct Served {
    pub(crate) regions: usize,
    pub(crate) days: String,
    pub(crate) fingerprint: String,
    /// Probable mistakes, and a warning if today has no data.
    warnings: Vec<String>,
}

impl Served {
    pub(crate) fn new(inputs: &Inputs, clock: &Clock) -> Self {
        let no_figures = inputs.check(clock.now().date()).err();
        let no_figures = no_figures.map(|error| format!("{error} {}", inputs::MORE_DAYS));
        let warnings = inputs.warnings().into_iter().chain(no_figures);
        let coverage = inputs.coverage();
        Self {
            regions: inputs.region_count(),
            days: format!("{} to {}", coverage.first, coverage.last),
            fingerprint: inputs.fingerprint(),
            warnings: warnings.collect(),
        }
    }

    pub(crate) fn log_warnings(&self) {
        for warning in &self.warnings {
            tracing::warn!("inputs: {warning}");
        }
    }
}
