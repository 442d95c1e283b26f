//! Blocks that pages are made of: each has a template of its own.

pub(crate) mod calculation;
pub(crate) mod regions_table;
mod regions_shown;
mod slider;
