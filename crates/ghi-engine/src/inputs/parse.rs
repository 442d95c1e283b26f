//! Parses and checks inputs.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

use crate::calendar::date_of;
use crate::day::{WHOLE_NETWORK_PCT, share_pct};
use crate::fields::{EFFICIENCY, ELECTRICITY, is_file_name, order_problem};
use crate::inputs::toml_text::{TomlText, report_toml};
use crate::inputs::{Inputs, InputsFile};
use crate::numbers::Decimal;
use crate::problems::{InputFile, InputsError, Location, NAME_MAX, ProblemReport};
use crate::series::Series;
use crate::text::visible;

/// The most regions that a network may have: twice as many as the largest public maps of miners.
const REGIONS_MAX: usize = 256;
/// The maximum number of [`STRUCTURE`] bytes in an inputs file. The parser needs up to a kilobyte of
/// memory for each. A file with the most regions has about 10,000.
const STRUCTURE_MAX: usize = 100_000;
/// The bytes that make the parser allocate memory: they start fields, tables, list items and lines.
const STRUCTURE: &[u8] = b"=.,[{\n";

/// Reads a series file by its name. Returns its bytes, or why it cannot be read.
type ReadFile<'a> = &'a mut dyn FnMut(&str) -> Result<Vec<u8>, String>;

impl Inputs {
    /// Parses and checks a TOML text that names no series.
    pub fn parse(text: &str) -> Result<Self, InputsError> {
        Self::read(text, None)
    }

    /// Parses and checks a TOML text and the series that it names. `read_file` returns the bytes of a
    /// series by its name in the text, or why it cannot be read.
    pub fn parse_with_series(
        text: &str,
        mut read_file: impl FnMut(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Self, InputsError> {
        Self::read(text, Some(&mut read_file))
    }

    fn read(text: &str, read_file: Option<ReadFile<'_>>) -> Result<Self, InputsError> {
        let problems = ProblemReport::default();
        check_size(text, &problems);
        problems.check()?;
        let parsed = toml::from_str::<InputsFile>(text)
            .and_then(|file| Ok((file, TomlText::parse(text, &problems)?)));
        let (file, source) = parsed.map_err(|error| {
            report_toml(text, &error, &problems);
            problems.error()
        })?;
        let are_regions_valid = source.check_fields() && check_regions(&file, &source);
        check_rewards(&file, &source);
        let files = series_files(&file, &source, read_file);
        let known_regions = if are_regions_valid { &file.regions[..] } else { &[] };
        let files = files.each_ref().map(Option::as_deref);
        let series = Series::read(files, known_regions, file.capital.is_some(), &problems);
        let line = |index| source.location(&format!("region.{index}.electricity_usd_per_kwh")).line;
        let electricity_lines = (0..file.regions.len()).filter_map(line).collect();
        let mut hasher = Sha256::new_with_prefix(text);
        files.iter().flatten().for_each(|file| hasher.update(file));
        let bytes = hasher.finalize();
        let fingerprint = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        problems.check()?;
        let mut inputs = Self { file, series, electricity_lines, fingerprint };
        inputs.check_days(&problems);
        problems.check()?;
        inputs.check_numbers(&source);
        problems.check()?;
        Ok(inputs)
    }
}

fn check_size(text: &str, problems: &ProblemReport) {
    let regions = text.lines().filter(|line| line.trim_start().starts_with("[[region]]")).count();
    let message = if regions > REGIONS_MAX {
        too_many_regions(regions)
    } else if text.bytes().filter(|byte| STRUCTURE.contains(byte)).nth(STRUCTURE_MAX).is_some() {
        format!(
            "the file is too large: it has more than {STRUCTURE_MAX} fields, tables, list items and lines in total; {REGIONS_MAX} regions need about 10,000"
        )
    } else {
        return;
    };
    problems.add(Location::INPUTS_FILE, &message);
}

fn too_many_regions(count: usize) -> String {
    format!("the file has {count} regions; at most {REGIONS_MAX} are allowed")
}

/// Checks regions whose fields are valid on their own. Returns whether they are valid except for the sum of
/// their shares.
fn check_regions(file: &InputsFile, source: &TomlText<'_>) -> bool {
    let count = file.regions.len();
    if count == 0 {
        source.refuse("region", "at least one [[region]]");
        return false;
    } else if count > REGIONS_MAX {
        source.report("region", &too_many_regions(count));
        return false;
    }
    let before = source.problems.count();
    let mut ids = HashSet::new();
    for (index, region) in file.regions.iter().enumerate() {
        if !ids.insert(&region.id) {
            source.refuse(&format!("region.{index}.id"), "an id that no other region has");
        }
        let (efficiency, electricity) =
            (region.efficiency_j_per_th, region.electricity_usd_per_kwh);
        for (levels, values) in [(EFFICIENCY, efficiency), (ELECTRICITY, electricity)] {
            if let Some(problem) = order_problem(levels, values) {
                source.report(&format!("region.{index}.{}", levels.0), &problem);
            }
        }
    }
    if source.problems.count() > before {
        return false;
    }
    let shares = file.regions.iter().map(|region| share_pct(region.hashrate_share_pct).count());
    let sum = Decimal::new(shares.sum(), WHOLE_NETWORK_PCT.decimals());
    if sum != WHOLE_NETWORK_PCT {
        let sum = sum.to_f64();
        let message = format!(
            "the hashrate_share_pct values add up to {sum}; expected exactly 100 (reported at the last region)"
        );
        source.report(&format!("region.{}.hashrate_share_pct", count - 1), &message);
    }
    true
}

/// Checks that the dates of the rewards ascend, if all fields are valid on their own.
fn check_rewards(file: &InputsFile, source: &TomlText<'_>) {
    if source.problems.count() > 0 {
        return;
    }
    for (index, pair) in (1..).zip(file.network.rewards.windows(2)) {
        if pair[1].from <= pair[0].from {
            let expected = format!("a date after the previous one, {}", date_of(pair[0].from));
            source.refuse(&format!("network.reward.{index}.from"), &expected);
        }
    }
}

fn series_files(
    file: &InputsFile,
    source: &TomlText<'_>,
    read_file: Option<ReadFile<'_>>,
) -> [Option<Vec<u8>>; 4] {
    let Some(series) = &file.series else { return Default::default() };
    let Some(read_file) = read_file else {
        let message = "[series] is only allowed in a file, because its paths are relative to it";
        source.report("series", message);
        return Default::default();
    };
    let files = [
        ("network", &series.network, InputFile::NetworkSeries),
        ("regions", &series.regions, InputFile::RegionSeries),
        ("fleet", &series.fleet, InputFile::Fleet),
        ("published", &series.published, InputFile::Published),
    ];
    if files.iter().all(|(_, name, _)| name.is_none()) {
        let message = "[series] names no file; expected network, regions, fleet or published";
        source.report("series", message);
    }
    files.map(|(field, name, file)| {
        let name = name.as_ref().filter(|name| is_file_name(name))?;
        source.problems.set_name(file, name);
        let report = |reason| {
            let name = visible(name, NAME_MAX);
            let message = format!("{field} {name:?} cannot be read: {reason}");
            source.report(&format!("series.{field}"), &message);
        };
        read_file(name).map_err(report).ok()
    })
}
