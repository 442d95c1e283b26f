//! The price, the cost curve, the full cost, gaps in series, and why a cost changed.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue fails")]

use expect_test::expect;
use ghi_engine::{
    CostCurve, Costs, Day, Decimal, Inputs, InputsError, Model, NetworkState, Provenance, Scope,
};
use jiff::ToSpan;
use jiff::civil::{Date, date};
use proptest::prelude::*;

/// A network with every optional field.
const INPUTS: &str = r#"seed = 7
[coin]
name = "bitcoin"
symbol = "BTC"
[network]
hashrate_eh = 975
block_reward_coins = 3.125
fee_usd = 0.6
overhead = 1.2
price_usd = 80000.0
[[network.reward]]
from = "2028-04-17"
coins = 1.5625
[[network.reward]]
from = "2032-04-17"
coins = 0.78125
[movement]
difficulty_pct = 10
hashrate_pct = 7
fee_pct = 50
electricity_pct = 5
price_pct = 20
[capital]
usd_per_th = 14.0
years = 4.0
[[region]]
id = "a"
name = "A"
hashrate_share_pct = 70
efficiency_j_per_th = { best = 16, mean = 18, worst = 21 }
electricity_usd_per_kwh = { low = 0.04, mean = 0.05, high = 0.06 }
[[region]]
id = "b"
name = "B"
hashrate_share_pct = 30
efficiency_j_per_th = { best = 17, mean = 19, worst = 22 }
electricity_usd_per_kwh = { low = 0.03, mean = 0.04, high = 0.05 }
overhead = 1.35
"#;

/// Returns the days from one to another, both included.
fn days(first: Date, last: Date) -> impl Iterator<Item = Date> {
    first.series(1.day()).take_while(move |date| *date <= last)
}

/// Parses inputs with series, from the fields of `[series]` and the content of both files.
fn parse_with_series(
    inputs: &str,
    fields: &str,
    network: &str,
    regions: &str,
) -> Result<Inputs, InputsError> {
    let text = inputs.replacen("[[region]]", &format!("[series]\n{fields}\n[[region]]"), 1);
    Inputs::parse_with_series(&text, |name| match name {
        "network.csv" => Ok(network.into()),
        _ => Ok(regions.into()),
    })
}

/// The same network with series.
fn with_series(fields: &str, network: &str, regions: &str) -> Model {
    Model::new(parse_with_series(INPUTS, fields, network, regions).unwrap())
}

fn network_series(rows: &str) -> Model {
    with_series("network = \"network.csv\"", rows, "")
}

fn cents(text: &str) -> Decimal {
    Decimal::new(text.replace('.', "").parse().unwrap(), 2)
}

/// A day with these regions: share, minimum, average, maximum.
fn day_of(regions: &[[&str; 4]]) -> Day {
    let costs = |[_, min, avg, max]: &[&str; 4]| Costs {
        min_usd: cents(min),
        avg_usd: cents(avg),
        max_usd: cents(max),
    };
    let regions: Vec<([&str; 4], Costs)> =
        regions.iter().map(|region| (*region, costs(region))).collect();
    Day {
        date: date(2026, 11, 15),
        network: NetworkState {
            hashrate_eh: Decimal::new(1, 2),
            difficulty: 1,
            avg_fee_usd: Decimal::new(1, 2),
            price_usd: None,
        },
        global: regions[0].1,
        hashrate_shares_pct: regions.iter().map(|([share, ..], _)| cents(share)).collect(),
        regions: regions.into_iter().map(|(_, costs)| costs).collect(),
    }
}

#[test]
fn the_worked_example_of_the_cost_curve_holds() {
    let curve = CostCurve::of_regions(&day_of(&[
        ["60.00", "49847.46", "59870.95", "73349.21"],
        ["13.00", "49837.33", "60725.19", "73864.98"],
        ["27.00", "47443.15", "58218.80", "71991.23"],
    ]));
    assert_eq!(curve.share_below_pct(cents("60000.00")).to_string(), "56.74");
    let expected =
        ["50107.97", "50979.47", "53594.00", "58087.65", "65510.87", "70039.00", "71548.37"];
    assert_eq!(
        curve.percentiles_usd(CostCurve::PERCENTILES).map(|cost| cost.to_string()),
        expected
    );
    assert_eq!(curve.percentiles_usd([0])[0].to_string(), "47443.15");
    assert_eq!(curve.percentiles_usd([100])[0].to_string(), "73864.98");
    assert_eq!(curve.share_below_pct(cents("47443.15")).to_string(), "0.00");
}

