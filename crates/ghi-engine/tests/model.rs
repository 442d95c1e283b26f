//! Rules for any valid inputs on any date.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue fails")]

use ghi_engine::{
    Costs, DEFAULT_INPUTS, Day, Decimal, Inputs, Model, Scope, cost_usd_per_coin, hashes_per_coin,
};
use jiff::ToSpan;
use jiff::civil::{Date, date};
use proptest::prelude::*;

/// Bitcoin's hashes per unit of difficulty.
const HASHES_PER_DIFFICULTY: f64 = 4_294_967_296.0;

/// Bitcoin's block time in seconds.
const SECONDS_PER_BLOCK: f64 = 600.0;

/// Any date from year 1 to 9999.
fn any_date() -> impl Strategy<Value = Date> {
    let first = date(1, 1, 1);
    let days = first.until(date(9999, 12, 31)).unwrap().get_days();
    (0..=days).prop_map(move |day| first.checked_add(day.days()).unwrap())
}

/// Any number in a range, often one of its ends.
fn any(min: f64, max: f64) -> impl Strategy<Value = f64> {
    prop_oneof![Just(min), Just(max), min..max]
}

fn any_three(min: f64, max: f64) -> impl Strategy<Value = [f64; 3]> {
    [any(min, max), any(min, max), any(min, max)].prop_map(|mut three| {
        three.sort_by(f64::total_cmp);
        three
    })
}

/// Shares in hundredths of a percent that sum to 100%.
fn any_shares() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::btree_set(1..10_000_u32, 0..6).prop_map(|cuts| {
        let ends = cuts.iter().copied().chain([10_000]);
        let starts = [0].into_iter().chain(cuts.iter().copied());
        std::iter::zip(starts, ends).map(|(start, end)| end - start).collect()
    })
}

/// Any number between powers of ten.
fn any_power(min: f64, max: f64) -> impl Strategy<Value = f64> {
    any(min, max).prop_map(|power| 10_f64.powf(power))
}

/// The text of any valid inputs: networks from a few computers to a hundred times Bitcoin, whose coins cost
/// from a fraction of a cent to millions.
fn any_inputs() -> impl Strategy<Value = String> {
    // Difficulty, seconds per block, whether a unit of difficulty is 2^32 hashes or one.
    let chain = (any_power(3.0, 15.0), any_power(0.0, 3.0), proptest::bool::ANY, 0..=64_i64);
    // Cost of a coin in USD, reward, fee, overhead.
    let money = (any_power(-2.0, 7.0), any_power(-3.0, 4.0), any_power(-2.0, 2.0), any(1.0, 10.0));
    let movement = (
        any(0.0, 50.0),
        any(0.0, 30.0),
        any(0.0, 90.0),
        any(0.0, 50.0),
        any(0.0, 20.0),
        any(0.0, 90.0),
    );
    let regions = any_shares().prop_flat_map(|shares| {
        let each = |share| (Just(share), any_three(0.5, 2.0), any_three(0.5, 2.0));
        shares.into_iter().map(each).collect::<Vec<_>>()
    });
    (0..=i64::MAX, chain, money, movement, regions).prop_map(|(seed, chain, money, movement, regions)| {
        let (difficulty, seconds, is_counted_in_hashes, retarget_days) = chain;
        let (cost, reward, fee, overhead) = money;
        let (d, h, f, e, w, s) = movement;
        let hashes = if is_counted_in_hashes { 1.0 } else { HASHES_PER_DIFFICULTY };
        let hashrate_eh = difficulty * hashes / seconds / 1e18;
        // The efficiency at which a coin has this cost at 0.1 USD/kWh.
        let efficiency = cost / cost_usd_per_coin(hashes_per_coin(difficulty, hashes, reward), 1.0, 0.1, overhead);
        let mut text = format!(
            "seed = {seed}\n\
             [network]\nhashrate_eh = {hashrate_eh:e}\nblock_reward_coins = {reward}\nfee_usd = {fee}\noverhead = {overhead}\n\
             seconds_per_block = {seconds}\nhashes_per_difficulty = {hashes}\nretarget_days = {retarget_days}\n\
             [decimals]\nusd = 6\nhashrate_eh = 15\n\
             [movement]\ndifficulty_pct = {d}\nhashrate_pct = {h}\nfee_pct = {f}\nelectricity_pct = {e}\nweekday_pct = {w}\nspread_pct = {s}\n"
        );
        if hashrate_eh > 0.1 {
            text = text.replace("hashrate_eh = 15", "hashrate_eh = 2");
        }
        for (index, (share, fleet, prices)) in regions.iter().enumerate() {
            let [best, mean, worst] = fleet.map(|factor| factor * efficiency);
            let [low, middle, high] = prices.map(|factor| factor * 0.1);
            text += &format!(
                "[[region]]\nid = \"r{index}\"\nname = \"Region {index}\"\nhashrate_share_pct = {}.{:02}\n\
                 efficiency_j_per_th = {{ best = {best:e}, mean = {mean:e}, worst = {worst:e} }}\n\
                 electricity_usd_per_kwh = {{ low = {low}, mean = {middle}, high = {high} }}\n",
                share / 100, share % 100
            );
        }
        text
    })
    .prop_filter("an efficiency and a difficulty within their ranges", |text| {
        Inputs::parse(text).is_ok()
    })
}

