//! The formula with a reader's own numbers.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue fails")]

use ghi_engine::{DEFAULT_INPUTS, Day, Decimal, Inputs, MeanMiner, Model, Scope, WhatIf};
use jiff::ToSpan;
use jiff::civil::{Date, date};
use proptest::prelude::*;

fn any_model() -> impl Strategy<Value = Model> {
    (10.0..10_000.0, 0.01..50.0, 1.0..10.0).prop_map(|(hashrate_eh, reward, overhead)| {
        let text = DEFAULT_INPUTS
            .replace("hashrate_eh = 975.0", &format!("hashrate_eh = {hashrate_eh}"))
            .replace("block_reward_coins = 3.125", &format!("block_reward_coins = {reward}"))
            .replace("overhead = 1.24", &format!("overhead = {overhead}"));
        Model::new(Inputs::parse(&text).unwrap())
    })
}

fn any_date() -> impl Strategy<Value = Date> {
    (0..3_652_058_i32).prop_map(|days| date(1, 1, 1).saturating_add(days.days()))
}

fn scopes(model: &Model) -> impl Iterator<Item = Scope> {
    model.registry().indices().map(Scope::Region).chain([Scope::Global])
}

fn cost_usd(miner: &MeanMiner) -> Option<Decimal> {
    let decimals = miner.steps.cost_usd.decimals();
    miner.what_if().cost_usd(miner.difficulty, miner.hashes_per_difficulty.value(), decimals)
}

#[track_caller]
fn check(model: &Model, day: &Day) {
    for scope in scopes(model) {
        let miner = model.mean_miner(scope, day).unwrap();
        assert_eq!(cost_usd(&miner), Some(scope.costs(day).avg_usd), "{miner:?}");
        let steps = [
            miner.steps.energy_kwh_per_coin,
            miner.steps.electricity_usd_per_kwh,
            miner.steps.overhead,
        ];
        let product: f64 =
            steps.map(|step| step.to_string().parse::<f64>().unwrap()).iter().product();
        let decimals = usize::from(miner.steps.cost_usd.decimals());
        assert_eq!(
            format!("{product:.decimals$}"),
            miner.steps.cost_usd.to_string(),
            "displayed digits"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_what_if_with_a_regions_numbers_gives_its_average(model in any_model(), date in any_date()) {
        let day = model.day(date).unwrap();
        for region in model.registry().indices() {
            let explanation = model.explain(Scope::Region(region), date).unwrap();
            let avg = &explanation.cases[1];
            let what_if = WhatIf([
                avg.steps.electricity_usd_per_kwh.value(),
                avg.steps.efficiency_j_per_th.value(),
                explanation.mean_miner.steps.overhead.value(),
                explanation.mean_miner.block_reward_coins.value(),
            ]);
            let per_difficulty = explanation.mean_miner.hashes_per_difficulty.value();
            let cost = what_if.cost_usd(explanation.mean_miner.difficulty, per_difficulty, 2);
            prop_assert_eq!(cost, Some(day.regions[region.get()].avg_usd));
        }
    }

    #[test]
    fn the_mean_miner_of_a_scope_has_its_average_cost(model in any_model(), date in any_date()) {
        check(&model, &model.day(date).unwrap());
    }
}

#[test]
fn the_mean_miner_of_other_networks_has_their_average_cost() {
    for text in [
        include_str!("../../../examples/dogecoin.toml"),
        include_str!("../../../examples/litecoin.toml"),
        include_str!("../../../examples/monero.toml"),
    ] {
        let model = Model::new(Inputs::parse(text).unwrap());
        for days in 0..60 {
            check(&model, &model.day(date(2026, 11, 1).saturating_add(days.days())).unwrap());
        }
    }
}

/// The means of the default network, computed by hand.
#[test]
fn worldwide_efficiency_is_weighted_by_hashrate_and_electricity_by_energy() {
    let model = Model::new(Inputs::default());
    let day = model.day(date(2026, 11, 15)).unwrap();
    let world = model.mean_miner(Scope::Global, &day).unwrap();
    let efficiency = 0.60 * 17.9 + 0.13 * 16.4 + 0.27 * 18.5;
    assert!((world.steps.efficiency_j_per_th.value() / efficiency - 1.0).abs() < 1e-6);
    let [mut energy, mut usd] = [0.0; 2];
    for region in model.registry().indices() {
        let miner = model.mean_miner(Scope::Region(region), &day).unwrap();
        let share = day.hashrate_shares_pct[region.get()].to_f64();
        energy += share * miner.steps.efficiency_j_per_th.value();
        usd += share
            * miner.steps.efficiency_j_per_th.value()
            * miner.steps.electricity_usd_per_kwh.value();
    }
    assert!((world.steps.electricity_usd_per_kwh.value() / (usd / energy) - 1.0).abs() < 1e-6);
}

#[test]
fn a_cost_that_cannot_be_published_is_none() {
    let cost = |values: [f64; 4]| WhatIf(values).cost_usd(10_u64.pow(14), 2_f64.powi(32), 2);
    assert!(cost([0.05, 20.0, 1.2, 3.125]).is_some());
    assert_eq!(cost([10.0, 1e13, 10.0, 1e-6]), None);
    assert_eq!(cost([0.05, 20.0, 1.2, 0.0]), None);
    assert_eq!(cost([-0.05, 20.0, 1.2, 3.125]), None);
    assert_eq!(cost([f64::NAN, 20.0, 1.2, 3.125]), None);
}

#[test]
fn variables_have_the_ranges_of_the_inputs() {
    let [electricity, .., reward] = WhatIf::VARIABLES;
    assert_eq!(
        electricity.to_string(),
        "electricity_usd_per_kwh must be a number from 0.0001 to 10"
    );
    assert_eq!(electricity.range(), [0.0001, 10.0]);
    assert!(electricity.takes(0.05) && !electricity.takes(0.0) && !electricity.takes(f64::NAN));
    assert!(reward.takes(3.125) && !reward.takes(0.0) && !reward.takes(-1.0));
}
