//! Warnings about valid inputs that are probably wrong.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue fails")]

use ghi_engine::{DEFAULT_INPUTS, Inputs};

/// The warnings about the default inputs with some texts replaced.
fn warnings(changes: &[(&str, &str)]) -> Vec<String> {
    let mut text = DEFAULT_INPUTS.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    Inputs::parse(&text).unwrap().warnings()
}

const US: &str = "low = 0.0425, mean = 0.0485, high = 0.055";
const EU: &str = "low = 0.054, mean = 0.0625, high = 0.0695";
const CN: &str = "low = 0.0355, mean = 0.0405, high = 0.0455";

#[test]
fn the_default_inputs_have_no_warnings() {
    assert_eq!(warnings(&[]), <[&str; 0]>::default());
}

#[test]
fn a_price_in_cents_is_reported() {
    let found = warnings(&[(EU, "low = 5.5, mean = 6.4, high = 7.1")]);
    assert_eq!(
        found,
        [
            "region \"eu\": electricity costs 5.5 on line 164 of the inputs file; expected USD per kWh, not cents or MWh, such as 0.055"
        ]
    );
}

#[test]
fn all_but_one_price_in_cents_are_reported() {
    let found = warnings(&[
        (EU, "low = 5.5, mean = 6.4, high = 7.1"),
        (CN, "low = 4.3, mean = 4.9, high = 5.5"),
    ]);
    assert_eq!(
        found,
        [
            "region \"us\": the average cost is 0.009577 times the median of all regions; expected electricity in USD per kWh and efficiency in J/TH",
            "region \"eu\": electricity costs 5.5 on line 164 of the inputs file; expected USD per kWh, not cents or MWh, such as 0.055",
            "region \"cn\": electricity costs 4.3 on line 172 of the inputs file; expected USD per kWh, not cents or MWh, such as 0.055",
        ]
    );
}

#[test]
fn all_prices_in_cents_are_reported() {
    let found = warnings(&[
        (US, "low = 4.8, mean = 5.5, high = 6.2"),
        (EU, "low = 5.5, mean = 6.4, high = 7.1"),
        (CN, "low = 4.3, mean = 4.9, high = 5.5"),
    ]);
    assert_eq!(found.len(), 3);
    assert_eq!(
        found[0],
        "region \"us\": electricity costs 4.8 on line 156 of the inputs file; expected USD per kWh, not cents or MWh, such as 0.055"
    );
}

#[test]
fn a_single_unusual_price_of_power_is_reported() {
    assert_eq!(
        warnings(&[("high = 0.055", "high = 0.51")]),
        [
            "region \"us\": electricity costs 0.51 on line 156 of the inputs file; expected USD per kWh, not cents or MWh, such as 0.055"
        ]
    );
    assert!(warnings(&[("high = 0.055", "high = 0.5")]).is_empty());
    assert_eq!(
        warnings(&[("low = 0.0425", "low = 0.0049")]),
        [
            "region \"us\": electricity costs 0.0049 on line 156 of the inputs file; expected USD per kWh, not cents or MWh, such as 0.055"
        ]
    );
    assert!(warnings(&[("low = 0.0425", "low = 0.005")]).is_empty());
}

#[test]
fn a_region_is_reported_at_five_times_the_others() {
    // The others are 17.9 x 0.0485 = 0.868 and 18.5 x 0.0405 = 0.749.
    assert!(warnings(&[(EU, "low = 0.1, mean = 0.2646, high = 0.4")]).is_empty());
    assert_eq!(warnings(&[(EU, "low = 0.1, mean = 0.2648, high = 0.4")]).len(), 1);
    assert!(warnings(&[(EU, "low = 0.005, mean = 0.0092, high = 0.1")]).is_empty());
    assert_eq!(warnings(&[(EU, "low = 0.005, mean = 0.0091, high = 0.1")]).len(), 1);
    assert!(warnings(&[(US, US)]).is_empty());
}

#[test]
fn at_most_twenty_warnings_are_listed() {
    let mut text = DEFAULT_INPUTS.split("[[region]]").next().unwrap().to_owned();
    for region in 0..100 {
        let price = if region < 40 { "5.5" } else { "0.055" };
        text += &format!(
            "[[region]]\nid = \"r{region}\"\nname = \"R\"\nhashrate_share_pct = 1\n\
             efficiency_j_per_th = {{ best = 20, mean = 20, worst = 20 }}\n\
             electricity_usd_per_kwh = {{ low = {price}, mean = {price}, high = {price} }}\n"
        );
    }
    let found = Inputs::parse(&text).unwrap().warnings();
    assert_eq!(found.len(), 21);
    assert_eq!(found[20], "and 20 more");
}

