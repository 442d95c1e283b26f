//! The figures as tables that spreadsheets read.

use bytes::Bytes;
use ghi_contract::{CURRENCY, GLOBAL};
use ghi_engine::{Costs, Hundredths};
use hyper::Response;
use hyper::header::{CONTENT_DISPOSITION, HeaderValue};

use crate::amounts::Amount;
use crate::api::Ask;
use crate::clock::Moment;
use crate::conditional::of_the_day;
use crate::parameters::Scope;
use crate::pictures::FILES;
use crate::problem::Problem;

pub(crate) const HISTORY_CSV: &str = "/export/history.csv";
pub(crate) const SNAPSHOT_CSV: &str = "/export/snapshot.csv";

/// The week as a table.
///
/// The points of the history, a row a day.
#[utoipa::path(get, path = HISTORY_CSV, tag = FILES,
    params(("region_id" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "text/csv")))]
pub(crate) fn history_csv(ask: &Ask<'_>) -> Result<Response<Bytes>, Problem> {
    let scope = Scope::parse(&ask.query, ask.model())?;
    let figures = ask.figures()?;
    let region_id = scope.region_id(figures.model);
    let mut table = Table::new(&["date", "region_id", "currency"], &[]);
    for (date, costs) in figures.days.week(scope) {
        table.row(&[&date.to_string(), region_id, CURRENCY], &costs, &[]);
    }
    Ok(table.respond(ask, figures.moment, &format!("ghi-history-{region_id}.csv")))
}

/// Today's costs as a table.
///
/// A row for the whole network, then a row a region, with its part of the network's hashrate.
#[utoipa::path(get, path = SNAPSHOT_CSV, tag = FILES,
    responses((status = 200, body = String, content_type = "text/csv")))]
pub(crate) fn snapshot_csv(ask: &Ask<'_>) -> Result<Response<Bytes>, Problem> {
    let figures = ask.figures()?;
    let today = figures.days.today();
    let date = today.date.to_string();
    let mut table = Table::new(&["date", "region_id", "name", "currency"], &["hashrate_share_pct"]);
    let whole = Hundredths::new(10_000);
    table.row(&[&date, GLOBAL, "World", CURRENCY], &today.global, &[whole]);
    for (region, costs) in std::iter::zip(figures.model.registry(), &today.regions) {
        let share = region.hashrate_share_pct;
        table.row(&[&date, &region.id, &region.name, CURRENCY], costs, &[share]);
    }
    Ok(table.respond(ask, figures.moment, &format!("ghi-snapshot-{date}.csv")))
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

    fn row(&mut self, texts: &[&str], costs: &Costs, figures: &[Hundredths]) {
        let costs = [costs.min_usd, costs.avg_usd, costs.max_usd];
        let figures = costs.iter().chain(figures).map(|figure| Amount(*figure).plain());
        self.write(texts.iter().map(ToString::to_string).chain(figures));
    }

    fn write(&mut self, fields: impl Iterator<Item = impl AsRef<[u8]>>) {
        self.0.write_record(fields).expect("rows are equally long, and memory takes them");
    }

    fn respond(self, ask: &Ask<'_>, moment: Moment, file_name: &str) -> Response<Bytes> {
        let text = self.0.into_inner().expect("memory takes what is written");
        let content_type = "text/csv; charset=utf-8; header=present";
        let mut response = of_the_day(moment, ask.headers, content_type, text.into());
        let disposition = format!("attachment; filename=\"{file_name}\"");
        let disposition = HeaderValue::try_from(disposition).expect("ids and dates are ASCII");
        response.headers_mut().insert(CONTENT_DISPOSITION, disposition);
        response
    }
}