#[test]
fn equal_costs_are_reached_at_once() {
    let curve = CostCurve::of_regions(&day_of(&[
        ["40.00", "50.00", "50.00", "50.00"],
        // The median is limited to the minimum, which is then the cost of half of the region.
        ["60.00", "60.00", "61.00", "90.00"],
        ["0.00", "1.00", "2.00", "3.00"],
    ]));
    let share = |cost| curve.share_below_pct(cents(cost)).to_string();
    assert_eq!(["49.99", "50.00", "59.99"].map(share), ["0.00", "40.00", "40.00"]);
    assert_eq!(["60.00", "75.00", "90.00"].map(share), ["70.00", "85.00", "100.00"]);
    let percentile = |percent| curve.percentiles_usd([percent])[0].to_string();
    assert_eq!([0, 1, 40, 41, 70].map(percentile), ["50.00", "50.00", "50.00", "60.00", "60.00"]);
    assert_eq!([85, 100].map(percentile), ["75.00", "90.00"]);
}

#[test]
fn curve_rows_are_sorted_by_average_and_id() {
    let model = Model::new(Inputs::parse(INPUTS).unwrap());
    let day = model.day(date(2026, 11, 15)).unwrap();
    let rows = model.curve_rows(&day).unwrap();
    let ids = rows.iter().map(|row| &*model.registry()[row.region].id);
    assert_eq!(ids.collect::<Vec<_>>(), ["b", "a"]);
    let cumulative = rows.iter().map(|row| row.cumulative_share_pct.to_string());
    assert_eq!(cumulative.collect::<Vec<_>>(), ["30.00", "100.00"]);
    let capital = model.capital(day.date).unwrap().unwrap();
    for row in &rows {
        let full = row.full_cost_usd.unwrap().count();
        assert_eq!(full, row.costs.avg_usd.count() + capital.capital_usd.count());
    }
    // Ties are in the order of ids.
    let text = INPUTS.replace("id = \"a\"", "id = \"z\"").replace("\noverhead = 1.35", "");
    let fleet = "efficiency_j_per_th = { best = 17, mean = 19, worst = 22 }";
    let power = "electricity_usd_per_kwh = { low = 0.03, mean = 0.04, high = 0.05 }";
    let text = text
        .replace(fleet, "efficiency_j_per_th = { best = 16, mean = 18, worst = 21 }")
        .replace(power, "electricity_usd_per_kwh = { low = 0.04, mean = 0.05, high = 0.06 }")
        .replace("electricity_pct = 5", "electricity_pct = 0");
    let model = Model::new(Inputs::parse(&text).unwrap());
    let rows = model.curve_rows(&model.day(date(2026, 11, 15)).unwrap()).unwrap();
    let ids = rows.iter().map(|row| &*model.registry()[row.region].id);
    assert_eq!(ids.collect::<Vec<_>>(), ["b", "z"]);
}

