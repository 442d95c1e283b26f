//! Help, manual pages and completions.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::process::Stdio;

use expect_test::{ExpectFile, expect_file};

use program::{GHI, program};

mod program;

/// Returns the output of a command, 100 columns wide and without a terminal.
fn printed(args: &[&str]) -> String {
    let mut command = program(GHI);
    command.args(args).env("COLUMNS", "100").env("GHI_DRAIN", "7").stdin(Stdio::null());
    let output = command.output().unwrap();
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns all commands and their subcommands, each as the words after `ghi`.
fn commands(above: &[&str]) -> Vec<Vec<String>> {
    let help = printed(&[above, &["--help"]].concat());
    // The subcommands of show are called documents.
    let list =
        ["Commands:\n", "Documents:\n"].iter().find_map(|heading| help.split(heading).nth(1));
    let list = list.unwrap_or_default().split("\n\n").next().unwrap();
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let mut found = Vec::new();
    for name in names.filter(|name| !matches!(*name, "" | "help")) {
        let path = [above, &[name]].concat();
        found.push(path.iter().map(|name| (*name).to_owned()).collect());
        found.extend(commands(&path));
    }
    found
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
    let all = commands(&[]);
    assert!(all.contains(&vec!["show".into(), "history".into()]), "{all:?}");
    for command in &all {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let file = format!("{folder}/{}.txt", words.join("-"));
        check(&[&words[..], &["--help"]].concat(), expect_file![file]);
    }
}

#[test]
fn the_help_of_serve_is_shorter_than_90_lines() {
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
    for command in commands(&[]) {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let name = format!("ghi-{}", words.join("-"));
        let page = printed(&[&["man"], &words[..]].concat());
        // The footer has the version.
        let title = concat!(" 1  \"ghi ", env!("CARGO_PKG_VERSION"), "\" GHI\n");
        assert!(page.contains(&format!(".TH {name}{title}")), "{name}: {page}");
        // The page of the parent command lists it.
        let above = printed(&[&["man"], &words[..words.len() - 1]].concat());
        assert!(above.contains(&format!("{name}(1)").replace('-', r"\-")), "{name}: {above}");
    }
}

/// Returns the completions that bash offers for the last of these words.
fn completed_by_bash(words: &[&str]) -> Option<Vec<String>> {
    let script = r#"
        source <("$0" completions bash)
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _ghi ghi "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}""#;
    let mut command = program("bash");
    command.args(["--norc", "-c", script, GHI]).args(words);
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
        (&["ghi", "show", "hist"], &["history"]),
        (&["ghi", "completions", "z"], &["zsh"]),
    ] {
        // Skipped if bash is not installed.
        if let Some(completed) = completed_by_bash(words) {
            assert_eq!(completed, expected, "{words:?}");
        }
    }
}

#[test]
fn every_shell_has_a_completion_script() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = printed(&["completions", shell]);
        assert!(script.contains("strict-parameters"), "{shell}");
    }
}
