//! The table of regions, the page of each region, and the reader's own cost.

use ghi_engine::{CostCurve, DEFAULT_INPUTS, Inputs, Model, Scope, WhatIf};
use ghi_server::{Clock, Config};
use jiff::civil::date;
use serde_json::Value;

use crate::html::{attributes, marked, texts};
use crate::support::{NOON, TestServer, rising_cost_regions};

const BROWSER: &str = "Accept: text/html\r\n";

fn start(inputs: &str) -> TestServer {
    let inputs = Inputs::parse(inputs).unwrap();
    TestServer::start(Config {
        inputs,
        clock: Clock::at(NOON.parse().unwrap()),
        ..Config::default()
    })
}

/// The ids of the regions that the table shows.
fn shown(html: &str) -> Vec<String> {
    let links = attributes(html, ".regions-table th a", "href").into_iter();
    let ids = links.filter_map(|link| link.strip_prefix("/regions/").map(str::to_owned));
    ids.collect()
}

fn costs(document: &Value) -> [String; 3] {
    ["avg", "min", "max"]
        .map(|word| format!("{:.2}", document[format!("{word}_cost_usd")].as_f64().unwrap()))
}

#[test]
fn the_table_matches_the_api_with_any_number_of_regions() {
    for text in [
        rising_cost_regions(1),
        DEFAULT_INPUTS.to_owned(),
        rising_cost_regions(30),
        rising_cost_regions(256),
    ] {
        let server = start(&text);
        let html = server.get("/").body;
        let ids = shown(&html);
        let count = server.json("/v1/ghi/regions")["regions"].as_array().unwrap().len();
        assert_eq!(ids.len(), count.min(6));
        for (row, id) in (1..).zip(&ids) {
            let row = format!(".regions-table tbody tr:nth-child({row})");
            let detail = server.json(&format!("/v1/ghi/regions/{id}"));
            assert_eq!(marked(&html, &row), costs(&detail));
            let share = detail["hashrate_share_pct"].as_f64().unwrap();
            assert_eq!(texts(&html, &format!("{row} .share")), [format!("{share}%")]);
        }
        let is_searched = html.contains("<input id=\"find\"");
        assert_eq!(is_searched, count > 6);
    }
}

#[test]
fn the_regions_that_set_the_minimum_and_the_maximum_are_among_those_shown() {
    for count in [30, 256] {
        let server = start(&rising_cost_regions(count));
        let snapshot = server.json("/v1/ghi/snapshot");
        for query in ["", "?sort=name", "?sort=-share", "?sort=change", "?sort=-difference"] {
            let html = server.get(&format!("/{query}")).body;
            let setting = |words: &str, field: &str| {
                let names = texts(&html, ".regions-table tbody th").into_iter();
                let mut names = names.zip(shown(&html));
                let (_, id) = names.find(|(name, _)| name.contains(words)).unwrap();
                let detail = server.json(&format!("/v1/ghi/regions/{id}"));
                assert_eq!(detail[field], snapshot[format!("global_{field}")], "{query}");
            };
            setting("lowest minimum", "min_cost_usd");
            setting("highest maximum", "max_cost_usd");
        }
    }
}

#[test]
fn any_region_is_found_by_its_name_and_the_table_is_sorted_by_link() {
    let server = start(&rising_cost_regions(256));
    let html = server.get("/?find=region+255").body;
    assert_eq!(shown(&html), ["r255"]);
    assert!(html.contains("1 of 256 regions match."));
    assert!(html.contains("value=\"region 255\""));
    assert_eq!(shown(&server.get("/?find=R17&sort=name").body)[..3], ["r17", "r170", "r171"]);
    let html = server.get("/?find=nowhere").body;
    assert!(html.contains("No region matches &#34;nowhere&#34;."));
    assert_eq!(shown(&server.get("/?find=region").body).len(), 256);
    let html = server.get("/?sort=-max&range=7d").body;
    assert_eq!(attributes(&html, "[aria-sort]", "aria-sort"), ["ascending"]);
    assert!(html.contains("href=\"/?range=7d&#38;sort=max#regions\""));
    server.get("/?sort=price").assert_problem(400, "invalid_parameter");
    server.get(&format!("/?find={}", "x".repeat(101))).assert_problem(400, "invalid_parameter");
}

#[test]
fn a_region_page_shows_the_same_data_as_the_api() {
    for moment in [NOON, "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"] {
        let server = TestServer::at(moment);
        let snapshot = server.json("/v1/ghi/snapshot");
        for id in ["us", "eu", "cn"] {
            let detail = server.json(&format!("/v1/ghi/regions/{id}"));
            let [average, ..] = costs(&detail);
            for range in ["", "?range=7d", "?range=90d", "?range=1y"] {
                let html = server.get(&format!("/regions/{id}{range}")).body;
                assert_eq!(marked(&html, ".headline"), costs(&detail), "{moment} {id}{range}");
                let described = texts(&html, ".headline > dl dd");
                let share = detail["hashrate_share_pct"].as_f64().unwrap();
                assert!(described.contains(&format!("{share}%")));
                assert!(html.contains(detail["name"].as_str().unwrap()));
                let averages = snapshot["regions"].as_array().unwrap().iter();
                let averages = averages.map(|region| region["avg_cost_usd"].as_f64().unwrap());
                let own: f64 = average.parse().unwrap();
                let rank = match averages.filter(|average| *average < own).count() {
                    0 => "cheapest of 3",
                    1 => "2nd cheapest of 3",
                    _ => "most expensive of 3",
                };
                assert_eq!(described[0], rank);
            }
        }
    }
}

