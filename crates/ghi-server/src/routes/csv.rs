//! The figures as CSV tables that spreadsheets read.

use ghi_contract::{CURRENCY, GLOBAL};
use ghi_engine::{Costs, Day, Decimal, Scope, WHOLE_NETWORK_PCT};
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
    let file = DailyFile { path: paths::HISTORY_CSV, scope, variant: "" };
    context.daily_file(file, &[], |edition| {
        let region_id = scope.region_id(edition.model().registry());
        let mut table = Table::new(&["date", "region_id", "currency"], &[]);
        for (date, costs) in week {
            table.row(&[&date.to_string(), region_id, CURRENCY], &costs, &[]);
        }
        table.finish(context.site, &format!("ghi-history-{region_id}.csv"))
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

fn snapshot_table(edition: &Edition, site: &Site, today: &Day) -> Representation {
    let date = today.date.to_string();
    let mut table = Table::new(&["date", "region_id", "name", "currency"], &["hashrate_share_pct"]);
    table.row(&[&date, GLOBAL, "World", CURRENCY], &today.global, &[WHOLE_NETWORK_PCT]);
    let costs = std::iter::zip(&today.regions, today.hashrate_shares_pct.iter());
    for (region, (costs, share)) in std::iter::zip(edition.model().registry().regions(), costs) {
        table.row(&[&date, &region.id, &region.name, CURRENCY], costs, &[*share]);
    }
    table.finish(site, &format!("ghi-snapshot-{date}.csv"))
}

/// Rows of texts, costs and more figures, under a row of their names.
struct Table(csv::Writer<Vec<u8>>);

impl Table {
    fn new(texts: &[&str], figures: &[&str]) -> Self {
        let mut lines = csv::WriterBuilder::new();
        let mut table = Self(lines.terminator(csv::Terminator::CRLF).from_writer(Vec::new()));
        let costs = ["min_cost_usd", "avg_cost_usd", "max_cost_usd"];
        table.write(texts.iter().chain(&costs).chain(figures).copied());
        table
    }

    fn row(&mut self, texts: &[&str], costs: &Costs, figures: &[Decimal]) {
        let costs = [costs.min_usd, costs.avg_usd, costs.max_usd];
        let figures = costs.iter().chain(figures).map(ToString::to_string);
        self.write(texts.iter().map(ToString::to_string).chain(figures));
    }

    fn write(&mut self, fields: impl Iterator<Item = impl AsRef<[u8]>>) {
        self.0.write_record(fields).expect("rows are equally long, and memory takes them");
    }

    /// The table as a file to be saved under a name.
    fn finish(self, site: &Site, file_name: &str) -> Representation {
        let text = self.0.into_inner().expect("memory takes what is written");
        let disposition = format!("attachment; filename=\"{file_name}\"");
        let disposition = HeaderValue::try_from(disposition).expect("ids and dates are ASCII");
        let headers = Cacheable::daily(site, "text/csv; charset=utf-8; header=present");
        Representation::new(headers.with(CONTENT_DISPOSITION, disposition), text)
    }
}
