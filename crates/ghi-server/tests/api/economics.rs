//! The cost curve, prices and changes: files, charts and pages.

use std::fs;
use std::path::Path;

use ghi_engine::{CostCurve, DEFAULT_INPUTS, Decimal, Model, Scope};
use ghi_server::Inputs;
use serde_json::{Value, json};

use crate::support::{NOON, TestServer};

fn server_of(inputs: &str) -> TestServer {
    TestServer::with_inputs(Inputs::parse(inputs).unwrap())
}

fn without_price() -> String {
    DEFAULT_INPUTS.replace("price_usd = 70000.0\n", "")
}

fn with_capital() -> String {
    format!("{DEFAULT_INPUTS}\n[capital]\nusd_per_th = 14.0\nyears = 4.0\n")
}

/// The rows of a table below a header.
#[track_caller]
fn rows(server: &TestServer, target: &str, header: &str) -> Vec<Vec<String>> {
    let answer = server.get(target);
    assert_eq!(answer.status, 200, "{target}: {}", answer.body);
    assert_eq!(answer.header("content-type"), Some("text/csv; charset=utf-8; header=present"));
    let mut lines = answer.body.lines();
    assert_eq!(lines.next(), Some(header), "{target}");
    lines.map(|line| line.split(',').map(String::from).collect()).collect()
}

fn cents(text: &str) -> i64 {
    text.replace('.', "").parse().unwrap()
}

const CURVE: &str = "date,region_id,name,hashrate_share_pct,cumulative_share_pct,min_cost_usd,avg_cost_usd,max_cost_usd";
const DISTRIBUTION: &str = "date,p5_cost_usd,p10_cost_usd,p25_cost_usd,p50_cost_usd,p75_cost_usd,p90_cost_usd,p95_cost_usd";
const ECONOMICS: &str = "date,price_usd,avg_cost_usd,price_to_cost,hashprice_usd_per_ph_day,break_even_usd_per_kwh,break_even_j_per_th,hashrate_below_price_pct,energy_cost_usd,all_in_cost_usd,low_cost_usd,high_cost_usd,revenue_to_cost,power_gw,energy_twh_per_year";
const INPUTS: &str = "date,region_id,difficulty,block_reward_coins,hashrate_share_pct,efficiency_j_per_th_best,efficiency_j_per_th_mean,efficiency_j_per_th_worst,electricity_usd_per_kwh_low,electricity_usd_per_kwh_mean,electricity_usd_per_kwh_high,overhead";

#[test]
fn the_cost_curve_has_the_cheapest_region_first_and_sums_up_the_shares() {
    let server = TestServer::at(NOON);
    let model = Model::new(Inputs::default());
    for date in ["2026-11-15", "2024-02-29"] {
        let day = model.day(date.parse().unwrap()).unwrap();
        let curve = rows(&server, &format!("/export/cost-curve.csv?date={date}"), CURVE);
        let number = |row: &[String], column: usize| row[column].parse::<f64>().unwrap();
        assert!(curve.iter().map(|row| number(row, 6)).is_sorted());
        assert_eq!(curve[2][4], "100.00");
        for row in &curve {
            assert_eq!(row[0], date);
            let region = model.registry().find(&row[1]).unwrap();
            assert_eq!(row[2], model.registry()[region].name);
            let costs = day.regions[region.get()];
            let published = [costs.min_usd, costs.avg_usd, costs.max_usd];
            assert_eq!(row[5..], published.map(|cost| cost.to_string()));
        }
    }
    let today = server.get("/export/cost-curve.csv");
    assert_eq!(today.body, server.get("/export/cost-curve.csv?date=2026-11-15").body);
    let disposition = Some("attachment; filename=\"ghi-cost-curve-2026-11-15.csv\"");
    assert_eq!(today.header("content-disposition"), disposition);
}

