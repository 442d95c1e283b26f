//! Observability: metrics, the access log, request ids and trace context.

pub(crate) mod metrics;
pub(crate) mod access_log;
