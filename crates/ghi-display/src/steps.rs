//! The steps from the difficulty to a cost: one list for the page, the CSV file and the terminal.

use ghi_engine::{CostCase, Explanation, Scope};

const TWO_TO_32: f64 = 4_294_967_296.0;

/// All steps in order: the names in files, on a page, and in a terminal with the unit; and the unit on a page.
pub const STEPS: [[&str; 4]; 10] = [
    ["difficulty", "Difficulty", "difficulty", ""],
    ["hashes_per_difficulty", "Hashes per difficulty", "hashes per difficulty", ""],
    ["block_reward_coins", "Block reward", "block reward, coins", "coins"],
    ["hashes_per_coin", "Hashes per coin", "hashes per coin", ""],
    ["efficiency_j_per_th", "Efficiency", "J/TH", "J/TH"],
    ["energy_kwh_per_coin", "Energy per coin", "kWh per coin", "kWh"],
    ["electricity_usd_per_kwh", "Electricity", "USD/kWh", "USD/kWh"],
    ["energy_usd_per_coin", "Energy cost per coin", "energy, USD", "USD"],
    ["overhead", "Overhead", "overhead", ""],
    ["cost_usd", "Cost per coin", "cost, USD", "USD"],
];

/// The number of steps before those that differ from cost to cost.
pub const SHARED_STEPS: usize = 4;

/// Returns the number of each step to a cost, with enough digits to reproduce the published cost.
pub fn step_values(explanation: &Explanation, case: &CostCase) -> [String; STEPS.len()] {
    [
        explanation.mean_miner.difficulty.to_string(),
        explanation.mean_miner.hashes_per_difficulty.to_string(),
        explanation.mean_miner.block_reward_coins.to_string(),
        explanation.hashes_per_coin.to_string(),
        case.steps.efficiency_j_per_th.to_string(),
        case.steps.energy_kwh_per_coin.to_string(),
        case.steps.electricity_usd_per_kwh.to_string(),
        case.steps.energy_usd_per_coin.to_string(),
        case.steps.overhead.to_string(),
        case.steps.cost_usd.to_string(),
    ]
}

/// Describes how each step is calculated from the steps before it.
pub fn step_descriptions(explanation: &Explanation) -> [String; STEPS.len()] {
    let is_two_to_32 = explanation.mean_miner.hashes_per_difficulty.value() == TWO_TO_32;
    let [name, factor] =
        if is_two_to_32 { ["2³², ", "2³²"] } else { ["", "hashes per difficulty"] };
    let [machines, prices] = match explanation.scope {
        Scope::Global => ["most and", "lowest and"],
        Scope::Region(_) => ["most efficient, average and", "lowest, average and"],
    };
    let decimals = explanation.costs.avg_usd.decimals();
    [
        "network difficulty on this day".into(),
        format!("{name}expected hashes per unit of difficulty"),
        "per block".into(),
        format!("difficulty × {factor} ÷ block reward"),
        format!("{machines} least efficient machines"),
        "hashes per coin × efficiency ÷ 10¹² ÷ 3,600,000".into(),
        format!("{prices} highest price"),
        "energy per coin × electricity".into(),
        "total cost divided by energy cost".into(),
        format!("energy cost × overhead, rounded to {decimals} decimals"),
    ]
}
