//! `ghi serve`.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Once, OnceLock};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use program::{GHI, program};

mod program;

fn ghi(args: &[&str]) -> Command {
    let mut command = program(GHI);
    command.args(args).stdin(Stdio::null());
    command
}

/// A running server, killed when the test ends.
struct Running {
    child: Child,
    stderr: BufReader<ChildStderr>,
    /// The first line of the log.
    greeting: String,
    /// The next two lines, with the settings.
    settings: String,
}

impl Running {
    fn start(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut greeting = String::new();
        stderr.read_line(&mut greeting).unwrap();
        let mut settings = String::new();
        (0..2).for_each(|_| _ = stderr.read_line(&mut settings).unwrap());
        Self { child, stderr, greeting, settings }
    }

    /// Returns the address and the path of the link in the first line.
    fn link(&self) -> (&str, &str) {
        let link = self.greeting.trim_end_matches(['\n', '"', '}']).rsplit(' ').next().unwrap();
        link.strip_prefix("http://").unwrap().split_once('/').unwrap()
    }

    fn address(&self) -> &str {
        self.link().0
    }

    /// Fetches the link in the first line.
    fn follow_link(&self) -> String {
        self.get(self.link().1)
    }

    fn get(&self, path: &str) -> String {
        get(self.address(), path)
    }

    fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
    }

    /// Reads the next line from stderr.
    fn next_line(&mut self) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        line
    }

    fn wait(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// Sends a signal and waits. Returns the exit code, stdout and the rest of stderr.
    fn end_with(self, signal: &str) -> (Option<i32>, String, String) {
        self.signal(signal);
        self.wait_for_end()
    }

    /// Waits for the process. Returns the exit code, stdout and the rest of stderr.
    fn wait_for_end(mut self) -> (Option<i32>, String, String) {
        let mut stderr = String::new();
        self.stderr.read_to_string(&mut stderr).unwrap();
        let mut stdout = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        (self.child.wait().unwrap().code(), stdout, stderr)
    }
}

/// Returns the response to a GET request.
fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

impl Drop for Running {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Asserts that the command failed: one line on stderr, exit code 2, nothing on stdout.
#[track_caller]
fn check_refusal(output: &Output, message: &str) {
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("ghi: {message}\n"));
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}