#[test]
fn capital_adds_the_full_cost_to_the_curve_and_to_explanations_alone() {
    let (server, plain) = (server_of(&with_capital()), TestServer::at(NOON));
    let curve = rows(&server, "/export/cost-curve.csv", &format!("{CURVE},full_cost_usd"));
    let capital: Vec<i64> = curve.iter().map(|row| cents(&row[8]) - cents(&row[6])).collect();
    assert!(capital[0] > 0 && capital.iter().all(|of_region| *of_region == capital[0]));
    let explanation = server.json("/export/explain.json?region_id=us");
    let number = |name: &str| explanation["capital"][name].as_f64().unwrap();
    assert_eq!((number("capital_usd") * 100.0).round() as i64, capital[0]);
    let average = explanation["costs"]["avg_cost_usd"].as_f64().unwrap();
    assert!((number("full_cost_usd") - average - number("capital_usd")).abs() < 1e-6);
    let html = server.get("/explain?region_id=us").body;
    assert!(html.contains("Full cost, average") && html.contains("× 4 years ×"), "{html}");
    assert!(plain.json("/export/explain.json").get("capital").is_none());
    assert!(!plain.get("/explain").body.contains("Full cost"));
    for path in ["/v1/ghi/snapshot", "/v1/ghi/regions/us", "/v1/ghi/network"] {
        assert_eq!(server.get(path).body, plain.get(path).body, "{path}");
    }
}

#[test]
fn percentiles_match_the_engine_and_increase() {
    let server = TestServer::at(NOON);
    let model = Model::new(Inputs::default());
    let table = rows(&server, "/export/distribution.csv?range=30d", DISTRIBUTION);
    assert_eq!(table.len(), 30);
    for row in &table {
        let day = model.day(row[0].parse().unwrap()).unwrap();
        let percentiles = CostCurve::of_regions(&day).percentiles_usd(CostCurve::PERCENTILES);
        assert_eq!(row[1..], percentiles.map(|cost| cost.to_string()));
        assert!(percentiles.is_sorted());
    }
    let day = rows(&server, "/export/distribution.csv?date=2026-11-15", DISTRIBUTION);
    assert_eq!(day, table[29..]);
}

#[test]
fn economics_match_the_engine_at_the_market_price_or_the_readers() {
    let server = TestServer::at(NOON);
    let model = Model::new(Inputs::default());
    for (query, price) in [("", None), ("&price=70000", Some("70000.00"))] {
        let target = format!("/export/economics.csv?from=2026-11-01{query}");
        for row in rows(&server, &target, ECONOMICS) {
            let day = model.day(row[0].parse().unwrap()).unwrap();
            let market = day.network.price_usd.unwrap();
            assert_eq!(row[1], price.map_or(market.to_string(), String::from));
            let usd = Decimal::new(row[1].replace('.', "").parse().unwrap(), 2);
            let expected = model.economics(&day, usd).unwrap();
            assert_eq!(row[2], day.global.avg_usd.to_string());
            let ratio = usd.to_f64() / day.global.avg_usd.to_f64();
            assert_eq!(row[3], format!("{ratio:.4}"));
            assert_eq!(row[4], expected.hashprice_usd_per_ph_day.to_string());
            assert_eq!(row[5], expected.break_even_usd_per_kwh.to_string());
            assert_eq!(row[6], expected.break_even_j_per_th.to_string());
            assert_eq!(row[7], CostCurve::of_regions(&day).share_below_pct(usd).to_string());
            // There are no machines, no uncertainty and no other revenue.
            assert_eq!(row[8], model.levels(&day).unwrap().energy_cost_usd.to_string());
            assert_eq!((&*row[9], &*row[10], &*row[11], &row[12]), ("", "", "", &row[3]));
            let power = model.levels(&day).unwrap();
            assert_eq!(
                [&row[13], &row[14]],
                [&*power.power_gw.to_string(), &*power.energy_twh_per_year.to_string()]
            );
        }
    }
}

