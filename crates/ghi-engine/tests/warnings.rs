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
            "the average cost of eu (Europe) is 121 times the median of the other regions; is its electricity in cents? Expected USD per kWh, such as 0.055"
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
            "the average cost of us (United States) is 1/104 of the median of the other regions; expected electricity in USD per kWh and efficiency in J/TH",
            "the electricity of eu (Europe) costs 5.5 in the inputs file; is it in cents? Expected USD per kWh, such as 0.055",
            "the electricity of cn (China) costs 4.3 in the inputs file; is it in cents? Expected USD per kWh, such as 0.055",
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
        "the electricity of us (United States) costs 4.8 in the inputs file; is it in cents? Expected USD per kWh, such as 0.055"
    );
}

#[test]
fn a_single_price_of_a_dollar_is_reported() {
    assert_eq!(
        warnings(&[("high = 0.055", "high = 1")]),
        [
            "the electricity of us (United States) costs 1 in the inputs file; is it in cents? Expected USD per kWh, such as 0.055"
        ]
    );
    assert!(warnings(&[("high = 0.055", "high = 0.99")]).is_empty());
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

/// The warnings about the default inputs with these percentages of movement.
fn moving(pct: [f64; 6]) -> Vec<String> {
    let all = [
        ("difficulty_pct = 13.5", "difficulty_pct"),
        ("hashrate_pct = 27.5", "hashrate_pct"),
        ("fee_pct = 60.0", "fee_pct"),
        ("electricity_pct = 15.0", "electricity_pct"),
        ("weekday_pct = 1.2", "weekday_pct"),
        ("spread_pct = 30.0", "spread_pct"),
    ];
    let texts =
        std::iter::zip(all, pct).map(|((from, name), pct)| (from, format!("{name} = {pct}")));
    let texts: Vec<(&str, String)> = texts.collect();
    let changes: Vec<(&str, &str)> = texts.iter().map(|(from, to)| (*from, &**to)).collect();
    warnings(&changes)
}

#[test]
fn movement_in_fractions_is_reported() {
    let found = moving([0.135, 0.275, 0.6, 0.15, 0.012, 0.3]);
    assert_eq!(
        found,
        [
            "every percentage in [movement] is below 1, so the data hardly moves; are they fractions? Write 5 for 5%, and 0 for no movement"
        ]
    );
}

#[test]
fn no_movement_and_large_movement_are_not_reported() {
    assert!(moving([0.0; 6]).is_empty());
    assert!(moving([0.19, 0.07, 1.0, 0.05, 0.012, 0.3]).is_empty());
    assert!(moving([0.5, 0.07, 0.65, 0.05, 0.012, 0.3]).is_empty());
}

#[test]
fn at_most_twenty_regions_are_named() {
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
    assert_eq!(found[20], "20 more regions have suspicious electricity or efficiency");
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
    for (prices, price) in [("5.0,5.6,6.0", "5"), (",,1.0", "1")] {
        assert_eq!(
            warnings(prices),
            [format!(
                "the electricity of us (United States) costs {price} on line 3 of the region series; is it in cents? Expected USD per kWh, such as 0.055"
            )]
        );
    }
}

#[test]
fn a_region_is_compared_with_the_others_on_every_day_with_data() {
    let header = "date,region_id,electricity_usd_per_kwh_mean,electricity_usd_per_kwh_high";
    let [usual, far] = ["0.055,0.062", "0.9,0.95"];
    let file = |rows: [&str; 3]| format!("{header}\n{}\n", rows.join("\n"));
    let first = format!("2026-01-01,us,{usual}");
    let second = format!("2026-02-01,us,{far}");
    let third = format!("2026-03-01,us,{usual}");
    assert_eq!(
        warnings_with("regions", &file([&first, &second, &third])),
        [
            "the average cost of us (United States) is 16 times the median of the other regions on 2026-02-01; is its electricity in cents? Expected USD per kWh, such as 0.055"
        ]
    );
    // Days before all regions have rows have no data.
    let early = format!("2026-01-01,us,{far}");
    let rows = [&*early, "2026-02-01,us,0.055,0.062", "2026-02-01,eu,0.064,0.071"];
    assert!(warnings_with("regions", &file(rows)).is_empty());
}

#[test]
fn a_hashrate_that_does_not_match_its_difficulty_is_reported() {
    let warnings = |hashrate: &str| {
        let rows = format!("2026-01-01,108200000000000,780\n2026-02-01,108200000000000,{hashrate}");
        warnings_with("network", &format!("date,difficulty,hashrate_eh\n{rows}\n"))
    };
    for (hashrate, given) in [("781400", "781400"), ("0.78", "0.78"), ("3873", "3873")] {
        assert_eq!(
            warnings(hashrate),
            [format!(
                "network series, line 3: hashrate_eh is {given}, but the difficulty implies 774.5; expected EH/s"
            )]
        );
    }
    for hashrate in ["781.4", "3872", "155"] {
        assert!(warnings(hashrate).is_empty(), "{hashrate}");
    }
}

#[test]
fn a_hashrate_mismatch_is_reported_once() {
    let rows = "2026-01-01,108200000000000,1\n2026-02-01,108200000000000,1\n";
    assert_eq!(warnings_with("network", &format!("date,difficulty,hashrate_eh\n{rows}")).len(), 1);
}

#[test]
fn large_changes_between_rows_are_reported() {
    let network = |columns: &str, [first, second]: [&str; 2]| {
        let rows = format!("2026-01-01,{first}\n2026-01-15,{second}\n");
        warnings_with("network", &format!("date,difficulty{columns}\n{rows}"))
    };
    assert_eq!(
        network("", ["100000000000000", "10000000000000"]),
        [
            "network series, line 3: difficulty changes from 100000000000000 to 10000000000000, by a factor of more than 5; is it correct?"
        ]
    );
    assert_eq!(
        network(",fee_usd", ["1e14,0.5", "1e14,10.1"]),
        [
            "network series, line 3: fee_usd changes from 0.5 to 10.1, by a factor of more than 20; is it correct?"
        ]
    );
    assert_eq!(
        network(",price_usd", ["1e14,80000", "1e14,800"]),
        [
            "network series, line 3: price_usd changes from 80000 to 800, by a factor of more than 5; is it correct?"
        ]
    );
    for (columns, rows) in [
        ("", ["1e14", "5e14"]),
        (",fee_usd", ["1e14,0.5", "1e14,10"]),
        (",price_usd", ["1e14,80000", "1e14,16000"]),
    ] {
        assert!(network(columns, rows).is_empty(), "{columns}");
    }
    let regions = |worst: &str| {
        let header = "date,region_id,efficiency_j_per_th_worst";
        warnings_with("regions", &format!("{header}\n2026-01-01,us,30\n2026-02-01,us,{worst}\n"))
    };
    assert_eq!(
        regions("91"),
        [
            "region series, line 3: efficiency_j_per_th of us (United States) changes from 30 to 91, by a factor of more than 3; is it correct?"
        ]
    );
    assert!(regions("90").is_empty());
}

#[test]
fn columns_with_some_empty_rows_are_reported() {
    let check = |inputs: &str, column: &str, instead: &str| {
        let rows = "2026-01-01,1e14,700\n2026-01-15,1e14,\n2026-01-29,1e14,700\n";
        let file = format!("date,difficulty,{column}\n{rows}");
        assert_eq!(
            warnings_of(inputs, "network", &file),
            [format!(
                "network series: {column} is empty in 1 of 3 rows, first on line 3; the days of these rows have {instead}"
            )]
        );
    };
    check(DEFAULT_INPUTS, "hashrate_eh", "a synthetic hashrate, around the difficulty");
    check(DEFAULT_INPUTS, "price_usd", "a synthetic price, around network.price_usd");
    let without_price = DEFAULT_INPUTS.replace("price_usd = 80000.0\n", "");
    check(&without_price, "price_usd", "no price");
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
            "there is no data on 2024-02-16 and from 2024-04-03 to 2024-04-29, because rows are too far apart; add rows, or raise valid_days or regions_valid_days in [series]"
        ]
    );
    let months = ["01", "03", "05", "07", "09", "11"].map(|month| format!("2024-{month}-01"));
    let mut dates: Vec<&str> = months.iter().map(String::as_str).collect();
    dates.extend(["2025-01-01", "2025-03-01"]);
    let found = rows(&dates);
    assert!(found[0].contains(" from 2024-10-17 to 2024-10-31 and in 2 more gaps,"), "{found:?}");
}

