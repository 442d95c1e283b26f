//! `ghi inputs`.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::path::PathBuf;
use std::process::Output;

use ghi_engine::{DEFAULT_INPUTS, Inputs};

use program::{GHI, program};

mod program;

fn inputs(args: &[&str]) -> Output {
    program(GHI).arg("inputs").args(args).output().unwrap()
}

/// Runs `ghi inputs --check` on a file with this text.
fn check(name: &str, text: &str) -> Output {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    inputs(&["--check", path.to_str().unwrap()])
}

#[track_caller]
fn report(name: &str, text: &str) -> String {
    let output = check(name, text);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_negative_number_in_a_series_is_reported_with_file_line_and_column() {
    let folder =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("n".repeat(200)).join("n".repeat(240));
    std::fs::create_dir_all(&folder).unwrap();
    let named = "[series]\nnetwork = \"n.csv\"\nregions = \"r.csv\"\n\n[[region]]";
    let path = folder.join("negative.toml");
    std::fs::write(&path, DEFAULT_INPUTS.replacen("[[region]]", named, 1)).unwrap();
    for (network, regions, location) in [
        ("-1,80000", "60", "n.csv line 3: difficulty is \"-1\"; expected a number"),
        ("1e14,-80000", "60", "n.csv line 3: price_usd is \"-80000\"; expected a number"),
        ("1e14,80000", "-60", "r.csv line 2: hashrate_share_pct is \"-60\"; expected"),
    ] {
        let rows = format!("2026-01-01,1e14,80000\n2026-01-02,{network}\n");
        std::fs::write(folder.join("n.csv"), "date,difficulty,price_usd\n".to_owned() + &rows)
            .unwrap();
        let rows = format!("date,region_id,hashrate_share_pct\n2026-01-01,us,{regions}\n");
        std::fs::write(folder.join("r.csv"), rows).unwrap();
        for command in [&["inputs", "--check"][..], &["serve", "--listen", "0", "--inputs"]] {
            let output = program(GHI).args(command).arg(&path).output().unwrap();
            let message = String::from_utf8(output.stderr).unwrap();
            assert!(message.contains(location) && output.status.code() == Some(2), "{message}");
            // The path is shortened, so that nothing else is.
            assert_eq!(message.matches("...").count(), 1, "{message}");
        }
    }
}

#[test]
fn the_built_in_inputs_are_a_valid_file() {
    let output = inputs(&[]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), DEFAULT_INPUTS);
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[test]
fn a_check_shows_the_costs_of_a_file() {
    let report = report("default.toml", DEFAULT_INPUTS);
    let fingerprint = format!("\nfingerprint {}\n", Inputs::default().fingerprint());
    for expected in [
        "default.toml\" is valid: 3 regions, data from 0001-01-01 to 9999-12-31\n",
        &*fingerprint,
        ", today, USD\n",
        "region  share %       min       avg       max\n",
        "\nus        60.00  ",
        "\ncn        27.00  ",
        "\neu        13.00  ",
        "\nglobal   100.00  ",
        "\ndifficulty  ",
        "\nimplied hashrate, EH/s  ",
        "\npower, GW  ",
        "\nenergy, TWh per year  ",
    ] {
        assert!(report.contains(expected), "{expected}: {report}");
    }
    assert!(!report.contains("warning"), "{report}");
    assert!(report.lines().skip(1).all(|line| line.len() <= 80), "{report}");
}

#[test]
fn a_probable_mistake_is_a_warning_not_an_error() {
    let cents = DEFAULT_INPUTS
        .replace("low = 0.0425, mean = 0.0485, high = 0.055", "low = 4.8, mean = 5.5, high = 6.2");
    let output = check("cents.toml", &cents);
    assert!(output.status.success());
    let warning = "ghi: warning: region \"us\": electricity costs 4.8 on line 156 of the inputs file; expected USD per kWh, not cents or MWh, such as 0.055\n";
    let warnings = String::from_utf8(output.stderr).unwrap();
    assert!(warnings.starts_with(warning), "{warnings}");
}

#[test]
fn missing_data_for_today_is_a_warning() {
    let inputs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/own-series/inputs.toml");
    let output = self::inputs(&["--check", inputs]);
    assert!(output.status.success());
    let [report, warnings] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(report.contains("the last day with data"), "{report}");
    assert!(warnings.starts_with("ghi: warning: No data for "), "{warnings}");
}

#[test]
fn an_invalid_file_is_rejected_with_the_message_of_the_server() {
    let output = check("wrong.toml", &DEFAULT_INPUTS.replace("overhead = 1.24", "overhead = -1"));
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("overhead is -1"), "{message}");
}

#[test]
fn costs_are_shown_for_the_last_day_if_the_series_end_before_today() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/own-series/inputs.toml");
    let output = inputs(&["--check", example]);
    let report = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{report}");
    let last = report.lines().next().unwrap().rsplit(' ').next().unwrap();
    let told = format!("coin on {last}, the last day with data, USD\n");
    assert!(report.contains(&told), "{report}");
}

#[test]
fn after_the_last_rows_of_the_bitcoin_edition_a_message_says_how_to_continue_it() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/bitcoin/inputs.toml");
    let output = inputs(&["--check", example]);
    let warnings = String::from_utf8(output.stderr).unwrap();
    let told = "Data runs from 2016-01-01 to 2026-07-02. Other days need rows in the series; 'ghi collect' appends network rows from your own node.\n";
    assert!(warnings.ends_with(told), "{warnings}");
}
