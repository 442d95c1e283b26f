//! What the files of a series must be, and what is said where they are not.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::Instant;

use ghi_engine::{Inputs, InputsError, visible};
use proptest::prelude::*;

const INPUTS: &str = include_str!("../../../examples/own-series/inputs.toml");
const NETWORK: &str = include_str!("../../../examples/own-series/network.csv");
const REGIONS: &str = include_str!("../../../examples/own-series/regions.csv");

fn parse(
    inputs: &str,
    network: impl AsRef<[u8]>,
    regions: impl AsRef<[u8]>,
) -> Result<Inputs, InputsError> {
    Inputs::parse_with_series(inputs, |name| match name {
        "network.csv" => Ok(network.as_ref().to_vec()),
        "regions.csv" => Ok(regions.as_ref().to_vec()),
        _ => Err("No such file or directory".to_owned()),
    })
}

/// The series of the network with these lines is refused with this very message.
#[track_caller]
fn check_network(lines: &[&str], message: &str) {
    let error = parse(INPUTS, lines.join("\n"), REGIONS).unwrap_err();
    assert_eq!(error.to_string(), format!("network.csv {message}"));
}

/// The same for the series of the regions.
#[track_caller]
fn check_regions(lines: &[&str], message: &str) {
    let error = parse(INPUTS, NETWORK, lines.join("\n")).unwrap_err();
    assert_eq!(error.to_string(), format!("regions.csv {message}"));
}

#[test]
fn the_example_is_valid() {
    let inputs = parse(INPUTS, NETWORK, REGIONS).unwrap();
    assert_eq!(inputs.region_count(), 3);
    assert_eq!(parse(INPUTS, NETWORK, REGIONS).unwrap(), inputs);
}

#[test]
fn a_byte_order_mark_other_line_ends_quotes_and_empty_lines_are_fine() {
    let network = format!("\u{feff}{}\n\n", NETWORK.replace('\n', "\r\n"));
    let regions = REGIONS.replace("2025-10-01,north,55", "\"2025-10-01\",\"north\",\"55\"");
    parse(INPUTS, network, regions.trim_end()).unwrap();
}

#[test]
fn one_series_is_enough() {
    for field in ["network = \"network.csv\"\n", "regions = \"regions.csv\"\n"] {
        assert_eq!(INPUTS.matches(field).count(), 1);
        parse(&INPUTS.replace(field, ""), NETWORK, REGIONS).unwrap();
    }
}

#[test]
fn the_fingerprint_is_that_of_the_files_in_a_row() {
    let fingerprint = |inputs, network, regions| {
        parse(inputs, network, regions).unwrap().fingerprint().to_string()
    };
    let own = fingerprint(INPUTS, NETWORK, REGIONS);
    // cat inputs.toml network.csv regions.csv | sha256sum
    assert_eq!(own, "fc720844b93506dc0898d00710ba285feda940d3c663e1506a59196764711816");
    let longer = [INPUTS, NETWORK, REGIONS].map(|text| format!("{text}\n"));
    assert_ne!(fingerprint(&longer[0], NETWORK, REGIONS), own);
    assert_ne!(fingerprint(INPUTS, &longer[1], REGIONS), own);
    assert_ne!(fingerprint(INPUTS, NETWORK, &longer[2]), own);
}

#[test]
fn what_names_the_series_is_checked() {
    let network = "network = \"network.csv\"";
    let line = INPUTS[..INPUTS.find(network).unwrap()].matches('\n').count() + 1;
    for (piece, replacement, behind, message) in [
        (
            network,
            "network = \"other.csv\"",
            0,
            "series.network \"other.csv\" cannot be read: No such file or directory",
        ),
        (network, "network = 5", 0, "series.network is 5; it must be a text in quotes"),
        (
            network,
            "network = \"\"",
            0,
            "series.network must have 1 to 255 characters, all of them visible",
        ),
        (
            network,
            "netwrok = \"network.csv\"",
            0,
            "series.netwrok is unknown; did you mean network? Known are network, regions and valid_days",
        ),
        (
            "valid_days = 45",
            "valid_days = 3661",
            3,
            "series.valid_days is 3661; it must be a whole number from 0 to 3660",
        ),
        (
            "valid_days = 45",
            "valid_days = -1",
            3,
            "series.valid_days is -1; it must be a whole number from 0 to 3660",
        ),
    ] {
        let error = parse(&INPUTS.replace(piece, replacement), NETWORK, REGIONS).unwrap_err();
        assert_eq!(error.to_string(), format!("line {}: {message}", line + behind));
    }
    let none = INPUTS.replace(network, "").replace("regions = \"regions.csv\"", "");
    let message = "[series] names no file; it must have network, regions or both";
    assert_eq!(
        parse(&none, NETWORK, REGIONS).unwrap_err().to_string(),
        format!("line {}: {message}", line - 1)
    );
}

