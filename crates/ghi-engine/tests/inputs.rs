//! What a text must be to describe a network, and what is said where it does not.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ghi_engine::{DEFAULT_INPUTS, Inputs, InputsError, Model, Scope, visible};
use proptest::prelude::*;

/// The default text with one piece of it replaced is refused with this very message, which names
/// the line of that piece.
#[track_caller]
fn check(piece: &str, replacement: &str, message: &str) {
    check_at(piece, piece, replacement, message);
}

/// The same where another place is to blame than the one replaced.
#[track_caller]
fn check_at(blamed: &str, piece: &str, replacement: &str, message: &str) {
    assert_eq!(DEFAULT_INPUTS.matches(piece).count(), 1, "{piece:?} must stand once in the inputs");
    let error = Inputs::parse(&DEFAULT_INPUTS.replace(piece, replacement)).unwrap_err();
    let line = DEFAULT_INPUTS[..DEFAULT_INPUTS.find(blamed).unwrap()].matches('\n').count() + 1;
    assert_eq!(error.to_string(), format!("line {line}: {message}"));
}

#[test]
fn the_default_inputs_are_the_three_regions_of_the_sandbox() {
    let model = Model::new(Inputs::default());
    let registry: Vec<_> =
        model.registry().regions().iter().map(|region| (&*region.id, &*region.name)).collect();
    assert_eq!(registry, [("us", "United States"), ("eu", "Europe"), ("cn", "China")]);
    let places =
        model.registry().indices().map(|index| (index.get(), &*model.registry()[index].id));
    assert_eq!(places.collect::<Vec<_>>(), [(0, "us"), (1, "eu"), (2, "cn")]);
    let day = model.day(jiff::civil::date(2026, 11, 15)).unwrap();
    for (index, costs) in std::iter::zip(model.registry().indices(), &day.regions) {
        assert_eq!(Scope::Region(index).costs(&day), *costs);
    }
}

#[test]
fn shares_sum_to_exactly_100() {
    let message = "region.hashrate_share_pct sums to 99.99 over all regions, this one the last; it must sum to exactly 100";
    let (piece, last) = ("hashrate_share_pct = 60.0", "hashrate_share_pct = 27.0");
    check_at(last, piece, "hashrate_share_pct = 59.99", message);
    let message = "region \"us\": hashrate_share_pct is 60.001; it must have at most two decimals";
    check("hashrate_share_pct = 60.0", "hashrate_share_pct = 60.001", message);
    for fine in ["60", "60.00", "6e1"] {
        let text = DEFAULT_INPUTS
            .replace("hashrate_share_pct = 60.0", &format!("hashrate_share_pct = {fine}"));
        assert!(Inputs::parse(&text).is_ok(), "{fine}");
    }
    let message = "region \"us\": hashrate_share_pct is 0.0; it must be from 0.01 to 100";
    check("hashrate_share_pct = 60.0", "hashrate_share_pct = 0", message);
}

#[test]
fn numbers_lie_within_their_bounds() {
    let cases = [
        ("seed = 20240420", "seed = -1", "seed must not be negative"),
        ("overhead = 1.24", "overhead = 0.5", "network.overhead is 0.5; it must be from 1 to 10"),
        ("overhead = 1.24", "overhead = nan", "network.overhead is NaN; it must be from 1 to 10"),
        (
            "hashrate_eh = 850.0",
            "hashrate_eh = inf",
            "network.hashrate_eh is inf; it must be from 10 to 10000",
        ),
        (
            "block_reward_coins = 3.125",
            "block_reward_coins = 0",
            "network.block_reward_coins is 0.0; it must be from 0.01 to 50",
        ),
        (
            "fee_usd = 1.80",
            "fee_usd = -1.8",
            "network.fee_usd is -1.8; it must be from 0.1 to 1000",
        ),
        (
            "difficulty_pct = 8.0",
            "difficulty_pct = 51",
            "movement.difficulty_pct is 51.0; it must be from 0 to 50",
        ),
        (
            "hashrate_pct = 3.0",
            "hashrate_pct = 11",
            "movement.hashrate_pct is 11.0; it must be from 0 to 10",
        ),
        ("fee_pct = 40.0", "fee_pct = 91", "movement.fee_pct is 91.0; it must be from 0 to 90"),
        (
            "electricity_pct = 3.0",
            "electricity_pct = -3.0",
            "movement.electricity_pct is -3.0; it must be from 0 to 50",
        ),
        (
            "low = 0.050",
            "low = -0.05",
            "region \"us\": electricity_usd_per_kwh.low is -0.05; it must be from 0.001 to 10",
        ),
    ];
    for (piece, replacement, message) in cases {
        check(piece, replacement, message);
    }
}

