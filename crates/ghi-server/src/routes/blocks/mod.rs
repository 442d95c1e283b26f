//! Blocks that pages are made of: each has a template of its own.

pub(crate) mod calculation;
pub(crate) mod comparison;
pub(crate) mod history;
pub(crate) mod network;
pub(crate) mod regions;
pub(crate) mod today;
pub(crate) mod get_data;
mod regions_table;
pub(crate) mod regions_shown;
mod slider;