#[test]
fn the_header_names_every_column() {
    let row = "2025-10-03,108200000000000,781.4";
    let known =
        "date, difficulty, hashrate_eh, fee_usd and block_reward_coins, and what begins with x_";
    check_network(
        &[],
        "line 1: the file is empty; its first line must be the header: date,difficulty",
    );
    check_network(
        &[row],
        "line 1: there is no header; the first line must name the columns: date,difficulty",
    );
    check_network(
        &["date,difficulty"],
        "line 1: there is no row below the header; there must be one at least",
    );
    check_network(
        &["date;difficulty", "2025-10-03;1"],
        "line 1: cells are separated by \";\"; they must be separated by commas: date,difficulty",
    );
    check_network(
        &["date\tdifficulty", "2025-10-03\t1"],
        "line 1: cells are separated by tabs; they must be separated by commas: date,difficulty",
    );
    check_network(
        &["date,hashrate_eh", "2025-10-03,1"],
        "line 1: there is no column difficulty; the header must have it",
    );
    check_network(
        &["date,difficulty,date", "2025-10-03,1,1"],
        "line 1, column 3 (date): date stands here for the second time; each column must stand once",
    );
    check_network(
        &["date,difficulty,hashrate", row],
        &format!(
            "line 1, column 3 (hashrate): the column is unknown; did you mean hashrate_eh? Known are {known}"
        ),
    );
    check_network(
        &["date,difficulty,source", row],
        &format!("line 1, column 3 (source): the column is unknown; known are {known}"),
    );
    check_network(
        &["date,difficulty,", row],
        &format!("line 1, column 3: the column has no name; known are {known}"),
    );
    check_network(
        &["Date,difficulty,hashrate_eh", row],
        "line 1, column 1 (Date): \"Date\" has capitals or spaces; the column must be named date",
    );
    check_network(
        &["date, difficulty,hashrate_eh", row],
        "line 1, column 2 ( difficulty): \" difficulty\" has capitals or spaces; the column must be named difficulty",
    );
    check_regions(
        &["date,region_id", "2025-10-01,north"],
        "line 1: there is no column beside date and region_id; it must have one at least of hashrate_share_pct, efficiency_j_per_th_best, efficiency_j_per_th_mean, efficiency_j_per_th_worst, electricity_usd_per_kwh_low, electricity_usd_per_kwh_mean, electricity_usd_per_kwh_high",
    );
}

#[test]
fn an_unknown_column_hides_no_missing_one() {
    let row = "2025-10-03,1,1";
    let known =
        "date, difficulty, hashrate_eh, fee_usd and block_reward_coins, and what begins with x_";
    check_network(
        &["date,hash,hashrate_eh", row],
        &format!(
            "line 1: there is no column difficulty; the header must have it\n\
             network.csv line 1, column 2 (hash): the column is unknown; known are {known}"
        ),
    );
    // What a slip stands for is not missing.
    check_network(
        &["date,dificulty,hashrate_eh", row],
        &format!(
            "line 1, column 2 (dificulty): the column is unknown; did you mean difficulty? Known are {known}"
        ),
    );
    let known = "date, region_id, hashrate_share_pct, efficiency_j_per_th_best";
    for field in ["electricity_usd_per_kwh", "efficiency_j_per_th"] {
        let rows = format!("date,region_id,hashrate_share_pct,{field}\n2025-10-01,north,55,1\n");
        let error = parse(INPUTS, NETWORK, rows).unwrap_err().to_string();
        let message = format!(
            "regions.csv line 1, column 4 ({field}): the column is unknown; did you mean {field}_mean? Known are {known}"
        );
        assert!(error.starts_with(&message) && error.lines().count() == 1, "{error}");
    }
    // What the file has already is not what was meant.
    check_network(
        &["date,difficulty,hashrate_eh,hashrate", "2025-10-03,1,1,1"],
        "line 1, column 4 (hashrate): the column is unknown; known are date, difficulty, hashrate_eh, fee_usd and block_reward_coins, and what begins with x_",
    );
}

