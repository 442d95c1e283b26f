//! The contract's documents, from the data to JSON.

use std::io::{self, Write};

use ghi_contract::{
    API_CURRENT, API_PREVIOUS, API_SUPPORTED, CURRENCY, ENVIRONMENT, Forecast, ForecastDays,
    History, HistoryPoint, Indicator, Metadata, Network, Region, RegionDetail, Regions, Snapshot,
    SnapshotRegion, paths,
};
use ghi_engine::{Costs, ENGINE_SANDBOX_VERSION, NoFigures, RegionIndex, Scope};
use hyper::HeaderMap;
use jiff::civil::Date;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use crate::config::SnapshotForm;
use crate::edition::daily_edition::{Document, Edition};
use crate::http::caching::Representation;

impl Edition {
    /// Renders a document, whose time of day is that of each response.
    pub(super) fn rendered(&self, document: Document) -> Result<Representation, NoFigures> {
        let json = match document {
            Document::Metadata => document_json(&self.metadata()),
            Document::Regions => document_json(&self.regions()),
            Document::Network => document_json(&self.network()?),
            Document::Indicator => document_json(&self.indicator()?),
            Document::Snapshot(SnapshotForm::Full) => document_json(&self.snapshot()?),
            Document::Snapshot(SnapshotForm::Reduced) => {
                let snapshot = self.snapshot()?;
                document_json(&Snapshot { region_count: None, regions: None, ..snapshot })
            }
            Document::History(scope) => document_json(&self.history(scope)?),
            Document::Forecast(days) => document_json(&self.forecast(days)?),
            Document::RegionDetail(region) => document_json(&self.region_detail(region)?),
        };
        let midnight = self.midnight.to_string();
        Ok(Representation::stamped(HeaderMap::clone(&self.headers), &json, &midnight))
    }

    fn metadata(&self) -> Metadata {
        Metadata {
            version: API_CURRENT.into(),
            timestamp_utc: self.midnight.to_string(),
            engine_sandbox_version: ENGINE_SANDBOX_VERSION.into(),
            environment: ENVIRONMENT.into(),
            api_current: API_CURRENT.into(),
            api_supported: API_SUPPORTED.map(String::from).into(),
            available_endpoints: paths::AVAILABLE_ENDPOINTS.map(String::from).into(),
        }
    }

    fn regions(&self) -> Regions {
        let regions = self.model().registry().regions().iter();
        let regions = regions.map(|it| Region { id: it.id.clone(), name: it.name.clone() });
        let regions: Vec<Region> = regions.collect();
        Regions {
            version: API_CURRENT.into(),
            timestamp_utc: self.midnight.to_string(),
            engine_sandbox_version: ENGINE_SANDBOX_VERSION.into(),
            region_count: regions.len(),
            regions,
        }
    }

    fn region_detail(&self, index: RegionIndex) -> Result<RegionDetail, NoFigures> {
        let region = &self.model().registry()[index];
        let today = self.days().today()?;
        let costs = &today.regions[index.get()];
        Ok(RegionDetail {
            version: API_CURRENT.into(),
            timestamp_utc: self.midnight.to_string(),
            region_id: region.id.clone(),
            name: region.name.clone(),
            min_cost_usd: costs.min_usd.to_f64(),
            avg_cost_usd: costs.avg_usd.to_f64(),
            max_cost_usd: costs.max_usd.to_f64(),
            hashrate_share_pct: today.hashrate_shares_pct[index.get()].to_f64(),
        })
    }

    fn snapshot(&self) -> Result<Snapshot, NoFigures> {
        let today = self.days().today()?;
        let regions: Vec<SnapshotRegion> =
            std::iter::zip(self.model().registry().regions(), &today.regions)
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
            timestamp_utc: self.midnight.to_string(),
            engine_sandbox_version: ENGINE_SANDBOX_VERSION.into(),
            region_count: Some(regions.len()),
            regions: Some(regions),
            global_min_cost_usd: Some(global.min_usd.to_f64()),
            global_avg_cost_usd: Some(global.avg_usd.to_f64()),
            global_max_cost_usd: Some(global.max_usd.to_f64()),
        })
    }

    fn history(&self, scope: Scope) -> Result<History, NoFigures> {
        let days = self.days().history(scope)?.into_iter();
        Ok(History {
            version: API_CURRENT.into(),
            timestamp_utc: self.midnight.to_string(),
            engine_sandbox_version: ENGINE_SANDBOX_VERSION.into(),
            region_id: scope.region_id(self.model().registry()).into(),
            points: days.map(|(date, costs)| history_point(date, &costs)).collect(),
        })
    }

    fn network(&self) -> Result<Network, NoFigures> {
        let network = &self.days().today()?.network;
        Ok(Network {
            version: API_CURRENT.into(),
            timestamp_utc: self.midnight.to_string(),
            engine_sandbox_version: ENGINE_SANDBOX_VERSION.into(),
            hashrate_eh: network.hashrate_eh.to_f64(),
            difficulty: network.difficulty as f64,
            avg_fee_usd: network.avg_fee_usd.to_f64(),
        })
    }

    fn forecast(&self, days: ForecastDays) -> Result<Forecast, NoFigures> {
        let predicted = self.model().forecast_avg_usd(self.days().today()?, days.get());
        Ok(Forecast {
            version: API_CURRENT.into(),
            timestamp_utc: self.midnight.to_string(),
            engine_sandbox_version: ENGINE_SANDBOX_VERSION.into(),
            forecast_days: days.get(),
            predicted_avg_cost_usd: predicted.to_f64(),
        })
    }

    fn indicator(&self) -> Result<Indicator, NoFigures> {
        let today = self.days().today()?;
        let today = history_point(today.date, &today.global);
        Ok(Indicator {
            version: API_PREVIOUS.into(),
            timestamp_utc: self.midnight.to_string(),
            engine_sandbox_version: ENGINE_SANDBOX_VERSION.into(),
            date: today.date,
            currency: today.currency,
            min_cost_usd: today.min_cost_usd,
            avg_cost_usd: today.avg_cost_usd,
            max_cost_usd: today.max_cost_usd,
        })
    }
}

pub(crate) fn history_point(date: Date, costs: &Costs) -> HistoryPoint {
    HistoryPoint {
        date: date.to_string(),
        currency: CURRENCY.into(),
        min_cost_usd: costs.min_usd.to_f64(),
        avg_cost_usd: costs.avg_usd.to_f64(),
        max_cost_usd: costs.max_usd.to_f64(),
    }
}

/// Returns a document of the contract as JSON, as a server sends it. Floats have a decimal point and no
/// exponent, however small they are.
pub fn document_json(document: &impl Serialize) -> String {
    let mut bytes = Vec::with_capacity(1024);
    let mut serializer = Serializer::with_formatter(&mut bytes, PlainFloats);
    document.serialize(&mut serializer).expect("contract documents are plain JSON");
    String::from_utf8(bytes).expect("JSON is text")
}

struct PlainFloats;

impl Formatter for PlainFloats {
    fn write_f64<W: Write + ?Sized>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        // This writes no exponent, but omits the point if there is no fraction.
        let digits = value.to_string();
        writer.write_all(digits.as_bytes())?;
        if digits.contains('.') { Ok(()) } else { writer.write_all(b".0") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_have_a_point_and_no_exponent() {
        let floats = [61_275.07, 13.0, 5e-9, 4.512e-9, 118_441_022_578_828.0, 0.05];
        assert_eq!(
            document_json(&floats),
            "[61275.07,13.0,0.000000005,0.000000004512,118441022578828.0,0.05]"
        );
    }
}