#[test]
fn the_cost_drivers_of_a_region_multiply_to_its_difference() {
    let server = TestServer::at(NOON);
    let world = server.json("/v1/ghi/snapshot")["global_avg_cost_usd"].as_f64().unwrap();
    for id in ["us", "eu", "cn"] {
        let html = server.get(&format!("/regions/{id}")).body;
        let numbers = marked(&html, ".cost-drivers").into_iter();
        let numbers: Vec<f64> = numbers.map(|number| number.parse().unwrap()).collect();
        let [own_fleet, fleet, own_price, price, own_overhead, overhead] = numbers[..] else {
            panic!("{numbers:?}")
        };
        let factor = own_fleet / fleet * own_price / price * own_overhead / overhead;
        let own = server.json(&format!("/v1/ghi/regions/{id}"))["avg_cost_usd"].as_f64().unwrap();
        assert!((factor * world / own - 1.0).abs() < 1e-6, "{numbers:?}");
    }
}

#[test]
fn each_region_has_a_page_and_unknown_ids_an_error_page() {
    let server = start(&rising_cost_regions(256));
    for id in ["r0", "r255", "r%31"] {
        assert_eq!(server.get(&format!("/regions/{id}?range=1y")).status, 200, "{id}");
    }
    for id in ["xx", "R1", "r256", "%FF", "global"] {
        let path = format!("/regions/{id}");
        server.get(&path).assert_problem(404, "unknown_region");
        let page = server.request("GET", &path, BROWSER);
        assert_eq!(page.status, 404);
        assert!(
            page.body.contains("<code>unknown_region</code>") && page.body.contains("href=\"/\"")
        );
    }
    server.get("/regions/r1?range=2y").assert_problem(400, "invalid_parameter");
    server.request("POST", "/regions/r1", "").assert_problem(405, "method_not_allowed");
}

#[test]
fn links_of_a_region_page_work_and_start_with_the_public_url() {
    let server = TestServer::at(NOON);
    let html = server.get("/regions/cn").body;
    let links = attributes(&html, "[href]", "href");
    let links = links.iter().map(|link| link.split('#').next().unwrap());
    for link in links.filter(|link| !link.is_empty()) {
        assert_eq!(server.request("HEAD", link, "").status, 200, "{link}");
    }
    let public = TestServer::start(Config {
        clock: Clock::at(NOON.parse().unwrap()),
        public_url: Some("https://example.org/sandbox".parse().unwrap()),
        ..Config::default()
    });
    for page in ["/regions/cn", "/?find=c&overhead=2&sort=name"] {
        let html = public.get(page).body;
        for attribute in ["href", "src", "action"] {
            for link in attributes(&html, "*", attribute) {
                let is_ours = ["/sandbox/", "#", "https://example.org/sandbox"];
                assert!(is_ours.iter().any(|start| link.starts_with(start)), "{page}: {link}");
            }
        }
    }
}

#[test]
fn hostile_region_names_are_escaped() {
    let name = "<b>$x$ & \\\"C\\\"";
    let server = start(&DEFAULT_INPUTS.replace("\"Europe\"", &format!("\"{name}\"")));
    let shown = "&#60;b&#62;$x$ &#38; &#34;C&#34;";
    for target in ["/?region_id=eu", "/regions/eu", "/?find=%3Cb%3E"] {
        let html = server.get(target).body;
        assert!(!html.contains("<b>"), "{target}");
        assert!(html.contains(&format!("<bdi>{shown}</bdi>")), "{target}");
    }
    let html = server.get("/?find=%22%3E%3Cscript%3E").body;
    assert!(html.contains("value=\"&#34;&#62;&#60;script&#62;\""));
}

/// The sentence about the reader's own cost, and the cost.
fn yours(html: &str) -> (String, Option<String>) {
    let sentence = texts(html, ".yours output").pop().unwrap_or_default();
    (sentence, marked(html, ".yours").pop())
}

