//! The scale of a chart of characters.

use ghi_display::{Scale, ScaleStyle};
use ghi_engine::Decimal;

use crate::show::numbers::{decimals, plain};

/// The largest cost in a chart, in units of its last decimal: beyond it, floats are more than a unit apart.
const UNITS_MAX: u64 = 1_000_000_000_000_000;

/// The maximum number of decimals of a cost in a chart.
const DECIMALS_MAX: usize = 15;

/// The minimum length of a plot in columns.
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
    /// Creates a horizontal scale of this length for these costs.
    pub(super) fn horizontal(
        costs: [f64; 2],
        length: usize,
        style: ScaleStyle,
    ) -> Result<Self, String> {
        let last = length - 1;
        Self::covering(costs, [0.0, last as f64], last, style)
    }

    /// Creates a vertical scale, with the highest cost at the top, which is 0.
    pub(super) fn vertical(
        costs: [f64; 2],
        length: usize,
        style: ScaleStyle,
    ) -> Result<Self, String> {
        let last = length - 1;
        Self::covering(costs, [last as f64, 0.0], last, style)
    }

    fn covering(
        [low, high]: [f64; 2],
        ends: [f64; 2],
        last: usize,
        style: ScaleStyle,
    ) -> Result<Self, String> {
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
                return Ok(Self { scale: Scale::covering(low, high, ends, style), low, last });
            }
        }
        Err(format!("cannot draw a cost of {high:e} USD; it is too large"))
    }

    /// Returns the place of a cost.
    pub(super) fn place(&self, cost: f64) -> usize {
        let units = cost * 10_f64.powi(self.low.decimals().into());
        let cost = Decimal::new(units.round() as u64, self.low.decimals());
        self.scale.place(cost).round().clamp(0.0, self.last as f64) as usize
    }

    /// Returns the places of the ticks and their labels.
    pub(super) fn ticks(&self) -> Vec<(usize, String)> {
        let ticks = self.scale.ticks().into_iter();
        ticks.map(|tick| (tick.at.round() as usize, format!("${}", tick.label))).collect()
    }
}

/// Returns the lowest and the highest of these numbers.
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