#[test]
fn the_first_line_is_the_header() {
    for (first, what) in [
        ("sep=,", "a note of the separator"),
        ("SEP=;", "a note of the separator"),
        ("# difficulty, by day", "a comment"),
    ] {
        check_network(
            &[first, "date,difficulty", "2025-10-03,1"],
            &format!("line 1: the first line is {what}; it must be the header: date,difficulty"),
        );
    }
}

#[test]
fn what_is_no_csv_is_called_by_its_name() {
    let workbook = "a zip archive or an Excel workbook; it must be a CSV file in UTF-8: save the sheet as \"CSV UTF-8\"";
    let utf_16 = "in UTF-16; it must be a CSV file in UTF-8: save it again as \"CSV UTF-8\"";
    for (bytes, what) in [
        (&b"\xff\xfed\0a\0t\0e\0"[..], utf_16),
        (b"\xfe\xff\0d\0a\0t\0e", utf_16),
        (b"\x1f\x8b\x08\0", "compressed with gzip; it must be a CSV file in UTF-8, not compressed"),
        (b"PK\x03\x04\x14\0", workbook),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", workbook),
    ] {
        let error = parse(INPUTS, bytes, REGIONS).unwrap_err();
        assert_eq!(error.to_string(), format!("network.csv line 1: the file is {what}"));
    }
}

#[test]
fn rows_of_empty_cells_are_empty_lines() {
    let empty = format!("{NETWORK},,,,\n,,,,,,\n");
    parse(INPUTS, empty, REGIONS).unwrap();
    check_network(
        &["date,difficulty", ",", "2025-10-03,0"],
        "line 3, column 2 (difficulty): 0 must be from 1 to 9e15",
    );
    check_network(
        &["date,difficulty", ","],
        "line 2: there is no row below the header; there must be one at least",
    );
}

