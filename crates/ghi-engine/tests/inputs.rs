//! The content of an inputs file, and the messages about mistakes.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue fails")]

use ghi_engine::{DEFAULT_INPUTS, Inputs, InputsError, Model, Scope, visible};
use proptest::prelude::*;

/// Checks that the default text with one piece replaced is refused with this message at the line of the piece.
#[track_caller]
fn check(piece: &str, replacement: &str, message: &str) {
    check_at(piece, piece, replacement, message);
}

/// The same if the problem is on a different line than the piece.
#[track_caller]
fn check_at(reported: &str, piece: &str, replacement: &str, message: &str) {
    assert_eq!(DEFAULT_INPUTS.matches(piece).count(), 1, "{piece:?} must occur once in the inputs");
    let error = Inputs::parse(&DEFAULT_INPUTS.replace(piece, replacement)).unwrap_err();
    let line = DEFAULT_INPUTS[..DEFAULT_INPUTS.find(reported).unwrap()].matches('\n').count() + 1;
    assert_eq!(error.to_string(), format!("line {line}: {message}"));
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
    let message = "the hashrate_share_pct values add up to 99.99; expected exactly 100 (reported at the last region)";
    let (piece, last) = ("hashrate_share_pct = 60.0", "hashrate_share_pct = 27.0");
    check_at(last, piece, "hashrate_share_pct = 59.99", message);
    let message = "region \"us\": hashrate_share_pct is 60.001; expected at most two decimals";
    check("hashrate_share_pct = 60.0", "hashrate_share_pct = 60.001", message);
    for valid in ["60", "60.00", "6e1"] {
        let text = DEFAULT_INPUTS
            .replace("hashrate_share_pct = 60.0", &format!("hashrate_share_pct = {valid}"));
        assert!(Inputs::parse(&text).is_ok(), "{valid}");
    }
    let message = "region \"us\": hashrate_share_pct is 0; expected a number from 0.01 to 100";
    check("hashrate_share_pct = 60.0", "hashrate_share_pct = 0", message);
}

#[test]
fn numbers_out_of_range_are_refused() {
    for (piece, replacement, message) in [
        ("seed = 20240420", "seed = -1", "seed is -1; expected a whole number from 0 to 2^63 - 1"),
        (
            "seed = 20240420",
            "seed = 1.5",
            "seed is 1.5; expected a whole number from 0 to 2^63 - 1",
        ),
        (
            "overhead = 1.24",
            "overhead = 0.5",
            "network.overhead is 0.5; expected a number from 1 to 10",
        ),
        (
            "overhead = 1.24",
            "overhead = nan",
            "network.overhead is nan; expected a number from 1 to 10",
        ),
        (
            "hashrate_eh = 975.0",
            "hashrate_eh = inf",
            "network.hashrate_eh is inf; expected a number from 1e-12 to 1000000",
        ),
        (
            "block_reward_coins = 3.125",
            "block_reward_coins = 0",
            "network.block_reward_coins is 0; expected a number from 1e-6 to 1e9",
        ),
        (
            "fee_usd = 0.65",
            "fee_usd = -1.8",
            "network.fee_usd is -1.8; expected a number from 1e-6 to 1000000",
        ),
        (
            "seconds_per_block = 600",
            "seconds_per_block = 1e5000",
            "network.seconds_per_block is 1e5000; expected a number from 0.1 to 100000",
        ),
        (
            "hashes_per_difficulty = 4294967296",
            "hashes_per_difficulty = 0.5",
            "network.hashes_per_difficulty is 0.5; expected a number from 1 to 1e20",
        ),
        (
            "retarget_days = 14",
            "retarget_days = 65",
            "network.retarget_days is 65; expected a whole number from 0 to 64",
        ),
        (
            "retarget_days = 14",
            "retarget_days = 0.5",
            "network.retarget_days is 0.5; expected a whole number from 0 to 64",
        ),
        ("\nusd = 2", "\nusd = 11", "decimals.usd is 11; expected a whole number from 0 to 10"),
        (
            "hashrate_eh = 2",
            "hashrate_eh = 16",
            "decimals.hashrate_eh is 16; expected a whole number from 0 to 15",
        ),
        (
            "difficulty_pct = 13.5",
            "difficulty_pct = 51",
            "movement.difficulty_pct is 51; expected a number from 0 to 50",
        ),
        (
            "hashrate_pct = 27.5",
            "hashrate_pct = 31",
            "movement.hashrate_pct is 31; expected a number from 0 to 30",
        ),
        (
            "fee_pct = 60.0",
            "fee_pct = 91",
            "movement.fee_pct is 91; expected a number from 0 to 90",
        ),
        (
            "electricity_pct = 15.0",
            "electricity_pct = -3.0",
            "movement.electricity_pct is -3.0; expected a number from 0 to 50",
        ),
        (
            "weekday_pct = 1.2",
            "weekday_pct = 21",
            "movement.weekday_pct is 21; expected a number from 0 to 20",
        ),
        (
            "spread_pct = 30.0",
            "spread_pct = 91",
            "movement.spread_pct is 91; expected a number from 0 to 90",
        ),
        (
            "low = 0.0425",
            "low = -0.05",
            "region \"us\": electricity_usd_per_kwh.low is -0.05; expected a number from 0.0001 to 10",
        ),
        (
            "best = 16.5",
            "best = 1e-4",
            "region \"us\": efficiency_j_per_th.best is 1e-4; expected a number from 0.001 to 1e13",
        ),
        (
            "hashrate_eh = 975.0",
            "hashrate_eh = 1e-12",
            "network.hashrate_eh, seconds_per_block and hashes_per_difficulty result in a difficulty of 0.14; including its movement, it must be from 1 to 9e15: lower hashes_per_difficulty, which doesn't change the costs",
        ),
    ] {
        // A piece that starts with a line break is on the next line.
        let field = piece.trim_start();
        let line = DEFAULT_INPUTS
            [..DEFAULT_INPUTS.find(piece).unwrap() + piece.len() - field.len()]
            .matches('\n')
            .count();
        let error = Inputs::parse(&DEFAULT_INPUTS.replace(piece, replacement)).unwrap_err();
        assert_eq!(error.to_string(), format!("line {}: {message}", line + 1));
    }
}

