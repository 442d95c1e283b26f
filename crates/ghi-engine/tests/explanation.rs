//! Explanations lead to the published costs.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue fails")]

use ghi_engine::{DEFAULT_INPUTS, Decimal, Explanation, Inputs, Model, Scope};
use jiff::ToSpan;
use jiff::civil::{Date, date};
use proptest::prelude::*;

/// The default network with another hashrate, reward and overhead.
fn model(hashrate_eh: f64, reward: f64, overhead: f64) -> Model {
    let text = DEFAULT_INPUTS
        .replace("hashrate_eh = 975.0", &format!("hashrate_eh = {hashrate_eh}"))
        .replace("block_reward_coins = 3.125", &format!("block_reward_coins = {reward}"))
        .replace("overhead = 1.24", &format!("overhead = {overhead}"));
    Model::new(Inputs::parse(&text).unwrap())
}

fn any_model() -> impl Strategy<Value = Model> {
    (10.0..10_000.0, 0.01..50.0, 1.0..10.0).prop_map(|(eh, reward, over)| model(eh, reward, over))
}

fn any_date() -> impl Strategy<Value = Date> {
    (0..3_652_058_i32).prop_map(|days| date(1, 1, 1).saturating_add(days.days()))
}

/// The number that a reader sees.
fn read(displayed: impl ToString) -> f64 {
    displayed.to_string().parse().unwrap()
}

fn rounded(cost: f64, like: Decimal) -> String {
    format!("{cost:.*}", usize::from(like.decimals()))
}

