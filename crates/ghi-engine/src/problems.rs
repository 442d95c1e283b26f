//! Problems with inputs, each with its file and line.

use std::cell::RefCell;

use crate::text::visible;

/// The most problems that are reported. Any others are only counted.
const PROBLEMS_MAX: usize = 20;
/// Reading stops after this many, so that a file with a million bad lines is refused quickly.
const FOUND_MAX: usize = 1_000;
/// The longest message in characters. Longer ones lose their middle.
const MESSAGE_MAX: usize = 320;
pub(crate) const NAME_MAX: usize = 64;

/// A file that inputs are read from, in the order in which problems are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum InputFile {
    Toml,
    NetworkSeries,
    RegionSeries,
    Fleet,
    Published,
}

/// The file of a problem, and its line, counted from 1, if the problem is in one line.
pub(crate) type Location = (InputFile, Option<usize>);

#[derive(Debug, Default)]
pub(crate) struct ProblemReport {
    /// The places of the problems, and a line about each.
    found: RefCell<Vec<(Location, String)>>,
    /// The name of each [`InputFile`] that has one.
    names: RefCell<[Option<String>; 5]>,
}

impl ProblemReport {
    pub(crate) fn set_name(&self, file: InputFile, name: &str) {
        self.names.borrow_mut()[file as usize] = Some(visible(name, NAME_MAX) + " ");
    }

    /// Adds a problem. The message says what is wrong, then what is allowed.
    pub(crate) fn add(&self, (file, line): Location, message: &str) {
        if !self.is_full() {
            let name = self.names.borrow()[file as usize].clone().unwrap_or_default();
            let place = line.map_or(String::new(), |line| format!("line {line}: "));
            let problem = format!("{name}{place}{}", visible(message, MESSAGE_MAX));
            self.found.borrow_mut().push(((file, line), problem));
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.found.borrow().len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.count() >= FOUND_MAX
    }

    pub(crate) fn check(&self) -> Result<(), InputsError> {
        if self.count() == 0 { Ok(()) } else { Err(self.error()) }
    }

    pub(crate) fn error(&self) -> InputsError {
        let mut found = self.found.borrow().clone();
        found.sort_by_key(|(location, _)| *location);
        let more = found.len().saturating_sub(PROBLEMS_MAX);
        let more = (more > 0).then(|| format!("and {more} more"));
        let problems = found.into_iter().take(PROBLEMS_MAX).map(|(_, problem)| problem);
        InputsError { lines: problems.chain(more).collect() }
    }
}

/// The error for invalid inputs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", lines.join("\n"))]
pub struct InputsError {
    /// At least one, at most twenty problems, sorted by file and line, and the number of any others: lines of printable
    /// text of bounded length, whatever the files contain.
    pub lines: Vec<String>,
}