#[test]
fn hashprice_break_evens_and_capital_follow_from_the_price() {
    let model = network_series(
        "date,difficulty,price_usd\n2026-05-18,136607070542530,76975.91\n2026-05-19,1e14,\n",
    );
    let day = model.day(date(2026, 5, 18)).unwrap();
    let price = day.network.price_usd.unwrap();
    assert_eq!(price.to_string(), "76975.91");
    let economics = model.economics(&day, price).unwrap();
    assert_eq!(economics.hashprice_usd_per_ph_day.to_string(), "35.42");
    let ratio = price.to_f64() / day.global.avg_usd.to_f64();
    assert_eq!(economics.price_to_cost.to_string(), format!("{ratio:.4}"));
    // A price far below the cost is not rounded to zero.
    let small = model.economics(&day, Decimal::new(1, 2)).unwrap();
    let ratio = 0.01 / day.global.avg_usd.to_f64();
    let hashprice = 0.01 * 3.125 * 86_400.0 * 1e15 / (136_607_070_542_530.0 * 4_294_967_296.0);
    for (figure, value) in
        [(small.price_to_cost, ratio), (small.hashprice_usd_per_ph_day, hashprice)]
    {
        assert!((figure.to_f64() / value - 1.0).abs() < 5e-6, "{figure}, {value}");
    }
    // At the break-even, the mean miner pays the price.
    let mut miner = model.mean_miner(Scope::Global, &day).unwrap().what_if();
    miner.0[0] = economics.break_even_usd_per_kwh.value();
    let cost = miner.cost_usd(day.network.difficulty, 4_294_967_296.0, 0).unwrap();
    assert!(cost.count().abs_diff(76_976) <= 1, "{cost}");
    let capital = model.capital(day.date).unwrap().unwrap();
    assert_eq!(capital.capital_usd.to_string(), "20823.18");
    // Without a price in the series, the price of the inputs file applies, and moves.
    let price = model.day(date(2026, 5, 19)).unwrap().network.price_usd.unwrap();
    assert!((64_000.0..96_000.0).contains(&price.to_f64()) && price.to_f64() != 80_000.0);
}

#[test]
fn a_price_of_the_series_is_valid_until_the_next_row() {
    let rows =
        "date,difficulty,price_usd\n2024-01-01,1e14,\n2024-01-10,1e14,50000\n2024-01-12,1e14,\n";
    let fields = "network = \"network.csv\"\nvalid_days = 20";
    let model = Model::new(parse_with_series(&without_price(), fields, rows, "").unwrap());
    let has_price = |day| model.network(date(2024, 1, day)).unwrap().price_usd.is_some();
    assert_eq!([1, 9, 10, 11, 12, 31].map(has_price), [false, false, true, true, false, false]);
    let model = Model::new(Inputs::parse(&without_price()).unwrap());
    assert_eq!(model.day(date(2026, 5, 18)).unwrap().network.price_usd, None);
}

fn without_price() -> String {
    INPUTS.replace("price_usd = 80000.0\n", "").replace("price_pct = 20\n", "")
}

#[test]
fn a_readers_price_is_at_least_a_unit_of_the_last_decimal() {
    let price = |decimals: &str, price: f64| {
        let text = INPUTS.replace("[capital]", &format!("[decimals]\nusd = {decimals}\n[capital]"));
        let variable = Model::new(Inputs::parse(&text).unwrap()).readers_price();
        if variable.takes(price) { "valid".into() } else { variable.to_string() }
    };
    assert_eq!(price("2", 70_000.0), "valid");
    assert_eq!(price("2", 0.01), "valid");
    assert_eq!(price("2", 1e-6), "price must be a number from 0.01 to 1e9");
    assert_eq!(price("6", 1e-6), "valid");
    for invalid in [f64::NAN, -1.0, 1.1e9] {
        assert_eq!(price("7", invalid), "price must be a number from 1e-6 to 1e9");
    }
}

#[test]
fn a_reward_applies_from_its_date() {
    let model = Model::new(Inputs::parse(INPUTS).unwrap());
    let region = model.registry().find("a").unwrap();
    let reward = |date| model.day_inputs(region, date).unwrap().block_reward_coins;
    assert_eq!(reward(date(1, 1, 1)), 3.125);
    assert_eq!(reward(date(2028, 4, 16)), 3.125);
    assert_eq!(reward(date(2028, 4, 17)), 1.5625);
    assert_eq!(reward(date(9999, 12, 31)), 0.78125);
    // The forecast is the long-run mean with the reward of the day.
    let forecast = |date| model.forecast_avg_usd(&model.day(date).unwrap(), 7).to_f64();
    let ratio = forecast(date(2028, 4, 17)) / forecast(date(2028, 4, 16));
    assert!((ratio - 2.0).abs() < 1e-6, "{ratio}");
    assert_eq!(model.coin().name, "bitcoin");
    assert_eq!(model.coin().unit(), "BTC");
}

