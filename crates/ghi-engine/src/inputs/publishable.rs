//! Whether valid fields together give figures that can be published: each of them positive with its
//! decimals, and small enough to be exact, however far it moves.

use crate::bounds;
use crate::calendar::date_of;
use crate::cost::{cost_usd_per_coin, hashes_per_coin};
use crate::decimal::{Decimal, power_of_ten};
use crate::inputs::document::Document;
use crate::inputs::values::{Inputs, RegionInputs};
use crate::movement::Extremes;
use crate::problems::{Place, Problems, Source};
use crate::series::{NetworkRow, Positive, RegionRow};

/// Checks what no field shows on its own.
pub(super) fn check(inputs: &Inputs, document: &Document<'_>, problems: &mut Problems) {
    let check = Check { inputs, document };
    check.network(problems);
    // What follows from a wrong difficulty is wrong as well.
    if problems.is_empty() {
        for (index, region) in inputs.regions.iter().enumerate() {
            check.region(index, region, problems);
        }
    }
}

struct Check<'a> {
    inputs: &'a Inputs,
    document: &'a Document<'a>,
}

impl Check<'_> {
    fn network(&self, problems: &mut Problems) {
        let Inputs { network, movement, series, .. } = self.inputs;
        let scatter = movement.scatter_extremes();
        let fee = movement.fee_extremes().of(network.fee_usd);
        if series.network.is_empty() {
            let level = self.inputs.level_of_difficulty();
            let extremes = movement.difficulty_extremes().of(level);
            let place = self.document.place(&["network", "hashrate_eh"]);
            if !extremes.lie_within(bounds::DIFFICULTY) {
                problems.push(place, || {
                    format!(
                        "network.hashrate_eh, seconds_per_block and hashes_per_difficulty come to a difficulty of {}; it must be {} however far it moves",
                        brief(level),
                        bounds::DIFFICULTY
                    )
                });
                return;
            }
            let hashrate = movement.difficulty_extremes().of(network.hashrate_eh);
            let hashrate = Extremes {
                least: hashrate.least * scatter.least,
                most: hashrate.most * scatter.most,
            };
            self.hashrate(hashrate, place, problems);
            let place = self.document.place(&["network", "fee_usd"]);
            self.usd(|| "network.fee_usd".into(), fee, place, problems);
        }
        for row in &series.network {
            let place = Place::row(Source::Network, row.line as usize);
            let implied = || scatter.of(self.inputs.implied_eh(row.difficulty));
            self.hashrate(row.hashrate_eh.map_or_else(implied, Extremes::still), place, problems);
            let fee = row.fee_usd.map_or(fee, Extremes::still);
            self.usd(|| "fee_usd".into(), fee, place, problems);
            // One row that is wrong is seldom alone, and each says the same.
            if !problems.is_empty() {
                return;
            }
        }
    }

    fn hashrate(&self, extremes: Extremes, place: Place<'_>, problems: &mut Problems) {
        let decimals = self.inputs.decimals.hashrate_eh;
        let field = "decimals.hashrate_eh";
        let bound = (field, decimals, bounds::DECIMALS_HASHRATE_EH.max() as u8);
        fits(|| "the hashrate".into(), "EH/s", extremes, bound, place, problems);
    }

    fn usd(
        &self,
        what: impl FnOnce() -> String,
        extremes: Extremes,
        place: Place<'_>,
        problems: &mut Problems,
    ) {
        let bound = ("decimals.usd", self.inputs.decimals.usd, bounds::DECIMALS_USD.max() as u8);
        fits(what, "USD", extremes, bound, place, problems);
    }

    /// A region's costs, from each day on which they change to another level.
    fn region(&self, index: usize, region: &RegionInputs, problems: &mut Problems) {
        let series = &self.inputs.series;
        let (from, to) = series.covered().unwrap_or((0, 0));
        let rows = series.regions.get(index).map_or(&[][..], Vec::as_slice);
        let mut networks = series.network.iter().peekable();
        let mut rows = rows.iter().peekable();
        let (mut network_row, mut row) = (None, None);
        let mut next = Some(from);
        while let Some(day) = next.filter(|day| *day <= to) {
            while let Some(now) = networks.next_if(|row| i64::from(row.day) <= day) {
                network_row = Some(now);
            }
            while let Some(now) = rows.next_if(|row| i64::from(row.day) <= day) {
                row = Some(now);
            }
            let place = match (network_row, row) {
                (_, Some(row)) => Place::row(Source::Regions, row.line as usize),
                (Some(row), None) => Place::row(Source::Network, row.line as usize),
                (None, None) => self.document.region_place(index, &["efficiency_j_per_th"]),
            };
            let what = || {
                let on = series.covered().map(|_| format!(" on {}", date_of(day)));
                format!("region {:?}: the cost of a coin{}", region.id, on.unwrap_or_default())
            };
            let before = problems.count();
            self.usd(what, self.costs(region, network_row, row), place, problems);
            if problems.count() > before {
                return;
            }
            let changes = [networks.peek().map(|row| row.day), rows.peek().map(|row| row.day)];
            next = changes.into_iter().flatten().map(i64::from).min();
        }
    }

    /// The lowest minimum and the highest maximum.
    fn costs(
        &self,
        region: &RegionInputs,
        network_row: Option<&NetworkRow>,
        row: Option<&RegionRow>,
    ) -> Extremes {
        let Inputs { network, movement, .. } = self.inputs;
        let difficulty = match network_row {
            Some(row) => Extremes::still(row.difficulty as f64),
            None => movement.difficulty_extremes().of(self.inputs.level_of_difficulty()),
        };
        let reward = network_row.and_then(|row| row.block_reward_coins);
        let reward = reward.unwrap_or(network.block_reward_coins);
        let given = |value: Option<Positive>, level: f64| value.map_or(level, Positive::get);
        let levels = &region.efficiency_j_per_th;
        let [best, _, worst] = row.map_or([None; 3], |row| row.efficiency_j_per_th);
        let (best, worst) = (given(best, levels.best), given(worst, levels.worst));
        let levels = &region.electricity_usd_per_kwh;
        let prices = row.map_or([None; 3], |row| row.electricity_usd_per_kwh);
        let price = |given: Option<Positive>, level: f64| match given {
            Some(given) => Extremes::still(given.get()),
            None => movement.price_extremes().of(level),
        };
        let [low, mean, high] = [
            price(prices[0], levels.low),
            price(prices[1], levels.mean),
            price(prices[2], levels.high),
        ];
        let cost = |difficulty, efficiency, price| {
            let hashes = hashes_per_coin(difficulty, network.hashes_per_difficulty, reward);
            cost_usd_per_coin(hashes, efficiency, price, network.overhead)
        };
        Extremes {
            least: cost(difficulty.least, best, low.least.min(mean.least)),
            most: cost(difficulty.most, worst, high.most.max(mean.most)),
        }
    }
}

