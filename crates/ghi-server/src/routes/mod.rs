//! The handlers, one file per group of routes.

pub(crate) mod daily_files;
pub(crate) mod index;
pub(crate) mod dashboard;
pub(crate) mod region;
pub(crate) mod explain;
pub(crate) mod explain_files;
pub(crate) mod explanation_document;
pub(crate) mod feed;
pub(crate) mod pages;
pub(crate) mod assets;
pub(crate) mod charts;
pub(crate) mod csv;
pub(crate) mod discovery;
pub(crate) mod operations;
pub(crate) mod daily_rows;
pub(crate) mod parameters;
pub(crate) mod date_range;
pub(crate) mod view;
pub(crate) mod what_if;
pub(crate) mod blocks;
pub(crate) mod frame;
pub(crate) mod context;
