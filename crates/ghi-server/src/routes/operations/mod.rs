//! Probes, metrics, the description of the API and static assets.

pub(crate) mod probes;
pub(crate) mod discovery;
pub(crate) mod assets;
