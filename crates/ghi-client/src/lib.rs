//! A client of the production-cost index API.

mod http_client;
mod resource;
mod tls;

pub use http_client::http_client_builder;
pub use resource::Resource;