/// Writes a file with this text to Cargo's directory for tests.
fn file(name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn the_log_has_the_address_and_a_signal_exits_cleanly() {
    for signal in ["TERM", "INT", "QUIT"] {
        let args = ["--listen", "127.0.0.1:0", "--drain", "0"];
        let running = Running::start(&mut ghi(&args));
        let greeting = &running.greeting;
        assert!(greeting.contains(" INFO ghi listens on 127.0.0.1:"), "{greeting}");
        assert!(running.follow_link().starts_with("HTTP/1.1 200 OK\r\n"));
        let (code, stdout, stderr) = running.end_with(signal);
        assert_eq!((code, &*stdout), (Some(0), ""));
        let [first, last] = stderr.lines().collect::<Vec<_>>()[..] else { panic!("{stderr}") };
        assert!(
            first.ends_with(" INFO shutting down; send a second signal to exit immediately"),
            "{stderr}"
        );
        assert!(last.ends_with(" INFO stopped; every request was answered"), "{stderr}");
    }
}

#[test]
fn the_log_has_the_settings_and_the_requests_cut_off() {
    let inputs = file("started.toml", ghi_engine::DEFAULT_INPUTS);
    let args = ["--listen", "127.0.0.1:0", "--drain", "0", "--at", "2026-11-15T12:00:00Z"];
    let more = ["--rate-limit", "7", "--max-connections", "99", "--idle-timeout", "8"];
    let mut command = ghi(&args);
    let running = Running::start(command.args(more).arg("--inputs").arg(&inputs));
    for said in [
        "started.toml",
        "regions=3",
        &*format!("fingerprint=\"{}\"", ghi_engine::Inputs::default().fingerprint()),
        "clock=\"stopped at 2026-11-15T12:00:00.000000Z\"",
        "rate_limit=7",
        "max_connections=99",
        "idle_timeout=8",
        "scenarios=true",
        "rate_limit_loopback=false",
        "strict_parameters=false",
    ] {
        assert!(running.settings.contains(said), "{said}: {}", running.settings);
    }
    // A client that reads five megabytes slowly, and is cut off five seconds after the signal.
    let mut slow = TcpStream::connect(running.address()).unwrap();
    write!(slow, "GET /assets/reference.js HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
    slow.read_exact(&mut [0]).unwrap();
    let (code, _, stderr) = running.end_with("TERM");
    assert_eq!(code, Some(0));
    assert!(stderr.ends_with("WARN stopped; some requests were cut off cut_off=1\n"), "{stderr}");
}

#[test]
fn probes_have_their_own_address() {
    let args = ["--listen", "127.0.0.1:0", "--probe-listen", "127.0.0.1:0", "--drain", "600"];
    let mut running = Running::start(&mut ghi(&args));
    let mut line = String::new();
    running.stderr.read_line(&mut line).unwrap();
    let address =
        line.trim_end().split(' ').find(|word| word.starts_with("127.0.0.1:")).unwrap().to_owned();
    let ask = |path: &str| get(&address, path);
    for path in ["healthz", "readyz", "metrics"] {
        assert!(ask(path).starts_with("HTTP/1.1 200"), "{path}");
        assert!(running.get(path).starts_with("HTTP/1.1 200"), "{path}");
    }
    for path in ["", "v1/ghi/snapshot", "openapi.json"] {
        let response = ask(path);
        assert!(response.starts_with("HTTP/1.1 404"), "{response}");
        assert!(response.contains("This socket serves only /healthz, /readyz and /metrics."));
    }
    running.signal("TERM");
    while !ask("readyz").starts_with("HTTP/1.1 503") {}
    assert!(ask("healthz").starts_with("HTTP/1.1 200"));
}

/// Starts a server as a test suite does, with `stdin` open. Returns it and the URL that it printed.
fn start_for_tests(more: &[&str]) -> (Child, String, BufReader<ChildStdout>) {
    let args = ["--listen", "127.0.0.1:0", "--print-url", "--exit-with-stdin"];
    let mut command = ghi(&[&args[..], more].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut url = String::new();
    stdout.read_line(&mut url).unwrap();
    (child, url.trim_end().to_owned(), stdout)
}

#[test]
fn the_printed_url_is_all_of_stdout_and_accepts_connections() {
    let (mut child, url, mut stdout) = start_for_tests(&["--drain", "0"]);
    let response = get(url.strip_prefix("http://").unwrap(), "v1/ghi/snapshot");
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    drop(child.stdin.take());
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!((child.wait().unwrap().code(), &*rest), (Some(0), ""));
}

#[test]
fn the_server_exits_without_draining_when_stdin_closes() {
    let (mut child, url, _) = start_for_tests(&["--drain", "600"]);
    let mut stdin = child.stdin.take().unwrap();
    // What is written to stdin is ignored.
    stdin.write_all(b"text\n").unwrap();
    assert!(get(url.strip_prefix("http://").unwrap(), "readyz").starts_with("HTTP/1.1 200"));
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    // Closed from the start.
    let args = ["--listen", "127.0.0.1:0", "--exit-with-stdin", "--drain", "600"];
    assert_eq!(ghi(&args).output().unwrap().status.code(), Some(0));
}

#[test]
fn an_idle_connection_does_not_delay_shutdown() {
    let running = Running::start(&mut ghi(&["--listen", "127.0.0.1:0"]));
    let _silent = TcpStream::connect(running.address()).unwrap();
    let mut idle = TcpStream::connect(running.address()).unwrap();
    write!(idle, "GET /v1/ghi/metadata HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
    assert!(idle.read(&mut [0; 100]).unwrap() > 0);
    let signalled = Instant::now();
    assert_eq!(running.end_with("INT").0, Some(0));
    assert!(signalled.elapsed() < Duration::from_secs(2), "{:?}", signalled.elapsed());
}

#[test]
fn serve_is_the_default_and_every_flag_has_a_variable() {
    let at = "2028-02-29T12:00:00Z";
    let inputs = ghi_engine::DEFAULT_INPUTS.replace("\"Europe\"", "\"Old World\"");
    let inputs = file("renamed.toml", &inputs);
    let inputs = inputs.to_str().unwrap();
    let settings = [
        ("--listen", "127.0.0.1:0"),
        ("--at", at),
        ("--inputs", inputs),
        ("--snapshot-form", "full"),
        ("--chaos", "0"),
        ("--rate-limit", "7"),
        ("--trusted-proxy", "10.0.0.0/8,::1"),
        ("--max-connections", "9"),
        ("--workers", "1"),
        ("--drain", "1"),
        ("--log-format", "text"),
    ];
    let flags: Vec<&str> = settings.iter().flat_map(|(flag, value)| [*flag, *value]).collect();
    let variables = || {
        settings.map(|(flag, value)| {
            (format!("GHI_{}", flag[2..].replace('-', "_").to_uppercase()), value)
        })
    };
    let mut commands =
        [ghi(&flags), ghi(&[&["serve"], &flags[..]].concat()), ghi(&["serve"]), ghi(&[])];
    commands[2].envs(variables());
    commands[3].envs(variables());
    for mut command in commands {
        let response = Running::start(&mut command).get("v1/ghi/snapshot");
        assert!(response.contains("\"timestamp_utc\":\"2028-02-29T12:00:00.000000Z\""));
        assert!(response.contains("\"name\":\"Old World\""));
    }
}

#[test]
fn a_flag_takes_precedence_over_its_variable_and_an_empty_variable_is_unset() {
    let args = ["--listen", "127.0.0.1:0", "--at", "2028-02-29T12:00:00Z"];
    for first in [&["serve"][..], &[]] {
        let mut command = ghi(&[first, &args[..]].concat());
        command.env("GHI_AT", "bad").env("GHI_LISTEN", "bad").env("GHI_INPUTS", "");
        let response = Running::start(&mut command).get("v1/ghi/snapshot");
        assert!(response.contains("2028-02-29T12:00:00.000000Z"), "{response}");
    }
}

#[test]
fn the_snapshot_form_can_be_chosen() {
    let args = ["--listen", "127.0.0.1:0", "--snapshot-form", "reduced"];
    let response = Running::start(&mut ghi(&args)).get("v1/ghi/snapshot");
    assert!(
        response.contains("global_avg_cost_usd") && !response.contains("regions"),
        "{response}"
    );
}

#[test]
fn the_link_for_an_unspecified_address_works() {
    let running = Running::start(&mut ghi(&["--listen", "0.0.0.0:0"]));
    assert!(running.greeting.contains("open http://127.0.0.1:"), "{}", running.greeting);
    assert!(running.follow_link().starts_with("HTTP/1.1 200 OK\r\n"));
}

#[test]
fn a_port_in_use_is_rejected() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let message = format!(
        "cannot listen on {address}: Address already in use (os error 98); choose another address with --listen"
    );
    check_refusal(&ghi(&["--listen", &address]).output().unwrap(), &message);
}

/// Starts a server with an open listening socket, as systemd does.
fn started_with(socket: &TcpListener, count: &str) -> Command {
    let mut command = program("sh");
    let start =
        format!("exec 3<&0 </dev/null; LISTEN_FDS={count} LISTEN_PID=$$ exec \"$0\" \"$@\"");
    command.args(["-c", &start, GHI, "--workers", "2", "--drain", "0"]);
    command.stdin(Stdio::from(OwnedFd::from(socket.try_clone().unwrap())));
    command
}

#[test]
fn an_inherited_socket_outlives_the_server() {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap().to_string();
    let first = Running::start(&mut started_with(&socket, "1"));
    assert_eq!(first.address(), address);
    assert!(first.follow_link().starts_with("HTTP/1.1 200 OK\r\n"));
    assert_eq!(first.end_with("TERM").0, Some(0));
    // No server is running, and the connection waits.
    let mut waiting = TcpStream::connect(&address).unwrap();
    waiting.write_all(b"GET /healthz HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n").unwrap();
    let second = Running::start(&mut started_with(&socket, "1"));
    let mut response = String::new();
    waiting.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    assert!(second.follow_link().starts_with("HTTP/1.1 200 OK\r\n"));
    drop(second);
    let output = started_with(&socket, "2").output().unwrap();
    check_refusal(&output, "LISTEN_FDS passes 2 sockets; expected 1");
    // A TCP connection is not a listening socket.
    let connection = TcpStream::connect(&address).unwrap();
    let mut command = started_with(&socket, "1");
    command.stdin(Stdio::from(OwnedFd::from(connection)));
    let refused = command.output().unwrap();
    check_refusal(
        &refused,
        "the socket passed in LISTEN_FDS is not a listening TCP socket: the socket is not listening",
    );
}

#[test]
fn addresses_times_and_dates_have_short_forms() {
    for listen in ["0", "localhost:0", "127.0.0.1:0"] {
        let args = ["--listen", listen, "--at", "2026-11-15", "--drain", "10ms"];
        let running = Running::start(&mut ghi(&args));
        assert!(running.greeting.contains("ghi listens on 127.0.0.1:"), "{}", running.greeting);
        let response = running.get("v1/ghi/metadata");
        assert!(
            response.contains("\"timestamp_utc\":\"2026-11-15T00:00:00.000000Z\""),
            "{response}"
        );
        assert_eq!(running.end_with("TERM").0, Some(0));
    }
    let running = Running::start(&mut ghi(&["--listen", ":0"]));
    assert!(running.greeting.contains("ghi listens on 0.0.0.0:"), "{}", running.greeting);
}

#[test]
fn the_prefer_header_accepts_dates_and_full_timestamps() {
    let running = Running::start(&mut ghi(&["--listen", "0", "--at", "2028-02-29"]));
    assert!(get_preferring(&running, "at=2026-11-15T12").contains("\"2028-02-29T"));
    assert!(get_preferring(&running, "at=2026-11-15").contains("\"2026-11-15T"));
    assert!(get_preferring(&running, "at=2026-11-15T12:00:00Z").contains("\"2026-11-15T"));
}

#[test]
fn a_fast_clock_is_logged_at_start() {
    for (speed, said) in [
        ("86400", "clock=\"runs 86,400 times as fast from 2026-11-15T00:00:00.000000Z\""),
        ("1", "clock=\"runs from 2026-11-15T00:00:00.000000Z\""),
    ] {
        let args = ["--listen", "127.0.0.1:0", "--at", "2026-11-15T00:00:00Z"];
        let running = Running::start(ghi(&args).env("GHI_SPEED", speed));
        assert!(running.settings.contains(said), "{}", running.settings);
        assert!(running.get("v1/ghi/metadata").contains("\"timestamp_utc\":\"2026-"));
    }
}

#[test]
fn a_speed_without_a_start_time_is_rejected() {
    let message = "the following required arguments were not provided: --at <TIMESTAMP>";
    check_refusal(&ghi(&["serve", "--speed", "60"]).output().unwrap(), message);
    check_refusal(&ghi(&["serve"]).env("GHI_SPEED", "60").output().unwrap(), message);
}

/// Returns the response to a GET request with a preference.
fn get_preferring(running: &Running, preference: &str) -> String {
    let mut stream = TcpStream::connect(running.address()).unwrap();
    let request = format!(
        "GET /v1/ghi/network HTTP/1.1\r\nHost: x\r\nConnection: close\r\nPrefer: {preference}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

#[test]
fn scenarios_are_on_unless_switched_off() {
    let listen = ["--listen", "127.0.0.1:0"];
    let running = Running::start(&mut ghi(&listen));
    assert!(get_preferring(&running, "code=500").starts_with("HTTP/1.1 500 "));
    let running = Running::start(ghi(&listen).arg("--no-scenarios"));
    assert!(get_preferring(&running, "code=500").starts_with("HTTP/1.1 200 "));
    let running = Running::start(ghi(&listen).env("GHI_NO_SCENARIOS", "false"));
    assert!(get_preferring(&running, "code=500").starts_with("HTTP/1.1 500 "));
}

#[test]
fn chaos_is_logged_at_start() {
    let mut running = Running::start(&mut ghi(&["--listen", "127.0.0.1:0", "--chaos", "100"]));
    let line = running.next_line();
    let said = "WARN chaos: 100% of API requests fail on purpose\n";
    assert!(line.ends_with(said), "{line}");
}

#[test]
fn chaos_can_be_limited_to_a_path_of_the_api() {
    let args = ["--listen", "127.0.0.1:0", "--chaos", "100", "--chaos-path", "/v1/ghi/history/"];
    let mut running = Running::start(&mut ghi(&args));
    let line = running.next_line();
    assert!(
        line.ends_with("WARN chaos: 100% of requests for /v1/ghi/history fail on purpose\n"),
        "{line}"
    );
    assert!(running.get("v1/ghi/network").starts_with("HTTP/1.1 200 "));
    let message = "the following required arguments were not provided: --chaos <PERCENT>";
    check_refusal(&ghi(&["--chaos-path", "/v1/ghi/history"]).output().unwrap(), message);
    let message = "invalid value '/healthz' for '--chaos-path <PATH>': must be a path of the API, such as /v1/ghi/history or /v1/ghi/regions/{id}";
    check_refusal(&ghi(&["--chaos", "1", "--chaos-path", "/healthz"]).output().unwrap(), message);
}

#[test]
fn fail_flags_apply_preferences_from_the_start() {
    let flags = ["code=503, times=1", "/v1/ghi/history: code=429"];
    let listen = ["--listen", "127.0.0.1:0"];
    let mut by_flag = ghi(&listen);
    flags.iter().for_each(|flag| _ = by_flag.args(["--fail", flag]));
    let mut by_variable = ghi(&listen);
    by_variable.env("GHI_FAIL", flags.join("; "));
    for command in [&mut by_flag, &mut by_variable] {
        let mut running = Running::start(command);
        for flag in flags {
            let line = running.next_line();
            let said = format!("WARN API requests fail on purpose: {flag}\n");
            assert!(line.ends_with(&said), "{line}");
        }
        for (path, status) in [("snapshot", 503), ("snapshot", 200), ("history", 429)] {
            let answer = running.get(&format!("v1/ghi/{path}"));
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{path}: {answer}");
        }
    }
}

#[test]
fn a_fail_flag_without_effect_is_refused() {
    for (flag, reason) in [
        ("code=418", "code must be 400, 404, 429, 500, 502, 503 or 504"),
        ("code=503, times=2, key=a", "key has no effect in --fail"),
        (
            "/v1/ghi/network: break=null",
            r#"break must be "truncate", "json", "cut", "drip" or "reset"; also "extra" under /v1/ghi, "null", "missing" or "string" in documents with costs, and "gap" in a history"#,
        ),
    ] {
        let message = format!("invalid value '{flag}' for '--fail <PREFERENCES>': {reason}");
        check_refusal(&ghi(&["--fail", flag]).output().unwrap(), &message);
    }
    let message = "invalid value ' times=2' for '--fail <PREFERENCES>': times has no effect without code, break, figures or delay";
    check_refusal(&ghi(&["--fail", "code=503; times=2"]).output().unwrap(), message);
}

#[test]
fn an_unknown_variable_is_a_warning() {
    let mut command = ghi(&["--listen", "127.0.0.1:0"]);
    command.env("GHI_CHAOSS", "30").env("GHI_DRAIN", "1s").env("GHI_EMPTY", "");
    // Kubernetes sets these for a service named ghi.
    command.env("GHI_SERVICE_HOST", "10.0.0.1").env("GHI_PORT", "tcp://10.0.0.1:8000");
    let running = Running::start(&mut command);
    let said = "WARN unknown variable GHI_CHAOSS is ignored\n";
    assert!(running.greeting.ends_with(said), "{}", running.greeting);
    assert!(running.settings.contains("INFO ghi listens on"), "{}", running.settings);
}

#[test]
fn flags_limit_loopback_and_make_parameters_strict() {
    let flags = ["--rate-limit", "1", "--rate-limit-loopback", "--strict-parameters"];
    let running = Running::start(ghi(&["--listen", "127.0.0.1:0"]).args(flags));
    let statuses = ["v1/ghi/network?x=1", "v1/ghi/network", "v1/ghi/network"]
        .map(|path| running.get(path)[9..12].to_owned());
    assert_eq!(statuses, ["400", "200", "429"]);
}

#[test]
fn scenarios_are_logged_only_in_the_access_log() {
    let args = ["--listen", "127.0.0.1:0", "--log-format", "json"];
    let mut running = Running::start(ghi(&args).arg("--access-log"));
    for (preference, scenario) in
        [("code=500, delay=1", Some("request: code=500")), ("wait=1", None)]
    {
        get_preferring(&running, preference);
        let line: serde_json::Value = serde_json::from_str(&running.next_line()).unwrap();
        assert_eq!(line.get("scenario").and_then(|value| value.as_str()), scenario);
    }
    let running = Running::start(&mut ghi(&args));
    let response = get_preferring(&running, "code=500");
    assert!(response.contains("x-request-id: "), "as in a real response: {response}");
    assert_eq!(running.end_with("INT").2.lines().count(), 2, "only the lines of a shutdown");
}

#[test]
fn invalid_inputs_are_rejected_with_file_line_and_field() {
    let refuse = |name: &str, text: &[u8], message: &str| {
        let path = file(name, text);
        let path = path.to_str().unwrap();
        let output = ghi(&["--inputs", path]).output().unwrap();
        check_refusal(&output, &format!("{path:?}: {message}"));
    };
    let default = ghi_engine::DEFAULT_INPUTS;
    let line_of = |piece: &str| 1 + default[..default.find(piece).unwrap()].matches('\n').count();
    refuse(
        "malformed.toml",
        b"seed = 1,5\n",
        "line 1: cannot read `seed = 1,5`: unexpected key or value, expected newline, `#`",
    );
    refuse("latin.toml", b"# one\n# caf\xe9\n", "line 2: not UTF-8; TOML files must be UTF-8");
    refuse(
        "shares.toml",
        default.replace("hashrate_share_pct = 60.0", "hashrate_share_pct = 61.0").as_bytes(),
        &format!(
            "line {}: the hashrate_share_pct values add up to 101; expected exactly 100 (reported at the last region)",
            line_of("hashrate_share_pct = 27.0")
        ),
    );
    refuse(
        "overhead.toml",
        default.replace("overhead = 1.24", "overhead = -1.24").as_bytes(),
        &format!(
            "line {}: overhead is -1.24; expected a number from 1 to 10",
            line_of("overhead = 1.24")
        ),
    );
    for (path, why) in [
        ("no/such/file.toml", "No such file or directory (os error 2)"),
        ("/", "not a regular file of at most 6 MiB"),
        ("/dev/zero", "not a regular file of at most 6 MiB"),
    ] {
        let message = format!(
            "cannot read the inputs {path:?}: {why}; expected a TOML file, such as an edited copy of the output of `ghi inputs`"
        );
        check_refusal(&ghi(&["--inputs", path]).output().unwrap(), &message);
    }
}

#[test]
fn a_missing_field_is_reported() {
    let path = file("empty.toml", "");
    let output = ghi(&["--inputs", path.to_str().unwrap()]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    let start = format!("ghi: {path:?}: ");
    assert!(message.starts_with(&start) && message.contains("missing field `seed`"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[test]
fn an_invalid_series_is_rejected_with_file_line_and_column() {
    let series = "[series]\nnetwork = \"wrong.csv\"\nregions = \"missing.csv\"\n";
    let path = file("with_series.toml", format!("{}{series}", ghi_engine::DEFAULT_INPUTS));
    file("wrong.csv", "date,difficulty\n2024-01-01,\"73,2\"\n2024-01-01,1e14\n");
    let output = ghi(&["--inputs", path.to_str().unwrap()]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    for part in [
        "regions \"missing.csv\" cannot be read: No such file or directory",
        "wrong.csv line 2: difficulty is ",
        "wrong.csv line 3: date is ",
    ] {
        assert!(message.lines().any(|line| line.contains(part)), "{part} is not in {message}");
    }
}

/// Asserts that the command failed with short lines without control characters.
#[track_caller]
fn check_visible_refusal(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(message.ends_with('\n'));
    let steers = |char: char| char.is_control() || char == '\u{202e}';
    for line in message.lines() {
        assert!(line.starts_with("ghi: ") && line.chars().count() < 900, "{message}");
        assert!(!line.contains(steers), "{message:?}");
    }
    message
}

#[test]
fn input_in_messages_is_escaped_and_shortened() {
    let hostile = "\u{1b}[31mred\r\n\u{202e}";
    let long = "x".repeat(100_000);
    for value in [hostile, &*long] {
        for flag in ["--listen", "--inputs", "--at", "--workers", "--log-format", "--trusted-proxy"]
        {
            check_visible_refusal(&ghi(&[flag, value]).output().unwrap());
        }
        check_visible_refusal(&ghi(&[&format!("--{value}")]).output().unwrap());
        check_visible_refusal(&ghi(&[value]).output().unwrap());
        let output = ghi(&["serve"]).env("GHI_DRAIN", value).output().unwrap();
        assert!(check_visible_refusal(&output).contains("for '--drain <TIME>'"));
    }
    let field = format!("\"{hostile}{long}\" = 1", hostile = r"\u001b[31m");
    let path = file("hostile.toml", format!("{field}\n{}", ghi_engine::DEFAULT_INPUTS));
    let output = ghi(&["--inputs", path.to_str().unwrap()]).output().unwrap();
    assert!(check_visible_refusal(&output).contains("line 1: cannot read `"));
    let inputs = ghi_engine::DEFAULT_INPUTS.replacen("id = \"us\"", r#"id = "u\u001bs""#, 1);
    let path = file("hostile_id.toml", inputs);
    let output = ghi(&["--inputs", path.to_str().unwrap()]).output().unwrap();
    let message = r#"id is "u\u001bs"; expected"#;
    assert!(check_visible_refusal(&output).contains(message));
    let odd = file("odd\u{1b}[31m.toml", "seed = -1");
    let output = ghi(&["--inputs", odd.to_str().unwrap()]).output().unwrap();
    assert!(check_visible_refusal(&output).contains(r"odd\u{1b}[31m.toml"));
    let message =
        "invalid value 'Zürich' for '--log-format <FORMAT>' [possible values: text, json]";
    check_refusal(&ghi(&["--log-format", "Zürich"]).output().unwrap(), message);
}

#[test]
fn the_flags_in_the_docs_match_the_help() {
    let docs = include_str!("../../../docs/operations.md").replace('`', "");
    let rows: Vec<[&str; 3]> = docs
        .lines()
        .filter_map(|line| line.strip_prefix("| --"))
        .map(|row| {
            let cell = |index| row.split(" | ").nth(index).unwrap();
            [cell(0), cell(1), cell(2)]
        })
        .collect();
    let help = String::from_utf8(ghi(&["serve", "--help"]).output().unwrap().stdout).unwrap();
    let flags: Vec<&str> = help.split("\n      --").skip(1).collect();
    assert_eq!(rows.len(), flags.len());
    for ([flag, variable, default], help) in rows.into_iter().zip(flags) {
        let [name, value] = [0, 1].map(|index| flag.split(' ').nth(index));
        let usage =
            value.map_or(name.unwrap().into(), |value| format!("{} <{value}>", name.unwrap()));
        assert!(help.starts_with(&format!("{usage}  ")), "{usage}: {help}");
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(&format!("[env: {variable}]")), "{variable}: {help}");
        // Other defaults are descriptions of what happens without the flag.
        if let Some(rest) = help.split("[default: ").nth(1) {
            assert_eq!(rest.split(']').next(), Some(default), "{flag}");
        }
    }
}

/// A server that a proxy may use, so that it drains even while it is idle.
const DRAINING: [&str; 6] =
    ["--listen", "127.0.0.1:0", "--drain", "600", "--trusted-proxy", "127.0.0.1"];

#[test]
fn a_second_signal_exits_immediately() {
    for (first, second, code) in
        [("TERM", "TERM", 128 + 15), ("QUIT", "QUIT", 128 + 3), ("QUIT", "INT", 128 + 2)]
    {
        let mut running = Running::start(&mut ghi(&DRAINING));
        running.signal(first);
        let mut line = String::new();
        running.stderr.read_line(&mut line).unwrap();
        assert!(line.contains("shutting down"), "{line}");
        assert_eq!(running.end_with(second).0, Some(code));
    }
}

#[test]
fn sigquit_drains_and_sigint_does_not() {
    let running = Running::start(&mut ghi(&DRAINING));
    running.signal("QUIT");
    while !running.get("readyz").starts_with("HTTP/1.1 503") {}
    assert!(running.get("v1/ghi/snapshot").starts_with("HTTP/1.1 200"));
    let running = Running::start(&mut ghi(&DRAINING));
    assert_eq!(running.end_with("INT").0, Some(0));
}

#[test]
fn an_idle_server_without_a_proxy_stops_at_once() {
    let args = ["--listen", "127.0.0.1:0", "--drain", "600"];
    let running = Running::start(&mut ghi(&args));
    assert!(running.get("readyz").starts_with("HTTP/1.1 200"));
    assert_eq!(running.end_with("TERM").0, Some(0));
    // With an idle connection, it drains.
    let running = Running::start(&mut ghi(&args));
    let mut idle = BufReader::new(TcpStream::connect(running.address()).unwrap());
    get_on(&mut idle, "/readyz").unwrap();
    running.signal("TERM");
    while get_on(&mut idle, "/readyz").unwrap().0.starts_with("HTTP/1.1 200") {}
}

#[test]
fn with_watch_a_changed_series_is_reloaded() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/own-series");
    let read = |name: &str| std::fs::read_to_string(example.join(name)).unwrap();
    let text = read("inputs.toml").replace("\"network.csv\"", "\"watched.csv\"");
    let inputs = file("watched.toml", text.replace("\"regions.csv\"", "\"watched-regions.csv\""));
    let (network, regions) = (read("network.csv"), read("regions.csv"));
    file("watched-regions.csv", &regions);
    file("watched.csv", &network);
    let mut command = ghi(&["--listen", "127.0.0.1:0", "--drain", "0", "--watch"]);
    command.args(["--at", "2026-02-10", "--inputs"]).arg(&inputs);
    let mut running = Running::start(&mut command);
    let difficulty = |running: &Running| {
        let response = running.get("v1/ghi/network");
        let start = response.find("\"difficulty\":").unwrap();
        response[start..].split([',', '}']).next().unwrap().to_owned()
    };
    assert_eq!(difficulty(&running), "\"difficulty\":116100000000000.0");
    for (row, said, expected) in [
        ("2026-02-09,118e12,830,1.3,3.125,70600,\n", "INFO inputs reloaded", "118000000000000.0"),
        ("2026-02-09,119e12,830,1.3,3.125,706", "ERROR inputs not reloaded", "118000000000000.0"),
        ("2026-02-09,119e12,830,1.3,3.125,70600,\n", "INFO inputs reloaded", "119000000000000.0"),
    ] {
        file("watched.csv", network.clone() + row);
        let line = running.next_line();
        assert!(line.contains(said), "{line}");
        assert_eq!(difficulty(&running), format!("\"difficulty\":{expected}"));
    }
}

#[test]
fn sighup_reloads_the_inputs() {
    let other = ghi_engine::DEFAULT_INPUTS.replacen("\"us\"", "\"zz\"", 1);
    let inputs = file("reloaded.toml", ghi_engine::DEFAULT_INPUTS);
    let mut command = ghi(&["--listen", "127.0.0.1:0", "--drain", "0"]);
    let mut running = Running::start(command.arg("--inputs").arg(&inputs));
    let has = |running: &Running, id: &str| {
        running.get(&format!("v1/ghi/regions/{id}")).starts_with("HTTP/1.1 200")
    };
    let reload = |running: &mut Running, text: &str| {
        file("reloaded.toml", text);
        running.signal("HUP");
        running.next_line()
    };
    assert!(has(&running, "us"));
    let said = reload(&mut running, &other);
    assert!(said.contains(" INFO inputs reloaded inputs=") && said.contains("regions=3"), "{said}");
    assert!(has(&running, "zz") && !has(&running, "us"));

    let said = reload(&mut running, "no inputs");
    let refused = ghi(&["--inputs"]).arg(&inputs).output().unwrap();
    let at_start = String::from_utf8(refused.stderr).unwrap();
    let words = at_start.strip_prefix("ghi: ").unwrap().trim_end();
    assert!(said.contains(&format!("ERROR inputs not reloaded: {words}")), "{said}");
    assert!(has(&running, "zz"), "the old data is still served");
    assert!(running.get("metrics").contains("ghi_inputs_last_reload_successful 0\n"));

    let said = reload(&mut running, ghi_engine::DEFAULT_INPUTS);
    assert!(said.contains(" INFO inputs reloaded "), "{said}");
    assert!(has(&running, "us"));
    assert!(running.get("metrics").contains("ghi_inputs_last_reload_successful 1\n"));
    let (code, _, stderr) = running.end_with("TERM");
    assert_eq!((code, stderr.lines().count()), (Some(0), 2), "{stderr}");
}

#[test]
fn probable_mistakes_in_the_inputs_are_logged_at_start_and_at_reload() {
    let prices = "low = 0.0425, mean = 0.0485, high = 0.055";
    let slip = ghi_engine::DEFAULT_INPUTS.replace(prices, "low = 4.8, mean = 5.5, high = 6.2");
    let inputs = file("slip.toml", &slip);
    let mut command = ghi(&["--listen", "127.0.0.1:0", "--drain", "0"]);
    let mut running = Running::start(command.arg("--inputs").arg(&inputs));
    let warning =
        " WARN inputs: region \"us\": electricity costs 4.8 on line 156 of the inputs file";
    let said = running.next_line();
    assert!(said.contains(warning), "{said}");
    running.signal("HUP");
    let said = running.next_line();
    assert!(said.contains(" INFO inputs reloaded ") && said.contains("fingerprint="), "{said}");
    let said = running.next_line();
    assert!(said.contains(warning), "{said}");
}

#[test]
fn sighup_without_inputs_changes_nothing() {
    let mut running = Running::start(&mut ghi(&["--listen", "127.0.0.1:0", "--drain", "0"]));
    for _ in 0..3 {
        running.signal("HUP");
        let said = running.next_line();
        assert!(said.contains(" INFO nothing to reload: the inputs are built in"), "{said}");
        assert!(running.get("readyz").starts_with("HTTP/1.1 200"));
    }
    let (code, _, stderr) = running.end_with("TERM");
    assert_eq!((code, stderr.lines().count()), (Some(0), 2), "{stderr}");
}

#[test]
fn sighup_while_draining_changes_nothing() {
    let inputs = file("drained.toml", ghi_engine::DEFAULT_INPUTS);
    let mut command = ghi(&["--listen", "127.0.0.1:0", "--drain", "2"]);
    command.args(["--trusted-proxy", "127.0.0.1"]);
    let mut running = Running::start(command.arg("--inputs").arg(&inputs));
    running.signal("TERM");
    let said = running.next_line();
    assert!(said.contains("shutting down"), "{said}");
    file("drained.toml", "no inputs");
    running.signal("HUP");
    let (code, _, stderr) = running.wait_for_end();
    assert_eq!(code, Some(0));
    assert!(stderr.lines().count() == 1 && stderr.contains("stopped"), "{stderr}");
}

#[test]
fn a_closed_stderr_does_not_stop_the_server() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let refused = ghi(&["--bad"]).stderr(full()).status().unwrap();
    assert_eq!(refused.code(), Some(2));
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let mut child = ghi(&["--listen", &port]).stderr(full()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    while TcpStream::connect(&port).is_err() {
        assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none());
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_connection_limit_above_the_open_file_limit_is_rejected() {
    for flag in ["--max-connections", "--workers"] {
        let message = check_visible_refusal(&ghi(&[flag, "999999999"]).output().unwrap());
        assert!(message.starts_with("ghi: the limit of "), "{message}");
        assert!(message.ends_with("or lower --workers or --max-connections\n"), "{message}");
    }
}

#[test]
fn an_unread_log_does_not_stop_the_server() {
    let mut command = ghi(&["--listen", "127.0.0.1:0", "--workers", "1"]);
    let running = Running::start(command.env("GHI_ACCESS_LOG", "1"));
    let mut stream = BufReader::new(TcpStream::connect(running.address()).unwrap());
    // More lines than fit into a pipe.
    for _ in 0..2_000 {
        assert!(get_on(&mut stream, "/healthz").unwrap().1);
    }
    running.signal("INT");
    running.signal("INT");
    assert!(running.wait().is_some());
}

#[test]
fn dropped_log_lines_are_counted_and_reported() {
    let args = ["--listen", "127.0.0.1:0", "--workers", "1", "--access-log"];
    let mut running = Running::start(&mut ghi(&args));
    let mut stream = BufReader::new(TcpStream::connect(running.address()).unwrap());
    let count_dropped = || {
        let metrics = running.get("metrics");
        let mut lines = metrics.lines();
        let count = lines.find_map(|line| line.strip_prefix("ghi_log_lines_dropped_total "));
        count.unwrap().parse::<u64>().unwrap()
    };
    // The log is not read until it is full.
    while count_dropped() == 0 {
        for _ in 0..500 {
            get_on(&mut stream, "/healthz").unwrap();
        }
    }
    let mut warning = String::new();
    while !warning.contains("WARN dropped log lines: stderr is too slow lines=") {
        warning = running.next_line();
        assert!(!warning.is_empty(), "no warning");
    }
}

#[test]
fn the_access_log_has_one_parseable_line_per_request_whatever_clients_send() {
    let args = ["--listen", "127.0.0.1:0", "--access-log", "--log-format", "json"];
    let mut running = Running::start(&mut ghi(&args));
    let greeting: serde_json::Value = serde_json::from_str(&running.greeting).unwrap();
    assert_eq!(greeting["level"], "INFO");
    let long = "a".repeat(12 * 1024);
    let agents: [&[u8]; 7] = [
        b"curl/8",
        b"\x1b[31mred\x1b[0m",
        "line\u{2028}separator".as_bytes(),
        b"quote\" backslash\\",
        b"latin \xe9",
        b"tab\tbed",
        long.as_bytes(),
    ];
    for agent in agents {
        let mut stream = TcpStream::connect(running.address()).unwrap();
        stream.write_all(b"GET /v1/ghi/snapshot?%0d%0a HTTP/1.1\r\nHost: x\r\n").unwrap();
        stream.write_all(b"Connection: close\r\nUser-Agent: ").unwrap();
        stream.write_all(agent).unwrap();
        stream.write_all(b"\r\n\r\n").unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).unwrap();
        let response = String::from_utf8(response).unwrap();
        if !response.starts_with("HTTP/1.1 200") {
            // Escape characters are not allowed in a header, so there is no request and no line.
            assert!(response.starts_with("HTTP/1.1 400"), "{response}");
            continue;
        }
        let mut line = String::new();
        running.stderr.read_line(&mut line).unwrap();
        assert!(line.len() < 2000 && line.trim_end().bytes().all(|byte| (32..127).contains(&byte)));
        let line: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!((&line["status"], &line["method"]), (&200.into(), &"GET".into()));
        assert_eq!(line["target"], "/v1/ghi/snapshot?%0d%0a");
        assert_eq!(line["client"], "127.0.0.1");
        let id = line["request_id"].as_str().unwrap();
        assert!(response.contains(&format!("x-request-id: {id}\r\n")), "{response}");
    }
}

#[test]
fn the_access_log_has_the_request_id_and_the_trace_id() {
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let args = ["--listen", "127.0.0.1:0", "--access-log", "--log-format", "json"];
    let mut running = Running::start(&mut ghi(&args));
    for (headers, id, traceparent) in [
        (
            format!("X-Request-Id: order-66\r\ntraceparent: {trace}\r\n"),
            Some("order-66"),
            Some(trace),
        ),
        ("X-Request-Id: a b\r\ntraceparent: 00-1-2-3\r\n".to_owned(), None, None),
    ] {
        let mut stream = TcpStream::connect(running.address()).unwrap();
        let request =
            format!("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        let mut line = String::new();
        running.stderr.read_line(&mut line).unwrap();
        let line: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(line.get("traceparent").and_then(|value| value.as_str()), traceparent);
        let logged = line["request_id"].as_str().unwrap();
        assert!(response.contains(&format!("x-request-id: {logged}\r\n")), "{response}");
        match id {
            Some(id) => assert_eq!(logged, id),
            // Generated by the server.
            None => assert!(logged.len() == 16 && !response.contains("traceparent"), "{response}"),
        }
    }
}

#[test]
fn without_the_access_log_requests_are_not_logged() {
    let running = Running::start(&mut ghi(&["--listen", "127.0.0.1:0"]));
    assert!(!running.follow_link().contains("x-request-id"));
    let (_, _, stderr) = running.end_with("INT");
    assert_eq!(stderr.lines().count(), 2, "{stderr}");
}

/// Returns the response on a persistent connection, and whether the connection stays open.
fn get_on(stream: &mut BufReader<TcpStream>, path: &str) -> std::io::Result<(String, bool)> {
    // In one write: the second of two would wait for the acknowledgement of the first.
    let request = format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n");
    stream.get_mut().write_all(request.as_bytes())?;
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
    stream.read_exact(&mut vec![0; length.unwrap().parse().unwrap()])?;
    let stays = !head.contains("connection: close");
    Ok((head, stays))
}

#[test]
fn sigterm_under_load_loses_no_request() {
    let args = ["--listen", "127.0.0.1:0", "--drain", "1", "--probe-listen", "127.0.0.1:0"];
    let running = Running::start(&mut ghi(&args));
    let address = running.address().to_owned();
    let answered = AtomicU64::new(0);
    let signalled = OnceLock::new();
    let has_drained = |signalled: &Instant| signalled.elapsed() >= Duration::from_secs(1);
    let (code, unready) = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    // Until the server no longer accepts connections.
                    while let Ok(stream) = TcpStream::connect(&address) {
                        let mut stream = BufReader::new(stream);
                        loop {
                            match get_on(&mut stream, "/v1/ghi/snapshot") {
                                Ok((head, stays)) => {
                                    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
                                    answered.fetch_add(1, Ordering::Relaxed);
                                    if !stays {
                                        break;
                                    }
                                }
                                // Accepted by the kernel, but no longer by the server. A load balancer
                                // that checks readiness stops connecting long before.
                                Err(_) if signalled.get().is_some_and(has_drained) => return,
                                Err(error) => panic!("{error}"),
                            }
                        }
                    }
                })
            })
            .collect();
        while answered.load(Ordering::Relaxed) < 1000 {
            std::thread::yield_now();
        }
        signalled.set(Instant::now()).unwrap();
        running.signal("TERM");
        let mut unready = String::new();
        while !unready.starts_with("HTTP/1.1 503") {
            unready = running.get("readyz");
        }
        let code = running.wait();
        assert!(has_drained(signalled.get().unwrap()), "it exited before the drain ended");
        clients.into_iter().for_each(|client| client.join().unwrap());
        (code, unready)
    });
    assert_eq!(code, Some(0));
    assert!(unready.contains("\"code\":\"draining\""), "{unready}");
}

#[test]
fn the_server_survives_more_connections_than_descriptors() {
    // 80 descriptors, of which 48 are reserved.
    let script = "ulimit -n 80; exec \"$0\" --listen 127.0.0.1:0 --workers 2";
    let mut command = program("sh");
    command.args(["-c", script, GHI]).stdin(Stdio::null());
    let running = Running::start(&mut command);
    let crowd: Vec<TcpStream> =
        (0..200).map(|_| TcpStream::connect(running.address()).unwrap()).collect();
    drop(crowd);
    let released = Instant::now();
    assert!(running.follow_link().starts_with("HTTP/1.1 200"));
    assert!(released.elapsed() < Duration::from_secs(2), "{:?}", released.elapsed());
    let (code, _, stderr) = running.end_with("INT");
    assert_eq!((code, stderr.lines().count()), (Some(0), 2), "{stderr}");
}

/// Runs the command with a limit set by the shell.
fn limited(limit: &str, args: &[&str]) -> Command {
    let mut command = program("sh");
    let script = format!("ulimit {limit}; exec \"$0\" \"$@\"");
    command.args(["-c", &script, GHI]).args(args).stdin(Stdio::null());
    command
}

/// Returns whether two workers serve under a limit. If not, the process must print one line, unless the
/// system cannot even load the program.
#[track_caller]
fn serves_within(limit: &str) -> bool {
    if !limited(limit, &["--version"]).output().unwrap().status.success() {
        return false;
    }
    let args = ["--listen", "127.0.0.1:0", "--workers", "2"];
    let running = Running::start(&mut limited(limit, &args));
    if running.greeting.contains("ghi listens on") {
        assert!(running.follow_link().starts_with("HTTP/1.1 200"), "{limit}");
        assert_eq!(running.end_with("INT").0, Some(0), "{limit}");
        return true;
    }
    let greeting = running.greeting.clone();
    let (code, _, rest) = running.wait_for_end();
    assert!(greeting.starts_with("ghi: ") && rest.is_empty(), "{limit}: {greeting}{rest}");
    assert_eq!(code, Some(2), "{limit}: {greeting}");
    false
}

#[test]
fn too_few_descriptors_at_start_print_one_line() {
    let served: Vec<bool> = (3..60).map(|limit| serves_within(&format!("-n {limit}"))).collect();
    assert!(!served[0] && served[served.len() - 1], "{served:?}");
    // The limit is high enough, but too many descriptors are open already.
    for open in 45..60 {
        let script = format!(
            "ulimit -n 60; n=3; while [ $n -lt {open} ]; do eval \"exec $n</dev/null\"; n=$((n+1)); done; \
             exec \"$0\" --listen 127.0.0.1:0 --workers 2"
        );
        let mut command = program("bash");
        command.args(["-c", &script, GHI]).stdin(Stdio::null());
        let output = command.output().unwrap();
        assert!(check_visible_refusal(&output).starts_with("ghi: cannot "), "{open} are open");
    }
}

#[test]
fn a_failed_thread_at_start_prints_one_line() {
    // A stack larger than any memory, so that no thread can start.
    let mut command = ghi(&["--listen", "127.0.0.1:0"]);
    let output = command.env("RUST_MIN_STACK", (1_u64 << 50).to_string()).output().unwrap();
    let message = "cannot start: Resource temporarily unavailable (os error 11)";
    check_refusal(&output, message);
}

#[test]
fn the_process_does_not_replace_itself_at_start() {
    let running = Running::start(&mut ghi(&["--listen", "127.0.0.1:0"]));
    let environment = std::fs::read(format!("/proc/{}/environ", running.child.id())).unwrap();
    assert!(!String::from_utf8_lossy(&environment).contains("MIMALLOC_PURGE_DELAY"));
}

/// Returns whether a process handles a signal, according to the kernel.
fn handles(process: &Child, signal: Signal) -> bool {
    let status = format!("/proc/{}/status", process.id());
    let status = std::fs::read_to_string(status).unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:\t")).unwrap();
    u64::from_str_radix(mask, 16).unwrap() >> (signal.as_raw() - 1) & 1 == 1
}

/// Connects to a server until it exits or accepts the connection. It must respond on an accepted connection.
fn connect_until_end(address: &str, is_connected: &AtomicBool, has_ended: &AtomicBool) {
    while !has_ended.load(Ordering::Relaxed) {
        let Ok(mut stream) = TcpStream::connect(address) else { continue };
        // The client may get the same port and connect to itself.
        if stream.local_addr().unwrap() == stream.peer_addr().unwrap() {
            continue;
        }
        is_connected.store(true, Ordering::Relaxed);
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
        return;
    }
}

/// A process that is killed when the test ends.
struct Ending<'a>(Child, &'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
        self.1.store(true, Ordering::Relaxed);
    }
}

/// Sends a signal to a server some time after it first handles signals, while a client keeps connecting from
/// the start of the process.
fn signal_during_start(flags: &[&str], signal: Signal, after: Duration) {
    // Other tests use 127.0.0.1, and one of their servers could get the same port.
    let address = TcpListener::bind("127.0.0.2:0").unwrap().local_addr().unwrap().to_string();
    let mut command = ghi(&["--listen", &address, "--drain", "300ms"]);
    command.args(["--trusted-proxy", "127.0.0.1"]).args(flags).stderr(Stdio::piped());
    let (is_connected, has_ended) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| connect_until_end(&address, &is_connected, &has_ended));
        let mut ending = Ending(command.spawn().unwrap(), &has_ended);
        let process = &mut ending.0;
        loop {
            let was_connected = is_connected.load(Ordering::Relaxed);
            if handles(process, signal) {
                break;
            }
            assert!(!was_connected, "it accepts connections before it handles {signal:?}");
        }
        std::thread::sleep(after);
        kill_process(Pid::from_child(process), signal).unwrap();
        let mut stderr = BufReader::new(process.stderr.take().unwrap());
        if signal == Signal::HUP {
            let mut lines = (&mut stderr).lines().map_while(Result::ok);
            assert!(lines.any(|line| line.contains("inputs reloaded")), "HUP after {after:?}");
            kill_process(Pid::from_child(process), Signal::TERM).unwrap();
        }
        let mut rest = String::new();
        stderr.read_to_string(&mut rest).unwrap();
        assert_eq!(process.wait().unwrap().code(), Some(0), "{signal:?} after {after:?}: {rest}");
    });
}

