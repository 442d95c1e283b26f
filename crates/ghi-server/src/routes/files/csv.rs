//! The data as CSV tables for spreadsheets.

use std::sync::Arc;

use ghi_contract::{CURRENCY, GLOBAL};
use ghi_display::WORLDWIDE;
use ghi_engine::{Costs, Day, Model, NoFigures, RegisteredRegion, WHOLE_NETWORK_PCT};
use hyper::HeaderMap;
use hyper::header::{CONTENT_DISPOSITION, HeaderValue};
use jiff::civil::Date;

use crate::edition::{DailyFile, Edition};
use crate::http::caching::{Representation, daily_api_headers};
use crate::http::problem::{Code, Problem};
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::files::daily_rows::{DailyTable, daily_rows, line};
use crate::routes::files::date_range::DateRange;
use crate::routes::parameters::{date, date_range, price, scope};

/// Daily costs, as a table.
///
/// One row per day with the costs. Use `range` for a period that ends today, or
/// `from` and `to` (both included) for up to 11,000 days. Defaults to the last seven days.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::HISTORY_CSV, tag = "Charts and files",
    params(("region_id" = Option<String>, Query), ("range" = Option<String>, Query), ("from" = Option<String>, Query), ("to" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "text/csv"))))]
pub(crate) fn history_csv(context: &Context<'_>) -> HandlerResult {
    let scope = scope(&context.query, context.registry())?;
    daily_table(context, DailyTable::History(scope))
}

/// Daily network state, as a table.
///
/// One row per day: hashrate, difficulty and average fee. Use `range` for a period that ends today, or
/// `from` and `to` (both included) for up to 11,000 days. Defaults to the last seven days.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::NETWORK_CSV, tag = "Charts and files",
    params(("range" = Option<String>, Query), ("from" = Option<String>, Query), ("to" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "text/csv"))))]
pub(crate) fn network_csv(context: &Context<'_>) -> HandlerResult {
    daily_table(context, DailyTable::Network)
}

/// Daily percentiles of the cost, as a table.
///
/// One row per day: the costs at or below which 5%, 10%, 25%, 50%, 75%, 90% and 95% of the worldwide
/// hashrate mines. Use `date` for one day, `range` for a period that ends today, or
/// `from` and `to` (both included) for up to 11,000 days. Defaults to the last seven days.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::DISTRIBUTION_CSV, tag = "Charts and files",
    params(("date" = Option<String>, Query), ("range" = Option<String>, Query), ("from" = Option<String>, Query), ("to" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "text/csv"))))]
pub(crate) fn distribution_csv(context: &Context<'_>) -> HandlerResult {
    daily_table(context, DailyTable::Distribution)
}

/// Daily price, margin and break-even values, as a table.
///
/// One row per day: the price, the worldwide average cost, price divided by cost, hashprice (block reward
/// only), the electricity price and the efficiency at which an average miner breaks even, and the share of
/// the hashrate that mines at or below the price. `price` replaces the market price on all days. Otherwise,
/// days without a market price have no row. Use `date` for one day, `range` for a period that ends today, or
/// `from` and `to` (both included) for up to 11,000 days. Defaults to the last seven days.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::ECONOMICS_CSV, tag = "Charts and files",
    params(("price" = Option<f64>, Query), ("date" = Option<String>, Query), ("range" = Option<String>, Query), ("from" = Option<String>, Query), ("to" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "text/csv"))))]
pub(crate) fn economics_csv(context: &Context<'_>) -> HandlerResult {
    let (model, today) = (context.model(), context.today());
    let price = price(&context.query, model)?;
    if price.is_none() {
        let range = date_range(&context.query, today)?;
        let range = range.unwrap_or_else(|| DateRange::week_up_to(today)).within(model)?;
        if !model.has_price(range.first, range.last) {
            return Err(Problem::new(
                Code::NoPrice,
                "The inputs have no market price for these dates; add price=, such as price=80000.",
            ));
        }
    }
    daily_table(context, DailyTable::Economics(price))
}

/// Daily inputs of the model, as a table.
///
/// The unrounded numbers that costs are computed from: one row per day and region. `region_id` limits it to
/// one region. Use `date` for one day, `range` for a period that ends today, or
/// `from` and `to` (both included) for up to 11,000 days. Defaults to the last seven days.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::INPUTS_CSV, tag = "Charts and files",
    params(("region_id" = Option<String>, Query), ("date" = Option<String>, Query), ("range" = Option<String>, Query), ("from" = Option<String>, Query), ("to" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "text/csv"))))]
pub(crate) fn inputs_csv(context: &Context<'_>) -> HandlerResult {
    let scope = scope(&context.query, context.registry())?;
    daily_table(context, DailyTable::Inputs(scope))
}

/// Responds with the table of a range, which is generated while it is sent. The default week of the
/// history and the network is cached.
fn daily_table(context: &Context<'_>, table: DailyTable) -> HandlerResult {
    let (model, today) = (context.model(), context.today());
    let range = date_range(&context.query, today)?;
    let cached = match table {
        DailyTable::History(scope) => Some(DailyFile::HistoryCsv(scope)),
        DailyTable::Network => Some(DailyFile::NetworkCsv),
        _ => None,
    };
    if let (None, Some(key)) = (range, cached) {
        return context.daily_file(key, "", |edition, site| week_table(edition, site, table));
    }
    let range = range.unwrap_or_else(|| DateRange::week_up_to(today)).within(model)?;
    let name = format!("{}-{}-{}.csv", table.name(model), range.first, range.last);
    let headers = file_headers(context.site, &name);
    let rows = daily_rows(Arc::clone(model), table, range);
    context.lazy_table(headers, &name, rows)
}

