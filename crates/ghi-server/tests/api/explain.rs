//! Explanations: the steps on the page and in the files reproduce the published costs.

use ghi_engine::DEFAULT_INPUTS;
use ghi_server::Inputs;

use crate::html;
use crate::support::{NOON, TestServer, many_regions};

/// Starts a server with the default inputs after some replacements.
fn with_inputs(changes: &[(&str, &str)]) -> TestServer {
    let mut text = DEFAULT_INPUTS.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    TestServer::with_inputs(Inputs::parse(&text).unwrap())
}

/// Networks with costs from cents to thousands of dollars.
fn servers() -> [TestServer; 3] {
    let dear = [("hashrate_eh = 975.0", "hashrate_eh = 9876.5"), ("coins = 3.125", "coins = 0.37")];
    let cheap = [("hashrate_eh = 975.0", "hashrate_eh = 10.1"), ("coins = 3.125", "coins = 49.9")];
    [TestServer::at(NOON), with_inputs(&dear), with_inputs(&cheap)]
}

const DATES: [&str; 5] = ["2026-11-15", "2026-11-10", "0001-01-01", "9999-12-31", "2028-02-29"];

/// Checks that the steps multiply to the published cost. In order: difficulty, hashes per difficulty, reward,
/// hashes per coin, J/TH, kWh, USD/kWh, energy cost in USD, overhead, cost.
fn follow(steps: &[f64; 10], published: &str) {
    let [
        difficulty,
        per_difficulty,
        reward,
        hashes,
        efficiency,
        energy,
        price,
        energy_usd,
        overhead,
        _,
    ] = *steps;
    let kwh = |hashes: f64| hashes * efficiency / 1e12 / 3.6e6;
    for cost in [
        kwh(difficulty * per_difficulty / reward) * price * overhead,
        kwh(hashes) * price * overhead,
        energy * price * overhead,
        energy_usd * overhead,
    ] {
        assert_eq!(format!("{cost:.2}"), published, "{steps:?}");
    }
}

/// The rows of a table on the page: machine-readable values, or texts without thousands separators.
fn rows(html: &str, section: &str) -> Vec<Vec<String>> {
    let cells = |row: scraper::ElementRef<'_>| {
        let cells = row.child_elements().filter(|cell| cell.value().name() == "td");
        let cells = cells.flat_map(|cell| {
            let value = cell.child_elements().find_map(|data| data.attr("value"));
            let text = value.map_or(html::text(cell).replace(',', ""), str::to_owned);
            let times = cell.attr("colspan").map_or(1, |times| times.parse().unwrap());
            vec![text; times]
        });
        cells.collect()
    };
    html::elements(html, &format!("section.{section} tr"), cells).split_off(1)
}

/// The records of a CSV file by column name.
fn records(csv: &str) -> Vec<std::collections::HashMap<String, String>> {
    let mut lines = csv.split_terminator("\r\n").map(|line| line.split(',').map(str::to_owned));
    let names: Vec<String> = lines.next().unwrap().collect();
    lines.map(|fields| names.iter().cloned().zip(fields).collect()).collect()
}

/// The published costs of each region on a day, from that day's CSV file.
fn published(server: &TestServer, date: &str) -> Vec<[String; 5]> {
    let csv = server.get(&format!("/export/explain.csv?date={date}")).body;
    let field =
        |record: &std::collections::HashMap<String, String>, name: &str| record[name].clone();
    let names = ["region_id", "min_cost_usd", "avg_cost_usd", "max_cost_usd", "hashrate_share_pct"];
    records(&csv).iter().map(|record| names.map(|name| field(record, name))).collect()
}

#[test]
fn todays_explained_costs_match_the_api() {
    for server in servers() {
        let snapshot = server.json("/v1/ghi/snapshot");
        let shown = published(&server, "2026-11-15");
        let costs = |document: &serde_json::Value, prefix: &str| {
            ["min", "avg", "max"].map(|bound| {
                format!("{:.2}", document[format!("{prefix}{bound}_cost_usd")].as_f64().unwrap())
            })
        };
        for (region, [id, min, avg, max, _]) in
            snapshot["regions"].as_array().unwrap().iter().zip(&shown)
        {
            assert_eq!(region["id"], **id);
            assert_eq!(costs(region, ""), [min, avg, max].map(String::clone));
        }
        let [id, min, avg, max, share] = shown.last().unwrap();
        assert_eq!((&**id, &**share), ("global", "100.00"));
        assert_eq!(costs(&snapshot, "global_"), [min, avg, max].map(String::clone));
    }
}

