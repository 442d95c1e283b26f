//! `ghi serve`.

use std::env;
use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::net::{SocketAddr, TcpListener};
use std::num::{NonZeroU32, NonZeroUsize};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Args as _;
use ghi_engine::{suggestion, visible};
use ghi_server::{Clock, Config, Listener, Moment, PROBE_CONNECTIONS, Server, Speed, own_address};
use listenfd::ListenFd;
use rustix::process::{
    Resource, Rlimit, Signal as SignalNumber, getpid, getrlimit, kill_process, setrlimit,
};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use crate::inputs;
use crate::log;
use crate::output;
use crate::reload::{FileWatch, Served, reload_on_change};
use crate::serve_flags::Args;
use crate::signals::{Signals, on_thread};

/// File descriptors that are not connections: standard streams, the main runtime and a reserve.
const DESCRIPTORS_RESERVED: usize = 32;

/// File descriptors of a worker: its socket twice, its runtime, and a connection that waits for a slot.
const DESCRIPTORS_PER_WORKER: usize = 8;

/// The `OPEN_MAX` of macOS, which rejects higher limits on file descriptors, including "unlimited".
const MACOS_OPEN_MAX: u64 = 10_240;

/// The maximum number of characters of a variable's name in a message.
const VARIABLE_MAX: usize = 80;

fn clock(at: Option<Moment>, speed: Option<Speed>) -> Result<Clock, String> {
    match (at, speed) {
        (None, None) => Ok(Clock::system()),
        (Some(moment), None) => Ok(Clock::at(moment)),
        (Some(moment), Some(speed)) => Ok(Clock::running(moment, speed)),
        (None, Some(_)) => Err("--speed needs --at, the time at which the clock starts".into()),
    }
}