/// Sends each signal to servers at different times during their start.
fn check_signals_during_start(name: &str, inputs: &str, moments: u32) {
    let inputs = file(name, inputs);
    let flags = ["--inputs", inputs.to_str().unwrap()];
    let started = Instant::now();
    let running = Running::start(ghi(&["--listen", "127.0.0.1:0"]).args(flags));
    let start = started.elapsed();
    drop(running);
    std::thread::scope(|scope| {
        for signal in [Signal::TERM, Signal::QUIT, Signal::HUP] {
            scope.spawn(move || {
                for moment in 0..moments {
                    signal_during_start(&flags, signal, start * moment / moments);
                }
            });
        }
    });
}

#[test]
fn a_signal_at_any_time_during_start_exits_or_reloads_cleanly() {
    check_signals_during_start("started_often.toml", ghi_engine::DEFAULT_INPUTS, 12);
}

/// Writes inputs with a long series, which takes a debug build about a second to read. Returns their text.
fn slow_inputs() -> String {
    static WRITTEN: Once = Once::new();
    let days = if cfg!(debug_assertions) { 20_000 } else { 200_000 };
    let rows = (0..days).map(|day| {
        let date = jiff::civil::date(1500, 1, 1).saturating_add(jiff::Span::new().days(day));
        format!("{date},1e14\n")
    });
    WRITTEN.call_once(|| {
        file("slow.csv", "date,difficulty\n".to_owned() + &rows.collect::<String>());
    });
    let series = "[series]\nnetwork = \"slow.csv\"\nvalid_days = 3660\n\n[[region]]";
    ghi_engine::DEFAULT_INPUTS.replacen("[[region]]", series, 1)
}

