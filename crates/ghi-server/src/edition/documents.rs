//! Builds the contract's documents from the data.

use ghi_contract::{
    API_CURRENT, API_PREVIOUS, API_SUPPORTED, CURRENCY, ENVIRONMENT, Forecast, ForecastDays,
    History, HistoryPoint, Indicator, Metadata, Network, Region, RegionDetail, Regions, Snapshot,
    SnapshotRegion, paths,
};
use ghi_engine::{Costs, ENGINE_SANDBOX_VERSION, Model, NoFigures, RecentDays, RegionIndex, Scope};
use jiff::civil::Date;

use crate::clock::Moment;

/// Every document at one moment, one method per document.
#[derive(Debug)]
pub(crate) struct Documents<'m> {
    model: &'m Model,
    timestamp_utc: String,
    days: &'m RecentDays,
}

impl<'m> Documents<'m> {
    /// Returns the documents that a network publishes at a moment on the last of these days.
    pub(crate) fn new(model: &'m Model, days: &'m RecentDays, moment: Moment) -> Self {
        Self { model, timestamp_utc: moment.to_string(), days }
    }

    /// Returns the service metadata.
    pub(crate) fn metadata(&self) -> Metadata {
        Metadata {
            version: API_CURRENT.into(),
            timestamp_utc: self.timestamp_utc.clone(),
            engine_sandbox_version: ENGINE_SANDBOX_VERSION.into(),
            environment: ENVIRONMENT.into(),
            api_current: API_CURRENT.into(),
            api_supported: API_SUPPORTED.map(String::from).into(),
            available_endpoints: paths::AVAILABLE_ENDPOINTS.map(String::from).into(),
        }
    }

    /// Returns the list of regions.
    pub(crate) fn regions(&self) -> Regions {
        let registry = self.model.registry().regions().iter();
        let regions: Vec<Region> = registry
            .map(|region| Region { id: region.id.clone(), name: region.name.clone() })
            .collect();
        Regions {
            version: API_CURRENT.into(),
            timestamp_utc: self.timestamp_utc.clone(),
            engine_sandbox_version: ENGINE_SANDBOX_VERSION.into(),
            region_count: regions.len(),
            regions,
        }
    }

    /// Returns one region's costs today.
    pub(crate) fn region_detail(&self, index: RegionIndex) -> Result<RegionDetail, NoFigures> {
        let region = &self.model.registry()[index];
        let today = self.days.today()?;
        let costs = &today.regions[index.get()];
        Ok(RegionDetail {
            version: API_CURRENT.into(),
            timestamp_utc: self.timestamp_utc.clone(),
            region_id: region.id.clone(),
            name: region.name.clone(),
            min_cost_usd: costs.min_usd.to_f64(),
            avg_cost_usd: costs.avg_usd.to_f64(),
            max_cost_usd: costs.max_usd.to_f64(),
            hashrate_share_pct: today.hashrate_shares_pct[index.get()].to_f64(),
        })
    }

    /// Returns all of today's costs.
    pub(crate) fn snapshot(&self) -> Result<Snapshot, NoFigures> {
        let today = self.days.today()?;
        let regions: Vec<SnapshotRegion> =
            std::iter::zip(self.model.registry().regions(), &today.regions)
                .map(|(region, costs)| SnapshotRegion {
                    id: region.id.clone(),
                    name: region.name.clone(),
                    region_id: region.id.clone(),
                    currency: CURRENCY.into(),
                    min_cost_usd: costs.min_usd.to_f64(),
                    avg_cost_usd: costs.avg_usd.to_f64(),
                    max_cost_usd: costs.max_usd.to_f64(),
                })
                .collect();
        let global = &today.global;
        Ok(Snapshot {
            version: API_CURRENT.into(),
            timestamp_utc: self.timestamp_utc.clone(),
            engine_sandbox_version: ENGINE_SANDBOX_VERSION.into(),
            region_count: Some(regions.len()),
            regions: Some(regions),
            global_min_cost_usd: Some(global.min_usd.to_f64()),
            global_avg_cost_usd: Some(global.avg_usd.to_f64()),
            global_max_cost_usd: Some(global.max_usd.to_f64()),
        })
    }

    /// Returns the costs of the seven days up to today.
    pub(crate) fn history(&self, scope: Scope) -> Result<History, NoFigures> {
        let days = self.days.history(scope)?.into_iter();
        Ok(History {
            version: API_CURRENT.into(),
            timestamp_utc: self.timestamp_utc.clone(),
            engine_sandbox_version: ENGINE_SANDBOX_VERSION.into(),
            region_id: scope.region_id(self.model.registry()).into(),
            points: days.map(|(date, costs)| history_point(date, &costs)).collect(),
        })
    }

    /// Returns the network's state today.
    pub(crate) fn network(&self) -> Result<Network, NoFigures> {
        let network = &self.days.today()?.network;
        Ok(Network {
            version: API_CURRENT.into(),
            timestamp_utc: self.timestamp_utc.clone(),
            engine_sandbox_version: ENGINE_SANDBOX_VERSION.into(),
            hashrate_eh: network.hashrate_eh.to_f64(),
            difficulty: network.difficulty as f64,
            avg_fee_usd: network.avg_fee_usd.to_f64(),
        })
    }

    /// Returns the predicted worldwide average.
    pub(crate) fn forecast(&self, days: ForecastDays) -> Result<Forecast, NoFigures> {
        let predicted = self.model.forecast_avg_usd(self.days.today()?);
        Ok(Forecast {
            version: API_CURRENT.into(),
            timestamp_utc: self.timestamp_utc.clone(),
            engine_sandbox_version: ENGINE_SANDBOX_VERSION.into(),
            forecast_days: days.get(),
            predicted_avg_cost_usd: predicted.to_f64(),
        })
    }

    /// Returns today's worldwide costs for API v1.0.
    pub(crate) fn indicator(&self) -> Result<Indicator, NoFigures> {
        let today = self.days.today()?;
        let today = history_point(today.date, &today.global);
        Ok(Indicator {
            version: API_PREVIOUS.into(),
            timestamp_utc: self.timestamp_utc.clone(),
            engine_sandbox_version: ENGINE_SANDBOX_VERSION.into(),
            date: today.date,
            currency: today.currency,
            min_cost_usd: today.min_cost_usd,
            avg_cost_usd: today.avg_cost_usd,
            max_cost_usd: today.max_cost_usd,
        })
    }
}

/// Returns the costs of a day as a point of a history.
pub(crate) fn history_point(date: Date, costs: &Costs) -> HistoryPoint {
    HistoryPoint {
        date: date.to_string(),
        currency: CURRENCY.into(),
        min_cost_usd: costs.min_usd.to_f64(),
        avg_cost_usd: costs.avg_usd.to_f64(),
        max_cost_usd: costs.max_usd.to_f64(),
    }
}