/// Renders the table of the week up to an edition's day.
fn week_table(
    edition: &Edition,
    site: &Site,
    table: DailyTable,
) -> Result<Representation, NoFigures> {
    let (model, today) = (edition.model(), edition.date());
    let week = DateRange::week_up_to(today).within(model);
    // The error is about today, not about the first day of the week.
    let week = week.map_err(|none| model.check(today).err().unwrap_or(none))?;
    let text = daily_rows(Arc::clone(model), table, week).flatten().collect();
    Ok(file(site, &format!("{}.csv", table.name(model)), text))
}

/// The cost curve of a day, as a table.
///
/// One row per region, sorted by average cost: its share of the hashrate, the cumulative share up to and
/// including it, and its costs. If the inputs give a price for machines, the last column is the full cost,
/// which includes the machines. `date` defaults to today.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::COST_CURVE_CSV, tag = "Charts and files",
    params(("date" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "text/csv"))))]
pub(crate) fn cost_curve_csv(context: &Context<'_>) -> HandlerResult {
    let Some(date) = date(&context.query)?.filter(|date| *date != context.today()) else {
        return context.daily_file(DailyFile::CostCurveCsv, "", cost_curve_of_day);
    };
    let table = cost_curve_table(context.model(), &context.model().day(date)?)?;
    Ok(context.daily(&file(context.site, &cost_curve_name(date), table)))
}

fn cost_curve_of_day(edition: &Edition, site: &Site) -> Result<Representation, NoFigures> {
    let today = edition.days().today()?;
    Ok(file(site, &cost_curve_name(today.date), cost_curve_table(edition.model(), today)?))
}

fn cost_curve_name(date: Date) -> String {
    format!("ghi-cost-curve-{date}.csv")
}

/// The columns of `/export/cost-curve.csv`, without the last one, which requires `[capital]`.
const CURVE_COLUMNS: &str = "date,region_id,name,hashrate_share_pct,cumulative_share_pct,\
                             min_cost_usd,avg_cost_usd,max_cost_usd";

/// Returns the cost curve of a day as the CSV that `/export/cost-curve.csv` sends.
fn cost_curve_table(model: &Model, day: &Day) -> Result<Vec<u8>, NoFigures> {
    let rows = model.curve_rows(day)?;
    let has_capital = rows.iter().any(|row| row.full_cost_usd.is_some());
    let columns = CURVE_COLUMNS.split(',').chain(has_capital.then_some("full_cost_usd"));
    let rows = rows.iter().map(|row| {
        let RegisteredRegion { id, name } = &model.registry()[row.region];
        let Costs { min_usd, avg_usd, max_usd } = row.costs;
        let figures = [row.hashrate_share_pct, row.cumulative_share_pct, min_usd, avg_usd, max_usd];
        let figures = figures.into_iter().chain(row.full_cost_usd).map(|figure| figure.to_string());
        [day.date.to_string(), id.clone(), name.clone()].into_iter().chain(figures)
    });
    Ok(csv_table(&columns.collect::<Vec<_>>(), rows))
}

/// Today's costs as a table.
///
/// One row with the worldwide costs, then one per region with its share of the network's hashrate.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::SNAPSHOT_CSV, tag = "Charts and files",
    responses((status = 200, body = String, content_type = "text/csv"))))]
pub(crate) fn snapshot_csv(context: &Context<'_>) -> HandlerResult {
    context.daily_file(DailyFile::SnapshotCsv, "", snapshot_table)
}

/// The columns of `/export/snapshot.csv`.
const SNAPSHOT_COLUMNS: &str =
    "date,region_id,name,currency,min_cost_usd,avg_cost_usd,max_cost_usd,hashrate_share_pct";

pub(crate) fn snapshot_table(edition: &Edition, site: &Site) -> Result<Representation, NoFigures> {
    let today = edition.days().today()?;
    let date = today.date.to_string();
    let regions = edition.model().registry().regions();
    let costs = std::iter::zip(&today.regions, today.hashrate_shares_pct.iter());
    let regions = std::iter::zip(regions, costs)
        .map(|(region, (costs, share))| (&*region.id, &*region.name, costs, *share));
    let all = std::iter::once((GLOBAL, WORLDWIDE, &today.global, WHOLE_NETWORK_PCT)).chain(regions);
    let rows = all.map(|(id, name, costs, share)| {
        let [min, avg, max, share] =
            [costs.min_usd, costs.avg_usd, costs.max_usd, share].map(|figure| figure.to_string());
        [date.clone(), id.into(), name.into(), CURRENCY.into(), min, avg, max, share]
    });
    let text = csv_table(&SNAPSHOT_COLUMNS.split(',').collect::<Vec<_>>(), rows);
    Ok(file(site, &format!("ghi-snapshot-{date}.csv"), text))
}

/// Returns CSV (RFC 4180) with a header row. Each row must have one cell per column.
pub fn csv_table<R: IntoIterator<Item = String>>(
    columns: &[&str],
    rows: impl Iterator<Item = R>,
) -> Vec<u8> {
    std::iter::once(line(columns)).chain(rows.map(line)).collect::<Vec<_>>().concat()
}

/// Returns a table as a file to be saved under a name.
fn file(site: &Site, name: &str, text: Vec<u8>) -> Representation {
    Representation::new(file_headers(site, name), text)
}

pub(crate) fn file_headers(site: &Site, name: &str) -> HeaderMap {
    let disposition = format!("attachment; filename=\"{name}\"");
    let disposition = HeaderValue::try_from(disposition).expect("ids and dates are ASCII");
    let mut headers = daily_api_headers(site, "text/csv; charset=utf-8; header=present");
    headers.insert(CONTENT_DISPOSITION, disposition);
    headers
}
