//! The data as CSV tables for spreadsheets.

use std::sync::Arc;

use ghi_contract::{CURRENCY, GLOBAL};
use ghi_display::WORLDWIDE;
use ghi_engine::{ENGINE_SANDBOX_VERSION, NoFigures, WHOLE_NETWORK_PCT};
use hyper::header::{CONTENT_DISPOSITION, HeaderValue};

use crate::edition::{DailyFile, Edition};
use crate::http::caching::{Cacheable, Representation};
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::daily_rows::{DailyTable, daily_rows, records};
use crate::routes::date_range::DateRange;
use crate::routes::parameters::{date_range, scope};

/// Daily costs, as a table.
///
/// A row a day: the points of the history, or any range of days. `range` begins so many days ago and
/// ends today, so that `7d` has 8 rows; `from` and `to` are any dates, at most 3,660 days apart. Without any of them, the week up to today.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::HISTORY_CSV, tag = "Charts and files",
    params(("region_id" = Option<String>, Query), ("range" = Option<String>, Query), ("from" = Option<String>, Query), ("to" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "text/csv"))))]
pub(crate) fn history_csv(context: &Context<'_>) -> HandlerResult {
    let scope = scope(&context.query, context.registry())?;
    daily_table(context, DailyTable::History(scope))
}

/// Daily network state, as a table.
///
/// A row a day: hashrate, difficulty and mean fee. `range` begins so many days ago and ends today, so
/// that `7d` has 8 rows; `from` and `to` are any dates, at most 3,660 days apart. Without any of them, the week up to today.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::NETWORK_CSV, tag = "Charts and files",
    params(("range" = Option<String>, Query), ("from" = Option<String>, Query), ("to" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "text/csv"))))]
pub(crate) fn network_csv(context: &Context<'_>) -> HandlerResult {
    daily_table(context, DailyTable::Network)
}

/// A table of the range that is asked for, made while it is sent; or of the week, made once a day.
fn daily_table(context: &Context<'_>, table: DailyTable) -> HandlerResult {
    let (model, today) = (context.model(), context.today());
    let name = table.name(model);
    let Some(range) = date_range(&context.query, today)? else {
        let key = match table {
            DailyTable::History(scope) => DailyFile::HistoryCsv(scope),
            DailyTable::Network => DailyFile::NetworkCsv,
        };
        return context.daily_file(key, &[], |_| {
            let coverage = model.coverage();
            let week = DateRange::week_up_to(today).within(coverage);
            // What is missing is today, not the first day of the week.
            let week = week.map_err(|none| coverage.check(today).err().unwrap_or(none))?;
            let text = daily_rows(Arc::clone(model), table, week).flatten().collect();
            Ok(file(context.site, &format!("{name}.csv"), text))
        });
    };
    let range = range.within(model.coverage())?;
    let name = format!("{name}-{}-{}.csv", range.first(), range.last());
    let headers = file_headers(context.site, &name);
    let rows = daily_rows(Arc::clone(model), table, range);
    let inputs = model.fingerprint().to_string();
    // The name contains the table, its scope and the dates.
    context.streamed(headers, &[&name, ENGINE_SANDBOX_VERSION, &inputs], rows)
}

/// Today's costs as a table.
///
/// One row for worldwide, then one per region, with its share of the network's hashrate.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::SNAPSHOT_CSV, tag = "Charts and files",
    responses((status = 200, body = String, content_type = "text/csv"))))]
pub(crate) fn snapshot_csv(context: &Context<'_>) -> HandlerResult {
    context.daily_file(DailyFile::SnapshotCsv, &[], |edition| snapshot_table(edition, context.site))
}

/// Renders the table, which is slow with many regions.
pub(crate) fn warm(edition: &Edition, site: &Site) {
    edition.files.warm(DailyFile::SnapshotCsv, || snapshot_table(edition, site));
}

/// The columns of `/export/snapshot.csv`.
pub const SNAPSHOT_COLUMNS: [&str; 8] = [
    "date",
    "region_id",
    "name",
    "currency",
    "min_cost_usd",
    "avg_cost_usd",
    "max_cost_usd",
    "hashrate_share_pct",
];

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
    let text = csv_table(&SNAPSHOT_COLUMNS, rows);
    Ok(file(site, &format!("ghi-snapshot-{date}.csv"), text))
}

/// Returns rows as CSV (RFC 4180), below the names of the columns. Each row has as many cells as there are
/// columns.
pub fn csv_table<R: IntoIterator<Item = String>>(
    columns: &[&str],
    mut rows: impl Iterator<Item = R>,
) -> Vec<u8> {
    let mut records = records(Vec::new());
    let columns = records.write_record(columns);
    let written = columns.and_then(|()| rows.try_for_each(|row| records.write_record(row)));
    written.expect("writing equally long rows to memory does not fail");
    records.into_inner().expect("writing to memory does not fail")
}

/// Returns a table as a file to be saved under a name.
pub(crate) fn file(site: &Site, name: &str, text: Vec<u8>) -> Representation {
    Representation::new(file_headers(site, name), text)
}

pub(crate) fn file_headers(site: &Site, name: &str) -> Cacheable {
    let disposition = format!("attachment; filename=\"{name}\"");
    let disposition = HeaderValue::try_from(disposition).expect("ids and dates are ASCII");
    let headers = Cacheable::daily_api(site, "text/csv; charset=utf-8; header=present");
    headers.with(CONTENT_DISPOSITION, disposition)
}
