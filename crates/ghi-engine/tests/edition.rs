//! The inputs of an edition: fleet, published estimates, uncertainty, events and sources.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue fails")]

use expect_test::{Expect, expect};
use ghi_engine::{CostCurve, CostScope, Decimal, Event, Inputs, InputsError, Model, SourceKind};
use jiff::civil::date;
use proptest::prelude::*;

const INPUTS: &str = include_str!("../../../examples/own-series/inputs.toml");
const NETWORK: &str = include_str!("../../../examples/own-series/network.csv");
const REGIONS: &str = include_str!("../../../examples/own-series/regions.csv");
const FLEET: &str = "date,efficiency_j_per_th,share_pct\n2025-10-01,15,40\n2025-10-01,30,60\n";
const PUBLISHED: &str =
    "date,usd_per_coin,publisher,scope,source\n2026-01-01,80000,JPMorgan,cash,\n";
const PUBLISHED_HEADER: &str = "date,usd_per_coin,publisher,scope,source\n";

/// Parses the example, with more lines at its end, and these texts of the other series.
fn parse(lines: &str, network: &str, fleet: &str, published: &str) -> Result<Inputs, InputsError> {
    let series = "[series]\nfleet = \"fleet.csv\"\npublished = \"published.csv\"\n";
    let text = INPUTS.replace("[series]\n", series) + lines;
    Inputs::parse_with_series(&text, |name| match name {
        "network.csv" => Ok(network.into()),
        "regions.csv" => Ok(REGIONS.into()),
        "fleet.csv" => Ok(fleet.into()),
        "published.csv" => Ok(published.into()),
        _ => Err("No such file or directory".to_owned()),
    })
}

