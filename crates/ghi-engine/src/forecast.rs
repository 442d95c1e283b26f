//! The forecast of the worldwide average, and how good past forecasts were.
//!
//! A forecast of a day uses rows up to that day only. It keeps the day's fleet, power prices, overhead and
//! shares, and projects difficulty and reward from the heights of blocks.

use std::ops::Range;

use jiff::ToSpan;
use jiff::civil::Date;

use crate::calendar::{FIRST, date_of, day_number};
use crate::day::Day;
use crate::model::Model;
use crate::numbers::Decimal;
use crate::series::NetworkRow;

const SECONDS_PER_DAY: f64 = 86_400.0;
/// Blocks on schedule that are added to the blocks mined, so that a few blocks don't determine the pace.
const PRIOR_BLOCKS: f64 = 250.0;
const PACE_MIN: f64 = 0.7;
const PACE_MAX: f64 = 1.4;
/// The largest factor by which a retarget raises or lowers the difficulty.
const RETARGET_MAX: f64 = 4.0;
/// How many halvings are projected; more than a year has in any real schedule.
const HALVINGS: u8 = 4;

/// The quantiles that bound the interval.
const INTERVAL: [f64; 2] = [0.1, 0.9];
/// How many forecasts an interval needs, and how many times the horizon they must span.
const FORECASTS_MIN: usize = 30;
const SPAN_MIN: i64 = 10;
/// How far back the interval of the long-run mean looks.
const LEVEL_YEARS: i64 = 5;
/// The most days in a record; older forecasts are left out.
const RECORD_DAYS: i64 = 11_000;

/// What the rows up to a day lead to expect about difficulty and reward.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlook {
    /// The next retarget after the last row, which may be past if the rows end before the day of the forecast.
    pub retarget: Option<ExpectedRetarget>,
    /// The day of the next halving after the last row.
    pub halving: Option<Date>,
    day: i64,
    /// The days of all expected changes, and the factors by which they change the cost.
    changes: Vec<(i64, f64)>,
}

/// The next retarget, as projected from the blocks since the last one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpectedRetarget {
    /// The day.
    pub date: Date,
    /// The blocks mined since the last retarget.
    pub blocks_mined: f64,
    /// The blocks from one retarget to the next.
    pub retarget_blocks: f64,
    /// Blocks mined per block on schedule, as expected until the retarget.
    pub pace: f64,
    /// The difficulty after the retarget divided by the one before it.
    pub difficulty_factor: f64,
}

/// The blocks from the end of a day on: at one pace until the retarget, and on schedule after it.
#[derive(Clone, Copy, Debug)]
struct BlockSchedule {
    blocks_per_day: f64,
    pace: f64,
    blocks_left: f64,
}

impl BlockSchedule {
    /// From the blocks mined in the days since the last retarget, with the factor of the difficulty.
    fn of_epoch(mined: f64, days: f64, retarget_blocks: f64, blocks_per_day: f64) -> (Self, f64) {
        let pace = (mined + PRIOR_BLOCKS) / (blocks_per_day * days + PRIOR_BLOCKS);
        let pace = pace.clamp(PACE_MIN, PACE_MAX);
        let schedule = Self { blocks_per_day, pace, blocks_left: retarget_blocks - mined };
        let days = days + schedule.days_until(schedule.blocks_left);
        let factor = retarget_blocks / (blocks_per_day * days);
        (schedule, factor.clamp(1.0 / RETARGET_MAX, RETARGET_MAX))
    }

    fn days_until(self, blocks: f64) -> f64 {
        let at_pace = blocks.min(self.blocks_left);
        (at_pace / self.pace + (blocks - at_pace)) / self.blocks_per_day
    }
}

/// The days from a block until the end of the last row's day. Between two rows, blocks are evenly spread.
/// `None` if there is no row before the block.
fn days_since(rows: &[NetworkRow], block: f64) -> Option<f64> {
    let heights = rows.iter().rev().filter_map(|row| Some((row.day as f64, row.height?)));
    let end = rows.last()?.day as f64;
    let mut later = (end, f64::INFINITY);
    for (day, height) in heights {
        if height <= block {
            let part = (block - height) / (later.1 - height);
            return Some(end - (day + part * (later.0 - day)));
        }
        later = (day, height);
    }
    None
}

impl Outlook {
    /// The factor by which the cost is expected to change within some days.
    fn cost_factor(&self, days: u16) -> f64 {
        let target = self.day + i64::from(days);
        let changes = self.changes.iter().filter(|change| change.0 <= target);
        changes.map(|change| change.1).product()
    }
}

