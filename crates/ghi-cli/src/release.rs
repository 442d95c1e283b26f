//! `ghi release`: a citable edition as a folder of files, and a check of one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use ghi_contract::GLOBAL;
use ghi_engine::{About, Inputs, visible};
use ghi_server::{Config, InProcess};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::flag_values::date;
use crate::inputs;
use crate::output::{QUOTE_MAX, print};
use crate::source::respond;

/// The version of the engine, which is that of all packages.
pub(crate) const ENGINE_VERSION: &str = env!("CARGO_PKG_VERSION");

pub(crate) const FIGURES: &str = "figures.csv";
const MANIFEST: &str = "manifest.json";

/// The maximum size of a manifest in bytes.
const MANIFEST_MAX: u64 = 1 << 20;

/// The SPDX identifiers of common licences. A citation cannot name other licences.
const LICENCES: &str =
    "CC0-1.0 CC-BY-4.0 CC-BY-SA-4.0 CC-BY-NC-4.0 ODbL-1.0 ODC-By-1.0 PDDL-1.0 MIT Apache-2.0";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder of the release; must be new or empty, except with --check
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Recompute the release in DIR from its own inputs, and report what differs
    #[arg(long, conflicts_with_all = ["from", "to"])]
    check: bool,

    /// Use the network described in this TOML file; its about table needs a title and a publisher
    #[arg(long, env = "GHI_INPUTS", value_name = "FILE")]
    inputs: Option<PathBuf>,

    #[command(flatten)]
    days: DaysArgs,
}

#[derive(clap::Args)]
pub(crate) struct DaysArgs {
    /// First UTC date [default: the first row of the network series]
    #[arg(long, value_name = "DATE", value_parser = date)]
    from: Option<String>,

    /// Last UTC date [default: the last row of the network series]
    #[arg(long, value_name = "DATE", value_parser = date)]
    to: Option<String>,
}

impl DaysArgs {
    /// Returns the first and the last day. They default to the given ones.
    pub(crate) fn or(&self, default: Option<[String; 2]>) -> Result<[String; 2], String> {
        let [from, to] = default.map_or([None, None], |days| days.map(Some));
        let days = self.from.clone().or(from).zip(self.to.clone().or(to));
        let missing = "the inputs have no network series, so --from and --to are required";
        days.map(|(from, to)| [from, to]).ok_or(missing.into())
    }
}

/// Returns the dates of the first and the last row of the network series.
pub(crate) fn series_days(inputs: &Inputs) -> Option<[String; 2]> {
    inputs.network_rows().map(|days| days.map(|day| day.to_string()))
}

/// The content of `manifest.json`.
#[derive(Serialize, Deserialize)]
pub(crate) struct Manifest {
    title: String,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) engine_version: String,
    fingerprint: String,
    /// The path of the inputs file.
    inputs: String,
    /// The SHA-256 of each other file, by its path.
    files: BTreeMap<String, String>,
}

/// The files of a release, by their paths.
type ReleaseFiles = BTreeMap<String, Vec<u8>>;

/// Inputs, and the files that they were read from.
pub(crate) struct StoredInputs {
    pub(crate) inputs: Inputs,
    inputs_path: String,
    files: ReleaseFiles,
}

/// Writes a release, or checks one.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let folder = &args.folder;
    if args.check {
        return check(folder);
    }
    let cannot_write = |error| format!("cannot write to {folder:?}: {error}");
    if folder.exists() && fs::read_dir(folder).map_err(cannot_write)?.next().is_some() {
        return Err(format!("{folder:?} is not empty; specify a new or empty folder"));
    }
    let path = args.inputs.as_deref().ok_or("specify your inputs with --inputs")?;
    let inputs_folder = path.parent().unwrap_or(Path::new(""));
    let edition = StoredInputs::read(path, |name| inputs::read_series(inputs_folder, name))?;
    let days = args.days.or(series_days(&edition.inputs))?;
    let (manifest, files) = edition.release(days, ENGINE_VERSION)?;
    for (name, content) in &files {
        let file = folder.join(name);
        let created = fs::create_dir_all(file.parent().unwrap_or(folder));
        created.and_then(|()| fs::write(&file, content)).map_err(cannot_write)?;
    }
    let (Manifest { title, from, to, fingerprint, .. }, count) = (manifest, files.len());
    print(&format!(
        "Wrote {count} files to {folder:?}\n{title}, {from} to {to}\nfingerprint {fingerprint}\n"
    ))
}

