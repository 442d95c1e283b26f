//! What people type who slip, or who know other programs: one sentence, and exit code 2.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

use expect_test::{Expect, ExpectFile, expect, expect_file};

/// What the command says of a mistake.
#[track_caller]
fn said(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    for word in ["digit found", "Error", "u16", "u32", "usize", "::<", "\u{1b}"] {
        assert!(!message.contains(word), "{message}");
    }
    message
}

fn ghi() -> Command {
    Command::new(env!("CARGO_BIN_EXE_ghi"))
}

/// The lines, each as one types it behind `ghi`, with what is said of it.
#[track_caller]
fn check(lines: &[&str], expected: ExpectFile) {
    let mut text = String::new();
    for line in lines {
        // Quotes as in a shell, around a word that is empty or has spaces.
        let mut words = Vec::new();
        for (index, part) in line.split('"').enumerate() {
            if index % 2 == 1 { words.push(part) } else { words.extend(part.split_whitespace()) }
        }
        writeln!(text, "$ ghi {line}\n{}", said(ghi().args(words))).unwrap();
    }
    expected.assert_eq(&text);
}

#[test]
fn words_of_other_programs() {
    let lines = [
        "--port 9000",
        "--port=9000",
        "-p 9000",
        "-p9000",
        "--host 0.0.0.0",
        "--host 0.0.0.0 --port 9000",
        "--bind ::1",
        "--address 0.0.0.0:80",
        "--host example.org",
        "--config my.toml",
        "--date 2026-11-15",
        "--url https://example.org",
        "--threads 4",
        "--timeout 30",
        "--verbose",
        "--log-level debug",
        "--json",
        "explain --at 2026-11-15",
        "explain --output json",
        "explain --json",
        "explain --region us",
        "explain --config my.toml",
        "show history --region-id us",
        "show history --since 2026-11-01",
        "show region --id us",
        "show forecast --horizon 30",
        "show snapshot --date 2026-11-15",
        "show snapshot --host http://127.0.0.1:8000",
        "show regions --chart",
        "show snapshot --json",
        "show us",
        "show us --url http://127.0.0.1:8000",
        "show history us",
        "show history global",
        "show history 2026-11-01",
        "show forecast 30",
        "show snapshot http://127.0.0.1:8000",
        "explain us 2026-11-15",
        "check --url http://127.0.0.1:8000",
        "check --output junit",
        "mcp --port 9000",
        "start",
        "run",
        "snapshot",
        "get",
        "test",
        "version",
        "swagger",
        "8000",
        ":8000",
        "my.toml",
        "serve 8000",
    ];
    check(&lines, expect_file!["mistakes/words_of_other_programs.txt"]);
}

#[test]
fn slips() {
    let lines = [
        "--lisen 8000",
        "--snapshot_form full",
        "--foo",
        "-x",
        "-",
        "--format json",
        "srve",
        "explian",
        "frobnicate",
        "\"\"",
        "help frobnicate",
        "serve foo",
        "--listen 8000 explain us",
        "explain us eu",
        "sho",
        "show",
        "show hist",
        "show region",
        "show --from 2026-11-01",
        "check",
        "check localhost",
        "mcp now",
        "explain atlantis",
        "--listen",
        "--listen 1 --listen 2",
        "--access-log=maybe",
        "openapi --oas",
        "openapi --oas 2.0",
        "completions",
        "completions csh",
        "man frobnicate",
        "man serve frobnicate",
    ];
    check(&lines, expect_file!["mistakes/slips.txt"]);
}

