//! What is wrong with inputs: every problem with its place, not the first alone.

use std::fmt;

use crate::visible::visible;

/// How many problems are kept: more than anybody corrects at once. The others are counted.
const PROBLEMS_MAX: usize = 20;

/// The longest message about a text, characters: more than any of ours, less than a screen.
const MESSAGE_MAX: usize = 320;

/// How much of the name of a file or a column is shown, characters.
const NAME_SHOWN: usize = 64;

/// A text that inputs are read from, in the order in which its problems are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    /// The TOML.
    Inputs,
    /// The series that `series.network` names.
    Network,
    /// The series that `series.regions` names.
    Regions,
}

/// Where something is wrong. Places are ordered as a reader meets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place<'a> {
    source: Source,
    line: Option<usize>,
    column: Option<(usize, &'a str)>,
}

impl<'a> Place<'a> {
    /// A line of the TOML, or the whole of it where no line is to blame.
    pub(crate) fn inputs(line: Option<usize>) -> Self {
        Self { source: Source::Inputs, line, column: None }
    }

    /// A line of a series.
    pub(crate) fn row(source: Source, line: usize) -> Self {
        Self { source, line: Some(line), column: None }
    }

    /// A cell of a series: its column counted from 1, and the column's name.
    pub(crate) fn cell(source: Source, line: usize, column: usize, name: &'a str) -> Self {
        Self { source, line: Some(line), column: Some((column, name)) }
    }
}

/// The problems that were found, in the order of their places.
///
/// However many there are, the first twenty are kept and the others only counted, so that a file
/// of a million bad lines costs no more than its reading.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    kept: Vec<Kept>,
    count: usize,
    names: Vec<(Source, String)>,
}

#[derive(Debug)]
struct Kept {
    source: Source,
    problem: Problem,
}

impl Kept {
    fn place(&self) -> Place<'_> {
        let column = self.problem.column.as_ref().map(|(number, name)| (*number, &**name));
        Place { source: self.source, line: self.problem.line, column }
    }
}

impl Problems {
    /// Under which name the problems of a series are reported from now on.
    pub(crate) fn name(&mut self, series: Source, name: &str) {
        self.names.push((series, visible(name, NAME_SHOWN)));
    }

    /// Adds a problem. Its message is one sentence: what is wrong, and what would be right; it is
    /// put together only if it is kept.
    pub(crate) fn push(&mut self, place: Place<'_>, message: impl FnOnce() -> String) {
        self.count += 1;
        let at = self.kept.partition_point(|kept| kept.place() <= place);
        if at == PROBLEMS_MAX {
            return;
        }
        let name = self.names.iter().find(|(source, _)| *source == place.source);
        let problem = Problem {
            file: name.map(|(_, name)| name.clone()),
            line: place.line,
            column: place.column.map(|(number, name)| (number, visible(name, NAME_SHOWN))),
            message: visible(&message(), MESSAGE_MAX),
        };
        self.kept.insert(at, Kept { source: place.source, problem });
        self.kept.truncate(PROBLEMS_MAX);
    }

    /// Whether nothing is wrong so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many there are so far.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The error that they amount to.
    pub(crate) fn into_error(self) -> InputsError {
        let more = self.count - self.kept.len();
        InputsError { problems: self.kept.into_iter().map(|kept| kept.problem).collect(), more }
    }
}

/// One thing that is wrong, in one visible line of bounded length, whatever the files hold.
///
/// ```
/// let error = ghi_engine::Inputs::parse("seed = -1\n").unwrap_err();
/// let problem = error.problems().last().unwrap();
/// assert_eq!(problem.line(), Some(1));
/// assert_eq!(
///     problem.to_string(),
///     "line 1: seed is -1; it must be a whole number from 0 to 2^63 - 1",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    file: Option<String>,
    line: Option<usize>,
    column: Option<(usize, String)>,
    message: String,
}

impl Problem {
    /// The series, by the name that the inputs give it; none for the inputs themselves.
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// The line, counted from 1, where one line is to blame.
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    /// The column of a series, counted from 1, and its name.
    pub fn column(&self) -> Option<(usize, &str)> {
        self.column.as_ref().map(|(number, name)| (*number, &**name))
    }

    /// What is wrong and what would be right.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = [
            self.file.clone(),
            self.line.map(|line| format!("line {line}")),
            self.column.as_ref().map(|(number, name)| match name.trim() {
                "" => format!("column {number}"),
                _ => format!("column {number} ({name})"),
            }),
        ];
        match places {
            [None, None, None] => f.write_str(&self.message),
            [file, line, column] => {
                let in_file = [file, line].into_iter().flatten().collect::<Vec<_>>().join(" ");
                let place = [Some(in_file), column].into_iter().flatten().collect::<Vec<_>>();
                write!(f, "{}: {}", place.join(", "), self.message)
            }
        }
    }
}

/// Why files describe no network: everything that is wrong with them, as far as it can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputsError {
    problems: Vec<Problem>,
    more: usize,
}

impl InputsError {
    /// The problems by file and line: one at least, twenty at most.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// How many more there are.
    pub fn more(&self) -> usize {
        self.more
    }
}

impl fmt::Display for InputsError {
    /// A line for each problem.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let end_of_line = if index == 0 { "" } else { "\n" };
            write!(f, "{end_of_line}{problem}")?;
        }
        match self.more {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for InputsError {}
