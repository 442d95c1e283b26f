//! Tables with a row a day, written bit by bit.

use std::io::Write;
use std::sync::Arc;

use ghi_contract::CURRENCY;
use ghi_engine::{Costs, Model, NetworkFigures, NoFigures, Scope};
use jiff::civil::Date;

use crate::http::paths;
use crate::net::Source;
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
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::History(_) => paths::HISTORY_CSV,
            Self::Network => paths::NETWORK_CSV,
        }
    }

    pub(crate) fn scope(self) -> Scope {
        match self {
            Self::History(scope) => scope,
            Self::Network => Scope::Global,
        }
    }

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

pub(crate) fn network_row(date: Date, network: &NetworkFigures) -> [String; 4] {
    let NetworkFigures { hashrate_eh, difficulty, avg_fee_usd } = network;
    [date.to_string(), hashrate_eh.to_string(), difficulty.to_string(), avg_fee_usd.to_string()]
}

/// Writes records, of which each has as many fields as the first, in lines as RFC 4180 has them.
pub(crate) fn records<W: Write>(to: W) -> csv::Writer<W> {
    csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(to)
}

/// A table of a range of days, a row at a time under a row of names. The rows are all of one model,
/// whatever is reloaded meanwhile.
pub(crate) struct DailyRows {
    model: Arc<Model>,
    table: DailyTable,
    range: DateRange,
    next: Row,
}

enum Row {
    Columns,
    Day(Date),
}

impl DailyRows {
    pub(crate) fn new(model: Arc<Model>, table: DailyTable, range: DateRange) -> Self {
        Self { model, table, range, next: Row::Columns }
    }
}

impl Source for DailyRows {
    fn write_next(&mut self, to: &mut Vec<u8>) -> bool {
        let mut records = records(to);
        let (written, next) = match self.next {
            Row::Columns => (records.write_record(self.table.columns()), Some(self.range.first())),
            Row::Day(date) => {
                let row = self.table.row(&self.model, date);
                let row = row.expect("the range lies within what the model covers");
                (records.write_record(row), self.range.day_after(date))
            }
        };
        written.expect("memory takes what is written");
        if let Some(date) = next {
            self.next = Row::Day(date);
        }
        next.is_some()
    }
}
