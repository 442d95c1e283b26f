//! An explanation as JSON.

use ghi_engine::{Costs, Decimal, ENGINE_SANDBOX_VERSION, Explanation, Registry};
use serde_json::{Value, json};

/// The explanation with the names of the API where it has them, indented and with a newline at its end.
pub(crate) fn explanation_json(explanation: &Explanation, registry: &Registry) -> String {
    let scenarios = explanation.scenarios.iter().map(|scenario| {
        json!({
            "region_id": registry[scenario.region].id,
            "bound": scenario.bound.name(),
            "efficiency_j_per_th": scenario.efficiency_j_per_th.value(),
            "energy_kwh_per_coin": scenario.energy_kwh_per_coin.value(),
            "electricity_usd_per_kwh": scenario.electricity_usd_per_kwh.value(),
            "energy_usd_per_coin": scenario.energy_usd_per_coin.value(),
            "cost_usd": figure(scenario.cost_usd),
            "usd_per_ph_and_day": scenario.usd_per_ph_and_day.value(),
        })
    });
    let parts = explanation.parts.iter().map(|part| {
        json!({
            "region_id": registry[part.region].id,
            "name": registry[part.region].name,
            "hashrate_share_pct": figure(part.hashrate_share_pct),
            "costs": costs(&part.costs),
            "contribution_usd": figure(part.contribution_usd),
        })
    });
    let sensitivities = explanation.sensitivities.iter().map(|one| {
        json!({ "input": one.input, "change_pct": one.change_pct, "avg_cost_usd": figure(one.avg_usd) })
    });
    let mining = &explanation.mining;
    let document = json!({
        "date": explanation.day.date.to_string(),
        "region_id": explanation.scope.region_id(registry),
        "fingerprint": explanation.fingerprint.to_string(),
        "engine_sandbox_version": ENGINE_SANDBOX_VERSION,
        "costs": costs(&explanation.costs),
        "difficulty": explanation.difficulty as f64,
        "hashes_per_difficulty": explanation.hashes_per_difficulty.value(),
        "block_reward_coins": explanation.block_reward_coins.value(),
        "hashes_per_coin": explanation.hashes_per_coin.value(),
        "overhead": explanation.overhead.value(),
        "scenarios": scenarios.collect::<Vec<Value>>(),
        "parts": parts.collect::<Vec<Value>>(),
        "sum_of_contributions_usd": figure(explanation.sum_usd()),
        "mining": {
            "hashrate_eh": mining.hashrate_eh.value(),
            "power_gw": mining.power_gw.value(),
            "energy_twh_per_year": mining.energy_twh_per_year.value(),
            "usd_per_ph_and_day": mining.usd_per_ph_and_day.value(),
        },
        "sensitivities": sensitivities.collect::<Vec<Value>>(),
    });
    format!("{document:#}\n")
}

fn costs(costs: &Costs) -> Value {
    json!({
        "min_cost_usd": figure(costs.min_usd),
        "avg_cost_usd": figure(costs.avg_usd),
        "max_cost_usd": figure(costs.max_usd),
    })
}

fn figure(figure: Decimal) -> Value {
    figure.to_f64().into()
}
