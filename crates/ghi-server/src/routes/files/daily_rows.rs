//! Tables with one row per day, written line by line.

use std::sync::Arc;

use ghi_contract::CURRENCY;
use ghi_engine::{
    CostCurve, Costs, DayInputs, Decimal, Economics, Model, NetworkState, NoFigures,
    REGION_COLUMNS, RegionIndex, Scope,
};
use jiff::civil::Date;

use crate::routes::files::date_range::DateRange;

/// The kind of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DailyTable {
    /// The costs of a scope.
    History(Scope),
    /// The network's state.
    Network,
    /// Percentiles of the cost, worldwide.
    Distribution,
    /// A price compared with the cost: the market price, or a reader's price on every day.
    Economics(Option<Decimal>),
    /// The inputs of the formula, one row per region of the scope.
    Inputs(Scope),
}

impl DailyTable {
    /// Returns the name of the file, without the dates.
    pub(crate) fn name(self, model: &Model) -> String {
        match self {
            Self::History(scope) => format!("ghi-history-{}", scope.region_id(model.registry())),
            Self::Network => "ghi-network".into(),
            Self::Distribution => "ghi-distribution".into(),
            Self::Economics(None) => "ghi-economics".into(),
            Self::Economics(Some(price)) => format!("ghi-economics-at-{price}"),
            Self::Inputs(scope) => format!("ghi-inputs-{}", scope.region_id(model.registry())),
        }
    }

    fn header(self) -> Vec<u8> {
        let costs = ["min_cost_usd", "avg_cost_usd", "max_cost_usd"];
        match self {
            Self::History(_) => line(["date", "region_id", "currency"].into_iter().chain(costs)),
            Self::Network => line(["date", "hashrate_eh", "difficulty", "avg_fee_usd"]),
            Self::Distribution => {
                let costs = CostCurve::PERCENTILES.map(|percent| format!("p{percent}_cost_usd"));
                line(std::iter::once("date".into()).chain(costs))
            }
            Self::Economics(_) => line(ECONOMICS.map(|(name, _)| name)),
            Self::Inputs(_) => {
                let network = ["date", "region_id", "difficulty", "block_reward_coins"];
                line(network.into_iter().chain(REGION_COLUMNS.map(|column| column.name)))
            }
        }
    }

    /// Returns the region of each row of a day. Only the inputs have rows by region.
    fn regions(self, model: &Model) -> Vec<Option<RegionIndex>> {
        match self {
            Self::Inputs(Scope::Global) => model.registry().indices().map(Some).collect(),
            Self::Inputs(Scope::Region(region)) => vec![Some(region)],
            _ => vec![None],
        }
    }

    /// Returns a row. A day without a price has no row in the economics.
    pub(crate) fn row(
        self,
        model: &Model,
        date: Date,
        region: Option<RegionIndex>,
    ) -> Result<Option<Vec<String>>, NoFigures> {
        let day = date.to_string();
        Ok(Some(match self {
            Self::History(scope) => {
                let Costs { min_usd, avg_usd, max_usd } = model.costs(scope, date)?;
                let region_id = scope.region_id(model.registry()).to_owned();
                let costs = [min_usd, avg_usd, max_usd].map(|cost| cost.to_string());
                [day, region_id, CURRENCY.into()].into_iter().chain(costs).collect()
            }
            Self::Network => {
                let NetworkState { hashrate_eh, difficulty, avg_fee_usd, .. } =
                    model.network(date)?;
                let [hashrate, fee] = [hashrate_eh, avg_fee_usd].map(|figure| figure.to_string());
                vec![day, hashrate, difficulty.to_string(), fee]
            }
            Self::Distribution => {
                let percentiles = CostCurve::new(&model.day(date)?).percentiles_usd();
                std::iter::once(day).chain(percentiles.map(|cost| cost.to_string())).collect()
            }
            Self::Economics(price) => {
                let of_day = model.day(date)?;
                let Some(price) = price.or(of_day.network.price_usd) else { return Ok(None) };
                let economics = model.economics(&of_day, price)?;
                ECONOMICS.iter().map(|(_, cell)| cell(&economics)).collect()
            }
            Self::Inputs(_) => {
                let Some(region) = region else { return Ok(None) };
                let region_id = model.registry()[region].id.clone();
                inputs_row([day, region_id], &model.day_inputs(region, date)?)
            }
        }))
    }
}

/// The name of a column, and its value on a day.
type EconomicsColumn = (&'static str, fn(&Economics) -> String);

const ECONOMICS: [EconomicsColumn; 8] = [
    ("date", |day| day.date.to_string()),
    ("price_usd", |day| day.price_usd.to_string()),
    ("avg_cost_usd", |day| day.avg_cost_usd.to_string()),
    ("price_to_cost", |day| day.price_to_cost.to_string()),
    ("hashprice_usd_per_ph_day", |day| day.hashprice_usd_per_ph_day.to_string()),
    ("break_even_usd_per_kwh", |day| day.break_even_usd_per_kwh.to_string()),
    ("break_even_j_per_th", |day| day.break_even_j_per_th.to_string()),
    ("hashrate_below_price_pct", |day| day.hashrate_below_price_pct.to_string()),
];

fn inputs_row(first: [String; 2], inputs: &DayInputs) -> Vec<String> {
    let share = inputs.hashrate_share_pct.to_string();
    let network = [inputs.difficulty.to_string(), inputs.block_reward_coins.to_string(), share];
    let [efficiency, electricity] = [inputs.efficiency_j_per_th, inputs.electricity_usd_per_kwh];
    // The fewest digits that parse to the same float.
    let fleet = [efficiency, electricity].concat().into_iter().chain([inputs.overhead]);
    first.into_iter().chain(network).chain(fleet.map(|number| number.to_string())).collect()
}

/// Generates a table of a range of days, line by line. All rows come from one model, even if the inputs are
/// reloaded in the meantime.
pub(crate) fn daily_rows(
    model: Arc<Model>,
    table: DailyTable,
    range: DateRange,
) -> impl Iterator<Item = Vec<u8>> + Send {
    let days = std::iter::successors(Some(range.first), move |date| range.day_after(*date));
    let regions = table.regions(&model);
    let keys =
        days.flat_map(move |date| regions.clone().into_iter().map(move |region| (date, region)));
    // A day in a gap of the series has no row.
    let rows = keys
        .filter_map(move |(date, region)| table.row(&model, date, region).ok().flatten().map(line));
    std::iter::once_with(move || table.header()).chain(rows)
}

/// Returns a line of a table, as in RFC 4180.
pub(crate) fn line<T: AsRef<[u8]>>(fields: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut line =
        csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    line.write_record(fields).expect("writing to memory does not fail");
    line.into_inner().expect("writing to memory does not fail")
}
