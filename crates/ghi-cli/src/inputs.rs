//! `ghi inputs`, and reading an inputs file with its series.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use ghi_contract::GLOBAL;
use ghi_engine::{
    Costs, DEFAULT_INPUTS, Decimal, Explanation, Model, RegionContribution, Scope,
    WHOLE_NETWORK_PCT, visible,
};
use ghi_server::{Clock, Inputs};

use crate::output::{QUOTE_MAX, print, print_error};
use crate::text_table::{aligned, row};

/// The maximum size of an inputs file in bytes: room for long comments.
const INPUTS_MAX: u64 = 6 * 1024 * 1024;

/// The maximum size of a series in bytes: more than twice the size of ten years of 200 regions.
pub(crate) const SERIES_MAX: u64 = 128 * 1024 * 1024;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Validate this TOML file and show its costs
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
}

/// Prints the built-in inputs, or the costs of a file and warnings about it.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let Some(file) = &args.check else { return print(DEFAULT_INPUTS) };
    let inputs = read(file)?;
    let mut warnings = inputs.warnings();
    let model = Model::new(inputs);
    let today = Clock::system().now().date();
    let (day, which) = match model.check(today) {
        Ok(()) => (today, "today"),
        Err(no_figures) => {
            warnings.push(format!("{no_figures} {MORE_DAYS}"));
            (model.nearest_covered(today), "the last day with data")
        }
    };
    let explanation = model.explain(Scope::Global, day).map_err(|error| error.to_string())?;
    let regions = match model.registry().regions().len() {
        1 => "1 region".into(),
        count => format!("{count} regions"),
    };
    let (coverage, coin) = (model.coverage(), &model.coin().name);
    let mining = &explanation.mining;
    let mining = aligned(&[
        row(["difficulty", &explanation.mean_miner.difficulty.to_string()]),
        row(["implied hashrate, EH/s", &mining.hashrate_eh.to_string()]),
        row(["power, GW", &mining.power_gw.to_string()]),
        row(["energy, TWh per year", &mining.energy_twh_per_year.to_string()]),
        row(["USD per PH/s per day", &mining.usd_per_ph_and_day.to_string()]),
    ]);
    let printed = print(&format!(
        "{file:?} is valid: {regions}, data from {} to {}\nfingerprint {}\n\n\
         Cost of mining one {coin} on {day}, {which}, USD\n\n{}\n{mining}",
        coverage.first,
        coverage.last,
        explanation.fingerprint,
        costs(&explanation, &model)
    ))?;
    warnings.iter().for_each(|warning| print_error(&format!("warning: {warning}")));
    Ok(printed)
}

fn costs(explanation: &Explanation, model: &Model) -> String {
    let mut parts: Vec<&RegionContribution> = explanation.contributions.iter().collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.hashrate_share_pct));
    let line = |id: &str, share: Decimal, costs: &Costs| {
        let numbers = [share, costs.min_usd, costs.avg_usd, costs.max_usd];
        let [share, min, avg, max] = numbers.map(|number| number.to_string());
        row([id, &share, &min, &avg, &max])
    };
    let mut rows = vec![row(["region", "share %", "min", "avg", "max"])];
    for part in parts {
        rows.push(line(&model.registry()[part.region].id, part.hashrate_share_pct, &part.costs));
    }
    rows.push(line(GLOBAL, WHOLE_NETWORK_PCT, &explanation.costs));
    aligned(&rows)
}

/// How to get data for other days.
pub(crate) const MORE_DAYS: &str =
    "Other days need rows in the series; 'ghi collect' appends network rows from your own node.";

/// Reads a file of inputs and the series that it names, relative to it. An error has one line per problem.
pub(crate) fn read(path: &Path) -> Result<Inputs, String> {
    let folder = path.parent().unwrap_or(Path::new(""));
    parse(path, &read_toml(path)?, |name| read_series(folder, name))
}

/// Returns the bytes of an inputs file.
pub(crate) fn read_toml(path: &Path) -> Result<Vec<u8>, String> {
    read_file(path, INPUTS_MAX).map_err(|why| {
        format!(
            "cannot read the inputs {path:?}: {why}; expected a TOML file, such as an edited copy of the output of `ghi inputs`"
        )
    })
}

/// Returns the bytes of a series that inputs in a folder name. In a release, files from other folders are next to the
/// inputs.
pub(crate) fn read_series(folder: &Path, name: &str) -> Result<Vec<u8>, String> {
    let released = |why| read_file(&folder.join(released_name(name)), SERIES_MAX).map_err(|_| why);
    read_file(&folder.join(name), SERIES_MAX).or_else(released)
}

/// Returns the path of a series in the inputs of a release: for a file outside the folder of the inputs, its own name.
pub(crate) fn released_name(name: &str) -> PathBuf {
    let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    match Path::new(name) {
        path if path.components().all(is_inside) => {
            path.components().filter(|part| *part != Component::CurDir).collect()
        }
        path => path.file_name().map(PathBuf::from).unwrap_or_default(),
    }
}

/// Parses the bytes of a file of inputs, and the series that it names, which a function reads.
pub(crate) fn parse(
    path: &Path,
    bytes: &[u8],
    series: impl FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<Inputs, String> {
    let text = str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        format!("{path:?}: line {line}: not UTF-8; TOML files must be UTF-8")
    })?;
    Inputs::parse_with_series(text, series).map_err(|error| {
        // With a longer path, a message would lose the row when it is shortened.
        let path = visible(&format!("{path:?}"), QUOTE_MAX);
        let lines = error.lines.iter().map(|line| format!("{path}: {line}"));
        lines.collect::<Vec<_>>().join("\n")
    })
}

/// Returns an inputs file and the series that it names.
pub(crate) fn named_files(path: &Path) -> Vec<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut files = vec![path.to_owned()];
    let text = read_file(path, INPUTS_MAX).unwrap_or_default();
    _ = Inputs::parse_with_series(&String::from_utf8_lossy(&text), |name| {
        files.push(folder.join(name));
        Err(String::new())
    });
    files
}

/// Returns the bytes of a regular file of limited size.
pub(crate) fn read_file(path: &Path, max: u64) -> Result<Vec<u8>, String> {
    let file = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !file.is_file() || file.len() > max {
        return Err(format!("not a regular file of at most {} MiB", max >> 20));
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(max).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| error.to_string())
}
