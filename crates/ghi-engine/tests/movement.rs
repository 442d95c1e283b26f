//! The default network moves as the real one does: its statistics over ten years at a time, with
//! several seeds. The figures of Bitcoin from 2022 to 2026 stand in docs/methodology.md beside ours.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::LazyLock;

use ghi_engine::{DEFAULT_INPUTS, Day, Inputs, Model};
use jiff::ToSpan;
use jiff::civil::{Date, date};

const TEN_YEARS: i64 = 3_653;
const EPOCH_DAYS: usize = 14;
const YEAR: usize = 365;
const WEEK: usize = 7;

/// Hashrate that a unit of difficulty implies, EH/s.
const EH_PER_DIFFICULTY: f64 = 4_294_967_296.0 / 600.0 / 1e18;

/// Ten years of figures.
struct Decade {
    what: String,
    days: Vec<Day>,
}

/// The built-in seed and some others, in several centuries.
static DECADES: LazyLock<Vec<Decade>> = LazyLock::new(|| {
    let seeds = [20_240_420, 1, 2, 3, 4, 5, 6, 7];
    let starts = [date(101, 1, 3), date(1970, 1, 1), date(2020, 1, 2), date(9_001, 1, 1)];
    let decades = seeds.into_iter().flat_map(|seed| starts.map(|start| (seed, start)));
    let decades = decades.map(|(seed, start)| {
        let text = DEFAULT_INPUTS.replace("seed = 20240420", &format!("seed = {seed}"));
        let model = Model::new(Inputs::parse(&text).unwrap());
        Decade { what: format!("seed {seed} from {start}"), days: days(&model, start, TEN_YEARS) }
    });
    decades.collect()
});

fn days(model: &Model, first: Date, count: i64) -> Vec<Day> {
    (0..count).map(|day| model.day(first.checked_add(day.days()).unwrap()).unwrap()).collect()
}

impl Decade {
    /// Where each epoch that is whole within the decade starts.
    fn epochs(&self) -> Vec<usize> {
        let is_start = |day: &Day| {
            (day.date.duration_since(date(1970, 1, 1)).as_hours() / 24)
                .rem_euclid(EPOCH_DAYS as i64)
                == 0
        };
        let starts = (0..self.days.len() - EPOCH_DAYS).filter(|index| is_start(&self.days[*index]));
        starts.collect()
    }

    fn difficulty(&self, index: usize) -> f64 {
        self.days[index].network.difficulty as f64
    }

    /// The change of the difficulty at the end of each epoch but the last.
    fn retargets(&self) -> Vec<f64> {
        self.epochs()
            .windows(2)
            .map(|pair| self.difficulty(pair[1]) / self.difficulty(pair[0]) - 1.0)
            .collect()
    }

    fn hashrates(&self) -> Vec<f64> {
        self.days.iter().map(|day| day.network.hashrate_eh.to_f64()).collect()
    }

    /// Each day's hashrate over what the difficulty implies.
    fn hashrates_over_implied(&self) -> Vec<f64> {
        let implied = |day: &Day| day.network.difficulty as f64 * EH_PER_DIFFICULTY;
        self.days.iter().map(|day| day.network.hashrate_eh.to_f64() / implied(day)).collect()
    }

    fn global_averages(&self) -> Vec<f64> {
        self.days.iter().map(|day| day.global.avg_usd.to_f64()).collect()
    }