#[test]
fn without_a_price_the_cells_that_need_one_are_empty() {
    let server = server_of(&without_price());
    for (query, count) in [("", 7), ("?range=7d", 7), ("?date=2026-11-15", 1)] {
        let table = rows(&server, &format!("/export/economics.csv{query}"), ECONOMICS);
        assert_eq!(table.len(), count);
        for row in table {
            let empty: Vec<usize> = (0..15).filter(|column| row[*column].is_empty()).collect();
            assert_eq!(empty, [1, 3, 4, 5, 6, 7, 9, 10, 11, 12], "{row:?}");
        }
    }
    let table = rows(&server, "/export/economics.csv?price=80000", ECONOMICS);
    assert!(table.iter().all(|row| row[1] == "80000.00" && row[3] == row[12]));
    assert!(server.get("/charts/cost-curve.svg").body.contains(" for less than the average"));
    for price in ["", "0", "-1", "NaN", "inf", "1e10", "eighty"] {
        let answer = server.get(&format!("/export/economics.csv?price={price}"));
        answer.assert_problem(400, "invalid_parameter");
        let detail = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.starts_with("price must be a number from 0.01 to 1e9"), "{detail}");
    }
}

#[test]
fn economics_have_every_covered_day() {
    let text = without_price().replacen(
        "[[region]]",
        "[series]\nnetwork = \"network.csv\"\nvalid_days = 1\n[[region]]",
        1,
    );
    let network =
        "date,difficulty,price_usd\n2026-11-01,1e14,\n2026-11-03,1e14,70000\n2026-11-12,1e14,\n";
    let inputs = Inputs::parse_with_series(&text, |_| Ok(network.into())).unwrap();
    let server = TestServer::with_inputs(inputs);
    let table = rows(&server, "/export/economics.csv?from=2026-10-01&to=2026-12-01", ECONOMICS);
    let days: Vec<_> = table.iter().map(|row| [&row[0][8..], &*row[1]]).collect();
    let expected =
        [["01", ""], ["02", ""], ["03", "70000.00"], ["04", "70000.00"], ["12", ""], ["13", ""]];
    assert_eq!(days, expected);
    server.get("/export/economics.csv?date=2026-11-05").assert_problem(503, "no_figures");
}

/// The network of the worked examples on 2026-05-18: one region with this mean efficiency, a fleet, machines, fees,
/// a pool fee and errors.
fn example(mean_efficiency: &str) -> TestServer {
    let text = format!(
        r#"seed = 1
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
        valid_days = 365
        [[region]]
        id = "all"
        name = "All"
        hashrate_share_pct = 100
        efficiency_j_per_th = {{ best = 15, mean = {mean_efficiency}, worst = 30 }}
        electricity_usd_per_kwh = {{ low = 0.04, mean = 0.05, high = 0.065 }}
"#
    );
    let inputs = Inputs::parse_with_series(&text, |name| match name {
        "network.csv" => Ok(b"date,difficulty\n2026-05-17,136607070542530\n".to_vec()),
        _ => Ok(b"date,efficiency_j_per_th,share_pct\n\
            2026-05-18,20,35\n2026-05-18,30,25\n2026-05-18,15,40\n"
            .to_vec()),
    });
    TestServer::with_inputs(inputs.unwrap())
}

#[test]
fn the_worked_example_of_a_fleet_is_served() {
    let server = example("19");
    let header = "date,region_id,efficiency_j_per_th,hashrate_share_pct,min_cost_usd,avg_cost_usd,max_cost_usd";
    let table = rows(&server, "/export/merit-order.csv?date=2026-05-18", header);
    let expected = [
        "2026-05-18,all,13.902439,40.000000,34802.69,43503.36,56554.36",
        "2026-05-18,all,18.5365854,35.000000,46403.58,58004.48,75405.82",
        "2026-05-18,all,27.804878,25.000000,69605.37,87006.71,113108.73",
    ];
    assert_eq!(table.iter().map(|row| row.join(",")).collect::<Vec<_>>(), expected);
    let table = rows(&server, "/export/distribution.csv?date=2026-05-18", DISTRIBUTION);
    let expected = "2026-05-18,36434.06,38065.44,45134.73,53421.41,72352.95,88746.85,100927.79";
    assert_eq!(table[0].join(","), expected);
    // A day before the fleet has one row per region.
    let table = rows(&server, "/export/merit-order.csv?date=2026-05-17", header);
    assert_eq!(table[0][2..4], ["19", "100.000000"]);
    assert_eq!(table.len(), 1);
    // At these prices, a coin earns 40,000, 50,000 and 60,000 USD.
    for (revenue, share) in [(40_000.0, "15.93"), (50_000.0, "38.62"), (60_000.0, "61.72")] {
        let price = revenue / 0.98 / (3.145 / 3.125);
        let target = format!("/export/economics.csv?date=2026-05-18&price={price:.2}");
        assert_eq!(rows(&server, &target, ECONOMICS)[0][7], share);
    }
}