#[test]
fn the_readers_cost_follows_the_engine_and_has_a_place_on_the_curve() {
    let model = Model::new(Inputs::default());
    let day = model.day(date(2026, 11, 15)).unwrap();
    let server = TestServer::at(NOON);
    for id in ["global", "us", "eu", "cn"] {
        let scope = Scope::find(id, model.registry()).unwrap();
        let miner = model.mean_miner(scope, &day).unwrap();
        let html = server.get(&format!("/?region_id={id}")).body;
        assert!(
            html.contains(&format!("placeholder=\"{}\"", miner.steps.overhead.value())),
            "{id}"
        );
        assert!(!html.contains(">You $"), "{id}");
        let [.., overhead, reward] = miner.what_if().0;
        let what_if = WhatIf([0.0475, 17.5, overhead, reward]);
        let cost = what_if.cost_usd(miner.difficulty, miner.hashes_per_difficulty.value(), 2);
        let cost = cost.unwrap();
        let query = "electricity_usd_per_kwh=0.0475&efficiency_j_per_th=17.5&overhead=";
        let html = server.get(&format!("/?region_id={id}&price=60000&{query}")).body;
        let (sentence, marked) = yours(&html);
        assert_eq!(marked, Some(cost.to_string()));
        let above = 100.0 - CostCurve::of_regions(&day).share_below_pct(cost).to_f64();
        let margin = (100.0 * (60_000.0 / cost.to_f64() - 1.0)).round();
        let margin = if margin < 0.0 { format!("−{}", -margin) } else { margin.to_string() };
        let usd = cost.to_f64().round();
        let told = format!(
            "At $0.0475/kWh and 17.5 J/TH: ${},{:03}, cheaper than {above:.0}% of the hashrate; margin {margin}%",
            (usd / 1000.0).floor(),
            usd % 1000.0
        );
        assert_eq!(sentence, told);
        assert!(html.contains(">You $"), "{id}");
        // The rest of the page keeps the entered numbers.
        let kept =
            "price=60000&#38;electricity_usd_per_kwh=0.0475&#38;efficiency_j_per_th=17.5#history";
        assert!(html.contains(kept), "{id}");
    }
}

#[test]
fn all_regions_are_compared_with_the_readers_own_cost() {
    let inputs = rising_cost_regions(256);
    let model = Model::new(Inputs::parse(&inputs).unwrap());
    let day = model.day(date(2026, 11, 15)).unwrap();
    let server = start(&inputs);
    let miner = model.mean_miner(Scope::Global, &day).unwrap();
    let mut numbers = miner.what_if();
    numbers.0[2] = 1.5;
    let cost = numbers.cost_usd(miner.difficulty, miner.hashes_per_difficulty.value(), 2);
    let yours = cost.unwrap().to_f64();
    let html = server.get("/?page=1&overhead=1.5").body;
    let (cells, ids) = (texts(&html, ".versus-yours"), shown(&html));
    assert_eq!((cells.len(), ids.len()), (256, 256));
    for (cell, id) in std::iter::zip(cells, ids) {
        let region = Scope::find(&id, model.registry()).unwrap();
        let average = region.costs(&day).avg_usd.to_f64();
        let side = if average < yours { "below" } else { "above" };
        let percent = 100.0 * (average - yours).abs() / yours;
        assert_eq!(cell, format!("{percent:.1}% {side} yours"), "{id}");
    }
    // Links to other views keep the entered numbers.
    let links = attributes(&html, ".regions-table [href]", "href").into_iter();
    let mut links = links.filter(|link| link.starts_with("/?"));
    assert!(links.all(|link| link.contains("overhead=1.5")));
    assert_eq!(attributes(&html, ".regions-table [name=overhead]", "value"), ["1.5"]);
    let html = server.get("/?page=1").body;
    assert!(!html.contains("vs your cost"));
    assert_eq!(shown(&server.get("/?page=65535&sort=name").body).len(), 256);
    server.get("/?page=0").assert_problem(400, "invalid_parameter");
}

#[test]
fn invalid_calculator_inputs_are_rejected_and_named() {
    let server = TestServer::at(NOON);
    for query in [
        "block_reward_coins=0",
        "block_reward_coins=-3",
        "overhead=NaN",
        "overhead=0.99",
        "efficiency_j_per_th=inf",
        "electricity_usd_per_kwh=five",
        "electricity_usd_per_kwh=1e400",
        "overhead=1.1&overhead=1.2",
    ] {
        let target = format!("/?{query}");
        server.get(&target).assert_problem(400, "invalid_parameter");
        let page = server.request("GET", &target, BROWSER);
        let name = query.split('=').next().unwrap();
        assert_eq!(page.status, 400);
        assert!(page.body.contains(&format!("<p>{name} ")), "{query}");
        assert!(page.body.contains("class=\"invalid\""), "{query}");
    }
    let html = server.get("/?efficiency_j_per_th=1e13&block_reward_coins=1e-6").body;
    assert_eq!(yours(&html), ("The result is too large to display".into(), None));
}

#[test]
fn two_of_many_regions_are_compared() {
    let server = start(&crate::support::many_regions(250));
    let html = server.get("/?compare=r77&with=r249").body;
    let heading = &texts(&html, "#compare")[0];
    assert!(heading.starts_with("Region 77: $") && heading.contains("Region 249"), "{heading}");
    assert_eq!(attributes(&html, "option[selected]", "value"), ["r77", "r249"]);
    server.get("/?compare=r77,r250").assert_problem(404, "unknown_region");
    server.get("/?compare=r1").assert_problem(400, "invalid_parameter");
}