/// The days between two retargets of some inputs.
fn retarget_days(text: &str) -> i64 {
    let (_, rest) = text.split_once("retarget_days = ").unwrap();
    rest.lines().next().unwrap().parse::<i64>().unwrap().max(1)
}

fn any_model() -> impl Strategy<Value = Model> {
    any_inputs().prop_map(|text| Model::new(Inputs::parse(&text).unwrap()))
}

fn days_since_1970(day: Date) -> i64 {
    day.duration_since(date(1970, 1, 1)).as_hours() / 24
}

/// The days from a date on.
fn days_from(model: &Model, first: Date, count: i32) -> impl Iterator<Item = Day> {
    (0..count).map(move |day| model.day(first.checked_add(day.days()).unwrap()).unwrap())
}

fn assert_in_order(costs: &Costs) {
    assert!(costs.min_usd.count() > 0);
    assert!(costs.min_usd <= costs.avg_usd && costs.avg_usd <= costs.max_usd, "{costs:?}");
    // Each has a float of its own, which is written with the same digits.
    for cost in [costs.min_usd, costs.avg_usd, costs.max_usd] {
        assert_eq!(format!("{:.*}", usize::from(cost.decimals()), cost.to_f64()), cost.to_string());
        let shortest = cost.to_f64().to_string();
        assert!(cost.to_string().starts_with(shortest.trim_end_matches('0')), "{shortest}");
    }
}

/// The hashrate that a difficulty implies, in EH/s.
fn implied_eh(difficulty: u64) -> f64 {
    difficulty as f64 * HASHES_PER_DIFFICULTY / SECONDS_PER_BLOCK / 1e18
}