#[test]
fn the_worked_examples_of_revenue_and_uncertainty_are_served() {
    // With this efficiency, the average is 55,495.
    let server = example("17.73462821");
    let target = "/export/economics.csv?date=2026-05-18&price=76975.91";
    let row = &rows(&server, target, ECONOMICS)[0];
    assert_eq!(row[1..5], ["76975.91", "55495.00", "1.3871", "34.94"]);
    let expected = ["46245.83", "76318.18", "43100.36", "71454.04", "1.3680"];
    assert_eq!(row[8..13], expected);
    let html = server.get("/?price=76975.91").body;
    assert!(html.contains("1.39×") && html.contains("$34.94"), "{html}");
    let svg = server.get("/charts/cost-curve.svg?date=2026-05-18&price=76975.91").body;
    let share: f64 = row[7].parse().unwrap();
    let finding =
        format!("{share:.0}% of the hashrate mines a coin at a profit at a price of $76,976");
    assert!(svg.contains(&finding), "{svg}");
}

/// A server of the real edition of Bitcoin, whose clock is stopped on its last day.
fn bitcoin() -> TestServer {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bitcoin");
    let text = fs::read_to_string(folder.join("inputs.toml")).unwrap();
    let read = |name: &str| fs::read(folder.join(name)).map_err(|error| error.to_string());
    let inputs = Inputs::parse_with_series(&text, read).unwrap();
    TestServer::replica(inputs, "2026-05-18T12:00:00Z")
}

#[test]
fn the_curve_by_cost_has_the_generations_of_the_fleet() {
    let server = bitcoin();
    let row = &rows(&server, "/export/economics.csv?date=2026-05-18&price=70000", ECONOMICS)[0];
    let share = row[7].parse::<f64>().unwrap();
    let finding = format!("{share:.0}% of the hashrate mines a bitcoin for less than $70,000");
    let blocks = server.get("/charts/cost-curve.svg?price=70000").body;
    let explicit = server.get("/charts/cost-curve.svg?price=70000&order=region").body;
    let by_cost = server.get("/charts/cost-curve.svg?price=70000&order=cost").body;
    assert!(blocks == explicit && !blocks.contains("J/TH") && by_cost.contains(&finding));
    // The strip below the curve has the same share.
    assert!(by_cost.contains(&format!("<rect width=\"{}%\" height=\"5\"", row[7])), "{by_cost}");
    let merit = "date,region_id,efficiency_j_per_th,hashrate_share_pct,min_cost_usd,avg_cost_usd,max_cost_usd";
    let merit = rows(&server, "/export/merit-order.csv?date=2026-05-18", merit);
    for (from, to, name) in
        [(0.0, 20.0, "Up to 20 J/TH"), (20.0, 30.0, "20 to 30 J/TH"), (30.0, 50.0, "30 to 50 J/TH")]
    {
        let number = |row: &[String], column: usize| row[column].parse::<f64>().unwrap();
        let is_in = |row: &&Vec<String>| from < number(row, 2) && number(row, 2) <= to;
        let share: f64 = merit.iter().filter(is_in).map(|row| number(row, 3)).sum();
        let share = if share < 1.0 { format!("{share:.2}") } else { format!("{share:.0}") };
        let label = format!("{name}: {share}%");
        assert_eq!(by_cost.matches(&label).count(), 2, "{label}: {by_cost}");
    }
    assert!(!by_cost.contains("Above 50 J/TH"), "{by_cost}");
    let median = &rows(&server, "/export/distribution.csv?date=2026-05-18", DISTRIBUTION)[0][4];
    let (_, after) = by_cost.split_once(", 50% ").unwrap();
    let (shown, _) = after.split_once(", 75%").unwrap();
    assert!(median.starts_with(&shown.replace(',', "")), "{shown} is not {median}");
}