/// The warnings about the default inputs with one series.
fn warnings_with(field: &str, file: &str) -> Vec<String> {
    warnings_of(DEFAULT_INPUTS, field, file)
}

fn warnings_of(inputs: &str, field: &str, file: &str) -> Vec<String> {
    let series = format!("[series]\n{field} = \"{field}.csv\"\n\n[[region]]");
    let text = inputs.replacen("[[region]]", &series, 1);
    Inputs::parse_with_series(&text, |_| Ok(file.into())).unwrap().warnings()
}

#[test]
fn a_price_in_cents_in_any_row_of_a_series_is_reported() {
    let warnings = |price: &str| {
        let header = "date,region_id,electricity_usd_per_kwh_low,electricity_usd_per_kwh_mean,electricity_usd_per_kwh_high\n";
        let (before, after) = ("2026-01-01,us,0.05,0.055,0.06", "2026-03-01,us,0.05,0.055,0.06");
        warnings_with("regions", &format!("{header}{before}\n2026-02-01,us,{price}\n{after}\n"))
    };
    assert!(warnings("0.05,0.056,0.06").is_empty());
    for (prices, price) in [("5.0,5.6,6.0", "5"), (",,0.6", "0.6")] {
        assert_eq!(
            warnings(prices),
            [format!(
                "region \"us\": electricity costs {price} on line 3 of the region series; expected USD per kWh, not cents or MWh, such as 0.055"
            )]
        );
    }
}

#[test]
fn a_region_is_compared_with_the_others_on_every_day_with_data() {
    let header = "date,region_id,electricity_usd_per_kwh_mean,electricity_usd_per_kwh_high";
    let [usual, far] = ["0.055,0.062", "0.4,0.45"];
    let file = |rows: [&str; 3]| format!("{header}\n{}\n", rows.join("\n"));
    let first = format!("2026-01-01,us,{usual}");
    let second = format!("2026-02-01,us,{far}");
    let third = format!("2026-03-01,us,{usual}");
    assert_eq!(
        warnings_with("regions", &file([&first, &second, &third])),
        [
            "region \"us\": the average cost on 2026-02-01 is 6.985 times the median of all regions; expected electricity in USD per kWh and efficiency in J/TH"
        ]
    );
    // Days before all regions have rows have no data.
    let early = format!("2026-01-01,us,{far}");
    let rows = [&*early, "2026-02-01,us,0.055,0.062", "2026-02-01,eu,0.064,0.071"];
    assert!(warnings_with("regions", &file(rows)).is_empty());
}

#[test]
fn hashrates_that_do_not_match_their_difficulties_in_the_median_are_reported() {
    let warnings = |hashrates: [&str; 3]| {
        let rows = hashrates.map(|hashrate| format!("1082e11,{hashrate}\n"));
        let [first, second, third] = rows;
        let rows = format!("2026-01-01,{first}2026-01-02,{second}2026-01-03,{third}");
        warnings_with("network", &format!("date,difficulty,hashrate_eh\n{rows}"))
    };
    // The difficulty implies 774.5.
    for (hashrates, line, ratio) in [
        (["780", "2350", "2400"], 3, "3.034"),
        (["257", "780", "257"], 4, "0.3318"),
        (["780000", "780000", "780000"], 3, "1007"),
    ] {
        assert_eq!(
            warnings(hashrates),
            [format!(
                "network series, line {line}: hashrate_eh is {ratio} times what the difficulty implies, as in about half of the rows; is it in EH/s? If so, check seconds_per_block and hashes_per_difficulty in [network]"
            )]
        );
    }
    for hashrates in [["2300", "2300", "2300"], ["260", "5000", "260"]] {
        assert!(warnings(hashrates).is_empty(), "{hashrates:?}");
    }
}

#[test]
fn a_cost_that_is_far_from_the_price_is_reported() {
    // The inputs cost 55,000.
    let at_price =
        |price: &str| warnings(&[("price_usd = 70000.0", &format!("price_usd = {price}"))]);
    for (price, ratio) in [("2000", "27.61"), ("1", "55220"), ("1200000", "0.04602")] {
        assert_eq!(
            at_price(price),
            [format!(
                "the cost of a coin is {ratio} times its price; is price_usd in USD, not in BTC, and efficiency_j_per_th in J/TH? 1 J/GH is 1,000 J/TH, and 1 J/MH is 1,000,000 J/TH"
            )]
        );
    }
    for price in ["2800", "1100000"] {
        assert!(at_price(price).is_empty(), "{price}");
    }
    let rows = "2026-01-01,1e14,900\n2026-01-02,1e14,850\n2026-01-03,1e14,800\n";
    let found = warnings_with("network", &format!("date,difficulty,price_usd\n{rows}"));
    assert!(found[0].starts_with("network series, line 3: the cost of a coin is 4"), "{found:?}");
}