#[test]
fn a_row_that_is_too_old_leaves_a_gap() {
    let rows = "date,difficulty\n2024-01-01,1e14\n2024-01-20,1e14\n2024-03-01,1e14\n";
    let fields = "network = \"network.csv\"\nvalid_days = 20";
    let model = with_series(fields, rows, "");
    let has_data = |month, day| model.day(date(2024, month, day)).is_ok();
    assert!(has_data(1, 1) && has_data(1, 20) && has_data(2, 9) && has_data(3, 21));
    assert!(!has_data(2, 10) && !has_data(2, 29) && !has_data(3, 22));
    assert_eq!(
        model.day(date(2024, 2, 15)).unwrap_err().to_string(),
        "No data for 2024-02-15. Data runs from 2024-01-01 to 2024-03-21, with a gap from 2024-02-10 to 2024-02-29."
    );
    let model_of_a_day = with_series(fields, &rows.replace("2024-03-01", "2024-02-11"), "");
    assert_eq!(
        model_of_a_day.check(date(2024, 2, 10)).unwrap_err().to_string(),
        "No data for 2024-02-10. Data runs from 2024-01-01 to 2024-03-02, with a gap on 2024-02-10."
    );
    assert_eq!(
        model.check(date(2024, 4, 1)).unwrap_err().to_string(),
        "No data for 2024-04-01. Data runs from 2024-01-01 to 2024-03-21."
    );
    let (from, to) = (date(2024, 2, 8), date(2024, 3, 2));
    let with_data = days(from, to).filter(|day| model.check(*day).is_ok());
    let expected = [from, date(2024, 2, 9), date(2024, 3, 1), to];
    assert_eq!(with_data.collect::<Vec<_>>(), expected);
    let gap = (date(2024, 2, 10), date(2024, 2, 29));
    assert!(model.overlap(gap.0, gap.1).is_err());
    assert_eq!(model.overlap(gap.0, to).unwrap(), (date(2024, 3, 1), to));
    assert_eq!(model.overlap(from, gap.1).unwrap(), (from, date(2024, 2, 9)));
    assert_eq!(model.nearest_covered(gap.1), date(2024, 2, 9));
    assert_eq!(model.nearest_covered(date(2020, 1, 1)), date(2024, 1, 1));
}

#[test]
fn a_day_needs_a_valid_row_of_every_region() {
    let regions = "date,region_id,hashrate_share_pct\n2024-01-01,a,70\n2024-01-11,b,30\n2024-01-30,a,40\n2024-01-31,b,60\n";
    let fields = "regions = \"regions.csv\"\nregions_valid_days = 15";
    let model = with_series(fields, "", regions);
    // The row of a is too old from 2024-01-17 to 2024-01-29, and that of b from 2024-01-27 to 2024-01-30.
    // The shares on 2024-01-30 do not sum to 100, but that day is not covered.
    let covered = |day| model.check(date(2024, 1, day)).is_ok();
    assert_eq!(
        (1..=31).filter(|day| covered(*day)).collect::<Vec<_>>(),
        [11, 12, 13, 14, 15, 16, 31]
    );
    let error =
        parse_with_series(INPUTS, fields, "", &regions.replace("b,60", "b,61")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "regions.csv line 5: on 2024-01-31, the hashrate_share_pct values add up to 101; expected exactly 100"
    );
}

