//! The network and the forecast, in a few figures.

use askama::Template;
use ghi_contract::{ForecastDays, paths as contract};
use ghi_display::{Amount, Delta, grouped};
use ghi_engine::NoFigures;

use crate::edition::Edition;
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::blocks::get_data::GetData;

/// The state of the network today, and what is expected of the average.
#[derive(Template)]
#[template(path = "blocks/network.html")]
pub(crate) struct Network {
    hashrate: Amount,
    difficulty: u64,
    difficulty_grouped: String,
    fee: Amount,
    get_network: GetData,
    forecast_days: u16,
    forecast: Amount,
    forecast_shown: String,
    forecast_change: Delta,
    has_series: bool,
    get_forecast: GetData,
}

impl Network {
    pub(crate) fn new(edition: &Edition, site: &Site) -> Result<Self, NoFigures> {
        let (model, today) = (edition.model(), edition.days().today()?);
        let forecast = model.forecast_avg_usd(today);
        Ok(Self {
            hashrate: Amount(today.network.hashrate_eh),
            difficulty: today.network.difficulty,
            difficulty_grouped: grouped(today.network.difficulty),
            fee: Amount(today.network.avg_fee_usd),
            get_network: GetData::new(
                site,
                "the network",
                Some(contract::NETWORK.into()),
                Some(format!("{}?range=90d", paths::NETWORK_CSV)),
                None,
            ),
            forecast_days: ForecastDays::DEFAULT,
            forecast: Amount(forecast),
            forecast_shown: Amount(forecast).rounded(),
            forecast_change: Delta { from: today.global.avg_usd, to: forecast },
            has_series: model.has_series(),
            get_forecast: GetData::new(
                site,
                "the forecast",
                Some(contract::FORECAST.into()),
                None,
                None,
            ),
        })
    }
}
