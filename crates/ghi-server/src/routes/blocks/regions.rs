//! The regions side by side, in a table that can be sorted and searched.

use askama::Template;
use ghi_contract::paths as contract;
use ghi_engine::{Decimal, NoFigures};

use crate::edition::Edition;
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::blocks::get_data::GetData;
use crate::routes::blocks::regions_table::RegionsTable;
use crate::routes::view::View;

/// The regions of today.
#[derive(Template)]
#[template(path = "blocks/regions.html")]
pub(crate) struct Regions<'a> {
    get_data: GetData,
    table: RegionsTable<'a>,
}

impl<'a> Regions<'a> {
    /// The regions, beside a cost of the reader's own where there is one.
    pub(crate) fn new(
        edition: &'a Edition,
        view: &View,
        yours: Option<Decimal>,
        site: &'a Site,
    ) -> Result<Self, NoFigures> {
        Ok(Self {
            get_data: GetData::new(
                site,
                "the regions",
                Some(contract::SNAPSHOT.into()),
                Some(paths::SNAPSHOT_CSV.into()),
                Some(paths::REGIONS_CHART.into()),
            ),
            table: RegionsTable::new(edition, view, yours, site)?,
        })
    }
}
