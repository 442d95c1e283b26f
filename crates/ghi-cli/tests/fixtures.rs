//! `ghi fixtures`.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Output;

use ghi_server::{Clock, Config, Sandbox};
use serde_json::Value;

use program::{GHI, program};

mod program;

const NOON: &str = "2026-11-15T12:00:00Z";

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixtures").join(name)
}

fn fixtures(folder: &Path, args: &[&str]) -> Output {
    _ = fs::remove_dir_all(folder);
    let mut command = program(GHI);
    command.arg("fixtures").arg(folder).args(args).output().unwrap()
}

/// Returns the files of a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let file = |entry: fs::DirEntry| {
        (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
    };
    entries.map(file).collect()
}

fn index(folder: &Path) -> Vec<Value> {
    serde_json::from_slice(&fs::read(folder.join("index.json")).unwrap()).unwrap()
}

#[test]
fn files_of_the_same_time_are_the_same_bytes() {
    let [one, other, later] = ["one", "other", "later"].map(folder);
    for (folder, at) in [(&one, NOON), (&other, NOON), (&later, "2026-11-16")] {
        let output = fixtures(folder, &["--at", at]);
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
        let (count, folder) = (files(folder).len(), folder.display());
        let summary = format!("Wrote {count} files to {folder}; see {folder}/index.json\n");
        assert_eq!(String::from_utf8_lossy(&output.stdout), summary);
    }
    assert_eq!(files(&one), files(&other));
    assert_ne!(files(&one), files(&later));
    let listed: BTreeSet<_> =
        index(&one).iter().map(|entry| entry["file"].as_str().unwrap().to_owned()).collect();
    let mut found: BTreeSet<_> = files(&one).into_keys().collect();
    assert!(found.remove("index.json"));
    assert_eq!(listed, found, "each file is listed once");
}

#[test]
fn files_are_only_overwritten_with_force() {
    let folder = folder("kept");
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("network.json"), "mine").unwrap();
    let run =
        |args: &[&str]| program(GHI).arg("fixtures").arg(&folder).args(args).output().unwrap();
    let output = run(&[]);
    let message = format!(
        "ghi: {} exists; use --force to overwrite it\n",
        folder.join("network.json").display()
    );
    assert_eq!(
        (String::from_utf8(output.stderr).unwrap(), output.status.code()),
        (message, Some(2))
    );
    assert_eq!(files(&folder).len(), 1, "nothing is written");
    assert_eq!(run(&["--force"]).status.code(), Some(0));
    assert_ne!(fs::read(folder.join("network.json")).unwrap(), b"mine");
    assert_eq!(run(&["--force"]).status.code(), Some(0));
}

#[test]
fn files_have_the_bytes_that_a_server_sends() {
    let folder = folder("served");
    assert_eq!(fixtures(&folder, &["--at", NOON]).status.code(), Some(0));
    let clock = Clock::at(NOON.parse().unwrap());
    let sandbox = Sandbox::start(Config { clock, ..Config::default() }).unwrap();
    // This needs a server in another state.
    let mut compared = 0;
    for entry in index(&folder) {
        let text = |name: &str| entry[name].as_str().unwrap();
        if text("file") == "draining.json" {
            continue;
        }
        let head =
            format!("{} {} HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n", text("method"), text("path"));
        let request = format!("{head}Connection: close\r\nPrefer: {}\r\n\r\n", text("prefer"));
        let mut stream = TcpStream::connect(sandbox.address()).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert_eq!(
            body.as_bytes(),
            fs::read(folder.join(text("file"))).unwrap(),
            "{}",
            text("file")
        );
        assert_eq!(head[9..12], entry["status"].to_string());
        for (name, value) in entry["headers"].as_object().unwrap() {
            let line = format!("\r\n{name}: {}", value.as_str().unwrap());
            assert!(format!("{head}\r\n").contains(&line), "{line} of {head}");
        }
        compared += 1;
    }
    assert_eq!(compared, index(&folder).len() - 1);
}

#[test]
fn every_document_and_every_problem_has_a_file() {
    let folder = folder("complete");
    fixtures(&folder, &[]);
    let files = files(&folder);
    let openapi: Value = serde_json::from_str(&ghi_server::OPENAPI).unwrap();
    let codes = &openapi["components"]["schemas"]["Problem"]["properties"]["code"]["examples"];
    for code in codes.as_array().unwrap() {
        let code = code.as_str().unwrap();
        let problem: Value = serde_json::from_slice(&files[&format!("{code}.json")]).unwrap();
        assert_eq!(problem["code"], code);
    }
    for name in ["snapshot", "snapshot-reduced", "region-eu", "history-cn", "indicator"] {
        let document: Value = serde_json::from_slice(&files[&format!("{name}.json")]).unwrap();
        assert_eq!(document["timestamp_utc"].as_str().unwrap().len(), 27, "{name}");
    }
}

#[test]
fn a_folder_that_cannot_be_created_and_a_day_without_data_are_one_line() {
    for (folder, args, message) in [
        (PathBuf::from("/dev/null/x"), &[][..], "ghi: cannot write to /dev/null/x: "),
        (
            folder("no-data"),
            &[
                "--inputs",
                concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/own-series/inputs.toml"),
                "--at",
                "1970-01-01",
            ],
            "ghi: ",
        ),
    ] {
        let output = fixtures(&folder, args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.starts_with(message), "{stderr}");
        assert_eq!((output.status.code(), stderr.lines().count()), (Some(2), 1), "{stderr}");
    }
}
