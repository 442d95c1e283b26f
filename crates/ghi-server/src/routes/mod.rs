//! The handlers, one file per group of routes.

pub(crate) mod index;
pub(crate) mod dashboard;
pub(crate) mod region;
pub(crate) mod explain;
pub(crate) mod explain_files;
pub(crate) mod explain_csv;
pub(crate) mod explanation_document;
pub(crate) mod feed;
pub(crate) mod pages;
pub(crate) mod assets;
pub(crate) mod charts;
pub(crate) mod csv;
pub(crate) mod discovery;
pub(crate) mod operations;
pub(crate) mod daily_rows;
pub(crate) mod parameters;
pub(crate) mod date_range;
pub(crate) mod view;
mod dashboard_preview;
pub(crate) mod what_if;
pub(crate) mod blocks;
pub(crate) mod frame;
pub(crate) mod context;

use crate::edition::Edition;
use crate::http::site::Site;

/// Renders the files that are slow with many regions, and those that are requested most.
pub(crate) fn warm_files(edition: &Edition, site: &Site) {
    dashboard::warm(edition, site);
    charts::warm(edition, site);
    csv::warm(edition, site);
    feed::warm(edition, site);
    explain::warm(edition, site);
    explain_files::warm(edition, site);
    operations::warm(edition, site);
}