/// Follows the displayed digits to the published cost, starting from each step.
fn follow(explanation: &Explanation) {
    let overhead = read(explanation.mean_miner.steps.overhead);
    let difficulty = read(explanation.mean_miner.difficulty);
    let hashes = difficulty * read(explanation.mean_miner.hashes_per_difficulty)
        / read(explanation.mean_miner.block_reward_coins);
    for case in &explanation.cases {
        let [efficiency, energy, price, energy_usd] = [
            case.steps.efficiency_j_per_th,
            case.steps.energy_kwh_per_coin,
            case.steps.electricity_usd_per_kwh,
            case.steps.energy_usd_per_coin,
        ]
        .map(read);
        let kwh = |hashes: f64| hashes * efficiency / 1e12 / 3.6e6;
        for cost in [
            kwh(hashes) * price * overhead,
            kwh(read(explanation.hashes_per_coin)) * price * overhead,
            energy * price * overhead,
            energy_usd * overhead,
        ] {
            let published = case.steps.cost_usd;
            assert_eq!(rounded(cost, published), published.to_string(), "{explanation:?}");
        }
        let per_day = 24.0 * efficiency * price * overhead;
        assert!((read(case.usd_per_ph_and_day) / per_day - 1.0).abs() < 1e-3);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn displayed_digits_reproduce_the_costs_of_a_region(model in any_model(), date in any_date()) {
        let day = model.day(date).unwrap();
        for region in model.registry().indices() {
            let explanation = model.explain(Scope::Region(region), date).unwrap();
            follow(&explanation);
            let costs = day.regions[region.get()];
            prop_assert_eq!(explanation.costs, costs);
            let shown: Vec<Decimal> = explanation.cases.iter().map(|s| s.steps.cost_usd).collect();
            prop_assert_eq!(shown, [costs.min_usd, costs.avg_usd, costs.max_usd]);
            let bounds: Vec<&str> = explanation.cases.iter().map(|s| s.kind.name()).collect();
            prop_assert_eq!(bounds, ["min", "avg", "max"]);
        }
    }

    #[test]
    fn the_contributions_sum_to_the_global_average(model in any_model(), date in any_date()) {
        let day = model.day(date).unwrap();
        let explanation = model.explain(Scope::Global, date).unwrap();
        follow(&explanation);
        prop_assert_eq!(explanation.costs, day.global);
        prop_assert_eq!(explanation.contributions.len(), day.regions.len());
        for region in &explanation.contributions {
            let product = region.hashrate_share_pct.count() * region.costs.avg_usd.count();
            prop_assert_eq!(region.contribution_usd.count(), product);
        }
        let unit = 10_u64.pow(4);
        prop_assert_eq!((explanation.sum_usd().count() + unit / 2) / unit, day.global.avg_usd.count());
        let off = explanation.sum_usd().to_f64() / day.global.avg_usd.to_f64() - 1.0;
        prop_assert!(off.abs() < 0.01, "the sum is in USD, like the average");
        let [min, max] = &explanation.cases[..] else { panic!("expected minimum and maximum") };
        prop_assert_eq!((min.kind.name(), min.steps.cost_usd), ("min", day.global.min_usd));
        prop_assert_eq!((max.kind.name(), max.steps.cost_usd), ("max", day.global.max_usd));
        prop_assert_eq!(day.regions[min.region.get()].min_usd, day.global.min_usd);
        prop_assert_eq!(day.regions[max.region.get()].max_usd, day.global.max_usd);
    }
}

/// A decimal text as a whole number and its decimals.
fn exact(text: &str) -> (u128, u32) {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    (format!("{whole}{fraction}").parse().unwrap(), fraction.len() as u32)
}

/// As a pocket calculator does it: in decimals, where a product can lie exactly between two costs.
#[test]
fn exact_arithmetic_on_displayed_digits_reproduces_the_cost() {
    let text = include_str!("../../../examples/litecoin.toml");
    let model = Model::new(Inputs::parse(text).unwrap());
    let mut first = date(1220, 5, 15);
    for _ in 0..4_000 {
        for region in model.registry().indices() {
            let explanation = model.explain(Scope::Region(region), first).unwrap();
            let (overhead, more) = exact(&explanation.mean_miner.steps.overhead.to_string());
            for case in &explanation.cases {
                let (energy, decimals) = exact(&case.steps.energy_usd_per_coin.to_string());
                // In units of the last decimal, with twenty more decimals.
                let scale =
                    10_u128.pow(u32::from(case.steps.cost_usd.decimals()) + 20 - decimals - more);
                let rounded = (energy * overhead * scale + 10_u128.pow(20) / 2) / 10_u128.pow(20);
                assert_eq!(rounded, u128::from(case.steps.cost_usd.count()), "{first} {region:?}");
            }
        }
        first = first.tomorrow().unwrap();
    }
}

/// For example, 1,000 EH/s at 18 J/TH need 18 GW.
#[test]
fn power_and_energy_follow_from_the_implied_hashrate() {
    let model = Model::new(Inputs::default());
    let day = date(2026, 11, 15);
    let of = |id: &str| model.explain(Scope::find(id, model.registry()).unwrap(), day).unwrap();
    let [world, us, eu, cn] = ["global", "us", "eu", "cn"].map(of);
    let implied_eh = world.mean_miner.difficulty as f64 * 4_294_967_296.0 / 600.0 / 1e18;
    let close = |shown: f64, expected: f64| assert!((shown / expected - 1.0).abs() < 1e-3);
    close(world.mining.hashrate_eh.value(), implied_eh);
    for (region, share, j_per_th) in [(&us, 0.60, 17.9), (&eu, 0.13, 16.4), (&cn, 0.27, 18.5)] {
        close(region.mining.hashrate_eh.value(), implied_eh * share);
        close(region.mining.power_gw.value(), implied_eh * share * j_per_th / 1000.0);
        let avg = &region.cases[1];
        assert_eq!(region.mining.usd_per_ph_and_day, avg.usd_per_ph_and_day);
    }
    let power: f64 = [&us, &eu, &cn].map(|region| region.mining.power_gw.value()).iter().sum();
    close(world.mining.power_gw.value(), power);
    close(world.mining.energy_twh_per_year.value(), power * 8.766);
    let per_day = world.mining.usd_per_ph_and_day.value();
    let of_regions = [&us, &eu, &cn].map(|region| region.mining.usd_per_ph_and_day.value());
    let mean = of_regions[0] * 0.60 + of_regions[1] * 0.13 + of_regions[2] * 0.27;
    close(per_day, mean);
}

#[test]
fn displayed_digits_reproduce_the_costs_of_other_networks() {
    for text in [
        include_str!("../../../examples/dogecoin.toml"),
        include_str!("../../../examples/litecoin.toml"),
        include_str!("../../../examples/monero.toml"),
    ] {
        let model = Model::new(Inputs::parse(text).unwrap());
        for days in 0..60 {
            let date = date(2026, 11, 1).saturating_add(days.days());
            let regions = model.registry().indices().map(Scope::Region);
            for scope in regions.chain([Scope::Global]) {
                follow(&model.explain(scope, date).unwrap());
            }
        }
    }
}
