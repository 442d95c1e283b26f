//! `ghi release` and `ghi diff`.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Output;

use expect_test::expect;
use ghi_engine::DEFAULT_INPUTS;
use serde_json::Value;
use sha2::{Digest, Sha256};

use program::{GHI, program};

mod program;

const ABOUT: &str = r#"
[about]
title = "A \"test\": 2026"
publisher = "Example Research"
url = "https://example.org/costs"
licence = "CC BY 4.0 or MIT"
revised = "2026-02-03"
"#;

const NETWORK: &str = "date,difficulty,price_usd
2026-01-01,1.36e14,76000
2026-01-05,1.37e14,
2026-01-20,1.38e14,77000
";

const REGIONS: &str =
    "date,region_id,electricity_usd_per_kwh_low,electricity_usd_per_kwh_mean,electricity_usd_per_kwh_high
2026-01-01,us,0.04,0.05,0.06
2026-01-10,us,0.04,0.05,0.06
2026-01-15,us,0.04,0.05,0.06
";

/// A folder for the files of one test.
struct TestFolder(PathBuf);

impl TestFolder {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("release").join(name);
        _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// A folder with inputs and their series.
    fn with_inputs(name: &str) -> Self {
        let folder = Self::new(name);
        folder.write_inputs("inputs.toml", "network.csv", "regions.csv");
        folder.write("network.csv", NETWORK);
        folder.write("regions.csv", REGIONS);
        folder
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn write_inputs(&self, name: &str, network: &str, regions: &str) {
        let series = format!("[series]\nnetwork = {network:?}\nregions = {regions:?}\n{ABOUT}");
        let text = DEFAULT_INPUTS.replacen("[[region]]", &format!("{series}\n[[region]]"), 1);
        self.write(name, &text);
    }

    fn replace(&self, name: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.0.join(name)).unwrap();
        assert!(text.contains(from), "{from} in {text}");
        fs::write(self.0.join(name), text.replacen(from, to, 1)).unwrap();
    }

    /// Runs `ghi` in this folder. Returns its exit code, stdout and stderr.
    fn ghi(&self, line: &str) -> (i32, String, String) {
        let mut command = program(GHI);
        let Output { status, stdout, stderr } =
            command.args(line.split(' ')).current_dir(&self.0).output().unwrap();
        let [stdout, stderr] = [stdout, stderr].map(|text| String::from_utf8(text).unwrap());
        (status.code().unwrap(), stdout, stderr)
    }

    #[track_caller]
    fn succeed(&self, line: &str) -> String {
        let (code, stdout, stderr) = self.ghi(line);
        assert_eq!((code, &*stderr), (0, ""), "{line}: {stdout}");
        stdout
    }

    /// Runs a command that finds a difference.
    #[track_caller]
    fn differ(&self, line: &str) -> String {
        let (code, stdout, stderr) = self.ghi(line);
        assert_eq!((code, &*stderr), (1, ""), "{line}: {stdout}");
        stdout
    }

    /// Runs a command that fails with one line.
    #[track_caller]
    fn fail(&self, line: &str) -> String {
        let (code, stdout, stderr) = self.ghi(line);
        assert_eq!((code, &*stdout, stderr.lines().count()), (2, "", 1), "{line}: {stderr}");
        stderr.replace(self.0.to_str().unwrap(), "FOLDER")
    }

    /// The bytes of all files in a folder, by their paths in it.
    fn files(&self, name: &str) -> BTreeMap<String, Vec<u8>> {
        let root = self.0.join(name);
        let (mut found, mut folders) = (BTreeMap::new(), vec![root.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                found.insert(name, fs::read(path).unwrap());
            }
        }
        found
    }
}

