//! An explanation as a JSON document.

use ghi_engine::{
    CostCase, Costs, Decimal, ENGINE_SANDBOX_VERSION, Explanation, RegionContribution, Registry,
};
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
    /// Whole cost over the cost of energy.
    #[cfg_attr(feature = "internals", schema(exclusive_minimum = 0))]
    overhead: f64,
    /// The calculation of each cost, from minimum to maximum. Worldwide, those of the regions with the
    /// lowest minimum and the highest maximum.
    scenarios: Vec<ExplainedScenario>,
    /// Each region's contribution to the global average; for a region, only itself.
    parts: Vec<ExplainedPart>,
    /// The sum of the contributions, which is the average before rounding, USD.
    sum_of_contributions_usd: f64,
    /// The scope in mining units.
    mining: ExplainedMining,
    /// What 1% more of each input does to the average.
    sensitivities: Vec<ExplainedSensitivity>,
}

/// Published costs.
#[derive(Serialize)]
#[cfg_attr(feature = "internals", derive(utoipa::ToSchema))]
struct ExplainedCosts {
    /// The minimum, USD per coin.
    min_cost_usd: f64,
    /// The average, USD per coin.
    avg_cost_usd: f64,
    /// The maximum, USD per coin.
    max_cost_usd: f64,
}

/// The calculation of one cost.
#[derive(Serialize)]
#[cfg_attr(feature = "internals", derive(utoipa::ToSchema))]
struct ExplainedScenario {
    /// The region whose cost it is.
    region_id: String,
    /// `min`, `avg` or `max`.
    bound: String,
    /// Efficiency of the fleet, J/TH.
    efficiency_j_per_th: f64,
    /// Energy per coin, kWh.
    energy_kwh_per_coin: f64,
    /// Electricity price, USD/kWh.
    electricity_usd_per_kwh: f64,
    /// Energy per coin × electricity price, USD.
    energy_usd_per_coin: f64,
    /// Cost of energy x overhead, rounded: the published cost, USD per coin.
    cost_usd: f64,
    /// Cost of 1 PH/s per day, USD.
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
    /// The region's share of the network's hashrate, percent.
    hashrate_share_pct: f64,
    /// The region's published costs.
    costs: ExplainedCosts,
    /// Share × average, USD.
    contribution_usd: f64,
}

/// Mining units, at the average efficiency and electricity price.
#[derive(Serialize)]
#[cfg_attr(feature = "internals", derive(utoipa::ToSchema))]
struct ExplainedMining {
    /// Hashrate implied by the difficulty, EH/s.
    hashrate_eh: f64,
    /// Power at this hashrate, GW.
    power_gw: f64,
    /// Energy per year at this power, TWh.
    energy_twh_per_year: f64,
    /// Cost of 1 PH/s per day, USD.
    usd_per_ph_and_day: f64,
}

/// What 1% more of an input does.
#[derive(Serialize)]
#[cfg_attr(feature = "internals", derive(utoipa::ToSchema))]
struct ExplainedSensitivity {
    /// The input.
    input: String,
    /// How much the average changes, percent.
    change_pct: f64,
    /// The average then, USD per coin.
    avg_cost_usd: f64,
}

/// An explanation as the JSON that `/export/explain.json` sends, whose regions are those of the
/// registry: with the names of the API where it has them, indented and with a newline at its end.
///
/// ```
/// use ghi_engine::{Inputs, Model, Scope};
/// use ghi_server::explanation_json;
///
/// let model = Model::new(Inputs::default());
/// let explanation = model.explain(Scope::Global, "2026-11-15".parse().unwrap())?;
/// let json = explanation_json(&explanation, model.registry());
/// assert!(json.starts_with("{\n  \"date\": \"2026-11-15\",\n  \"region_id\": \"global\",\n"));
/// # Ok::<(), ghi_engine::NoFigures>(())
/// ```
pub fn explanation_json(explanation: &Explanation, registry: &Registry) -> String {
    let document = ExplanationDocument::new(explanation, registry);
    serde_json::to_string_pretty(&document).expect("numbers and texts are plain JSON") + "\n"
}

impl ExplanationDocument {
    fn new(explanation: &Explanation, registry: &Registry) -> Self {
        let mining = &explanation.mining;
        let sensitivities = explanation.sensitivities.iter().map(|one| ExplainedSensitivity {
            input: one.input.into(),
            change_pct: one.change_pct,
            avg_cost_usd: one.avg_usd.to_f64(),
        });
        let scenarios = explanation.cases.iter();
        let parts = explanation.contributions.iter();
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
            scenarios: scenarios.map(|one| ExplainedScenario::new(one, registry)).collect(),
            parts: parts.map(|part| ExplainedPart::new(part, registry)).collect(),
            sum_of_contributions_usd: explanation.sum_usd().to_f64(),
            mining: ExplainedMining {
                hashrate_eh: mining.hashrate_eh.value(),
                power_gw: mining.power_gw.value(),
                energy_twh_per_year: mining.energy_twh_per_year.value(),
                usd_per_ph_and_day: mining.usd_per_ph_and_day.value(),
            },
            sensitivities: sensitivities.collect(),
        }
    }
}

impl ExplainedScenario {
    fn new(scenario: &CostCase, registry: &Registry) -> Self {
        Self {
            region_id: registry[scenario.region].id.clone(),
            bound: scenario.kind.name().into(),
            efficiency_j_per_th: scenario.efficiency_j_per_th.value(),
            energy_kwh_per_coin: scenario.energy_kwh_per_coin.value(),
            electricity_usd_per_kwh: scenario.electricity_usd_per_kwh.value(),
            energy_usd_per_coin: scenario.energy_usd_per_coin.value(),
            cost_usd: scenario.cost_usd.to_f64(),
            usd_per_ph_and_day: scenario.usd_per_ph_and_day.value(),
        }
    }
}

impl ExplainedPart {
    fn new(part: &RegionContribution, registry: &Registry) -> Self {
        let region = &registry[part.region];
        Self {
            region_id: region.id.clone(),
            name: region.name.clone(),
            hashrate_share_pct: part.hashrate_share_pct.to_f64(),
            costs: (&part.costs).into(),
            contribution_usd: part.contribution_usd.to_f64(),
        }
    }
}

impl From<&Costs> for ExplainedCosts {
    fn from(costs: &Costs) -> Self {
        let [min, avg, max] = [costs.min_usd, costs.avg_usd, costs.max_usd].map(Decimal::to_f64);
        Self { min_cost_usd: min, avg_cost_usd: avg, max_cost_usd: max }
    }
}
