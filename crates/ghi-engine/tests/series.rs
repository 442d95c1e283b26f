//! The content of series files, and the messages about mistakes.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue fails")]

use expect_test::expect;
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

/// Checks that a network series with these lines is refused with this message.
#[track_caller]
fn check_network(lines: &[&str], message: &str) {
    let error = parse(INPUTS, lines.join("\n"), REGIONS).unwrap_err();
    assert_eq!(error.to_string(), format!("network.csv {message}"));
}

/// The messages about a network series, for each of these texts.
fn messages<A: AsRef<[u8]>>(files: &[A]) -> String {
    let message = |file: &A| {
        let error = parse(INPUTS, file, REGIONS).unwrap_err();
        error.to_string().replace("network.csv ", "") + "\n"
    };
    files.iter().map(message).collect()
}

/// Checks that a region series with these lines is refused with this message.
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
fn a_byte_order_mark_crlf_quotes_and_empty_lines_are_accepted() {
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
fn the_fingerprint_is_the_sha_256_of_all_files() {
    let fingerprint = |inputs, network, regions| {
        parse(inputs, network, regions).unwrap().fingerprint().to_string()
    };
    let own = fingerprint(INPUTS, NETWORK, REGIONS);
    // cat inputs.toml network.csv regions.csv | sha256sum
    assert_eq!(own, "cf633311bd781ff58f9958a8e95c6c1e1af11737939a9aa2ba4fbb87528cac08");
    let longer = [INPUTS, NETWORK, REGIONS].map(|text| format!("{text}\n"));
    assert_ne!(fingerprint(&longer[0], NETWORK, REGIONS), own);
    assert_ne!(fingerprint(INPUTS, &longer[1], REGIONS), own);
    assert_ne!(fingerprint(INPUTS, NETWORK, &longer[2]), own);
}

#[test]
fn the_fields_that_name_series_are_checked() {
    let network = "network = \"network.csv\"";
    let replaced = |(piece, replacement): (&str, &str)| {
        parse(&INPUTS.replace(piece, replacement), NETWORK, REGIONS).unwrap_err().to_string()
    };
    let cases = [
        (network, "network = \"other.csv\""),
        (network, "network = 5"),
        (network, "network = \"\""),
        (network, "netwrok = \"network.csv\""),
        ("valid_days = 45", "valid_days = 3661"),
        ("valid_days = 45", "valid_days = -1"),
    ];
    expect![[r#"
        line 24: network "other.csv" cannot be read: No such file or directory
        line 24: cannot read `network = 5`: invalid type: integer `5`, expected a string
        line 24: network is ""; expected 1 to 255 visible characters; in a path, write / or use single quotes, because a backslash starts an escape
        line 24: cannot read `netwrok = "network.csv"`: unknown field `netwrok`, expected one of `network`, `regions`, `fleet`, `published`, `valid_days`, `regions_valid_days`
        line 27: valid_days is 3661; expected a whole number from 0 to 3660
        line 27: valid_days is -1; expected a whole number from 0 to 3660"#]].assert_eq(&cases.map(replaced).join("\n"));
}

#[test]
fn mistakes_in_the_header_are_reported() {
    let row = "2025-10-03,108200000000000,781.4\n";
    expect![[r##"
        line 1: expected the header date,difficulty
        line 1: unknown or duplicate column "2025-10-03"; expected each of these at most once: date, difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd, height, fees_per_block_coins, other_revenue_usd_per_block and capital_usd_per_th; names starting with x_ are ignored
        line 1: unknown or duplicate column "108200000000000"; expected each of these at most once: date, difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd, height, fees_per_block_coins, other_revenue_usd_per_block and capital_usd_per_th; names starting with x_ are ignored
        line 1: unknown or duplicate column "781.4"; expected each of these at most once: date, difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd, height, fees_per_block_coins, other_revenue_usd_per_block and capital_usd_per_th; names starting with x_ are ignored
        line 1: missing column date and difficulty
        line 1: no rows below the header; expected at least one
        line 1: unknown or duplicate column "date;difficulty"; expected each of these at most once: date, difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd, height, fees_per_block_coins, other_revenue_usd_per_block and capital_usd_per_th; names starting with x_ are ignored
        line 1: missing column date and difficulty
        line 1: unknown or duplicate column "date\tdifficulty"; expected each of these at most once: date, difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd, height, fees_per_block_coins, other_revenue_usd_per_block and capital_usd_per_th; names starting with x_ are ignored
        line 1: missing column date and difficulty
        line 1: missing column difficulty
        line 1: unknown or duplicate column "date"; expected each of these at most once: date, difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd, height, fees_per_block_coins, other_revenue_usd_per_block and capital_usd_per_th; names starting with x_ are ignored
        line 1: unknown or duplicate column "hashrate"; expected each of these at most once: date, difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd, height, fees_per_block_coins, other_revenue_usd_per_block and capital_usd_per_th; names starting with x_ are ignored
        line 1: unknown or duplicate column "source"; expected each of these at most once: date, difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd, height, fees_per_block_coins, other_revenue_usd_per_block and capital_usd_per_th; names starting with x_ are ignored
        line 1: unknown or duplicate column ""; expected each of these at most once: date, difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd, height, fees_per_block_coins, other_revenue_usd_per_block and capital_usd_per_th; names starting with x_ are ignored
        line 1: unknown or duplicate column "Date"; expected each of these at most once: date, difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd, height, fees_per_block_coins, other_revenue_usd_per_block and capital_usd_per_th; names starting with x_ are ignored
        line 1: missing column date
        line 1: unknown or duplicate column " difficulty"; expected each of these at most once: date, difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd, height, fees_per_block_coins, other_revenue_usd_per_block and capital_usd_per_th; names starting with x_ are ignored
        line 1: missing column difficulty
        line 1: unknown or duplicate column "sep="; expected each of these at most once: date, difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd, height, fees_per_block_coins, other_revenue_usd_per_block and capital_usd_per_th; names starting with x_ are ignored
        line 1: unknown or duplicate column ""; expected each of these at most once: date, difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd, height, fees_per_block_coins, other_revenue_usd_per_block and capital_usd_per_th; names starting with x_ are ignored
        line 1: missing column date and difficulty
        line 1: unknown or duplicate column "# difficulty"; expected each of these at most once: date, difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd, height, fees_per_block_coins, other_revenue_usd_per_block and capital_usd_per_th; names starting with x_ are ignored
        line 1: unknown or duplicate column " by day"; expected each of these at most once: date, difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd, height, fees_per_block_coins, other_revenue_usd_per_block and capital_usd_per_th; names starting with x_ are ignored
        line 1: missing column date and difficulty
    "##]].assert_eq(&messages(&[
        "",
        row,
        "date,difficulty",
        "date;difficulty\n2025-10-03;1",
        "date\tdifficulty\n2025-10-03\t1",
        "date,hashrate_eh\n2025-10-03,1",
        "date,difficulty,date\n2025-10-03,1,1",
        &format!("date,difficulty,hashrate\n{row}"),
        &format!("date,difficulty,source\n{row}"),
        &format!("date,difficulty,\n{row}"),
        &format!("Date,difficulty,hashrate_eh\n{row}"),
        &format!("date, difficulty,hashrate_eh\n{row}"),
        "sep=,\ndate,difficulty\n2025-10-03,1",
        "# difficulty, by day\ndate,difficulty\n2025-10-03,1",
    ]));
}

#[test]
fn other_file_formats_are_refused() {
    expect![[r#"
        line 1: not valid UTF-8; save the file as "CSV UTF-8"
        line 1: expected the header date,difficulty
        line 1: not valid UTF-8; save the file as "CSV UTF-8"
        line 1: expected the header date,difficulty
        line 1: not valid UTF-8; save the file as "CSV UTF-8"
        line 1: expected the header date,difficulty
        line 1: unknown or duplicate column "PK\u{3}\u{4}\u{14}\u{0}"; expected each of these at most once: date, difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd, height, fees_per_block_coins, other_revenue_usd_per_block and capital_usd_per_th; names starting with x_ are ignored
        line 1: missing column date and difficulty
        line 1: not valid UTF-8; save the file as "CSV UTF-8"
        line 1: expected the header date,difficulty
    "#]].assert_eq(&messages(&[
        &b"\xff\xfed\0a\0t\0e\0"[..],
        b"\xfe\xff\0d\0a\0t\0e",
        b"\x1f\x8b\x08\0",
        b"PK\x03\x04\x14\0",
        b"\xd0\xcf\x11\xe0\xa1\xb1",
    ]));
}

#[test]
fn rows_of_empty_cells_are_skipped() {
    let empty = format!("{NETWORK},,,,\n,,,,,,\n");
    parse(INPUTS, empty, REGIONS).unwrap();
    check_network(
        &["date,difficulty", ",", "2025-10-03,0"],
        "line 3: difficulty is \"0\"; expected a number from 1 to 9e15",
    );
    check_network(
        &["date,difficulty", ","],
        "line 2: no rows below the header; expected at least one",
    );
}

#[test]
fn invalid_cells_are_reported() {
    let rows = [
        "2025-10-03,,1,1,1",
        "2025-10-03,0,1,1,1",
        "2025-10-03,1e16,1,1,1",
        "2025-10-03,-1,1,1,1",
        "2025-10-03,1,-1,1,1",
        "2025-10-03,1,1,1e999,1",
        "2025-10-03,1,\"1,5\",1,1",
        "2025-10-03,1,1,$5,1",
        "2025-10-03,1,1,.5,1",
        "2025-10-03,1,1,5.,1",
        "2025-10-03,1,1,5 %,1",
        "2025-10-03,1,1, 5,1",
        "2025-10-03,1,1,+5,1",
        "2025-10-03,1,1,1_000,1",
        "2025-10-03,1,1,inf,1",
        "2025-10-03 ,1,1,1,1",
        "2025-10-03,1,1\u{a0}000,1,1",
        "2025-10-03,1,\u{a0}1,1,1",
        "2025-10-03,1,1,nan,1",
        "2025-10-03,1,1,1,n/a",
        "2025-02-29,1,1,1,1",
        "0000-01-01,1,1,1,1",
        "03.10.2025,1,1,1,1",
        ",1,1,1,1",
        "2025-10-03,1,1,1",
        "2025-10-03,1,1,5,1,1",
        "2025-10-03,\"1,1,5,1\n",
    ];
    let header = "date,difficulty,hashrate_eh,fee_usd,block_reward_coins";
    expect![[r#"
        line 2: difficulty is ""; expected a number from 1 to 9e15
        line 2: difficulty is "0"; expected a number from 1 to 9e15
        line 2: difficulty is "1e16"; expected a number from 1 to 9e15; divide the column by a power of ten, and multiply hashes_per_difficulty in [network] by it
        line 2: difficulty is "-1"; expected a number from 1 to 9e15
        line 2: hashrate_eh is "-1"; expected a number from 1e-12 to 1000000
        line 2: fee_usd is "1e999"; expected a number from 1e-6 to 1000000
        line 2: hashrate_eh is "1,5"; expected a number from 1e-12 to 1000000
        line 2: fee_usd is "$5"; expected a number from 1e-6 to 1000000
        line 2: region "islands": the cost of a coin on 2025-10-03 can be as low as 1.3e-9 USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13
        regions.csv line 2: region "north": the cost of a coin on 2025-10-03 can be as low as 9.78e-10 USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13
        regions.csv line 3: region "south": the cost of a coin on 2025-10-03 can be as low as 1.21e-9 USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13
        line 2: region "islands": the cost of a coin on 2025-10-03 can be as low as 1.3e-9 USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13
        regions.csv line 2: region "north": the cost of a coin on 2025-10-03 can be as low as 9.78e-10 USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13
        regions.csv line 3: region "south": the cost of a coin on 2025-10-03 can be as low as 1.21e-9 USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13
        line 2: fee_usd is "5 %"; expected a number from 1e-6 to 1000000
        line 2: fee_usd is " 5"; expected a number from 1e-6 to 1000000
        line 2: region "islands": the cost of a coin on 2025-10-03 can be as low as 1.3e-9 USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13
        regions.csv line 2: region "north": the cost of a coin on 2025-10-03 can be as low as 9.78e-10 USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13
        regions.csv line 3: region "south": the cost of a coin on 2025-10-03 can be as low as 1.21e-9 USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13
        line 2: fee_usd is "1_000"; expected a number from 1e-6 to 1000000
        line 2: fee_usd is "inf"; expected a number from 1e-6 to 1000000
        line 2: date is "2025-10-03 "; expected a valid date such as 2026-01-31
        line 2: hashrate_eh is "1\u{a0}000"; expected a number from 1e-12 to 1000000
        line 2: hashrate_eh is "\u{a0}1"; expected a number from 1e-12 to 1000000
        line 2: fee_usd is "nan"; expected a number from 1e-6 to 1000000
        line 2: block_reward_coins is "n/a"; expected a number from 1e-6 to 1e9
        line 2: date is "2025-02-29"; expected a valid date such as 2026-01-31
        line 2: date is "0000-01-01"; expected a valid date such as 2026-01-31
        line 2: date is "03.10.2025"; expected a valid date such as 2026-01-31
        line 2: date is ""; expected a valid date such as 2026-01-31
        line 2: found 4 cells; expected 5, as in the header
        line 2: found 6 cells; expected 5, as in the header
        line 2: found 2 cells; expected 5, as in the header
    "#]].assert_eq(&messages(&rows.map(|row| format!("{header}\n{row}"))));
}

#[test]
fn dates_must_ascend() {
    let header = "date,difficulty";
    for date in ["2025-10-03", "2025-10-02"] {
        let message = format!(
            "line 4: date is \"{date}\"; expected 2025-10-04 or later, because the dates must ascend"
        );
        check_network(
            &[header, "2025-10-01,1", "2025-10-03,1", &format!("{date},1"), "2025-10-04,1"],
            &message,
        );
    }
    // The previous row counts even if it is out of order or has problems in other cells.
    check_network(
        &[header, "2025-10-30,1", "2025-10-03,1", "2025-10-04,1", "2025-10-03,1"],
        "line 3: date is \"2025-10-03\"; expected 2025-10-31 or later, because the dates must ascend\n\
         network.csv line 5: date is \"2025-10-03\"; expected 2025-10-05 or later, because the dates must ascend",
    );
    check_network(
        &[header, "2025-10-01,1", "2025-10-04,0", "2025-10-03,1"],
        "line 3: difficulty is \"0\"; expected a number from 1 to 9e15\n\
         network.csv line 4: date is \"2025-10-03\"; expected 2025-10-05 or later, because the dates must ascend",
    );
    let rows = [
        "date,region_id,hashrate_share_pct",
        "2025-10-05,north,55",
        "2025-10-01,north,55",
        "2025-10-03,north,55",
    ];
    check_regions(
        &rows,
        "line 3: date is \"2025-10-01\"; expected 2025-10-06 or later, because the dates must ascend",
    );
    let rows = [
        "date,region_id,hashrate_share_pct",
        "2025-10-03,north,55",
        "2025-10-01,south,30",
        "2025-10-03,north,55",
    ];
    check_regions(
        &rows,
        "line 4: date is \"2025-10-03\"; expected 2025-10-04 or later, because the dates must ascend",
    );
    // Days of any year, and regions in any order.
    let network = "date,difficulty\n0001-01-01,1e14\n9999-12-31,2e14\n";
    let regions = "date,region_id,hashrate_share_pct\n0001-01-02,north,55\n0001-01-01,south,30\n";
    parse(&INPUTS.replace("valid_days = 45", "valid_days = 1"), network, regions).unwrap();
}

#[test]
fn unknown_regions_and_levels_out_of_order_are_reported() {
    let header = "date,region_id,hashrate_share_pct,efficiency_j_per_th_best,electricity_usd_per_kwh_mean,electricity_usd_per_kwh_high";
    for (row, message) in [
        (
            "2025-10-01,west,55,16,0.05,0.06",
            "region_id is \"west\"; expected the id of a region in the inputs file",
        ),
        (
            "2025-10-01,North,55,16,0.05,0.06",
            "region_id is \"North\"; expected the id of a region in the inputs file",
        ),
        (
            "2025-10-01, north,55,16,0.05,0.06",
            "region_id is \" north\"; expected the id of a region in the inputs file",
        ),
        (
            "2025-10-01,north,55.001,16,0.05,0.06",
            "hashrate_share_pct is \"55.001\"; expected at most two decimals",
        ),
        (
            "2025-10-01,north,101,16,0.05,0.06",
            "hashrate_share_pct is \"101\"; expected a number from 0 to 100",
        ),
        (
            "2025-10-01,north,55,19.5,0.05,0.06",
            "efficiency_j_per_th is 19.5, 19, 22; expected best <= mean <= worst (empty cells use the values in the inputs file)",
        ),
        (
            "2025-10-01,north,55,16,0.05,0.045",
            "electricity_usd_per_kwh is 0.04, 0.05, 0.045; expected low <= mean <= high (empty cells use the values in the inputs file)",
        ),
        (
            "2025-10-01,north,55,16,0.05,11",
            "electricity_usd_per_kwh_high is \"11\"; expected a number from 0.0001 to 10",
        ),
    ] {
        check_regions(&[header, row], &format!("line 2: {message}"));
    }
}

#[test]
fn shares_must_sum_to_100_on_every_covered_day() {
    let header = "date,region_id,hashrate_share_pct";
    let message = "the hashrate_share_pct values add up to 99.5; expected exactly 100";
    // The first covered day is that of the network series.
    check_regions(
        &[header, "2025-10-01,north,54.5", "2025-10-01,south,30"],
        &format!("line 3: on 2025-10-03, {message}"),
    );
    // A sum that stays wrong is reported once.
    let rows = [
        header,
        "2025-10-01,north,55",
        "2025-10-01,south,30",
        "2025-11-01,north,54.5",
        "2025-11-01,south,30",
        "2025-12-01,north,54.5",
    ];
    check_regions(&rows, &format!("line 5: on 2025-11-01, {message}"));
    // For an empty cell, the inputs file applies.
    let rows = [header, "2025-10-01,north,54.5", "2025-10-01,south,30.5", "2025-11-01,south,"];
    check_regions(&rows, &format!("line 4: on 2025-11-01, {message}"));
    // Days before the first covered day have no data to check.
    let rows = [header, "2025-09-01,north,1", "2025-10-01,south,30", "2025-10-02,north,55"];
    parse(INPUTS, NETWORK, rows.join("\n")).unwrap();
}

#[test]
fn series_must_overlap() {
    let message = "no day has data: on every day, the last row of the network or of a region is missing, or older than valid_days or regions_valid_days";
    let network = "date,difficulty\n2024-01-01,1\n2024-02-01,1\n";
    let error = parse(INPUTS, network, REGIONS).unwrap_err();
    assert_eq!(error.to_string(), format!("line 23: {message}"));
    let regions = "date,region_id,hashrate_share_pct\n2024-01-01,north,55\n2025-10-05,south,30\n";
    let error = parse(INPUTS, NETWORK, regions).unwrap_err();
    assert_eq!(error.to_string(), format!("line 23: {message}"));
}

#[test]
fn numbers_that_cannot_be_published_are_refused() {
    let rows = ["date,difficulty,fee_usd", "2025-10-03,108200000000000,1", "2025-10-04,1,0.001"];
    check_network(
        &rows,
        "line 3: hashrate_eh can be as low as 6.73e-12 EH/s; with 2 decimals (decimals.hashrate_eh), it must be from 0.01 to 1e13\n\
         network.csv line 3: fee_usd can be as low as 0.001 USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13",
    );
    // A cost is reported at the row of its region, or of the network if the region has none.
    let network = "date,difficulty,hashrate_eh\n2025-10-03,108200000000000,1\n2025-10-04,1e6,1\n";
    let error = parse(INPUTS, network, REGIONS).unwrap_err();
    let cost = "the cost of a coin on 2025-10-04 can be as low as";
    let right = "USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13";
    let expected = [
        format!("network.csv line 3: region \"islands\": {cost} 0.000417 {right}"),
        format!("regions.csv line 2: region \"north\": {cost} 0.000313 {right}"),
        format!("regions.csv line 3: region \"south\": {cost} 0.000387 {right}"),
    ];
    assert_eq!(error.to_string(), expected.join("\n"));
    let rows = ["date,region_id,efficiency_j_per_th_worst", "2025-10-03,north,1e13"];
    check_regions(
        &rows,
        "line 2: region \"north\": the cost of a coin on 2025-10-03 can be as high as 3.03e16 USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13",
    );
}

#[test]
fn invalid_utf_8_is_refused_with_its_line() {
    let error = parse(INPUTS, b"date,difficulty\n2025-10-03,1\n\xff", REGIONS).unwrap_err();
    assert_eq!(
        error.to_string(),
        "network.csv line 3: not valid UTF-8; save the file as \"CSV UTF-8\""
    );
}

#[test]
fn problems_are_sorted_by_file_and_line() {
    let network = "date,difficulty,x_note\n2025-10-03,$1,\"two\nlines\"\n\n2025-10-04,x,\n";
    let regions = "date,region_id,hashrate_share_pct\nnever,north,-1\n";
    let error = parse(INPUTS, network, regions).unwrap_err();
    let locations: Vec<_> =
        error.lines.iter().map(|line| line.split_once(": ").unwrap().0).collect();
    assert_eq!(
        locations,
        ["network.csv line 2", "network.csv line 5", "regions.csv line 2", "regions.csv line 2",]
    );
}

#[test]
fn reading_stops_after_a_thousand_problems() {
    let network = format!("date,difficulty\n{}", "x,y\n".repeat(500_000));
    let error = parse(INPUTS, network, REGIONS).unwrap_err();
    assert_eq!(error.lines.len(), 21);
    assert!(error.lines[19].starts_with("network.csv line 11: "), "{}", error.lines[19]);
    assert_eq!(error.lines[20], "and 980 more");
}

#[track_caller]
fn check_messages(result: Result<Inputs, InputsError>) {
    let Err(error) = result else { return };
    assert!((1..=21).contains(&error.lines.len()));
    for message in &error.lines {
        assert!((1..550).contains(&message.chars().count()), "{message}");
        assert_eq!(*message, visible(message, 550));
    }
}

/// Pieces to corrupt a file with.
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
    fn a_corrupted_series_is_accepted_or_refused_in_printable_lines(
        is_network in any::<bool>(),
        corruptions in prop::collection::vec(
            (any::<prop::sample::Index>(), 0_usize..20, prop::sample::select(&PIECES[..]), 0_usize..3),
            1..4,
        ),
    ) {
        let mut file = if is_network { NETWORK } else { REGIONS }.as_bytes().to_vec();
        for (at, removed, piece, times) in corruptions {
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
    fn any_bytes_are_accepted_or_refused_in_printable_lines(
        header in prop::sample::select(&["", "date,difficulty\n", "date,region_id,hashrate_share_pct\n"][..]),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let file = [header.as_bytes(), &bytes].concat();
        check_messages(parse(INPUTS, &file, REGIONS));
        check_messages(parse(INPUTS, NETWORK, &file));
    }
}