#[test]
fn the_digits_on_the_page_multiply_to_the_published_costs() {
    for server in servers() {
        for date in DATES {
            for [id, min, avg, max, _] in published(&server, date).iter().take(3) {
                let html = server.get(&format!("/explain?region_id={id}&date={date}")).body;
                let steps = rows(&html, "steps");
                assert_eq!(steps.len(), 10, "{html}");
                for (column, cost) in [min, avg, max].into_iter().enumerate() {
                    let steps = std::array::from_fn(|step| steps[step][column].parse().unwrap());
                    follow(&steps, cost);
                    assert_eq!(format!("{:.2}", steps[9]), *cost);
                }
            }
        }
    }
}

#[test]
fn the_digits_in_the_table_multiply_to_the_published_costs() {
    let steps = [
        "difficulty",
        "hashes_per_difficulty",
        "block_reward_coins",
        "hashes_per_coin",
        "efficiency_j_per_th",
        "energy_kwh_per_coin",
        "electricity_usd_per_kwh",
        "energy_usd_per_coin",
        "overhead",
        "cost_usd",
    ];
    for server in servers() {
        for date in DATES {
            for [id, min, avg, max, _] in published(&server, date).iter().take(3) {
                let csv = server.get(&format!("/export/explain.csv?region_id={id}&date={date}"));
                let records = records(&csv.body);
                let bounds: Vec<&str> = records.iter().map(|record| &*record["bound"]).collect();
                assert_eq!(bounds, ["min", "avg", "max"]);
                for (record, cost) in records.iter().zip([min, avg, max]) {
                    assert_eq!((&record["date"], &record["region_id"]), (&date.to_owned(), id));
                    follow(&steps.map(|step| record[step].parse().unwrap()), cost);
                    assert_eq!(record["cost_usd"], *cost);
                    assert_eq!(record["fingerprint"].len(), 64);
                }
            }
        }
    }
}

#[test]
fn contributions_sum_to_the_global_average_on_the_page_and_in_the_table() {
    let exact = |text: &str| text.replace('.', "").parse::<u64>().unwrap();
    for server in servers() {
        for date in DATES {
            let html = server.get(&format!("/explain?date={date}")).body;
            let shown = rows(&html, "mean");
            let [regions @ .., sum, rounded] = &shown[..] else { panic!("{shown:?}") };
            assert_eq!(regions.len(), 3);
            let total: u64 = regions.iter().map(|row| exact(&row[2])).sum();
            assert_eq!(total, exact(&sum[2]), "{date}");
            assert_eq!((total + 5_000) / 10_000, exact(&rounded[2]), "{date}");
            let csv = records(&server.get(&format!("/export/explain.csv?date={date}")).body);
            let (world, regions) = csv.split_last().unwrap();
            assert_eq!(exact(&world["avg_cost_usd"]), exact(&rounded[2]));
            for region in regions {
                let product = exact(&region["hashrate_share_pct"]) * exact(&region["avg_cost_usd"]);
                assert_eq!(exact(&region["contribution_usd"]), product);
            }
            assert_eq!(exact(&world["contribution_usd"]), total);
        }
    }
}

#[test]
fn the_regions_that_set_minimum_and_maximum_are_named_and_derived() {
    let server = TestServer::at(NOON);
    for date in DATES {
        let html = server.get(&format!("/explain?date={date}")).body;
        let links = html::attributes(&html, "section.steps thead a", "href");
        let steps = rows(&html, "steps");
        let [regions @ .., world] = &published(&server, date)[..] else { panic!("{date}") };
        for (column, cost, of) in [(0, &world[1], 1), (1, &world[3], 3)] {
            let steps = std::array::from_fn(|step| steps[step][column].parse().unwrap());
            follow(&steps, cost);
            let setting = regions.iter().find(|region| region[of] == *cost).unwrap();
            let link = format!("/explain?region_id={}&date={date}", setting[0]);
            assert_eq!(links[column], link);
        }
    }
}

#[test]
fn another_day_is_explained_as_it_was_published_then() {
    let replica_at = |moment| TestServer::replica(Inputs::default(), moment);
    let then = replica_at("2026-11-10T00:00:00Z").get("/explain?region_id=eu");
    let now = replica_at(NOON).get("/explain?region_id=eu&date=2026-11-10");
    assert_eq!(then.body, now.body);
    assert_eq!(then.header("etag"), now.header("etag"));
    let server = TestServer::at(NOON);
    let today = server.get("/explain");
    assert_eq!(server.get("/explain?region_id=global&date=2026-11-15").body, today.body);
    assert_ne!(server.get("/explain?date=2026-11-14").body, today.body);
}

