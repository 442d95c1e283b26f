//! A client of the production-cost index API.

mod resource;

pub use resource::Resource;