#[test]
fn every_cell_is_a_plain_value_within_its_bounds() {
    let header = "date,difficulty,hashrate_eh,fee_usd,block_reward_coins";
    for (row, message) in [
        (
            "2025-10-03,,1,1,1",
            "column 2 (difficulty): the cell is empty; it must be a number from 1 to 9e15",
        ),
        ("2025-10-03,0,1,1,1", "column 2 (difficulty): 0 must be from 1 to 9e15"),
        ("2025-10-03,1e16,1,1,1", "column 2 (difficulty): 1e16 must be from 1 to 9e15"),
        ("2025-10-03,1,-1,1,1", "column 3 (hashrate_eh): -1 must be from 1e-12 to 1000000"),
        ("2025-10-03,1,1,1e999,1", "column 4 (fee_usd): 1e999 must be from 1e-6 to 1000000"),
        (
            "2025-10-03,1,\"1,5\",1,1",
            "column 3 (hashrate_eh): 1,5 has a decimal comma; decimals are written with a point: 1.5",
        ),
        (
            "2025-10-03,1,1,$5,1",
            "column 4 (fee_usd): $5 has a $; a number is written without a unit",
        ),
        (
            "2025-10-03,1,1,.5,1",
            "column 4 (fee_usd): .5 has no digit before its point; it is written 0.5",
        ),
        (
            "2025-10-03,1,1,5.,1",
            "column 4 (fee_usd): 5. has no digit behind its point; it is written 5.0",
        ),
        (
            "2025-10-03,1,1,5 %,1",
            "column 4 (fee_usd): 5 % has a %; a number is written without a unit: 5",
        ),
        (
            "2025-10-03,1,1, 5,1",
            "column 4 (fee_usd): \" 5\" has spaces around it; a cell must have none",
        ),
        ("2025-10-03,1,1,+5,1", "column 4 (fee_usd): +5 has a +; it is written 5"),
        (
            "2025-10-03,1,1,1_000,1",
            "column 4 (fee_usd): 1_000 has more than digits and a point; it is written 1000",
        ),
        (
            "2025-10-03,1,1,inf,1",
            "column 4 (fee_usd): \"inf\" is no number; it must be a plain decimal from 1e-6 to 1000000",
        ),
        (
            "2025-10-03 ,1,1,1,1",
            "column 1 (date): \"2025-10-03 \" has spaces around it; a cell must have none",
        ),
        (
            "2025-10-03,1,1\u{a0}000,1,1",
            "column 3 (hashrate_eh): 1\\u{a0}000 has more than digits and a point; it is written 1000",
        ),
        (
            "2025-10-03,1,\u{a0}1,1,1",
            "column 3 (hashrate_eh): \"\\u{a0}1\" has spaces around it; a cell must have none",
        ),
        (
            "2025-10-03,1,1,nan,1",
            "column 4 (fee_usd): \"nan\" is no number; it must be a plain decimal from 1e-6 to 1000000",
        ),
        (
            "2025-10-03,1,1,1,n/a",
            "column 5 (block_reward_coins): \"n/a\" is no number; it must be a plain decimal from 1e-6 to 1e9",
        ),
        (
            "2025-02-29,1,1,1,1",
            "column 1 (date): \"2025-02-29\" is no date; it must be a day written YYYY-MM-DD, as 2026-01-31",
        ),
        (
            "0000-01-01,1,1,1,1",
            "column 1 (date): \"0000-01-01\" is no date; it must be a day written YYYY-MM-DD, as 2026-01-31",
        ),
        (
            "03.10.2025,1,1,1,1",
            "column 1 (date): \"03.10.2025\" is no date; it must be a day written YYYY-MM-DD, as 2026-01-31",
        ),
        (
            ",1,1,1,1",
            "column 1 (date): \"\" is no date; it must be a day written YYYY-MM-DD, as 2026-01-31",
        ),
    ] {
        check_network(&[header, row], &format!("line 2, {message}"));
    }
    for (row, message) in [
        (
            "2025-10-03,1,1,1",
            "the row has 4 cells; it must have 5, as the header; a cell may be empty, but not its comma",
        ),
        (
            "2025-10-03,1,1,5,1,1",
            "the row has 6 cells; it must have 5, as the header; a comma separates cells, also within a number",
        ),
        (
            "2025-10-03,\"1,1,5,1\n",
            "the row has 2 cells; it must have 5, as the header; a quote in it goes on over the end of its line",
        ),
    ] {
        check_network(&[header, row], &format!("line 2: {message}"));
    }
}

#[test]
fn dates_ascend() {
    let header = "date,difficulty";
    for date in ["2025-10-03", "2025-10-02"] {
        let message = format!(
            "line 4, column 1 (date): {date} must be after 2025-10-03, the date of the row before it"
        );
        check_network(
            &[header, "2025-10-01,1", "2025-10-03,1", &format!("{date},1"), "2025-10-04,1"],
            &message,
        );
    }
    // The row before is the one that stands there, be it out of order or wrong in other cells.
    check_network(
        &[header, "2025-10-30,1", "2025-10-03,1", "2025-10-04,1", "2025-10-03,1"],
        "line 3, column 1 (date): 2025-10-03 must be after 2025-10-30, the date of the row before it\n\
         network.csv line 5, column 1 (date): 2025-10-03 must be after 2025-10-04, the date of the row before it",
    );
    check_network(
        &[header, "2025-10-01,1", "2025-10-04,0", "2025-10-03,1"],
        "line 3, column 2 (difficulty): 0 must be from 1 to 9e15\n\
         network.csv line 4, column 1 (date): 2025-10-03 must be after 2025-10-04, the date of the row before it",
    );
    let rows = [
        "date,region_id,hashrate_share_pct",
        "2025-10-05,north,55",
        "2025-10-01,north,55",
        "2025-10-03,north,55",
    ];
    check_regions(
        &rows,
        "line 3, column 1 (date): 2025-10-01 must be after 2025-10-05, the date of the row of \"north\" before it",
    );
    let rows = [
        "date,region_id,hashrate_share_pct",
        "2025-10-03,north,55",
        "2025-10-01,south,30",
        "2025-10-03,north,55",
    ];
    check_regions(
        &rows,
        "line 4, column 1 (date): 2025-10-03 must be after 2025-10-03, the date of the row of \"north\" before it",
    );
    // Days of any year, and regions in any order.
    let network = "date,difficulty\n0001-01-01,1e14\n9999-12-31,2e14\n";
    let regions = "date,region_id,hashrate_share_pct\n0001-01-02,north,55\n0001-01-01,south,30\n";
    parse(&INPUTS.replace("valid_days = 45", "valid_days = 1"), network, regions).unwrap();
}