/// The forecast for a number of days after a day, and the average of that day, if it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayForecast {
    /// The day on which the forecast is made.
    pub date: Date,
    /// The number of days.
    pub forecast_days: u16,
    /// The day that is forecast.
    pub target_date: Date,
    /// The expected worldwide average.
    pub predicted_avg_usd: Decimal,
    /// The lower and upper end of the 80% interval. `None` if too few forecasts have come due.
    pub interval_usd: Option<[Decimal; 2]>,
    /// The worldwide average of the target date. `None` if it isn't known yet.
    pub actual_avg_usd: Option<Decimal>,
}

impl DayForecast {
    /// 100 x |predicted / actual - 1| with two decimals.
    pub fn error_pct(&self) -> Option<Decimal> {
        let actual = self.actual_avg_usd?;
        mean_pct(&[relative_error(self.predicted_avg_usd, actual)])
    }
}

/// How good the forecasts for a number of days were. What can't be computed is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForecastScore {
    /// The number of days.
    pub forecast_days: u16,
    /// How many forecasts have come due.
    pub forecasts: usize,
    /// The mean of |predicted / actual - 1| in percent, with two decimals.
    pub mean_absolute_error_pct: Option<Decimal>,
    /// The same for forecasts that repeat the average of the day on which they are made.
    pub of_repeating_today_pct: Option<Decimal>,
    /// The first error divided by the second, with three decimals.
    pub ratio: Option<Decimal>,
    /// The percentage of averages that were inside the interval, where there was one, with two decimals.
    pub inside_interval_pct: Option<Decimal>,
}

/// A day on which forecasts were made.
#[derive(Clone, Debug)]
struct ForecastOrigin {
    day: i64,
    avg_usd: Decimal,
    /// What the outlook starts from: the average, or the long-run mean.
    base_usd: Decimal,
    outlook: Outlook,
}

impl ForecastOrigin {
    fn predicted_usd(&self, days: u16) -> Decimal {
        let count = self.base_usd.count() as f64 * self.outlook.cost_factor(days);
        let count = (count + 0.5).floor().clamp(1.0, Decimal::COUNT_MAX);
        Decimal::new(count as u64, self.base_usd.decimals())
    }
}

impl Model {
    /// What the rows up to a day lead to expect about difficulty and reward.
    pub fn outlook(&self, date: Date) -> Outlook {
        let day = day_number(date);
        let (network, series) = (&self.inputs.file.network, &self.inputs.series);
        let rows = &series.network[..series.network.partition_point(|row| row.day <= day)];
        let row = rows.last();
        let (start, height) = (row.map_or(day, |row| row.day), row.and_then(|row| row.height));
        let blocks_per_day = SECONDS_PER_DAY / network.seconds_per_block;
        let mut schedule = BlockSchedule { blocks_per_day, pace: 1.0, blocks_left: 0.0 };
        let (mut changes, mut retarget) = (Vec::new(), None);
        if let Some((height, retarget_blocks)) = height.zip(network.retarget_blocks) {
            let mined = height % retarget_blocks + 1.0;
            // Without a row before the last retarget, the pace is unknown.
            let days = days_since(rows, height - mined).unwrap_or(mined / blocks_per_day);
            let (of_epoch, factor) =
                BlockSchedule::of_epoch(mined, days, retarget_blocks, blocks_per_day);
            schedule = of_epoch;
            let day = start + schedule.days_until(schedule.blocks_left).ceil() as i64;
            changes.push((day, factor));
            retarget = Some(ExpectedRetarget {
                date: date_of(day),
                blocks_mined: mined,
                retarget_blocks,
                pace: schedule.pace,
                difficulty_factor: factor,
            });
        }
        let reward = self.inputs.reward_on(day, row);
        let mut halvings: Vec<(i64, f64)> = match height.zip(network.halving_blocks) {
            Some((height, blocks)) => (1..=HALVINGS)
                .map(|n| f64::from(n) * blocks - height % blocks)
                .map(|blocks_left| (start + schedule.days_until(blocks_left).ceil() as i64, 2.0))
                .collect(),
            // A schedule replaces only synthetic rewards.
            None => network
                .rewards
                .iter()
                .filter(|it| it.from > day && self.has_series())
                .scan(reward, |before, it| {
                    Some((it.from, std::mem::replace(before, it.coins) / it.coins))
                })
                .collect(),
        };
        let halving = halvings.iter().find(|change| change.1 > 1.0);
        let halving = halving.map(|change| date_of(change.0));
        changes.append(&mut halvings);
        Outlook { retarget, halving, day, changes }
    }

    /// The worldwide average that is expected some days after a day of this model.
    pub fn forecast_avg_usd(&self, day: &Day, days: u16) -> Decimal {
        self.origin(day).predicted_usd(days)
    }