proptest! {
    #[test]
    fn published_numbers_are_positive_and_in_order(model in any_model(), date in any_date()) {
        let day = model.day(date).unwrap();
        assert_in_order(&day.global);
        day.regions.iter().for_each(assert_in_order);
        prop_assert!(day.network.hashrate_eh.count() > 0);
        prop_assert!(day.network.avg_fee_usd.count() > 0);
        prop_assert!((1..=9_000_000_000_000_000).contains(&day.network.difficulty));
        prop_assert!(model.forecast_avg_usd(&day, 7).count() > 0);
    }

    #[test]
    fn worldwide_costs_follow_from_the_regions(model in any_model(), date in any_date()) {
        let day = model.day(date).unwrap();
        prop_assert_eq!(Some(day.global.min_usd), day.regions.iter().map(|costs| costs.min_usd).min());
        prop_assert_eq!(Some(day.global.max_usd), day.regions.iter().map(|costs| costs.max_usd).max());
        let weighted: u128 = std::iter::zip(day.hashrate_shares_pct.iter(), &day.regions)
            .map(|(share, costs)| u128::from(share.count()) * u128::from(costs.avg_usd.count()))
            .sum();
        let off = (u128::from(day.global.avg_usd.count()) * 10_000).abs_diff(weighted);
        prop_assert!(off <= 5_000, "more than half a unit off the weighted mean");
    }

    #[test]
    fn difficulty_changes_only_between_epochs(
        text in any_inputs(),
        date in prop_oneof![any_date(), Just(date(1969, 12, 10))],
    ) {
        let model = Model::new(Inputs::parse(&text).unwrap());
        let first = date.min(jiff::civil::date(9999, 10, 1));
        let days: Vec<Day> = days_from(&model, first, 70).collect();
        let epoch = |day: &Day| days_since_1970(day.date).div_euclid(retarget_days(&text));
        for pair in days.windows(2).filter(|pair| epoch(&pair[0]) == epoch(&pair[1])) {
            prop_assert_eq!(pair[0].network.difficulty, pair[1].network.difficulty);
        }
    }

    /// The difficulty of an epoch follows from the mean of the published hashrates of the previous epoch.
    #[test]
    fn hashrate_drives_difficulty(
        text in any_inputs(),
        day in -600_000..2_800_000_i64,
    ) {
        let model = Model::new(Inputs::parse(&text).unwrap());
        let epoch_days = retarget_days(&text);
        let start = day.div_euclid(epoch_days) * epoch_days;
        let start = date(1970, 1, 1).checked_add(start.days()).unwrap();
        let before = start.checked_sub(epoch_days.days()).unwrap();
        let days: Vec<Day> = days_from(&model, before, epoch_days as i32 + 1).collect();
        let (today, epoch) = days.split_last().unwrap();
        let hashrates = epoch.iter().map(|day| day.network.hashrate_eh.to_f64());
        let mean = hashrates.sum::<f64>() / epoch_days as f64;
        let [level, difficulty] = ["hashrate_eh = ", "seconds_per_block = "]
            .map(|name| text.split_once(name).unwrap().1.lines().next().unwrap().parse::<f64>().unwrap());
        let hashes = if text.contains("hashes_per_difficulty = 1\n") { 1.0 } else { HASHES_PER_DIFFICULTY };
        let implied = today.network.difficulty as f64 * hashes / difficulty / 1e18;
        // Each hashrate is rounded to its last decimal, and the difficulty to a whole number.
        let unit = 10_f64.powi(-i32::from(today.network.hashrate_eh.decimals()));
        let slack = unit + level / today.network.difficulty as f64 + level * 1e-12;
        prop_assert!((mean - implied).abs() <= slack, "{mean}, not {implied}");
    }

    #[test]
    fn one_region_and_the_network_match_the_whole_day(model in any_model(), date in any_date()) {
        let day = model.day(date).unwrap();
        prop_assert_eq!(model.network(date).unwrap(), day.network);
        prop_assert_eq!(model.costs(Scope::Global, date).unwrap(), day.global);
        for region in model.registry().indices() {
            let scope = Scope::Region(region);
            prop_assert_eq!(model.costs(scope, date).unwrap(), scope.costs(&day));
        }
    }

    #[test]
    fn a_day_never_changes(text in any_inputs(), date in any_date()) {
        let [one, other] = [(); 2].map(|()| Model::new(Inputs::parse(&text).unwrap()));
        let alone = one.day(date).unwrap();
        // The other model has the same inputs, and computes other days first.
        other.day(date.yesterday().unwrap()).unwrap();
        other.day(jiff::civil::date(9999, 12, 31)).unwrap();
        prop_assert_eq!(alone, other.day(date).unwrap());
    }

    /// The movement depends on the region's id, not on its position.
    #[test]
    fn a_regions_movement_does_not_depend_on_other_regions(date in any_date()) {
        let (head, regions) = DEFAULT_INPUTS.split_once("[[region]]").unwrap();
        let before = "[[region]]\nid = \"is\"\nname = \"Iceland\"\nhashrate_share_pct = 10.0\n\
                      efficiency_j_per_th = { best = 16, mean = 17, worst = 18 }\n\
                      electricity_usd_per_kwh = { low = 0.04, mean = 0.05, high = 0.06 }\n";
        let more = format!("{head}{before}[[region]]{regions}")
            .replace("hashrate_share_pct = 60.0", "hashrate_share_pct = 50.0");
        let [three, four] =
            [DEFAULT_INPUTS, &more].map(|text| Model::new(Inputs::parse(text).unwrap()));
        prop_assert_eq!(&three.day(date).unwrap().regions[..], &four.day(date).unwrap().regions[1..]);
    }

    #[test]
    fn difficulty_is_rounded_to_the_nearest(hashrate_eh in 10.0..1e4_f64, date in any_date()) {
        let still = DEFAULT_INPUTS
            .replace("hashrate_eh = 975.0", &format!("hashrate_eh = {hashrate_eh}"))
            .replace("difficulty_pct = 13.5", "difficulty_pct = 0")
            .replace("hashrate_pct = 27.5", "hashrate_pct = 0");
        let model = Model::new(Inputs::parse(&still).unwrap());
        let difficulty = model.day(date).unwrap().network.difficulty;
        let exact = hashrate_eh * 1e18 * SECONDS_PER_BLOCK / HASHES_PER_DIFFICULTY;
        prop_assert!((difficulty as f64 - exact).abs() <= 0.5, "{difficulty}, not {exact}");
    }

    #[test]
    fn built_in_data_is_realistic_on_any_date(date in any_date()) {
        let model = Model::new(Inputs::default());
        let day = model.day(date).unwrap();
        let Costs { min_usd, avg_usd, max_usd } = day.global;
        let [min, avg, max] = [min_usd, avg_usd, max_usd].map(Decimal::to_f64);
        prop_assert!((40_000.0..72_000.0).contains(&avg), "avg {avg}");
        // The minimum is that of the cheapest region, and the maximum that of the most expensive.
        prop_assert!((0.62..0.79).contains(&(min / avg)), "min {min} of {avg}");
        prop_assert!((1.32..1.65).contains(&(max / avg)), "max {max} of {avg}");
        for costs in &day.regions {
            let avg = costs.avg_usd.to_f64();
            let (below, above) = (1.0 - costs.min_usd.to_f64() / avg, costs.max_usd.to_f64() / avg - 1.0);
            prop_assert!((0.15..0.35).contains(&below) && (0.15..0.35).contains(&above), "{below} {above}");
        }
        prop_assert!((600.0..1450.0).contains(&day.network.hashrate_eh.to_f64()));
        prop_assert!((100e12..175e12).contains(&(day.network.difficulty as f64)));
        prop_assert!((0.03..650.0).contains(&day.network.avg_fee_usd.to_f64()));
    }
}