#[test]
fn values() {
    let flags: &[(&str, &[&str])] = &[
        ("--listen", &["::1", "127.0.0.1", "127.0.0.1:65536", "localhost", "example.org:80"]),
        ("--probe-listen", &["x"]),
        ("--public-url", &["example.org"]),
        ("--trusted-proxy", &["nginx", "10.0.0.0/64"]),
        ("--drain", &["soon", "-5", "-5s", "1.5", "25h", "99999999999999999999"]),
        ("--idle-timeout", &["0", "-1", "500ms"]),
        ("--at", &["now", "2026-11-31", "2026-11-15T12:00:00+01:00", "1969-12-31", "1763164800"]),
        ("--speed", &["0", "-1", "fast", "86401"]),
        ("--snapshot-form", &["ful", "minimal"]),
        ("--chaos", &["10%", "101", "-1", "0.5"]),
        ("--rate-limit", &["-1", "unlimited", "99999999999999999999"]),
        ("--max-connections", &["0", "-1", "1e6"]),
        ("--workers", &["0", "-1", "auto", "1.5"]),
        ("--log-format", &["xml"]),
        ("show snapshot --at", &["noon"]),
        ("show snapshot --url", &["x", "ftp://example.org"]),
        ("show forecast --days", &["0", "-1", "week"]),
        ("show history --from", &["monday"]),
        ("check http://127.0.0.1:1 --rate", &["0", "-1", "fast"]),
        ("check http://127.0.0.1:1 --timeout", &["0", "-1", "soon"]),
        ("check http://127.0.0.1:1 --format", &["xml"]),
        ("explain --date", &["today", "2026-02-30"]),
        ("explain --format", &["xml"]),
    ];
    let all = |(flag, values): &(&str, &[&str])| {
        let empty = format!("{flag} \"\"");
        values.iter().map(|value| format!("{flag} {value}")).chain([empty]).collect::<Vec<_>>()
    };
    let lines: Vec<String> = flags.iter().flat_map(all).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    check(&lines, expect_file!["mistakes/values.txt"]);
}

#[test]
fn a_message_names_the_variable_that_a_value_came_from() {
    let check = |variable: &str, value: &[u8], args: &[&str], expected: Expect| {
        let said = said(ghi().args(args).env(variable, OsStr::from_bytes(value)));
        expected.assert_eq(&said);
    };
    check(
        "GHI_DRAIN",
        b"soon",
        &[],
        expect![[r#"
        ghi: invalid value 'soon' for '--drain <TIME>', from the variable GHI_DRAIN: must be a time such as 5s, 500ms or 1m, up to 24h; a number alone counts seconds
    "#]],
    );
    check(
        "GHI_LOG_FORMAT",
        b"xml",
        &["serve"],
        expect![[r#"
        ghi: invalid value 'xml' for '--log-format <FORMAT>', from the variable GHI_LOG_FORMAT; it takes text or json
    "#]],
    );
    check(
        "GHI_AT",
        b"noon",
        &["show", "network"],
        expect![[r#"
        ghi: invalid value 'noon' for '--at <TIMESTAMP>', from the variable GHI_AT: must be a UTC time such as 2026-11-15T12:00:00Z, or a day such as 2026-11-15, from 1970-01-01 to 9999-12-31
    "#]],
    );
    // The flag whose name begins like that of the variable is another one.
    check(
        "GHI_RATE_LIMIT",
        b"x",
        &["--rate-limit-loopback"],
        expect![[r#"
        ghi: invalid value 'x' for '--rate-limit <N>', from the variable GHI_RATE_LIMIT: must be a whole number from 0 to 1000000, requests per second; 0 is no limit
    "#]],
    );
    check(
        "GHI_AT",
        b"\xff",
        &[],
        expect![[r#"
        ghi: the value of the variable GHI_AT is not UTF-8
    "#]],
    );
    check(
        "GHI_NO_SCENARIOS",
        b"maybe",
        &[],
        expect![[r#"
        ghi: invalid value 'maybe' for '--no-scenarios', from the variable GHI_NO_SCENARIOS: must be true or false, yes or no, on or off, 1 or 0
    "#]],
    );
    check(
        "GHI_AT",
        b"2026-11-15",
        &["--drain", "x"],
        expect![[r#"
        ghi: invalid value 'x' for '--drain <TIME>': must be a time such as 5s, 500ms or 1m, up to 24h; a number alone counts seconds
    "#]],
    );
}

#[test]
fn what_is_not_utf_8_is_refused_in_a_visible_way() {
    for (args, expected) in [
        (&[&b"--at"[..], b"\xff"][..], "\"\\xFF\" is not UTF-8"),
        (&[b"--\xff"], "there is no --\u{fffd}"),
        (&[b"\xff"], "there is no command '\u{fffd}'"),
        (&[b"--inputs", b"\xff"], "cannot read the inputs \"\\xFF\""),
    ] {
        let said = said(ghi().args(args.iter().map(|arg| OsStr::from_bytes(arg))));
        assert!(said.starts_with(&format!("ghi: {expected}")), "{said}");
    }
}
