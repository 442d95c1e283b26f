//! The handlers, by what a reader looks for.

pub(crate) mod api;
pub(crate) mod pages;
pub(crate) mod files;
pub(crate) mod operations;
pub(crate) mod parameters;
pub(crate) mod context;
