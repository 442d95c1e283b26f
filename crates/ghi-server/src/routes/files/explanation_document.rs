//! An explanation as a JSON document.

use ghi_contract::GLOBAL;
use ghi_engine::{
    CapitalCost, CostCase, CostChange, CostKind, CostSteps, Costs, Decimal, DisplayNumber,
    ENGINE_SANDBOX_VERSION, Explanation, FactorChange, Model, NoFigures, RegionContribution,
    Registry, Scope,
};
use jiff::civil::Date;
use serde::Serialize;

/// How the costs of a day are calculated. Numbers keep enough digits to reproduce the published cost
/// exactly.
#[derive(Serialize)]
#[cfg_attr(feature = "internals", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "internals", schema(as = Explanation))]
pub(crate) struct ExplanationDocument {
    /// The UTC day, `YYYY-MM-DD`.
    date: String,
    /// `global`, or the region's id.
    region_id: String,
    /// SHA-256 of the inputs.
    fingerprint: String,
    /// The engine's version, `<version>-sandbox`.
    engine_sandbox_version: String,
    /// The published costs.
    costs: ExplainedCosts,
    /// The network's difficulty.
    difficulty: f64,
    /// Expected hashes per unit of difficulty.
    #[cfg_attr(feature = "internals", schema(exclusive_minimum = 0))]
    hashes_per_difficulty: f64,
    /// Coins per block.
    #[cfg_attr(feature = "internals", schema(exclusive_minimum = 0))]
    block_reward_coins: f64,
    /// Hashes to mine one coin: difficulty × hashes per difficulty ÷ reward.
    #[cfg_attr(feature = "internals", schema(exclusive_minimum = 0))]
    hashes_per_coin: f64,
    /// Total cost divided by energy cost. For worldwide costs, the average miner's overhead.
    #[cfg_attr(feature = "internals", schema(exclusive_minimum = 0))]
    overhead: f64,
    /// The calculation of each cost, from minimum to maximum. For worldwide costs, this covers the regions
    /// with the lowest minimum and the highest maximum.
    scenarios: Vec<ExplainedScenario>,
    /// Each region's contribution to the worldwide average; for a region, only its own.
    parts: Vec<ExplainedPart>,
    /// The sum of the contributions in USD, which is the average before rounding.
    sum_of_contributions_usd: f64,
    /// Hashrate, power, energy and daily cost, in miners' units.
    mining: ExplainedMining,
    /// For worldwide costs, the average miner, whose cost is the average: efficiency is weighted by
    /// hashrate, electricity by energy use, and overhead by energy cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "internals", schema(nullable = false))]
    mean_miner: Option<ExplainedScenario>,
    /// The cost of machines, if the inputs give their price. Published costs do not include it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "internals", schema(nullable = false))]
    capital: Option<ExplainedCapital>,
    /// The day since which the change in the average is explained, `YYYY-MM-DD`. Only with `since`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "internals", schema(nullable = false))]
    since: Option<String>,
    /// Each factor's effect on the average. Only with `since`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "internals", schema(nullable = false))]
    changes: Option<Vec<ExplainedChange>>,
    /// The change in the average in USD per coin, which is exactly the sum of the effects. Only with
    /// `since`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "internals", schema(nullable = false))]
    total_change_usd: Option<f64>,
}

/// Published costs.
#[derive(Serialize)]
#[cfg_attr(feature = "internals", derive(utoipa::ToSchema))]
struct ExplainedCosts {
    /// The minimum in USD per coin.
    min_cost_usd: f64,
    /// The average in USD per coin.
    avg_cost_usd: f64,
    /// The maximum in USD per coin.
    max_cost_usd: f64,
}

/// The calculation of one cost.
#[derive(Serialize)]
#[cfg_attr(feature = "internals", derive(utoipa::ToSchema))]
struct ExplainedScenario {
    /// The region whose cost this is. `global` for the average miner.
    region_id: String,
    /// `min`, `avg` or `max`.
    bound: String,
    /// Efficiency of the machines in J/TH.
    efficiency_j_per_th: f64,
    /// Energy per coin in kWh.
    energy_kwh_per_coin: f64,
    /// Electricity price in USD/kWh.
    electricity_usd_per_kwh: f64,
    /// Energy per coin × electricity price, in USD.
    energy_usd_per_coin: f64,
    /// Total cost divided by energy cost.
    overhead: f64,
    /// Energy cost × overhead, rounded: the published cost in USD per coin.
    cost_usd: f64,
    /// Daily cost per PH/s in USD.
    usd_per_ph_and_day: f64,
}

