//! The content of an inputs file, and the messages about mistakes.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue fails")]

use expect_test::expect;
use ghi_engine::{DEFAULT_INPUTS, Inputs, InputsError, Model, Scope, visible};
use proptest::prelude::*;

/// The messages about the default text with one piece replaced, for each of these pieces and replacements.
#[track_caller]
fn messages<A: AsRef<str>>(cases: &[(&str, A)]) -> String {
    let message = |(piece, replacement): &(&str, A)| {
        assert_eq!(DEFAULT_INPUTS.matches(piece).count(), 1, "{piece:?} must occur once");
        let text = DEFAULT_INPUTS.replace(piece, replacement.as_ref());
        let error = Inputs::parse(&text).unwrap_err();
        check_message(&error);
        // A piece that starts with a line break is on the next line.
        let before = &text[..text.find(replacement.as_ref()).unwrap() + 1];
        let line = before.matches('\n').count() + 1;
        error.to_string().replace(&format!("line {line}:"), "here:") + "\n"
    };
    cases.iter().map(message).collect()
}

#[test]
fn the_default_inputs_are_the_three_regions_of_the_sandbox() {
    let model = Model::new(Inputs::default());
    let registry: Vec<_> =
        model.registry().regions().iter().map(|region| (&*region.id, &*region.name)).collect();
    assert_eq!(registry, [("us", "United States"), ("eu", "Europe"), ("cn", "China")]);
    let indices =
        model.registry().indices().map(|index| (index.get(), &*model.registry()[index].id));
    assert_eq!(indices.collect::<Vec<_>>(), [(0, "us"), (1, "eu"), (2, "cn")]);
    let day = model.day(jiff::civil::date(2026, 11, 15)).unwrap();
    for (index, costs) in std::iter::zip(model.registry().indices(), &day.regions) {
        assert_eq!(Scope::Region(index).costs(&day), *costs);
    }
}

#[test]
fn shares_must_sum_to_100() {
    expect![[r#"
        line 170: the hashrate_share_pct values add up to 99.99; expected exactly 100 (reported at the last region)
        here: hashrate_share_pct is 60.001; expected a number from 0.01 to 100 with at most two decimals
        here: hashrate_share_pct is 0; expected a number from 0.01 to 100 with at most two decimals
    "#]].assert_eq(&messages(&[
        ("hashrate_share_pct = 60.0", "hashrate_share_pct = 59.99"),
        ("hashrate_share_pct = 60.0", "hashrate_share_pct = 60.001"),
        ("hashrate_share_pct = 60.0", "hashrate_share_pct = 0"),
    ]));
    for valid in ["60", "60.00", "6e1"] {
        let text = DEFAULT_INPUTS
            .replace("hashrate_share_pct = 60.0", &format!("hashrate_share_pct = {valid}"));
        assert!(Inputs::parse(&text).is_ok(), "{valid}");
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    expect![[r#"
        here: cannot read `seed = -1`: invalid value: integer `-1`, expected a whole number
        here: cannot read `seed = 1.5`: invalid type: floating point `1.5`, expected a whole number
        here: overhead is 0.5; expected a number from 1 to 10
        here: overhead is nan; expected a number from 1 to 10
        here: hashrate_eh is inf; expected a number from 1e-12 to 1000000
        here: block_reward_coins is 0; expected a number from 1e-6 to 1e9
        here: fee_usd is -1.8; expected a number from 1e-6 to 1000000
        here: cannot read `seconds_per_block = 1e5000`: floating-point number overflowed
        here: hashes_per_difficulty is 0.5; expected a number from 1 to 1e20
        here: retarget_days is 65; expected a whole number from 0 to 64
        here: retarget_days is 0.5; expected a whole number from 0 to 64
        here: usd is 11; expected a whole number from 0 to 10
        here: hashrate_eh is 16; expected a whole number from 0 to 15
        here: difficulty_pct is 51; expected a number from 0 to 50
        here: hashrate_pct is 31; expected a number from 0 to 30
        here: fee_pct is 91; expected a number from 0 to 90
        here: electricity_pct is -3.0; expected a number from 0 to 50
        here: weekday_pct is 21; expected a number from 0 to 20
        here: spread_pct is 91; expected a number from 0 to 90
        here: low is -0.05; expected a number from 0.0001 to 10
        here: best is 1e-4; expected a number from 0.001 to 1e13
        here: network.hashrate_eh, seconds_per_block and hashes_per_difficulty result in a difficulty of 0.14; including its movement, it must be from 1 to 9e15: lower hashes_per_difficulty, which doesn't change the costs
    "#]].assert_eq(&messages(&[
        ("seed = 20240420", "seed = -1"),
        ("seed = 20240420", "seed = 1.5"),
        ("overhead = 1.24", "overhead = 0.5"),
        ("overhead = 1.24", "overhead = nan"),
        ("hashrate_eh = 975.0", "hashrate_eh = inf"),
        ("block_reward_coins = 3.125", "block_reward_coins = 0"),
        ("fee_usd = 0.65", "fee_usd = -1.8"),
        ("seconds_per_block = 600", "seconds_per_block = 1e5000"),
        ("hashes_per_difficulty = 4294967296", "hashes_per_difficulty = 0.5"),
        ("retarget_days = 14", "retarget_days = 65"),
        ("retarget_days = 14", "retarget_days = 0.5"),
        ("\nusd = 2", "\nusd = 11"),
        ("hashrate_eh = 2", "hashrate_eh = 16"),
        ("difficulty_pct = 13.5", "difficulty_pct = 51"),
        ("hashrate_pct = 27.5", "hashrate_pct = 31"),
        ("fee_pct = 50.0", "fee_pct = 91"),
        ("\nelectricity_pct = 15.0", "\nelectricity_pct = -3.0"),
        ("weekday_pct = 1.2", "weekday_pct = 21"),
        ("spread_pct = 30.0", "spread_pct = 91"),
        ("low = 0.0425", "low = -0.05"),
        ("best = 16.5", "best = 1e-4"),
        ("hashrate_eh = 975.0", "hashrate_eh = 1e-12"),
    ]));
}