#[test]
fn changes_that_are_undone_within_seven_rows_are_reported() {
    let network = |column: &str, values: &[&str]| {
        let row = |(day, value)| match column {
            "difficulty" => format!("2026-01-{day:02},{value}\n"),
            _ => format!("2026-01-{day:02},1e14,{value}\n"),
        };
        let rows: String = (1..).zip(values).map(row).collect();
        let header = if column == "difficulty" { "" } else { "difficulty," };
        warnings_with("network", &format!("date,{header}{column}\n{rows}"))
    };
    for (column, usual, slip, most) in [
        ("difficulty", "100000000000000", "9900000000000", "10"),
        ("difficulty", "100000000000000", "1100000000000000", "10"),
        ("hashrate_eh", "715", "71600", "100"),
        ("fee_usd", "0.5", "501", "1000"),
        ("price_usd", "80000", "7999", "10"),
    ] {
        let expected = format!(
            "network series, line 3: {column} changes from {usual} to {slip}, by a factor of more than {most}; is it correct?"
        );
        let usual_rows = [usual; 9];
        let slips =
            |count: usize| [&usual_rows[..1], &[slip; 9][..count], &usual_rows[..]].concat();
        assert_eq!(network(column, &slips(1)), [&*expected]);
        assert_eq!(network(column, &slips(7)), [&*expected]);
        // The end of the rows does not tell whether it is undone.
        let at_the_end = network(column, &[usual, usual, usual, slip]);
        assert_eq!(at_the_end, [expected.replace("line 3", "line 5")]);
        assert!(network(column, &usual_rows).is_empty());
    }
    for (column, values) in [
        ("difficulty", ["1e14", "1e13", "1e14"]),
        ("fee_usd", ["0.5", "500", "0.5"]),
        ("price_usd", ["80000", "8000", "80000"]),
    ] {
        assert!(network(column, &values).is_empty(), "{column}");
    }
    // A price that stays is not a slip.
    let stays = [&["9000"][..], &["91000"; 9]].concat();
    assert!(network("price_usd", &stays).is_empty());
}

#[test]
fn changes_in_a_reward_that_no_coin_makes_are_reported() {
    let network = |from: &str, to: &str| {
        let later = (2..=10).map(|day| format!("2026-01-{day:02},1e14,{to}\n"));
        let rows = format!("2026-01-01,1e14,{from}\n{}", later.collect::<String>());
        warnings_with("network", &format!("date,difficulty,block_reward_coins\n{rows}"))
    };
    for (from, to, most) in [("3.125", "6.26", "2"), ("6.25", "2.84", "2.2")] {
        assert_eq!(
            network(from, to),
            [format!(
                "network series, line 3: block_reward_coins changes from {from} to {to}, by a factor of more than {most}; is it correct?"
            )]
        );
    }
    for (from, to) in [("3.125", "6.25"), ("6.25", "3.125"), ("6.25", "2.85")] {
        assert!(network(from, to).is_empty());
    }
    let reward = |coins: &str| {
        let table =
            format!("[[network.reward]]\nfrom = \"2028-04-17\"\ncoins = {coins}\n\n[decimals]");
        warnings(&[("[decimals]", &table)])
    };
    assert!(reward("1.5625").is_empty());
    assert_eq!(
        reward("15.625"),
        [
            "network.reward from 2028-04-17: coins changes from 3.125 to 15.625, by a factor of more than 2; is it correct?"
        ]
    );
}

/// A history of a coin: rows from a start on, with real-looking swings and without slips.
struct History {
    start: &'static str,
    difficulty: f64,
    price: f64,
    fee: f64,
    /// The reward of each row, by its number.
    reward: fn(usize) -> f64,
    /// By how much the difficulty swings from row to row, at most.
    swing: f64,
    /// The settings of its network.
    network: [(&'static str, &'static str); 3],
    efficiency: &'static str,
    /// The decimals of its hashrate.
    decimals: u8,
}