#[test]
fn regions_are_known_and_their_levels_in_order() {
    let header = "date,region_id,hashrate_share_pct,efficiency_j_per_th_best,electricity_usd_per_kwh_mean,electricity_usd_per_kwh_high";
    for (row, message) in [
        (
            "2025-10-01,west,55,16,0.05,0.06",
            "column 2 (region_id): \"west\" is no region of the inputs; its regions are \"north\", \"south\" and \"islands\"",
        ),
        (
            "2025-10-01,North,55,16,0.05,0.06",
            "column 2 (region_id): \"North\" is no region of the inputs; its regions are \"north\", \"south\" and \"islands\"",
        ),
        (
            "2025-10-01, north,55,16,0.05,0.06",
            "column 2 (region_id): \" north\" has spaces around it; a cell must have none",
        ),
        (
            "2025-10-01,north,55.001,16,0.05,0.06",
            "column 3 (hashrate_share_pct): 55.001 must have at most two decimals",
        ),
        (
            "2025-10-01,north,0,16,0.05,0.06",
            "column 3 (hashrate_share_pct): 0 must be from 0.01 to 100",
        ),
        (
            "2025-10-01,north,101,16,0.05,0.06",
            "column 3 (hashrate_share_pct): 101 must be from 0.01 to 100",
        ),
        (
            "2025-10-01,north,55,19.5,0.05,0.06",
            "column 4 (efficiency_j_per_th_best): efficiency_j_per_th must not fall from best to mean to worst, but is 19.5, 19, 22, the inputs' own where the row gives none",
        ),
        (
            "2025-10-01,north,55,16,0.05,0.045",
            "column 5 (electricity_usd_per_kwh_mean): electricity_usd_per_kwh must not fall from low to mean to high, but is 0.04, 0.05, 0.045, the inputs' own where the row gives none",
        ),
        (
            "2025-10-01,north,55,16,0.05,11",
            "column 6 (electricity_usd_per_kwh_high): 11 must be from 0.0001 to 10",
        ),
    ] {
        check_regions(&[header, row], &format!("line 2, {message}"));
    }
}

#[test]
fn shares_sum_to_100_on_every_covered_day() {
    let header = "date,region_id,hashrate_share_pct";
    let message = "hashrate_share_pct sums to 99.5 over all regions on";
    let right = "it must sum to exactly 100";
    // From the first covered day on, which the network's series sets.
    check_regions(
        &[header, "2025-10-01,north,54.5", "2025-10-01,south,30"],
        &format!("line 3: {message} 2025-10-03; {right}"),
    );
    // On each day on which it changes, and once if it stays wrong.
    let rows = [
        header,
        "2025-10-01,north,55",
        "2025-10-01,south,30",
        "2025-11-01,north,54.5",
        "2025-11-01,south,30",
        "2025-12-01,north,54.5",
    ];
    check_regions(&rows, &format!("line 5: {message} 2025-11-01; {right}"));
    // An empty cell is the inputs' own share.
    let rows = [header, "2025-10-01,north,54.5", "2025-10-01,south,30.5", "2025-11-01,south,"];
    check_regions(&rows, &format!("line 4: {message} 2025-11-01; {right}"));
    // Before the first covered day there are no figures, and nothing to sum to.
    let rows = [header, "2025-09-01,north,1", "2025-10-01,south,30", "2025-10-02,north,55"];
    parse(INPUTS, NETWORK, rows.join("\n")).unwrap();
}

