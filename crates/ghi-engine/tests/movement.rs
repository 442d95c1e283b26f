//! The default network moves like the real one: statistics over ten years at a time, with several seeds.
//! docs/methodology.md compares them with Bitcoin's, and each test checks its row there.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue fails")]

use std::sync::LazyLock;

use ghi_engine::{CostCurve, DEFAULT_INPUTS, Day, Inputs, Model};
use jiff::ToSpan;
use jiff::civil::{Date, date};

const TEN_YEARS: i64 = 3_653;
const EPOCH_DAYS: usize = 14;
const YEAR: usize = 365;
const WEEK: usize = 7;

/// The hashrate implied by a unit of difficulty in EH/s.
const EH_PER_DIFFICULTY: f64 = 4_294_967_296.0 / 600.0 / 1e18;

/// Ten years of data.
struct Decade {
    name: String,
    days: Vec<Day>,
}

/// The built-in seed and some others.
const SEEDS: [u64; 8] = [20_240_420, 1, 2, 3, 4, 5, 6, 7];

/// Decades of each seed in several centuries.
static DECADES: LazyLock<Vec<Decade>> = LazyLock::new(|| {
    let starts = [date(101, 1, 3), date(1970, 1, 1), date(2020, 1, 2), date(9_001, 1, 1)];
    let decades = SEEDS.into_iter().flat_map(|seed| starts.map(|start| (seed, start)));
    let decades = decades.map(|(seed, start)| {
        let days = days(&with_seed(seed), start, TEN_YEARS);
        Decade { name: format!("seed {seed} from {start}"), days }
    });
    decades.collect()
});

fn with_seed(seed: u64) -> Model {
    let text = DEFAULT_INPUTS.replace("seed = 20240420", &format!("seed = {seed}"));
    Model::new(Inputs::parse(&text).unwrap())
}

fn days(model: &Model, first: Date, count: i64) -> Vec<Day> {
    (0..count).map(|day| model.day(first.checked_add(day.days()).unwrap()).unwrap()).collect()
}

impl Decade {
    /// The first day of each complete epoch, as an index.
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

    /// The change in difficulty at the end of each epoch except the last.
    fn retargets(&self) -> Vec<f64> {
        self.epochs()
            .windows(2)
            .map(|pair| self.difficulty(pair[1]) / self.difficulty(pair[0]) - 1.0)
            .collect()
    }

    fn hashrates(&self) -> Vec<f64> {
        self.days.iter().map(|day| day.network.hashrate_eh.to_f64()).collect()
    }

    /// Each day's hashrate divided by the implied hashrate.
    fn hashrates_over_implied(&self) -> Vec<f64> {
        let implied = |day: &Day| day.network.difficulty as f64 * EH_PER_DIFFICULTY;
        self.days.iter().map(|day| day.network.hashrate_eh.to_f64() / implied(day)).collect()
    }

    fn global_averages(&self) -> Vec<f64> {
        self.days.iter().map(|day| day.global.avg_usd.to_f64()).collect()
    }

