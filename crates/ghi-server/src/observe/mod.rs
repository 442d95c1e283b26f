//! What operators see of the requests: metrics, the access log, request ids.

pub(crate) mod metrics;
pub(crate) mod access_log;
pub(crate) mod request_ids;