impl History {
    /// Returns the warnings about 400 days, with a change to the series and to the inputs.
    fn warnings(
        &self,
        change: impl Fn(usize, &mut [f64; 5]),
        inputs: &[(&str, &str)],
    ) -> Vec<String> {
        let first: jiff::civil::Date = self.start.parse().unwrap();
        let mut text = DEFAULT_INPUTS
            .replace("hashrate_eh = 975.0", "hashrate_eh = 1e-9")
            .replace("hashrate_eh = 2\n", &format!("hashrate_eh = {}\n", self.decimals));
        for (name, value) in self.network {
            let at = text.find(&format!("\n{name} = ")).unwrap() + 1;
            let end = at + text[at..].find('\n').unwrap();
            text.replace_range(at..end, &format!("{name} = {value}"));
        }
        text = text.replace("usd = 2\n", "usd = 7\n");
        for efficiency in [
            "16.5, mean = 17.9, worst = 19.7",
            "15.4, mean = 16.4, worst = 18.2",
            "17.0, mean = 18.5, worst = 20.2",
        ] {
            assert!(text.contains(efficiency), "{efficiency}");
            text = text.replace(efficiency, self.efficiency);
        }
        for (from, to) in inputs {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        let value = |name: &str| {
            let found = self.network.iter().find(|(known, _)| *known == name).unwrap().1;
            found.parse::<f64>().unwrap()
        };
        let mut file =
            "date,difficulty,hashrate_eh,fee_usd,block_reward_coins,price_usd\n".to_owned();
        for day in 0..400 {
            let wave = |days: f64| (day as f64 / days).sin();
            let difficulty =
                self.difficulty * self.swing.powf(wave(2.0) / 2.0) * (1.0 + day as f64 / 200.0);
            let implied =
                difficulty * value("hashes_per_difficulty") / value("seconds_per_block") / 1e18;
            let fee = self.fee * if day % 90 == 17 { 300.0 } else { 1.0 + 0.5 * wave(3.0) };
            let price =
                self.price * 4_f64.powf(wave(40.0) / 2.0) * if day % 100 == 50 { 0.4 } else { 1.0 };
            let mut row =
                [difficulty, implied * (1.0 + 0.3 * wave(1.0)), fee, (self.reward)(day), price];
            change(day, &mut row);
            let [difficulty, hashrate, fee, reward, price] = row;
            let date = first.saturating_add(jiff::Span::new().days(day as i64));
            file += &format!("{date},{difficulty:.0},{hashrate:e},{fee:.6},{reward},{price:.6}\n");
        }
        warnings_of(&text, "network", &file)
    }
}

/// Bitcoin around a halving, Bitcoin Cash while its difficulty swung, Litecoin, Dogecoin and Monero.
const HISTORIES: [History; 5] = [
    History {
        start: "2024-01-01",
        difficulty: 8e13,
        price: 60_000.0,
        fee: 0.6,
        reward: |day| [6.25, 4.6, 3.125][usize::from(day > 110) + usize::from(day > 111)],
        swing: 1.1,
        network: [
            ("seconds_per_block", "600"),
            ("hashes_per_difficulty", "4294967296"),
            ("retarget_days", "14"),
        ],
        efficiency: "22, mean = 27, worst = 34",
        decimals: 6,
    },
    History {
        start: "2017-08-01",
        difficulty: 2e11,
        price: 600.0,
        fee: 0.1,
        reward: |_| 12.5,
        swing: 9.0,
        network: [
            ("seconds_per_block", "600"),
            ("hashes_per_difficulty", "4294967296"),
            ("retarget_days", "0"),
        ],
        efficiency: "90, mean = 110, worst = 180",
        decimals: 6,
    },
    History {
        start: "2023-01-01",
        difficulty: 2e7,
        price: 90.0,
        fee: 0.01,
        reward: |day| if day < 213 { 12.5 } else { 6.25 },
        swing: 1.5,
        network: [
            ("seconds_per_block", "150"),
            ("hashes_per_difficulty", "4294967296"),
            ("retarget_days", "4"),
        ],
        efficiency: "3e5, mean = 4e5, worst = 6e5",
        decimals: 12,
    },
    History {
        start: "2014-06-01",
        difficulty: 1_000.0,
        price: 0.0004,
        fee: 0.001,
        // Rewards were random at first, and halved every 69 days.
        reward: |day| {
            [250_000.0, 125_000.0, 62_500.0, 31_250.0, 15_625.0, 10_000.0][(day / 69).min(5)]
        },
        swing: 3.0,
        network: [
            ("seconds_per_block", "60"),
            ("hashes_per_difficulty", "4294967296"),
            ("retarget_days", "0"),
        ],
        efficiency: "7e6, mean = 9e6, worst = 1.4e7",
        decimals: 15,
    },
    History {
        start: "2021-01-01",
        difficulty: 3e11,
        price: 160.0,
        fee: 0.02,
        reward: |day| 1.4 * 0.998_f64.powi(day as i32),
        swing: 1.3,
        network: [
            ("seconds_per_block", "120"),
            ("hashes_per_difficulty", "1"),
            ("retarget_days", "0"),
        ],
        efficiency: "5e9, mean = 9e9, worst = 1.5e10",
        decimals: 15,
    },
];

#[test]
fn clean_histories_and_the_shipped_inputs_have_no_warnings() {
    for history in &HISTORIES {
        assert_eq!(history.warnings(|_, _| {}, &[]), [""; 0], "{}", history.start);
    }
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    for name in [
        "bitcoin/inputs.toml",
        "own-series/inputs.toml",
        "dogecoin.toml",
        "litecoin.toml",
        "monero.toml",
    ] {
        let path = std::path::Path::new(examples).join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        let read = |file: &str| {
            std::fs::read(path.with_file_name(file)).map_err(|error| error.to_string())
        };
        let found = Inputs::parse_with_series(&text, read).unwrap().warnings();
        assert_eq!(found, [""; 0], "{name}");
    }
}

#[test]
fn each_slip_of_units_gets_one_warning() {
    type Change = fn(usize, &mut [f64; 5]);
    /// A change to the series, changes to the inputs file, and the warning.
    type Slip = (Change, &'static [(&'static str, &'static str)], &'static str);
    let none: Change = |_, _| {};
    let slips: [Slip; 9] = [
        (none, &[(EU, "low = 5.4, mean = 6.25, high = 6.95")], "not cents or MWh"),
        (
            none,
            &[("22, mean = 27, worst = 34", "0.022, mean = 0.027, worst = 0.034")],
            "1 J/GH is 1,000 J/TH",
        ),
        (
            |day, row| row[3] *= if day == 30 { 1e8 } else { 1.0 },
            &[],
            "line 32: block_reward_coins changes",
        ),
        (
            |day, row| row[4] *= if day == 30 { 100.0 } else { 1.0 },
            &[],
            "line 32: price_usd changes",
        ),
        (
            |day, row| row[0] /= if day == 30 { 1e3 } else { 1.0 },
            &[],
            "line 32: difficulty changes",
        ),
        (
            |day, row| row[2] *= if day == 30 { 60_000.0 } else { 1.0 },
            &[],
            "line 32: fee_usd changes",
        ),
        (
            |day, row| row[3] *= if day >= 200 { 0.4 } else { 1.0 },
            &[],
            "line 202: block_reward_coins changes",
        ),
        (|_, row| row[1] *= 100.0, &[], "times what the difficulty implies"),
        (|_, row| row[4] = 1.0, &[], "is price_usd in USD, not in BTC,"),
    ];
    for (change, inputs, expected) in slips {
        let found = HISTORIES[0].warnings(change, inputs);
        assert!(found.len() == 1 && found[0].contains(expected), "{expected}: {found:?}");
    }
    // A coin with other protocol parameters.
    let forgotten = [("seconds_per_block = 150\n", "seconds_per_block = 600\n")];
    let found = HISTORIES[2].warnings(none, &forgotten);
    assert!(
        found.len() == 1 && found[0].contains("check seconds_per_block and hashes_per_difficulty"),
        "{found:?}"
    );
}

#[test]
fn large_changes_in_efficiency_are_reported() {
    let regions = |worst: &str| {
        let header = "date,region_id,efficiency_j_per_th_worst";
        warnings_with("regions", &format!("{header}\n2026-01-01,us,30\n2026-02-01,us,{worst}\n"))
    };
    assert_eq!(
        regions("91"),
        [
            "region series, line 3: efficiency_j_per_th of \"us\" changes from 30 to 91, by a factor of more than 3; is it correct?"
        ]
    );
    assert!(regions("90").is_empty());
}

#[test]
fn gaps_between_rows_are_reported() {
    let rows = |dates: &[&str]| {
        let rows = dates.iter().map(|date| format!("{date},1e14\n")).collect::<String>();
        warnings_with("network", &format!("date,difficulty\n{rows}"))
    };
    // A row is valid for 45 days.
    assert!(rows(&["2024-01-01", "2024-02-16"]).is_empty());
    assert_eq!(
        rows(&["2024-01-01", "2024-02-17", "2024-04-30"]),
        [
            "there is no data on 2024-02-16, because rows are too far apart (gaps in total: 2); add rows, or raise valid_days or regions_valid_days in [series]"
        ]
    );
}