#[test]
fn series_overlap() {
    let network = "date,difficulty\n2024-01-01,1\n2024-02-01,1\n";
    let error = parse(INPUTS, network, REGIONS).unwrap_err();
    assert_eq!(
        error.to_string(),
        "regions.csv line 3: no day has figures: this series begins on 2025-10-01, but the network's series ends on 2024-03-17, 45 days after its last row (line 3); they must overlap"
    );
    let rows = ["date,region_id,hashrate_share_pct", "2024-01-01,north,55", "2025-10-05,south,30"];
    check_regions(
        &rows,
        "line 3: no day has figures: this series begins on 2025-10-05, but a region's series ends on 2024-02-15, 45 days after its last row (line 2); they must overlap",
    );
}

#[test]
fn what_is_not_utf_8_is_refused_with_its_line() {
    let error = parse(INPUTS, b"date,difficulty\n2025-10-03,1\n\xff", REGIONS).unwrap_err();
    assert_eq!(
        error.to_string(),
        "network.csv line 3: not UTF-8; a CSV file must be saved as UTF-8"
    );
}

#[test]
fn problems_of_all_files_are_reported_in_the_order_of_file_and_line() {
    let inputs = INPUTS.replace("overhead = 1.25", "overhead = 0");
    let network = "date,difficulty,x_note\n2025-10-03,$1,\"two\nlines\"\n\n2025-10-04,x,\n";
    let regions = "date,region_id,hashrate_share_pct\nnever,north,0\n";
    let error = parse(&inputs, network, regions).unwrap_err();
    let places: Vec<_> = error
        .problems()
        .iter()
        .map(|problem| (problem.file(), problem.line(), problem.column().map(|(number, _)| number)))
        .collect();
    let overhead = inputs[..inputs.find("overhead").unwrap()].matches('\n').count() + 1;
    assert_eq!(
        places,
        [
            (None, Some(overhead), None),
            (Some("network.csv"), Some(2), Some(2)),
            (Some("network.csv"), Some(5), Some(2)),
            (Some("regions.csv"), Some(2), Some(1)),
            (Some("regions.csv"), Some(2), Some(3)),
        ]
    );
}

#[test]
fn a_million_bad_lines_are_twenty_problems_and_a_number() {
    let network = format!("date,difficulty\n{}", "x,y\n".repeat(500_000));
    let started = Instant::now();
    let error = parse(INPUTS, network, REGIONS).unwrap_err();
    assert_eq!(error.problems().len(), 20);
    assert_eq!(error.problems()[19].line(), Some(11));
    assert_eq!(error.to_string().lines().last(), Some("and 999980 more"));
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
}

#[track_caller]
fn check_messages(result: Result<Inputs, InputsError>) {
    let Err(error) = result else { return };
    assert!((1..=20).contains(&error.problems().len()));
    for message in error.problems().iter().map(ToString::to_string) {
        assert!((1..550).contains(&message.chars().count()), "{message}");
        assert_eq!(message, visible(&message, 550));
    }
}

/// Pieces that a file may be spoilt with.
const PIECES: [&[u8]; 22] = [
    b",",
    b"\n",
    b"\r",
    b"\r\n",
    b"\"",
    b"\"\"",
    b";",
    b"\t",
    b" ",
    b".",
    b"-",
    b"e9",
    b"0",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"nan",
    b"2025-11-14",
    b"north",
    b"\x1b[31m",
    "\u{202e}".as_bytes(),
    b"99999999999999999999",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn a_spoilt_file_is_taken_or_refused_in_visible_lines(
        is_network in any::<bool>(),
        spoils in prop::collection::vec(
            (any::<prop::sample::Index>(), 0_usize..20, prop::sample::select(&PIECES[..]), 0_usize..3),
            1..4,
        ),
    ) {
        let mut file = if is_network { NETWORK } else { REGIONS }.as_bytes().to_vec();
        for (at, removed, piece, times) in spoils {
            let at = at.index(file.len() + 1);
            let end = (at + removed).min(file.len());
            file.splice(at..end, piece.repeat(times));
        }
        check_messages(match is_network {
            true => parse(INPUTS, file, REGIONS),
            false => parse(INPUTS, NETWORK, file),
        });
    }

    #[test]
    fn any_bytes_are_taken_or_refused_in_visible_lines(
        header in prop::sample::select(&["", "date,difficulty\n", "date,region_id,hashrate_share_pct\n"][..]),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let file = [header.as_bytes(), &bytes].concat();
        check_messages(parse(INPUTS, &file, REGIONS));
        check_messages(parse(INPUTS, NETWORK, &file));
    }
}
