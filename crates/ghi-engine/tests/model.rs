//! The rules that hold for any valid inputs on any date.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ghi_engine::{
    Costs, DEFAULT_INPUTS, Day, EPOCH_DAYS, HASHES_PER_DIFFICULTY, Inputs, Model,
    SECONDS_PER_BLOCK, cost_usd_per_coin,
};
use jiff::ToSpan;
use jiff::civil::{Date, date};
use proptest::prelude::*;

/// Any date from year 1 to 9999.
fn any_date() -> impl Strategy<Value = Date> {
    let first = date(1, 1, 1);
    let days = first.until(date(9999, 12, 31)).unwrap().get_days();
    (0..=days).prop_map(move |day| first.checked_add(day.days()).unwrap())
}

/// Any number within bounds, the bounds themselves among the first to be tried.
fn any(min: f64, max: f64) -> impl Strategy<Value = f64> {
    prop_oneof![Just(min), Just(max), min..max]
}

fn any_three(min: f64, max: f64) -> impl Strategy<Value = [f64; 3]> {
    [any(min, max), any(min, max), any(min, max)].prop_map(|mut three| {
        three.sort_by(f64::total_cmp);
        three
    })
}

/// Shares in hundredths of a percent that sum to the whole.
fn any_shares() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::btree_set(1..10_000_u32, 0..6).prop_map(|cuts| {
        let ends = cuts.iter().copied().chain([10_000]);
        let starts = [0].into_iter().chain(cuts.iter().copied());
        std::iter::zip(starts, ends).map(|(start, end)| end - start).collect()
    })
}

/// Any valid inputs, as the text that describes them.
fn any_inputs() -> impl Strategy<Value = String> {
    any_inputs_and_swing().prop_map(|(text, _)| text)
}

/// The same with `movement.electricity_pct`.
fn any_inputs_and_swing() -> impl Strategy<Value = (String, f64)> {
    let network = [any(10.0, 1e4), any(0.01, 50.0), any(0.1, 1e3), any(1.0, 10.0)];
    let movement = [any(0.0, 50.0), any(0.0, 10.0), any(0.0, 90.0), any(0.0, 50.0)];
    let regions = any_shares().prop_flat_map(|shares| {
        let each = |share| (Just(share), any_three(1.0, 1e3), any_three(0.001, 10.0));
        shares.into_iter().map(each).collect::<Vec<_>>()
    });
    (0..=i64::MAX, network, movement, regions).prop_map(|(seed, network, movement, regions)| {
        let [hashrate, reward, fee, overhead] = network;
        let [d, h, f, e] = movement;
        let mut text = format!(
            "seed = {seed}\n\
             network = {{ hashrate_eh = {hashrate}, block_reward_coins = {reward}, fee_usd = {fee}, overhead = {overhead} }}\n\
             movement = {{ difficulty_pct = {d}, hashrate_pct = {h}, fee_pct = {f}, electricity_pct = {e} }}\n"
        );
        for (index, (share, [best, mean, worst], [low, middle, high])) in regions.iter().enumerate() {
            text += &format!(
                "[[region]]\nid = \"r{index}\"\nname = \"Region {index}\"\nhashrate_share_pct = {}.{:02}\n\
                 efficiency_j_per_th = {{ best = {best}, mean = {mean}, worst = {worst} }}\n\
                 electricity_usd_per_kwh = {{ low = {low}, mean = {middle}, high = {high} }}\n",
                share / 100, share % 100
            );
        }
        (text, e)
    })
}

fn any_model() -> impl Strategy<Value = Model> {
    any_inputs().prop_map(|text| Model::new(Inputs::parse(&text).unwrap()))
}

fn days_since_1970(day: Date) -> i64 {
    day.duration_since(date(1970, 1, 1)).as_hours() / 24
}

/// Every day from one date on.
fn days_from(model: &Model, first: Date, count: i32) -> impl Iterator<Item = Day> {
    (0..count).map(move |day| model.day(first.checked_add(day.days()).unwrap()))
}

fn assert_in_order(costs: &Costs) {
    assert!(costs.min_usd.count() > 0);
    assert!(costs.min_usd <= costs.avg_usd && costs.avg_usd <= costs.max_usd, "{costs:?}");
    // Neighbouring floats of this size are less than a cent apart, so cents survive the way
    // through a float, and such floats are written without an exponent.
    assert!(costs.max_usd.to_f64() < 4e13);
}

/// The hashrate that a difficulty implies, EH/s.
fn implied_eh(difficulty: u64) -> f64 {
    difficulty as f64 * HASHES_PER_DIFFICULTY / SECONDS_PER_BLOCK / 1e18
}

