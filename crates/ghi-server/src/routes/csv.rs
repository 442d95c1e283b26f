//! The figures as CSV tables that spreadsheets read.

use ghi_contract::{CURRENCY, GLOBAL};
use ghi_engine::{Costs, Day, Scope, WHOLE_NETWORK_PCT};
use hyper::header::{CONTENT_DISPOSITION, HeaderValue};

use crate::edition::{DailyFile, Edition};
use crate::http::caching::{Cacheable, Representation};
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::context::{Answer, Context};
use crate::routes::parameters::scope;

/// The week as a table.
///
/// The points of the history, a row a day.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::HISTORY_CSV, tag = "Charts and files",
    params(("region_id" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "text/csv"))))]
pub(crate) fn history_csv(context: &Context<'_>) -> Answer {
    let scope = scope(&context.query, context.registry())?;
    let week = context.now()?.edition().days().covered(scope)?;
    let of_week = DailyFile { path: paths::HISTORY_CSV, scope, variant: "" };
    context.daily_file(of_week, &[], |edition| {
        let region_id = scope.region_id(edition.model().registry());
        let rows = week.into_iter().map(|(date, costs)| {
            let [min, avg, max] = figures(&costs);
            [date.to_string(), region_id.into(), CURRENCY.into(), min, avg, max]
        });
        let text = written(&HISTORY_COLUMNS, rows);
        file(context.site, &format!("ghi-history-{region_id}.csv"), text)
    })
}

/// Today's costs as a table.
///
/// A row for the whole network, then a row a region, with its part of the network's hashrate.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::SNAPSHOT_CSV, tag = "Charts and files",
    responses((status = 200, body = String, content_type = "text/csv"))))]
pub(crate) fn snapshot_csv(context: &Context<'_>) -> Answer {
    let today = context.now()?.edition().days().today()?;
    context.daily_file(SNAPSHOT, &[], |edition| snapshot_table(edition, context.site, today))
}

/// Makes the table that takes long with many regions.
pub(crate) fn prepare(edition: &Edition, site: &Site, today: &Day) {
    edition.files.prepare(SNAPSHOT, || snapshot_table(edition, site, today));
}

const SNAPSHOT: DailyFile =
    DailyFile { path: paths::SNAPSHOT_CSV, scope: Scope::Global, variant: "" };

const HISTORY_COLUMNS: [&str; 6] =
    ["date", "region_id", "currency", "min_cost_usd", "avg_cost_usd", "max_cost_usd"];

const SNAPSHOT_COLUMNS: [&str; 8] = [
    "date",
    "region_id",
    "name",
    "currency",
    "min_cost_usd",
    "avg_cost_usd",
    "max_cost_usd",
    "hashrate_share_pct",
];

fn snapshot_table(edition: &Edition, site: &Site, today: &Day) -> Representation {
    let date = today.date.to_string();
    let regions = edition.model().registry().regions().iter();
    let figures_of_regions = std::iter::zip(&today.regions, today.hashrate_shares_pct.iter());
    let regions = std::iter::zip(regions, figures_of_regions)
        .map(|(region, (costs, share))| (&*region.id, &*region.name, costs, *share));
    let all = std::iter::once((GLOBAL, "World", &today.global, WHOLE_NETWORK_PCT)).chain(regions);
    let rows = all.map(|(id, name, costs, share)| {
        let [min, avg, max] = figures(costs);
        let share = share.to_string();
        [date.clone(), id.into(), name.into(), CURRENCY.into(), min, avg, max, share]
    });
    let text = written(&SNAPSHOT_COLUMNS, rows);
    file(site, &format!("ghi-snapshot-{date}.csv"), text)
}

/// Costs with all their decimals.
fn figures(costs: &Costs) -> [String; 3] {
    [costs.min_usd, costs.avg_usd, costs.max_usd].map(|cost| cost.to_string())
}

/// Rows under a row of their names.
pub(crate) fn written<const N: usize>(
    columns: &[&str; N],
    mut rows: impl Iterator<Item = [String; N]>,
) -> Vec<u8> {
    let mut records =
        csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let columns = records.write_record(columns);
    let written = columns.and_then(|()| rows.try_for_each(|row| records.write_record(row)));
    written.expect("rows are equally long, and memory takes them");
    records.into_inner().expect("memory takes what is written")
}

/// A table as a file to be saved under a name.
pub(crate) fn file(site: &Site, name: &str, text: Vec<u8>) -> Representation {
    let disposition = format!("attachment; filename=\"{name}\"");
    let disposition = HeaderValue::try_from(disposition).expect("ids and dates are ASCII");
    let headers = Cacheable::daily(site, "text/csv; charset=utf-8; header=present");
    Representation::new(headers.with(CONTENT_DISPOSITION, disposition), text)
}
