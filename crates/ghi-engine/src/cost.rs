//! The cost formula.

/// Expected hashes per unit of difficulty for one block.
pub const HASHES_PER_DIFFICULTY: f64 = 4_294_967_296.0;

/// Hashes per terahash: efficiency is given in J/TH.
const HASHES_PER_TH: f64 = 1e12;

/// Joules per kilowatt-hour: power is priced in USD/kWh.
const JOULES_PER_KWH: f64 = 3.6e6;

/// What it costs to mine one coin, USD.
///
/// `overhead` is the whole cost over the cost of energy.
///
/// ```
/// let cost = ghi_engine::cost_usd_per_coin(89e12, 3.125, 25.0, 0.05, 1.25);
/// assert_eq!(cost.round(), 53_091.0);
/// ```
pub fn cost_usd_per_coin(
    difficulty: f64,
    block_reward_coins: f64,
    efficiency_j_per_th: f64,
    electricity_usd_per_kwh: f64,
    overhead: f64,
) -> f64 {
    let hashes = difficulty * HASHES_PER_DIFFICULTY / block_reward_coins;
    let energy_kwh = hashes * efficiency_j_per_th / HASHES_PER_TH / JOULES_PER_KWH;
    energy_kwh * electricity_usd_per_kwh * overhead
}
