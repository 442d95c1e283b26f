//! The index as metrics: the data of a day.

use ghi_contract::GLOBAL;
use ghi_engine::{Costs, Day, Model};

use crate::observe::exposition::{Exposition, Format};

/// Returns the data of a day in a format, without its [end](Format::end). There is one set per region, and
/// it stays the same all day.
pub(crate) fn figures(model: &Model, day: &Day, format: Format) -> String {
    let mut exposition = Exposition::new(format);
    let ids = model.registry().regions().iter().map(|region| &*region.id);
    let scopes = std::iter::once((GLOBAL, &day.global)).chain(ids.zip(&day.regions));
    let costs = scopes.flat_map(|(region, costs)| {
        let Costs { min_usd, avg_usd, max_usd } = costs;
        [("min", min_usd), ("avg", avg_usd), ("max", max_usd)]
            .map(|(bound, cost)| ([("region", region), ("bound", bound)], cost.to_f64()))
    });
    exposition.gauges("ghi_cost_usd", "Cost of one coin today in USD", costs);
    let network = &day.network;
    let hashrate_eh = network.hashrate_eh.to_f64();
    exposition.gauge("ghi_network_hashrate_eh", "Hashrate, EH/s", hashrate_eh);
    exposition.gauge("ghi_network_difficulty", "Difficulty", network.difficulty as f64);
    let help = "Average transaction fee in USD";
    exposition.gauge("ghi_network_avg_fee_usd", help, network.avg_fee_usd.to_f64());
    let help = "Predicted worldwide average cost in USD";
    exposition.gauge("ghi_forecast_avg_cost_usd", help, model.forecast_avg_usd(day).to_f64());
    exposition.text
}
