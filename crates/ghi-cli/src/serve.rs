//! `ghi serve`: startup, reloading the inputs on SIGHUP or when their files change, shutdown.

use std::convert::Infallible;
use std::ffi::OsStr;
use std::io;
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};
use std::{env, fs, thread};

use clap::{Arg, Args as _};
use ghi_engine::visible;
use ghi_server::{
    Clock, Config, Inputs, Listener, PROBE_CONNECTIONS, Reload, Server, SnapshotForm, own_address,
};
use listenfd::ListenFd;
use rustix::process::{
    Resource, Rlimit, Signal as SignalNumber, getpid, getrlimit, kill_process, setrlimit,
};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::serve_flags::Args;
use crate::signals::{Signals, exit_code, on_thread, runtime};
use crate::{inputs, log, output};

/// File descriptors that are not connections: standard streams, the main runtime and a reserve.
const DESCRIPTORS_RESERVED: usize = 32;

/// File descriptors of a worker: its socket twice, its runtime, and a connection that waits for a slot.
const DESCRIPTORS_PER_WORKER: usize = 8;

/// The limit on open files if the system allows any number: macOS rejects higher ones.
const OPEN_MAX: u64 = 10_240;

/// How often watched files are checked, and how long they must stay unchanged to count as complete.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// Serves until a signal arrives. Startup failures print one line.
pub(crate) fn run(args: Args) -> Result<ExitCode, String> {
    if args.watch && args.inputs.is_none() {
        return Err("--watch needs --inputs, the file to watch".into());
    }
    let workers =
        args.workers.or(thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let max_connections = max_connections(&args, workers.get())?;
    // Tokio panics if there are no descriptors for its signal handlers.
    let spare: io::Result<Vec<_>> = (0..3).map(|_| UnixStream::pair()).collect();
    drop(spare.map_err(cannot_start)?);
    let runtime = runtime()?;
    // This comes first, so that no signal kills a process that has accepted connections.
    let handlers = async { io::Result::Ok((Signals::watch()?, signal(SignalKind::hangup())?)) };
    let (mut signals, hangup) = runtime.block_on(handlers).map_err(cannot_start)?;
    let _log = log::start(args.log_format).map_err(cannot_start)?;
    warn_about_unknown_variables();
    if args.exit_with_stdin {
        let thread = thread::Builder::new().name("stdin".into());
        thread.spawn(interrupt_when_stdin_closes).map_err(cannot_start)?;
    }
    // This comes before the files are read, so that no change is missed.
    let watched = args.inputs.as_deref().filter(|_| args.watch).map(watched_files);
    let watched = watched.unwrap_or_default();
    let mut inputs = Inputs::default();
    if let Some(file) = args.inputs.clone() {
        let reading = on_thread("inputs", move || inputs::read(&file));
        let read =
            async { tokio::select!(read = reading => Some(read), _ = signals.next() => None) };
        let Some(read) = runtime.block_on(read) else {
            tracing::info!("stopped before accepting connections");
            return Ok(ExitCode::SUCCESS);
        };
        inputs = read?;
    }
    let config = config(&args, inputs, max_connections);
    let listener = listen(&args, workers)?;
    let address = listener.local_addr().map_err(cannot_start)?;
    let probe_address = listener.probe_addr().transpose().map_err(cannot_start)?;
    let settings = config.clone();
    // A signal that arrives from now on is handled after startup, since clients may have connected.
    let server = Server::start(listener, config).map_err(cannot_start)?;
    let url = link(address);
    tracing::info!("ghi listens on {address}; open {url}/");
    log_settings(&args, &settings, workers.get());
    if let Some(address) = probe_address {
        tracing::info!("probes and metrics are also on {address}");
    }
    if args.print_url {
        output::print(&format!("{url}\n"))?;
    }
    let reloads = reload_on_change(hangup, &args, watched, settings.clock, server.reload_handle());
    Ok(runtime.block_on(serve(server, signals, reloads, args.drain)))
}

/// Interrupts this process when standard input closes. A signal works at any time, even during startup.
fn interrupt_when_stdin_closes() {
    _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
    tracing::info!("standard input was closed");
    _ = kill_process(getpid(), SignalNumber::INT);
}

/// Warns about variables that look like flags.
fn warn_about_unknown_variables() {
    // The password of `ghi collect`, and what Kubernetes sets for a service named `ghi`.
    const OTHERS: [&str; 3] = ["GHI_RPC_PASSWORD", "GHI_SERVICE_", "GHI_PORT"];
    let command = Args::augment_args(clap::Command::new("serve"));
    let known: Vec<&OsStr> = command.get_arguments().filter_map(Arg::get_env).collect();
    for (name, value) in env::vars_os().filter(|(name, _)| !known.contains(&&**name)) {
        let name = name.to_string_lossy();
        let is_other = OTHERS.iter().any(|other| name.starts_with(other));
        if name.starts_with("GHI_") && !is_other && !value.is_empty() {
            tracing::warn!("unknown variable {} is ignored", visible(&name, output::QUOTE_MAX));
        }
    }
}

/// Serves until a signal arrives, then shuts down gracefully. A second signal exits immediately.
async fn serve(
    server: Server,
    mut signals: Signals,
    reloads: impl Future<Output = Infallible>,
    drain: Duration,
) -> ExitCode {
    let (start_drain, shutdown) = oneshot::channel();
    let second_signal = async {
        let first = tokio::select! {
            first = signals.next() => first,
            never = reloads => match never {},
        };
        tracing::info!("shutting down; send a second signal to exit immediately");
        // Someone pressed Ctrl-C and is waiting.
        let drain = if first == SignalKind::interrupt() { Duration::ZERO } else { drain };
        _ = start_drain.send(drain);
        signals.next().await
    };
    tokio::select! {
        cut_off = server.run(async { shutdown.await.unwrap_or_default() }) => {
            match cut_off {
                0 => tracing::info!("stopped; every request was answered"),
                _ => tracing::warn!(cut_off, "stopped; some requests were cut off"),
            }
            ExitCode::SUCCESS
        }
        kind = second_signal => exit_code(kind),
    }
}

fn config(args: &Args, inputs: Inputs, max_connections: usize) -> Config {
    let clock = match (args.at, args.speed) {
        (None, _) => Clock::system(),
        (Some(moment), None) => Clock::at(moment),
        (Some(moment), Some(speed)) => Clock::running(moment, speed),
    };
    let is_reduced = args.snapshot_form == "reduced";
    Config {
        inputs,
        clock,
        snapshot_form: if is_reduced { SnapshotForm::Reduced } else { SnapshotForm::Full },
        scenarios: !args.no_scenarios,
        fail: args.fail.clone(),
        chaos_percent: args.chaos,
        chaos_path: args.chaos_path.clone(),
        strict_parameters: args.strict_parameters,
        rate_limit: NonZeroU32::new(args.rate_limit),
        rate_limit_loopback: args.rate_limit_loopback,
        trusted_proxies: args.trusted_proxy.clone(),
        public_url: args.public_url.clone(),
        max_connections,
        idle_timeout: args.idle_timeout,
        access_log: args.access_log,
        ..Config::default()
    }
}

/// Binds the addresses, or takes the socket that a service manager such as systemd opened for this process.
fn listen(args: &Args, workers: NonZeroUsize) -> Result<Listener, String> {
    let cannot_listen = |address: SocketAddr, flag: &str, error: io::Error| {
        format!("cannot listen on {address}: {error}; choose another address with {flag}")
    };
    let mut passed = ListenFd::from_env();
    if passed.len() > 1 {
        return Err(format!("LISTEN_FDS passes {} sockets; expected 1", passed.len()));
    }
    let listener = match passed.take_tcp_listener(0) {
        Ok(None) => Listener::bind(args.listen, workers)
            .map_err(|error| cannot_listen(args.listen, "--listen", error))?,
        socket => socket
            .and_then(|socket| Listener::inherit(socket.expect("one is passed"), workers))
            .map_err(|error| {
                format!("the socket passed in LISTEN_FDS is not a listening TCP socket: {error}")
            })?,
    };
    match args.probe_listen {
        None => Ok(listener),
        Some(address) => listener
            .with_probes(address)
            .map_err(|error| cannot_listen(address, "--probe-listen", error)),
    }
}

fn log_settings(args: &Args, config: &Config, workers: usize) {
    log_inputs("inputs loaded", args.inputs.as_deref(), &config.inputs, &config.clock);
    tracing::info!(
        workers,
        rate_limit = args.rate_limit,
        rate_limit_loopback = args.rate_limit_loopback,
        max_connections = config.max_connections,
        idle_timeout = ?args.idle_timeout,
        scenarios = config.scenarios,
        strict_parameters = args.strict_parameters,
        "limits"
    );
    for flag in &args.fail {
        tracing::warn!("API requests fail on purpose: {flag}");
    }
    if args.chaos > 0 {
        let path = args.chaos_path.as_ref();
        let target = path.map_or("API requests".into(), |path| format!("requests for {path}"));
        tracing::warn!("chaos: {}% of {target} fail on purpose", args.chaos);
    }
    log_warnings(&config.inputs, &config.clock);
}

fn log_inputs(message: &str, file: Option<&Path>, inputs: &Inputs, clock: &Clock) {
    let file = file.map_or("built in".into(), |path| path.display().to_string());
    let (coverage, fingerprint) = (inputs.coverage(), inputs.fingerprint());
    let days = format!("{} to {}", coverage.first, coverage.last);
    let (regions, clock) = (inputs.region_count(), clock.to_string());
    tracing::info!(inputs = file, regions, days, fingerprint, clock, "{message}");
}

/// Logs probable mistakes in the inputs, and a warning if today has no data.
fn log_warnings(inputs: &Inputs, clock: &Clock) {
    let no_figures = inputs.check(clock.now().date()).err();
    let no_figures = no_figures.map(|error| format!("{error} {}", inputs::MORE_DAYS));
    for warning in inputs.warnings().into_iter().chain(no_figures) {
        tracing::warn!("inputs: {warning}");
    }
}

/// The time of the last change and the size of a file, if it exists.
type FileStamp = Option<(SystemTime, u64)>;

/// Returns an inputs file and the series that it names, to watch them for changes from now on.
fn watched_files(inputs: &Path) -> Vec<(PathBuf, FileStamp)> {
    let files = inputs::named_files(inputs).into_iter();
    files.map(|file| (file.clone(), stamp(&file))).collect()
}

fn stamp(file: &Path) -> FileStamp {
    let metadata = fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

/// Waits until a file has changed and then stayed the same, so that it is complete.
async fn changed(watched: &[(PathBuf, FileStamp)]) {
    let mut previous = watched.to_vec();
    loop {
        sleep(WATCH_INTERVAL).await;
        let now: Vec<_> = watched.iter().map(|(file, _)| (file.clone(), stamp(file))).collect();
        if now != watched && now == previous {
            return;
        }
        previous = now;
    }
}

/// Reloads the inputs on each SIGHUP, and when a watched file has changed. Without an inputs file, the signal is
/// ignored, so that a server survives the terminal that started it.
async fn reload_on_change(
    mut hangup: Signal,
    args: &Args,
    mut watched: Vec<(PathBuf, FileStamp)>,
    clock: Clock,
    reload: Reload,
) -> Infallible {
    loop {
        tokio::select! {
            _ = hangup.recv() => (),
            () = changed(&watched), if args.watch => (),
        }
        let Some(file) = args.inputs.clone() else {
            tracing::info!("nothing to reload: the inputs are built in");
            continue;
        };
        if args.watch {
            let file = file.clone();
            let files = on_thread("watch", move || Ok(watched_files(&file)));
            watched = files.await.unwrap_or(watched);
        }
        let (clock, handle) = (clock.clone(), reload.clone());
        let reloaded = on_thread("reload", move || {
            let inputs = inputs::read(&file)?;
            handle.reload(inputs.clone());
            log_inputs("inputs reloaded", Some(&file), &inputs, &clock);
            log_warnings(&inputs, &clock);
            Ok(())
        });
        if let Err(problems) = reloaded.await {
            reload.failed();
            for problem in problems.lines() {
                tracing::error!("inputs not reloaded: {problem}");
            }
        }
    }
}

/// Raises the limit on file descriptors as far as possible. Returns the maximum number of connections.
fn max_connections(args: &Args, workers: usize) -> Result<usize, String> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let highest = maximum.unwrap_or(OPEN_MAX);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(highest), maximum });
    let limit = if raised.is_ok() { highest } else { current.unwrap_or(highest) };
    let of_probes = args.probe_listen.map_or(0, |_| DESCRIPTORS_PER_WORKER + PROBE_CONNECTIONS);
    let of_workers = workers.saturating_mul(DESCRIPTORS_PER_WORKER);
    let reserved = of_workers.saturating_add(DESCRIPTORS_RESERVED + of_probes);
    let available = usize::try_from(limit).unwrap_or(usize::MAX).saturating_sub(reserved);
    let count =
        args.max_connections.map_or(available.min(Config::MAX_CONNECTIONS), NonZeroUsize::get);
    if count == 0 || count > available {
        return Err(format!(
            "the limit of {limit} open files allows {available} connections with {workers} workers; raise it (ulimit -n), or lower --workers or --max-connections"
        ));
    }
    Ok(count)
}

fn cannot_start(error: io::Error) -> String {
    format!("cannot start: {error}")
}

/// Returns a URL that a browser on this machine can open.
pub(crate) fn link(address: SocketAddr) -> String {
    format!("http://{}", own_address(address))
}
