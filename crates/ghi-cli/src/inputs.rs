//! The file of inputs, and the series that it names.

use std::fmt::Display;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use ghi_server::Inputs;

/// The largest inputs file, bytes: 10,000 regions, the most there can be, take 5 MB with the longest names.
const INPUTS_MAX: u64 = 6 * 1024 * 1024;

/// The largest series, bytes: more than twice what ten years of 200 regions take.
const SERIES_MAX: u64 = 128 * 1024 * 1024;

/// Reads a file of inputs and the series that it names, relative to it. What is wrong is a sentence a
/// line.
pub(crate) fn read(path: &Path) -> Result<Inputs, String> {
    let cannot_read = |why: String| {
        format!(
            "cannot read the inputs {path:?}: {why}; it takes a TOML file, such as a changed copy of what `ghi inputs` prints"
        )
    };
    let bytes = read_file(path, INPUTS_MAX).map_err(cannot_read)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        format!("{path:?}: line {line}: not UTF-8; a TOML file must be")
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let series = |name: &str| read_file(&folder.join(name), SERIES_MAX);
    Inputs::parse_with_series(&text, series).map_err(|error| {
        let problems = error.problems().iter().map(|problem| format!("{path:?}: {problem}"));
        let more = Some(error.more()).filter(|more| *more > 0);
        let more = more.map(|more| format!("{path:?}: and {more} more problems"));
        problems.chain(more).collect::<Vec<_>>().join("\n")
    })
}

/// Returns the bytes of a regular file within a bound.
fn read_file(path: &Path, max: u64) -> Result<Vec<u8>, String> {
    fn text(error: impl Display) -> String {
        error.to_string()
    }
    let file = std::fs::metadata(path).map_err(text)?;
    if !file.is_file() || file.len() > max {
        return Err(format!("it is not a regular file of at most {} MiB", max >> 20));
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(max).read_to_end(&mut bytes)).map_err(text)?;
    Ok(bytes)
}