#[test]
fn numbers_that_cannot_be_published_are_refused() {
    let message = "the hashrate can be as low as 0.000627 EH/s, which rounds to 0 with 2 decimals; decimals.hashrate_eh must be at least 4";
    check("hashrate_eh = 975.0", "hashrate_eh = 0.001", message);
    let message = "network.fee_usd can be as low as 5.5e-5 USD, which rounds to 0 with 2 decimals; decimals.usd must be at least 5";
    check("fee_usd = 0.65", "fee_usd = 0.001", message);
    let message = "region \"us\": the cost of a coin can be as high as 7.75e16 USD; with 2 decimals (decimals.usd), it must be at most 1e13";
    let efficiency = "efficiency_j_per_th = { best = 16.5, mean = 17.9, worst = 19.7 }";
    check(efficiency, &efficiency.replace("19.7", "1e13"), message);
    let volatile = DEFAULT_INPUTS.replace("fee_pct = 60.0", "fee_pct = 90");
    let error = Inputs::parse(&volatile.replace("fee_usd = 0.65", "fee_usd = 1e-6")).unwrap_err();
    let message = "network.fee_usd can be as low as 2.27e-9 USD, which rounds to 0 with 2 decimals; decimals.usd must be at least 9";
    assert!(error.to_string().ends_with(message), "{error}");
}

#[test]
fn a_file_too_large_for_ten_thousand_regions_is_refused() {
    let text = format!("a = [{}]\n", "1,".repeat(400_000));
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
        .replace("seed = 20240420", "seed = -1")
        .replace("fee_pct = 60.0", "fee_pct = 91")
        .replace("id = \"cn\"", "id = \"CN\"")
        .replace("best = 16.5", "best = 0")
        .replace("overhead = 1.24", "overhead = 0.5");
    let error = Inputs::parse(&text).unwrap_err();
    let messages: Vec<_> = error.problems().iter().map(|problem| &*problem.message).collect();
    assert_eq!(
        messages,
        [
            "seed is -1; expected a whole number from 0 to 2^63 - 1",
            "network.overhead is 0.5; expected a number from 1 to 10",
            "movement.fee_pct is 91; expected a number from 0 to 90",
            "region \"us\": efficiency_j_per_th.best is 0; expected a number from 0.001 to 1e13",
            "region \"CN\": id is \"CN\"; expected 1 to 32 of a-z, 0-9 and '-', starting with a letter",
        ]
    );
    assert!(error.problems().is_sorted_by_key(|problem| problem.line));
    assert_eq!(error.to_string().lines().count(), 5);
    assert_eq!(error.more(), 0);
}