/// Serves until a signal arrives. Startup failures print one line.
pub(crate) fn run(args: Args) -> Result<ExitCode, String> {
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let workers = args.workers.unwrap_or(cores);
    let mut config = config(&args, workers.get())?;
    // Tokio panics if there are no descriptors for its signal handlers.
    let spare: io::Result<Vec<_>> = (0..3).map(|_| UnixStream::pair()).collect();
    drop(spare.map_err(cannot_start)?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(cannot_start)?;
    // This comes first, so that no signal kills a process that has accepted connections.
    let handlers = async { io::Result::Ok((Signals::watch()?, signal(SignalKind::hangup())?)) };
    let (mut signals, hangup) = runtime.block_on(handlers).map_err(cannot_start)?;
    let log = log::start(args.log_format).map_err(cannot_start)?;
    warn_about_unknown_variables();
    if args.exit_with_stdin {
        interrupt_when_stdin_closes().map_err(cannot_start)?;
    }
    // This starts before the files are read, so that no change is missed.
    let watch = args.inputs.clone().filter(|_| args.watch).map(FileWatch::new);
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
    let served = Served::new(&config.inputs, &config.clock);
    let (clock, max_connections) = (config.clock.clone(), config.max_connections);
    // A signal that arrives during startup is handled afterwards, since clients may have connected.
    let server = Server::start(listener, config).map_err(cannot_start)?;
    tracing::info!("ghi listens on {address}; open {}/", link(address));
    log_settings(&args, &served, &clock, workers.get(), max_connections);
    if let Some(address) = probe_address {
        tracing::info!("probes and metrics are also on {address}");
    }
    let url = link(address);
    if io::stderr().is_terminal() && args.log_format == log::Format::Text {
        // For people, after the startup messages in the log.
        log.write(&format!("\n  Dashboard      {url}/\n  API reference  {url}/docs\n  Try            curl {url}/v1/ghi/snapshot\n\n"));
    }
    if args.print_url {
        output::print(&format!("{url}\n"))?;
    }
    Ok(runtime.block_on(run_until_signal(server, (signals, hangup), watch, args, &clock)))
}

/// Interrupts this process when standard input closes. A signal works at any time, even during startup.
fn interrupt_when_stdin_closes() -> io::Result<()> {
    thread::Builder::new().name("stdin".into()).spawn(|| {
        _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        tracing::info!("standard input was closed");
        _ = kill_process(getpid(), SignalNumber::INT);
    })?;
    Ok(())
}

/// Warns about variables that look like flags, except the password of `ghi collect` and the variables that
/// Kubernetes sets for a service named `ghi`.
fn warn_about_unknown_variables() {
    let lower = |name: &OsStr| name.to_str()?.strip_prefix("GHI_").map(str::to_lowercase);
    let command = Args::augment_args(clap::Command::new("serve"));
    let flags = command.get_arguments();
    let known: Vec<String> = flags.filter_map(|flag| lower(flag.get_env()?)).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    for (name, _) in env::vars_os().filter(|(_, value)| !value.is_empty()) {
        let Some(short) = lower(&name).filter(|short| !known.contains(&&**short)) else { continue };
        if short == "rpc_password" || short.starts_with("service_") || short.starts_with("port") {
            continue;
        }
        let nearest = suggestion(&short, &known).map(str::to_uppercase);
        let nearest = nearest.map(|nearest| format!("; did you mean GHI_{nearest}?"));
        let name = visible(&name.to_string_lossy(), VARIABLE_MAX);
        tracing::warn!("unknown variable {name} is ignored{}", nearest.unwrap_or_default());
    }
}

/// Serves until a signal arrives, then shuts down gracefully. A second signal exits immediately.
async fn run_until_signal(
    server: Server,
    (mut signals, hangup): (Signals, Signal),
    watch: Option<FileWatch>,
    args: Args,
    clock: &Clock,
) -> ExitCode {
    let reload = server.reload_handle();
    let (start_drain, drain) = oneshot::channel();
    let second_signal = async {
        let first = tokio::select! {
            first = signals.next() => first,
            never = reload_on_change(hangup, watch, args.inputs, clock, &reload) => match never {},
        };
        tracing::info!("shutting down; send a second signal to exit immediately");
        // Someone pressed Ctrl-C and is waiting.
        let drain = if first == SignalKind::interrupt() { Duration::ZERO } else { args.drain };
        _ = start_drain.send(drain);
        signals.next().await
    };
    let shutdown = async { drain.await.unwrap_or_default() };
    tokio::select! {
        cut_off = server.run(shutdown) => {
            match cut_off {
                0 => tracing::info!("stopped; every request was answered"),
                _ => tracing::warn!(cut_off, "stopped; some requests were cut off"),
            }
            ExitCode::SUCCESS
        }
        // The exit code that shells report for a process killed by a signal.
        kind = second_signal => ExitCode::from(128 + kind.as_raw_value() as u8),
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
    let for_probes = args.probe_listen.map_or(0, |_| DESCRIPTORS_PER_WORKER + PROBE_CONNECTIONS);
    Ok(Config {
        clock: clock(args.at, args.speed)?,
        snapshot_form: args.snapshot_form,
        scenarios: !args.no_scenarios,
        fail: args.fail.clone(),
        chaos_percent: args.chaos,
        chaos_path: args.chaos_path.clone(),
        strict_parameters: args.strict_parameters,
        rate_limit: NonZeroU32::new(args.rate_limit),
        rate_limit_loopback: args.rate_limit_loopback,
        trusted_proxies: args.trusted_proxy.clone(),
        public_url: args.public_url.clone(),
        max_connections: max_connections(args.max_connections, workers, for_probes)?,
        idle_timeout: args.idle_timeout,
        access_log: args.access_log,
        ..Config::default()
    })
}

fn listen(args: &Args, workers: NonZeroUsize) -> Result<Listener, String> {
    let listener = match passed_socket()? {
        Some(socket) => Listener::inherit(socket, workers).map_err(|error| not_passed(&error))?,
        None => Listener::bind(args.listen, workers)
            .map_err(|error| cannot_listen(args.listen, "--listen", &error))?,
    };
    match args.probe_listen {
        None => Ok(listener),
        Some(address) => listener
            .with_probes(address)
            .map_err(|error| cannot_listen(address, "--probe-listen", &error)),
    }
}

/// Returns the socket that a service manager such as systemd opened for this process.
fn passed_socket() -> Result<Option<TcpListener>, String> {
    let mut passed = ListenFd::from_env();
    match passed.len() {
        0 => Ok(None),
        1 => passed.take_tcp_listener(0).map_err(|error| not_passed(&error)),
        count => Err(format!("LISTEN_FDS passes {count} sockets; expected 1")),
    }
}

fn not_passed(error: &io::Error) -> String {
    format!("the socket passed in LISTEN_FDS is not a listening TCP socket: {error}")
}

fn log_settings(
    args: &Args,
    served: &Served,
    clock: &Clock,
    workers: usize,
    max_connections: usize,
) {
    let inputs = args.inputs.as_ref().map(|path| path.display().to_string());
    let (inputs, clock) = (inputs.unwrap_or_else(|| "built in".into()), clock.to_string());
    let Served { regions, days, fingerprint, .. } = served;
    tracing::info!(inputs, regions, days, fingerprint, clock, "inputs loaded");
    tracing::info!(
        workers,
        rate_limit = args.rate_limit,
        rate_limit_loopback = args.rate_limit_loopback,
        max_connections,
        idle_timeout = ?args.idle_timeout,
        scenarios = !args.no_scenarios,
        strict_parameters = args.strict_parameters,
        "limits"
    );
    for flag in &args.fail {
        tracing::warn!("API requests fail on purpose: {flag}");
    }
    if args.chaos > 0 {
        let target = args
            .chaos_path
            .as_ref()
            .map_or("API requests".into(), |path| format!("requests for {path}"));
        tracing::warn!("chaos: {}% of {target} fail on purpose", args.chaos);
    }
    served.log_warnings();
}

/// Raises the limit on file descriptors as far as possible. Returns the maximum number of connections,
/// after subtracting the descriptors of workers and probes.
fn max_connections(
    wanted: Option<NonZeroUsize>,
    workers: usize,
    for_probes: usize,
) -> Result<usize, String> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let highest = match cfg!(target_os = "macos") {
        true => Some(maximum.unwrap_or(MACOS_OPEN_MAX).min(MACOS_OPEN_MAX)),
        false => maximum,
    };
    let raised = setrlimit(Resource::Nofile, Rlimit { current: highest, maximum });
    let limit = if raised.is_ok() { highest } else { current };
    let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
    let of_workers = workers.saturating_mul(DESCRIPTORS_PER_WORKER);
    let reserved = (DESCRIPTORS_RESERVED + for_probes).saturating_add(of_workers);
    let available = limit.saturating_sub(reserved);
    match wanted.map_or(available.min(Config::MAX_CONNECTIONS), NonZeroUsize::get) {
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
    let advice = match error.kind() {
        // The system's error when no thread can be started.
        io::ErrorKind::WouldBlock => "; raise the limit on threads (ulimit -u) or lower --workers",
        _ => "",
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