proptest! {
    #[test]
    fn every_figure_is_positive_and_in_order(model in any_model(), date in any_date()) {
        let day = model.day(date);
        assert_in_order(&day.global);
        day.regions.iter().for_each(assert_in_order);
        prop_assert!(day.network.hashrate_eh.count() > 0);
        prop_assert!(day.network.avg_fee_usd.count() > 0);
        prop_assert!((1..10_000_000_000_000_000).contains(&day.network.difficulty));
        prop_assert!(model.long_run_avg_usd().count() > 0);
    }

    #[test]
    fn the_globe_is_made_of_its_regions(model in any_model(), date in any_date()) {
        let day = model.day(date);
        prop_assert_eq!(Some(day.global.min_usd), day.regions.iter().map(|costs| costs.min_usd).min());
        prop_assert_eq!(Some(day.global.max_usd), day.regions.iter().map(|costs| costs.max_usd).max());
        let weighted: u128 = std::iter::zip(model.registry().regions(), &day.regions)
            .map(|(region, costs)| u128::from(region.hashrate_share_pct.count()) * u128::from(costs.avg_usd.count()))
            .sum();
        let off = (u128::from(day.global.avg_usd.count()) * 10_000).abs_diff(weighted);
        prop_assert!(off <= 5_000, "more than half a cent off the weighted mean");
    }

    #[test]
    fn difficulty_steps_only_between_epochs_and_implies_the_hashrate(
        model in any_model(),
        date in prop_oneof![any_date(), Just(date(1969, 12, 10))],
    ) {
        let first = date.min(jiff::civil::date(9999, 11, 1));
        let days: Vec<Day> = days_from(&model, first, 3 * EPOCH_DAYS as i32).collect();
        let epoch = |day: &Day| days_since_1970(day.date).div_euclid(EPOCH_DAYS);
        for pair in days.windows(2).filter(|pair| epoch(&pair[0]) == epoch(&pair[1])) {
            prop_assert_eq!(pair[0].network.difficulty, pair[1].network.difficulty);
        }
        for day in days {
            let ratio = day.network.hashrate_eh.to_f64() / implied_eh(day.network.difficulty);
            prop_assert!((0.899..=1.101).contains(&ratio), "{ratio}");
        }
    }

    /// Within an epoch only the price of power moves, by at most a fifth of its swing a day.
    #[test]
    fn costs_move_smoothly((text, swing_pct) in any_inputs_and_swing(), date in any_date()) {
        let model = Model::new(Inputs::parse(&text).unwrap());
        let first = date.min(jiff::civil::date(9999, 12, 1));
        let days: Vec<Day> = days_from(&model, first, EPOCH_DAYS as i32).collect();
        for pair in days.windows(2).filter(|pair| pair[0].network.difficulty == pair[1].network.difficulty) {
            for (today, tomorrow) in std::iter::zip(&pair[0].regions, &pair[1].regions) {
                let [today, tomorrow] = [today, tomorrow].map(|costs| costs.avg_usd.to_f64());
                // The price is at least half its level, and each cost is rounded by half a cent.
                let most = today * 2.0 * 0.2 * swing_pct / 100.0 + 0.01;
                prop_assert!((tomorrow - today).abs() <= most, "{today} {tomorrow} {most}");
            }
        }
    }

    #[test]
    fn a_day_never_changes(text in any_inputs(), date in any_date()) {
        let [one, other] = [(); 2].map(|()| Model::new(Inputs::parse(&text).unwrap()));
        let alone = one.day(date);
        // Asked for after others, from another model of the same inputs.
        other.day(date.yesterday().unwrap());
        other.day(jiff::civil::date(9999, 12, 31));
        prop_assert_eq!(alone, other.day(date));
    }

    /// Wherever it stands among them: its movement goes by its id.
    #[test]
    fn a_region_moves_alike_among_other_regions(date in any_date()) {
        let (head, regions) = DEFAULT_INPUTS.split_once("[[region]]").unwrap();
        let before = "[[region]]\nid = \"is\"\nname = \"Iceland\"\nhashrate_share_pct = 10.0\n\
                      efficiency_j_per_th = { best = 16, mean = 17, worst = 18 }\n\
                      electricity_usd_per_kwh = { low = 0.04, mean = 0.05, high = 0.06 }\n";
        let more = format!("{head}{before}[[region]]{regions}")
            .replace("hashrate_share_pct = 60.0", "hashrate_share_pct = 50.0");
        let [three, four] =
            [DEFAULT_INPUTS, &more].map(|text| Model::new(Inputs::parse(text).unwrap()));
        prop_assert_eq!(&three.day(date).regions[..], &four.day(date).regions[1..]);
    }

    #[test]
    fn difficulty_is_rounded_to_the_nearest(hashrate_eh in 10.0..1e4_f64, date in any_date()) {
        let still = DEFAULT_INPUTS
            .replace("hashrate_eh = 850.0", &format!("hashrate_eh = {hashrate_eh}"))
            .replace("difficulty_pct = 8.0", "difficulty_pct = 0");
        let difficulty = Model::new(Inputs::parse(&still).unwrap()).day(date).network.difficulty;
        let exact = hashrate_eh * 1e18 * SECONDS_PER_BLOCK / HASHES_PER_DIFFICULTY;
        prop_assert!((difficulty as f64 - exact).abs() <= 0.5, "{difficulty}, not {exact}");
    }

    #[test]
    fn default_figures_look_real_on_any_date(date in any_date()) {
        let model = Model::new(Inputs::default());
        let day = model.day(date);
        for costs in day.regions.iter().chain([&day.global]) {
            let avg = costs.avg_usd.to_f64();
            prop_assert!((40_000.0..90_000.0).contains(&avg), "avg {avg}");
            let (below, above) = (1.0 - costs.min_usd.to_f64() / avg, costs.max_usd.to_f64() / avg - 1.0);
            prop_assert!((0.15..0.30).contains(&below) && (0.15..0.30).contains(&above), "{below} {above}");
        }
        prop_assert!((600.0..1100.0).contains(&day.network.hashrate_eh.to_f64()));
        prop_assert!((85e12..150e12).contains(&(day.network.difficulty as f64)));
        prop_assert!((0.7..4.0).contains(&day.network.avg_fee_usd.to_f64()));
    }
}

