//! The file of inputs.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use ghi_server::{Inputs, check_memory};

/// The largest inputs file, bytes: some times what ten thousand regions take.
const INPUTS_MAX: u64 = 16 * 1024 * 1024;

/// The memory that it takes to parse inputs, bytes for each byte of the file: some more than the
/// worst file takes.
const MEMORY_OF_INPUTS: usize = 100;

/// Reads a file of inputs. What is wrong with it is one sentence.
pub(crate) fn read(path: &Path) -> Result<Inputs, String> {
    let cannot_read = |why: &dyn std::fmt::Display| {
        format!(
            "cannot read the inputs {path:?}: {why}; it takes a TOML file, such as a changed copy of what `ghi inputs` prints"
        )
    };
    let file = std::fs::metadata(path).map_err(|error| cannot_read(&error))?;
    if !file.is_file() || file.len() > INPUTS_MAX {
        return Err(cannot_read(&"it is not a regular file of at most 16 MiB"));
    }
    let length = usize::try_from(file.len()).unwrap_or(usize::MAX);
    check_memory(length.saturating_mul(MEMORY_OF_INPUTS)).map_err(|error| cannot_read(&error))?;
    let mut bytes = Vec::new();
    let opened = File::open(path).and_then(|file| file.take(INPUTS_MAX).read_to_end(&mut bytes));
    opened.map_err(|error| cannot_read(&error))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        format!("{path:?}: line {line}: not UTF-8; a TOML file must be")
    })?;
    Inputs::parse(&text).map_err(|error| format!("{path:?}: {error}"))
}
