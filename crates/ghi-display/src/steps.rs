//! The steps from the difficulty to a cost: one list for the page, the CSV file and the terminal.

use ghi_engine::{CostCase, Explanation, Scope};

const TWO_TO_32: f64 = 4_294_967_296.0;

/// A step of a calculation.
pub struct DerivationStep {
    /// Its name in files.
    pub field: &'static str,
    /// Its name on a page.
    pub label: &'static str,
    /// Its name in a terminal, with its unit.
    pub short_label: &'static str,
    /// Its unit on a page, if it has one.
    pub unit: &'static str,
    /// Whether it is the same for each cost.
    pub is_shared: bool,
    /// Returns its number, with enough digits to reproduce the published cost.
    pub value: fn(&Explanation, &CostCase) -> String,
    /// Describes how it is calculated from the steps before it.
    pub how: fn(&Explanation) -> String,
}

/// All steps, each after those it is calculated from.
pub const STEPS: [DerivationStep; 10] = [
    DerivationStep {
        field: "difficulty",
        label: "Difficulty",
        short_label: "difficulty",
        unit: "",
        is_shared: true,
        value: |explanation, _| explanation.mean_miner.difficulty.to_string(),
        how: |_| "network difficulty on this day".into(),
    },
    DerivationStep {
        field: "hashes_per_difficulty",
        label: "Hashes per difficulty",
        short_label: "hashes per difficulty",
        unit: "",
        is_shared: true,
        value: |explanation, _| explanation.mean_miner.hashes_per_difficulty.to_string(),
        how: |explanation| {
            let name = if is_two_to_32(explanation) { "2³², " } else { "" };
            format!("{name}expected hashes per unit of difficulty")
        },
    },
    DerivationStep {
        field: "block_reward_coins",
        label: "Block reward",
        short_label: "block reward, coins",
        unit: "coins",
        is_shared: true,
        value: |explanation, _| explanation.mean_miner.block_reward_coins.to_string(),
        how: |_| "per block".into(),
    },
    DerivationStep {
        field: "hashes_per_coin",
        label: "Hashes per coin",
        short_label: "hashes per coin",
        unit: "",
        is_shared: true,
        value: |explanation, _| explanation.hashes_per_coin.to_string(),
        how: |explanation| {
            let factor = if is_two_to_32(explanation) { "2³²" } else { "hashes per difficulty" };
            format!("difficulty × {factor} ÷ block reward")
        },
    },
    DerivationStep {
        field: "efficiency_j_per_th",
        label: "Efficiency",
        short_label: "J/TH",
        unit: "J/TH",
        is_shared: false,
        value: |_, case| case.steps.efficiency_j_per_th.to_string(),
        how: |explanation| match explanation.scope {
            Scope::Global => "most and least efficient machines".into(),
            Scope::Region(_) => "most efficient, average and least efficient machines".into(),
        },
    },
    DerivationStep {
        field: "energy_kwh_per_coin",
        label: "Energy per coin",
        short_label: "kWh per coin",
        unit: "kWh",
        is_shared: false,
        value: |_, case| case.steps.energy_kwh_per_coin.to_string(),
        how: |_| "hashes per coin × efficiency ÷ 10¹² ÷ 3,600,000".into(),
    },
    DerivationStep {
        field: "electricity_usd_per_kwh",
        label: "Electricity",
        short_label: "USD/kWh",
        unit: "USD/kWh",
        is_shared: false,
        value: |_, case| case.steps.electricity_usd_per_kwh.to_string(),
        how: |explanation| match explanation.scope {
            Scope::Global => "lowest and highest price".into(),
            Scope::Region(_) => "lowest, average and highest price".into(),
        },
    },
    DerivationStep {
        field: "energy_usd_per_coin",
        label: "Energy cost per coin",
        short_label: "energy, USD",
        unit: "USD",
        is_shared: false,
        value: |_, case| case.steps.energy_usd_per_coin.to_string(),
        how: |_| "energy per coin × electricity".into(),
    },
    DerivationStep {
        field: "overhead",
        label: "Overhead",
        short_label: "overhead",
        unit: "",
        is_shared: false,
        value: |_, case| case.steps.overhead.to_string(),
        how: |_| "total cost divided by energy cost".into(),
    },
    DerivationStep {
        field: "cost_usd",
        label: "Cost per coin",
        short_label: "cost, USD",
        unit: "USD",
        is_shared: false,
        value: |_, case| case.steps.cost_usd.to_string(),
        how: |explanation| {
            let decimals = explanation.costs.avg_usd.decimals();
            format!("energy cost × overhead, rounded to {decimals} decimals")
        },
    },
];

fn is_two_to_32(explanation: &Explanation) -> bool {
    explanation.mean_miner.hashes_per_difficulty.value() == TWO_TO_32
}
