//! The data as CSV tables for spreadsheets.

use std::sync::Arc;

use ghi_contract::{CURRENCY, GLOBAL};
use ghi_display::WORLDWIDE;
use ghi_engine::{
    CostCurve, Costs, Day, Decimal, ENGINE_SANDBOX_VERSION, Economics, Model, NetworkState,
    NoFigures, REGION_COLUMNS, RegisteredRegion, Scope, WHOLE_NETWORK_PCT,
};
use hyper::HeaderMap;
use hyper::header::{CONTENT_DISPOSITION, HeaderValue};
use jiff::civil::Date;

use crate::edition::{DailyFile, Edition};
use crate::http::caching::{Representation, daily_api_headers, limit_to_day, respond_lazily};
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::parameters::{DateRange, date, date_range, price, scope};

/// Daily costs, as a table.
///
/// One row per day with the costs. Use `range` for a period that ends today, or
/// `from` and `to` (both included) for up to 11,000 days. Defaults to the last seven days.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::HISTORY_CSV, tag = "Charts and files"))]
pub(crate) fn history_csv(context: &Context<'_>) -> HandlerResult {
    let scope = scope(&context.query, context.registry())?;
    let region_id = scope.region_id(context.registry()).to_owned();
    let name = format!("ghi-history-{region_id}");
    let columns = "date,region_id,currency,min_cost_usd,avg_cost_usd,max_cost_usd";
    let cached = Some(DailyFile::HistoryCsv(scope));
    daily_table(context, [&name, columns], cached, vec![scope], move |model, date, scope| {
        let Costs { min_usd, avg_usd, max_usd } = model.costs(scope, date)?;
        let [min, avg, max] = [min_usd, avg_usd, max_usd].map(|cost| cost.to_string());
        let first = [date.to_string(), region_id.clone(), CURRENCY.into()];
        Ok(Some(line(first.into_iter().chain([min, avg, max]))))
    })
}