#[test]
fn provenance_names_what_is_generated() {
    let model = Model::new(Inputs::parse(INPUTS).unwrap());
    let day = date(2024, 1, 1);
    assert_eq!(model.provenance(Scope::Global, day), Ok(Provenance::Synthetic));
    let network = "date,difficulty,hashrate_eh,fee_usd,price_usd\n2024-01-01,1e14,700,1,50000\n2024-01-02,1e14,,1,\n";
    let regions = "date,region_id,electricity_usd_per_kwh_low,electricity_usd_per_kwh_mean,electricity_usd_per_kwh_high\n2024-01-01,a,0.04,0.05,0.06\n2024-01-01,b,0.04,0.05,\n2024-01-02,b,0.04,0.05,0.06\n";
    let fields = "network = \"network.csv\"\nregions = \"regions.csv\"";
    let model = with_series(fields, network, regions);
    let [a, b] = ["a", "b"].map(|id| Scope::find(id, model.registry()).unwrap());
    let provenance = |scope, day| model.provenance(scope, day).unwrap();
    assert_eq!(provenance(a, day), Provenance::OperatorData);
    assert_eq!(provenance(b, day), Provenance::Mixed(vec!["electricity"]));
    assert_eq!(provenance(Scope::Global, day), Provenance::Mixed(vec!["electricity"]));
    let next = date(2024, 1, 2);
    assert_eq!(provenance(Scope::Global, next), Provenance::Mixed(vec!["hashrate", "price"]));
    let model = network_series("date,difficulty\n2024-01-01,1e14\n");
    let generated = vec!["hashrate", "fee", "price", "electricity"];
    assert_eq!(model.provenance(a, day), Ok(Provenance::Mixed(generated)));
    let still = INPUTS.replace("hashrate_pct = 7\nfee_pct = 50", "hashrate_pct = 0\nfee_pct = 0");
    let field = "network = \"network.csv\"";
    let inputs = parse_with_series(&still, field, "date,difficulty\n2024-01-01,1e14\n", "");
    let provenance = Model::new(inputs.unwrap()).provenance(a, day);
    assert_eq!(provenance, Ok(Provenance::Mixed(vec!["price", "electricity"])));
}

#[test]
fn a_halving_is_attributed_to_the_block_reward() {
    let rows = "date,difficulty,block_reward_coins\n2024-04-18,86388558925171,6.25\n2024-04-20,86388558925171,3.125\n";
    let model = network_series(rows);
    for scope in ["global", "a", "b"] {
        let scope = Scope::find(scope, model.registry()).unwrap();
        let change = model.change(scope, date(2024, 4, 18), date(2024, 4, 21)).unwrap();
        let [difficulty, reward, efficiency, electricity, overhead] = change.factors[..5] else {
            panic!("a factor is missing")
        };
        assert_eq!((reward.from, reward.to), (Some(6.25), Some(3.125)));
        assert_eq!(reward.change_pct, 100.0);
        for unchanged in [difficulty, efficiency, overhead] {
            assert_eq!(unchanged.change_pct.to_string(), "0");
            assert_eq!(unchanged.change_usd.count(), 0);
        }
        let total = change.total_usd.to_f64();
        let parts = reward.change_usd.to_f64() + electricity.change_usd.to_f64();
        assert!((total - parts).abs() < 0.001, "{change:?}");
        assert!(reward.change_usd.to_f64() / change.from_usd.to_f64() > 0.95, "{change:?}");
    }
}

#[test]
fn a_region_that_starts_or_stops_mining_counts_as_shares() {
    let header = "date,region_id,hashrate_share_pct,electricity_usd_per_kwh_mean";
    let regions = format!(
        "{header}\n2024-01-01,a,100,0.05\n2024-01-01,b,0,0.04\n2024-01-02,a,50,0.05\n2024-01-02,b,50,0.04\n2024-01-03,a,0,0.05\n2024-01-03,b,100,0.04\n"
    );
    let model = with_series(
        "network = \"network.csv\"\nregions = \"regions.csv\"",
        "date,difficulty\n2024-01-01,1e14\n",
        &regions,
    );
    for (since, to) in [(1, 2), (2, 3), (1, 3), (3, 1)] {
        let [since, to] = [since, to].map(|day| date(2024, 1, day));
        let change = model.change(Scope::Global, since, to).unwrap();
        assert_ne!(change.total_usd.count(), 0);
        assert_eq!(change.factors[5].factor.name(), "shares");
        assert_eq!(change.factors[5].change_usd, change.total_usd);
        assert_eq!(change.factors[4].from, None);
        let day = model.day(since).unwrap();
        assert!(model.mean_miner(Scope::Global, &day).is_ok());
        for region in model.registry().indices() {
            let mining = model.explain(Scope::Region(region), since).unwrap().mining;
            assert!(mining.usd_per_ph_and_day.value() > 0.0);
        }
    }
}