impl StoredInputs {
    /// Reads an inputs file, and its series with a function.
    fn read(
        path: &Path,
        read_series: impl Fn(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Self, String> {
        let toml = inputs::read_toml(path)?;
        let inputs_path = released_path(&path.file_name().unwrap_or_default().to_string_lossy());
        let mut files = BTreeMap::from([(inputs_path.clone(), toml.clone())]);
        let inputs = inputs::parse(path, &toml, |name| {
            let bytes = read_series(name)?;
            let other = files.insert(released_path(name), bytes.clone());
            if other.is_some_and(|other| other != bytes) {
                return Err("a release cannot have two files of the same name".into());
            }
            Ok(bytes)
        })?;
        Ok(Self { inputs, inputs_path, files })
    }

    /// Reads the manifest of a release, and its inputs.
    pub(crate) fn open(folder: &Path) -> Result<(Manifest, Self), String> {
        let manifest: Manifest =
            serde_json::from_slice(&read_file(folder, MANIFEST, MANIFEST_MAX)?)
                .map_err(|error| format!("{:?} is not valid: {error}", folder.join(MANIFEST)))?;
        let series = |name: &str| read_file(folder, &released_path(name), inputs::SERIES_MAX);
        let edition = Self::read(&path_in(folder, &manifest.inputs)?, series)?;
        Ok((manifest, edition))
    }

    /// Computes a release.
    fn release(
        self,
        days: [String; 2],
        engine_version: &str,
    ) -> Result<(Manifest, ReleaseFiles), String> {
        let (about, fingerprint) = (self.inputs.about().clone(), self.inputs.fingerprint());
        let (Some(title), Some(publisher)) = (&about.title, &about.publisher) else {
            return Err(
                "a release needs a title and a publisher under [about] in its inputs".into()
            );
        };
        let server = embedded(self.inputs);
        let figures = figures(&server, &days)?;
        // The days with data.
        let date = |row: Option<&str>| row.and_then(|row| row.get(..10)).unwrap_or("").to_owned();
        let (from, to) = (date(figures.lines().nth(1)), date(figures.lines().last()));
        let mut files = self.files;
        files.insert(FIGURES.into(), figures.into());
        for name in ["economics.csv", "distribution.csv"] {
            let table = respond(&server, &format!("/export/{name}?from={from}&to={to}"))?;
            files.insert(name.into(), table.into());
        }
        let coin = server.model().coin().name.clone();
        let summary = format!(
            "Global HashCost Index (GHI): cost of mining one {coin} in USD, worldwide and by region, daily from {from} to {to}. SHA-256 of the inputs: {fingerprint}"
        );
        let version = format!("{}, {from} to {to}, engine {engine_version}", &fingerprint[..12]);
        let texts = [&**title, &**publisher, &*summary, &*version];
        files.insert("CITATION.cff".into(), citation(&about, texts).into());
        let manifest = Manifest {
            title: title.clone(),
            from,
            to,
            engine_version: engine_version.into(),
            fingerprint,
            inputs: self.inputs_path,
            files: files.iter().map(|(name, bytes)| (name.clone(), sha256(bytes))).collect(),
        };
        files.insert(MANIFEST.into(), format!("{:#}\n", json!(manifest)).into());
        Ok((manifest, files))
    }
}

/// Returns the path in a release of a file that the inputs name, or of the inputs themselves.
fn released_path(name: &str) -> String {
    format!("inputs/{}", inputs::released_name(name).display())
}

/// Returns a server without sockets, for the tables under `/export`.
pub(crate) fn embedded(inputs: Inputs) -> InProcess {
    InProcess::new(Config { inputs, ..Config::default() })
}

/// Returns the costs on each day with data as CSV: worldwide, then of each region.
pub(crate) fn figures(server: &InProcess, [from, to]: &[String; 2]) -> Result<String, String> {
    let model = server.model();
    let regions = model.registry().regions().iter().map(|region| &*region.id);
    let mut figures = String::new();
    for id in [GLOBAL].into_iter().chain(regions) {
        let table =
            respond(server, &format!("/export/history.csv?region_id={id}&from={from}&to={to}"))?;
        let (header, rows) = table.split_once('\n').unwrap_or_default();
        if figures.is_empty() {
            figures = format!("{header}\n");
        }
        figures += rows;
    }
    Ok(figures)
}

/// Returns a citation in the Citation File Format 1.2.0, which is YAML. JSON is valid YAML.
fn citation(about: &About, [title, publisher, summary, version]: [&str; 4]) -> String {
    let known = |name: &str| LICENCES.split(' ').find(|known| *known == name.replace(' ', "-"));
    let licence = about.licence.as_ref();
    let licences =
        licence.and_then(|text| text.split(" or ").map(known).collect::<Option<Vec<_>>>());
    let fields = [
        ("cff-version", json!("1.2.0")),
        ("message", json!("If you use this data, please cite it as below.")),
        ("type", json!("dataset")),
        ("title", json!(title)),
        ("abstract", json!(summary)),
        ("version", json!(version)),
        ("url", json!(about.url)),
        ("license", json!(licences)),
        ("date-released", json!(about.revised.map(|date| date.to_string()))),
    ];
    let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
    let fields: String = fields.map(|(name, value)| format!("{name}: {value}\n")).collect();
    format!("{fields}authors:\n  - name: {}\n", json!(publisher))
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares a release with what its inputs come to.
fn check(folder: &Path) -> Result<ExitCode, String> {
    let (Manifest { from, to, engine_version, files: released, .. }, edition) =
        StoredInputs::open(folder)?;
    if engine_version != ENGINE_VERSION {
        let made = visible(&engine_version, QUOTE_MAX);
        print(&format!("Made with engine {made}; checked with engine {ENGINE_VERSION}\n"))?;
    }
    let recomputed = edition.release([from, to], &engine_version);
    let (_, files) = recomputed.map_err(|error| format!("{folder:?}: {error}"))?;
    let mut differences = Vec::new();
    for (name, expected) in &files {
        if !name.starts_with("inputs/") {
            // Room for additional rows.
            let found = read_file(folder, name, 2 * expected.len() as u64 + MANIFEST_MAX)?;
            differences.extend(difference(name, &found, expected));
        } else if released.get(name) != Some(&sha256(expected)) {
            differences.push(format!("{name} doesn't have the SHA-256 in {MANIFEST}\n"));
        }
    }
    let (count, all) = (differences.len(), files.len());
    if count == 0 {
        return print(&format!("All {all} files match the inputs\n"));
    }
    print(&format!("{}{count} of {all} files differ\n", differences.concat()))?;
    Ok(ExitCode::FAILURE)
}

/// Describes the first line in which a file differs from what it should be.
fn difference(name: &str, found: &[u8], expected: &[u8]) -> Option<String> {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned() + "(end of file)";
    let (found, expected) = (text(found), text(expected));
    let pairs = found.split('\n').zip(expected.split('\n'));
    let (number, (found, expected)) = (1..).zip(pairs).find(|(_, (one, other))| one != other)?;
    let [found, expected] = [found, expected].map(|line| visible(line.trim_end(), QUOTE_MAX));
    let only_ends = if found == expected { ", only in how lines end" } else { "" };
    Some(format!(
        "{name} differs from line {number} on{only_ends}\n  found       {found}\n  recomputed  {expected}\n"
    ))
}

/// Returns the bytes of a file in a release.
pub(crate) fn read_file(folder: &Path, name: &str, max: u64) -> Result<Vec<u8>, String> {
    let path = path_in(folder, name)?;
    inputs::read_file(&path, max).map_err(|why| format!("cannot read {path:?}: {why}"))
}

/// Returns the path of a file in a release, which must not lead to files elsewhere.
fn path_in(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let mut path = folder.to_owned();
    for part in Path::new(name).components() {
        path.push(part);
        if !matches!(part, Component::Normal(_)) || path.is_symlink() {
            return Err(format!("{path:?} is outside the release or a symbolic link"));
        }
    }
    Ok(path)
}