#[test]
fn the_first_twenty_problems_are_reported_and_the_others_counted() {
    let unknown: String = (0..27).map(|number| format!("unknown-{number} = 1\n")).collect();
    let error = Inputs::parse(&format!("{unknown}{DEFAULT_INPUTS}")).unwrap_err();
    let lines: Vec<_> = error.problems().iter().map(|problem| problem.line).collect();
    assert_eq!(lines, (1..=20).map(Some).collect::<Vec<_>>());
    assert_eq!(error.more(), 7);
    assert_eq!(error.to_string().lines().last(), Some("and 7 more"));
}

#[test]
fn notations_other_than_plain_numbers_get_a_suggestion() {
    for (value, meant) in [
        ("1,24", "1.24"),
        ("1,000", "1000 or 1.000"),
        ("1 000", "1000"),
        ("$1.24", "1.24"),
        ("24 %", "24"),
        ("1.24 USD", "1.24"),
        (".05", "0.05"),
        ("5.", "5.0"),
        ("01.24", "1.24"),
        ("1.24;", "1.24"),
        ("1.24 // high", "1.24"),
    ] {
        let message = format!("overhead: {value} is not a plain number; did you mean {meant}?");
        check("overhead = 1.24", &format!("overhead = {value} # comment"), &message);
    }
    let message = "best: 18,5 is not a plain number; did you mean 18.5?";
    check("best = 16.5", "best = 18,5", message);
    // All of them are reported at once, but not numbers that TOML accepts.
    let text = DEFAULT_INPUTS
        .replace("fee_usd = 0.65", "fee_usd = $1.80")
        .replace("overhead = 1.24", "overhead = 1,24")
        .replace("retarget_days = 14", "retarget_days = +1_4");
    assert_eq!(Inputs::parse(&text).unwrap_err().problems().len(), 2);
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
        let [problem] = error.problems() else { panic!("{error}") };
        let start_of_line = text.rfind(&format!("\n{line}")).unwrap() + 1;
        let number = text[..start_of_line].matches('\n').count() + 1;
        assert_eq!(problem.line, Some(number), "{problem}");
        let start = format!("cannot parse `{line}`: ");
        assert!(problem.message.len() > start.len(), "{problem}");
        assert!(problem.message.starts_with(&start), "{problem}");
    }
    // An unclosed array is found at the next field, an unclosed string at the end of the file.
    let error = Inputs::parse(&DEFAULT_INPUTS.replace("overhead = 1.24", "overhead = [1,"));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("cannot parse `price_usd = 80000.0`: "), "{error}");
    let error = Inputs::parse(&DEFAULT_INPUTS.replace("overhead = 1.24", "overhead = \"\"\""));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("cannot parse `the end of the file`: "), "{error}");
}

#[test]
fn a_path_with_a_line_break_gets_a_hint_about_backslashes() {
    let series = "[series]\nnetwork = \"data\\network.csv\"\n[[region]]";
    let text = DEFAULT_INPUTS.replacen("[[region]]", series, 1);
    let error = Inputs::parse_with_series(&text, |_| Ok(Vec::new())).unwrap_err();
    let message = "series.network must have 1 to 255 visible characters; in a path, write / or use single quotes, because a backslash starts an escape";
    assert!(error.to_string().ends_with(message), "{error}");
}

#[test]
fn regions_need_double_brackets_and_tables_single_ones() {
    let message = "network is a list; expected a table [network] with hashrate_eh, block_reward_coins, fee_usd and overhead";
    check("[network]", "[[network]]", message);
    let lines: Vec<_> = DEFAULT_INPUTS
        .lines()
        .enumerate()
        .filter(|(_, line)| *line == "[[region]]")
        .map(|(index, _)| index + 1)
        .collect();
    let pieces: Vec<_> = DEFAULT_INPUTS.split("[[region]]").collect();
    let [before, us, eu, cn] = pieces[..] else { panic!("expected three regions") };
    let message = "[region] is a single table; write [[region]] for each region";
    for (single, written) in [
        (vec![0], ["[region]", "[[region]]", "[[region]]"]),
        (vec![1], ["[[region]]", "[ region ] # Europe", "[[region]]"]),
        (vec![2], ["[[region]]", "[[region]]", "[region]"]),
        (vec![0, 2], ["[region]", "[[region]]", "[region]"]),
        (vec![0, 1, 2], ["[region]", "[region]", "[region]"]),
    ] {
        let [a, b, c] = written;
        let error = Inputs::parse(&format!("{before}{a}{us}{b}{eu}{c}{cn}")).unwrap_err();
        let expected = single.iter().map(|region| format!("line {}: {message}", lines[*region]));
        assert_eq!(error.to_string(), expected.collect::<Vec<_>>().join("\n"), "{written:?}");
    }
    let error = Inputs::parse(&format!("{before}[region]\n")).unwrap_err();
    let message =
        "region is a table; expected a list of tables, each written [[region]] in double brackets";
    assert_eq!(error.to_string(), format!("line {}: {message}", lines[0]));
}

