//! `ghi fixtures`.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use ghi_server::{Clock, Config, InProcess};
use hyper::Request;
use serde_json::{Map, Value, json};

use crate::output::print;
use crate::source::EmbeddedArgs;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder for the files; created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Overwrite files that exist
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    embedded: EmbeddedArgs,
}

/// The documents of any network: file name, path and `Prefer` header.
const DOCUMENTS: [[&str; 3]; 8] = [
    ["metadata.json", "/v1/ghi/metadata", ""],
    ["regions.json", "/v1/ghi/regions", ""],
    ["snapshot.json", "/v1/ghi/snapshot", ""],
    ["snapshot-reduced.json", "/v1/ghi/snapshot", "return=minimal"],
    ["history.json", "/v1/ghi/history", ""],
    ["network.json", "/v1/ghi/network", ""],
    ["forecast.json", "/v1/ghi/forecast", ""],
    ["indicator.json", "/v1/ghi/indicator", ""],
];

/// The errors of a healthy server, and the error pages of a proxy.
const ERRORS: [[&str; 3]; 14] = [
    ["invalid_parameter.json", "/v1/ghi/forecast?forecast_days=0", ""],
    ["unknown_parameter.json", "/v1/ghi/history?region=us", "handling=strict"],
    ["unknown_preference.json", "/v1/ghi/snapshot", "handling=strict, unknown"],
    ["unknown_region.json", "/v1/ghi/regions/no-such-region", ""],
    ["not_found.json", "/v1/ghi/no-such-path", ""],
    ["method_not_allowed.json", "/v1/ghi/snapshot", ""],
    ["bad_request.json", "*", ""],
    ["uri_too_long.json", "/v1/ghi/snapshot?", ""],
    ["rate_limited.json", "/v1/ghi/snapshot", "code=429"],
    ["internal.json", "/v1/ghi/snapshot", "code=500"],
    ["no_figures.json", "/v1/ghi/snapshot", "code=503"],
    ["busy.json", "/v1/ghi/metadata", "code=503"],
    ["proxy_502.html", "/v1/ghi/snapshot", "code=502"],
    ["proxy_504.html", "/v1/ghi/snapshot", "code=504"],
];

/// Writes every document and every error to files, as a server sends them, and lists them in `index.json`.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let (inputs, clock) = args.embedded.read()?;
    let clock = Clock::at(clock.now());
    let config = Config { inputs, clock: clock.clone(), ..Config::default() };
    let server = InProcess::new(config);
    let model = server.model();
    model.check(clock.now().date()).map_err(|no_figures| no_figures.to_string())?;
    let (mut index, mut files) = (Vec::new(), Vec::new());
    let mut add = |request: [&str; 3]| {
        let (entry, content) = fixture(&server, request);
        files.push((request[0].to_owned(), content));
        index.push(entry);
    };
    DOCUMENTS.into_iter().for_each(&mut add);
    for id in model.registry().regions().iter().map(|region| &region.id) {
        let path = format!("/v1/ghi/history?region_id={id}");
        add([&format!("history-{id}.json"), &path, ""]);
        add([&format!("region-{id}.json"), &format!("/v1/ghi/regions/{id}"), ""]);
    }
    ERRORS.into_iter().for_each(&mut add);
    server.start_draining();
    add(["draining.json", "/readyz", ""]);
    files.push(("index.json".into(), format!("{:#}\n", Value::from(index)).into_bytes()));
    write_files(args, &files)?;
    let (count, folder) = (files.len(), args.folder.display());
    let list = args.folder.join("index.json");
    print(&format!("Wrote {count} files to {folder}; see {}\n", list.display()))
}

/// Returns the body of a response and its description, without the headers that are never the same.
fn fixture(server: &InProcess, [file, path, prefer]: [&str; 3]) -> (Value, Vec<u8>) {
    let method = if file == "method_not_allowed.json" { "POST" } else { "GET" };
    let query = if file == "uri_too_long.json" { "x".repeat(7_000) } else { String::new() };
    let path = path.to_owned() + &query;
    let request = Request::builder().method(method).uri(&path).header("host", "127.0.0.1:8000");
    let request = request.header("prefer", prefer).body(String::new());
    let response = server.respond(request.expect("every request is valid"));
    let mut headers = Map::new();
    for (name, value) in response.headers() {
        if name != "date" && name != "x-request-id" {
            headers.insert(name.to_string(), value.to_str().unwrap_or_default().into());
        }
    }
    let status = response.status().as_u16();
    let entry = json!({ "method": method, "path": path, "prefer": prefer, "status": status, "headers": headers, "file": file });
    (entry, response.into_body().into())
}

/// Writes all files, or none if one exists.
fn write_files(args: &Args, files: &[(String, Vec<u8>)]) -> Result<(), String> {
    let folder = &args.folder;
    let mut paths = files.iter().map(|(name, _)| folder.join(name));
    if let Some(path) = paths.find(|path| !args.force && path.exists()) {
        return Err(format!("{} exists; use --force to overwrite it", path.display()));
    }
    let cannot_write = |error| format!("cannot write to {}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(cannot_write)?;
    for (name, content) in files {
        fs::write(folder.join(name), content).map_err(cannot_write)?;
    }
    Ok(())
}
