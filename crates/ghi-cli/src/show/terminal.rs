//! What the output goes to: how wide it is, and which letters it shows.

use std::env;
use std::io::{IsTerminal, stdout};

use rustix::termios::tcgetwinsize;

/// The width of charts that go nowhere in particular, columns.
const WIDTH: usize = 80;

/// The widths that charts are drawn for, columns.
const WIDTHS: std::ops::RangeInclusive<usize> = 24..=400;

/// What the output goes to. Nothing is coloured, so there is nothing that `NO_COLOR` would change.
pub(crate) struct Terminal {
    /// Columns, if it is a terminal that says so.
    width: Option<usize>,
    /// Columns that the environment says.
    columns: Option<usize>,
    /// Whether it shows more than ASCII.
    pub(crate) is_utf8: bool,
}

impl Terminal {
    /// That which stdout goes to.
    pub(crate) fn of_stdout() -> Self {
        let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let size = || stdout().is_terminal().then(|| tcgetwinsize(stdout()).ok()).flatten();
        let width = size().map(|size| usize::from(size.ws_col)).filter(|width| *width > 0);
        let columns = variable("COLUMNS").and_then(|text| text.parse().ok());
        // The first of them that is set decides, as for every program.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
        let locale = locale.unwrap_or_default().to_lowercase();
        let is_utf8 = locale.contains("utf-8") || locale.contains("utf8");
        Self { width, columns, is_utf8 }
    }

    /// The width that lines of text are cut to. What is no terminal gets all of them.
    pub(crate) fn width_of_text(&self) -> Option<usize> {
        self.width
    }

    /// The width of a chart.
    pub(crate) fn width_of_chart(&self) -> usize {
        self.width.or(self.columns).unwrap_or(WIDTH).clamp(*WIDTHS.start(), *WIDTHS.end())
    }
}