#[test]
fn numbers_that_cannot_be_published_are_refused() {
    let efficiency = "efficiency_j_per_th = { best = 16.5, mean = 17.9, worst = 19.7 }";
    let huge = efficiency.replace("19.7", "1e13");
    expect![[r#"
        here: hashrate_eh can be as low as 0.000627 EH/s; with 2 decimals (decimals.hashrate_eh), it must be from 0.01 to 1e13
        here: fee_usd can be as low as 8.9e-5 USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13
        here: region "us": the cost of a coin can be as high as 7.75e16 USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13
    "#]].assert_eq(&messages(&[
        ("hashrate_eh = 975.0", "hashrate_eh = 0.001"),
        ("fee_usd = 0.65", "fee_usd = 0.001"),
        (efficiency, &huge),
    ]));
    let volatile = DEFAULT_INPUTS.replace("fee_pct = 50.0", "fee_pct = 90");
    let error = Inputs::parse(&volatile.replace("fee_usd = 0.65", "fee_usd = 1e-6")).unwrap_err();
    let message = "fee_usd can be as low as 1.82e-9 USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13";
    assert!(error.to_string().ends_with(message), "{error}");
}

#[test]
fn a_file_with_too_many_regions_or_too_much_structure_is_refused() {
    let (_, region) = DEFAULT_INPUTS.rsplit_once("[[region]]").unwrap();
    for (count, message) in [
        (254, "line 151: the file has 257 regions; at most 256 are allowed"),
        (
            10_000,
            "the file is too large: it has more than 100000 fields, tables, list items and lines in total; 256 regions, the most that are allowed, need about 10,000",
        ),
    ] {
        let text = DEFAULT_INPUTS.to_owned() + &format!("\n[[region]]{region}").repeat(count);
        assert_eq!(Inputs::parse(&text).unwrap_err().to_string(), message);
    }
    // Regions may also be written as a list.
    let (before, _) = DEFAULT_INPUTS.split_once("[[region]]").unwrap();
    let region = "{ id = 'a', name = 'A', hashrate_share_pct = 1, efficiency_j_per_th = { best = 1, mean = 1, worst = 1 }, electricity_usd_per_kwh = { low = 1, mean = 1, high = 1 } },";
    let error = Inputs::parse(&format!("region = [{}]\n{before}", region.repeat(257))).unwrap_err();
    let message = "line 1: the file has 257 regions; at most 256 are allowed";
    assert_eq!(error.to_string(), message);
    let text = format!("a = [{}]\n", "1,".repeat(100_000));
    let error = Inputs::parse(&text).unwrap_err().to_string();
    assert!(error.starts_with("the file is too large: "), "{error}");
    // Long strings and comments have no structure.
    let text = format!("{DEFAULT_INPUTS}# {}\n", "x".repeat(5_000_000));
    assert!(Inputs::parse(&text).is_ok());
}

