//! The regions of an inputs file.

use std::collections::HashSet;

use ghi_contract::{GLOBAL, REGION_ID_MAX, is_region_id};

use crate::bounds::{self, Bounds};
use crate::decimal::Decimal;
use crate::inputs::table::Table;
use crate::inputs::values::{Efficiency, Electricity, RegionInputs};
use crate::levels::not_rising;
use crate::problems::Problems;
use crate::registry::{SHARE_DECIMALS, WHOLE_NETWORK_PCT};
use crate::visible::{is_invisible, visible};

const FIELDS: [&str; 5] =
    ["id", "name", "hashrate_share_pct", "efficiency_j_per_th", "electricity_usd_per_kwh"];

/// The longest display name of a region, characters.
const NAME_MAX: usize = 64;

/// What a spreadsheet takes for the beginning of a formula, also in the full width of East Asian
/// scripts.
const FORMULA_STARTS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Reads the regions, none where one of them has problems or their shares do not sum to 100.
pub(super) fn read(root: &Table<'_>, problems: &mut Problems) -> Option<Vec<RegionInputs>> {
    let tables = root.list("region", problems)?;
    let mut ids = HashSet::new();
    let mut regions = Vec::with_capacity(tables.len());
    let count = tables.len();
    let mut last_share = None;
    for (index, (entries, line)) in tables.into_iter().enumerate() {
        // A region that has no id that could be shown is told by its number.
        let title = match entries.get("id").and_then(|id| id.get_ref().as_str()) {
            Some(id) => format!("region {:?}", visible(id, REGION_ID_MAX)),
            None => format!("region number {}", index + 1),
        };
        let prefix = format!("{title}: ");
        let text = root.text_around();
        let table = Table::new(entries, text, Some(line), &prefix, &FIELDS, problems);
        let id = id(&table, problems);
        if let Some(id) = id.filter(|id| !ids.insert(*id)) {
            problems.push(table.place("id"), || {
                format!("region.id {id:?} stands here for the second time; each id must be unique")
            });
        }
        regions.extend(region(id, &table, problems));
        last_share = Some(table.place("hashrate_share_pct"));
    }
    if regions.len() < count {
        return None;
    }
    let sum = regions.iter().map(|region| region.hashrate_share_pct.count()).sum();
    let sum = Decimal::new(sum, SHARE_DECIMALS);
    if let Some(place) = last_share.filter(|_| sum != WHOLE_NETWORK_PCT) {
        problems.push(place, || {
            let sum = sum.to_f64();
            format!(
                "region.hashrate_share_pct sums to {sum} over all regions, this one the last; it must sum to exactly 100"
            )
        });
    }
    Some(regions)
}

fn region(id: Option<&str>, table: &Table<'_>, problems: &mut Problems) -> Option<RegionInputs> {
    let name = name(table, problems);
    let hashrate_share_pct = share(table, problems);
    let efficiency = rising(
        "efficiency_j_per_th",
        ["best", "mean", "worst"],
        bounds::EFFICIENCY_J_PER_TH,
        table,
        problems,
    );
    let electricity = rising(
        "electricity_usd_per_kwh",
        ["low", "mean", "high"],
        bounds::ELECTRICITY_USD_PER_KWH,
        table,
        problems,
    );
    Some(RegionInputs {
        id: id?.to_owned(),
        name: name?.to_owned(),
        hashrate_share_pct: hashrate_share_pct?,
        efficiency_j_per_th: efficiency.map(|[best, mean, worst]| Efficiency {
            best,
            mean,
            worst,
        })?,
        electricity_usd_per_kwh: electricity.map(|[low, mean, high]| Electricity {
            low,
            mean,
            high,
        })?,
    })
}

fn id<'a>(table: &Table<'a>, problems: &mut Problems) -> Option<&'a str> {
    let id = table.text("id", problems)?;
    if id == GLOBAL {
        problems.push(table.place("id"), || {
            format!("region.id {id:?} is reserved for worldwide figures; it must be another")
        });
        return None;
    }
    if !is_region_id(id) {
        problems.push(table.place("id"), || {
            format!(
                "region.id {id:?} must have 1 to {REGION_ID_MAX} of a-z, 0-9 and '-', a letter first"
            )
        });
        return None;
    }
    Some(id)
}

fn name<'a>(table: &Table<'a>, problems: &mut Problems) -> Option<&'a str> {
    let name = table.text("name", problems)?;
    let is_long = name.chars().nth(NAME_MAX).is_some();
    let wrong = if is_long || name.trim().is_empty() || name.chars().any(is_invisible) {
        format!("must have 1 to {NAME_MAX} characters, all of them visible")
    } else if name.trim() != name {
        "must not begin or end with a space".to_owned()
    } else if name.starts_with(FORMULA_STARTS) {
        "must not begin with =, +, - or @, which a spreadsheet takes for a formula; it must begin with another character".to_owned()
    } else {
        return Some(name);
    };
    problems.push(table.place("name"), || format!("{} {wrong}", table.field("name")));
    None
}

fn share(table: &Table<'_>, problems: &mut Problems) -> Option<Decimal> {
    const NAME: &str = "hashrate_share_pct";
    let share_pct = table.number(NAME, bounds::HASHRATE_SHARE_PCT, problems)?;
    let share = Decimal::nearest(share_pct, SHARE_DECIMALS);
    // Both are the float that is nearest to the decimals, if there are no more than two.
    if share.to_f64() == share_pct {
        return Some(share);
    }
    problems.push(table.place(NAME), || {
        format!("{} is {share_pct}; it must have at most two decimals", table.field(NAME))
    });
    None
}

/// Three levels within bounds, none below the one before it.
fn rising(
    name: &str,
    names: [&'static str; 3],
    bounds: Bounds,
    region: &Table<'_>,
    problems: &mut Problems,
) -> Option<[f64; 3]> {
    let table = region.braces(name, &names, problems)?;
    let [first, second, third] = names.map(|name| table.number(name, bounds, problems));
    let levels = [first?, second?, third?];
    if levels.is_sorted() {
        return Some(levels);
    }
    problems.push(table.place(names[0]), || not_rising(&region.field(name), names, levels));
    None
}
