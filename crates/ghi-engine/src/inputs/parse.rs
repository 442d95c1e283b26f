//! Parses and checks inputs.

use toml::de::{DeTable, DeValue, Error};

use crate::inputs::fields::{self, ReadFile};
use crate::inputs::table::TomlFile;
use crate::inputs::{Fingerprint, Inputs, precision};
use crate::number::explain_notation;
use crate::problems::{InputsError, Location, ProblemReport};
use crate::series::read::read_series;
use crate::text::visible;

/// The maximum number of [`STRUCTURE`] bytes in an inputs file. The parser needs up to a kilobyte of
/// memory for each. A file with 10,000 regions, the most allowed, has about 350,000.
const STRUCTURE_MAX: usize = 400_000;

/// The bytes that make the parser allocate memory: they start fields, tables, list items and lines.
const STRUCTURE: &[u8] = b"=.,[{\n";

/// The longest part of a line that a message repeats, in characters.
const LINE_MAX: usize = 64;

/// A header that allows only one region.
const SINGLE_REGION: &str = "[region]";

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
        let file = TomlFile::new(text, &problems);
        let entries = match DeTable::parse(text) {
            Ok(entries) => entries.into_inner(),
            Err(error) => {
                report_syntax_error(text, &error, &file, &problems);
                DeTable::new()
            }
        };
        problems.check()?;
        let (mut inputs, files, locations) =
            file.read(&entries, &fields::REQUIRED_TABLES, |root| fields::read(root, read_file));
        drop(entries);
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

/// Refuses a file that would need too much memory to parse.
fn check_size(text: &str, problems: &ProblemReport) {
    if text.bytes().filter(|byte| STRUCTURE.contains(byte)).nth(STRUCTURE_MAX).is_some() {
        let message = format!(
            "the file is too large: it has more than {STRUCTURE_MAX} fields, tables, list items and lines in total; 10,000 regions need about 350,000"
        );
        problems.add(Location::toml(None), &message);
    }
}

/// Reports common mistakes on any line: values such as `1,5`, and regions in single brackets. Also reports
/// the parser's error, unless it is one of these mistakes.
fn report_syntax_error(text: &str, error: &Error, file: &TomlFile<'_>, problems: &ProblemReport) {
    let at = error.span().map_or(0, |span| span.start).min(text.len());
    let error_line = file.line(at);
    let mut is_explained = false;
    for (line, content) in (1..).zip(text.lines()) {
        let location = Location::toml(Some(line));
        if content.split('#').next().unwrap_or_default().replace(' ', "") == SINGLE_REGION {
            is_explained = true;
            problems.add(location, "[region] is a single table; write [[region]] for each region");
        }
        for (key, value) in assignments(content) {
            if let Some(message) = explain_notation(value)
                && DeValue::parse(value).is_err()
            {
                is_explained |= line == error_line;
                problems.add(location, &format!("{key}: {message}"));
            }
        }
    }
    if !is_explained {
        let content = text.lines().nth(error_line - 1).unwrap_or("the end of the file");
        let content = visible(content.trim(), LINE_MAX);
        let message = format!("cannot parse `{content}`: {}", error.message());
        problems.add(Location::toml(Some(error_line)), &message);
    }
}

/// The fields of a line and their values, including those in braces.
fn assignments(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let code = line.split('#').next().unwrap_or_default();
    let fields = code.split(['{', '}']).flat_map(|part| part.split(", "));
    fields.filter_map(|field| field.split_once('=')).map(|(key, value)| (key.trim(), value.trim()))
}
