//! What `ghi` says of itself, as people read it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::process::{Command, Stdio};

use expect_test::{ExpectFile, expect_file};

/// What a command prints to a reader that is no terminal and 100 columns wide.
fn printed(args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ghi"));
    command.args(args).env("COLUMNS", "100").env("GHI_DRAIN", "7").stdin(Stdio::null());
    let output = command.output().unwrap();
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The commands that help lists.
fn commands() -> Vec<String> {
    let help = printed(&["--help"]);
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    list.lines().map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

#[track_caller]
fn check(args: &[&str], expected: ExpectFile) {
    let text = printed(args);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    expected.assert_eq(&text);
}

#[test]
fn help_of_ghi() {
    check(&["--help"], expect_file!["help/ghi.txt"]);
    assert_eq!(printed(&["-h"]), printed(&["--help"]));
    assert_eq!(printed(&["help"]), printed(&["--help"]));
}

#[test]
fn help_of_each_command() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/help");
    for command in commands().iter().filter(|command| *command != "help") {
        check(&[command, "--help"], expect_file![format!("{folder}/{command}.txt")]);
        assert_eq!(printed(&["help", command]), printed(&[command, "--help"]));
    }
}

#[test]
fn help_of_serve_is_short_enough_to_be_read_at_once() {
    assert_eq!(printed(&["serve", "-h"]), printed(&["serve", "--help"]));
    assert!(printed(&["serve", "--help"]).lines().count() < 90);
}

#[test]
fn version() {
    let expected = format!("ghi {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!([printed(&["--version"]), printed(&["-V"])], [&*expected, &*expected]);
}

#[test]
fn each_command_has_a_manual_page() {
    let page = printed(&["man"]);
    expect_file!["help/ghi.1"].assert_eq(&page.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    for command in commands().iter().filter(|command| *command != "help") {
        let name = format!("ghi-{command}(1)").replace('-', r"\-");
        assert!(page.contains(&name), "{name}: {page}");
        let title = format!(".TH ghi-{command} 1 ");
        let page = printed(&["man", command]);
        assert!(page.contains(&title), "{title}: {page}");
    }
}

/// The words that bash offers where the last of these is to be completed.
fn completed_by_bash(words: &[&str]) -> Option<Vec<String>> {
    let script = r#"
        source <("$0" completions bash)
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _ghi ghi "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}""#;
    let mut command = Command::new("bash");
    command.args(["--norc", "-c", script, env!("CARGO_BIN_EXE_ghi")]).args(words);
    let output = command.output().ok()?;
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect())
}

#[test]
fn bash_completes_commands_flags_and_values() {
    for (words, expected) in [
        (&["ghi", "exp"][..], &["explain"][..]),
        (&["ghi", "serve", "--list"], &["--listen"]),
        (&["ghi", "--list"], &["--listen"]),
        (&["ghi", "explain", "--format", "c"], &["csv"]),
        (&["ghi", "completions", "z"], &["zsh"]),
    ] {
        // Where there is no bash, nothing is completed by it.
        if let Some(completed) = completed_by_bash(words) {
            assert_eq!(completed, expected, "{words:?}");
        }
    }
}

#[test]
fn every_shell_has_a_script() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = printed(&["completions", shell]);
        assert!(script.contains("strict-parameters"), "{shell}");
    }
}