#[test]
fn the_best_is_never_worse_than_the_worst() {
    let message = "region \"us\": efficiency_j_per_th must not fall from best to mean to worst, but is 23, 20, 22";
    check("best = 18.5", "best = 23", message);
    let message = "region \"us\": electricity_usd_per_kwh must not fall from low to mean to high, but is 0.05, 0.055, 0.051";
    check("high = 0.061", "high = 0.051", message);
}

#[test]
fn ids_are_unique_well_formed_and_not_reserved() {
    let cases = [
        ("us", "region.id \"us\" stands here for the second time; each id must be unique"),
        ("global", "region.id \"global\" is reserved for the whole network; it must be another"),
        ("", "region.id \"\" must have 1 to 32 of a-z, 0-9 and '-', a letter first"),
        ("EU", "region.id \"EU\" must have 1 to 32 of a-z, 0-9 and '-', a letter first"),
        ("e/u", "region.id \"e/u\" must have 1 to 32 of a-z, 0-9 and '-', a letter first"),
    ];
    for (id, message) in cases {
        check("id = \"eu\"", &format!("id = {id:?}"), message);
    }
    let message = "region \"eu\": name must have 1 to 64 characters, all of them visible";
    check("name = \"Europe\"", "name = \"\"", message);
    for name in [
        "Eu\\nrope",
        "  ",
        "\\u202eEurope",
        "Eu\\u2028rope",
        "Eu\\ufffe",
        "\\u3164",
        "\\u061cEu",
        "\\U0001ffff",
    ] {
        check("name = \"Europe\"", &format!("name = \"{name}\""), message);
    }
}

#[test]
fn a_name_is_not_what_a_spreadsheet_would_run() {
    let message = "region \"eu\": name must not begin with =, +, - or @, which a spreadsheet takes for a formula; it must begin with another character";
    for name in ["=1+1", "+1", "-1", "@SUM(A1)", "＝1+1", "＋1", "－1", "＠SUM(A1)"] {
        check("name = \"Europe\"", &format!("name = {name:?}"), message);
    }
    let message = "region \"eu\": name must not begin or end with a space";
    for name in [" =1+1", " Europe", "Europe ", "\u{a0}=1", "\u{3000}Europe"] {
        check("name = \"Europe\"", &format!("name = \"{name}\""), message);
    }
    for name in ["A=1+1", "Zürich", "北京", "Île-de-France", "(West) + East", "1 & 2", "é"] {
        let text = DEFAULT_INPUTS.replace("\"Europe\"", &format!("{name:?}"));
        assert!(Inputs::parse(&text).is_ok(), "{name}");
    }
}

/// Whether a message is one line of bounded length that steers no terminal.
#[track_caller]
fn check_message(error: &InputsError) {
    let message = error.to_string();
    let length = message.chars().count();
    assert!((1..400).contains(&length), "{length} characters: {message}");
    assert_eq!(message, visible(&message, 400));
    assert!(!message.chars().any(|char| char.is_control() || char == '\u{202e}'), "{message:?}");
}

