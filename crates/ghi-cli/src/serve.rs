//! `ghi serve`: startup, reloading the inputs on SIGHUP or when their files change, shutdown.

use std::convert::Infallible;
use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};
use std::{env, fs, thread};

use clap::Args as _;
use ghi_engine::{suggestion, visible};
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

/// The `OPEN_MAX` of macOS, which rejects higher limits on file descriptors, including "unlimited".
const MACOS_OPEN_MAX: u64 = 10_240;

/// How often watched files are checked, and how long they must stay unchanged to count as complete.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// Serves until a signal arrives. Startup failures print one line.
pub(crate) fn run(args: Args) -> Result<ExitCode, String> {
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let workers = args.workers.unwrap_or(cores);
    let mut config = config(&args, workers.get())?;
    // Tokio panics if there are no descriptors for its signal handlers.
    let spare: io::Result<Vec<_>> = (0..3).map(|_| UnixStream::pair()).collect();
    drop(spare.map_err(cannot_start)?);
    let runtime = runtime()?;
    // This comes first, so that no signal kills a process that has accepted connections.
    let handlers = async { io::Result::Ok((Signals::watch()?, signal(SignalKind::hangup())?)) };
    let (mut signals, hangup) = runtime.block_on(handlers).map_err(cannot_start)?;
    let log = log::start(args.log_format).map_err(cannot_start)?;
    warn_about_unknown_variables();
    if args.exit_with_stdin {
        let thread = thread::Builder::new().name("stdin".into());
        thread.spawn(interrupt_when_stdin_closes).map_err(cannot_start)?;
    }
    // This starts before the files are read, so that no change is missed.
    let watched = args.inputs.as_deref().filter(|_| args.watch).map(watched_files);
    if let Some(file) = args.inputs.clone() {
        let reading = on_thread("inputs", move || inputs::read(&file));
        let read =
            async { tokio::select!(inputs = reading => Some(inputs), _ = signals.next() => None) };
        let Some(inputs) = runtime.block_on(read) else {
            tracing::info!("stopped before accepting connections");
            return Ok(ExitCode::SUCCESS);
        };
        config.inputs = inputs?;
    }
    let listener = listen(&args, workers)?;
    let address = listener.local_addr().map_err(cannot_start)?;
    let probe_address = listener.probe_addr().transpose().map_err(cannot_start)?;
    let (settings, clock) = (config.clone(), config.clock.clone());
    // A signal that arrives during startup is handled afterwards, since clients may have connected.
    let server = Server::start(listener, config).map_err(cannot_start)?;
    let url = link(address);
    tracing::info!("ghi listens on {address}; open {url}/");
    log_settings(&args, settings, workers.get());
    if let Some(address) = probe_address {
        tracing::info!("probes and metrics are also on {address}");
    }
    if io::stderr().is_terminal() && args.log_format == log::Format::Text {
        // For people, after the startup messages in the log.
        log.write(&format!("\n  Dashboard      {url}/\n  API reference  {url}/docs\n  Try            curl {url}/v1/ghi/snapshot\n\n"));
    }
    if args.print_url {
        output::print(&format!("{url}\n"))?;
    }
    let reloads = reload_on_change(hangup, watched, args.inputs, clock, server.reload_handle());
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
    let lower = |name: &OsStr| name.to_str()?.strip_prefix("GHI_").map(str::to_lowercase);
    let command = Args::augment_args(clap::Command::new("serve"));
    let known: Vec<&str> = command.get_arguments().map(|flag| flag.get_id().as_str()).collect();
    for (name, _) in env::vars_os().filter(|(_, value)| !value.is_empty()) {
        let Some(short) = lower(&name).filter(|short| !known.contains(&&**short)) else { continue };
        // The password of `ghi collect`, and what Kubernetes sets for a service named `ghi`.
        if short == "rpc_password" || short.starts_with("service_") || short.starts_with("port") {
            continue;
        }
        let nearest = suggestion(&short, &known).map(str::to_uppercase);
        let nearest = nearest.map(|nearest| format!("; did you mean GHI_{nearest}?"));
        let name = visible(&name.to_string_lossy(), output::QUOTE_MAX);
        tracing::warn!("unknown variable {name} is ignored{}", nearest.unwrap_or_default());
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

/// Converts the flags to a configuration, with the built-in inputs.
fn config(args: &Args, workers: usize) -> Result<Config, String> {
    if args.chaos_path.is_some() && args.chaos == 0 {
        return Err("--chaos-path needs --chaos, the percentage of requests that fail".into());
    }
    if args.watch && args.inputs.is_none() {
        return Err("--watch needs --inputs, the file to watch".into());
    }
    let clock = match (args.at, args.speed) {
        (None, None) => Clock::system(),
        (Some(moment), None) => Clock::at(moment),
        (Some(moment), Some(speed)) => Clock::running(moment, speed),
        (None, Some(_)) => {
            return Err("--speed needs --at, the time at which the clock starts".into());
        }
    };
    let is_reduced = args.snapshot_form == "reduced";
    Ok(Config {
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
        max_connections: max_connections(args, workers)?,
        idle_timeout: args.idle_timeout,
        access_log: args.access_log,
        ..Config::default()
    })
}

/// Binds the addresses, or takes the socket that a service manager such as systemd opened for this process.
fn listen(args: &Args, workers: NonZeroUsize) -> Result<Listener, String> {
    let mut passed = ListenFd::from_env();
    let listener = match passed.len() {
        0 => Listener::bind(args.listen, workers)
            .map_err(|error| cannot_listen(args.listen, "--listen", &error))?,
        1 => passed
            .take_tcp_listener(0)
            .and_then(|socket| Listener::inherit(socket.expect("one is passed"), workers))
            .map_err(|error| {
                format!("the socket passed in LISTEN_FDS is not a listening TCP socket: {error}")
            })?,
        count => return Err(format!("LISTEN_FDS passes {count} sockets; expected 1")),
    };
    match args.probe_listen {
        None => Ok(listener),
        Some(address) => listener
            .with_probes(address)
            .map_err(|error| cannot_listen(address, "--probe-listen", &error)),
    }
}

fn log_settings(args: &Args, config: Config, workers: usize) {
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
        let target = match &args.chaos_path {
            Some(path) => format!("requests for {path}"),
            None => "API requests".into(),
        };
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
    let mut previous = None;
    loop {
        sleep(WATCH_INTERVAL).await;
        let now: Vec<FileStamp> = watched.iter().map(|(file, _)| stamp(file)).collect();
        let is_changed = watched.iter().zip(&now).any(|(file, now)| file.1 != *now);
        let now = is_changed.then_some(now);
        if is_changed && now == previous {
            return;
        }
        previous = now;
    }
}

/// Reloads the inputs on each SIGHUP, and when a watched file has changed. Without an inputs file, the signal is
/// ignored, so that a server survives the terminal that started it.
async fn reload_on_change(
    mut hangup: Signal,
    mut watched: Option<Vec<(PathBuf, FileStamp)>>,
    file: Option<PathBuf>,
    clock: Clock,
    reload: Reload,
) -> Infallible {
    loop {
        match &mut watched {
            Some(files) => {
                tokio::select!(_ = hangup.recv() => (), () = changed(files) => ());
                *files = watched_files(&files[0].0);
            }
            None => _ = hangup.recv().await,
        }
        let Some(file) = file.clone() else {
            tracing::info!("nothing to reload: the inputs are built in");
            continue;
        };
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
    let highest = match cfg!(target_os = "macos") {
        true => Some(maximum.unwrap_or(MACOS_OPEN_MAX).min(MACOS_OPEN_MAX)),
        false => maximum,
    };
    let raised = setrlimit(Resource::Nofile, Rlimit { current: highest, maximum });
    let limit = if raised.is_ok() { highest } else { current };
    let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
    let of_probes = args.probe_listen.map_or(0, |_| DESCRIPTORS_PER_WORKER + PROBE_CONNECTIONS);
    let of_workers = workers.saturating_mul(DESCRIPTORS_PER_WORKER);
    let reserved = of_workers.saturating_add(DESCRIPTORS_RESERVED + of_probes);
    let available = limit.saturating_sub(reserved);
    match args.max_connections.map_or(available.min(Config::MAX_CONNECTIONS), NonZeroUsize::get) {
        _ if available == 0 => Err(format!(
            "{workers} workers need more than {reserved} file descriptors, but the limit is {limit}; raise the limit (ulimit -n) or lower --workers"
        )),
        count if count <= available => Ok(count),
        count => Err(format!(
            "--max-connections {count} is above {available}, the most that the open-file limit allows; raise the limit (ulimit -n) or lower the number"
        )),
    }
}

fn cannot_start(error: io::Error) -> String {
    // The system's error when no thread can be started.
    let advice = match error.kind() == io::ErrorKind::WouldBlock {
        true => "; raise the limit on threads (ulimit -u) or lower --workers",
        false => "",
    };
    format!("cannot start: {error}{advice}")
}

fn cannot_listen(address: SocketAddr, flag: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => format!(
            "cannot listen on {address}: the port is already in use by another process; stop that process or choose another port with {flag}"
        ),
        _ => format!("cannot listen on {address}: {error}; choose another address with {flag}"),
    }
}

/// Returns a URL that a browser on this machine can open.
pub(crate) fn link(address: SocketAddr) -> String {
    format!("http://{}", own_address(address))
}
