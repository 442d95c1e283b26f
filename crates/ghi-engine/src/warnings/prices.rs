//! Power prices that are probably in cents.

use crate::inputs::values::{Electricity, Inputs, RegionInputs};
use crate::series::Positive;
use crate::warnings::title;

/// From here on, USD/kWh, a price is probably in cents: nobody mines at a dollar.
const DEAR_USD_PER_KWH: f64 = 1.0;

/// The first row of a region in the series that has such a price.
pub(super) fn dear_row(inputs: &Inputs, region: usize) -> Option<String> {
    inputs.series.regions.get(region)?.iter().find_map(|row| {
        let given = row.electricity_usd_per_kwh.into_iter().flatten().map(Positive::get);
        let place = || format!("on line {} of the regions' series", row.line);
        dear(given, &inputs.regions[region], place)
    })
}

/// Such a price in the inputs themselves.
pub(super) fn dear_level(region: &RegionInputs) -> Option<String> {
    let Electricity { low, mean, high } = region.electricity_usd_per_kwh;
    dear([low, mean, high].into_iter(), region, || "in the TOML".to_owned())
}

fn dear(
    mut prices: impl Iterator<Item = f64>,
    region: &RegionInputs,
    place: impl FnOnce() -> String,
) -> Option<String> {
    let price = prices.find(|price| *price >= DEAR_USD_PER_KWH)?;
    Some(format!(
        "the electricity of {} costs {price} USD per kWh {}: is it in cents? It is in USD per kWh, such as 0.055",
        title(region),
        place()
    ))
}
