//! The regions side by side: a chart, and a table that can be sorted and searched.

use askama::Template;
use ghi_contract::paths as contract;
use ghi_engine::NoFigures;

use crate::charts::{self, Form};
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
    chart: String,
    table: RegionsTable<'a>,
}

impl<'a> Regions<'a> {
    pub(crate) fn new(
        edition: &'a Edition,
        view: &View,
        site: &'a Site,
    ) -> Result<Self, NoFigures> {
        let (model, today) = (edition.model(), edition.days().today()?);
        let shown = charts::shown_regions(model, today).0;
        Ok(Self {
            get_data: GetData::new(
                site,
                "the regions",
                Some(contract::SNAPSHOT.into()),
                Some(paths::SNAPSHOT_CSV.into()),
                Some(paths::REGIONS_CHART.into()),
            ),
            chart: charts::regions("Regions side by side", today, model, &shown, Form::Narrow),
            table: RegionsTable::new(edition, view, site)?,
        })
    }
}