#[test]
fn a_link_switches_the_order_of_the_curve_if_there_is_a_fleet() {
    let server = bitcoin();
    let by_region = server.get("/?price=70000").body;
    assert!(by_region.contains("<a href=\"/?price=70000&#38;order=cost#curve\">By cost</a>"));
    assert!(!by_region.contains("/export/merit-order.csv\" download"));
    let by_cost = server.get("/?price=70000&order=cost").body;
    for part in [
        "<a href=\"/?price=70000#curve\">By region</a>",
        "<input type=\"hidden\" name=\"order\" value=\"cost\">",
        "/charts/cost-curve.svg?price=70000&#38;order=cost",
        "/export/merit-order.csv\" download",
    ] {
        assert!(by_cost.contains(part), "{part}: {by_cost}");
    }
    // In the wide form, in the narrow form, and in the description.
    assert_eq!(by_cost.matches("Up to 20 J/TH: ").count(), 3, "{by_cost}");
    assert!(!by_cost.contains("class=\"columns\""));
}

#[test]
fn without_a_fleet_both_orders_of_the_curve_are_the_same() {
    let server = TestServer::at(NOON);
    let default = server.get("/charts/cost-curve.svg").body;
    assert_eq!(server.get("/charts/cost-curve.svg?order=cost").body, default);
    assert!(!server.get("/?order=cost").body.contains("By cost"));
    for order in ["", "avg", "Cost"] {
        let answer = server.get(&format!("/charts/cost-curve.svg?order={order}"));
        answer.assert_problem(400, "invalid_parameter");
    }
    let invalid = server.get("/?order=avg");
    assert_eq!(invalid.status, 400);
    assert!(invalid.body.contains("order must be region or cost"), "{}", invalid.body);
}

#[test]
fn explanations_have_the_full_cost_as_csv() {
    let (server, plain) = (server_of(&with_capital()), TestServer::at(NOON));
    let curve = rows(&server, "/export/cost-curve.csv", &format!("{CURVE},full_cost_usd"));
    let header = |server: &TestServer, target: &str| {
        server.get(target).body.lines().next().unwrap().to_owned()
    };
    for target in ["/export/explain.csv", "/export/explain.csv?region_id=us"] {
        let with_capital = format!("{},capital_usd,full_cost_usd", header(&plain, target));
        let table = rows(&server, target, &with_capital);
        let column = |name: &str| with_capital.split(',').position(|it| it == name);
        let cost = column("cost_usd").or(column("avg_cost_usd")).unwrap();
        for row in &table {
            let [.., capital, full] = &row[..] else { panic!("{row:?}") };
            assert_eq!(cents(&row[cost]) + cents(capital), cents(full), "{row:?}");
            let is_average = !["min", "max"].contains(&&*row[2]);
            if let Some(region) = curve.iter().find(|region| region[1] == row[1] && is_average) {
                assert_eq!(full, &region[8], "{target}");
            }
        }
    }
}

#[test]
fn pages_the_feed_and_the_chart_name_the_coin() {
    let named = DEFAULT_INPUTS.replace("\"bitcoin\"", "\"d<o>ge\"").replace("\"BTC\"", "\"DOGE\"");
    let unnamed = DEFAULT_INPUTS.replace("name = \"bitcoin\"\nsymbol = \"BTC\"\n", "");
    for (inputs, name, unit) in [(&*named, "d&#60;o&#62;ge", "DOGE"), (&*unnamed, "coin", "coin")] {
        let server = server_of(inputs);
        let check = |target: &str, text: &str| {
            let body = server.get(target).body;
            assert!(body.contains(text), "{text}: {body}");
        };
        check("/explain", &format!("How the cost of mining one <bdi>{name}</bdi> is calculated"));
        check("/explain", &format!(" USD per <bdi>{unit}</bdi> on average."));
        check("/explain", &format!(": mining one {name} costs "));
        check("/feed.xml", &format!("cost of mining one {name}, USD per {unit} ("));
        check("/feed.xml", &format!(", mining one {name} cost $"));
        check("/charts/cost-curve.svg", &format!("of the hashrate mines a {name} for less than $"));
        check("/charts/cost-curve.svg", &format!(", USD per {unit}: 5% "));
        check("/charts/regions.svg", &format!(", USD per {unit}: "));
    }
}