/// Daily network state, as a table.
///
/// One row per day: hashrate, difficulty and average fee. Use `range` for a period that ends today, or
/// `from` and `to` (both included) for up to 11,000 days. Defaults to the last seven days.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::NETWORK_CSV, tag = "Charts and files"))]
pub(crate) fn network_csv(context: &Context<'_>) -> HandlerResult {
    let texts = ["ghi-network", "date,hashrate_eh,difficulty,avg_fee_usd"];
    let cached = Some(DailyFile::NetworkCsv);
    daily_table(context, texts, cached, vec![Scope::Global], |model, date, _| {
        let NetworkState { hashrate_eh, difficulty, avg_fee_usd, .. } = model.network(date)?;
        let [hashrate, fee] = [hashrate_eh, avg_fee_usd].map(|figure| figure.to_string());
        Ok(Some(line([date.to_string(), hashrate, difficulty.to_string(), fee])))
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
    let texts = ["ghi-distribution", &*columns];
    daily_table(context, texts, None, vec![Scope::Global], |model, date, _| {
        let percentiles =
            model.cost_curve(&model.day(date)?)?.percentiles_usd(CostCurve::PERCENTILES);
        let cells = percentiles.map(|cost| cost.to_string());
        Ok(Some(line(std::iter::once(date.to_string()).chain(cells))))
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
    daily_table(context, texts, None, vec![Scope::Global], move |model, date, _| {
        economics_row(model, &model.day(date)?, price).map(Some)
    })
}

const ECONOMICS_COLUMNS: &str = "date,price_usd,avg_cost_usd,price_to_cost,hashprice_usd_per_ph_day,\
    break_even_usd_per_kwh,break_even_j_per_th,hashrate_below_price_pct,energy_cost_usd,all_in_cost_usd,low_cost_usd,\
    high_cost_usd,revenue_to_cost,power_gw,energy_twh_per_year";

fn economics_row(model: &Model, day: &Day, price: Option<Decimal>) -> Result<Vec<u8>, NoFigures> {
    let price = price.or(day.network.price_usd);
    let economics = price.map(|price| model.economics(day, price)).transpose()?;
    let levels = model.levels(day)?;
    let text = |figure: Decimal| figure.to_string();
    let priced = |cell: fn(&Economics) -> String| economics.as_ref().map(cell);
    let [low, high] = levels.interval_usd.map_or([None; 2], |interval| interval.map(Some));
    let cells = [
        Some(day.date.to_string()),
        price.map(text),
        Some(text(day.global.avg_usd)),
        priced(|economics| economics.price_to_cost.to_string()),
        priced(|economics| economics.hashprice_usd_per_ph_day.to_string()),
        priced(|economics| economics.break_even_usd_per_kwh.to_string()),
        priced(|economics| economics.break_even_j_per_th.to_string()),
        priced(|economics| economics.hashrate_below_price_pct.to_string()),
        Some(text(levels.energy_cost_usd)),
        levels.all_in_cost_usd.map(text),
        low.map(text),
        high.map(text),
        priced(|economics| economics.revenue_to_cost.to_string()),
        Some(text(levels.power_gw)),
        Some(text(levels.energy_twh_per_year)),
    ];
    Ok(line(cells.map(Option::unwrap_or_default)))
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
    let scopes = match scope {
        Scope::Global => registry.indices().map(Scope::Region).collect(),
        region => vec![region],
    };
    daily_table(context, [&name, &columns], None, scopes, |model, date, scope| {
        let Scope::Region(region) = scope else { return Ok(None) };
        let inputs = model.day_inputs(region, date)?;
        let network = [inputs.difficulty.to_string(), inputs.block_reward_coins.to_string()];
        let [efficiency, electricity] =
            [inputs.efficiency_j_per_th, inputs.electricity_usd_per_kwh];
        // The fewest digits that parse to the same float.
        let fleet = [efficiency, electricity].concat().into_iter().chain([inputs.overhead]);
        let cells = [date.to_string(), model.registry()[region].id.clone()].into_iter();
        let cells = cells.chain(network).chain([inputs.hashrate_share_pct.to_string()]);
        Ok(Some(line(cells.chain(fleet.map(|number| number.to_string())))))
    })
}

/// Responds with the table of a range: one row per day and scope, each generated when the client reads it. All rows
/// come from one model, even if the inputs are reloaded in the meantime. If no range is given, the week may be cached.
fn daily_table(
    context: &Context<'_>,
    [name, columns]: [&str; 2],
    cached: Option<DailyFile>,
    scopes: Vec<Scope>,
    row: impl Fn(&Model, Date, Scope) -> Result<Option<Vec<u8>>, NoFigures> + Send + 'static,
) -> HandlerResult {
    let (model, today) = (Arc::clone(context.model()), context.today());
    let header = line(columns.split(','));
    let table = move |model: Arc<Model>, range: DateRange| {
        let days = std::iter::successors(Some(range.first), move |date| range.day_after(*date));
        let keys =
            days.flat_map(move |date| scopes.clone().into_iter().map(move |scope| (date, scope)));
        // A day in a gap of the series has no row.
        let rows = keys.filter_map(move |(date, scope)| row(&model, date, scope).ok().flatten());
        std::iter::once(header).chain(rows)
    };
    let range = date_range(&context.query, today)?;
    if let (None, Some(cached)) = (range, cached) {
        return context.daily_file(cached, "", |_, site| {
            let week = DateRange::week_up_to(today).within(&model);
            // The error is about today, not about the first day of the week.
            let week = week.map_err(|none| model.check(today).err().unwrap_or(none))?;
            Ok(file(site, &format!("{name}.csv"), table(model, week).flatten().collect()))
        });
    }
    let range = range.unwrap_or_else(|| DateRange::week_up_to(today)).within(&model)?;
    let name = format!("{name}-{}-{}.csv", range.first, range.last);
    let fingerprint = model.inputs().fingerprint();
    let made_of = [&*name, ENGINE_SANDBOX_VERSION, &fingerprint];
    let headers = file_headers(context.site, &name);
    let mut response = respond_lazily(headers, &made_of, context.headers, table(model, range));
    limit_to_day(response.headers_mut(), context.day.moment, context.clock.speed());
    Ok(response)
}

/// The cost curve of a day, as a table.
///
/// One row per region, sorted by average cost: its share of the hashrate, the cumulative share up to and
/// including it, and its costs. If the inputs give a price for machines, the last column is the full cost,
/// which includes the machines. `date` defaults to today.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::COST_CURVE_CSV, tag = "Charts and files"))]
pub(crate) fn cost_curve_csv(context: &Context<'_>) -> HandlerResult {
    let date = date(&context.query)?.unwrap_or(context.today());
    let cached = (date == context.today()).then_some(DailyFile::CostCurveCsv);
    context.daily_file(cached, "", |edition, site| {
        let table = cost_curve_table(edition.model(), &edition.model().day(date)?)?;
        Ok(file(site, &format!("ghi-cost-curve-{date}.csv"), table))
    })
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

/// The merit order of a day, as a table.
///
/// The parts of the world's hashrate, sorted by average cost: one row per region and machine of the fleet, or one
/// row per region if the inputs have no fleet. A machine's efficiency is scaled so that the mean of the fleet is
/// the region's; its costs are those at the region's low, mean and high electricity price. `date` defaults to
/// today.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::MERIT_ORDER_CSV, tag = "Charts and files"))]
pub(crate) fn merit_order_csv(context: &Context<'_>) -> HandlerResult {
    let date = date(&context.query)?.unwrap_or(context.today());
    let cached = (date == context.today()).then_some(DailyFile::MeritOrderCsv);
    context.daily_file(cached, "", |edition, site| {
        let model = edition.model();
        let rows = model.merit_order(&model.day(date)?)?.into_iter().map(|part| {
            let Costs { min_usd, avg_usd, max_usd } = part.costs;
            let figures = [part.hashrate_share_pct, min_usd, avg_usd, max_usd];
            let id = model.registry()[part.region].id.clone();
            let first = [date.to_string(), id, part.efficiency_j_per_th.to_string()];
            first.into_iter().chain(figures.map(|figure| figure.to_string()))
        });
        let table = csv_table(&MERIT_ORDER_COLUMNS.split(',').collect::<Vec<_>>(), rows);
        Ok(file(site, &format!("ghi-merit-order-{date}.csv"), table))
    })
}

const MERIT_ORDER_COLUMNS: &str = "date,region_id,efficiency_j_per_th,hashrate_share_pct,\
                                   min_cost_usd,avg_cost_usd,max_cost_usd";

/// Today's costs as a table.
///
/// One row with the worldwide costs, then one per region with its share of the network's hashrate.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::SNAPSHOT_CSV, tag = "Charts and files"))]
pub(crate) fn snapshot_csv(context: &Context<'_>) -> HandlerResult {
    context.daily_file(DailyFile::SnapshotCsv, "", snapshot_table)
}

const SNAPSHOT_COLUMNS: &str =
    "date,region_id,name,currency,min_cost_usd,avg_cost_usd,max_cost_usd,hashrate_share_pct";

fn snapshot_table(edition: &Edition, site: &Site) -> Result<Representation, NoFigures> {
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

pub(crate) fn file(site: &Site, name: &str, text: Vec<u8>) -> Representation {
    Representation::new(file_headers(site, name), text)
}

pub(crate) fn file_headers(site: &Site, name: &str) -> HeaderMap {
    let disposition = format!("attachment; filename=\"{name}\"");
    let disposition = HeaderValue::try_from(disposition).expect("ids and dates are ASCII");
    let mut headers = daily_api_headers(site, "text/csv; charset=utf-8; header=present");
    headers.insert(CONTENT_DISPOSITION, disposition);
    headers
}

pub(crate) fn line<T: AsRef<[u8]>>(fields: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut line =
        csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    line.write_record(fields).expect("writing to memory does not fail");
    line.into_inner().expect("writing to memory does not fail")
}
