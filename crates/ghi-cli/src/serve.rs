//! `ghi serve`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use ghi_server::{Clock, Config, Inputs, Moment};
use tokio::net::TcpListener;

/// The flags of `ghi serve`; each has an environment variable.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, env = "GHI_LISTEN", value_name = "ADDR", default_value = "127.0.0.1:8000")]
    #[arg(value_parser = listen_address)]
    listen: SocketAddr,

    /// Publish the network that this TOML file describes, instead of the built-in one
    #[arg(long, env = "GHI_INPUTS", value_name = "FILE")]
    inputs: Option<PathBuf>,

    /// Stop the clock at this UTC time, such as 2026-11-15T12:00:00Z
    #[arg(long, env = "GHI_AT", value_name = "TIMESTAMP")]
    at: Option<Moment>,

    /// The snapshot that a request without preference gets
    #[arg(long, env = "GHI_SNAPSHOT_FORM", value_name = "FORM", default_value = "full")]
    snapshot_form: SnapshotForm,
}

#[derive(Clone, Copy, ValueEnum)]
enum SnapshotForm {
    /// With the regions
    Full,
    /// The global figures alone
    Reduced,
}

fn listen_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "must be an IP address and a port, such as 127.0.0.1:8000".into())
}

/// Serves until the process is told to end. What keeps it from starting is one sentence.
pub(crate) fn run(args: Args) -> Result<(), String> {
    let config = Config {
        inputs: args.inputs.as_deref().map_or(Ok(Inputs::default()), read_inputs)?,
        clock: args.at.map_or_else(Clock::system, Clock::at),
        snapshot_form: match args.snapshot_form {
            SnapshotForm::Full => ghi_server::SnapshotForm::Full,
            SnapshotForm::Reduced => ghi_server::SnapshotForm::Reduced,
        },
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start: {error}"))?;
    runtime.block_on(async {
        let signals = end_of_process()?;
        let listener = TcpListener::bind(args.listen).await;
        let listener = listener.map_err(|error| cannot_listen(args.listen, &error))?;
        let address = listener.local_addr().map_err(|error| format!("cannot listen: {error}"))?;
        let link = link(address);
        eprintln!("ghi listens on {address}; open {link}/v1/ghi/snapshot");
        ghi_server::serve(listener, config, signals).await;
        Ok(())
    })
}

fn read_inputs(path: &Path) -> Result<Inputs, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read the inputs {}: {error}", path.display()))?;
    Inputs::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::AddrInUse => format!(
            "cannot listen on {address}: another process does already; end it, or choose another port with --listen"
        ),
        _ => format!("cannot listen on {address}: {error}; choose another address with --listen"),
    }
}

/// A link that a browser on this machine can open.
fn link(address: SocketAddr) -> String {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    format!("http://{}", SocketAddr::new(ip, address.port()))
}

/// Ready when the process is told to end: by SIGTERM, or by Ctrl-C.
fn end_of_process() -> Result<impl Future<Output = ()>, String> {
    use tokio::signal::unix::{SignalKind, signal};
    let listen_for = |kind| signal(kind).map_err(|error| format!("cannot watch signals: {error}"));
    let mut interrupt = listen_for(SignalKind::interrupt())?;
    let mut terminate = listen_for(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