#[test]
fn a_missing_table_is_reported_but_not_its_stray_fields() {
    let [network, movement] = [
        "network is missing; expected a table [network] with hashrate_eh, block_reward_coins, fee_usd and overhead",
        "movement is missing; expected a table [movement] with difficulty_pct, hashrate_pct, fee_pct and electricity_pct",
    ];
    for (header, message) in [("[network]", network), ("[movement]", movement)] {
        let error = Inputs::parse(&DEFAULT_INPUTS.replace(header, "")).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let message = "netwrok is unknown; did you mean network? Known fields: seed, coin, network, decimals, movement, capital, region and series";
    check("[network]", "[netwrok]", message);
    assert_eq!(
        Inputs::parse("").unwrap_err().to_string(),
        format!(
            "seed is missing; expected a whole number from 0 to 2^63 - 1\n{network}\n{movement}\n\
             region is missing; expected a list of tables, each written [[region]] in double brackets"
        )
    );
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
    let message =
        "region \"us\": efficiency_j_per_th is 23, 17.9, 19.7; expected best <= mean <= worst";
    check("best = 16.5", "best = 23", message);
    let message = "region \"us\": electricity_usd_per_kwh is 0.0425, 0.0485, 0.045; expected low <= mean <= high";
    check("high = 0.055", "high = 0.045", message);
}

#[test]
fn ids_must_be_unique_well_formed_and_not_reserved() {
    let cases = [
        ("us", "id \"us\" is a duplicate; each id must be unique"),
        ("global", "id \"global\" is reserved for worldwide data; choose another"),
        ("", "id is \"\"; expected 1 to 32 of a-z, 0-9 and '-', starting with a letter"),
        ("EU", "id is \"EU\"; expected 1 to 32 of a-z, 0-9 and '-', starting with a letter"),
        ("e/u", "id is \"e/u\"; expected 1 to 32 of a-z, 0-9 and '-', starting with a letter"),
    ];
    for (id, message) in cases {
        check("id = \"eu\"", &format!("id = {id:?}"), &format!("region {id:?}: {message}"));
    }
    let message = "region \"eu\": name must have 1 to 64 visible characters";
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
fn names_that_start_a_spreadsheet_formula_are_refused() {
    let message = "region \"eu\": name must not start with =, +, - or @, which start a formula";
    for name in ["=1+1", "+1", "-1", "@SUM(A1)", "＝1+1", "＋1", "－1", "＠SUM(A1)"] {
        check("name = \"Europe\"", &format!("name = {name:?}"), message);
    }
    let message = "region \"eu\": name must not start or end with a space";
    for name in [" =1+1", " Europe", "Europe ", "\u{a0}=1", "\u{3000}Europe"] {
        check("name = \"Europe\"", &format!("name = \"{name}\""), message);
    }
    for name in ["A=1+1", "Zürich", "北京", "Île-de-France", "(West) + East", "1 & 2", "é"] {
        let text = DEFAULT_INPUTS.replace("\"Europe\"", &format!("{name:?}"));
        assert!(Inputs::parse(&text).is_ok(), "{name}");
    }
}

/// Checks that there are at most 20 problems, each one line of bounded length that cannot control a terminal.
#[track_caller]
fn check_message(error: &InputsError) {
    assert!((1..=20).contains(&error.problems().len()));
    for message in error.problems().iter().map(ToString::to_string) {
        let length = message.chars().count();
        assert!((1..400).contains(&length), "{length} characters: {message}");
        assert_eq!(message, visible(&message, 400));
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
    for (piece, replacement, repeated) in [
        ("overhead = 1.24", "overhead = \"\\u001b[31mred\\u0007\"", r"\u{1b}[31mred\u{7}"),
        ("overhead = 1.24", "overhead = \"a\\nb\\r\\tc\"", r"a\nb\r\tc"),
        (
            "overhead = 1.24",
            "\"\\u001b]0;title\\u0007\" = 1",
            r"network.\u{1b}]0;title\u{7} is unknown",
        ),
        ("overhead = 1.24", "\"over\u{202e}head\" = 1", r"network.over\u{202e}head is unknown"),
        ("overhead = 1.24", "\"over\u{2028}head\" = 1", r"network.over\u{2028}head is unknown"),
        ("overhead = 1.24", "\"Zürich 北京\" = 1", "network.Zürich 北京 is unknown"),
        ("overhead = 1.24", "over\u{1b}[2Jhead = 1", r"over\u{1b}[2Jhead"),
        ("id = \"eu\"", "id = \"\\u009b31m\"", r#"id is "\u{9b}31m"#),
    ] {
        let error = Inputs::parse(&DEFAULT_INPUTS.replace(piece, replacement)).unwrap_err();
        check_message(&error);
        assert!(error.to_string().contains(repeated), "{error} lacks {repeated}");
    }
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
    let value = value.to_string();
    assert!(value.contains(": network.overhead is the string \"é"), "{value}");
    assert!(
        value.contains("...") && value.ends_with("; expected a number from 1 to 10"),
        "{value}"
    );
    assert!(
        key.to_string().ends_with("hashes_per_difficulty, retarget_days, price_usd and reward"),
        "{key}"
    );
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
    let overhead = "overhead = 1.24";
    let missing = "network.overhead is missing; expected a number from 1 to 10";
    check_at("[network]", overhead, "", missing);
    let known = "hashrate_eh, block_reward_coins, fee_usd, overhead, seconds_per_block, hashes_per_difficulty, retarget_days, price_usd and reward";
    for (replacement, message) in [
        ("overhaed = 1.24", format!("network.overhaed is unknown; did you mean overhead? Known fields: {known}")),
        ("overhead = \"1.24\"", "network.overhead is the string \"1.24\"; expected a number from 1 to 10, without quotes".to_owned()),
        ("overhead = true", "network.overhead is true; expected a number from 1 to 10".to_owned()),
        ("overhead = 2024-01-01", "network.overhead is the date 2024-01-01; expected a number from 1 to 10".to_owned()),
        ("overhead = [1.24]", "network.overhead is a list; expected a number from 1 to 10".to_owned()),
        ("overhead = {}", "network.overhead is a table; expected a number from 1 to 10".to_owned()),
    ] {
        check(overhead, replacement, &message);
    }
    let error =
        Inputs::parse(&DEFAULT_INPUTS.replace(overhead, "overhead = 1\nseed = 5")).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with(": network.seed is unknown; seed belongs above the first table")
    );
    let error =
        Inputs::parse(&DEFAULT_INPUTS.replace(overhead, "overhead = 1\ncolour = 5")).unwrap_err();
    assert!(
        error.to_string().ends_with(&format!(": network.colour is unknown; known fields: {known}"))
    );
    let message =
        "region \"us\": efficiency_j_per_th.best is missing; expected a number from 0.001 to 1e13";
    check("best = 16.5, ", "", message);
    let message =
        "region \"us\": efficiency_j_per_th is 18.5; expected a table with best, mean and worst";
    check("{ best = 16.5, mean = 17.9, worst = 19.7 }", "18.5", message);
    let message = "seed is 99999999999999999999; expected a whole number from 0 to 2^63 - 1";
    check("seed = 20240420", "seed = 99999999999999999999", message);
    let message = "region number 2: id is 5; expected a string in quotes";
    check("id = \"eu\"", "id = 5", message);
}

#[test]
fn series_are_only_allowed_in_a_file() {
    let message = "series is only allowed in a file, because its paths are relative to it";
    check("# The regions, in", "[series]\nnetwork = \"network.csv\"\n#", message);
}

#[test]
fn at_least_one_region_is_required() {
    let (before_regions, _) = DEFAULT_INPUTS.split_once("[[region]]").unwrap();
    let error = Inputs::parse(&format!("region = []\n{before_regions}")).unwrap_err();
    let message = "line 1: region is an empty list; expected a list of tables, each written [[region]] in double brackets";
    assert_eq!(error.to_string(), message);
}