#[test]
fn a_signal_at_any_time_during_a_long_start_exits_or_reloads_cleanly() {
    check_signals_during_start("started_slowly.toml", &slow_inputs(), 4);
}

/// Waits until a process has a thread of this name.
fn wait_for_thread(process: &Child, name: &str) {
    let deadline = Instant::now() + Duration::from_secs(60);
    let threads = format!("/proc/{}/task", process.id());
    loop {
        let mut threads = std::fs::read_dir(&threads).unwrap().map_while(Result::ok);
        let name_of = |path: PathBuf| std::fs::read_to_string(path.join("comm"));
        if threads.any(|thread| name_of(thread.path()).is_ok_and(|is| is.trim_end() == name)) {
            return;
        }
        assert!(Instant::now() < deadline, "no thread is named {name}");
    }
}

#[test]
fn reading_the_inputs_delays_no_signal() {
    let inputs = file("read_slowly.toml", slow_inputs());
    let mut command = ghi(&DRAINING);
    command.arg("--inputs").arg(&inputs);
    let is_ended = AtomicBool::new(false);
    let mut starting = Ending(command.stderr(Stdio::piped()).spawn().unwrap(), &is_ended);
    wait_for_thread(&starting.0, "inputs");
    kill_process(Pid::from_child(&starting.0), Signal::TERM).unwrap();
    let mut said = String::new();
    starting.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.ends_with(" INFO stopped before accepting connections\n"), "{said}");
    assert_eq!(starting.0.wait().unwrap().code(), Some(0));

    let mut running = Running::start(&mut command);
    running.signal("HUP");
    wait_for_thread(&running.child, "reload");
    running.signal("TERM");
    // Before it, the log may have a warning about the inputs.
    let said = [running.next_line(), running.next_line()].concat();
    assert!(said.contains("shutting down") && !said.contains("reloaded"), "{said}");
    let (code, _, said) = running.end_with("TERM");
    assert_eq!(code, Some(128 + 15));
    assert!(!said.contains("reloaded"), "{said}");
}
