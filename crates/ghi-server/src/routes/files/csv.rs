//! The data as CSV tables for spreadsheets.

use std::fmt::Display;
use std::sync::Arc;

use ghi_contract::{CURRENCY, GLOBAL};
use ghi_display::WORLDWIDE;
use ghi_engine::{
    CostCurve, Costs, Day, Decimal, ENGINE_SANDBOX_VERSION, Economics, Model, NetworkState,
    NoFigures, REGION_COLUMNS, RegionIndex, RegisteredRegion, Scope, WHOLE_NETWORK_PCT,
};
use hyper::header::{CONTENT_DISPOSITION, HeaderValue};
use hyper::{HeaderMap, Response};
use jiff::civil::Date;

use crate::edition::DailyFile;
use crate::http::caching::{Representation, daily_api_headers, limit_to_day, respond_lazily};
use crate::http::site::Site;
use crate::net::Content;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::parameters::{DateRange, date, date_range, price, scope};

/// Daily costs, as a table.
///
/// One row per day with the costs. Use `range` for a period that ends today, or
/// `from` and `to` (both included) for up to 11,000 days. Defaults to the last seven days.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::HISTORY_CSV, tag = "Charts and files"))]
pub(crate) fn history_csv(context: &Context<'_>) -> HandlerResult {
    let scope = scope(&context.query, context.registry())?;
    let name = format!("ghi-history-{}", scope.region_id(context.registry()));
    let columns = "date,region_id,currency,min_cost_usd,avg_cost_usd,max_cost_usd";
    let cached = Some(DailyFile::HistoryCsv(scope));
    daily_table(context, [&name, columns], cached, move |model, date| {
        let region_id = scope.region_id(model.registry());
        let Costs { min_usd, avg_usd, max_usd } = model.costs(scope, date)?;
        Ok(format!("{date},{region_id},{CURRENCY},{min_usd},{avg_usd},{max_usd}"))
    })
}

/// Daily network state, as a table.
///
/// One row per day: hashrate, difficulty and average fee. Use `range` for a period that ends today, or
/// `from` and `to` (both included) for up to 11,000 days. Defaults to the last seven days.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::NETWORK_CSV, tag = "Charts and files"))]
pub(crate) fn network_csv(context: &Context<'_>) -> HandlerResult {
    let texts = ["ghi-network", "date,hashrate_eh,difficulty,avg_fee_usd"];
    daily_table(context, texts, Some(DailyFile::NetworkCsv), |model, date| {
        let NetworkState { hashrate_eh, difficulty, avg_fee_usd, .. } = model.network(date)?;
        Ok(format!("{date},{hashrate_eh},{difficulty},{avg_fee_usd}"))
    })
}

/// Daily percentiles of the cost, as a table.
///
/// One row per day: the costs at or below which 5%, 10%, 25%, 50%, 75%, 90% and 95% of the worldwide
/// hashrate mines. Use `date` for one day, `range` for a period that ends today, or
/// `from` and `to` (both included) for up to 11,000 days. Defaults to the last seven days.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::DISTRIBUTION_CSV, tag = "Charts and files"))]
pub(crate) fn distribution_csv(context: &Context<'_>) -> HandlerResult {
    let percentiles = CostCurve::PERCENTILES.map(|percent| format!(",p{percent}_cost_usd"));
    let columns = format!("date{}", percentiles.concat());
    daily_table(context, ["ghi-distribution", &columns], None, |model, date| {
        let percentiles =
            model.cost_curve(&model.day(date)?)?.percentiles_usd(CostCurve::PERCENTILES);
        Ok(format!("{date},{}", joined(percentiles)))
    })
}

/// Daily costs, price, margin and break-even values, as a table.
///
/// One row per day. Of the price: the price, price divided by the worldwide average cost, hashprice, the
/// electricity price and the efficiency at which an average miner breaks even, the share of the hashrate that
/// mines at or below its revenue, and revenue divided by cost. Revenue is the price and, if the inputs have them,
/// fees, other revenue and a pool's fee. Of the cost: the average, electricity alone, all-in (with machines), the
/// 80% interval, and the network's power and energy. Cells are empty without a price, machines or uncertainty.
/// `price` replaces the market price on all days. Use `date` for one day, `range` for a period that ends today, or
/// `from` and `to` (both included) for up to 11,000 days. Defaults to the last seven days.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::ECONOMICS_CSV, tag = "Charts and files"))]
pub(crate) fn economics_csv(context: &Context<'_>) -> HandlerResult {
    let price = price(&context.query, context.model())?;
    let at = price.map(|price| format!("-at-{price}")).unwrap_or_default();
    let texts = [&format!("ghi-economics{at}"), ECONOMICS_COLUMNS];
    daily_table(context, texts, None, move |model, date| {
        economics_row(model, &model.day(date)?, price)
    })
}