#[test]
fn what_a_message_repeats_of_the_text_is_escaped() {
    for (piece, replacement, repeated) in [
        ("overhead = 1.24", "overhead = \"\\u001b[31mred\\u0007\"", r"\u{1b}[31mred\u{7}"),
        ("overhead = 1.24", "overhead = \"a\\nb\\r\\tc\"", r"a\nb\r\tc"),
        (
            "overhead = 1.24",
            "\"\\u001b]0;title\\u0007\" = 1",
            r"unknown field `\u{1b}]0;title\u{7}`",
        ),
        ("overhead = 1.24", "\"over\u{202e}head\" = 1", r"unknown field `over\u{202e}head`"),
        ("overhead = 1.24", "\"over\u{2028}head\" = 1", r"unknown field `over\u{2028}head`"),
        ("overhead = 1.24", "\"Zürich 北京\" = 1", "unknown field `Zürich 北京`"),
        ("overhead = 1.24", "over\u{1b}[2Jhead = 1", r"over\u{1b}[2Jhead"),
        ("id = \"eu\"", "id = \"\\u009b31m\"", r#"region.id "\u{9b}31m"#),
    ] {
        let error = Inputs::parse(&DEFAULT_INPUTS.replace(piece, replacement)).unwrap_err();
        check_message(&error);
        assert!(error.to_string().contains(repeated), "{error} lacks {repeated}");
    }
}

#[test]
fn what_is_too_long_in_a_message_loses_its_middle() {
    // 15 MB, and less where it is the number of cases that counts.
    let [long, short] = [3 << 20, 1 << 16].map(|times| "é\u{202e}".repeat(times));
    let [value, key, id] = [
        format!("overhead = \"{long}\""),
        format!("\"{long}\" = 1"),
        format!("overhead = 1.24\n[[region]]\nid = \"{short}\""),
    ]
    .map(|line| Inputs::parse(&DEFAULT_INPUTS.replace("overhead = 1.24", &line)).unwrap_err());
    for error in [&value, &key, &id] {
        check_message(error);
    }
    let value = value.to_string();
    assert!(value.contains(": overhead: invalid type: string \"é"), "{value}");
    assert!(value.contains("...") && value.ends_with("expected a number"), "{value}");
    assert!(key.to_string().ends_with("`overhead`"), "{key}");
    let bare = "a".repeat(1 << 18);
    check_message(&Inputs::parse(&bare).unwrap_err());
    check_message(&Inputs::parse(&format!("seed = {bare}")).unwrap_err());
    check_message(&Inputs::parse(&format!("seed = {}", bare.replace('a', "1"))).unwrap_err());
}

/// Pieces that a text may be spoilt with.
const PIECES: [&str; 24] = [
    "\u{1b}[31m",
    "\0",
    "\u{7f}",
    "\u{202e}",
    "\u{2028}",
    "\r",
    "\n",
    "\"",
    "\"\"\"",
    "'",
    "\\",
    "[",
    "]]",
    "{",
    "}",
    "=",
    ".",
    ",",
    "#",
    "-",
    "1e999",
    "nan",
    "[[region]]\n",
    "é",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6_000))]

    #[test]
    fn a_spoilt_text_is_taken_or_refused_in_one_visible_line(
        spoils in prop::collection::vec(
            (any::<prop::sample::Index>(), 0_usize..40, prop::sample::select(&PIECES[..]), 0_usize..3),
            1..4,
        ),
    ) {
        let mut text = DEFAULT_INPUTS.to_owned();
        for (at, removed, piece, times) in spoils {
            let at = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.floor_char_boundary((at + removed).min(text.len()));
            text.replace_range(at..end.max(at), &piece.repeat(times));
        }
        if let Err(error) = Inputs::parse(&text) {
            check_message(&error);
        }
    }
}

#[test]
fn what_is_missing_unknown_or_of_the_wrong_kind_is_named_with_its_line() {
    let overhead = "overhead = 1.24";
    check_at("[network]", overhead, "", "[network]: missing field `overhead`");
    check(
        overhead,
        "overhaed = 1.24",
        "overhaed: unknown field `overhaed`, expected one of `hashrate_eh`, `block_reward_coins`, `fee_usd`, `overhead`",
    );
    let message = "overhead: invalid type: string \"much\", expected a number";
    check(overhead, "overhead = \"much\"", message);
    check(overhead, "overhead 1.24", "overhead 1.24: key with no value, expected `=`");
    let error = Inputs::parse(&DEFAULT_INPUTS.replace(overhead, "overhead = 1\noverhead = 1"));
    assert!(error.unwrap_err().to_string().ends_with(": overhead: duplicate key"));
    let message = "efficiency_j_per_th: missing field `best`";
    check("best = 18.5, ", "", message);
    let message = "efficiency_j_per_th: invalid type: floating point `18.5`, expected a table with best, mean and worst";
    check("{ best = 18.5, mean = 20.0, worst = 22.0 }", "18.5", message);
    let message = "seed: invalid type: integer `99999999999999999999` as i128, expected a whole number below 2^63";
    check("seed = 20240420", "seed = 99999999999999999999", message);
    assert_eq!(Inputs::parse("").unwrap_err().to_string(), "line 1: missing field `seed`");
}

#[test]
fn there_is_a_region() {
    let (before_regions, _) = DEFAULT_INPUTS.split_once("[[region]]").unwrap();
    let error = Inputs::parse(&format!("region = []\n{before_regions}")).unwrap_err();
    assert_eq!(error.to_string(), "there is no region; there must be one at least");
}