/// Checks that a figure can be published with its decimals, of which there may be so many at most.
fn fits(
    what: impl FnOnce() -> String,
    unit: &str,
    extremes: Extremes,
    (field, decimals, decimals_max): (&str, u8, u8),
    place: Place<'_>,
    problems: &mut Problems,
) {
    let one = power_of_ten(decimals);
    if extremes.least * one < 1.0 {
        let enough = |decimals: &u8| extremes.least * power_of_ten(*decimals) >= 1.0;
        let advice = match (decimals..=decimals_max).find(enough) {
            Some(decimals) => format!("{field} must be {decimals} at least"),
            None => format!("that is too little even for {decimals_max} decimals"),
        };
        problems.push(place, || {
            let least = brief(extremes.least);
            let what = what();
            format!("{what} can be as low as {least} {unit}, which rounds to nothing with {decimals} decimals; {advice}")
        });
    } else if extremes.most * one > Decimal::COUNT_MAX {
        problems.push(place, || {
            let [most, limit] = [extremes.most, Decimal::COUNT_MAX / one].map(brief);
            let what = what();
            format!("{what} can be as high as {most} {unit}; with {decimals} decimals ({field}), it must be at most {limit}")
        });
    }
}

/// A number in a few digits.
fn brief(value: f64) -> String {
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    if (1e-4..1e7).contains(&rounded) { rounded.to_string() } else { format!("{rounded:e}") }
}