const ECONOMICS_COLUMNS: &str = "date,price_usd,avg_cost_usd,price_to_cost,hashprice_usd_per_ph_day,\
    break_even_usd_per_kwh,break_even_j_per_th,hashrate_below_price_pct,energy_cost_usd,all_in_cost_usd,low_cost_usd,\
    high_cost_usd,revenue_to_cost,power_gw,energy_twh_per_year";

fn economics_row(model: &Model, day: &Day, price: Option<Decimal>) -> Result<String, NoFigures> {
    let price = price.or(day.network.price_usd);
    let economics = price.map(|price| model.economics(day, price)).transpose()?;
    let levels = model.levels(day)?;
    let priced = economics.map_or(",,,,".into(), |economics| {
        let Economics { price_to_cost, hashprice_usd_per_ph_day: hashprice, .. } = economics;
        let Economics { break_even_usd_per_kwh, break_even_j_per_th: j_per_th, .. } = economics;
        let below = economics.hashrate_below_price_pct;
        format!("{price_to_cost},{hashprice},{break_even_usd_per_kwh},{j_per_th},{below}")
    });
    let levels_usd = [
        cell(Some(levels.energy_cost_usd)),
        cell(levels.all_in_cost_usd),
        levels.interval_usd.map_or(",".into(), joined),
        cell(economics.map(|economics| economics.revenue_to_cost)),
    ];
    let (date, price, average) = (day.date, cell(price), day.global.avg_usd);
    let (gw, twh) = (levels.power_gw, levels.energy_twh_per_year);
    Ok(format!("{date},{price},{average},{priced},{},{gw},{twh}", joined(levels_usd)))
}

/// Daily inputs of the model, as a table.
///
/// The unrounded numbers that costs are computed from: one row per day and region. `region_id` limits it to
/// one region. Use `date` for one day, `range` for a period that ends today, or
/// `from` and `to` (both included) for up to 11,000 days. Defaults to the last seven days.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::INPUTS_CSV, tag = "Charts and files"))]
pub(crate) fn inputs_csv(context: &Context<'_>) -> HandlerResult {
    let registry = context.registry();
    let scope = scope(&context.query, registry)?;
    let name = format!("ghi-inputs-{}", scope.region_id(registry));
    let columns = REGION_COLUMNS.map(|column| format!(",{}", column.name)).concat();
    let columns = format!("date,region_id,difficulty,block_reward_coins{columns}");
    let regions: Vec<RegionIndex> = match scope {
        Scope::Global => registry.indices().collect(),
        Scope::Region(region) => vec![region],
    };
    daily_table(context, [&name, &columns], None, move |model, date| {
        // Floats are written with the fewest digits that parse to the same float.
        let row = |region: &RegionIndex| {
            let inputs = model.day_inputs(*region, date)?;
            let id = &model.registry()[*region].id;
            let (difficulty, reward) = (inputs.difficulty, inputs.block_reward_coins);
            let (share, overhead) = (inputs.hashrate_share_pct, inputs.overhead);
            let fleet =
                joined([inputs.efficiency_j_per_th, inputs.electricity_usd_per_kwh].concat());
            Ok(format!("{date},{id},{difficulty},{reward},{share},{fleet},{overhead}"))
        };
        let rows: Vec<String> = regions.iter().map(row).collect::<Result<_, NoFigures>>()?;
        Ok(rows.join(LINE_END))
    })
}

