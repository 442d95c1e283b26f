//! Problems with inputs, each with its file, line and column.

use std::cell::RefCell;
use std::fmt;

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

/// The location of a problem.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Location<'a> {
    pub(crate) file: InputFile,
    /// Counted from 1; `None` if the problem is not in one line.
    pub(crate) line: Option<usize>,
    /// The column of a series, counted from 1, and its name.
    pub(crate) column: Option<(usize, &'a str)>,
}

impl Location<'_> {
    pub(crate) const INPUTS_FILE: Self = Self { file: InputFile::Toml, line: None, column: None };

    pub(crate) fn line(file: InputFile, line: usize) -> Self {
        Self { file, line: Some(line), column: None }
    }
}

#[derive(Debug, Default)]
pub(crate) struct ProblemReport {
    found: RefCell<Vec<(InputFile, InputsProblem)>>,
    /// The name of each [`InputFile`] that has one.
    names: RefCell<[Option<String>; 5]>,
}

impl ProblemReport {
    pub(crate) fn set_name(&self, file: InputFile, name: &str) {
        self.names.borrow_mut()[file as usize] = Some(visible(name, NAME_MAX));
    }

    /// Adds a problem. The message says what is wrong, then what is allowed.
    pub(crate) fn add(&self, location: Location<'_>, message: &str) {
        let Location { file, line, column } = location;
        if !self.is_full() {
            let problem = InputsProblem {
                file: self.names.borrow()[file as usize].clone(),
                line,
                column: column.map(|(number, name)| (number, visible(name, NAME_MAX))),
                message: visible(message, MESSAGE_MAX),
            };
            self.found.borrow_mut().push((file, problem));
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
        found.sort_by(|(a, x), (b, y)| (a, x.line, &x.column).cmp(&(b, y.line, &y.column)));
        let more = found.len().saturating_sub(PROBLEMS_MAX);
        let problems = found.into_iter().map(|(_, problem)| problem).take(PROBLEMS_MAX);
        InputsError { problems: problems.collect(), more }
    }
}

/// A problem with inputs: one line of printable text of bounded length, whatever the files contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputsProblem {
    /// The series, by the name that the inputs file gives it. `None` for the inputs file itself.
    pub file: Option<String>,
    /// The line, counted from 1, if the problem is in one line.
    pub line: Option<usize>,
    /// The column of a series, counted from 1, and its name.
    pub column: Option<(usize, String)>,
    /// What is wrong, then what is allowed.
    pub message: String,
}

impl fmt::Display for InputsProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file} ")?;
        }
        if let Some(line) = self.line {
            write!(f, "line {line}")?;
            match &self.column {
                None => {}
                Some((number, name)) if name.trim().is_empty() => write!(f, ", column {number}")?,
                Some((number, name)) => write!(f, ", column {number} ({name})")?,
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

/// The error for invalid inputs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.lines())]
pub struct InputsError {
    problems: Vec<InputsProblem>,
    more: usize,
}

impl InputsError {
    /// The problems, sorted by file and line: at least one, at most twenty.
    pub fn problems(&self) -> &[InputsProblem] {
        &self.problems
    }

    /// The number of further problems. Reading stops after a thousand.
    pub fn more(&self) -> usize {
        self.more
    }

    fn lines(&self) -> String {
        let more = (self.more > 0).then(|| format!("and {} more", self.more));
        let lines = self.problems.iter().map(ToString::to_string).chain(more);
        lines.collect::<Vec<_>>().join("\n")
    }
}
