//! The scale of a chart of characters.

use ghi_display::{Scale, ScaleStyle};
use ghi_engine::Decimal;

use crate::show::numbers::{decimals, plain};

/// The largest cost in a chart, in units of its last decimal: beyond it, floats are more than a unit apart.
const UNITS_MAX: u64 = 1_000_000_000_000_000;

const DECIMALS_MAX: usize = 15;

pub(super) const PLOT_MIN: usize = 10;

/// Columns between the numbers of a vertical scale and the plot: a space, and the axis.
pub(super) const AXIS: usize = 2;

/// The places of costs on an axis of characters or dots.
pub(super) struct ChartScale {
    scale: Scale,
    /// The lowest cost; its decimals apply to all of them.
    low: Decimal,
    last: usize,
}

impl ChartScale {
    /// Creates a scale with these places for the lowest and the highest cost.
    pub(super) fn covering(
        [low, high]: [f64; 2],
        ends: [usize; 2],
        ticks_max: usize,
        is_brief: bool,
    ) -> Result<Self, String> {
        let style = ScaleStyle { ticks_max: ticks_max as u64, is_brief };
        if low < 0.0 {
            return Err(format!("cannot draw a cost of {low} USD; costs must be positive"));
        }
        // The decimals of large costs are insignificant.
        for decimals in [decimals([low, high]), 0] {
            let units = [low, high].map(|cost| plain(cost, decimals).replace('.', "").parse());
            if let [Ok(low), Ok(high @ ..=UNITS_MAX)] = units
                && decimals <= DECIMALS_MAX
            {
                let [low, high] = [low, high].map(|units| Decimal::new(units, decimals as u8));
                let scale = Scale::covering(low, high, ends.map(|end| end as f64), style);
                return Ok(Self { scale, low, last: ends[0].max(ends[1]) });
            }
        }
        Err(format!("cannot draw a cost of {high:e} USD; it is too large"))
    }

    pub(super) fn place(&self, cost: f64) -> usize {
        let units = cost * 10_f64.powi(self.low.decimals().into());
        let cost = Decimal::new(units.round() as u64, self.low.decimals());
        self.scale.place(cost).round().clamp(0.0, self.last as f64) as usize
    }

    pub(super) fn ticks(&self) -> Vec<(usize, String)> {
        let ticks = self.scale.ticks().into_iter();
        ticks.map(|tick| (tick.at.round() as usize, format!("${}", tick.label))).collect()
    }
}

pub(super) fn range(numbers: impl IntoIterator<Item = f64>) -> [f64; 2] {
    numbers.into_iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], number| {
        [low.min(number), high.max(number)]
    })
}

/// Formats the rows of a plot with the ticks of a vertical scale, whose labels have this width.
pub(super) fn with_axis(
    rows: impl IntoIterator<Item = String>,
    ticks: &[(usize, String)],
    width: usize,
) -> String {
    let line = |(row, cells): (usize, String)| {
        let tick = ticks.iter().find(|(at, _)| *at == row);
        let label = tick.map_or("", |(_, label)| label);
        let axis = if tick.is_some() { '┤' } else { '│' };
        format!("{label:>width$} {axis}{cells}").trim_end().to_owned() + "\n"
    };
    rows.into_iter().enumerate().map(line).collect()
}