#[test]
fn releases_of_the_same_inputs_are_the_same_bytes() {
    let folder = TestFolder::with_inputs("same");
    let said = folder.succeed("release one --inputs inputs.toml");
    let files = folder.files("one");
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    expect![[r#"
        CITATION.cff
        distribution.csv
        economics.csv
        figures.csv
        inputs/inputs.toml
        inputs/network.csv
        inputs/regions.csv
        manifest.json"#]]
    .assert_eq(&names.join("\n"));
    for name in ["inputs.toml", "network.csv", "regions.csv"] {
        let original = fs::read(folder.0.join(name)).unwrap();
        assert_eq!(files[&format!("inputs/{name}")], original, "{name}");
    }
    let manifest: Value = serde_json::from_slice(&files["manifest.json"]).unwrap();
    let fingerprint = manifest["fingerprint"].as_str().unwrap();
    assert_eq!(
        said,
        format!(
            "Wrote 8 files to \"one\"\nA \"test\": 2026, 2026-01-01 to 2026-01-20\nfingerprint {fingerprint}\n"
        )
    );
    assert!(folder.ghi("inputs --check inputs.toml").1.contains(fingerprint));

    let other = TestFolder::with_inputs("same-elsewhere");
    other.succeed("release nested/two --inputs ./inputs.toml --from 2020-01-01 --to 2026-01-20");
    assert_eq!(files, other.files("nested/two"));
    assert_eq!(other.succeed("release --check nested/two"), "All 8 files match the inputs\n");
}

#[test]
fn tables_are_those_of_a_server() {
    let folder = TestFolder::with_inputs("tables");
    folder.succeed("release one --inputs inputs.toml --from 2026-01-04 --to 2026-01-06");
    let text = |name: &str| String::from_utf8(folder.files("one")[name].clone()).unwrap();
    let served = |document: &str| {
        let range = "--from 2026-01-04 --to 2026-01-06 --format csv --inputs inputs.toml";
        folder.succeed(&format!("show {document} {range}"))
    };
    let figures = text("figures.csv");
    let regions = ["global", "us", "eu", "cn"];
    let tables = regions.map(|id| served(&format!("history --region {id}")));
    let header = tables[0].split_inclusive('\n').next().unwrap();
    let rows = tables.iter().map(|table| table.strip_prefix(header).unwrap());
    assert_eq!(figures, header.to_owned() + &rows.collect::<String>());
    assert_eq!(text("economics.csv"), served("economics"));
    assert_eq!(text("distribution.csv").lines().count(), 4);
}

#[test]
fn the_citation_is_in_the_citation_file_format() {
    let folder = TestFolder::with_inputs("citation");
    folder.succeed("release one --inputs inputs.toml");
    let citation = String::from_utf8(folder.files("one")["CITATION.cff"].clone()).unwrap();
    let manifest: Value = serde_json::from_slice(&folder.files("one")["manifest.json"]).unwrap();
    let fingerprint = manifest["fingerprint"].as_str().unwrap();
    let citation = citation.replace(fingerprint, "FINGERPRINT");
    let engine = concat!("engine ", env!("CARGO_PKG_VERSION"));
    let citation = citation.replace(&fingerprint[..12], "VERSION").replace(engine, "engine ENGINE");
    expect![[r#"
        cff-version: "1.2.0"
        message: "If you use this data, please cite it as below."
        type: "dataset"
        title: "A \"test\": 2026"
        abstract: "Global HashCost Index (GHI): cost of mining one bitcoin in USD, worldwide and by region, daily from 2026-01-01 to 2026-01-20. SHA-256 of the inputs: FINGERPRINT"
        version: "VERSION, 2026-01-01 to 2026-01-20, engine ENGINE"
        url: "https://example.org/costs"
        license: ["CC-BY-4.0","MIT"]
        date-released: "2026-02-03"
        authors:
          - name: "Example Research"
    "#]].assert_eq(&citation);
    // Licences without an identifier are left out, as is what the inputs don't have.
    folder.replace("inputs.toml", "CC BY 4.0 or MIT", "CC BY 4.0 or ask us");
    folder.replace("inputs.toml", "revised = \"2026-02-03\"\n", "");
    folder.replace("inputs.toml", "url = \"https://example.org/costs\"\n", "");
    folder.succeed("release two --inputs inputs.toml");
    let citation = String::from_utf8(folder.files("two")["CITATION.cff"].clone()).unwrap();
    let names = citation.lines().filter_map(|line| line.split_once(':')).map(|(name, _)| name);
    assert_eq!(
        names.collect::<Vec<_>>().join(" "),
        "cff-version message type title abstract version authors   - name"
    );
}

#[test]
fn series_from_other_folders_are_stored_by_their_own_names() {
    let folder = TestFolder::new("outside");
    let absolute = folder.0.join("absolute/regions.csv");
    folder.write_inputs("edition/inputs.toml", "../data/network.csv", absolute.to_str().unwrap());
    folder.write("data/network.csv", NETWORK);
    folder.write("absolute/regions.csv", REGIONS);
    folder.succeed("release one --inputs edition/inputs.toml");
    let names: Vec<String> = folder.files("one/inputs").into_keys().collect();
    assert_eq!(names, ["inputs.toml", "network.csv", "regions.csv"]);
    // The release needs no file outside it.
    fs::remove_dir_all(folder.0.join("data")).unwrap();
    fs::remove_dir_all(folder.0.join("absolute")).unwrap();
    folder.succeed("release --check one");
    assert_eq!(folder.ghi("inputs --check one/inputs/inputs.toml").0, 0);
    folder.succeed("release two --inputs one/inputs/inputs.toml");
    assert_eq!(folder.files("one"), folder.files("two"));

    folder.write_inputs("edition/inputs.toml", "sub/rows.csv", "./sub/../sub/../rows.csv");
    folder.write("edition/sub/rows.csv", NETWORK);
    folder.write("edition/rows.csv", REGIONS);
    folder.succeed("release three --inputs edition/inputs.toml");
    let names: Vec<String> = folder.files("three/inputs").into_keys().collect();
    assert_eq!(names, ["inputs.toml", "rows.csv", "sub/rows.csv"]);
    folder.succeed("release --check three");

    folder.write_inputs("edition/inputs.toml", "../a/rows.csv", "../b/rows.csv");
    folder.write("a/rows.csv", NETWORK);
    folder.write("b/rows.csv", REGIONS);
    let message = folder.fail("release four --inputs edition/inputs.toml");
    assert!(message.contains("a release cannot have two files of the same name"), "{message}");
    assert!(!folder.0.join("four").exists());
}

#[test]
fn a_check_finds_one_changed_digit() {
    let folder = TestFolder::with_inputs("digit");
    let check = |change: &dyn Fn()| {
        _ = fs::remove_dir_all(folder.0.join("one"));
        folder.succeed("release one --inputs inputs.toml");
        change();
        folder.differ("release --check one")
    };
    let line = |name: &str, line: usize| {
        let text = String::from_utf8(folder.files("one")[name].clone()).unwrap();
        text.lines().nth(line - 1).unwrap().to_owned()
    };
    for (name, number) in [("figures.csv", 9), ("economics.csv", 3), ("distribution.csv", 21)] {
        let report = check(&|| {
            let row = line(name, number);
            let changed = row.replace(".", ".9");
            folder.replace(&format!("one/{name}"), &row, &changed);
        });
        let found = line(name, number);
        let recomputed = found.replace(".9", ".");
        let expected = format!(
            "{name} differs from line {number} on\n  found       {found}\n  recomputed  {recomputed}\n1 of 8 files differ\n"
        );
        assert_eq!(report, expected);
    }
    let summary = |report: String| {
        let lines = report.lines().filter(|line| !line.starts_with("  "));
        lines.collect::<Vec<_>>().join("\n")
    };
    let report = check(&|| folder.replace("one/inputs/network.csv", "1.37e14", "1.38e14"));
    expect![[r#"
        CITATION.cff differs from line 5 on
        distribution.csv differs from line 6 on
        economics.csv differs from line 6 on
        figures.csv differs from line 6 on
        inputs/network.csv doesn't have the SHA-256 in manifest.json
        manifest.json differs from line 6 on
        6 of 8 files differ"#]]
    .assert_eq(&summary(report));
    let report = check(&|| folder.replace("one/manifest.json", "2026-01-20", "2026-01-19"));
    expect![[r#"
        CITATION.cff differs from line 5 on
        distribution.csv differs from line 21 on
        economics.csv differs from line 21 on
        figures.csv differs from line 21 on
        manifest.json differs from line 9 on
        5 of 8 files differ"#]]
    .assert_eq(&summary(report));
    let report = check(&|| folder.replace("one/figures.csv", "\r\n", "\n"));
    expect![[r#"
        figures.csv differs from line 1 on, only in how lines end
          found       date,region_id,currency,min_cost_usd,avg_cost_usd,max_cost_usd
          recomputed  date,region_id,currency,min_cost_usd,avg_cost_usd,max_cost_usd
        1 of 8 files differ
    "#]]
    .assert_eq(&report);
}

#[test]
fn another_engine_version_is_reported_first() {
    let folder = TestFolder::with_inputs("engine");
    folder.succeed("release one --inputs inputs.toml");
    let own = env!("CARGO_PKG_VERSION");
    let citation_hash = || {
        let bytes = Sha256::digest(&folder.files("one")["CITATION.cff"]);
        bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let hash = citation_hash();
    folder.replace("one/CITATION.cff", &format!("engine {own}"), "engine 0.0.1");
    folder.replace("one/manifest.json", &hash, &citation_hash());
    folder.replace("one/manifest.json", own, "0.0.1");
    let first = format!("Made with engine 0.0.1; checked with engine {own}\n");
    assert_eq!(
        folder.succeed("release --check one"),
        first.clone() + "All 8 files match the inputs\n"
    );
    let row = String::from_utf8(folder.files("one")["figures.csv"].clone()).unwrap();
    let row = row.lines().nth(1).unwrap();
    let end = row.rsplit(',').next().unwrap();
    folder.replace("one/figures.csv", row, &row.replace(end, "99999.99"));
    assert!(folder.differ("release --check one").starts_with(&first));
    // The engine is the only cause that is left.
    let said = folder.differ("diff one inputs.toml --format csv");
    assert!(said.contains(&format!(",engine 0.0.1 -> {own}")), "{said}");
}

#[test]
fn releases_that_are_incomplete_or_hostile_are_refused() {
    let folder = TestFolder::with_inputs("hostile");
    let outside = folder.0.join("outside.csv");
    fs::write(&outside, REGIONS).unwrap();
    let release = |change: &dyn Fn(&Path)| {
        _ = fs::remove_dir_all(folder.0.join("one"));
        folder.succeed("release one --inputs inputs.toml");
        change(&folder.0.join("one"));
        let message = folder.fail("release --check one");
        let (code, ..) = folder.ghi("diff one inputs.toml");
        assert_eq!(code == 2, !message.contains("economics"), "{message}");
        message
    };
    let replace = |name: &'static str, from: &'static str, to: &'static str| {
        let folder = &folder;
        move |_: &Path| folder.replace(&format!("one/{name}"), from, to)
    };
    let link = |name: &'static str| {
        let outside = &outside;
        move |one: &Path| {
            fs::remove_file(one.join(name)).unwrap();
            symlink(outside, one.join(name)).unwrap();
        }
    };
    let messages = [
        release(&|one| fs::remove_file(one.join("manifest.json")).unwrap()),
        release(&|one| fs::remove_file(one.join("economics.csv")).unwrap()),
        release(&|one| fs::remove_file(one.join("inputs/regions.csv")).unwrap()),
        release(&replace("manifest.json", "{", "[")),
        release(&replace("manifest.json", "title", "name")),
        release(&replace("manifest.json", "inputs/inputs.toml", "inputs/../../inputs.toml")),
        release(&replace("manifest.json", "inputs/inputs.toml", "/etc/passwd")),
        release(&replace("manifest.json", "2026-01-20", "2026-13-20")),
        release(&replace("manifest.json", "2026-01-20", "9999-12-31&x=1")),
        release(&link("inputs/regions.csv")),
        release(&link("economics.csv")),
        release(&|one| {
            fs::rename(one.join("inputs"), one.join("real")).unwrap();
            symlink("real", one.join("inputs")).unwrap();
        }),
        release(&|one| {
            let file = fs::File::options().write(true).open(one.join("figures.csv")).unwrap();
            file.set_len(1 << 40).unwrap();
        }),
        release(&|one| {
            fs::remove_file(one.join("inputs/network.csv")).unwrap();
            fs::create_dir(one.join("inputs/network.csv")).unwrap();
        }),
        release(&replace("inputs/inputs.toml", "\n[about]", "\n[abuot]")),
        folder.fail("release --check nothing"),
    ];
    expect![[r#"
        ghi: cannot read "one/manifest.json": No such file or directory (os error 2)
        ghi: cannot read "one/economics.csv": No such file or directory (os error 2)
        ghi: "one/inputs/inputs.toml": line 153: regions "regions.csv" cannot be read: cannot read "one/inputs/regions.csv": No such file or directory (os error 2)
        ghi: "one/manifest.json" is not valid: expected `,` or `]` at line 2 column 10
        ghi: "one/manifest.json" is not valid: missing field `title` at line 17 column 1
        ghi: "one/inputs/.." is outside the release or a symbolic link
        ghi: "/" is outside the release or a symbolic link
        ghi: "one": to must be a valid date in the form YYYY-MM-DD, such as 2026-11-15, from 0001-01-01 to 9999-12-31.
        ghi: "one": The query has an unknown parameter; this path accepts only region_id, range, from, to.
        ghi: "one/inputs/inputs.toml": line 153: regions "regions.csv" cannot be read: "one/inputs/regions.csv" is outside the release or a symbolic link
        ghi: "one/economics.csv" is outside the release or a symbolic link
        ghi: "one/inputs" is outside the release or a symbolic link
        ghi: cannot read "one/figures.csv": not a regular file of at most 1 MiB
        ghi: "one/inputs/inputs.toml": line 152: network "network.csv" cannot be read: cannot read "one/inputs/network.csv": not a regular file of at most 128 MiB
        ghi: "one/inputs/inputs.toml": line 155: cannot read `[abuot]`: unknown field `abuot`, expected one of `seed`, `coin`, `network`, `decimals`, `movement`, `capital`, `uncertainty`, `region`, `series`, `about`, `event`
        ghi: cannot read "nothing/manifest.json": No such file or directory (os error 2)
    "#]].assert_eq(&messages.concat());
}

#[test]
fn a_release_is_refused_in_one_line() {
    let folder = TestFolder::with_inputs("refused");
    folder.write("full/notes.txt", "mine");
    folder.write("default.toml", DEFAULT_INPUTS);
    let untitled = |field: &str| {
        let text = fs::read_to_string(folder.0.join("inputs.toml")).unwrap();
        let lines = text.split_inclusive('\n').filter(|line| !line.starts_with(field));
        folder.write("untitled.toml", &lines.collect::<String>());
        folder.fail("release one --inputs untitled.toml")
    };
    folder.write("synthetic.toml", &(DEFAULT_INPUTS.to_owned() + ABOUT));
    let messages = [
        folder.fail("release full --inputs inputs.toml"),
        folder.fail("release inputs.toml --inputs inputs.toml"),
        folder.fail("release one"),
        folder.fail("release one --inputs default.toml --from 2026-01-01 --to 2026-01-31"),
        untitled("title = "),
        untitled("publisher = "),
        folder.fail("release one --inputs synthetic.toml"),
        folder.fail("release one --inputs synthetic.toml --from 2026-01-01"),
        folder.fail("release one --inputs synthetic.toml --from 0001-01-01 --to 9999-12-31"),
        folder.fail("release one --inputs inputs.toml --from 2026-01-05 --to 2026-01-04"),
        folder.fail("release one --inputs inputs.toml --from 2020-01-01 --to 2020-01-04"),
        folder.fail("release one --inputs inputs.toml --from yesterday"),
        folder.fail("release --check one --from 2026-01-01"),
    ];
    expect![[r#"
        ghi: "full" is not empty; specify a new or empty folder
        ghi: cannot write to "inputs.toml": Not a directory (os error 20)
        ghi: specify your inputs with --inputs
        ghi: a release needs a title and a publisher under [about] in its inputs
        ghi: a release needs a title and a publisher under [about] in its inputs
        ghi: a release needs a title and a publisher under [about] in its inputs
        ghi: the inputs have no network series, so --from and --to are required
        ghi: the inputs have no network series, so --from and --to are required
        ghi: "from" and "to" must span at most 11,000 days; without "to", the range ends today.
        ghi: "from" must not be after "to".
        ghi: No data for 2020-01-01. Data runs from 2026-01-01 to 2026-03-06. Other days need rows in the series; 'ghi collect' appends network rows from your own node.
        ghi: invalid value 'yesterday' for '--from <DATE>': must be a valid date in the form YYYY-MM-DD, such as 2026-11-15, from 0001-01-01 to 9999-12-31
        ghi: the argument '--check' cannot be used with '--from <DATE>'
    "#]].assert_eq(&messages.concat());
    assert!(!folder.0.join("one").exists());
    folder.succeed("release one --inputs synthetic.toml --from 2026-01-01 --to 2026-01-31");
    folder.succeed("release --check one");
}

#[test]
fn a_raised_tariff_is_named_with_its_region_and_days() {
    let folder = TestFolder::with_inputs("tariff");
    folder.succeed("release old --inputs inputs.toml");
    folder.replace("regions.csv", "2026-01-10,us,0.04,0.05,0.06", "2026-01-10,us,0.04,0.055,0.06");
    folder.succeed("release new --inputs inputs.toml");
    let table = folder.differ("diff old new");
    expect![[r#"
        date        region_id  cost    old_usd    new_usd  change_pct                                         inputs
        2026-01-10         us   avg  58,046.04  63,850.65     10.0000  us electricity_usd_per_kwh_mean 0.05 -> 0.055
        2026-01-11         us   avg  58,046.04  63,850.65     10.0000  us electricity_usd_per_kwh_mean 0.05 -> 0.055
        2026-01-12         us   avg  58,046.04  63,850.65     10.0000  us electricity_usd_per_kwh_mean 0.05 -> 0.055
        2026-01-13         us   avg  58,046.04  63,850.65     10.0000  us electricity_usd_per_kwh_mean 0.05 -> 0.055
        2026-01-14         us   avg  58,046.04  63,850.65     10.0000  us electricity_usd_per_kwh_mean 0.05 -> 0.055
        2026-01-10     global   avg  57,692.70  61,175.46      6.0367  us electricity_usd_per_kwh_mean 0.05 -> 0.055
        2026-01-11     global   avg  57,738.66  61,221.43      6.0320  us electricity_usd_per_kwh_mean 0.05 -> 0.055
        2026-01-14     global   avg  58,022.07  61,504.84      6.0025  us electricity_usd_per_kwh_mean 0.05 -> 0.055
        2026-01-13     global   avg  58,080.44  61,563.20      5.9964  us electricity_usd_per_kwh_mean 0.05 -> 0.055
        2026-01-12     global   avg  58,202.81  61,685.57      5.9838  us electricity_usd_per_kwh_mean 0.05 -> 0.055
    "#]].assert_eq(&table);
    let csv = folder.differ("diff old new --format csv");
    let mut rows = csv.lines();
    assert_eq!(rows.next(), Some("date,region_id,cost,old_usd,new_usd,change_pct,inputs"));
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split(',').collect()).collect();
    assert_eq!(rows.len(), 10);
    assert!(rows.iter().all(|row| row[2] == "avg"), "{csv}");
    assert!(rows[..5].iter().all(|row| row[1] == "us"), "the largest changes are first: {csv}");
    let json: Vec<Value> =
        serde_json::from_str(&folder.differ("diff old new --format json")).unwrap();
    assert_eq!(json.len(), rows.len());
    assert_eq!(json[0]["date"], rows[0][0]);
    assert_eq!(json[0]["old_usd"].as_f64(), rows[0][3].parse().ok());
    assert_eq!(json[0]["inputs"], "us electricity_usd_per_kwh_mean 0.05 -> 0.055");

    // Inputs files are compared as they are now, and a range limits the comparison.
    assert_eq!(folder.differ("diff old inputs.toml"), table);
    assert_eq!(folder.succeed("diff new inputs.toml"), "No cost differs\n");
    assert_eq!(folder.succeed("diff new inputs.toml --format csv").lines().count(), 1);
    assert_eq!(folder.succeed("diff new inputs.toml --format json"), "[]\n");
    assert_eq!(folder.succeed("diff old new --to 2026-01-09"), "No cost differs\n");
    let days = folder.differ("diff old new --from 2026-01-12 --format csv");
    assert_eq!(days.lines().count(), 1 + 2 * 3);
}

#[test]
fn added_days_are_no_difference_but_missing_ones_are() {
    let folder = TestFolder::with_inputs("days");
    folder.succeed("release old --inputs inputs.toml");
    folder.write("network.csv", &format!("{NETWORK}2026-01-21,1.39e14,\n"));
    folder.succeed("release new --inputs inputs.toml");
    assert_eq!(folder.succeed("diff old new"), "No cost differs\n");
    let missing = folder.differ("diff new old --format csv");
    let rows: Vec<&str> = missing.lines().skip(1).collect();
    assert_eq!(rows.len(), 4);
    assert!(rows[0].starts_with("2026-01-21,cn,"), "{missing}");
    assert!(rows.iter().all(|row| row.ends_with(",,,missing in NEW")), "{missing}");
}

#[test]
fn shares_rewards_and_regions_are_causes() {
    let folder = TestFolder::with_inputs("causes");
    let text = fs::read_to_string(folder.0.join("inputs.toml")).unwrap();
    let causes = |changes: &[(&str, &str)]| {
        let changed = changes.iter().fold(text.clone(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        });
        folder.write("changed.toml", &changed);
        let range = "--from 2026-01-02 --to 2026-01-02";
        let csv = folder.differ(&format!("diff inputs.toml changed.toml {range} --format csv"));
        let rows = csv.lines().skip(1).map(|row| row.split(',').collect::<Vec<_>>());
        rows.map(|row| format!("{} {}: {}\n", row[1], row[2], row[6])).collect::<String>()
    };
    let all = [
        causes(&[("block_reward_coins = 3.125", "block_reward_coins = 3.0")]),
        causes(&[
            ("hashrate_share_pct = 60.0", "hashrate_share_pct = 61.0"),
            ("hashrate_share_pct = 13.0", "hashrate_share_pct = 12.0"),
        ]),
        causes(&[("hashes_per_difficulty = 4294967296", "hashes_per_difficulty = 4300000000")]),
        causes(&[("id = \"cn\"", "id = \"zh\"")]),
    ];
    expect![[r#"
        cn max: block_reward_coins 3.125 -> 3
        global min: block_reward_coins 3.125 -> 3
        us min: block_reward_coins 3.125 -> 3
        eu max: block_reward_coins 3.125 -> 3

        global avg: eu hashrate_share_pct 13.00 -> 12.00; us hashrate_share_pct 60.00 -> 61.00

        cn min: decimals or constants
        global min: decimals or constants
        eu max: decimals or constants
        us avg: decimals or constants

        cn avg: missing in NEW
        global min: cn is only in OLD; zh is only in NEW
    "#]]
    .assert_eq(&all.join("\n"));
}

#[test]
fn editions_that_cannot_be_compared_are_refused() {
    let folder = TestFolder::with_inputs("incomparable");
    folder.write("synthetic.toml", DEFAULT_INPUTS);
    folder.succeed("release one --inputs inputs.toml");
    folder.write("one/figures.csv", "date,region_id\n2026-01-01\n");
    let messages = [
        folder.fail("diff inputs.toml synthetic.toml"),
        folder.fail("diff inputs.toml nothing.toml"),
        folder.fail("diff inputs.toml inputs.toml --from 2020-01-01 --to 2020-02-01"),
        folder.fail("diff one inputs.toml"),
        folder.fail("diff inputs.toml"),
    ];
    expect![[r#"
        ghi: "synthetic.toml": the inputs have no network series, so --from and --to are required
        ghi: cannot read the inputs "nothing.toml": No such file or directory (os error 2); expected a TOML file, such as an edited copy of the output of `ghi inputs`
        ghi: "inputs.toml": No data for 2020-01-01. Data runs from 2026-01-01 to 2026-03-06. Other days need rows in the series; 'ghi collect' appends network rows from your own node.
        ghi: "one": CSV error: record 1 (line: 2, byte: 15): found record with 1 fields, but the previous record has 2 fields
        ghi: the following required arguments were not provided: <NEW>
    "#]].assert_eq(&messages.concat());
    let range = "--from 2026-01-02 --to 2026-01-03";
    assert_eq!(
        folder.succeed(&format!("diff synthetic.toml synthetic.toml {range}")),
        "No cost differs\n"
    );
}