/// A region's contribution to the average.
#[derive(Serialize)]
#[cfg_attr(feature = "internals", derive(utoipa::ToSchema))]
struct ExplainedPart {
    /// The region's id.
    region_id: String,
    /// The region's display name.
    name: String,
    /// The region's share of the network's hashrate in percent.
    hashrate_share_pct: f64,
    /// The region's published costs.
    costs: ExplainedCosts,
    /// Share × average, in USD.
    contribution_usd: f64,
}

/// Figures in miners' units, at the average efficiency and electricity price.
#[derive(Serialize)]
#[cfg_attr(feature = "internals", derive(utoipa::ToSchema))]
struct ExplainedMining {
    /// Hashrate implied by the difficulty, in EH/s.
    hashrate_eh: f64,
    /// Power draw at this hashrate in GW.
    power_gw: f64,
    /// Energy per year at this power in TWh.
    energy_twh_per_year: f64,
    /// Daily cost per PH/s in USD.
    usd_per_ph_and_day: f64,
}

/// The cost of machines.
#[derive(Serialize)]
#[cfg_attr(feature = "internals", derive(utoipa::ToSchema))]
struct ExplainedCapital {
    /// The price of 1 TH/s of machines in USD.
    usd_per_th: f64,
    /// Service life of machines in years.
    years: f64,
    /// Hashes per coin ÷ (10^12 × years × 31,557,600) × price of 1 TH/s, in USD per coin.
    capital_usd: f64,
    /// The average plus the capital cost, in USD per coin.
    full_cost_usd: f64,
}

/// A factor's effect on the average.
#[derive(Serialize)]
#[cfg_attr(feature = "internals", derive(utoipa::ToSchema))]
struct ExplainedChange {
    /// `difficulty`, `block_reward`, `efficiency`, `electricity`, `overhead` or, for worldwide costs,
    /// `shares`.
    factor: String,
    /// Its value on the first day; null for shares, and for worldwide costs if it differs between regions.
    #[cfg_attr(feature = "internals", schema(required = true))]
    from: Option<f64>,
    /// Its value on the second day; null in the same cases.
    #[cfg_attr(feature = "internals", schema(required = true))]
    to: Option<f64>,
    /// Its effect on the cost in percent: 100 for a halved block reward.
    change_pct: f64,
    /// Its effect on the average, in USD per coin.
    change_usd: f64,
}

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
    let mut document = ExplanationDocument::new(&explanation, model.registry(), change.as_ref());
    if scope == Scope::Global {
        let miner = model.mean_miner(scope, &explanation.day)?;
        let per_day = explanation.mining.usd_per_ph_and_day;
        let mean = ExplainedScenario::new(GLOBAL, CostKind::Avg, &miner.steps, per_day);
        document.mean_miner = Some(mean);
    }
    Ok(serde_json::to_string_pretty(&document).expect("numbers and texts are plain JSON") + "\n")
}

impl ExplanationDocument {
    fn new(explanation: &Explanation, registry: &Registry, change: Option<&CostChange>) -> Self {
        let mining = &explanation.mining;
        let average = explanation.costs.avg_usd;
        let scenario = |case: &CostCase| {
            let region_id = &registry[case.region].id;
            ExplainedScenario::new(region_id, case.kind, &case.steps, case.usd_per_ph_and_day)
        };
        let part = |part: &RegionContribution| ExplainedPart {
            region_id: registry[part.region].id.clone(),
            name: registry[part.region].name.clone(),
            hashrate_share_pct: part.hashrate_share_pct.to_f64(),
            costs: (&part.costs).into(),
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
        Self {
            date: explanation.day.date.to_string(),
            region_id: explanation.scope.region_id(registry).into(),
            fingerprint: explanation.fingerprint.to_string(),
            engine_sandbox_version: ENGINE_SANDBOX_VERSION.into(),
            costs: (&explanation.costs).into(),
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
}

impl ExplainedScenario {
    fn new(
        region_id: &str,
        kind: CostKind,
        steps: &CostSteps,
        usd_per_ph_and_day: DisplayNumber,
    ) -> Self {
        Self {
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
}

impl From<&Costs> for ExplainedCosts {
    fn from(costs: &Costs) -> Self {
        let [min, avg, max] = [costs.min_usd, costs.avg_usd, costs.max_usd].map(Decimal::to_f64);
        Self { min_cost_usd: min, avg_cost_usd: avg, max_cost_usd: max }
    }
}