#[test]
fn a_region_has_its_own_overhead() {
    let model = Model::new(Inputs::parse(INPUTS).unwrap());
    let day = model.day(date(2026, 11, 15)).unwrap();
    for (id, overhead) in [("a", 1.2), ("b", 1.35)] {
        let region = model.registry().find(id).unwrap();
        assert_eq!(model.day_inputs(region, day.date).unwrap().overhead, overhead);
        let explanation = model.explain(Scope::Region(region), day.date).unwrap();
        assert_eq!(explanation.mean_miner.steps.overhead.value(), overhead);
        assert_eq!(explanation.cases[1].steps.overhead.value(), overhead);
    }
    let miner = model.mean_miner(Scope::Global, &day).unwrap();
    assert!((1.2..1.35).contains(&miner.steps.overhead.value()));
    assert!(miner.steps.overhead.to_string().len() <= 9, "{}", miner.steps.overhead);
    let energy_usd = miner.steps.energy_usd_per_coin.value();
    assert_eq!(model.usd(energy_usd * miner.steps.overhead.value()), day.global.avg_usd);
    let explanation = model.explain(Scope::Global, day.date).unwrap();
    assert_eq!(explanation.mean_miner.steps.overhead, miner.steps.overhead);
    let per_day = 24.0
        * miner.steps.efficiency_j_per_th.value()
        * miner.steps.electricity_usd_per_kwh.value();
    let per_day =
        per_day * miner.steps.overhead.value() / explanation.mining.usd_per_ph_and_day.value();
    assert!((per_day - 1.0).abs() < 1e-3, "{per_day}");
    let cost = miner.what_if().cost_usd(miner.difficulty, miner.hashes_per_difficulty.value(), 2);
    assert_eq!(cost, Some(day.global.avg_usd));
    let regions = "date,region_id,overhead\n2024-01-01,a,1.1\n2024-01-02,a,\n";
    let model = with_series("regions = \"regions.csv\"", "", regions);
    let region = model.registry().find("a").unwrap();
    let overhead = |day| model.day_inputs(region, date(2024, 1, day)).unwrap().overhead;
    assert_eq!([1, 2].map(overhead), [1.1, 1.2]);
}

/// Invalid inputs: a piece of [`INPUTS`] and its replacement.
const INVALID_INPUTS: [(&str, &str); 18] = [
    ("name = \"bitcoin\"", "name = \"\""),
    ("name = \"bitcoin\"", "name = \"=bitcoin\""),
    ("symbol = \"BTC\"", "symbol = \"B$\""),
    ("symbol = \"BTC\"", "symbol = 1"),
    ("symbol = \"BTC\"", "ticker = \"BTC\""),
    ("price_usd = 80000.0", "price_usd = 0"),
    ("price_usd = 80000.0", "price_usd = 0.011"),
    ("from = \"2028-04-17\"", "from = \"17.4.2028\""),
    ("from = \"2028-04-17\"", "from = \"2028-04-31\""),
    ("from = \"2028-04-17\"", "from = 2028-04-17"),
    ("from = \"2032-04-17\"", "from = \"2028-04-17\""),
    ("coins = 1.5625", "coins = 0"),
    ("coins = 1.5625", "coin = 1.5625"),
    ("price_pct = 20", "price_pct = 95"),
    ("years = 4.0", "years = 0"),
    ("years = 4.0\n", ""),
    ("usd_per_th = 14.0", "usd_per_th = 1e13"),
    ("overhead = 1.35", "overhead = 0.9"),
];