#[test]
fn the_explanation_of_a_change_keeps_its_day_and_links_the_tables_of_the_day() {
    let server = TestServer::at(NOON);
    let html = server.get("/explain?region_id=us&date=2026-11-14&since=2026-11-13").body;
    let query = "region_id=us&#38;date=2026-11-14&#38;since=2026-11-13";
    assert!(html.contains(&format!("/explain?{query}</p>")), "the printed URL: {html}");
    assert!(html.contains(&format!("<a href=\"/export/explain.json?{query}\">JSON</a>")), "{html}");
    assert!(html.contains("<td>0%</td>") && !html.contains("+0%"), "{html}");
    assert!(
        !server
            .get("/explain?region_id=us")
            .body
            .contains("explain?region_id=us&#38;date=2026-11-15&#38;since=")
    );
    for link in [
        "/export/cost-curve.csv?date=2026-11-14",
        "/charts/cost-curve.svg?date=2026-11-14",
        "/export/distribution.csv?date=2026-11-14",
        "/export/economics.csv?date=2026-11-14",
        "/export/inputs.csv?region_id=us&amp;date=2026-11-14",
    ] {
        assert!(html.contains(&format!("<a href=\"{link}\">")), "{link}: {html}");
        assert_eq!(server.get(&link.replace("&amp;", "&")).status, 200, "{link}");
    }
}

#[test]
fn a_single_day_excludes_other_days() {
    let server = TestServer::at(NOON);
    for path in ["/export/distribution.csv", "/export/economics.csv", "/export/inputs.csv"] {
        for query in ["range=7d", "from=2026-11-01", "to=2026-11-01"] {
            let answer = server.get(&format!("{path}?date=2026-11-15&{query}"));
            answer.assert_problem(400, "invalid_parameter");
        }
    }
}

#[test]
fn inputs_have_all_digits_that_costs_are_computed_from() {
    let server = TestServer::at(NOON);
    let model = Model::new(Inputs::default());
    let table = rows(&server, "/export/inputs.csv?from=2026-11-14", INPUTS);
    assert_eq!(table.len(), 6);
    for row in &table {
        let number = |column: usize| row[column].parse::<f64>().unwrap();
        let day = model.day(row[0].parse().unwrap()).unwrap();
        let region = model.registry().find(&row[1]).unwrap();
        let hashes = number(2) * 4_294_967_296.0 / number(3);
        let cost = |efficiency: usize, price: usize| {
            let cost = hashes * number(efficiency) / 1e12 / 3.6e6 * number(price) * number(11);
            format!("{cost:.2}")
        };
        let costs = day.regions[region.get()];
        assert_eq!(cost(5, 8), costs.min_usd.to_string());
        assert_eq!(cost(6, 9), costs.avg_usd.to_string());
        assert_eq!(cost(7, 10), costs.max_usd.to_string());
        assert_eq!(row[4], day.hashrate_shares_pct[region.get()].to_string());
    }
    let us = rows(&server, "/export/inputs.csv?region_id=us&from=2026-11-14", INPUTS);
    assert_eq!(us, [table[0].clone(), table[3].clone()]);
    server.get("/export/inputs.csv?region_id=xx").assert_problem(404, "unknown_region");
}

