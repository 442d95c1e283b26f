//! Forecasts as CSV tables, and how good they were.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use ghi_contract::ForecastDays;
use ghi_engine::{DayForecast, ForecastRecord, ForecastScore};
use jiff::ToSpan;

use crate::edition::{DailyFile, Edition};
use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::files::csv::{cell, file, joined, lazy_table, table};
use crate::routes::parameters::{DateRange, date_range, forecast_days, named_date};

const COLUMNS: &str = "date,forecast_days,target_date,predicted_avg_cost_usd,low_cost_usd,high_cost_usd,\
                       actual_avg_cost_usd,error_pct";
const SCORE_COLUMNS: &str = "forecast_days,forecasts,mean_absolute_error_pct,of_repeating_today_pct,ratio,\
                             inside_interval_pct";

const HORIZONS: &str = "forecast_days must be a whole number from 1 to 365, or an ascending range such as 1-90, up to 90.";

/// The longest horizon in a range such as `1-90`.
const PATH_MAX: u16 = 90;
const DEFAULT_DAYS: u16 = 365;

/// Forecasts of the worldwide average, as a table.
///
/// One row per day on which a forecast was made: the expected average, the ends of its 80% interval and, once it is
/// known, the actual average with the error of the forecast. What isn't known is an empty cell. Use `from` and `to`
/// (both included) for up to 11,000 days. Defaults to the last 365 days. With a range of horizons such as
/// `forecast_days=1-90`, the table has the forecasts of a single day, which defaults to today.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::FORECAST_CSV, tag = "Charts and files"))]
pub(crate) fn forecast_csv(context: &Context<'_>) -> HandlerResult {
    let (model, today) = (context.model(), context.today());
    let horizons = horizons(&context.query)?;
    let is_path = context.query.get("forecast_days")?.is_some_and(|days| days.contains('-'));
    let range = date_range(&context.query, today)?;
    let range = range.unwrap_or(DateRange::up_to(today, if is_path { 1 } else { DEFAULT_DAYS }));
    let range @ DateRange { first, last } = range.within(model)?;
    if is_path && first != last {
        let detail =
            "a range of forecast_days needs a single day, such as from=2026-11-15&to=2026-11-15.";
        return Err(Problem::invalid_parameter(detail));
    }
    let name = format!("ghi-forecast-{}-{}-{first}-{last}.csv", horizons.start(), horizons.end());
    let record = record(context.edition(), range);
    let forecasts = horizons.flat_map(|days| record.forecasts(days, first, last));
    let rows = forecasts.collect::<Vec<_>>().into_iter().map(|forecast| forecast_row(&forecast));
    let rows = std::iter::once(COLUMNS.to_owned()).chain(rows);
    // More of the actual averages are known every day.
    Ok(lazy_table(context, &name, &today.to_string(), rows))
}

fn forecast_row(forecast: &DayForecast) -> String {
    let DayForecast { date, forecast_days, target_date, predicted_avg_usd, .. } = forecast;
    let interval = forecast.interval_usd.map_or(",".into(), joined);
    let (actual, error) = (cell(forecast.actual_avg_usd), cell(forecast.error_pct()));
    format!("{date},{forecast_days},{target_date},{predicted_avg_usd},{interval},{actual},{error}")
}

/// Parses the parameter `forecast_days`: a number of days, or a range of them.
fn horizons(query: &Query<'_>) -> Result<RangeInclusive<u16>, Problem> {
    let Some((first, last)) = query.get("forecast_days")?.and_then(|text| text.split_once('-'))
    else {
        let days = forecast_days(query).map_err(|_| Problem::invalid_parameter(HORIZONS))?.get();
        return Ok(days..=days);
    };
    let ends = [first, last].map(|text| text.parse().map_or(0, ForecastDays::get));
    let [first, last] = ends;
    if first == 0 || first > last || last > PATH_MAX {
        return Err(Problem::invalid_parameter(HORIZONS));
    }
    Ok(first..=last)
}

/// Returns the day's record or, if it begins too late for a range, a longer one.
fn record(edition: &Edition, DateRange { first, last }: DateRange) -> Cow<'_, ForecastRecord> {
    let record = &edition.forecasts().record;
    if record.has(first) {
        return Cow::Borrowed(record);
    }
    let longest = i64::from(ForecastDays::MAX).days();
    let last = last.saturating_add(longest).min(edition.date());
    Cow::Owned(ForecastRecord::new(edition.model(), Some(first), last))
}

/// How good the forecasts were, as a table.
///
/// One row per horizon: the mean absolute error in percent, that of repeating the average of the day on which the
/// forecast was made, the first divided by the second, and how many percent of the actual averages were inside the 80%
/// interval. `from` and `to` limit the days on which the forecasts were made. Defaults to all forecasts that have come
/// due; without dated series, to those of the last five years.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::FORECAST_SCORE_CSV, tag = "Charts and files"))]
pub(crate) fn forecast_score_csv(context: &Context<'_>) -> HandlerResult {
    let from = named_date(&context.query, "from", "")?;
    let to = named_date(&context.query, "to", "")?;
    // The ends of the range are checked as in other tables.
    let range = DateRange::new(from, to, context.today()).map_err(Problem::invalid_parameter)?;
    let cached = range.is_none().then_some(DailyFile::ForecastScoreCsv);
    context.daily_file(cached, "", |edition, site| {
        let scores = match range {
            None => edition.forecasts().scores,
            Some(range) => {
                let range = DateRange { first: from.unwrap_or(range.last), ..range };
                record(edition, range).scores(from, range.last)
            }
        };
        let table = table(SCORE_COLUMNS, scores.iter().map(score_row));
        Ok(file(site, "ghi-forecast-score.csv", table))
    })
}

fn score_row(score: &ForecastScore) -> String {
    let errors = [score.mean_absolute_error_pct, score.of_repeating_today_pct];
    let figures = errors.into_iter().chain([score.ratio, score.inside_interval_pct]).map(cell);
    let figures = joined(figures);
    format!("{},{},{figures}", score.forecast_days, score.forecasts)
}