#[test]
fn a_unit_of_difficulty_that_is_too_small_can_be_raised() {
    // Kaspa's own units.
    let kaspa = |hashes: &str| {
        let text = DEFAULT_INPUTS
            .replace("hashrate_eh = 975.0", "hashrate_eh = 0.5")
            .replace("seconds_per_block = 600", "seconds_per_block = 0.1")
            .replace("4294967296", hashes)
            .replace("retarget_days = 14", "retarget_days = 0")
            .replace("usd = 2", "usd = 6");
        Inputs::parse(&text)
    };
    let error = kaspa("2").unwrap_err().to_string();
    let advice = "result in a difficulty of 2.5e16; including its movement, it must be from 1 to 9e15: raise hashes_per_difficulty, which doesn't change the costs";
    assert!(error.ends_with(advice), "{error}");
    assert!(kaspa("2000").is_ok());
}

#[test]
fn optional_fields_default_to_bitcoin() {
    let optional = [
        "seconds_per_block = 600\n",
        "hashes_per_difficulty = 4294967296\n",
        "retarget_days = 14\n",
        "[decimals]\n",
        "\nusd = 2",
        "\nhashrate_eh = 2",
    ];
    let text = optional.iter().fold(DEFAULT_INPUTS.to_owned(), |text, piece| {
        assert_eq!(text.matches(piece).count(), 1, "{piece:?}");
        text.replace(piece, "\n")
    });
    let still = |text: &str| {
        text.replace("weekday_pct = 1.2", "weekday_pct = 0")
            .replace("spread_pct = 30.0", "spread_pct = 0")
    };
    let [text, whole] = [
        text.replace("weekday_pct = 1.2", "").replace("spread_pct = 30.0", ""),
        still(DEFAULT_INPUTS),
    ];
    let [short, whole] = [&*text, &whole].map(|text| Inputs::parse(text).unwrap());
    assert_ne!(short.fingerprint(), whole.fingerprint());
    let date = jiff::civil::date(2026, 11, 15);
    assert_eq!(Model::new(short).day(date), Model::new(whole).day(date));
}

