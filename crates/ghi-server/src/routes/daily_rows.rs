//! Tables with one row per day, written line by line.

use std::io::Write;
use std::sync::Arc;

use ghi_contract::CURRENCY;
use ghi_engine::{Costs, Model, NetworkState, NoFigures, Scope};
use jiff::civil::Date;

use crate::routes::date_range::DateRange;

/// The kind of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DailyTable {
    /// The costs of a scope.
    History(Scope),
    /// The network's state.
    Network,
}

impl DailyTable {
    /// Returns the name of the file, without the dates.
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
        let day = date.to_string();
        Ok(match self {
            Self::History(scope) => {
                let Costs { min_usd, avg_usd, max_usd } = model.costs(scope, date)?;
                let region_id = scope.region_id(model.registry()).to_owned();
                let costs = [min_usd, avg_usd, max_usd].map(|cost| cost.to_string());
                [day, region_id, CURRENCY.into()].into_iter().chain(costs).collect()
            }
            Self::Network => {
                let NetworkState { hashrate_eh, difficulty, avg_fee_usd } = model.network(date)?;
                let [hashrate, fee] = [hashrate_eh, avg_fee_usd].map(|figure| figure.to_string());
                vec![day, hashrate, difficulty.to_string(), fee]
            }
        })
    }
}

/// Writes records, of which each has as many fields as the first, in lines as RFC 4180 has them.
pub(crate) fn records<W: Write>(to: W) -> csv::Writer<W> {
    csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(to)
}

/// Generates a table of a range of days, line by line. All rows come from one model, even if the inputs are
/// reloaded meanwhile.
pub(crate) fn daily_rows(
    model: Arc<Model>,
    table: DailyTable,
    range: DateRange,
) -> impl Iterator<Item = Vec<u8>> + Send {
    let days = std::iter::successors(Some(range.first()), move |date| range.day_after(*date));
    let rows = days.map(move |date| {
        let row = table.row(&model, date);
        line(row.expect("the range lies within what the model covers"))
    });
    std::iter::once_with(move || line(table.columns())).chain(rows)
}

/// A line of a table.
pub(crate) fn line<T: AsRef<[u8]>>(fields: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut records = records(Vec::new());
    records.write_record(fields).expect("writing to memory does not fail");
    records.into_inner().expect("writing to memory does not fail")
}
