//! Parses and checks inputs.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

use crate::calendar::date_of;
use crate::day::{WHOLE_NETWORK_PCT, share_pct};
use crate::fields::{EFFICIENCY, ELECTRICITY, order_problem};
use crate::inputs::toml_text::{TomlText, report_toml};
use crate::inputs::{Inputs, InputsFile};
use crate::numbers::Decimal;
use crate::problems::{InputFile, InputsError, NAME_MAX, ProblemReport};
use crate::series::Series;
use crate::text::visible;

/// The most regions that a network may have: twice as many as the largest public maps of miners.
const REGIONS_MAX: usize = 256;
/// The maximum number of [`STRUCTURE`] bytes in an inputs file. The parser needs up to a kilobyte of
/// memory for each. A file with the most regions has about 10,000.
const STRUCTURE_MAX: usize = 100_000;
/// The bytes that make the parser allocate memory: they start fields, tables, list items and lines.
const STRUCTURE: &[u8] = b"=.,[{\n";

impl Inputs {
    /// Parses and checks a TOML text that names no series.
    pub fn parse(text: &str) -> Result<Self, InputsError> {
        let message = "series are only allowed in a file, because their paths are relative to it";
        Self::read(text, &mut |_| Err(message.into()))
    }

    /// Parses and checks a TOML text and the series that it names. `read_file` returns the bytes of a
    /// series by its name in the text, or why it cannot be read.
    pub fn parse_with_series(
        text: &str,
        mut read_file: impl FnMut(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Self, InputsError> {
        Self::read(text, &mut read_file)
    }

    fn read(
        text: &str,
        read_file: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Self, InputsError> {
        let problems = ProblemReport::default();
        if text.bytes().filter(|byte| STRUCTURE.contains(byte)).nth(STRUCTURE_MAX).is_some() {
            let message = format!(
                "the file is too large: it has more than {STRUCTURE_MAX} fields, tables, list items and lines in total; {REGIONS_MAX} regions, the most that are allowed, need about 10,000"
            );
            problems.add((InputFile::Toml, None), &message);
        }
        problems.check()?;
        let parsed = toml::from_str::<InputsFile>(text)
            .and_then(|file| Ok((file, TomlText::parse(text, &problems)?)));
        let (file, source) = parsed.map_err(|error| {
            report_toml(text, &error, &problems);
            problems.error()
        })?;
        source.check_fields();
        problems.check()?;
        check_regions(&file, &source);
        check_rewards(&file, &source);
        problems.check()?;
        let files = series_files(&file, &source, read_file);
        let files = files.each_ref().map(Option::as_deref);
        let series = Series::read(files, &file, &problems);
        let line = |index| source.location(&format!("region.{index}.electricity_usd_per_kwh")).1;
        let electricity_lines = (0..file.regions.len()).filter_map(line).collect();
        let mut hasher = Sha256::new_with_prefix(text);
        files.iter().flatten().for_each(|file| hasher.update(file));
        let bytes = hasher.finalize();
        let fingerprint = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        problems.check()?;
        let mut inputs = Self { file, series, electricity_lines, fingerprint };
        inputs.check_days(&source);
        problems.check()?;
        inputs.check_numbers(&source);
        problems.check()?;
        Ok(inputs)
    }
}

/// Checks regions whose fields are valid on their own.
fn check_regions(file: &InputsFile, source: &TomlText<'_>) {
    let count = file.regions.len();
    if count == 0 {
        return source.refuse("region", "at least one [[region]]");
    } else if count > REGIONS_MAX {
        let message = format!("the file has {count} regions; at most {REGIONS_MAX} are allowed");
        return source.report("region", &message);
    }
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
    let shares = file.regions.iter().map(|region| share_pct(region.hashrate_share_pct).count());
    let sum = Decimal::new(shares.sum(), WHOLE_NETWORK_PCT.decimals());
    if sum != WHOLE_NETWORK_PCT {
        let sum = sum.to_f64();
        let message = format!(
            "the hashrate_share_pct values add up to {sum}; expected exactly 100 (reported at the last region)"
        );
        source.report(&format!("region.{}.hashrate_share_pct", count - 1), &message);
    }
}

/// Checks that the dates of the rewards ascend.
fn check_rewards(file: &InputsFile, source: &TomlText<'_>) {
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
    read_file: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> [Option<Vec<u8>>; 4] {
    let Some(series) = &file.series else { return Default::default() };
    let files = [
        ("network", &series.network, InputFile::NetworkSeries),
        ("regions", &series.regions, InputFile::RegionSeries),
        ("fleet", &series.fleet, InputFile::Fleet),
        ("published", &series.published, InputFile::Published),
    ];
    files.map(|(field, name, file)| {
        let name = name.as_ref()?;
        source.problems.set_name(file, name);
        let report = |reason| {
            let name = visible(name, NAME_MAX);
            let message = format!("{field} {name:?} cannot be read: {reason}");
            source.report(&format!("series.{field}"), &message);
        };
        read_file(name).map_err(report).ok()
    })
}