    /// A region's power price, but for a factor: the average cost per unit of difficulty.
    fn prices(&self, region: usize) -> Vec<f64> {
        let price =
            |day: &Day| day.regions[region].avg_usd.to_f64() / day.network.difficulty as f64;
        self.days.iter().map(price).collect()
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let middle = mean(values);
    mean(&values.iter().map(|value| (value - middle).powi(2)).collect::<Vec<_>>()).sqrt()
}

fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let [m, n] = [mean(one), mean(other)];
    let products: Vec<f64> = std::iter::zip(one, other).map(|(x, y)| (x - m) * (y - n)).collect();
    mean(&products) / deviation(one) / deviation(other)
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The value that this part of all values lies below.
fn quantile(values: &[f64], part: f64) -> f64 {
    sorted(values)[(part * (values.len() - 1) as f64).round() as usize]
}

fn high_over_low(values: &[f64]) -> f64 {
    let ordered = sorted(values);
    ordered[ordered.len() - 1] / ordered[0]
}

/// A figure of every decade lies within bounds.
#[track_caller]
fn check(bounds: std::ops::RangeInclusive<f64>, figure: impl Fn(&Decade) -> f64) {
    let figures: Vec<f64> = DECADES
        .iter()
        .map(|decade| {
            let figure = figure(decade);
            assert!(bounds.contains(&figure), "{}: {figure} is not within {bounds:?}", decade.what);
            figure
        })
        .collect();
    let (low, high) = (quantile(&figures, 0.0), quantile(&figures, 1.0));
    println!("built-in seed from 2020: {:.4}; all decades: {low:.4} to {high:.4}", figures[2]);
}

#[test]
fn a_retarget_is_2_to_4_percent_in_the_mean() {
    check(0.02..=0.04, |decade| {
        mean(&decade.retargets().iter().map(|step| step.abs()).collect::<Vec<_>>())
    });
}

#[test]
fn no_retarget_is_larger_than_15_percent() {
    check(0.05..=0.15, |decade| {
        decade.retargets().iter().fold(0.0, |largest: f64, step| largest.max(step.abs()))
    });
}

#[test]
fn the_hashrate_of_an_epoch_drives_the_next_retarget() {
    check(0.9..=1.0, |decade| {
        let ratios = decade.hashrates_over_implied();
        let epochs = decade.epochs();
        let means = epochs.iter().map(|start| mean(&ratios[*start..start + EPOCH_DAYS]));
        let means: Vec<f64> = means.take(epochs.len() - 1).collect();
        correlation(&means, &decade.retargets())
    });
}

#[test]
fn a_days_hashrate_scatters_around_what_the_difficulty_implies() {
    check(0.04..=0.10, |decade| deviation(&decade.hashrates_over_implied()));
}

#[test]
fn a_days_hashrate_is_an_estimate_that_the_next_day_takes_back() {
    check(-0.6..=-0.2, |decade| {
        let hashrates = decade.hashrates();
        let changes: Vec<f64> = hashrates.windows(2).map(|pair| pair[1] - pair[0]).collect();
        correlation(&changes[1..], &changes[..changes.len() - 1])
    });
}

fn fees(decade: &Decade) -> Vec<f64> {
    decade.days.iter().map(|day| day.network.avg_fee_usd.to_f64()).collect()
}

#[test]
fn fees_spread_widely() {
    check(4.0..=20.0, |decade| quantile(&fees(decade), 0.9) / quantile(&fees(decade), 0.1));
}

#[test]
fn fees_have_spikes() {
    check(6.0..=60.0, |decade| quantile(&fees(decade), 1.0) / quantile(&fees(decade), 0.5));
}

#[test]
fn the_median_fee_is_near_its_level() {
    check(0.75..=1.33, |decade| quantile(&fees(decade), 0.5) / 1.80);
}

#[test]
fn hardly_a_week_rises_or_falls_without_a_turn() {
    check(0.0..=0.05, |decade| {
        let averages = decade.global_averages();
        let weeks = averages.windows(WEEK);
        let count = weeks.len() as f64;
        let is_monotone = |week: &&[f64]| {
            week.windows(2).all(|pair| pair[0] < pair[1])
                || week.windows(2).all(|pair| pair[0] > pair[1])
        };
        weeks.filter(is_monotone).count() as f64 / count
    });
}

#[test]
fn a_week_ranges_over_1_to_4_percent_in_the_median() {
    check(0.01..=0.04, |decade| {
        let ranges = decade.global_averages().windows(WEEK).map(high_over_low).collect::<Vec<_>>();
        quantile(&ranges, 0.5) - 1.0
    });
}

#[test]
fn every_year_has_its_highs_and_lows() {
    // Each year of the decade, and those that start in between.
    let years = |decade: &Decade| {
        let averages = decade.global_averages();
        averages.windows(YEAR).step_by(30).map(high_over_low).collect::<Vec<_>>()
    };
    check(1.15..=1.6, |decade| quantile(&years(decade), 0.0));
    check(1.15..=1.6, |decade| quantile(&years(decade), 1.0));
}

#[test]
fn power_prices_of_two_regions_move_together_in_part() {
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        check(0.3..=0.8, |decade| correlation(&decade.prices(one), &decade.prices(other)));
    }
}

#[test]
fn power_is_dearer_on_working_days() {
    let over_weekend = |decade: &Decade| {
        let prices = decade.prices(0);
        let is_weekend =
            |index: &usize| decade.days[*index].date.weekday().to_monday_zero_offset() >= 5;
        let (weekend, work): (Vec<usize>, Vec<usize>) = (0..prices.len()).partition(is_weekend);
        let [weekend, work] = [weekend, work]
            .map(|days| mean(&days.iter().map(|day| prices[*day]).collect::<Vec<_>>()));
        work / weekend - 1.0
    };
    check(0.005..=0.03, over_weekend);
}

#[test]
fn the_ratio_of_minimum_and_maximum_to_the_average_moves() {
    for pick in [|day: &Day| day.regions[0].min_usd, |day: &Day| day.regions[0].max_usd] {
        check(1.01..=1.2, |decade| {
            let ratio = |day: &Day| pick(day).to_f64() / day.regions[0].avg_usd.to_f64();
            let ratios: Vec<f64> = decade.days.iter().map(ratio).collect();
            let years: Vec<f64> = ratios.chunks_exact(YEAR).map(high_over_low).collect();
            quantile(&years, 0.0)
        });
    }
}