/// The example of docs/methodology.md.
#[test]
fn the_formula_gives_the_worked_example() {
    let hashes = hashes_per_coin(89e12, HASHES_PER_DIFFICULTY, 3.125);
    assert_eq!((hashes / 1e18).round(), 122_321.0);
    let cost = |price, overhead| cost_usd_per_coin(hashes, 25.0, price, overhead).round();
    assert_eq!(cost(1.0, 1.0), 849_449.0, "kWh");
    assert_eq!(cost(0.05, 1.0), 42_472.0, "USD for energy");
    assert_eq!(cost(0.05, 1.25), 53_091.0, "USD in total");
    assert_eq!((implied_eh(89_000_000_000_000) * 10.0).round(), 6_371.0);
}

/// The levels of Bitcoin in 2026. Power prices do not include overhead.
#[test]
fn the_built_in_levels_match_the_real_network() {
    let model = Model::new(Inputs::parse(&still(DEFAULT_INPUTS)).unwrap());
    let day = model.day(date(2026, 11, 15)).unwrap();
    assert!((52_000.0..62_000.0).contains(&day.global.avg_usd.to_f64()));
    let miner = model.mean_miner(Scope::Global, &day).unwrap();
    assert!((17.0..19.0).contains(&miner.steps.efficiency_j_per_th.value()));
    assert!((0.045..0.050).contains(&miner.steps.electricity_usd_per_kwh.value()));
    let [us, eu, cn] = [0, 1, 2].map(|region: usize| day.regions[region].avg_usd.to_f64());
    assert!(us > cn * 1.15 && eu > us * 1.15, "{cn} {us} {eu}");
}

