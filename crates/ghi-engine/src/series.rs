//! stub
use crate::decimal::Decimal;
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct Series {}
pub(crate) struct NetworkRow {
    pub(crate) difficulty: u64,
    pub(crate) hashrate_eh: Option<f64>,
    pub(crate) fee_usd: Option<f64>,
    pub(crate) block_reward_coins: Option<f64>,
}
pub(crate) struct RegionRow {
    pub(crate) hashrate_share_pct: Option<Decimal>,
    pub(crate) efficiency_j_per_th: [Option<f64>; 3],
    pub(crate) electricity_usd_per_kwh: [Option<f64>; 3],
}
impl Series {
    pub(crate) fn covered(&self) -> Option<(i64, i64)> {
        None
    }
    pub(crate) fn has_shares(&self) -> bool {
        false
    }
    pub(crate) fn network_on(&self, _day: i64) -> Option<&NetworkRow> {
        None
    }
    pub(crate) fn region_on(&self, _region: usize, _day: i64) -> Option<&RegionRow> {
        None
    }
}
