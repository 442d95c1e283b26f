//! Charts, tables, explanations and the feed, as files.

pub(crate) mod charts;
pub(crate) mod csv;
pub(crate) mod explain_files;
pub(crate) mod feed;
