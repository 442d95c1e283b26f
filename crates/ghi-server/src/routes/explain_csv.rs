//! Where figures come from, as a CSV table.

use ghi_contract::GLOBAL;
use ghi_engine::{
    Costs, Decimal, Explanation, Model, Registry, Scenario, Scope, WHOLE_NETWORK_PCT,
};

use crate::edition::Edition;
use crate::http::caching::Representation;
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::context::{Answer, Context};
use crate::routes::csv::{file, written};
use crate::routes::explain::{explained, prepare_of_today};

/// Where figures come from, as a table.
///
/// Of a region, a row for each of minimum, average and maximum with every step of its derivation. Of
/// the whole network, a row a region with its contribution to the global average, and their sum last.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::EXPLAIN_CSV, tag = "Charts and files",
    params(("region_id" = Option<String>, Query), ("date" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "text/csv"))))]
pub(crate) fn explain_csv(context: &Context<'_>) -> Answer {
    explained(context, paths::EXPLAIN_CSV, table)
}

/// Makes the table that takes long with many regions.
pub(crate) fn prepare(edition: &Edition, site: &Site) {
    prepare_of_today(edition, site, paths::EXPLAIN_CSV, table);
}

fn table(model: &Model, site: &Site, explanation: &Explanation) -> Representation {
    let region_id = explanation.scope.region_id(model.registry());
    let name = format!("ghi-explain-{region_id}-{}.csv", explanation.day.date);
    file(site, &name, explanation_csv(explanation, model.registry()).into())
}

const COLUMNS_OF_REGION: [&str; 15] = [
    "date",
    "region_id",
    "bound",
    "difficulty",
    "hashes_per_difficulty",
    "block_reward_coins",
    "hashes_per_coin",
    "efficiency_j_per_th",
    "energy_kwh_per_coin",
    "electricity_usd_per_kwh",
    "energy_usd_per_coin",
    "overhead",
    "cost_usd",
    "usd_per_ph_and_day",
    "fingerprint",
];

const COLUMNS_OF_WORLD: [&str; 9] = [
    "date",
    "region_id",
    "name",
    "hashrate_share_pct",
    "min_cost_usd",
    "avg_cost_usd",
    "max_cost_usd",
    "contribution_usd",
    "fingerprint",
];

/// An explanation as the CSV that `/export/explain.csv` sends, whose regions are those of the registry.
///
/// ```
/// use ghi_engine::{Inputs, Model, Scope};
/// use ghi_server::explanation_csv;
///
/// let model = Model::new(Inputs::default());
/// let explanation = model.explain(Scope::Global, "2026-11-15".parse().unwrap())?;
/// let csv = explanation_csv(&explanation, model.registry());
/// assert!(csv.starts_with("date,region_id,name,hashrate_share_pct,"));
/// # Ok::<(), ghi_engine::NoFigures>(())
/// ```
pub fn explanation_csv(explanation: &Explanation, registry: &Registry) -> String {
    let text = match explanation.scope {
        Scope::Global => of_world(explanation, registry),
        Scope::Region(_) => of_region(explanation, registry),
    };
    String::from_utf8(text).expect("what is written of texts is text")
}

fn of_region(explanation: &Explanation, registry: &Registry) -> Vec<u8> {
    let row = |scenario: &Scenario| {
        [
            explanation.day.date.to_string(),
            registry[scenario.region].id.clone(),
            scenario.bound.name().into(),
            explanation.difficulty.to_string(),
            explanation.hashes_per_difficulty.to_string(),
            explanation.block_reward_coins.to_string(),
            explanation.hashes_per_coin.to_string(),
            scenario.efficiency_j_per_th.to_string(),
            scenario.energy_kwh_per_coin.to_string(),
            scenario.electricity_usd_per_kwh.to_string(),
            scenario.energy_usd_per_coin.to_string(),
            explanation.overhead.to_string(),
            scenario.cost_usd.to_string(),
            scenario.usd_per_ph_and_day.to_string(),
            explanation.fingerprint.to_string(),
        ]
    };
    written(&COLUMNS_OF_REGION, explanation.scenarios.iter().map(row))
}

fn of_world(explanation: &Explanation, registry: &Registry) -> Vec<u8> {
    let row = |id: &str, name: &str, share: Decimal, costs: &Costs, contribution: Decimal| {
        [
            explanation.day.date.to_string(),
            id.into(),
            name.into(),
            share.to_string(),
            costs.min_usd.to_string(),
            costs.avg_usd.to_string(),
            costs.max_usd.to_string(),
            contribution.to_string(),
            explanation.fingerprint.to_string(),
        ]
    };
    let regions = explanation.parts.iter().map(|part| {
        let region = &registry[part.region];
        row(&region.id, &region.name, part.hashrate_share_pct, &part.costs, part.contribution_usd)
    });
    let (costs, sum) = (&explanation.costs, explanation.sum_usd());
    let world = row(GLOBAL, "World", WHOLE_NETWORK_PCT, costs, sum);
    written(&COLUMNS_OF_WORLD, regions.chain([world]))
}
