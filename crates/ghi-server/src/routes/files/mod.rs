//! Charts, tables, explanations and the feed, as files.

pub(crate) mod charts;
pub(crate) mod csv;
pub(crate) mod explain_files;
pub(crate) mod feed;
pub(crate) mod explanation_document;
pub(crate) mod daily_rows;
pub(crate) mod date_range;
