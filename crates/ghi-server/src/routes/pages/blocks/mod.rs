//! Blocks of pages, each with its own template.

pub(crate) mod network;
pub(crate) mod comparison;
pub(crate) mod curve;
pub(crate) mod why;
pub(crate) mod history;
pub(crate) mod regions;
pub(crate) mod get_data;
