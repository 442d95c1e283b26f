//! The rules of HTTP that apply to any request and response.

pub(crate) mod validation;
pub(crate) mod clients;
pub(crate) mod query;
pub(crate) mod prefer;
pub(crate) mod caching;
pub(crate) mod problem;
pub(crate) mod site;
pub(crate) mod lists;
pub(crate) mod paths;
