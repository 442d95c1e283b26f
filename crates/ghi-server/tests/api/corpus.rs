//! The corpus of the fuzz targets: inputs that found something, or that reach code of their own.

use std::path::Path;

#[expect(unreachable_pub, reason = "the fuzz targets are programs of another package")]
#[path = "../../../../fuzz/src/lib.rs"]
mod targets;

/// Runs a target with each file of its corpus.
fn replay(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let files: Vec<_> = folder.read_dir().unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() > 5, "{}", folder.display());
    for file in files {
        println!("{}", file.display());
        check(&std::fs::read(&file).unwrap());
    }
}

#[test]
fn any_inputs_file_gives_data_or_an_error() {
    replay("inputs", targets::inputs::check);
}

#[test]
fn any_series_give_data_or_an_error() {
    replay("series", targets::series::check);
}

#[test]
fn any_request_gets_a_correct_response() {
    replay("request", targets::request::check);
}