#[test]
fn published_numbers_are_the_same_on_every_machine() {
    let model = Model::new(Inputs::default());
    let day = model.day(date(2026, 11, 15)).unwrap();
    let Costs { min_usd, avg_usd, max_usd } = day.global;
    let cents = [min_usd, avg_usd, max_usd].map(|cost| cost.count());
    assert_eq!(cents, [3_908_270, 5_601_828, 8_035_800]);
    assert_eq!(day.network.hashrate_eh.count(), 81_791);
    assert_eq!(day.network.difficulty, 137_507_313_750_706);
    assert_eq!(day.network.avg_fee_usd.count(), 117);
}

#[test]
fn costs_move_every_day() {
    let model = Model::new(Inputs::default());
    let days: Vec<Day> = days_from(&model, date(2020, 1, 1), 365 * 20).collect();
    for pair in days.windows(2) {
        for (today, tomorrow) in std::iter::zip(&pair[0].regions, &pair[1].regions) {
            assert_ne!(today, tomorrow, "{}", pair[0].date);
        }
    }
}

/// Inputs without movement.
fn still(text: &str) -> String {
    text.lines()
        .map(|line| match line.split_once("_pct = ") {
            Some((name, _)) if !name.starts_with("hashrate_share") => format!("{name}_pct = 0\n"),
            _ => format!("{line}\n"),
        })
        .collect()
}

#[test]
fn without_movement_every_day_equals_the_long_run_mean() {
    let model = Model::new(Inputs::parse(&still(DEFAULT_INPUTS)).unwrap());
    for day in days_from(&model, date(2026, 1, 1), 60) {
        assert_eq!(day.global.avg_usd, model.forecast_avg_usd(&day, 7));
        assert_eq!(day.network.hashrate_eh.to_string(), "975.00");
        assert_eq!(day.network.avg_fee_usd.to_string(), "0.65");
    }
}

#[test]
fn difficulty_changes_at_every_epoch() {
    let model = Model::new(Inputs::default());
    let days: Vec<Day> = days_from(&model, date(2020, 1, 1), 14 * 500).collect();
    let steps =
        days.windows(2).filter(|pair| pair[0].network.difficulty != pair[1].network.difficulty);
    assert_eq!(steps.count(), 500);
}

/// There is no drift: the mean is the same centuries apart, and is the forecast.
#[test]
fn the_forecast_is_the_long_run_mean() {
    let model = Model::new(Inputs::default());
    let forecast = model.forecast_avg_usd(&model.day(date(2000, 1, 1)).unwrap(), 7).to_f64();
    for first in [date(1, 1, 1), date(1970, 1, 1), date(9000, 1, 1)] {
        let mean = mean_of_global_avg(&model, first, 9, 36_500);
        assert!((mean / forecast - 1.0).abs() < 0.005, "from {first}: {mean}, not {forecast}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn the_forecast_is_the_long_run_mean_of_any_inputs(model in any_model()) {
        let forecast = model.forecast_avg_usd(&model.day(date(2000, 1, 1)).unwrap(), 7).to_f64();
        // The samples are far enough apart to be nearly independent.
        let mean = mean_of_global_avg(&model, date(1, 1, 1), 911, 4_000);
        prop_assert!((mean / forecast - 1.0).abs() < 0.03, "{mean}, not {forecast}");
    }
}

/// The mean of `count` days that are `step` days apart.
fn mean_of_global_avg(model: &Model, first: Date, step: i32, count: i32) -> f64 {
    let dates = (0..count).map(|n| first.checked_add((n * step).days()).unwrap());
    let sum: f64 = dates.map(|date| model.day(date).unwrap().global.avg_usd.to_f64()).sum();
    sum / f64::from(count)
}
