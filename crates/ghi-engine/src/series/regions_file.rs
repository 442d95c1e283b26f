//! The series of the regions.

use std::collections::HashMap;
use std::num::NonZeroU16;

use crate::bounds::{self, Bounds};
use crate::decimal::Decimal;
use crate::levels::not_rising;
use crate::nearest::listed;
use crate::problems::{Problems, Source};
use crate::registry::SHARE_DECIMALS;
use crate::series::header::Columns;
use crate::series::rows::{KnownRegion, Positive, RegionRow};
use crate::series::sheet::{Refused, Sheet, has_spaces_around, spaces_around};

const COLUMNS: Columns = Columns {
    source: Source::Regions,
    names: &[
        "date",
        "region_id",
        "hashrate_share_pct",
        "efficiency_j_per_th_best",
        "efficiency_j_per_th_mean",
        "efficiency_j_per_th_worst",
        "electricity_usd_per_kwh_low",
        "electricity_usd_per_kwh_mean",
        "electricity_usd_per_kwh_high",
    ],
    required: 2,
};

const DATE: usize = 0;
const REGION_ID: usize = 1;
const HASHRATE_SHARE_PCT: usize = 2;
const EFFICIENCY_J_PER_TH: [usize; 3] = [3, 4, 5];
const ELECTRICITY_USD_PER_KWH: [usize; 3] = [6, 7, 8];

/// How many known ids a message names.
const IDS_NAMED: usize = 5;

/// The rows of each region by date, without those that have problems.
pub(super) fn read(
    bytes: &[u8],
    regions: &[KnownRegion<'_>],
    problems: &mut Problems,
) -> Vec<Vec<RegionRow>> {
    let mut rows: Vec<Vec<RegionRow>> = vec![Vec::new(); regions.len()];
    let Some(mut sheet) = Sheet::open(bytes, COLUMNS, problems) else { return rows };
    if !(COLUMNS.required..COLUMNS.names.len()).any(|column| sheet.has(column)) {
        problems.push(sheet.row_place(), || {
            let further = COLUMNS.names[COLUMNS.required..].join(", ");
            format!("there is no column beside date and region_id; it must have one at least of {further}")
        });
    }
    let mut ids = Ids::new(regions);
    let mut before = vec![None; regions.len()];
    while sheet.advance(problems) {
        let Some(index) = ids.index(sheet.cell(REGION_ID)) else {
            // The other cells are right or wrong whatever region they are of.
            problems.push(sheet.place(REGION_ID), || ids.unknown(sheet.cell(REGION_ID)));
            continue;
        };
        rows[index].extend(row(&mut sheet, &regions[index], &mut before[index], problems));
    }
    rows
}

/// The row; `before` is the day of the region's row before it, and becomes that of this one.
fn row(
    sheet: &mut Sheet<'_>,
    region: &KnownRegion<'_>,
    before: &mut Option<i32>,
    problems: &mut Problems,
) -> Result<RegionRow, Refused> {
    let row_before = || format!("the row of {:?} before it", region.id);
    let day = sheet.day_after(DATE, before, row_before, problems);
    let share = share(sheet, problems);
    let efficiency = Levels {
        field: "efficiency_j_per_th",
        names: ["best", "mean", "worst"],
        columns: EFFICIENCY_J_PER_TH,
        bounds: bounds::EFFICIENCY_J_PER_TH,
        inputs: region.efficiency_j_per_th,
    };
    let electricity = Levels {
        field: "electricity_usd_per_kwh",
        names: ["low", "mean", "high"],
        columns: ELECTRICITY_USD_PER_KWH,
        bounds: bounds::ELECTRICITY_USD_PER_KWH,
        inputs: region.electricity_usd_per_kwh,
    };
    let [efficiency, electricity] =
        [efficiency, electricity].map(|levels| levels.read(sheet, problems));
    Ok(RegionRow {
        day: day?,
        line: sheet.line(),
        hashrate_share_pct: share?,
        efficiency_j_per_th: efficiency?,
        electricity_usd_per_kwh: electricity?,
    })
}

fn share(sheet: &Sheet<'_>, problems: &mut Problems) -> Result<Option<NonZeroU16>, Refused> {
    let column = HASHRATE_SHARE_PCT;
    let Some(value) = sheet.number(column, bounds::HASHRATE_SHARE_PCT, problems)? else {
        return Ok(None);
    };
    let share = Decimal::nearest(value, SHARE_DECIMALS);
    if share.to_f64() != value {
        let message = || format!("{} must have at most two decimals", sheet.cell(column));
        return sheet.refuse(column, message, problems);
    }
    Ok(u16::try_from(share.count()).ok().and_then(NonZeroU16::new))
}

/// Three levels of a region, of which a row may give some.
struct Levels {
    field: &'static str,
    names: [&'static str; 3],
    columns: [usize; 3],
    bounds: Bounds,
    /// What holds where a cell is empty.
    inputs: [f64; 3],
}

impl Levels {
    fn read(
        &self,
        sheet: &Sheet<'_>,
        problems: &mut Problems,
    ) -> Result<[Option<Positive>; 3], Refused> {
        let [a, b, c] = self.columns.map(|column| sheet.number(column, self.bounds, problems));
        let given = [a?, b?, c?];
        let mut in_force = self.inputs;
        for (level, given) in std::iter::zip(&mut in_force, given) {
            *level = given.unwrap_or(*level);
        }
        if !in_force.is_sorted() {
            let first = std::iter::zip(self.columns, given).find(|(_, given)| given.is_some());
            let column = first.map_or(self.columns[0], |(column, _)| column);
            let message = || {
                let message = not_rising(self.field, self.names, in_force);
                match given.contains(&None) {
                    true => format!("{message}, the inputs' own where the row gives none"),
                    false => message,
                }
            };
            return sheet.refuse(column, message, problems);
        }
        Ok(given.map(|given| given.and_then(Positive::new)))
    }
}

/// Finds regions by their ids.
struct Ids<'a> {
    regions: &'a [KnownRegion<'a>],
    by_id: HashMap<&'a str, usize>,
    /// The region found last.
    last: usize,
}

impl<'a> Ids<'a> {
    fn new(regions: &'a [KnownRegion<'a>]) -> Self {
        let by_id = regions.iter().enumerate().map(|(index, region)| (region.id, index));
        Self { regions, by_id: by_id.collect(), last: 0 }
    }

    fn index(&mut self, id: &str) -> Option<usize> {
        // Most files go through the regions in the order of the inputs, or through one at a time.
        let likely = [self.last, (self.last + 1) % self.regions.len()];
        let found = likely.into_iter().find(|index| self.regions[*index].id == id);
        self.last = found.or_else(|| self.by_id.get(id).copied())?;
        Some(self.last)
    }

    fn unknown(&self, id: &str) -> String {
        if has_spaces_around(id) {
            return spaces_around(id);
        }
        let named: Vec<String> =
            self.regions.iter().take(IDS_NAMED).map(|region| format!("{:?}", region.id)).collect();
        let named: Vec<&str> = named.iter().map(String::as_str).collect();
        let known = match self.regions.len().saturating_sub(IDS_NAMED) {
            0 => listed(&named),
            more => format!("{} and {more} more", named.join(", ")),
        };
        format!("\"{id}\" is no region of the inputs; its regions are {known}")
    }
}
