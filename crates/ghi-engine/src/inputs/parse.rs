//! Parses and checks inputs.

use toml::de::Error;

use crate::inputs::fields::{FieldChecks, REGIONS_MAX, ReadFile, too_many_regions};
use crate::inputs::{Fingerprint, Inputs, precision};
use crate::problems::{InputsError, Location, ProblemReport};
use crate::series::read::read_series;
use crate::text::visible;

/// The maximum number of [`STRUCTURE`] bytes in an inputs file. The parser needs up to a kilobyte of
/// memory for each. A file with the most regions has about 10,000.
const STRUCTURE_MAX: usize = 100_000;

/// The bytes that make the parser allocate memory: they start fields, tables, list items and lines.
const STRUCTURE: &[u8] = b"=.,[{\n";

/// What the parser calls types of Rust, and the words of TOML for them.
const PLAIN_WORDS: [(&str, &str); 5] = [
    ("f64", "a number"),
    ("u64", "a whole number"),
    (" as i128", ""),
    ("type: map", "type: table"),
    ("a sequence", "a list"),
];

/// The longest part of a line that a message repeats, in characters.
const LINE_MAX: usize = 64;

/// The header of a region.
const REGION: &str = "[[region]]";

impl Inputs {
    /// Parses and checks a TOML text that names no series.
    pub fn parse(text: &str) -> Result<Self, InputsError> {
        Self::read(text, None)
    }

    /// Parses and checks a TOML text and the series that it names. `read_file` returns the bytes of a
    /// series by its name in the text, or why it cannot be read.
    pub fn parse_with_series(
        text: &str,
        mut read_file: impl FnMut(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Self, InputsError> {
        Self::read(text, Some(&mut read_file))
    }

    fn read(text: &str, read_file: Option<ReadFile<'_>>) -> Result<Self, InputsError> {
        let problems = ProblemReport::default();
        check_size(text, &problems);
        problems.check()?;
        let checks = FieldChecks::new(text, &problems);
        let file = toml::from_str(text).map_err(|error| {
            report_toml(text, &error, &checks);
            problems.error()
        })?;
        let (mut inputs, files, locations) = checks.read(&file, read_file);
        inputs.series = read_series(&files, &inputs.regions, &problems);
        problems.check()?;
        let series_files = [&files.network, &files.regions].into_iter().flatten();
        let all_files = std::iter::once(text.as_bytes()).chain(series_files.map(Vec::as_slice));
        inputs.fingerprint = Fingerprint::new(all_files);
        precision::check(&inputs, &locations, &problems);
        problems.check()?;
        Ok(inputs)
    }
}

/// Refuses a file with too many regions, or one that would need too much memory to parse.
fn check_size(text: &str, problems: &ProblemReport) {
    let regions = text.lines().filter(|line| line.trim_start().starts_with(REGION)).count();
    if regions > REGIONS_MAX {
        problems.add(Location::toml(None), &too_many_regions(regions));
    } else if text.bytes().filter(|byte| STRUCTURE.contains(byte)).nth(STRUCTURE_MAX).is_some() {
        let message = format!(
            "the file is too large: it has more than {STRUCTURE_MAX} fields, tables, list items and lines in total; {REGIONS_MAX} regions need about 10,000"
        );
        problems.add(Location::toml(None), &message);
    }
}

/// Reports the parser's error with the line that it is about.
fn report_toml(text: &str, error: &Error, checks: &FieldChecks<'_>) {
    let at = error.span().map_or(0, |span| span.start).min(text.len());
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..].lines().next().unwrap_or("the end of the file");
    let message = PLAIN_WORDS
        .iter()
        .fold(error.message().to_owned(), |message, (rust, plain)| message.replace(rust, plain));
    let line = visible(line.trim(), LINE_MAX);
    let message = format!("cannot read `{line}`: {message}");
    checks.problems.add(checks.location(&(at..at)), &message);
}
