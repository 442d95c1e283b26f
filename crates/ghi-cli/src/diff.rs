//! `ghi diff`: the costs that differ between two editions, and why.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use csv::StringRecord;
use ghi_contract::GLOBAL;
use ghi_engine::REGION_COLUMNS;

use crate::inputs;
use crate::output::{Format, print};
use crate::release::{
    DaysArgs, ENGINE_VERSION, FIGURES, StoredInputs, embedded, figures, read_file, series_days,
};
use crate::show::table::Table;
use crate::source::respond;

/// The maximum size of [`FIGURES`] in bytes. Those of 11,000 days and 256 regions are smaller.
const FIGURES_MAX: u64 = 256 << 20;

/// The columns of `/export/inputs.csv` between the region and [`REGION_COLUMNS`].
const NETWORK: [&str; 2] = ["difficulty", "block_reward_coins"];

/// The maximum number of differences in a table.
const SHOWN_MAX: usize = 20;

const COLUMNS: [&str; 7] =
    ["date", "region_id", "cost", "old_usd", "new_usd", "change_pct", "inputs"];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Inputs file or release to start from
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// Inputs file or release to compare with it
    #[arg(value_name = "NEW")]
    new: PathBuf,

    #[command(flatten)]
    days: DaysArgs,

    /// Output format; a table has only the largest differences
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,
}

/// Rows by date and region.
type DailyRows = BTreeMap<[String; 2], StringRecord>;

/// One of the two editions.
struct ComparedEdition {
    engine_version: String,
    /// The rows of [`FIGURES`].
    figures: DailyRows,
    /// The rows of `/export/inputs.csv`.
    inputs: DailyRows,
}

/// Lists the days and regions whose costs differ or are missing in the new edition, the largest changes first.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let old = ComparedEdition::read(&args.old, &args.days)?;
    let new = ComparedEdition::read(&args.new, &args.days)?;
    let mut found = Vec::new();
    for (key, row) in &old.figures {
        let new_row = new.figures.get(key);
        if let Some((size, [cost, old_usd, new_usd, change])) = change(row, new_row) {
            let causes = new_row.map_or("missing in NEW".into(), |_| causes([&old, &new], key));
            let [date, region_id] = key.clone();
            found.push((size, vec![date, region_id, cost, old_usd, new_usd, change, causes]));
        }
    }
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    let code = ExitCode::from(u8::from(!found.is_empty()));
    let rows = found.into_iter().map(|(_, cells)| cells).collect();
    let columns = COLUMNS.map(|name| (name.into(), name.into())).to_vec();
    let mut table = Table { columns, rows, price: None };
    let text = match args.format {
        Format::Csv => table.csv(),
        Format::Json => format!("{:#}\n", table.json()["rows"]),
        Format::Table if table.rows.is_empty() => "No cost differs\n".into(),
        Format::Table => {
            let more = table.rows.len().saturating_sub(SHOWN_MAX);
            table.rows.truncate(SHOWN_MAX);
            let note = format!("\nand {more} smaller differences, which --format csv lists\n");
            table.text(true) + if more > 0 { &note } else { "" }
        }
    };
    print(&text)?;
    Ok(code)
}

impl ComparedEdition {
    /// Reads a release, or computes the costs of an inputs file.
    fn read(path: &Path, days: &DaysArgs) -> Result<Self, String> {
        let of_path = |error| format!("{path:?}: {error}");
        let (engine_version, [from, to], server, text) = if path.is_dir() {
            let (manifest, edition) = StoredInputs::open(path)?;
            let text = read_file(path, FIGURES, FIGURES_MAX)?;
            let text = String::from_utf8_lossy(&text).into_owned();
            let days = days.or(Some([manifest.from, manifest.to]))?;
            (manifest.engine_version, days, embedded(edition.inputs), text)
        } else {
            let inputs = inputs::read(path)?;
            let days = days.or(series_days(&inputs)).map_err(of_path)?;
            let server = embedded(inputs);
            let text = figures(&server, &days).map_err(of_path)?;
            (ENGINE_VERSION.into(), days, server, text)
        };
        let inputs = respond(&server, &format!("/export/inputs.csv?from={from}&to={to}"));
        let inputs = inputs.and_then(|text| daily_rows(&text)).map_err(of_path)?;
        let mut figures = daily_rows(&text).map_err(of_path)?;
        figures.retain(|[date, _], _| (&from..=&to).contains(&date));
        Ok(Self { engine_version, figures, inputs })
    }
}

/// Parses a table whose first columns are the date and the region.
fn daily_rows(text: &str) -> Result<DailyRows, String> {
    let mut rows = DailyRows::new();
    for record in csv::Reader::from_reader(text.as_bytes()).records() {
        let record = record.map_err(|error| error.to_string())?;
        let key = [0, 1].map(|column| record.get(column).unwrap_or_default().to_owned());
        rows.insert(key, record);
    }
    Ok(rows)
}

/// Returns the largest change of the minimum, the maximum or the average: its size, and the name, the old and the new
/// cost, and the change in percent. The size is infinite if there is no new row.
fn change(old: &StringRecord, new: Option<&StringRecord>) -> Option<(f64, [String; 4])> {
    let changes = [("min", 3), ("max", 5), ("avg", 4)].into_iter().filter_map(|(name, column)| {
        let cell = |row: &StringRecord| row.get(column).unwrap_or_default().to_owned();
        let (old, new) = (cell(old), new.map(cell).unwrap_or_default());
        let ratio = new.parse().unwrap_or(f64::INFINITY) / old.parse().unwrap_or(1.0);
        let change = 100.0 * (ratio - 1.0);
        let text = if change.is_finite() { format!("{change:.4}") } else { String::new() };
        (old != new).then(|| (change.abs(), [name.into(), old, new, text]))
    });
    changes.max_by(|one, other| one.0.total_cmp(&other.0))
}

/// Lists the inputs of a region that differ on a day; for the world, those of all regions.
fn causes(editions: [&ComparedEdition; 2], [date, region_id]: &[String; 2]) -> String {
    let keys = editions.iter().flat_map(|edition| {
        let from_day = edition.inputs.range([date.clone(), String::new()]..);
        from_day.map(|(key, _)| key).take_while(|key| key[0] == *date)
    });
    let keys: BTreeSet<_> = keys.collect();
    let is_worldwide = region_id == GLOBAL;
    let mut found = Vec::new();
    for key in keys.into_iter().filter(|key| is_worldwide || key[1] == *region_id) {
        let rows = editions.map(|edition| edition.inputs.get(key));
        let [Some(old), Some(new)] = rows else {
            let edition = if rows[0].is_some() { "OLD" } else { "NEW" };
            found.push(format!("{} is only in {edition}", key[1]));
            continue;
        };
        let names = NETWORK.into_iter().chain(REGION_COLUMNS.map(|column| column.name));
        for (name, (old, new)) in names.zip(old.iter().skip(2).zip(new.iter().skip(2))) {
            let owner = if NETWORK.contains(&name) { "" } else { &format!("{} ", key[1]) };
            let cause = format!("{owner}{name} {old} -> {new}");
            // A region's costs don't depend on its share.
            let affects = is_worldwide || name != REGION_COLUMNS[0].name;
            if old != new && affects && !found.contains(&cause) {
                found.push(cause);
            }
        }
    }
    if found.is_empty() {
        let [old, new] = editions.map(|edition| &*edition.engine_version);
        let engine = format!("engine {old} -> {new}");
        found.push(if old == new { "decimals or constants".into() } else { engine });
    }
    found.join("; ")
}
