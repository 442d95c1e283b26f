//! The document that explains the costs of a day, a file of this project's servers. It is not part of the contract.

use serde::{Deserialize, Serialize};

/// How the costs of a day are calculated. Numbers keep enough digits to reproduce the published cost
/// exactly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Explanation))]
pub struct ExplanationDocument {
    /// The UTC day, `YYYY-MM-DD`.
    pub date: String,
    /// `global`, or the region's id.
    pub region_id: String,
    /// SHA-256 of the inputs.
    pub fingerprint: String,
    /// The engine's version, `<version>-sandbox`.
    pub engine_sandbox_version: String,
    /// The published costs.
    pub costs: ExplainedCosts,
    /// The network's difficulty.
    pub difficulty: f64,
    /// Expected hashes per unit of difficulty.
    pub hashes_per_difficulty: f64,
    /// Coins per block.
    pub block_reward_coins: f64,
    /// Hashes to mine one coin: difficulty × hashes per difficulty ÷ reward.
    pub hashes_per_coin: f64,
    /// Total cost divided by energy cost. For worldwide costs, the average miner's overhead.
    #[cfg_attr(feature = "openapi", schema(exclusive_minimum = 0))]
    pub overhead: f64,
    /// The calculation of each cost, from minimum to maximum. For worldwide costs, this covers the regions
    /// with the lowest minimum and the highest maximum.
    pub scenarios: Vec<ExplainedScenario>,
    /// Each region's contribution to the worldwide average; for a region, only its own.
    pub parts: Vec<ExplainedPart>,
    /// The sum of the contributions in USD, which is the average before rounding.
    pub sum_of_contributions_usd: f64,
    /// Hashrate, power, energy and daily cost, in miners' units.
    pub mining: ExplainedMining,
    /// For worldwide costs, the average miner, whose cost is the average: efficiency is weighted by
    /// hashrate, electricity by energy use, and overhead by energy cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub mean_miner: Option<ExplainedScenario>,
    /// The cost of machines, if the inputs give their price. Published costs do not include it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub capital: Option<ExplainedCapital>,
    /// The day since which the change in the average is explained, `YYYY-MM-DD`. Only with `since`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub since: Option<String>,
    /// Each factor's effect on the average. Only with `since`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub changes: Option<Vec<ExplainedChange>>,
    /// The change in the average in USD per coin, which is exactly the sum of the effects. Only with
    /// `since`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub total_change_usd: Option<f64>,
}

/// Published costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExplainedCosts {
    /// The minimum in USD per coin.
    pub min_cost_usd: f64,
    /// The average in USD per coin.
    pub avg_cost_usd: f64,
    /// The maximum in USD per coin.
    pub max_cost_usd: f64,
}

/// The calculation of one cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExplainedScenario {
    /// The region whose cost this is. `global` for the average miner.
    pub region_id: String,
    /// `min`, `avg` or `max`.
    pub bound: String,
    /// Efficiency of the machines in J/TH.
    pub efficiency_j_per_th: f64,
    /// Energy per coin in kWh.
    pub energy_kwh_per_coin: f64,
    /// Electricity price in USD/kWh.
    pub electricity_usd_per_kwh: f64,
    /// Energy per coin × electricity price, in USD.
    pub energy_usd_per_coin: f64,
    /// Total cost divided by energy cost.
    pub overhead: f64,
    /// Energy cost × overhead, rounded: the published cost in USD per coin.
    pub cost_usd: f64,
    /// Daily cost per PH/s in USD.
    pub usd_per_ph_and_day: f64,
}

/// A region's contribution to the average.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExplainedPart {
    /// The region's id.
    pub region_id: String,
    /// The region's display name.
    pub name: String,
    /// The region's share of the network's hashrate in percent.
    pub hashrate_share_pct: f64,
    /// The region's published costs.
    pub costs: ExplainedCosts,
    /// Share × average, in USD.
    pub contribution_usd: f64,
}

/// Figures in miners' units, at the average efficiency and electricity price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExplainedMining {
    /// Hashrate implied by the difficulty, in EH/s.
    pub hashrate_eh: f64,
    /// Power draw at this hashrate in GW.
    pub power_gw: f64,
    /// Energy per year at this power in TWh.
    pub energy_twh_per_year: f64,
    /// Daily cost per PH/s in USD.
    pub usd_per_ph_and_day: f64,
}

/// The cost of machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExplainedCapital {
    /// The price of 1 TH/s of machines in USD.
    pub usd_per_th: f64,
    /// Service life of machines in years.
    pub years: f64,
    /// Hashes per coin ÷ (10^12 × years × 31,557,600) × price of 1 TH/s, in USD per coin.
    pub capital_usd: f64,
    /// The average plus the capital cost, in USD per coin.
    pub full_cost_usd: f64,
}

/// A factor's effect on the average.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExplainedChange {
    /// `difficulty`, `block_reward`, `efficiency`, `electricity`, `overhead` or, for worldwide costs,
    /// `shares`.
    pub factor: String,
    /// Its value on the first day; null for shares, and for worldwide costs if it differs between regions.
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub from: Option<f64>,
    /// Its value on the second day; null in the same cases.
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub to: Option<f64>,
    /// Its effect on the cost in percent: 100 for a halved block reward.
    pub change_pct: f64,
    /// Its effect on the average, in USD per coin.
    pub change_usd: f64,
}