/// The figures of the published worked example.
#[test]
fn the_formula_gives_the_worked_example() {
    let cost = cost_usd_per_coin(89e12, 3.125, 25.0, 0.05, 1.25);
    assert_eq!(cost.round(), 53_091.0);
    let energy_alone = cost_usd_per_coin(89e12, 3.125, 25.0, 0.05, 1.0);
    assert_eq!(energy_alone.round(), 42_472.0);
    let energy_kwh = cost_usd_per_coin(89e12, 3.125, 25.0, 1.0, 1.0);
    assert_eq!(energy_kwh.round(), 849_449.0);
    assert_eq!((implied_eh(89_000_000_000_000) * 10.0).round(), 6_371.0);
}

/// To the last bit on this machine and on any other.
#[test]
fn published_figures_are_the_same_on_every_machine() {
    let model = Model::new(Inputs::default());
    let day = model.day(date(2026, 11, 15));
    let Costs { min_usd, avg_usd, max_usd } = day.global;
    let cents = [min_usd, avg_usd, max_usd].map(|figure| figure.count());
    assert_eq!(cents, [4_943_299, 6_149_770, 7_627_510]);
    assert_eq!(day.network.hashrate_eh.count(), 83_819);
    assert_eq!(day.network.difficulty, 118_441_022_578_828);
    assert_eq!(day.network.avg_fee_usd.count(), 212);
}

#[test]
fn costs_move_every_day_and_smoothly() {
    let model = Model::new(Inputs::default());
    let days: Vec<Day> = days_from(&model, date(2020, 1, 1), 365 * 20).collect();
    for pair in days.windows(2) {
        for (today, tomorrow) in std::iter::zip(&pair[0].regions, &pair[1].regions) {
            assert_ne!(today, tomorrow, "{}", pair[0].date);
            let step = tomorrow.avg_usd.to_f64() / today.avg_usd.to_f64() - 1.0;
            let same_epoch = pair[0].network.difficulty == pair[1].network.difficulty;
            let most = if same_epoch { 0.007 } else { 0.03 };
            assert!(step.abs() < most, "{}: {step}", pair[0].date);
        }
    }
}

#[test]
fn difficulty_steps_at_every_epoch() {
    let model = Model::new(Inputs::default());
    let days: Vec<Day> = days_from(&model, date(2020, 1, 1), 14 * 500).collect();
    let steps =
        days.windows(2).filter(|pair| pair[0].network.difficulty != pair[1].network.difficulty);
    assert_eq!(steps.count(), 500);
}

/// No drift: centuries apart, the same mean; and the forecast is that mean.
#[test]
fn the_forecast_is_the_long_run_mean() {
    let model = Model::new(Inputs::default());
    let forecast = model.long_run_avg_usd().to_f64();
    for first in [date(1, 1, 1), date(1970, 1, 1), date(9000, 1, 1)] {
        let mean = mean_of_global_avg(&model, first, 9, 36_500);
        assert!((mean / forecast - 1.0).abs() < 0.005, "from {first}: {mean}, not {forecast}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn the_forecast_is_the_long_run_mean_of_any_inputs(model in any_model()) {
        let forecast = model.long_run_avg_usd().to_f64();
        // Far enough apart that one sample hardly knows of the other.
        let mean = mean_of_global_avg(&model, date(1, 1, 1), 911, 4_000);
        prop_assert!((mean / forecast - 1.0).abs() < 0.03, "{mean}, not {forecast}");
    }
}

/// The mean over `count` days, each `step` days after the other.
fn mean_of_global_avg(model: &Model, first: Date, step: i32, count: i32) -> f64 {
    let dates = (0..count).map(|n| first.checked_add((n * step).days()).unwrap());
    let sum: f64 = dates.map(|date| model.day(date).global.avg_usd.to_f64()).sum();
    sum / f64::from(count)
}