/// Responds with the table of a range: the rows of each day, generated when the client reads them. All rows
/// come from one model, even if the inputs are reloaded in the meantime. If no range is given, the week may be cached.
fn daily_table(
    context: &Context<'_>,
    [name, columns]: [&str; 2],
    cached: Option<DailyFile>,
    rows: impl Fn(&Model, Date) -> Result<String, NoFigures> + Send + 'static,
) -> HandlerResult {
    let (model, today, header) = (Arc::clone(context.model()), context.today(), columns.to_owned());
    let table = move |model: Arc<Model>, range: DateRange| {
        let days = std::iter::successors(Some(range.first), move |date| range.day_after(*date));
        // A day in a gap of the series has no rows.
        std::iter::once(header).chain(days.filter_map(move |date| rows(&model, date).ok()))
    };
    let range = date_range(&context.query, today)?;
    if let (None, Some(cached)) = (range, cached) {
        return context.daily_file(cached, "", |_, site| {
            let week = DateRange::week_up_to(today).within(&model)?;
            Ok(file(site, &format!("{name}.csv"), table(model, week).flat_map(line).collect()))
        });
    }
    let range = range.unwrap_or_else(|| DateRange::week_up_to(today)).within(&model)?;
    let name = format!("{name}-{}-{}.csv", range.first, range.last);
    Ok(lazy_table(context, &name, "", table(model, range)))
}

/// Responds with a table that is generated while it is sent. Its rows follow from its name, the model, and `made_of`.
pub(crate) fn lazy_table(
    context: &Context<'_>,
    name: &str,
    made_of: &str,
    rows: impl Iterator<Item = String> + Send + 'static,
) -> Response<Content> {
    let made_of = [name, ENGINE_SANDBOX_VERSION, &context.model().inputs().fingerprint(), made_of];
    let headers = file_headers(context.site, name);
    let mut response = respond_lazily(headers, &made_of, context.headers, rows.map(line));
    limit_to_day(response.headers_mut(), context.day.moment, context.clock.speed());
    response
}

/// The cost curve of a day, as a table.
///
/// One row per region, sorted by average cost: its share of the hashrate, the cumulative share up to and
/// including it, and its costs. If the inputs give a price for machines, the last column is the full cost,
/// which includes the machines. `date` defaults to today.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::COST_CURVE_CSV, tag = "Charts and files"))]
pub(crate) fn cost_curve_csv(context: &Context<'_>) -> HandlerResult {
    day_table(context, "ghi-cost-curve", DailyFile::CostCurveCsv, |model, day| {
        let parts = model.curve_rows(day)?;
        let has_capital = parts.iter().any(|part| part.full_cost_usd.is_some());
        let last = if has_capital { ",full_cost_usd" } else { "" };
        let rows = parts.into_iter().map(|part| {
            let RegisteredRegion { id, name } = &model.registry()[part.region];
            let (name, Costs { min_usd, avg_usd, max_usd }) = (quoted(name), part.costs);
            let shares = joined([part.hashrate_share_pct, part.cumulative_share_pct]);
            let full = part.full_cost_usd.map(|cost| format!(",{cost}")).unwrap_or_default();
            format!("{},{id},{name},{shares},{min_usd},{avg_usd},{max_usd}{full}", day.date)
        });
        Ok(table(&format!("{CURVE_COLUMNS}{last}"), rows))
    })
}

/// The columns of `/export/cost-curve.csv`, without the last one, which requires `[capital]`.
const CURVE_COLUMNS: &str = "date,region_id,name,hashrate_share_pct,cumulative_share_pct,\
                             min_cost_usd,avg_cost_usd,max_cost_usd";

/// The merit order of a day, as a table.
///
/// The parts of the world's hashrate, sorted by average cost: one row per region and machine of the fleet, or one
/// row per region if the inputs have no fleet. A machine's efficiency is scaled so that the mean of the fleet is
/// the region's; its costs are those at the region's low, mean and high electricity price. `date` defaults to
/// today.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::MERIT_ORDER_CSV, tag = "Charts and files"))]
pub(crate) fn merit_order_csv(context: &Context<'_>) -> HandlerResult {
    day_table(context, "ghi-merit-order", DailyFile::MeritOrderCsv, |model, day| {
        let rows = model.merit_order(day)?.into_iter().map(|part| {
            let (id, efficiency) = (&model.registry()[part.region].id, part.efficiency_j_per_th);
            let Costs { min_usd, avg_usd, max_usd } = part.costs;
            let share = part.hashrate_share_pct;
            format!("{},{id},{efficiency},{share},{min_usd},{avg_usd},{max_usd}", day.date)
        });
        Ok(table(MERIT_ORDER_COLUMNS, rows))
    })
}