#[test]
fn years_without_a_reward_are_reported() {
    let network = |last: &str| {
        warnings_with("network", &format!("date,difficulty\n2022-01-01,1e14\n{last},1e14\n"))
    };
    assert!(network("2025-01-01").is_empty());
    assert_eq!(
        network("2025-01-02"),
        [
            "the network series spans 1097 days without block_reward_coins, so the reward is always 3.125; was there a halving?"
        ]
    );
    let rows = "2022-01-01,1e14,6.25\n2025-01-02,1e14,\n";
    let given = format!("date,difficulty,block_reward_coins\n{rows}");
    assert!(warnings_with("network", &given).is_empty());
}

#[test]
fn machines_that_cost_more_than_running_them_are_reported() {
    let capital = |usd_per_th: &str| {
        let table = format!("[capital]\nusd_per_th = {usd_per_th}\nyears = 4\n\n[movement]");
        warnings(&[("[movement]", &table)])
    };
    assert!(capital("14").is_empty());
    let found = capital("1400");
    assert!(found[0].starts_with("machines cost ") && found.len() == 1, "{found:?}");
    let end = " times the average cost of running them; check [capital]: usd_per_th is in USD per TH/s, and years is how long machines are used";
    assert!(found[0].ends_with(end), "{found:?}");
}