/// The messages about lines of the inputs file, without their line numbers.
fn check_lines(cases: &[&str], expected: Expect) {
    let message = |lines: &&str| {
        let error = parse(lines, NETWORK, FLEET, PUBLISHED).unwrap_err().to_string();
        error.split_once(": ").unwrap().1.to_owned()
    };
    expected.assert_eq(&cases.iter().map(message).collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_fleet_is_checked() {
    let message = |rows: &&str| {
        let fleet = format!("date,efficiency_j_per_th,share_pct\n{rows}");
        parse("", NETWORK, &fleet, PUBLISHED).unwrap_err().to_string()
    };
    let many = "2025-10-01,20,0.39\n".repeat(257);
    let cases = [
        "",
        "2025-10-01,15,40\n2025-10-01,30,59.8",
        "2025-10-01,15,100\n2025-11-01,15,40\n2025-12-01,15,100",
        "2025-10-01,15,100.2",
        "2025-10-01,15,-1\n2025-10-01,0,101",
        "2025-10-01,15,\n2025-10-01,,100",
        "2025-10-02,15,100\n2025-10-01,15,100",
        "yesterday,15,100",
        "2025-10-01,15",
        &many,
    ];
    expect![[r#"
        fleet.csv line 1: no rows below the header; expected at least one
        fleet.csv line 3: 2025-10-01 has a share_pct of 99.8 in 2 rows; expected 100, or from 99.9 to 100.1 if shares are rounded, in at most 256 rows
        fleet.csv line 3: 2025-11-01 has a share_pct of 40 in 1 rows; expected 100, or from 99.9 to 100.1 if shares are rounded, in at most 256 rows
        fleet.csv line 2: share_pct is "100.2"; expected a number from 0 to 100
        fleet.csv line 2: share_pct is "-1"; expected a number from 0 to 100
        fleet.csv line 3: efficiency_j_per_th is "0"; expected a number from 0.001 to 1e13
        fleet.csv line 3: share_pct is "101"; expected a number from 0 to 100
        fleet.csv line 2: share_pct is ""; expected a number from 0 to 100
        fleet.csv line 3: efficiency_j_per_th is ""; expected a number from 0.001 to 1e13
        fleet.csv line 3: date is "2025-10-01"; expected 2025-10-02 or later, because the dates must ascend
        fleet.csv line 2: date is "yesterday"; expected a valid date such as 2026-01-31
        fleet.csv line 2: found 2 cells; expected 3, as in the header
        fleet.csv line 258: 2025-10-01 has a share_pct of 100.23 in 257 rows; expected 100, or from 99.9 to 100.1 if shares are rounded, in at most 256 rows"#]]
    .assert_eq(&cases.iter().map(message).collect::<Vec<_>>().join("\n"));
    let missing = parse("", NETWORK, "date,efficiency_j_per_th\n2025-10-01,15\n", PUBLISHED);
    expect!["fleet.csv line 1: missing column share_pct"]
        .assert_eq(&missing.unwrap_err().to_string());
    // Rounded shares, further columns, and dates outside the coverage.
    for rows in
        ["1900-01-01,15,x,99.9\n9999-12-31,15,,100", "2025-10-01,15,a,33.34\n2025-10-01,16,b,66.67"]
    {
        let fleet = format!("date,efficiency_j_per_th,x_model,share_pct\n{rows}\n");
        parse("", NETWORK, &fleet, PUBLISHED).unwrap();
    }
}

#[test]
fn a_fleet_needs_no_other_series() {
    let series = "[series]\nfleet = \"fleet.csv\"\n[[region]]";
    let text = ghi_engine::DEFAULT_INPUTS.replacen("[[region]]", series, 1);
    let inputs = Inputs::parse_with_series(&text, |_| Ok(FLEET.into())).unwrap();
    assert_eq!(inputs.coverage(), Inputs::default().coverage());
}

#[test]
fn published_estimates_are_sorted_by_date_and_checked() {
    let rows = "2025-11-01,74600.5,\"Coin, Shares\",all-in,report p. 3\n";
    let inputs = parse("", NETWORK, FLEET, &format!("{PUBLISHED}{rows}")).unwrap();
    let [first, second] = inputs.published() else { panic!("expected two estimates") };
    assert_eq!(
        (first.date, first.usd_per_coin, first.scope),
        (date(2025, 11, 1), 74_600.5, CostScope::AllIn)
    );
    assert_eq!((&*first.publisher, &*first.source), ("Coin, Shares", "report p. 3"));
    assert_eq!((&*second.publisher, &*second.source), ("JPMorgan", ""));
    let message = |row: &str| {
        let published = format!("{PUBLISHED_HEADER}{row}\n");
        parse("", NETWORK, FLEET, &published).unwrap_err().to_string()
    };
    let cases = [
        "2026-01-01,0,A,cash,b",
        "2026-01-01,1,,cash,b",
        "2026-01-01,1,A,all in,b",
        "2026-01-01,1,\u{202e},energy,\u{202e}",
    ];
    expect![[r#"
        published.csv line 2: usd_per_coin is "0"; expected a number from 1e-6 to 1e9
        published.csv line 2: publisher is ""; expected a text of 1 to 300 visible characters
        published.csv line 2: scope is "all in"; expected energy, cash or all-in
        published.csv line 2: publisher is "\u{202e}"; expected a text of 1 to 300 visible characters
        published.csv line 2: source is "\u{202e}"; expected a text of 1 to 300 visible characters"#]]
    .assert_eq(&cases.map(message).join("\n"));
}

#[test]
fn the_fingerprint_covers_every_series() {
    let published = PUBLISHED.to_owned();
    let own = parse("", NETWORK, FLEET, &published).unwrap().fingerprint();
    for (fleet, published) in
        [(format!("{FLEET}\n"), published.clone()), (FLEET.to_owned(), format!("{published}\n"))]
    {
        assert_ne!(parse("", NETWORK, &fleet, &published).unwrap().fingerprint(), own);
    }
}

#[test]
fn new_columns_of_the_network_are_checked() {
    let header = "date,difficulty,height,fees_per_block_coins,other_revenue_usd_per_block,capital_usd_per_th";
    let capital = "[capital]\nusd_per_th = 14\nyears = 4\n";
    let message = |rows: &&str| {
        let network = format!("{header}\n{rows}\n");
        parse(capital, &network, FLEET, PUBLISHED).unwrap_err().to_string()
    };
    let cases = [
        "2025-10-03,1e14,900000.5,0,0,1",
        "2025-10-03,1e14,900000,0,0,\n2025-10-04,1e14,,0,0,\n2025-10-05,1e14,899999,0,0,",
        "2025-10-03,1e14,-1,-0.1,-1,0",
        "2025-10-03,1e14,,,,1e13",
    ];
    expect![[r#"
        network.csv line 2: height is "900000.5"; expected a whole number, at least 0 as in earlier rows
        network.csv line 4: height is "899999"; expected a whole number, at least 900000 as in earlier rows
        network.csv line 2: height is "-1"; expected a number from 0 to 1e12
        network.csv line 2: fees_per_block_coins is "-0.1"; expected a number from 0 to 1e9
        network.csv line 2: other_revenue_usd_per_block is "-1"; expected a number from 0 to 1e12
        network.csv line 2: capital_usd_per_th is "0"; expected a number from 0.001 to 1e13
        network.csv line 2: capital: the cost of machines can be as high as 1.09e16 USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13"#]].assert_eq(&cases.iter().map(message).collect::<Vec<_>>().join("\n"));
    // The height of a day without blocks is that of the day before.
    let rows = "2025-10-03,1e14,900000,0,0,12.5\n2025-10-04,1e14,900000,,,\n";
    let network = format!("{header}\n{rows}");
    parse(capital, &network, FLEET, PUBLISHED).unwrap();
    let error = parse("", &network, FLEET, PUBLISHED).unwrap_err().to_string();
    expect!["network.csv line 1: capital_usd_per_th needs [capital] in the inputs file, which says for how many years"].assert_eq(&error);
}

#[test]
fn the_fields_of_an_edition_are_checked() {
    check_lines(
        &[
            "[uncertainty]\nelectricity_pct = 101\n",
            "[uncertainty]\nefficiency_pct = -1\n",
            "[uncertainty]\nhashrate_pct = 1\n",
            "[about]\ntitle = \"\"\n",
            "[about]\nurl = \"javascript:alert(1)\"\n",
            "[about]\nurl = \"https://\"\n",
            "[about]\nurl = \"https://example.org/a b\"\n",
            "[about]\nurl = 'https://example.org/\"onclick'\n",
            "[about]\nrevised = \"2026-02-30\"\n",
            "[about]\nlicense = \"CC BY 4.0\"\n",
            "[[about.sources]]\nwhat = \"fees\"\nsource = \"chain\"\nkind = \"known\"\n",
            "[[about.sources]]\nwhat = \"fees\"\nkind = \"assumed\"\n",
            "[[event]]\ndate = \"2026-02-30\"\nlabel = \"x\"\n",
            "[[event]]\ndate = \"2026-01-01\"\nlabel = \"a\\u001bb\"\n",
            "[[event]]\ndate = \"2026-01-01\"\n",
        ],
        expect![[r#"
            electricity_pct is 101; expected a number from 0 to 100
            efficiency_pct is -1; expected a number from 0 to 100
            cannot read `hashrate_pct = 1`: unknown field `hashrate_pct`, expected one of `electricity_pct`, `efficiency_pct`, `overhead_pct`
            title is ""; expected 1 to 300 visible characters
            url is "javascript:alert(1)"; expected a URL that starts with https:// or http://, without spaces, of at most 300 characters
            url is "https://"; expected a URL that starts with https:// or http://, without spaces, of at most 300 characters
            url is "https://example.org/a b"; expected a URL that starts with https:// or http://, without spaces, of at most 300 characters
            url is 'https://example.org/"onclick'; expected a URL that starts with https:// or http://, without spaces, of at most 300 characters
            revised is "2026-02-30"; expected a valid date in quotes such as "2028-04-17"
            cannot read `license = "CC BY 4.0"`: unknown field `license`, expected one of `title`, `publisher`, `url`, `licence`, `contact`, `revised`, `sources`
            cannot read `kind = "known"`: unknown variant `known`, expected one of `measured`, `reported`, `estimated`, `assumed`
            cannot read `[[about.sources]]`: missing field `source`
            date is "2026-02-30"; expected a valid date in quotes such as "2028-04-17"
            label is "a\u001bb"; expected 1 to 300 visible characters
            cannot read `[[event]]`: missing field `label`"#]],
    );
    for (field, message) in [
        ("retarget_blocks = 0", "retarget_blocks is 0; expected a whole number from 1 to 1e9"),
        ("halving_blocks = 2.5", "halving_blocks is 2.5; expected a whole number from 1 to 1e9"),
        (
            "fees_per_block_coins = -1",
            "fees_per_block_coins is -1; expected a number from 0 to 1e9",
        ),
        ("pool_fee_pct = 100", "pool_fee_pct is 100; expected a number from 0 to 99.99"),
    ] {
        let text =
            ghi_engine::DEFAULT_INPUTS.replace("[network]\n", &format!("[network]\n{field}\n"));
        let error = Inputs::parse(&text).unwrap_err().to_string();
        assert!(error.ends_with(message), "{error}");
    }
}

#[test]
fn sources_and_events_are_kept() {
    let lines = "[about]\ntitle = \"Bitcoin, 2016 to 2026\"\nrevised = \"2026-11-01\"\n\
        [[about.sources]]\nwhat = \"fees\"\nsource = \"chain\"\nurl = \"https://example.org/?a=1&b=2\"\nkind = \"measured\"\n\
        [[about.sources]]\nwhat = \"overhead\"\nsource = \"none\"\nkind = \"assumed\"\n\
        [[event]]\ndate = \"2021-05-21\"\nlabel = \"China bans mining\"\n";
    let inputs = parse(lines, NETWORK, FLEET, PUBLISHED).unwrap();
    let about = inputs.about();
    assert_eq!(about.title.as_deref(), Some("Bitcoin, 2016 to 2026"));
    assert_eq!((about.revised, &about.publisher), (Some(date(2026, 11, 1)), &None));
    let kinds: Vec<_> = about.sources.iter().map(|source| source.kind).collect();
    assert_eq!(kinds, [SourceKind::Measured, SourceKind::Assumed]);
    assert_eq!(about.sources[0].url.as_deref(), Some("https://example.org/?a=1&b=2"));
    let event = Event {
        date: date(2021, 5, 21),
        label: "China bans mining".to_owned(),
        source: None,
        url: None,
    };
    assert_eq!(inputs.events(), [event]);
}

/// The network of the worked examples: one region, and fees, a pool fee, machines and errors.
const EXAMPLE: &str = r#"seed = 1
[network]
hashrate_eh = 975
block_reward_coins = 3.125
fee_usd = 0.6
overhead = 1.2
fees_per_block_coins = 0.02
pool_fee_pct = 2
[movement]
difficulty_pct = 0
hashrate_pct = 0
fee_pct = 0
electricity_pct = 0
[capital]
usd_per_th = 14
years = 4
[uncertainty]
electricity_pct = 15
efficiency_pct = 10
overhead_pct = 8
[series]
network = "network.csv"
fleet = "fleet.csv"
[[region]]
id = "all"
name = "All"
hashrate_share_pct = 100
efficiency_j_per_th = { best = 15, mean = 19, worst = 30 }
electricity_usd_per_kwh = { low = 0.04, mean = 0.05, high = 0.065 }
"#;

fn example(replaced: [&str; 2], network: &str, fleet: &str) -> Model {
    let text = EXAMPLE.replace(replaced[0], replaced[1]);
    let inputs = Inputs::parse_with_series(&text, |name| match name {
        "network.csv" => Ok(network.into()),
        _ => Ok(fleet.into()),
    });
    Model::new(inputs.unwrap())
}

const EXAMPLE_NETWORK: &str = "date,difficulty,price_usd,capital_usd_per_th\n\
    2026-05-17,136607070542530,76975.91,\n2026-05-18,136607070542530,76975.91,28\n";
const EXAMPLE_FLEET: &str = "date,efficiency_j_per_th,share_pct\n\
    2026-05-18,15,40\n2026-05-18,20,35\n2026-05-18,30,25\n2026-05-20,19,100\n";

#[test]
fn the_worked_example_of_a_fleet_holds() {
    let model = example(["", ""], EXAMPLE_NETWORK, EXAMPLE_FLEET);
    let day = model.day(date(2026, 5, 18)).unwrap();
    assert_eq!(day.global.avg_usd.to_string(), "59454.59");
    let curve = model.cost_curve(&day).unwrap();
    let share = |cost| curve.share_below_pct(Decimal::new(cost, 2)).to_string();
    assert_eq!([4_000_000, 5_000_000, 6_000_000].map(share), ["15.93", "38.62", "61.72"]);
    let percentiles = curve.percentiles_usd(CostCurve::PERCENTILES).map(|cost| cost.to_string());
    let expected =
        ["36434.06", "38065.44", "45134.73", "53421.41", "72352.95", "88746.85", "100927.79"];
    assert_eq!(percentiles, expected);
    let parts = model.merit_order(&day).unwrap().into_iter().map(|part| {
        let [min, avg, max] = [part.costs.min_usd, part.costs.avg_usd, part.costs.max_usd];
        format!("{} {} {min} {avg} {max}", part.efficiency_j_per_th, part.hashrate_share_pct)
    });
    expect![[r#"
        13.902439 40.000000 34802.69 43503.36 56554.36
        18.5365854 35.000000 46403.58 58004.48 75405.82
        27.804878 25.000000 69605.37 87006.71 113108.73"#]]
    .assert_eq(&parts.collect::<Vec<_>>().join("\n"));
    // Before its first date there is no fleet, and the region is the only part.
    let before = model.day(date(2026, 5, 17)).unwrap();
    let [part] = model.merit_order(&before).unwrap()[..] else { panic!("expected one part") };
    assert_eq!((part.costs, part.efficiency_j_per_th.value()), (before.global, 19.0));
    assert_eq!(part.hashrate_share_pct.to_string(), "100.000000");
    // The last date's fleet holds on.
    let later = model.day(date(2026, 6, 20)).unwrap();
    let [part] = model.merit_order(&later).unwrap()[..] else { panic!("expected one part") };
    assert_eq!(part.costs.avg_usd, later.global.avg_usd);
}

#[test]
fn the_worked_examples_of_levels_and_revenue_hold() {
    // This efficiency makes the average 55,495.
    let model = example(["mean = 19", "mean = 17.73462816"], EXAMPLE_NETWORK, EXAMPLE_FLEET);
    let day = model.day(date(2026, 5, 18)).unwrap();
    assert_eq!(day.global.avg_usd.to_string(), "55495.00");
    let levels = model.levels(&day).unwrap();
    assert_eq!(levels.energy_cost_usd.to_string(), "46245.83");
    assert_eq!(levels.interval_usd.unwrap().map(|cost| cost.to_string()), ["43100.36", "71454.04"]);
    let price = day.network.price_usd.unwrap();
    let economics = model.economics(&day, price).unwrap();
    assert_eq!(economics.hashprice_usd_per_ph_day.to_string(), "34.94");
    assert_eq!(economics.revenue_to_cost.to_string(), "1.3680");
    assert_eq!(economics.price_to_cost.to_string(), "1.3871");
    // 237,247.45 USD for 3.125 coins.
    let revenue = model.revenue_usd_per_coin(&day, price).unwrap();
    assert_eq!(revenue.to_string(), "75919.18");
    let below = model.cost_curve(&day).unwrap().share_below_pct(revenue);
    assert_eq!(economics.hashrate_below_price_pct, below);
    // Machines cost twice as much from the second day on.
    let before = model.day(date(2026, 5, 17)).unwrap();
    let all_in = [&before, &day].map(|day| model.levels(day).unwrap().all_in_cost_usd.unwrap());
    assert_eq!(all_in.map(|cost| cost.to_string()), ["76318.18", "97141.36"]);
}

#[test]
fn power_follows_from_the_difficulty_and_the_mean_efficiency() {
    let network = "date,difficulty\n2026-05-18,136205552168190\n";
    let model = example(["mean = 19", "mean = 17.9"], network, EXAMPLE_FLEET);
    let power = model.levels(&model.day(date(2026, 5, 18)).unwrap()).unwrap();
    assert_eq!(
        [power.power_gw, power.energy_twh_per_year].map(|it| it.to_string()),
        ["17.45", "152.99"]
    );
}

#[test]
fn other_revenue_of_a_row_replaces_that_of_the_network() {
    let network = "date,difficulty,fees_per_block_coins,other_revenue_usd_per_block\n\
        2026-05-18,1e14,,\n2026-05-19,1e14,1.5,\n2026-05-20,1e14,0,1000\n";
    let model = example(["pool_fee_pct = 2", ""], network, EXAMPLE_FLEET);
    let revenue = |day| {
        let day = model.day(date(2026, 5, day)).unwrap();
        model.revenue_usd_per_coin(&day, Decimal::new(1_000_000, 2)).unwrap().to_string()
    };
    assert_eq!([18, 19, 20].map(revenue), ["10064.00", "14800.00", "10320.00"]);
}

#[test]
fn litecoin_pays_with_the_revenue_of_dogecoin() {
    let text = include_str!("../../../examples/litecoin.toml");
    let model = Model::new(Inputs::parse(text).unwrap());
    let [mut price, mut revenue] = [0.0; 2];
    let first = date(2025, 1, 1);
    for day in first.series(jiff::ToSpan::day(1)).take(365) {
        let day = model.day(day).unwrap();
        let economics = model.economics(&day, day.network.price_usd.unwrap()).unwrap();
        price += economics.price_to_cost.to_f64() / 365.0;
        revenue += economics.revenue_to_cost.to_f64() / 365.0;
    }
    assert!((0.16..0.20).contains(&price) && (1.3..1.5).contains(&revenue), "{price}, {revenue}");
}

proptest! {
    /// The mean of a fleet is the region's, so the mean of all parts is the average.
    #[test]
    fn the_mean_of_the_merit_order_is_the_average(
        machines in prop::collection::vec((5_u32..2_000, 1_u32..1_000), 1..20),
    ) {
        let sum: u32 = machines.iter().map(|machine| machine.1).sum();
        let rows = machines.iter().map(|(efficiency, share)| {
            let (efficiency, share) = (f64::from(*efficiency) / 10.0, f64::from(*share) / f64::from(sum));
            format!("2026-05-18,{efficiency},{}\n", share * 100.0)
        });
        let fleet = format!("date,efficiency_j_per_th,share_pct\n{}", rows.collect::<String>());
        let model = example(["", ""], EXAMPLE_NETWORK, &fleet);
        let day = model.day(date(2026, 5, 18)).unwrap();
        let parts = model.merit_order(&day).unwrap();
        prop_assert!(parts.is_sorted_by_key(|part| part.costs.avg_usd));
        let mean = parts.iter().map(|part| part.hashrate_share_pct.to_f64() / 100.0 * part.costs.avg_usd.to_f64());
        prop_assert!((mean.sum::<f64>() / day.global.avg_usd.to_f64() - 1.0).abs() < 1e-4);
        let curve = model.cost_curve(&day).unwrap();
        let percentiles = curve.percentiles_usd(CostCurve::PERCENTILES);
        prop_assert!(percentiles.is_sorted());
        for (percent, cost) in [5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0].into_iter().zip(percentiles) {
            prop_assert!((curve.share_below_pct(cost).to_f64() - percent).abs() < 0.02);
        }
    }
}
