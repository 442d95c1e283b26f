//! Forecasts as CSV tables, and how good they were.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use ghi_contract::ForecastDays;
use ghi_engine::{DayForecast, Decimal, ENGINE_SANDBOX_VERSION, ForecastRecord, ForecastScore};
use jiff::ToSpan;

use crate::edition::{DailyFile, Edition};
use crate::http::caching::{limit_to_day, respond_lazily};
use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::files::csv::{csv_table, file, file_headers, line};
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
    // More of the actual averages are known every day.
    let made_of =
        [&*name, ENGINE_SANDBOX_VERSION, &model.inputs().fingerprint(), &today.to_string()];
    let record = record(context.edition(), range);
    let forecasts = horizons.flat_map(|days| record.forecasts(days, first, last));
    let rows = forecasts.collect::<Vec<_>>().into_iter().map(|forecast| line(cells(&forecast)));
    let table = std::iter::once(line(COLUMNS.split(','))).chain(rows);
    let headers = file_headers(context.site, &name);
    let mut response = respond_lazily(headers, &made_of, context.headers, table);
    limit_to_day(response.headers_mut(), context.day.moment, context.clock.speed());
    Ok(response)
}

fn cells(forecast: &DayForecast) -> impl Iterator<Item = String> {
    let [low, high] = [0, 1].map(|end| forecast.interval_usd.map(|interval| interval[end]));
    let first = [forecast.date.to_string(), forecast.forecast_days.to_string()];
    let predicted = Some(forecast.predicted_avg_usd);
    let figures = [predicted, low, high, forecast.actual_avg_usd, forecast.error_pct()].map(cell);
    first.into_iter().chain([forecast.target_date.to_string()]).chain(figures)
}

fn cell(figure: Option<Decimal>) -> String {
    figure.map(|figure| figure.to_string()).unwrap_or_default()
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
        let table = csv_table(
            &SCORE_COLUMNS.split(',').collect::<Vec<_>>(),
            scores.iter().map(score_cells),
        );
        Ok(file(site, "ghi-forecast-score.csv", table))
    })
}

fn score_cells(score: &ForecastScore) -> impl Iterator<Item = String> {
    let errors = [score.mean_absolute_error_pct, score.of_repeating_today_pct];
    let figures = errors.into_iter().chain([score.ratio, score.inside_interval_pct]).map(cell);
    [score.forecast_days.to_string(), score.forecasts.to_string()].into_iter().chain(figures)
}
