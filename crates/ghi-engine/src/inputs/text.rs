//! Lines of the TOML text, and fields that lost their table.

/// What every table must know of the text around it.
pub(super) struct Text {
    /// Where the lines begin, but for the first.
    starts: Vec<usize>,
    /// Fields of tables whose header is missing. They stand in some other table now, and it is the
    /// header that is to blame.
    astray: Vec<&'static str>,
}

impl Text {
    pub(super) fn new(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self { starts: ends.map(|(at, _)| at + 1).collect(), astray: Vec::new() }
    }

    /// The line of a byte, counted from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        1 + self.starts.partition_point(|start| *start <= at)
    }

    /// Fields whose table has no header.
    pub(super) fn lead_astray(&mut self, fields: impl Iterator<Item = &'static str>) {
        self.astray.extend(fields);
    }

    /// Whether a field belongs to a table whose header is missing.
    pub(super) fn is_astray(&self, field: &str) -> bool {
        self.astray.contains(&field)
    }
}
