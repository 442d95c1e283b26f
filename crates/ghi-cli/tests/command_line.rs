//! Invalid command lines: one line on stderr and exit code 2.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

use expect_test::{Expect, expect};

use program::{GHI, program};

mod program;

/// Runs the command, which must fail. Returns its message.
#[track_caller]
fn refused<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> String {
    let mut command = program(GHI);
    let output = command.args(args).stdin(Stdio::null()).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

#[test]
fn mistakes_get_one_line() {
    let check = |line: &str, expected: Expect| {
        expected.assert_eq(&refused(line.split_whitespace()));
    };
    check(
        "--port many",
        expect![[r#"
            ghi: invalid value 'many' for '--port', which means '--listen': must be a port, or an IP address or localhost with a port, such as 8000, localhost:8000 or [::1]:8000
        "#]],
    );
    check(
        "--host 0.0.0.0",
        expect![[r#"
            ghi: invalid value '0.0.0.0' for '--host', which means '--listen': must be a port, or an IP address or localhost with a port, such as 8000, localhost:8000 or [::1]:8000
        "#]],
    );
    for line in ["--host 0.0.0.0:8000 --port 9000", "--host=localhost:8000 --port=9000"] {
        check(
            line,
            expect![[r#"
                ghi: --host and --port mean the same; use '--listen' once, with an address and a port, such as '--listen 0.0.0.0:8000'
            "#]],
        );
    }
    check(
        "--watch",
        expect![[r#"
            ghi: --watch needs --inputs, the file to watch
        "#]],
    );
    for document in ["curve", "economics", "history"] {
        let message = refused([document]);
        let expected = format!(
            "ghi: unrecognized subcommand '{document}'; tip: a similar subcommand exists: 'show {document}'\n"
        );
        assert_eq!(message, expected);
    }
    check(
        "--lisen 8000",
        expect![[r#"
        ghi: unexpected argument '--lisen' found; tip: a similar argument exists: '--listen'
    "#]],
    );
    check(
        "--foo",
        expect![[r#"
            ghi: unexpected argument '--foo' found
        "#]],
    );
    check(
        "serve 8000",
        expect![[r#"
        ghi: unexpected argument '8000' found
    "#]],
    );
    check(
        "frobnicate",
        expect![[r#"
        ghi: unrecognized subcommand 'frobnicate'
    "#]],
    );
    check(
        "check 127.0.0.1:8631",
        expect![[r#"
        ghi: invalid value '127.0.0.1:8631' for '<BASE_URL>': must start with http:// or https:// and have no user name, query string or fragment, such as http://127.0.0.1:8000
    "#]],
    );
    check(
        "srve",
        expect![[r#"
        ghi: unrecognized subcommand 'srve'; tip: a similar subcommand exists: 'serve'
    "#]],
    );
    check(
        "show",
        expect![[r#"
            ghi: 'ghi show' requires a subcommand but one was not provided [subcommands: snapshot, regions, region, history, network, forecast, curve, economics, indicator, metadata]
        "#]],
    );
    check(
        "show us",
        expect![[r#"
            ghi: unrecognized subcommand 'us'
        "#]],
    );
    check(
        "show hist",
        expect![[r#"
        ghi: unrecognized subcommand 'hist'; tip: a similar subcommand exists: 'history'
    "#]],
    );
    check(
        "show history us",
        expect![[r#"
            ghi: unexpected argument 'us' found
        "#]],
    );
    check(
        "show forecast 30",
        expect![[r#"
            ghi: unexpected argument '30' found
        "#]],
    );
    check(
        "show region",
        expect![[r#"
            ghi: the following required arguments were not provided: <ID>
        "#]],
    );
    check(
        "show snapshot --url localhost:8000",
        expect![[r#"
            ghi: --url must start with http:// or https:// and have no user name, query string or fragment, such as http://127.0.0.1:8000
        "#]],
    );
    check(
        "check localhost:8000",
        expect![[r#"
            ghi: invalid value 'localhost:8000' for '<BASE_URL>': must start with http:// or https:// and have no user name, query string or fragment, such as http://127.0.0.1:8000
        "#]],
    );
    check(
        "--listen",
        expect![[r#"
        ghi: a value is required for '--listen <ADDR>' but none was supplied
    "#]],
    );
    check(
        "--drain soon",
        expect![[r#"
            ghi: invalid value 'soon' for '--drain <TIME>': must be a time from 0s to 24h, such as 5s, 500ms or 1m; a plain number means seconds
        "#]],
    );
    check(
        "--snapshot-form ful",
        expect![[r#"
        ghi: invalid value 'ful' for '--snapshot-form <FORM>' [possible values: full, reduced]; tip: a similar value exists: 'full'
    "#]],
    );
    check(
        "explain --format xml",
        expect![[r#"
        ghi: invalid value 'xml' for '--format <FORMAT>' [possible values: table, json, csv]
    "#]],
    );
    check(
        "man frobnicate",
        expect![[r#"
            ghi: no such command: ghi frobnicate
        "#]],
    );
}

#[test]
fn arguments_that_are_not_utf_8_are_rejected() {
    for args in [&[&b"--at"[..], b"\xff"][..], &[b"--\xff"], &[b"\xff"], &[b"--inputs", b"\xff"]] {
        refused(args.iter().map(|arg| OsStr::from_bytes(arg)));
    }
}
