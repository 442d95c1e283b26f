//! The handlers, by what a reader looks for.

/// The documents of the contract.
pub(crate) mod api;

/// The dashboard with its blocks, and the other pages.
pub(crate) mod pages {
    pub(crate) mod dashboard;
    pub(crate) mod region;
    pub(crate) mod explain;
    pub(crate) mod curve;
    pub(crate) mod history;
    pub(crate) mod regions;
    pub(crate) mod view;
    pub(crate) mod general;
}

/// Charts, tables, explanations and the feed.
pub(crate) mod files {
    pub(crate) mod charts;
    pub(crate) mod csv;
    pub(crate) mod explain_files;
    pub(crate) mod feed;
    pub(crate) mod forecast_csv;
}

/// Probes, metrics, the description of the API and static assets.
pub(crate) mod operations {
    pub(crate) mod probes;
    pub(crate) mod discovery;
    pub(crate) mod assets;
}

pub(crate) mod parameters;
pub(crate) mod context;
