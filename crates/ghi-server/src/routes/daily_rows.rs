//! Tables with one row per day, written line by line.

use std::io::Write;
use std::sync::Arc;

use ghi_contract::CURRENCY;
use ghi_engine::{Costs, Model, NetworkState, NoFigures, Scope};
use jiff::civil::Date;

use crate::routes::date_range::DateRange;

/// What the rows of a table are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DailyTable {
    /// The costs of a scope.
    History(Scope),
    /// The network's state.
    Network,
}

impl DailyTable {
    /// What its file is called, but for the dates.
    pub(crate) fn name(self, model: &Model) -> String {
        match self {
            Self::History(scope) => format!("ghi-history-{}", scope.region_id(model.registry())),
            Self::Network => "ghi-network".into(),
        }
    }

    pub(crate) fn columns(self) -> &'static [&'static str] {
        match self {
            Self::History(_) => {
                &["date", "region_id", "currency", "min_cost_usd", "avg_cost_usd", "max_cost_usd"]
            }
            Self::Network => &["date", "hashrate_eh", "difficulty", "avg_fee_usd"],
        }
    }

    /// The row of a day.
    fn row(self, model: &Model, date: Date) -> Result<Vec<String>, NoFigures> {
        match self {
            Self::History(scope) => {
                let region_id = scope.region_id(model.registry());
                let costs = model.costs(scope, date);
                costs.map(|costs| history_row(date, region_id, &costs).into())
            }
            Self::Network => model.network(date).map(|network| network_row(date, &network).into()),
        }
    }
}

/// The row of a scope's costs on a day.
pub(crate) fn history_row(date: Date, region_id: &str, costs: &Costs) -> [String; 6] {
    let [min, avg, max] =
        [costs.min_usd, costs.avg_usd, costs.max_usd].map(|cost| cost.to_string());
    [date.to_string(), region_id.into(), CURRENCY.into(), min, avg, max]
}

pub(crate) fn network_row(date: Date, network: &NetworkState) -> [String; 4] {
    let NetworkState { hashrate_eh, difficulty, avg_fee_usd, .. } = network;
    [date.to_string(), hashrate_eh.to_string(), difficulty.to_string(), avg_fee_usd.to_string()]
}

/// Writes records, of which each has as many fields as the first, in lines as RFC 4180 has them.
pub(crate) fn records<W: Write>(to: W) -> csv::Writer<W> {
    csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(to)
}

/// A table of a range of days, line by line. The rows are all of one model, whatever is reloaded
/// meanwhile.
pub(crate) fn daily_rows(
    model: Arc<Model>,
    table: DailyTable,
    range: DateRange,
) -> impl Iterator<Item = Vec<u8>> + Send {
    let days = std::iter::successors(Some(range.first()), move |date| range.day_after(*date));
    // A day in a gap of the series has no row.
    let rows = days.filter_map(move |date| table.row(&model, date).ok().map(line));
    std::iter::once_with(move || line(table.columns())).chain(rows)
}

/// A line of a table.
pub(crate) fn line<T: AsRef<[u8]>>(fields: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut records = records(Vec::new());
    records.write_record(fields).expect("memory takes what is written");
    records.into_inner().expect("memory takes what is written")
}
