//! The calculation of the average with today's values.

use askama::Template;
use ghi_contract::GLOBAL;
use ghi_display::{Quantity, TWO_TO_32, name_of};
use ghi_engine::{Decimal, MeanMiner, NoFigures, Scope};

use crate::edition::Edition;
use crate::http::site::Site;
use crate::routes::blocks::get_data::GetData;

/// The calculation of the average of a scope.
#[derive(Template)]
#[template(path = "blocks/calculation.html")]
pub(crate) struct CalculationBlock<'a> {
    prefix: &'a str,
    name: &'a str,
    region_id: &'a str,
    is_worldwide: bool,
    miner: MeanMiner,
    /// Whether hashes per difficulty are written as 2^32.
    is_two_to_32: bool,
    get_data: GetData,
}

impl<'a> CalculationBlock<'a> {
    pub(crate) fn new(
        edition: &'a Edition,
        scope: Scope,
        site: &'a Site,
    ) -> Result<Self, NoFigures> {
        let (model, today) = (edition.model(), edition.days().today()?);
        let region_id = scope.region_id(model.registry());
        let miner = model.mean_miner(scope, today)?;
        Ok(Self {
            prefix: site.prefix(),
            name: name_of(scope, model),
            region_id,
            is_worldwide: region_id == GLOBAL,
            is_two_to_32: miner.hashes_per_difficulty.value() == TWO_TO_32,
            miner,
            get_data: GetData::derivation(site, "the calculation", region_id),
        })
    }

    /// Converts a number for the template.
    fn quantity(&self, number: impl Into<Quantity>) -> Quantity {
        number.into()
    }

    fn difficulty(&self) -> Quantity {
        Decimal::new(self.miner.difficulty, 0).into()
    }
}