    /// A region's power price up to a constant factor: the average cost per unit of difficulty.
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

/// The value that a part of all values is below.
fn quantile(values: &[f64], part: f64) -> f64 {
    sorted(values)[(part * (values.len() - 1) as f64).round() as usize]
}

fn high_over_low(values: &[f64]) -> f64 {
    let ordered = sorted(values);
    ordered[ordered.len() - 1] / ordered[0]
}

const METHODOLOGY: &str = include_str!("../../../docs/methodology.md");

/// The format of a statistic in the table.
#[derive(Clone, Copy)]
enum Notation {
    Percent,
    Plain,
}

impl Notation {
    fn write(self, statistic: f64) -> String {
        match self {
            Self::Percent => format!("{:.1}%", 100.0 * statistic),
            Self::Plain => format!("{statistic:.2}"),
        }
    }
}

/// Checks that a statistic of every decade is within bounds, and that the table of the methodology has it.
#[track_caller]
fn check(
    row: &str,
    notation: Notation,
    bounds: std::ops::RangeInclusive<f64>,
    statistic: impl Fn(&Decade) -> f64,
) {
    let values: Vec<f64> = DECADES.iter().map(statistic).collect();
    for (decade, value) in std::iter::zip(&*DECADES, &values) {
        assert!(bounds.contains(value), "{row}, {}: {value}, not {bounds:?}", decade.name);
    }
    let [low, high] = [0.0, 1.0].map(|part| notation.write(quantile(&values, part)));
    let measured = format!("| {} | {low} to {high} |", notation.write(values[BUILT_IN_FROM_2020]));
    let line = METHODOLOGY.lines().find(|line| line.starts_with(&format!("| {row} |")));
    let line = line.unwrap_or_else(|| panic!("docs/methodology.md has no row {row:?}: {measured}"));
    assert!(line.ends_with(&measured), "{row:?} must end with {measured}");
}

/// The decade in the "built-in" column.
const BUILT_IN_FROM_2020: usize = 2;

#[test]
fn the_mean_retarget_is_2_to_4_percent() {
    check("mean absolute retarget", Notation::Percent, 0.02..=0.04, |decade| {
        mean(&decade.retargets().iter().map(|step| step.abs()).collect::<Vec<_>>())
    });
}

#[test]
fn the_largest_retarget_of_a_decade_is_at_most_15_percent() {
    check("largest retarget", Notation::Percent, 0.05..=0.15, |decade| {
        decade.retargets().iter().fold(0.0, |largest: f64, step| largest.max(step.abs()))
    });
}

/// The scatter of 28 days has no sharp bound, so over thousands of years some retargets are above 15%.
#[test]
fn one_retarget_in_30_000_is_above_15_percent_and_none_above_20() {
    let (mut count, mut above) = (0, 0);
    for seed in SEEDS {
        let model = with_seed(seed);
        let starts = date(1, 1, 8).series((EPOCH_DAYS as i64).days());
        let difficulties = starts.map(|start| model.network(start).unwrap().difficulty as f64);
        let difficulties: Vec<f64> = difficulties.collect();
        for pair in difficulties.windows(2) {
            let retarget = (pair[1] / pair[0] - 1.0).abs();
            assert!(retarget <= 0.2, "seed {seed}: {retarget}");
            count += 1;
            above += u32::from(retarget > 0.15);
        }
    }
    let one_in = count / above;
    assert!((25_000..35_000).contains(&one_in), "one in {one_in}");
}

/// The correlation of values with those `lag` positions before.
fn autocorrelation(values: &[f64], lag: usize) -> f64 {
    correlation(&values[lag..], &values[..values.len() - lag])
}

#[test]
fn a_retarget_partly_reverses_the_previous_one() {
    let row = "autocorrelation of successive retargets";
    check(row, Notation::Plain, -0.35..=0.15, |decade| autocorrelation(&decade.retargets(), 1));
}

#[test]
fn retargets_have_no_cycle() {
    let row = "lowest autocorrelation of retargets, 2 to 12 apart";
    check(row, Notation::Plain, -0.35..=0.0, |decade| {
        let retargets = decade.retargets();
        (2..=12).map(|lag| autocorrelation(&retargets, lag)).fold(0.0, f64::min)
    });
}

#[test]
fn the_hashrate_of_an_epoch_drives_the_next_retarget() {
    let row = "correlation of an epoch's mean hashrate / implied hashrate with the next retarget";
    check(row, Notation::Plain, 0.9..=1.0, |decade| {
        let ratios = decade.hashrates_over_implied();
        let epochs = decade.epochs();
        let means = epochs.iter().map(|start| mean(&ratios[*start..start + EPOCH_DAYS]));
        let means: Vec<f64> = means.take(epochs.len() - 1).collect();
        correlation(&means, &decade.retargets())
    });
}

#[test]
fn the_daily_hashrate_scatters_around_the_implied_hashrate() {
    let row = "daily hashrate / implied hashrate, standard deviation";
    check(row, Notation::Percent, 0.04..=0.10, |decade| {
        deviation(&decade.hashrates_over_implied())
    });
}

#[test]
fn the_daily_hashrate_scatters_like_a_count_of_blocks() {
    let row = "daily hashrate / mean of its epoch, standard deviation";
    check(row, Notation::Percent, 0.075..=0.095, |decade| {
        let hashrates = decade.hashrates();
        let epochs = decade.epochs();
        let epochs = epochs.iter().map(|start| &hashrates[*start..start + EPOCH_DAYS]);
        let ratios = epochs.flat_map(|epoch| epoch.iter().map(|day| day / mean(epoch)));
        // Corrects for the mean, which is of the same 14 days.
        deviation(&ratios.collect::<Vec<_>>()) * (14_f64 / 13.0).sqrt()
    });
}

#[test]
fn daily_changes_of_the_hashrate_tend_to_reverse() {
    let row = "lag-1 autocorrelation of daily hashrate changes";
    check(row, Notation::Plain, -0.6..=-0.2, |decade| {
        let hashrates = decade.hashrates();
        let changes: Vec<f64> = hashrates.windows(2).map(|pair| pair[1] - pair[0]).collect();
        autocorrelation(&changes, 1)
    });
}

fn fees(decade: &Decade) -> Vec<f64> {
    decade.days.iter().map(|day| day.network.avg_fee_usd.to_f64()).collect()
}

#[test]
fn fees_spread_widely() {
    check("fee: 90th / 10th percentile", Notation::Plain, 4.0..=20.0, |decade| {
        quantile(&fees(decade), 0.9) / quantile(&fees(decade), 0.1)
    });
}

#[test]
fn fees_have_spikes() {
    // The highest day is an extreme of two independent waves, so it varies widely. The formula allows 9
    // times the level without a peak and 46 times that at the highest peak. Of 1,500 decades, half are below
    // 87, and 98% are between 23 and 220. Bitcoin's is 85.
    check("fee: highest / median", Notation::Plain, 20.0..=600.0, |decade| {
        quantile(&fees(decade), 1.0) / quantile(&fees(decade), 0.5)
    });
}

#[test]
fn the_median_fee_is_near_its_level() {
    check("fee: median / level", Notation::Plain, 0.75..=1.33, |decade| {
        quantile(&fees(decade), 0.5) / 0.65
    });
}

#[test]
fn fees_are_similar_for_months() {
    let logarithms = |decade: &Decade| logarithms(&fees(decade));
    let row = "autocorrelation of the log of the fee, 7 days";
    check(row, Notation::Plain, 0.6..=1.0, |decade| autocorrelation(&logarithms(decade), 7));
    let row = "autocorrelation of the log of the fee, 30 days";
    check(row, Notation::Plain, 0.5..=0.8, |decade| autocorrelation(&logarithms(decade), 30));
    let row = "autocorrelation of the log of the fee, 90 days";
    check(row, Notation::Plain, 0.2..=0.55, |decade| autocorrelation(&logarithms(decade), 90));
}

#[test]
fn fees_are_higher_on_working_days() {
    let row = "fee: Monday to Friday vs weekend";
    check(row, Notation::Percent, 0.05..=0.3, |decade| {
        ratio_of_means(decade, &fees(decade), is_working_day) - 1.0
    });
}

fn is_working_day(date: Date) -> bool {
    date.weekday().to_monday_zero_offset() < 5
}

/// The mean on some days over the mean on the others.
fn ratio_of_means(decade: &Decade, values: &[f64], is_counted: impl Fn(Date) -> bool) -> f64 {
    let days = std::iter::zip(&decade.days, values);
    let (some, others): (Vec<_>, Vec<_>) = days.partition(|(day, _)| is_counted(day.date));
    let [some, others] = [some, others]
        .map(|days| mean(&days.into_iter().map(|(_, value)| *value).collect::<Vec<_>>()));
    some / others
}

#[test]
fn few_weeks_only_rise_or_only_fall() {
    check(
        "weeks in which the worldwide average only rises or only falls",
        Notation::Percent,
        0.0..=0.05,
        |decade| {
            let averages = decade.global_averages();
            let weeks = averages.windows(WEEK);
            let count = weeks.len() as f64;
            let is_monotone = |week: &&[f64]| {
                week.windows(2).all(|pair| pair[0] < pair[1])
                    || week.windows(2).all(|pair| pair[0] > pair[1])
            };
            weeks.filter(is_monotone).count() as f64 / count
        },
    );
}

#[test]
fn the_median_range_of_a_week_is_1_to_4_percent() {
    let row = "weekly range of the worldwide average (high / low - 1), median";
    check(row, Notation::Percent, 0.01..=0.04, |decade| {
        let ranges = decade.global_averages().windows(WEEK).map(high_over_low).collect::<Vec<_>>();
        quantile(&ranges, 0.5) - 1.0
    });
}

#[test]
fn every_year_has_highs_and_lows() {
    // A year starts every 30 days.
    let years = |decade: &Decade| {
        let averages = decade.global_averages();
        averages.windows(YEAR).step_by(30).map(high_over_low).collect::<Vec<_>>()
    };
    let row = "yearly high / low of the worldwide average, lowest";
    check(row, Notation::Plain, 1.15..=1.6, |decade| quantile(&years(decade), 0.0));
    let row = "yearly high / low of the worldwide average, highest";
    check(row, Notation::Plain, 1.15..=1.6, |decade| quantile(&years(decade), 1.0));
}

#[test]
fn power_prices_of_two_regions_are_partly_correlated() {
    for (one, other, row) in [
        (0, 1, "correlation of power prices: us, eu"),
        (0, 2, "correlation of power prices: us, cn"),
        (1, 2, "correlation of power prices: eu, cn"),
    ] {
        check(row, Notation::Plain, 0.3..=0.9, |decade| {
            correlation(&decade.prices(one), &decade.prices(other))
        });
    }
}

#[test]
fn power_is_more_expensive_on_working_days() {
    let row = "power prices: Monday to Friday vs weekend";
    check(row, Notation::Percent, 0.005..=0.03, |decade| {
        ratio_of_means(decade, &decade.prices(0), is_working_day) - 1.0
    });
}

#[test]
fn power_has_a_season() {
    let row = "power prices: October to March vs April to September";
    check(row, Notation::Percent, 0.02..=0.1, |decade| {
        ratio_of_means(decade, &decade.prices(0), |date| !(4..=9).contains(&date.month())) - 1.0
    });
}

#[test]
fn regions_differ_on_every_day() {
    let row = "highest / lowest average of the regions, lowest of all days";
    check(row, Notation::Plain, 1.15..=2.0, |decade| {
        let averages = |day: &Day| -> Vec<f64> {
            day.regions.iter().map(|costs| costs.avg_usd.to_f64()).collect()
        };
        let ratios: Vec<f64> =
            decade.days.iter().map(|day| high_over_low(&averages(day))).collect();
        quantile(&ratios, 0.0)
    });
}

#[test]
fn the_ratio_of_minimum_and_maximum_to_the_average_moves() {
    for (row, pick) in [
        ("yearly range of a region's minimum / average (high / low - 1), lowest", 0),
        ("yearly range of a region's maximum / average (high / low - 1), lowest", 1),
    ] {
        check(row, Notation::Percent, 0.01..=0.2, |decade| {
            let ratio = |day: &Day| {
                let costs = day.regions[0];
                [costs.min_usd, costs.max_usd][pick].to_f64() / costs.avg_usd.to_f64()
            };
            let ratios: Vec<f64> = decade.days.iter().map(ratio).collect();
            let years: Vec<f64> = ratios.chunks_exact(YEAR).map(high_over_low).collect();
            quantile(&years, 0.0) - 1.0
        });
    }
}

fn logarithms(values: &[f64]) -> Vec<f64> {
    values.iter().map(|value| value.ln()).collect()
}

/// The changes of a value's logarithm over some days.
fn log_changes(values: &[f64], days: usize) -> Vec<f64> {
    let logarithms = logarithms(values);
    std::iter::zip(&logarithms, &logarithms[days..]).map(|(from, to)| to - from).collect()
}

fn market_prices(decade: &Decade) -> Vec<f64> {
    decade.days.iter().map(|day| day.network.price_usd.unwrap().to_f64()).collect()
}

#[test]
fn daily_changes_of_the_price_neither_reverse_nor_continue() {
    let row = "price: lag-1 autocorrelation of daily log changes";
    check(row, Notation::Plain, -0.12..=0.12, |decade| {
        autocorrelation(&log_changes(&market_prices(decade), 1), 1)
    });
    for (days, bounds) in [(7, 0.8..=1.25), (180, 0.5..=1.8)] {
        let row = format!("price: variance ratio, {days} days");
        check(&row, Notation::Plain, bounds, |decade| {
            let variance = |days| deviation(&log_changes(&market_prices(decade), days)).powi(2);
            variance(days) / (days as f64 * variance(1))
        });
    }
}

#[test]
fn the_price_is_volatile_with_long_tails() {
    let row = "price: volatility per year";
    check(row, Notation::Percent, 0.4..=0.65, |decade| {
        deviation(&log_changes(&market_prices(decade), 1)) * (YEAR as f64).sqrt()
    });
    let row = "price: excess kurtosis of daily log changes";
    check(row, Notation::Plain, 1.5..=10.0, |decade| {
        let changes = log_changes(&market_prices(decade), 1);
        let (middle, scale) = (mean(&changes), deviation(&changes));
        let fourth_powers = changes.iter().map(|change| ((change - middle) / scale).powi(4));
        mean(&fourth_powers.collect::<Vec<_>>()) - 3.0
    });
}

#[test]
fn the_median_price_is_near_its_level() {
    check("price: median / level", Notation::Plain, 0.85..=1.18, |decade| {
        quantile(&market_prices(decade), 0.5) / 70_000.0
    });
}

#[test]
fn the_hashrate_follows_the_price() {
    const CHANGE_DAYS: usize = 180;
    const LAG_DAYS: usize = 60;
    let row = "correlation of 180-day log changes: price, hashrate 60 days later";
    check(row, Notation::Plain, 0.3..=1.0, |decade| {
        let prices = log_changes(&market_prices(decade), CHANGE_DAYS);
        let hashrates = log_changes(&decade.hashrates(), CHANGE_DAYS);
        correlation(&prices[..prices.len() - LAG_DAYS], &hashrates[LAG_DAYS..])
    });
}

#[test]
fn most_of_the_hashrate_costs_less_than_the_price() {
    // Both of whole regions and of the parts of their cost curves.
    let row = "share of the hashrate in regions whose average is below the price, mean";
    check(row, Notation::Percent, 0.7..=0.92, |decade| {
        let share_below = |day: &Day| {
            let regions = std::iter::zip(&day.regions, &day.hashrate_shares_pct);
            let below = regions.filter(|(costs, _)| Some(costs.avg_usd) < day.network.price_usd);
            below.map(|(_, share)| share.to_f64() / 100.0).sum()
        };
        mean(&decade.days.iter().map(share_below).collect::<Vec<f64>>())
    });
    let row = "share of the hashrate that mines below the price, mean";
    check(row, Notation::Percent, 0.7..=0.92, |decade| {
        let share_below = |day: &Day| {
            let price = day.network.price_usd.unwrap();
            CostCurve::of_regions(day).share_below_pct(price).to_f64() / 100.0
        };
        mean(&decade.days.iter().map(share_below).collect::<Vec<_>>())
    });
}

/// Draws a panel of the chart: a title, and curves over the days of the year.
fn panel(index: usize, title: &str, curves: &[(&str, Vec<f64>)]) -> String {
    const WIDTH: f64 = 720.0;
    const HEIGHT: f64 = 120.0;
    let top = index as f64 * (HEIGHT + 50.0) + 30.0;
    let all = || curves.iter().flat_map(|(_, values)| values);
    let low = all().copied().fold(f64::INFINITY, f64::min);
    let high = all().copied().fold(0.0, f64::max);
    let x = |day: usize| 70.0 + WIDTH * day as f64 / (YEAR - 1) as f64;
    let y = |value: f64| top + HEIGHT * (high - value) / (high - low);
    let mut svg = format!("<text x=\"70\" y=\"{}\" class=\"title\">{title}</text>\n", top - 10.0);
    for (value, line) in [(low, y(low)), (high, y(high))] {
        let digits = if value < 10.0 { 2 } else { 0 };
        svg += &format!("<path d=\"M70 {line}H{}\" class=\"rule\"/>", 70.0 + WIDTH);
        svg += &format!(
            "<text x=\"62\" y=\"{}\" class=\"number\">{value:.digits$}</text>\n",
            line + 4.0
        );
    }
    for (class, values) in curves {
        let points = values.iter().enumerate();
        let points: Vec<String> =
            points.map(|(day, value)| format!("{:.1},{:.1}", x(day), y(*value))).collect();
        if *class == "dots" {
            let dots = points.iter().filter_map(|point| point.split_once(','));
            let dots = dots.map(|(x, y)| format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"1.4\"/>"));
            svg += &format!("<g class=\"dots\">{}</g>\n", dots.collect::<String>());
        } else {
            svg += &format!("<polyline class=\"{class}\" points=\"{}\"/>\n", points.join(" "));
        }
    }
    svg
}

