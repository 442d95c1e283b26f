//! The pages: the dashboard with its blocks, and the others.

pub(crate) mod dashboard;
pub(crate) mod region;
pub(crate) mod explain;
pub(crate) mod curve;
pub(crate) mod history;
pub(crate) mod regions;
pub(crate) mod view;
pub(crate) mod general;