#[test]
fn problems_are_sorted_by_line() {
    let text = DEFAULT_INPUTS
        .replace("fee_usd = 0.65", "fee_usd = -1")
        .replace("fee_pct = 50.0", "fee_pct = 91")
        .replace("id = \"cn\"", "id = \"CN\"")
        .replace("best = 16.5", "best = 0")
        .replace("overhead = 1.24", "overhead = 0.5");
    let error = Inputs::parse(&text).unwrap_err();
    expect![[r#"
        line 21: fee_usd is -1; expected a number from 1e-6 to 1000000
        line 24: overhead is 0.5; expected a number from 1 to 10
        line 70: fee_pct is 91; expected a number from 0 to 90
        line 155: best is 0; expected a number from 0.001 to 1e13
        line 168: id is "CN"; expected 1 to 32 of a-z, 0-9 and '-', starting with a letter, but not "global""#]]
    .assert_eq(&error.to_string());
    assert_eq!(error.to_string(), error.lines.join("\n"));
}

#[test]
fn the_first_twenty_problems_are_reported_and_the_others_counted() {
    let negative = DEFAULT_INPUTS.replace("mean = ", "mean = -").replace("best = ", "best = -");
    let text = negative.replace("worst = ", "worst = -").replace("_pct = ", "_pct = -");
    let text = text.replace("low = ", "low = -").replace("high = ", "high = -");
    let error = Inputs::parse(&text).unwrap_err();
    assert_eq!(error.lines.len(), 21);
    assert_eq!(error.lines[20], "and 8 more");
}

#[test]
fn other_notations_are_refused_with_the_parsers_message() {
    let notations =
        ["1,24", "1,000", "1 000", "$1.24", "24 %", "1.24 USD", ".05", "5.", "01.24", "1.24;"];
    let cases = notations.map(|notation| ("overhead = 1.24", format!("overhead = {notation}")));
    expect![[r#"
        here: cannot read `overhead = 1,24`: unexpected key or value, expected newline, `#`
        here: cannot read `overhead = 1,000`: unexpected key or value, expected newline, `#`
        here: cannot read `overhead = 1 000`: string values must be quoted, expected literal string
        here: cannot read `overhead = $1.24`: string values must be quoted, expected literal string
        here: cannot read `overhead = 24 %`: string values must be quoted, expected literal string
        here: cannot read `overhead = 1.24 USD`: string values must be quoted, expected literal string
        here: cannot read `overhead = .05`: invalid mantissa, expected digits
        here: cannot read `overhead = 5.`: invalid fraction, expected digits
        here: cannot read `overhead = 01.24`: unexpected leading zero, expected nothing
        here: cannot read `overhead = 1.24;`: invalid float, expected nothing
    "#]].assert_eq(&messages(&cases));
}

/// The text after the colon comes from the parser, and may differ between versions.
#[test]
fn a_syntax_error_is_reported_with_its_line_and_the_parsers_message() {
    for (replacement, line) in [
        ("overhead = much", "overhead = much"),
        ("overhead: 1.24", "overhead: 1.24"),
        ("overhead =", "overhead ="),
        ("; overhead", "; overhead"),
        ("overhead = \"1.24", "overhead = \"1.24"),
        ("overhead = \"C:\\Users\"", "overhead = \"C:\\Users\""),
        ("[network", "[network"),
        ("[decimals]\n[network]", "[network]"),
        ("overhead = 1\noverhead = 2", "overhead = 2"),
    ] {
        let text = DEFAULT_INPUTS.replace("overhead = 1.24", replacement);
        let error = Inputs::parse(&text).unwrap_err();
        let [problem] = &error.lines[..] else { panic!("{error}") };
        let start_of_line = text.rfind(&format!("\n{line}")).unwrap() + 1;
        let number = text[..start_of_line].matches('\n').count() + 1;
        let start = format!("line {number}: cannot read `{line}`: ");
        assert!(problem.len() > start.len() && problem.starts_with(&start), "{problem}");
    }
    // An unclosed array is found at the next field, an unclosed string at the end of the file.
    let error = Inputs::parse(&DEFAULT_INPUTS.replace("overhead = 1.24", "overhead = [1,"));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("cannot read `price_usd = 70000.0`: "), "{error}");
    let error = Inputs::parse(&DEFAULT_INPUTS.replace("overhead = 1.24", "overhead = \"\"\""));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("cannot read `the end of the file`: "), "{error}");
}

#[test]
fn a_path_with_a_line_break_gets_a_hint_about_backslashes() {
    let series = "[series]\nnetwork = \"data\\network.csv\"\n[[region]]";
    let text = DEFAULT_INPUTS.replacen("[[region]]", series, 1);
    let error = Inputs::parse_with_series(&text, |_| Ok(Vec::new())).unwrap_err();
    let message = "network is \"data\\network.csv\"; expected 1 to 255 visible characters; in a path, write / or use single quotes, because a backslash starts an escape";
    assert!(error.to_string().ends_with(message), "{error}");
}

#[test]
fn regions_need_double_brackets_and_tables_single_ones() {
    let pieces: Vec<_> = DEFAULT_INPUTS.split("[[region]]").collect();
    let [before, us, eu, cn] = pieces[..] else { panic!("expected three regions") };
    let mut messages = messages(&[("[network]", "[[network]]")]);
    for [a, b, c] in [
        ["[region]", "[[region]]", "[[region]]"],
        ["[[region]]", "[ region ] # Europe", "[[region]]"],
        ["[region]", "[region]", "[region]"],
    ] {
        let error = Inputs::parse(&format!("{before}{a}{us}{b}{eu}{c}{cn}")).unwrap_err();
        messages += &format!("{error}\n");
    }
    messages += &Inputs::parse(&format!("{before}[region]\n")).unwrap_err().to_string();
    expect![[r#"
        here: cannot read `[[network]]`: invalid type: table, expected a number
        line 159: cannot read `[[region]]`: duplicate key
        line 159: cannot read `[ region ] # Europe`: duplicate key
        line 159: cannot read `[region]`: duplicate key
        line 151: cannot read `[region]`: invalid type: table, expected a list"#]]
    .assert_eq(&messages);
}

#[test]
fn a_missing_table_is_reported() {
    let cases = [("[network]", ""), ("[movement]", ""), ("[network]", "[netwrok]")];
    let without = cases.map(|(header, other)| {
        Inputs::parse(&DEFAULT_INPUTS.replace(header, other)).unwrap_err().to_string()
    });
    let empty = Inputs::parse("").unwrap_err().to_string();
    expect![[r#"
        line 19: cannot read `block_reward_coins = 3.125`: unknown field `block_reward_coins`, expected `name` or `symbol`
        line 62: cannot read `difficulty_pct = 13.5`: unknown field `difficulty_pct`, expected `usd` or `hashrate_eh`
        line 13: cannot read `[netwrok]`: unknown field `netwrok`, expected one of `seed`, `coin`, `network`, `decimals`, `movement`, `capital`, `uncertainty`, `region`, `series`, `about`, `event`
        line 1: cannot read `the end of the file`: missing field `seed`"#]].assert_eq(&(without.join("\n") + "\n" + &empty));
}

#[test]
fn the_fingerprint_has_64_digits_and_changes_with_every_byte() {
    let inputs = Inputs::default();
    let digits = inputs.fingerprint().to_string();
    assert!(
        digits.len() == 64 && digits.chars().all(|digit| matches!(digit, '0'..='9' | 'a'..='f'))
    );
    let other = Inputs::parse(&format!("{DEFAULT_INPUTS}\n")).unwrap();
    assert_ne!(other.fingerprint(), inputs.fingerprint());
}

#[test]
fn levels_must_be_in_order() {
    let cases = [("best = 16.5", "best = 23"), ("high = 0.055", "high = 0.045")];
    expect![[r#"
        here: efficiency_j_per_th is 23, 17.9, 19.7; expected best <= mean <= worst
        here: electricity_usd_per_kwh is 0.0425, 0.0485, 0.045; expected low <= mean <= high
    "#]]
    .assert_eq(&messages(&cases));
}

#[test]
fn ids_must_be_unique_well_formed_and_not_reserved() {
    let ids = ["us", "global", "", "EU", "e/u"].map(|id| ("id = \"eu\"", format!("id = {id:?}")));
    expect![[r#"
        line 160: id is "us"; expected an id that no other region has
        here: id is "global"; expected 1 to 32 of a-z, 0-9 and '-', starting with a letter, but not "global"
        here: id is ""; expected 1 to 32 of a-z, 0-9 and '-', starting with a letter, but not "global"
        here: id is "EU"; expected 1 to 32 of a-z, 0-9 and '-', starting with a letter, but not "global"
        here: id is "e/u"; expected 1 to 32 of a-z, 0-9 and '-', starting with a letter, but not "global"
    "#]]
    .assert_eq(&messages(&ids));
    let names = [
        "",
        "Eu\\nrope",
        "  ",
        "\\u202eEurope",
        "Eu\\u2028rope",
        "Eu\\ufffe",
        "\\u3164",
        "\\u061cEu",
        "\\U0001ffff",
    ]
    .map(|name| ("name = \"Europe\"", format!("name = \"{name}\"")));
    check_names(&names);
}

/// Checks that each of these replacements of a name is refused.
#[track_caller]
fn check_names(names: &[(&str, String)]) {
    let messages = messages(names);
    assert_eq!(messages.lines().count(), names.len());
    for message in messages.lines() {
        let end = "\"; expected 1 to 64 visible characters, without spaces around them, not starting with =, +, - or @";
        assert!(message.starts_with("here: name is \"") && message.ends_with(end), "{message}");
    }
}

#[test]
fn names_that_start_a_spreadsheet_formula_are_refused() {
    let named = |name: &str| ("name = \"Europe\"", format!("name = \"{name}\""));
    let names = ["=1+1", "+1", "-1", "@SUM(A1)", "＝1+1", "＋1", "－1", "＠SUM(A1)"].map(named);
    check_names(&names);
    let names = [" =1+1", " Europe", "Europe ", "\u{a0}=1", "\u{3000}Europe"].map(named);
    check_names(&names);
    for name in ["A=1+1", "Zürich", "北京", "Île-de-France", "(West) + East", "1 & 2", "é"] {
        let text = DEFAULT_INPUTS.replace("\"Europe\"", &format!("{name:?}"));
        assert!(Inputs::parse(&text).is_ok(), "{name}");
    }
}

/// Checks that there are at most 20 problems, each one line of bounded length that cannot control a terminal.
#[track_caller]
fn check_message(error: &InputsError) {
    assert!((1..=21).contains(&error.lines.len()));
    for message in &error.lines {
        let length = message.chars().count();
        assert!((1..400).contains(&length), "{length} characters: {message}");
        assert_eq!(*message, visible(message, 400));
        assert!(
            !message.chars().any(|char| char.is_control() || char == '\u{202e}'),
            "{message:?}"
        );
        let types = ["f64", "i64", "u64", "i128"];
        assert!(!types.iter().any(|rust| message.contains(rust)), "{message}");
    }
}

#[test]
fn input_in_a_message_is_escaped() {
    expect![[r#"
        here: cannot read `overhead = "\u001b[31mred\u0007"`: invalid type: string "\u{1b}[31mred\u{7}", expected a number
        here: cannot read `overhead = "a\nb\r\tc"`: invalid type: string "a\nb\r\tc", expected a number
        here: cannot read `"\u001b]0;title\u0007" = 1`: unknown field `\u{1b}]0;title\u{7}`, expected one of `hashrate_eh`, `block_reward_coins`, `fee_usd`, `overhead`, `seco..._difficulty`, `retarget_days`, `retarget_blocks`, `halving_blocks`, `price_usd`, `fees_per_block_coins`, `other_revenue_usd_per_block`, `pool_fee_pct`, `reward`
        here: cannot read `"over\u{202e}head" = 1`: unknown field `over\u{202e}head`, expected one of `hashrate_eh`, `block_reward_coins`, `fee_usd`, `overhead`, `seconds_per..._difficulty`, `retarget_days`, `retarget_blocks`, `halving_blocks`, `price_usd`, `fees_per_block_coins`, `other_revenue_usd_per_block`, `pool_fee_pct`, `reward`
        here: cannot read `"over\u{2028}head" = 1`: unknown field `over\u{2028}head`, expected one of `hashrate_eh`, `block_reward_coins`, `fee_usd`, `overhead`, `seconds_per..._difficulty`, `retarget_days`, `retarget_blocks`, `halving_blocks`, `price_usd`, `fees_per_block_coins`, `other_revenue_usd_per_block`, `pool_fee_pct`, `reward`
        here: cannot read `"Zürich 北京" = 1`: unknown field `Zürich 北京`, expected one of `hashrate_eh`, `block_reward_coins`, `fee_usd`, `overhead`, `seconds_per_block`, `hash..._difficulty`, `retarget_days`, `retarget_blocks`, `halving_blocks`, `price_usd`, `fees_per_block_coins`, `other_revenue_usd_per_block`, `pool_fee_pct`, `reward`
        here: cannot read `over\u{1b}[2Jhead = 1`: key with no value, expected `=`
        here: id is "\u009b31m"; expected 1 to 32 of a-z, 0-9 and '-', starting with a letter, but not "global"
    "#]].assert_eq(&messages(&[
        ("overhead = 1.24", "overhead = \"\\u001b[31mred\\u0007\""),
        ("overhead = 1.24", "overhead = \"a\\nb\\r\\tc\""),
        ("overhead = 1.24", "\"\\u001b]0;title\\u0007\" = 1"),
        ("overhead = 1.24", "\"over\u{202e}head\" = 1"),
        ("overhead = 1.24", "\"over\u{2028}head\" = 1"),
        ("overhead = 1.24", "\"Zürich 北京\" = 1"),
        ("overhead = 1.24", "over\u{1b}[2Jhead = 1"),
        ("id = \"eu\"", "id = \"\\u009b31m\""),
    ]));
}

#[test]
fn long_messages_are_shortened_in_the_middle() {
    // 15 MB, and a shorter text for the slower case.
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
    let bare = "a".repeat(1 << 18);
    check_message(&Inputs::parse(&bare).unwrap_err());
    check_message(&Inputs::parse(&format!("seed = {bare}")).unwrap_err());
    check_message(&Inputs::parse(&format!("seed = {}", bare.replace('a', "1"))).unwrap_err());
}

/// Pieces to corrupt a file with.
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
    fn a_corrupted_file_is_accepted_or_refused_in_printable_lines(
        corruptions in prop::collection::vec(
            (any::<prop::sample::Index>(), 0_usize..40, prop::sample::select(&PIECES[..]), 0_usize..3),
            1..4,
        ),
    ) {
        let mut text = DEFAULT_INPUTS.to_owned();
        for (at, removed, piece, times) in corruptions {
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
fn missing_unknown_and_mistyped_fields_are_reported_with_their_line() {
    expect![[r#"
        line 13: cannot read `[network]`: missing field `overhead`
        here: cannot read `overhaed = 1.24`: unknown field `overhaed`, expected one of `hashrate_eh`, `block_reward_coins`, `fee_usd`, `overhead`, `seconds_per_block`, `hashe..._difficulty`, `retarget_days`, `retarget_blocks`, `halving_blocks`, `price_usd`, `fees_per_block_coins`, `other_revenue_usd_per_block`, `pool_fee_pct`, `reward`
        here: cannot read `overhead = "1.24"`: invalid type: string "1.24", expected a number
        here: cannot read `overhead = true`: invalid type: boolean `true`, expected a number
        here: cannot read `overhead = 2024-01-01`: invalid type: table, expected a number
        here: cannot read `overhead = [1.24]`: invalid type: sequence, expected a number
        here: cannot read `overhead = {}`: invalid type: table, expected a number
        here: cannot read `seed = 5`: unknown field `seed`, expected one of `hashrate_eh`, `block_reward_coins`, `fee_usd`, `overhead`, `seconds_per_block`, `hashes_per_difficulty`, `retarget_days`, `retarget_blocks`, `halving_blocks`, `price_usd`, `fees_per_block_coins`, `other_revenue_usd_per_block`, `pool_fee_pct`, `reward`
        here: cannot read `colour = 5`: unknown field `colour`, expected one of `hashrate_eh`, `block_reward_coins`, `fee_usd`, `overhead`, `seconds_per_block`, `hashes_per_difficulty`, `retarget_days`, `retarget_blocks`, `halving_blocks`, `price_usd`, `fees_per_block_coins`, `other_revenue_usd_per_block`, `pool_fee_pct`, `reward`
        here: cannot read `efficiency_j_per_th = { mean = 17.9, worst = 19.7 }`: missing field `best`
        here: cannot read `efficiency_j_per_th = 18.5`: invalid type: floating point `18.5`, expected a table with best, mean and worst
        here: cannot read `seed = 99999999999999999999`: invalid type: integer `99999999999999999999`, expected a whole number
        here: cannot read `seed = 1.5`: invalid type: floating point `1.5`, expected a whole number
        here: cannot read `id = 5`: invalid type: integer `5`, expected a string
    "#]].assert_eq(&messages(&[
        ("overhead = 1.24", "# none"),
        ("overhead = 1.24", "overhaed = 1.24"),
        ("overhead = 1.24", "overhead = \"1.24\""),
        ("overhead = 1.24", "overhead = true"),
        ("overhead = 1.24", "overhead = 2024-01-01"),
        ("overhead = 1.24", "overhead = [1.24]"),
        ("overhead = 1.24", "overhead = {}"),
        ("overhead = 1.24", "seed = 5"),
        ("overhead = 1.24", "colour = 5"),
        ("{ best = 16.5, ", "{ "),
        ("{ best = 16.5, mean = 17.9, worst = 19.7 }", "18.5"),
        ("seed = 20240420", "seed = 99999999999999999999"),
        ("seed = 20240420", "seed = 1.5"),
        ("id = \"eu\"", "id = 5"),
    ]));
}

#[test]
fn series_are_only_allowed_in_a_file() {
    let text =
        DEFAULT_INPUTS.replacen("[[region]]", "[series]\nnetwork = \"n.csv\"\n[[region]]", 1);
    let error = Inputs::parse(&text).unwrap_err().to_string();
    let message = "network \"n.csv\" cannot be read: series are only allowed in a file, because their paths are relative to it";
    assert!(error.ends_with(message), "{error}");
}

#[test]
fn at_least_one_region_is_required() {
    let (before_regions, _) = DEFAULT_INPUTS.split_once("[[region]]").unwrap();
    let error = Inputs::parse(&format!("region = []\n{before_regions}")).unwrap_err();
    let message = "line 1: region is []; expected at least one [[region]]";
    assert_eq!(error.to_string(), message);
}