    fn origin(&self, day: &Day) -> ForecastOrigin {
        let avg_usd = day.global.avg_usd;
        ForecastOrigin {
            day: day_number(day.date),
            avg_usd,
            base_usd: self.long_run_avg_usd(day).unwrap_or(avg_usd),
            outlook: self.outlook(day.date),
        }
    }
}

/// The forecasts up to a day, and the averages that they are compared with.
#[derive(Clone, Debug)]
pub struct ForecastRecord {
    /// The first day whose forecasts it has, with their intervals.
    first: Date,
    origins: Vec<ForecastOrigin>,
    /// Whether forecasts are the long-run mean.
    is_level: bool,
}

impl ForecastRecord {
    /// The horizons of [`ForecastRecord::scores`], in days.
    pub const HORIZONS: [u16; 7] = [1, 7, 14, 30, 90, 180, 365];

    /// The record up to a day. With dated series, it has all forecasts; otherwise, those made from `first` on,
    /// which defaults to five years before the last day.
    pub fn new(model: &Model, first: Option<Date>, last: Date) -> Self {
        let is_level = !model.has_series();
        let years = years_before(last);
        let first = if is_level { first.unwrap_or(years) } else { model.coverage().first };
        let earliest = last.saturating_sub(RECORD_DAYS.days());
        let needed = if is_level { years_before(first) } else { first.max(earliest) };
        let days = day_number(needed.max(FIRST))..=day_number(last);
        let days = days.filter_map(|day| model.day(date_of(day)).ok());
        Self { first, origins: days.map(|day| model.origin(&day)).collect(), is_level }
    }

    /// Whether it has the forecasts that were made on a day up to its last.
    pub fn has(&self, date: Date) -> bool {
        !self.is_level || self.first <= date
    }

    fn actual_usd(&self, day: i64) -> Option<Decimal> {
        let found = self.origins.binary_search_by_key(&day, |origin| origin.day);
        found.ok().map(|index| self.origins[index].avg_usd)
    }

    /// The forecasts for a number of days that were made from `first` to `last`.
    pub fn forecasts(&self, forecast_days: u16, first: Date, last: Date) -> Vec<DayForecast> {
        let after = |day| self.origins.partition_point(|origin| origin.day < day);
        let end = after(day_number(last) + 1);
        let range = after(day_number(first)).min(end)..end;
        let intervals = self.intervals(forecast_days, range.clone());
        let forecast = |(origin, interval): (&ForecastOrigin, Option<[f64; 2]>)| {
            let predicted = origin.predicted_usd(forecast_days);
            let scaled = |quantile: f64| {
                let count = predicted.count() as f64 * libm::exp(quantile) + 0.5;
                Decimal::new(count.min(Decimal::COUNT_MAX) as u64, predicted.decimals())
            };
            let target = origin.day + i64::from(forecast_days);
            DayForecast {
                date: date_of(origin.day),
                forecast_days,
                target_date: date_of(target),
                predicted_avg_usd: predicted,
                interval_usd: interval.map(|quantiles| quantiles.map(scaled)),
                actual_avg_usd: self.actual_usd(target),
            }
        };
        std::iter::zip(&self.origins[range], intervals).map(forecast).collect()
    }

    /// The quantiles of ln(actual / predicted) for each day of a range: over all forecasts for a number of
    /// days that have come due by then or, for the long-run mean, over the five years before.
    fn intervals(&self, forecast_days: u16, range: Range<usize>) -> Vec<Option<[f64; 2]>> {
        let forecast_days = if self.is_level { 0 } else { forecast_days };
        let error = |origin: &ForecastOrigin| {
            let target = origin.day + i64::from(forecast_days);
            let actual = self.actual_usd(target)?.count() as f64;
            let predicted = origin.predicted_usd(forecast_days).count() as f64;
            Some((target, libm::log(actual / predicted)))
        };
        let errors: Vec<(i64, f64)> = self.origins.iter().filter_map(error).collect();
        let before = |day| errors.partition_point(|error| error.0 < day);
        let mut sorted: Vec<f64> = Vec::new();
        let mut used = 0..0;
        let interval = |origin: &ForecastOrigin| {
            let window = match self.is_level {
                true => before(day_number(years_before(date_of(origin.day))))..before(origin.day),
                false => 0..before(origin.day + 1),
            };
            for (_, error) in &errors[used.end..window.end] {
                sorted.insert(sorted.partition_point(|other| other < error), *error);
            }
            for (_, error) in &errors[used.start..window.start] {
                sorted.remove(sorted.partition_point(|other| other < error));
            }
            used = window;
            let ends = [errors.get(used.start)?.0, errors[..used.end].last()?.0];
            let is_long = ends[1] - ends[0] >= SPAN_MIN * i64::from(forecast_days);
            let is_enough = is_long && sorted.len() >= FORECASTS_MIN;
            is_enough.then(|| INTERVAL.map(|part| quantile(&sorted, part)))
        };
        self.origins[range].iter().map(interval).collect()
    }