#[test]
fn the_chart_of_the_curve_says_what_the_tables_say() {
    let server = TestServer::at(NOON);
    let row = &rows(&server, "/export/economics.csv?date=2025-03-01", ECONOMICS)[0];
    let svg = server.get("/charts/cost-curve.svg?date=2025-03-01");
    assert_eq!(svg.header("content-type"), Some("image/svg+xml"));
    let share: f64 = row[7].parse().unwrap();
    assert!(
        svg.body.contains(&format!("{share:.0}% of the hashrate mines a bitcoin for less than $"))
    );
    assert!(svg.body.contains(">Market price</tspan>"), "{}", svg.body);
    let other = server.get("/charts/cost-curve.svg?date=2024-02-29&price=50000&theme=dark").body;
    let row = &rows(&server, "/export/economics.csv?date=2024-02-29&price=50000", ECONOMICS)[0];
    let share: f64 = row[7].parse().unwrap();
    assert!(
        other.contains(&format!("{share:.0}% of the hashrate"))
            && other.contains("29 February 2024")
    );
    assert!(other.contains(">Your price</tspan>") && other.contains(">$50,000</tspan>"), "{other}");
    server.get("/charts/cost-curve.svg?price=x").assert_problem(400, "invalid_parameter");
}

#[test]
fn a_change_is_split_into_parts_that_sum_to_it() {
    let server = TestServer::at(NOON);
    let model = Model::new(Inputs::default());
    let cents = |value: &Value| (value.as_f64().unwrap() * 100.0).round() as i64;
    for (id, factors) in [("global", 6), ("us", 5)] {
        let document =
            server.json(&format!("/export/explain.json?region_id={id}&since=2026-10-15"));
        assert_eq!(document["since"], "2026-10-15");
        let changes = document["changes"].as_array().unwrap();
        assert_eq!(changes.len(), factors);
        let sum: i64 = changes.iter().map(|change| cents(&change["change_usd"])).sum();
        assert_eq!(sum, cents(&document["total_change_usd"]));
        let scope = Scope::find(id, model.registry()).unwrap();
        let dates = ["2026-10-15", "2026-11-15"].map(|date| date.parse().unwrap());
        let [then, now] = dates.map(|date| model.costs(scope, date).unwrap().avg_usd.count());
        assert_eq!(sum, now as i64 - then as i64);
        let html = server.get(&format!("/explain?region_id={id}&since=2026-10-15")).body;
        assert!(html.contains("Change in the average since 15 October 2026"), "{html}");
        for change in changes {
            let usd = change["change_usd"].as_f64().unwrap();
            let written = signed_amount(usd);
            assert!(html.contains(&written), "{written}: {html}");
        }
    }
    let global = server.json("/export/explain.json?since=2026-10-15");
    assert_eq!(global["changes"][2]["factor"], "efficiency");
    assert_eq!(
        (&global["changes"][2]["from"], &global["changes"][5]["to"]),
        (&json!(null), &json!(null))
    );
    assert!(server.json("/export/explain.json").get("changes").is_none());
    for path in ["/explain", "/export/explain.json"] {
        let answer = server.get(&format!("{path}?since=2026-02-29"));
        answer.assert_problem(400, "invalid_parameter");
    }
    assert_eq!(server.get("/explain?since=").body, server.get("/explain").body);
}

/// A change as pages write it.
fn signed_amount(usd: f64) -> String {
    let sign = if usd > 0.0 {
        "+"
    } else if usd < 0.0 {
        "−"
    } else {
        ""
    };
    let text = format!("{:.2}", usd.abs());
    let (whole, cents) = text.split_once('.').unwrap();
    match whole.len() {
        4.. => format!("{sign}{},{}.{cents}", &whole[..whole.len() - 3], &whole[whole.len() - 3..]),
        _ => format!("{sign}{whole}.{cents}"),
    }
}

#[test]
fn the_average_miner_has_the_published_worldwide_average() {
    let document = TestServer::at(NOON).json("/export/explain.json");
    let number = |name: &str| document["mean_miner"][name].as_f64().unwrap();
    let cost =
        number("energy_kwh_per_coin") * number("electricity_usd_per_kwh") * number("overhead");
    assert_eq!((cost * 100.0).round() / 100.0, number("cost_usd"));
    assert_eq!(document["mean_miner"]["cost_usd"], document["costs"]["avg_cost_usd"]);
}
