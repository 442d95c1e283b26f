//! The pages.

pub(crate) mod dashboard;
pub(crate) mod region;
pub(crate) mod explain;
pub(crate) mod general;
pub(crate) mod blocks;
pub(crate) mod view;
pub(crate) mod frame;