    /// The scores of the forecasts that have come due and were made from `first`, which defaults to the first
    /// day of the record, to `last`.
    pub fn scores(&self, first: Option<Date>, last: Date) -> [ForecastScore; 7] {
        Self::HORIZONS.map(|forecast_days| {
            let forecasts = self.forecasts(forecast_days, first.unwrap_or(self.first), last);
            let (mut own, mut repeated, mut inside) = (Vec::new(), Vec::new(), Vec::new());
            for forecast in forecasts {
                let Some(actual) = forecast.actual_avg_usd else { continue };
                own.push(relative_error(forecast.predicted_avg_usd, actual));
                let today = self.actual_usd(day_number(forecast.date));
                repeated.push(today.map_or(0.0, |today| relative_error(today, actual)));
                let is_inside = |[low, high]: [_; 2]| f64::from((low..=high).contains(&actual));
                inside.extend(forecast.interval_usd.map(is_inside));
            }
            let [sum, sum_repeated] = [&own, &repeated].map(|errors| errors.iter().sum::<f64>());
            ForecastScore {
                forecast_days,
                forecasts: own.len(),
                mean_absolute_error_pct: mean_pct(&own),
                of_repeating_today_pct: mean_pct(&repeated),
                ratio: (sum_repeated > 0.0).then(|| Decimal::nearest(sum / sum_repeated, 3)),
                inside_interval_pct: mean_pct(&inside),
            }
        })
    }
}

fn mean_pct(values: &[f64]) -> Option<Decimal> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (!values.is_empty()).then(|| Decimal::nearest(100.0 * mean, 2))
}

fn years_before(date: Date) -> Date {
    date.saturating_sub(LEVEL_YEARS.years())
}

fn relative_error(predicted: Decimal, actual: Decimal) -> f64 {
    (predicted.count() as f64 / actual.count() as f64 - 1.0).abs()
}

/// The quantile of sorted values, interpolated linearly (type 7).
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = (sorted.len() - 1) as f64 * part;
    let below = sorted[place as usize];
    let above = sorted[(place as usize + 1).min(sorted.len() - 1)];
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {

    use super::*;

    fn close(value: f64, expected: f64) -> bool {
        (value / expected - 1.0).abs() < 1e-6
    }

    #[test]
    fn a_retarget_is_projected_from_the_blocks_since_the_last_one() {
        let (schedule, factor) = BlockSchedule::of_epoch(1_203.0, 8.0, 2_016.0, 144.0);
        assert!(
            close(schedule.pace, 1_453.0 / 1_402.0) && close(schedule.days_until(813.0), 5.447666)
        );
        assert!(close(1e14 * factor, 104_107_287_177_442.0));
        assert!(
            close(schedule.days_until(813.0 + 72.0), 5.947666),
            "on schedule after the retarget"
        );
        // The pace is limited, and so is the factor.
        let (slow, factor) = BlockSchedule::of_epoch(1_000.0, 100.0, 2_016.0, 144.0);
        assert_eq!((slow.pace, factor), (0.7, 0.25));
        let (fast, factor) = BlockSchedule::of_epoch(2_016.0, 1.0, 2_016.0, 144.0);
        assert_eq!((fast.pace, factor, fast.days_until(0.0)), (1.4, 4.0, 0.0));
    }

    fn row(day: i64, height: Option<f64>) -> NetworkRow {
        let row = "date,difficulty,height\n1970-01-01,1e14,0\n";
        let text = crate::DEFAULT_INPUTS.to_owned() + "\n[series]\nnetwork = \"n\"\n";
        let inputs = crate::Inputs::parse_with_series(&text, |_| Ok(row.into())).unwrap();
        NetworkRow { day, height, ..inputs.series.network[0].clone() }
    }

    #[test]
    fn the_start_of_an_epoch_is_interpolated_between_rows() {
        let rows =
            [row(0, Some(1_900.0)), row(1, None), row(2, Some(2_100.0)), row(3, Some(2_250.0))];
        // Block 2,015 is the 115th of 200 blocks in two days.
        assert!(close(days_since(&rows, 2_015.0).unwrap(), 3.0 - 1.15));
        assert!(
            close(days_since(&rows[..1], 1_890.0).unwrap_or(7.0), 7.0),
            "there is no earlier row"
        );
    }

    #[test]
    fn quantiles_are_interpolated_linearly() {
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.5), 2.0);
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 1.0), 4.0);
        assert_eq!(quantile(&[5.0], 0.1), 5.0);
    }
}