const MERIT_ORDER_COLUMNS: &str = "date,region_id,efficiency_j_per_th,hashrate_share_pct,\
                                   min_cost_usd,avg_cost_usd,max_cost_usd";

/// Today's costs as a table.
///
/// One row with the worldwide costs, then one per region with its share of the network's hashrate.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::SNAPSHOT_CSV, tag = "Charts and files"))]
pub(crate) fn snapshot_csv(context: &Context<'_>) -> HandlerResult {
    day_table(context, "ghi-snapshot", DailyFile::SnapshotCsv, |model, day| {
        let row = |id: &str, name: &str, costs: Costs, share: Decimal| {
            let (name, Costs { min_usd, avg_usd, max_usd }) = (quoted(name), costs);
            format!("{},{id},{name},{CURRENCY},{min_usd},{avg_usd},{max_usd},{share}", day.date)
        };
        let worldwide = row(GLOBAL, WORLDWIDE, day.global, WHOLE_NETWORK_PCT);
        let regions = model.registry().indices().map(|index| {
            let (RegisteredRegion { id, name }, at) = (&model.registry()[index], index.get());
            row(id, name, day.regions[at], day.hashrate_shares_pct[at])
        });
        Ok(table(SNAPSHOT_COLUMNS, std::iter::once(worldwide).chain(regions)))
    })
}

const SNAPSHOT_COLUMNS: &str =
    "date,region_id,name,currency,min_cost_usd,avg_cost_usd,max_cost_usd,hashrate_share_pct";

/// Responds with the table of the day `date`, which defaults to today. Today's is cached as a file.
fn day_table(
    context: &Context<'_>,
    name: &str,
    cached: DailyFile,
    table: fn(&Model, &Day) -> Result<Vec<u8>, NoFigures>,
) -> HandlerResult {
    let date = date(&context.query)?.unwrap_or(context.today());
    let cached = (date == context.today()).then_some(cached);
    context.daily_file(cached, "", |edition, site| {
        let table = table(edition.model(), &edition.model().day(date)?)?;
        Ok(file(site, &format!("{name}-{date}.csv"), table))
    })
}

/// Returns CSV (RFC 4180) with a header row. Each row must have one cell per column.
pub fn csv_table<R: IntoIterator<Item = String>>(
    columns: &[&str],
    rows: impl Iterator<Item = R>,
) -> Vec<u8> {
    let rows = rows.map(|row| joined(row.into_iter().map(|cell| quoted(&cell))));
    table(&columns.join(","), rows)
}

pub(crate) fn table(columns: &str, rows: impl Iterator<Item = String>) -> Vec<u8> {
    std::iter::once(columns.to_owned()).chain(rows).flat_map(line).collect()
}

const LINE_END: &str = "\r\n";

fn line(row: String) -> Vec<u8> {
    (row + LINE_END).into_bytes()
}

/// Returns cells that need no quotes, separated by commas.
pub(crate) fn joined<T: Display>(cells: impl IntoIterator<Item = T>) -> String {
    let cells: Vec<String> = cells.into_iter().map(|cell| cell.to_string()).collect();
    cells.join(",")
}

/// Returns an optional figure as a cell, which is empty if there is none.
pub(crate) fn cell(figure: Option<impl Display>) -> String {
    figure.map(|figure| figure.to_string()).unwrap_or_default()
}

/// Returns a text as a cell, in quotes if it needs them.
pub(crate) fn quoted(text: &str) -> String {
    let needs_quotes = text.contains([',', '"', '\r', '\n']);
    if needs_quotes { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}

pub(crate) fn file(site: &Site, name: &str, table: Vec<u8>) -> Representation {
    Representation::new(file_headers(site, name), table)
}

fn file_headers(site: &Site, name: &str) -> HeaderMap {
    let disposition = format!("attachment; filename=\"{name}\"");
    let disposition = HeaderValue::try_from(disposition).expect("ids and dates are ASCII");
    let mut headers = daily_api_headers(site, "text/csv; charset=utf-8; header=present");
    headers.insert(CONTENT_DISPOSITION, disposition);
    headers
}
