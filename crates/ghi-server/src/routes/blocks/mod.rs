//! Parts that pages are made of, each with its template.

pub(crate) mod comparison;
pub(crate) mod history;
pub(crate) mod network;
pub(crate) mod today;
pub(crate) mod get_data;