#[test]
fn invalid_inputs_are_refused_with_line_and_reason() {
    let message = |(piece, replacement): (&str, &str)| {
        assert_eq!(INPUTS.matches(piece).count(), 1, "{piece}");
        Inputs::parse(&INPUTS.replace(piece, replacement)).unwrap_err().to_string()
    };
    expect![[r#"
        line 3: name is ""; expected 1 to 64 visible characters, without spaces around them, not starting with =, +, - or @
        line 3: name is "=bitcoin"; expected 1 to 64 visible characters, without spaces around them, not starting with =, +, - or @
        line 4: symbol is "B$"; expected 1 to 10 characters from A-Z, a-z and 0-9
        line 4: cannot read `symbol = 1`: invalid type: integer `1`, expected a string
        line 4: cannot read `ticker = "BTC"`: unknown field `ticker`, expected `name` or `symbol`
        line 10: price_usd is 0; expected a number from 1e-6 to 1e9
        line 10: price_usd can be as low as 0.00489 USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13
        line 12: from is "17.4.2028"; expected a valid date in quotes such as "2028-04-17"
        line 12: from is "2028-04-31"; expected a valid date in quotes such as "2028-04-17"
        line 12: cannot read `from = 2028-04-17`: invalid type: table, expected a string
        line 15: from is "2028-04-17"; expected a date after the previous one, 2028-04-17
        line 13: coins is 0; expected a number from 1e-6 to 1e9
        line 13: cannot read `coin = 1.5625`: unknown field `coin`, expected `from` or `coins`
        line 22: price_pct is 95; expected a number from 0 to 90
        line 25: years is 0; expected a number from 0.1 to 100
        line 23: cannot read `[capital]`: missing field `years`
        line 23: capital: the cost of machines can be as high as 6.98e16 USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13
        line 38: overhead is 0.9; expected a number from 1 to 10"#]].assert_eq(&INVALID_INPUTS.map(message).join("\n"));
}

#[test]
fn invalid_series_are_refused_with_line_and_reason() {
    let both = "network = \"network.csv\"\nregions = \"regions.csv\"";
    let network = "date,difficulty\n2024-01-01,1e14\n";
    let regions = "date,region_id,overhead\n2024-01-01,a,1.2\n";
    for (fields, network, regions, message) in [
        (
            both,
            "date,difficulty,price_usd\n2024-01-01,1e14,-5\n",
            regions,
            "network.csv line 2: price_usd is \"-5\"; expected a number from 1e-6 to 1e9",
        ),
        (
            both,
            "date,difficulty,price_usd\n2024-01-01,1e14,0.001\n",
            regions,
            "network.csv line 2: price_usd can be as low as 0.001 USD; with 2 decimals (decimals.usd), it must be from 0.01 to 1e13",
        ),
        (
            both,
            "date,difficulty,price\n2024-01-01,1e14,5\n",
            regions,
            "network.csv line 1: unknown or duplicate column \"price\"; expected each of these at most once: date, difficulty, hashrate_eh, fee_usd, block_reward_coins, price_usd, height, fees_per_block_coins, other_revenue_usd_per_block and capital_usd_per_th; names starting with x_ are ignored",
        ),
        (
            both,
            network,
            "date,region_id,overhead\n2024-01-01,a,0.5\n",
            "regions.csv line 2: overhead is \"0.5\"; expected a number from 1 to 10",
        ),
        (
            both,
            network,
            "date,region_id,hashrate_share_pct\n2024-01-01,a,-1\n",
            "regions.csv line 2: hashrate_share_pct is \"-1\"; expected a number from 0 to 100",
        ),
        (
            "network = \"network.csv\"\nregions_valid_days = 5000",
            network,
            regions,
            "line 28: regions_valid_days is 5000; expected a whole number from 0 to 3660",
        ),
        (
            "network = \"network.csv\"\nregions = \"regions.csv\"\nvalid_days = 1\nregions_valid_days = 1",
            "date,difficulty\n2024-01-01,1e14\n2024-01-10,1e14\n",
            "date,region_id,overhead\n2024-01-05,a,1.2\n2024-01-06,a,1.2\n2024-01-12,a,1.2\n",
            "line 26: no day has data: on every day, the last row of the network or of a region is missing, or older than valid_days or regions_valid_days",
        ),
    ] {
        let error = parse_with_series(INPUTS, fields, network, regions).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

/// Costs of a region in cents, in order, and its share of the hashrate.
fn any_region() -> impl Strategy<Value = ([u64; 3], u64)> {
    let cost = prop_oneof![1..200_u64, 1..10_000_000_u64, Just(1_000_000_000_000_000)];
    ([cost.clone(), cost.clone(), cost], 0..100_u64).prop_map(|(mut costs, share)| {
        costs.sort_unstable();
        (costs, share)
    })
}

fn any_curve() -> impl Strategy<Value = (CostCurve, Decimal)> {
    prop::collection::vec(any_region(), 0..12).prop_map(|mut regions| {
        let left = 10_000 - regions.iter().map(|(_, share)| share).sum::<u64>();
        regions.push(([100, 200, 400], left));
        let usd = |count| Decimal::new(count, 2);
        let costs = |([min, avg, max], _): &([u64; 3], u64)| Costs {
            min_usd: usd(*min),
            avg_usd: usd(*avg),
            max_usd: usd(*max),
        };
        let highest = regions.iter().map(|([.., max], _)| *max).max().unwrap();
        let mut day = day_of(&[["100.00", "1.00", "1.00", "1.00"]]);
        day.hashrate_shares_pct = regions.iter().map(|(_, share)| usd(*share)).collect();
        day.regions = regions.iter().map(costs).collect();
        (CostCurve::of_regions(&day), usd(highest))
    })
}

/// Any series of the network and its regions, and two days, which often have no data.
fn any_series() -> impl Strategy<Value = (Model, Date, Date)> {
    let network = prop::collection::btree_map(
        0..2_000_i64,
        (1e3..9e15, prop::option::of(1e-3..1e3), prop::option::of(0.1..1e6)),
        1..12,
    );
    let region = (0..=100_u64, 1.0..10.0, 0.05..0.06);
    let regions = prop::collection::btree_map(0..2_000_i64, region, 1..12);
    (network, regions, 0..2_100_i64, 0..2_100_i64)
        .prop_map(|(network, regions, one, other)| {
            let on = |day: i64| date(2020, 1, 1).checked_add(day.days()).unwrap();
            let cell = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
            let mut rows = "date,difficulty,block_reward_coins,price_usd\n".to_owned();
            for (day, (difficulty, reward, price)) in network {
                rows += &format!("{},{difficulty},{},{}\n", on(day), cell(reward), cell(price));
            }
            let mut region_rows =
                "date,region_id,hashrate_share_pct,overhead,electricity_usd_per_kwh_mean\n"
                    .to_owned();
            for (day, (share, overhead, price)) in regions {
                region_rows += &format!("{},a,{share},{overhead},{price}\n", on(day));
                region_rows += &format!("{},b,{},,0.045\n", on(day), 100 - share);
            }
            let days = "valid_days = 900\nregions_valid_days = 1500";
            let fields = format!("network = \"network.csv\"\nregions = \"regions.csv\"\n{days}");
            let text = INPUTS.replace("[movement]", "[decimals]\nusd = 4\n[movement]");
            let inputs = parse_with_series(&text, &fields, &rows, &region_rows).ok()?;
            Some((Model::new(inputs), on(one), on(other)))
        })
        .prop_filter_map("costs that can be published", |model| model)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn percentiles_ascend_and_the_maximum_covers_all_hashrate((curve, highest) in any_curve()) {
        let percentiles: Vec<Decimal> = (0..=100).map(|p| curve.percentiles_usd([p])[0]).collect();
        prop_assert!(percentiles.is_sorted(), "{:?}", percentiles);
        prop_assert!(percentiles[100] <= highest);
        prop_assert_eq!(curve.share_below_pct(highest).to_string(), "100.00");
        for (percent, cost) in (0_u64..).zip(&percentiles) {
            // Costs are rounded to cents, so one cent more always reaches the share.
            let above = Decimal::new(cost.count() + 1, 2);
            prop_assert!(curve.share_below_pct(above).count() + 1 >= percent * 100);
        }
    }

    #[test]
    fn parts_of_a_change_sum_exactly_to_the_total((model, since, date) in any_series()) {
        let regions = model.registry().indices().map(Scope::Region);
        for scope in std::iter::once(Scope::Global).chain(regions) {
            let Ok(change) = model.change(scope, since, date) else {
                prop_assert!(model.check(since).is_err() || model.check(date).is_err());
                continue;
            };
            let parts = change.factors.iter().map(|factor| factor.change_usd.count());
            prop_assert_eq!(parts.sum::<i64>(), change.total_usd.count());
            prop_assert!(change.factors.iter().all(|factor| factor.change_pct.is_finite()));
            let day = model.day(date).unwrap();
            prop_assert!(model.curve_rows(&day).is_ok() && model.provenance(scope, date).is_ok());
            let price = day.network.price_usd.unwrap();
            let economics = model.economics(&day, price).unwrap();
            prop_assert!(economics.break_even_j_per_th.value() > 0.0);
            let text = change.total_usd.to_string();
            prop_assert_eq!(text.parse::<f64>().unwrap(), change.total_usd.to_f64());
        }
    }
}
