//! An explanation as a JSON document.

use ghi_contract::GLOBAL;
use ghi_contract::explanation::{
    ExplainedCapital, ExplainedChange, ExplainedCosts, ExplainedMining, ExplainedPart,
    ExplainedScenario, ExplanationDocument,
};
use ghi_engine::{
    CapitalCost, CostCase, CostChange, CostKind, CostSteps, Costs, Decimal, DisplayNumber,
    ENGINE_SANDBOX_VERSION, Explanation, FactorChange, Model, NoFigures, RegionContribution,
    Registry, Scope,
};
use jiff::civil::Date;

/// Returns the explanation of a day as the JSON that `/export/explain.json` sends, indented and with a
/// final newline. With `since`, it includes the change in the average since that day.
pub(crate) fn explanation_json(
    model: &Model,
    scope: Scope,
    date: Date,
    since: Option<Date>,
) -> Result<String, NoFigures> {
    let explanation = model.explain(scope, date)?;
    let change = since.map(|since| model.change(scope, since, date)).transpose()?;
    let mut document = document(&explanation, model.registry(), change.as_ref());
    if scope == Scope::Global {
        let miner = model.mean_miner(scope, &explanation.day)?;
        let per_day = explanation.mining.usd_per_ph_and_day;
        let mean = explained_scenario(GLOBAL, CostKind::Avg, &miner.steps, per_day);
        document.mean_miner = Some(mean);
    }
    Ok(serde_json::to_string_pretty(&document).expect("numbers and texts are plain JSON") + "\n")
}

fn document(
    explanation: &Explanation,
    registry: &Registry,
    change: Option<&CostChange>,
) -> ExplanationDocument {
    let mining = &explanation.mining;
    let average = explanation.costs.avg_usd;
    let scenario = |case: &CostCase| {
        let region_id = &registry[case.region].id;
        explained_scenario(region_id, case.kind, &case.steps, case.usd_per_ph_and_day)
    };
    let part = |part: &RegionContribution| ExplainedPart {
        region_id: registry[part.region].id.clone(),
        name: registry[part.region].name.clone(),
        hashrate_share_pct: part.hashrate_share_pct.to_f64(),
        costs: explained_costs(&part.costs),
        contribution_usd: part.contribution_usd.to_f64(),
    };
    let capital = |capital: CapitalCost| ExplainedCapital {
        usd_per_th: capital.usd_per_th,
        years: capital.years,
        capital_usd: capital.capital_usd.to_f64(),
        full_cost_usd: capital.full_cost_usd(average).to_f64(),
    };
    let factor = |change: &FactorChange| ExplainedChange {
        factor: change.factor.name().into(),
        from: change.from,
        to: change.to,
        change_pct: change.change_pct,
        change_usd: change.change_usd.to_f64(),
    };
    ExplanationDocument {
        date: explanation.day.date.to_string(),
        region_id: explanation.scope.region_id(registry).into(),
        fingerprint: explanation.fingerprint.to_string(),
        engine_sandbox_version: ENGINE_SANDBOX_VERSION.into(),
        costs: explained_costs(&explanation.costs),
        difficulty: explanation.difficulty as f64,
        hashes_per_difficulty: explanation.hashes_per_difficulty.value(),
        block_reward_coins: explanation.block_reward_coins.value(),
        hashes_per_coin: explanation.hashes_per_coin.value(),
        overhead: explanation.overhead.value(),
        scenarios: explanation.cases.iter().map(scenario).collect(),
        parts: explanation.contributions.iter().map(part).collect(),
        sum_of_contributions_usd: explanation.sum_usd().to_f64(),
        mining: ExplainedMining {
            hashrate_eh: mining.hashrate_eh.value(),
            power_gw: mining.power_gw.value(),
            energy_twh_per_year: mining.energy_twh_per_year.value(),
            usd_per_ph_and_day: mining.usd_per_ph_and_day.value(),
        },
        mean_miner: None,
        capital: explanation.capital.map(capital),
        since: change.map(|change| change.since.to_string()),
        changes: change.map(|change| change.factors.iter().map(factor).collect()),
        total_change_usd: change.map(|change| change.total_usd.to_f64()),
    }
}

fn explained_scenario(
    region_id: &str,
    kind: CostKind,
    steps: &CostSteps,
    usd_per_ph_and_day: DisplayNumber,
) -> ExplainedScenario {
    ExplainedScenario {
        region_id: region_id.into(),
        bound: kind.name().into(),
        efficiency_j_per_th: steps.efficiency_j_per_th.value(),
        energy_kwh_per_coin: steps.energy_kwh_per_coin.value(),
        electricity_usd_per_kwh: steps.electricity_usd_per_kwh.value(),
        energy_usd_per_coin: steps.energy_usd_per_coin.value(),
        overhead: steps.overhead.value(),
        cost_usd: steps.cost_usd.to_f64(),
        usd_per_ph_and_day: usd_per_ph_and_day.value(),
    }
}

fn explained_costs(costs: &Costs) -> ExplainedCosts {
    let [min, avg, max] = [costs.min_usd, costs.avg_usd, costs.max_usd].map(Decimal::to_f64);
    ExplainedCosts { min_cost_usd: min, avg_cost_usd: avg, max_cost_usd: max }
}