#[test]
fn an_invalid_date_is_rejected() {
    let server = TestServer::at(NOON);
    for path in ["/explain", "/export/explain.csv", "/export/explain.json"] {
        for date in ["x", "2026-02-29", "2026-11", "0000-01-01", "2026-11-15T00:00:00Z"] {
            let answer = server.get(&format!("{path}?date={date}"));
            answer.assert_problem(400, "invalid_parameter");
            assert!(answer.body.contains("YYYY-MM-DD"), "{}", answer.body);
        }
        let twice = server.get(&format!("{path}?date=2026-11-15&date=2026-11-15"));
        twice.assert_problem(400, "invalid_parameter");
    }
    server.get("/export/explain.csv?date=").assert_problem(400, "invalid_parameter");
    // An empty field, as the page's form sends it.
    assert_eq!(server.get("/explain?date=").body, server.get("/explain").body);
    let browser = server.request("GET", "/explain?date=x", "Accept: text/html\r\n");
    assert_eq!(browser.status, 400);
    assert_eq!(browser.header("content-type"), Some("text/html; charset=utf-8"));
}

#[test]
fn every_region_of_a_large_network_is_explained_on_a_page_and_in_files() {
    let server = TestServer::with_inputs(Inputs::parse(&many_regions(250)).unwrap());
    for target in ["/explain", "/explain?date=2020-01-01"] {
        let html = server.get(target).body;
        assert_eq!(html.matches("<option value=").count(), 251, "{target}");
        let shown = rows(&html, "mean");
        let [regions @ .., sum, _] = &shown[..] else { panic!("{shown:?}") };
        let exact = |text: &str| text.replace('.', "").parse::<u64>().unwrap();
        let total: u64 = regions.iter().map(|row| exact(&row[2])).sum();
        assert_eq!((regions.len(), total), (250, exact(&sum[2])), "{target}");
    }
    let csv = server.get("/export/explain.csv?date=2020-01-01").body;
    assert_eq!(csv.lines().count(), 252);
    let parts = |target| server.json(target)["parts"].as_array().unwrap().len();
    assert_eq!(parts("/export/explain.json?date=2020-01-01"), 250);
    assert_eq!(parts("/export/explain.json"), 250);
}

#[test]
fn names_in_explanations_are_escaped() {
    let server = with_inputs(&[("\"Europe\"", "\"<b>$x$ & \\\"C\\\"\"")]);
    for target in ["/explain", "/explain?region_id=eu"] {
        let html = server.get(target).body;
        assert!(!html.contains("<b>") && html.contains("&#60;b&#62;"), "{target}");
    }
}

#[test]
fn the_build_info_has_the_fingerprint_of_the_inputs() {
    let metrics = TestServer::at(NOON).get("/metrics").body;
    let fingerprint = Inputs::default().fingerprint();
    let label = format!(",inputs_fingerprint=\"{fingerprint}\"}} 1\n");
    assert!(metrics.contains(&label), "{metrics}");
    let page = TestServer::at(NOON).get("/explain").body;
    assert!(page.contains(&format!("SHA-256 of the inputs: {fingerprint}\">")));
}

#[test]
fn a_change_is_not_explained_backwards() {
    let server = TestServer::at(NOON);
    for path in ["/explain", "/export/explain.json"] {
        for query in ["since=2026-11-16", "date=2026-11-01&since=2026-11-02"] {
            let response = server.get(&format!("{path}?{query}"));
            assert_eq!(response.status, 400, "{path}?{query}");
            assert!(response.body.contains("since must not be after date."), "{}", response.body);
        }
        assert_eq!(server.get(&format!("{path}?since=2026-11-15")).status, 200);
    }
}

#[test]
fn only_an_index_of_bitcoin_mentions_the_fees_of_bitcoin() {
    let note = |inputs: &str| {
        let server = TestServer::with_inputs(Inputs::parse(inputs).unwrap());
        let html = server.get("/explain").body;
        assert!(html.contains("the block reward excludes transaction fees."));
        html.contains("Bitcoin")
    };
    assert!(note(DEFAULT_INPUTS));
    assert!(!note(include_str!("../../../../examples/monero.toml")));
}