/// `UPDATE_EXPECT=1 cargo test` redraws it.
#[test]
fn the_chart_of_a_year_is_current() {
    let model = Model::new(Inputs::default());
    let year = days(&model, date(2026, 1, 1), YEAR as i64);
    let of = |pick: fn(&Day) -> f64| year.iter().map(pick).collect::<Vec<f64>>();
    let costs = [
        ("faint", of(|day| day.global.min_usd.to_f64())),
        ("line", of(|day| day.global.avg_usd.to_f64())),
        ("faint", of(|day| day.global.max_usd.to_f64())),
    ];
    let hashrates = [
        ("dots", of(|day| day.network.hashrate_eh.to_f64())),
        ("line", of(|day| day.network.difficulty as f64 * EH_PER_DIFFICULTY)),
    ];
    let price = |region: usize| {
        let price =
            |day: &Day| day.regions[region].avg_usd.to_f64() / day.network.difficulty as f64;
        let prices: Vec<f64> = year.iter().map(price).collect();
        prices.iter().map(|price| 100.0 * price / mean(&prices)).collect::<Vec<f64>>()
    };
    let prices = [("line", price(0)), ("faint", price(1))];
    let fees = [("line", of(|day| day.network.avg_fee_usd.to_f64()))];
    let market_prices = [("line", of(|day| day.network.price_usd.unwrap().to_f64()))];
    let panels = [
        panel(0, "Cost of one coin worldwide, USD: minimum, average, maximum", &costs),
        panel(
            1,
            "Hashrate, EH/s: published (dots), and implied by the difficulty (line)",
            &hashrates,
        ),
        panel(2, "Power price, percent of its mean: United States, and Europe (faint)", &prices),
        panel(3, "Mean transaction fee, USD", &fees),
        panel(4, "Market price of one coin, USD", &market_prices),
    ];
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 810 870\" role=\"img\">\n\
         <title>A year of the built-in inputs: 2026</title>\n\
         <style>svg{{background:#fff}}text{{font:12px sans-serif;fill:#333}}.title{{font-size:13px;font-weight:600}}\
         .number{{text-anchor:end}}.rule{{stroke:#ddd}}polyline{{fill:none;stroke-linejoin:round}}\
         .line{{stroke:#0b5cad;stroke-width:1.6}}.faint{{stroke:#8fb4d9;stroke-width:1.2}}.dots{{fill:#8fb4d9}}</style>\n{}</svg>\n",
        panels.concat()
    );
    expect_test::expect_file!["../../../docs/movement.svg"].assert_eq(&svg);
}
