//! The dashboard, charts, CSV files, and the files for crawlers.

use std::time::SystemTime;

use ghi_server::{Clock, Config, Inputs};
use jiff::ToSpan;
use jiff::civil::Date;
use serde_json::Value;

use crate::html;
use crate::support::{NOON, TestServer, many_regions, rising_cost_regions};

/// Daily content, with the same parameters as the API.
const OF_THE_DAY: [&str; 10] = [
    "/",
    "/explain",
    "/feed.xml",
    "/charts/history.svg",
    "/charts/regions.svg",
    "/export/history.csv",
    "/export/network.csv",
    "/export/snapshot.csv",
    "/export/explain.csv",
    "/export/explain.json",
];

/// Content that changes only with a new release or new inputs.
const STATIC: [&str; 15] = [
    "/docs",
    "/problems",
    "/openapi.json",
    "/openapi-3.0.json",
    "/llms.txt",
    "/robots.txt",
    "/favicon.ico",
    "/problems/not_found",
    "/assets/style.css",
    "/assets/region.css",
    "/assets/site.js",
    "/assets/dashboard.js",
    "/assets/docs.js",
    "/assets/reference.js",
    "/assets/icon.svg",
];

/// The machine-readable numbers of a section, in order.
fn marked(html: &str, class: &str) -> Vec<f64> {
    let values = html::marked(html, &format!("section.{class}")).into_iter();
    values.map(|value| value.parse().unwrap()).collect()
}

/// The rows of the page's table, newest first: the date and the costs in whole dollars.
fn days(html: &str) -> Vec<Vec<String>> {
    let rows = html::rows(html, ".history tbody tr").into_iter();
    rows.map(|row| row.iter().map(|cell| cell.replace(',', "")).collect()).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn costs(document: &Value, prefix: &str) -> [f64; 3] {
    ["min", "avg", "max"].map(|word| number(&document[format!("{prefix}{word}_cost_usd")]))
}

#[test]
fn the_dashboard_shows_the_same_data_as_the_api() {
    for moment in
        [NOON, "1970-01-01T00:00:00Z", "2028-02-29T23:59:59.999999Z", "9999-12-31T23:59:59Z"]
    {
        let server = TestServer::at(moment);
        let snapshot = server.json("/v1/ghi/snapshot");
        let [_, avg, _] = costs(&snapshot, "global_");
        let network = server.json("/v1/ghi/network");
        let network =
            ["hashrate_eh", "difficulty", "avg_fee_usd"].map(|name| number(&network[name]));
        let forecast = number(&server.json("/v1/ghi/forecast")["predicted_avg_cost_usd"]);
        let [economics, at_70_000] =
            ["", "&price=70000"].map(|price| economics(&server, moment, price));
        for region_id in ["global", "us", "eu", "cn"] {
            let html = server.get(&format!("/?range=7d&region_id={region_id}")).body;
            assert_eq!(marked(&html, "today"), [avg], "{moment}");
            assert!(html.contains(&format!("${}", dollars(avg))));
            assert_eq!(marked(&html, "network"), network, "{moment}");
            assert_eq!(marked(&html, "history"), [forecast], "{moment}");
            assert_eq!(marked(&html, "economics"), economics, "{moment}");
            let regions = snapshot["regions"].as_array().unwrap();
            for region in regions {
                let [min, avg, max] = costs(region, "");
                assert!(marked(&html, "regions").windows(3).any(|row| row == [avg, min, max]));
            }
            assert_eq!(marked(&html, "regions").len(), 3 * regions.len());

            let history = server.json(&format!("/v1/ghi/history?region_id={region_id}"));
            let points = history["points"].as_array().unwrap();
            let week = days(&html);
            assert_eq!(week.len(), points.len(), "the last seven days");
            for (row, point) in week.iter().rev().zip(points) {
                let expected = costs(point, "").map(whole);
                assert_eq!(row[1..4], expected, "{moment} {region_id}");
            }
            let first: Date = points[0]["date"].as_str().unwrap().parse().unwrap();
            let before = first.yesterday().unwrap();
            let target = format!("/export/explain.json?region_id={region_id}&since={before}");
            check_change(&html, &server.json(&target));
            if region_id == "global" {
                let csv = server.get(&format!("/export/history.csv?from={before}")).body;
                let from = csv.lines().nth(1).unwrap().split(',').nth(4).unwrap();
                let (from, to) = (from.parse::<f64>().unwrap(), costs(&points[6], "")[1]);
                let change = format!("{:+.1}%", 100.0 * (to / from - 1.0)).replace('-', "−");
                let html = server.get("/?range=7d&unit=percent").body;
                assert!(drawn(&html).contains(&&*format!("Worldwide {change}")), "{change}");
            }
        }
        check_curve(&server, &server.get("/").body);
        let html = server.get("/?price=70000").body;
        assert_eq!(marked(&html, "economics"), at_70_000, "{moment}");
        let below = 100.0 - at_70_000[2];
        assert!(
            html.contains(&format!("</span> <span class=\"key above\">{:.0}% above", at_70_000[2]))
        );
        assert!(html.contains(&format!("<rect width=\"{below:.2}%\" height=\"5\"")), "{below}");
        assert!(
            html.contains(&format!(">{below:.0}% of the hashrate below the price<")),
            "{below}"
        );
    }
}

/// Price over cost, hashprice and the share of the hashrate above the price, from the export.
fn economics(server: &TestServer, moment: &str, price: &str) -> Vec<f64> {
    let date = &moment[..10];
    let csv = server.get(&format!("/export/economics.csv?date={date}{price}")).body;
    let row: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
    let [ratio, hashprice, below] = [3, 4, 7].map(|column| row[column].parse::<f64>().unwrap());
    vec![ratio, hashprice, ((100.0 - below) * 100.0).round() / 100.0]
}

/// Checks that the blocks of the curve have the regions of the table, in its order.
fn check_curve(server: &TestServer, html: &str) {
    let csv = server.get("/export/cost-curve.csv").body;
    let expected = csv.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let [share, min, avg, max] = [3, 5, 6, 7].map(|at| cells[at].parse::<f64>().unwrap());
        let [min, avg, max] = [min, avg, max].map(dollars);
        let costs = format!("average ${avg} (${min} to ${max})");
        format!("{}: {costs}, {share}% of hashrate", cells[2])
    });
    assert_eq!(html::texts(html, ".columns title"), expected.collect::<Vec<_>>());
}

/// Checks that the parts of a change on the page are those of the explanation.
fn check_change(html: &str, explanation: &Value) {
    let changes = explanation["changes"].as_array().unwrap();
    let mut parts: Vec<f64> = changes.iter().map(|part| number(&part["change_usd"])).collect();
    parts.retain(|part| *part != 0.0);
    parts.sort_by(|one, other| other.abs().total_cmp(&one.abs()));
    // A single part is the whole change.
    assert_eq!(marked(html, "why"), if parts.len() > 1 { parts } else { Vec::new() });
}

/// Whole dollars, half rounded up.
fn whole(usd: f64) -> String {
    (usd + 0.5).floor().to_string()
}

/// Whole dollars with thousands separators.
fn dollars(usd: f64) -> String {
    let whole = whole(usd);
    format!("{},{}", &whole[..whole.len() - 3], &whole[whole.len() - 3..])
}

#[test]
fn a_range_shows_the_days_it_covers() {
    let server = TestServer::at(NOON);
    for (range, count) in [("7d", 7), ("30d", 30), ("90d", 90), ("1y", 365)] {
        for region_id in ["global", "cn"] {
            let query = format!("range={range}&region_id={region_id}");
            let rows = days(&server.get(&format!("/?{query}")).body);
            let csv = server.get(&format!("/export/history.csv?{query}")).body;
            let lines: Vec<&str> = csv.lines().skip(1).collect();
            assert_eq!([rows.len(), lines.len()], [count; 2]);
            for (row, line) in rows.iter().rev().zip(lines) {
                let usd = line.split(',').skip(3).map(|usd| usd.parse::<f64>().unwrap());
                let shown: Vec<String> = usd.map(whole).collect();
                assert_eq!(row[1..4], shown);
            }
            assert!(rows.iter().all(|row| row[4].ends_with('%')));
        }
    }
    // Long ranges have a point per week, each of which is a day of the table.
    for (range, count) in [("5y", 261), ("all", 1_572)] {
        let rows = days(&server.get(&format!("/?range={range}&region_id=cn")).body);
        assert_eq!(rows.len(), count);
        let csv = server.get(&format!("/export/history.csv?range={range}&region_id=cn")).body;
        let lines: Vec<&str> = csv.lines().skip(1).collect();
        for (row, line) in rows.iter().zip(lines.iter().rev().step_by(7)) {
            let usd = line.split(',').skip(3).map(|usd| usd.parse::<f64>().unwrap());
            assert_eq!(row[1..4], usd.map(whole).collect::<Vec<_>>());
        }
    }
    assert_eq!(server.get("/?range=2d").status, 400);
    assert_eq!(server.get("/export/history.csv?range=7d&from=2026-01-01").status, 400);
}

/// The first day that a range shows at a moment.
fn first_day(moment: &str, range: &str) -> Date {
    let days = match range {
        "7d" => 7,
        "30d" => 30,
        "90d" => 90,
        _ => 365,
    };
    let today: Date = moment[..10].parse().unwrap();
    today.saturating_sub((days - 1).days())
}

/// How a headline names a day, as seen from a moment.
fn named(day: Date, moment: &str) -> String {
    let is_this_year = moment.starts_with(&day.year().to_string());
    day.strftime(if is_this_year { "%-d %B" } else { "%-d %b %Y" }).to_string()
}

/// The headline of a range: the change from the first days of a table to its last ones, in percent.
fn finding(csv: &str, days: usize, first: &str) -> String {
    let averages = csv.lines().skip(1).map(|line| line.split(',').nth(4).unwrap());
    let averages: Vec<f64> = averages.map(|usd| usd.parse().unwrap()).collect();
    let sum = |days: &[f64]| days.iter().sum::<f64>();
    let change = 100.0 * (sum(&averages[averages.len() - days..]) / sum(&averages[..days]) - 1.0);
    let direction = if change < 0.0 { "lower" } else { "higher" };
    match change.abs() {
        ..0.05 => format!(" &#60;0.1% {direction} than on {first}"),
        change => format!(" {change:.1}% {direction} than on {first}"),
    }
}

#[test]
fn the_next_retarget_is_estimated_from_todays_hashrate() {
    let server = TestServer::at(NOON);
    let csv = server.get("/export/network.csv?from=2026-11-15&to=2026-11-19").body;
    let difficulties: Vec<&str> =
        csv.lines().skip(1).map(|row| row.split(',').nth(2).unwrap()).collect();
    assert!(difficulties[..4].iter().all(|difficulty| *difficulty == difficulties[0]), "{csv}");
    assert_ne!(difficulties[4], difficulties[0], "{csv}");
    let hashrate = number(&server.json("/v1/ghi/network")["hashrate_eh"]);
    let estimate = hashrate * 1e18 * 600.0 / 2_f64.powi(32) / 1e12;
    let html = server.get("/").body;
    let expected = format!(
        "Next retarget on 19 November 2026. At today&#39;s hashrate, the difficulty would be {estimate:.1} T"
    );
    assert!(html.contains(&expected), "{expected}");
}

#[test]
fn the_heading_compares_the_last_day_with_the_day_before_the_range() {
    for moment in [NOON, "2026-01-01T00:00:00Z", "2028-02-29T23:59:59Z"] {
        let server = TestServer::at(moment);
        // From 90 days on, averages of seven days are compared.
        for (range, days) in [("7d", 1), ("30d", 1), ("90d", 7), ("1y", 7)] {
            for region_id in ["global", "us", "eu", "cn"] {
                let query = format!("range={range}&region_id={region_id}");
                let before = first_day(moment, range).yesterday().unwrap();
                let from = before.saturating_sub((days as i64 - 1).days());
                let csv = format!("/export/history.csv?from={from}&region_id={region_id}");
                let found = finding(&server.get(&csv).body, days, &named(before, moment));
                let mut targets =
                    vec![format!("/?{query}"), format!("/charts/history.svg?{query}")];
                if region_id != "global" {
                    targets.push(format!("/regions/{region_id}?range={range}"));
                }
                for target in targets {
                    assert!(server.get(&target).body.contains(&found), "{target}: {found}");
                }
            }
        }
    }
}

#[test]
fn changes_are_shown_since_yesterday_and_since_30_days_ago() {
    let average = |moment: &str| {
        number(&TestServer::at(moment).json("/v1/ghi/snapshot")["global_avg_cost_usd"])
    };
    let html = TestServer::at(NOON).get("/").body;
    let today = average(NOON);
    for (before, words) in
        [("2026-11-14T00:00:00Z", "since yesterday"), ("2026-10-16T00:00:00Z", "since 16 October")]
    {
        let before = average(before);
        let (arrow, sign) = if today < before { ("▼", "−") } else { ("▲", "+") };
        let by = (today - before).abs();
        let by_usd = if by < 1_000.0 { whole(by) } else { dollars(by) };
        let told = format!(
            "{arrow} {sign}${by_usd} ({sign}{:.2}%)</strong> <span>{words}",
            100.0 * by / before
        );
        assert!(html.contains(&told), "{told}");
    }
}

#[test]
fn the_page_says_when_the_data_is_updated() {
    for (moment, next) in [
        ("2026-11-15T00:00:59Z", "24 h 0 min"),
        (NOON, "12 h 0 min"),
        ("2026-11-15T23:30:00Z", "30 min"),
    ] {
        let told = format!("<p>Updated daily at 00:00 UTC. Next update in {next}.</p>");
        assert!(TestServer::when_it_is(moment).get("/").body.contains(&told), "{told}");
    }
    assert!(!TestServer::at(NOON).get("/").body.contains("Next update"));
}

#[test]
fn pages_with_todays_data_say_when_the_clock_is_not_real() {
    let noon = NOON.parse().unwrap();
    let said = |clock: Clock| {
        let server = TestServer::start(Config { clock, ..Config::default() });
        ["/", "/?region_id=eu", "/explain", "/explain?region_id=us&date=2026-11-01"].map(|page| {
            let html = server.get(page).body;
            let sentence = html.split_once("This server&#39;s clock ")?.1.split_once("</p>")?.0;
            Some(sentence.to_owned())
        })
    };
    for (clock, sentence) in [
        (Clock::system(), None),
        (Clock::from_fn(SystemTime::now), None),
        (Clock::at(noon), Some("is stopped at 15 November 2026, 12:00:00 UTC.")),
        (
            Clock::running(noon, 86_400),
            Some(
                "was set to 15 November 2026, 12:00:00 UTC at startup and runs 86,400 times as fast as real \
                 time.",
            ),
        ),
    ] {
        for said in said(clock) {
            assert_eq!(said.as_deref(), sentence);
        }
    }
}

#[test]
fn the_page_says_it_is_a_sandbox_and_links_to_everything() {
    let server = TestServer::at(NOON);
    let html = server.get("/?range=7d&region_id=eu").body;
    assert!(html.contains("Generated by a model, not measured."));
    let html = html.replace("&#38;", "&").replace("&amp;", "&");
    let links = html.split("href=\"").skip(1).map(|rest| rest.split(['"', '#']).next().unwrap());
    let links: Vec<&str> = links.filter(|link| !link.is_empty()).collect();
    for link in &links {
        assert_eq!(server.request("HEAD", link, "").status, 200, "{link}");
    }
    for expected in [
        "/explain",
        "/docs",
        "/openapi.json",
        "/v1/ghi/snapshot",
        "/v1/ghi/history?region_id=eu",
        "/v1/ghi/network",
        "/v1/ghi/forecast",
        "/export/history.csv?range=7d&region_id=eu",
        "/export/snapshot.csv",
        "/charts/history.svg?range=7d&region_id=eu",
        "/charts/regions.svg",
        "/regions/eu",
        "/regions/cn",
        "/?range=1y&region_id=eu",
        "/?range=7d&region_id=cn",
        "/export/cost-curve.csv",
        "/charts/cost-curve.svg",
        "/feed.xml",
        "/methodology",
    ] {
        assert!(links.contains(&expected), "{expected}");
    }
}

#[test]
fn links_start_with_the_public_url() {
    let url = "https://example.org/sandbox";
    let server = TestServer::start(Config {
        clock: Clock::at(NOON.parse().unwrap()),
        public_url: Some(url.parse().unwrap()),
        ..Config::default()
    });
    let metadata = server.request_raw("GET", "/v1/ghi/metadata", "").0;
    let description = format!("<{url}/openapi.json>; rel=\"service-desc\"");
    assert_eq!(metadata.header("link"), Some(&*description));
    let indicator = server.request_raw("GET", "/v1/ghi/indicator", "").0;
    let links: Vec<&str> = indicator
        .headers
        .iter()
        .filter(|header| header.0 == "link")
        .map(|header| &*header.1)
        .collect();
    assert!(
        links.contains(&&*format!("<{url}/v1/ghi/snapshot>; rel=\"successor-version\"")),
        "{links:?}"
    );
    let problem = server.get("/nowhere").json();
    assert_eq!(problem["type"], format!("{url}/problems/not_found"));
    assert_eq!(problem["instance"], "/sandbox/nowhere");
    for path in ["/openapi.json", "/openapi-3.0.json"] {
        assert_eq!(server.json(path)["servers"], serde_json::json!([{ "url": url }]), "{path}");
    }
    let llms = server.get("/llms.txt").body;
    assert!(llms.contains(&format!("[/v1/ghi/snapshot]({url}/v1/ghi/snapshot)")), "{llms}");
    for page in ["/", "/explain", "/docs", "/problems/not_found"] {
        let html = server.get(page).body;
        for attribute in ["href=\"", "src=\"", "action=\""] {
            for link in html.split(attribute).skip(1).map(|rest| rest.split('"').next().unwrap()) {
                let is_ours = ["/sandbox/", "#", url].iter().any(|start| link.starts_with(start));
                assert!(is_ours, "{page}: {link}");
            }
        }
    }
    // The contract's documents have the paths of the contract.
    assert_eq!(server.json("/v1/ghi/metadata")["available_endpoints"][0], "/v1/ghi/snapshot");
}

/// The charts of a page with days.
fn charts(html: &str) -> Vec<&str> {
    let starts = html.split("<svg class=\"chart ").skip(1).filter(|svg| !svg.starts_with("curve"));
    starts.map(|chart| chart.split("</svg></svg>").next().unwrap()).collect()
}

#[test]
fn every_chart_has_a_title_a_description_and_ids_of_its_own() {
    let html = TestServer::at(NOON).get("/").body;
    let charts: Vec<&str> = charts(&html);
    assert_eq!(charts.len(), 2);
    let mut ids = Vec::new();
    for chart in charts {
        assert!(chart.contains("role=\"img\""), "{chart}");
        let described =
            chart.split("aria-labelledby=\"").nth(1).unwrap().split('"').next().unwrap();
        // Both forms of a chart share one title and one description.
        for (id, tag) in described.split(' ').zip(["title", "desc"]) {
            assert!(html.contains(&format!("<{tag} id=\"{id}\">")), "{id}");
        }
        assert!(!chart.contains("style"), "inline styles violate the page's policy");
    }
    for id in html.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(!ids.contains(&id), "{id} stands twice");
        ids.push(id);
    }
}

#[test]
fn the_initial_page_is_small_with_any_number_of_regions() {
    let of_many = [1, 12, 13, 30, 40, 256].map(|count| {
        let inputs = Inputs::parse(&rising_cost_regions(count)).unwrap();
        (NOON, inputs)
    });
    let of_built_in = [NOON, "2026-01-15T12:00:00Z", "2031-12-31T12:00:00Z"];
    let of_built_in = of_built_in.map(|moment| (moment, Inputs::default()));
    for (moment, inputs) in of_built_in.into_iter().chain(of_many) {
        let count = inputs.region_count();
        let clock = Clock::at(moment.parse().unwrap());
        let server = TestServer::start(Config { inputs, clock, ..Config::default() });
        let html = server.get("/").body;
        let sources = html.split("<link ").chain(html.split("<script ")).skip(1);
        let sources = sources.filter_map(|tag| {
            let tag = tag.split('>').next()?;
            let is_loaded = tag.contains("rel=\"stylesheet\"")
                || tag.contains("rel=\"icon\"")
                || tag.contains("src=\"");
            let url = tag.split(['"', '\'']).find(|part| part.starts_with("/assets/"))?;
            is_loaded.then_some(url)
        });
        let mut sources: Vec<&str> = sources.collect();
        sources.sort_unstable();
        sources.dedup();
        assert!(sources.len() < 6, "{sources:?}");
        let sizes = sources.iter().map(|url| (url, server.get(url).body.len()));
        let sizes: Vec<_> = sizes.collect();
        let scripts = sizes.iter().filter(|(url, _)| url.ends_with(".js")).map(|size| size.1);
        assert!(scripts.sum::<usize>() < 12_000, "{sizes:?}");
        let all = html.len() + sizes.iter().map(|size| size.1).sum::<usize>();
        // The curve and the form to compare have every region.
        let limit = if count <= 13 { 60_000 } else { 140_000 };
        assert!(all <= limit, "{count} regions: {all} with {} of {sizes:?}", html.len());
    }
}

#[test]
fn many_regions_fit_a_page() {
    let inputs = Inputs::parse(&many_regions(250)).unwrap();
    let config = Config { inputs, clock: Clock::at(NOON.parse().unwrap()), ..Config::default() };
    let server = TestServer::start(config);
    let html = server.get("/?region_id=r249").body;
    assert!(html.len() < 120_000, "{}", html.len());
    assert!(html.contains("</i>Region 249</a>"));
    assert!(server.get("/?find=Region+249").body.contains("<a href=\"/regions/r249\">"));
    assert_eq!(server.get("/export/snapshot.csv").body.lines().count(), 252);
    assert!(server.get("/charts/regions.svg").body.len() < 20_000);
}

/// Starts a server of the default network with Europe renamed; the name is TOML-escaped.
fn with_name(name: &str) -> TestServer {
    let inputs = ghi_engine::DEFAULT_INPUTS.replace("\"Europe\"", &format!("\"{name}\""));
    let inputs = Inputs::parse(&inputs).unwrap();
    TestServer::start(Config {
        inputs,
        clock: Clock::at(NOON.parse().unwrap()),
        ..Config::default()
    })
}

/// The texts in a chart.
fn drawn(svg: &str) -> Vec<&str> {
    let texts = svg.split("<text ").skip(1).map(|text| text.split("</text>").next().unwrap());
    texts.map(|text| text.split_once('>').unwrap().1).collect()
}

#[test]
fn region_names_are_escaped() {
    let server = with_name("<b>$x$ & \\\"C\\\"");
    let page = server.get("/?region_id=eu").body;
    assert!(!page.contains("<b>") && page.contains(">&#60;b&#62;$x$ &#38; &#34;C&#34;</a>"));
    let shown = "&#60;b&#62;$x$ &#38; &#34;C&#34;";
    for target in ["/charts/history.svg?region_id=eu", "/charts/regions.svg"] {
        let svg = server.get(target).body;
        assert!(!svg.contains("<b>"), "{target}");
        assert!(drawn(&svg).iter().any(|text| text.contains(shown)), "{target}: {:?}", drawn(&svg));
    }
    let csv = server.get("/export/snapshot.csv").body;
    assert!(csv.contains(",eu,\"<b>$x$ & \"\"C\"\"\",USD,"), "{csv}");
}

#[test]
fn a_region_has_one_colour_wherever_it_is_shown() {
    let server = TestServer::at(NOON);
    for (name, colour) in [("United States", "line-1"), ("Europe", "line-2"), ("China", "line-3")] {
        let mut shown = 0;
        for target in [
            "/?region_id=us",
            "/?region_id=cn",
            "/?region_id=eu&compare=cn,eu",
            "/?compare=us,global",
            "/regions/us",
            "/regions/eu",
            "/charts/history.svg?region_id=eu",
        ] {
            let body = server.get(target).body;
            // At the ends of lines, and in the legend of the same chart on a phone.
            let ends = body.split("<text x=\"100%\" ").skip(1);
            let legends = body.split(" 8)\" fill=").skip(1);
            for text in ends.chain(legends) {
                let (attributes, text) = text.split_once('>').unwrap();
                let text = text.strip_prefix("<line ").map_or(text, |line| {
                    line.split_once("<text ").unwrap().1.split_once('>').unwrap().1
                });
                if text.starts_with(name) {
                    shown += 1;
                    assert!(
                        attributes.contains(&format!("var(--{colour})")),
                        "{target}: {attributes}"
                    );
                }
            }
        }
        assert!(shown > 4, "{name} {shown}");
        let html = server.get("/").body;
        let row = html.split(&format!("<bdi>{name}</bdi>")).nth(1).unwrap();
        assert!(
            row.split("<tr").next().unwrap().contains(&format!("<td class=\"spark {colour}\">"))
        );
    }
}

#[test]
fn long_names_are_cut_where_they_are_drawn() {
    for name in ["W".repeat(64), "界".repeat(21), "a word ".repeat(9)] {
        let server = with_name(name.trim());
        for target in ["/charts/history.svg?region_id=eu", "/charts/regions.svg"] {
            let svg = server.get(target).body;
            assert!(
                drawn(&svg).iter().all(|text| !text.contains(name.trim())),
                "{:?}",
                drawn(&svg)
            );
            assert!(drawn(&svg).iter().any(|text| text.contains('…')), "{:?}", drawn(&svg));
            assert!(svg.contains(name.trim()), "the title or description has the full name");
        }
    }
}

#[test]
fn axis_labels_differ_at_any_cost() {
    let network = |level: &str| {
        // The same costs everywhere, within a cent of each other, or far apart.
        let region = "[[region]]\nid = \"a\"\nname = \"A\"\nhashrate_share_pct = 100\n";
        let head = ghi_engine::DEFAULT_INPUTS.split("[[region]]").next().unwrap();
        format!("{head}{region}{level}\n")
    };
    for level in [
        "efficiency_j_per_th = { best = 18, mean = 18, worst = 18 }\nelectricity_usd_per_kwh = { low = 0.05, mean = 0.05, high = 0.05 }",
        "efficiency_j_per_th = { best = 18, mean = 18.0001, worst = 18.0002 }\nelectricity_usd_per_kwh = { low = 0.05, mean = 0.05, high = 0.05 }",
        "efficiency_j_per_th = { best = 1, mean = 100, worst = 1000 }\nelectricity_usd_per_kwh = { low = 0.001, mean = 0.05, high = 1.0 }",
    ] {
        let inputs = Inputs::parse(&network(level)).unwrap();
        let config =
            Config { inputs, clock: Clock::at(NOON.parse().unwrap()), ..Config::default() };
        let server = TestServer::start(config);
        let page = server.get("/").body;
        let inline = charts(&page);
        let alone =
            ["/charts/history.svg", "/charts/regions.svg"].map(|path| server.get(path).body);
        for svg in inline.into_iter().chain(alone.iter().map(|svg| &**svg)) {
            // The numbers of an axis are in a group of their own with a small font.
            let is_axis = |group: &&str| {
                let small = [" fill=\"var(--faint)\" font-size=\"12\"", " class=\""];
                small.iter().any(|start| group.starts_with(start))
            };
            let axes = svg.split("<g").skip(1).filter(is_axis);
            let axes: Vec<&str> = axes.map(|axis| axis.split("</g>").next().unwrap()).collect();
            assert!(!axes.is_empty());
            for axis in axes {
                let mut numbers: Vec<&str> = drawn(axis);
                let count = numbers.len();
                assert!(
                    count >= 2 && numbers.iter().all(|number| number.len() < 14),
                    "{numbers:?}"
                );
                numbers.sort_unstable();
                numbers.dedup();
                assert_eq!(numbers.len(), count, "{numbers:?}");
            }
        }
    }
}

/// Starts a server of two regions with costs of billions, one forty times as expensive as the other.
fn huge_costs() -> TestServer {
    let network = ghi_engine::DEFAULT_INPUTS.split("[[region]]").next().unwrap();
    let network = network.replace("hashrate_eh = 975.0", "hashrate_eh = 10000");
    let network = network.replace("coins = 3.125", "coins = 0.01");
    let region = |id: &str, share: u8, efficiency: u16| {
        format!(
            "[[region]]\nid = \"{id}\"\nname = \"{id}\"\nhashrate_share_pct = {share}\n\
             efficiency_j_per_th = {{ best = {efficiency}, mean = {efficiency}, worst = {efficiency} }}\n\
             electricity_usd_per_kwh = {{ low = 0.05, mean = 0.06, high = 0.07 }}\n"
        )
    };
    let inputs = network + &region("dear", 60, 800) + &region("cheap", 40, 20);
    let inputs = Inputs::parse(&inputs).unwrap();
    TestServer::start(Config {
        inputs,
        clock: Clock::at(NOON.parse().unwrap()),
        ..Config::default()
    })
}

#[test]
fn a_chart_has_one_unit_in_its_numbers_and_its_labels() {
    let server = huge_costs();
    let suffix = |text: &str| {
        let number = text.rsplit(' ').next().unwrap().trim_start_matches('$');
        let is_amount = number.starts_with(|char: char| char.is_ascii_digit()) && number != "0";
        is_amount.then(|| {
            number.trim_start_matches(|c: char| ",.".contains(c) || c.is_ascii_digit()).to_owned()
        })
    };
    for target in [
        "/?region_id=cheap",
        "/?region_id=dear&compare=dear,cheap",
        "/regions/cheap",
        "/charts/history.svg?region_id=cheap",
        "/charts/regions.svg",
    ] {
        let body = server.get(target).body;
        let pictures = if target.starts_with("/charts") { vec![&*body] } else { charts(&body) };
        for picture in pictures {
            let plot = picture.split("class=\"plot\"").skip(1).collect::<String>();
            let texts = drawn(&plot);
            let amounts = texts.iter().filter(|text| {
                !text.contains(" Nov") && !text.contains(" Oct") && !text.contains('%')
            });
            let mut suffixes: Vec<String> = amounts.filter_map(|text| suffix(text)).collect();
            suffixes.retain(|suffix| suffix != "2026");
            assert!(suffixes.len() > 1, "{target}: {texts:?}");
            assert!(suffixes.iter().all(|suffix| *suffix == suffixes[0]), "{target}: {texts:?}");
        }
    }
    // The costs have four digits each, so they fit on one line.
    let rows = days(&server.get("/?region_id=dear").body);
    assert!(
        rows.iter().all(|row| row[1..4].iter().all(|cost| cost.len() == "9.591bn".len())),
        "{:?}",
        rows[0]
    );
}

#[test]
fn small_costs_are_shown_with_decimals() {
    let start = |inputs: &str| {
        let inputs = Inputs::parse(inputs).unwrap();
        let clock = Clock::at(NOON.parse().unwrap());
        TestServer::start(Config { inputs, clock, ..Config::default() })
    };
    let dogecoin = start(include_str!("../../../../examples/dogecoin.toml"));
    assert!(days(&dogecoin.get("/").body)[0][2].starts_with("0.0"));
    let html = dogecoin.get("/?region_id=north-america").body;
    let wide = charts(&html).into_iter().find(|chart| chart.starts_with("wide")).unwrap();
    let has_name = |text: &&str| text.starts_with("North America 0.0");
    assert!(drawn(wide).iter().any(has_name), "{:?}", drawn(wide));
    let narrow = charts(&html).into_iter().find(|chart| chart.starts_with("narrow")).unwrap();
    assert!(drawn(narrow).contains(&"North America"), "{:?}", drawn(narrow));
}

#[test]
fn right_to_left_names_are_as_long_as_others() {
    let html = with_name("الإمارات").get("/?region_id=eu").body;
    for chart in charts(&html).into_iter().filter(|chart| chart.contains("history-")) {
        let has_name = |text: &&str| text.contains("الإمارات");
        assert!(drawn(chart).iter().any(has_name), "{:?}", drawn(chart));
    }
}

#[test]
fn the_forecast_is_a_level_that_is_the_same_on_every_range() {
    for moment in [NOON, "1970-01-01T12:00:00Z", "9999-12-31T12:00:00Z"] {
        let server = TestServer::at(moment);
        let forecast = number(&server.json("/v1/ghi/forecast")["predicted_avg_cost_usd"]);
        let label = format!("Long-run level ${}", dollars(forecast));
        for target in [
            "/",
            "/?range=7d",
            "/?range=5y&region_id=eu",
            "/?range=all",
            "/regions/us?range=1y",
            "/charts/history.svg?range=7d",
            "/charts/history.svg?range=5y",
        ] {
            let body = server.get(target).body;
            assert!(drawn(&body).contains(&&*label), "{moment} {target}");
            assert!(!body.contains("NaN") && !body.contains("inf%"), "{target}");
        }
    }
}

#[test]
fn csv_files_match_the_documents() {
    let server = TestServer::at(NOON);
    let rows = |target: &str| {
        let answer = server.get(target);
        let content_type = "text/csv; charset=utf-8; header=present";
        assert_eq!(answer.header("content-type"), Some(content_type));
        assert_eq!(answer.body.matches("\r\n").count(), answer.body.matches('\n').count());
        answer.body.lines().map(str::to_owned).collect::<Vec<String>>()
    };
    for region_id in ["global", "cn"] {
        let lines = rows(&format!("/export/history.csv?region_id={region_id}"));
        assert_eq!(lines[0], "date,region_id,currency,min_cost_usd,avg_cost_usd,max_cost_usd");
        let history = server.json(&format!("/v1/ghi/history?region_id={region_id}"));
        let points = history["points"].as_array().unwrap();
        assert_eq!(lines.len(), 1 + points.len());
        for (line, point) in lines[1..].iter().zip(points) {
            let [min, avg, max] = costs(point, "");
            let date = point["date"].as_str().unwrap();
            assert_eq!(*line, format!("{date},{region_id},USD,{min:.2},{avg:.2},{max:.2}"));
        }
    }
    let lines = rows("/export/snapshot.csv");
    let head =
        "date,region_id,name,currency,min_cost_usd,avg_cost_usd,max_cost_usd,hashrate_share_pct";
    assert_eq!(lines[0], head);
    let snapshot = server.json("/v1/ghi/snapshot");
    let [min, avg, max] = costs(&snapshot, "global_");
    assert_eq!(
        lines[1],
        format!("2026-11-15,global,Worldwide,USD,{min:.2},{avg:.2},{max:.2},100.00")
    );
    for (line, region) in lines[2..].iter().zip(snapshot["regions"].as_array().unwrap()) {
        let [min, avg, max] = costs(region, "");
        let [id, name] = ["id", "name"].map(|field| region[field].as_str().unwrap());
        let start = format!("2026-11-15,{id},{name},USD,{min:.2},{avg:.2},{max:.2},");
        assert!(line.starts_with(&start), "{line}");
    }
    let named = server.get("/export/history.csv?region_id=us");
    let name = "attachment; filename=\"ghi-history-us.csv\"";
    assert_eq!(named.header("content-disposition"), Some(name));
}

#[test]
fn charts_come_in_the_requested_theme() {
    let server = TestServer::at(NOON);
    for path in ["/charts/history.svg", "/charts/regions.svg"] {
        let [auto, light, dark] = ["auto", "light", "dark"]
            .map(|theme| server.get(&format!("{path}?theme={theme}")).body);
        assert_eq!(server.get(path).body, auto);
        assert!(auto.contains("prefers-color-scheme") && !light.contains("prefers-color-scheme"));
        assert!(light.contains("--card: #fff;") && !dark.contains("--card: #fff;"));
        assert!(!auto.contains("light-dark") && !light.contains("light-dark"));
        for colour in ["card", "ink", "faint", "rule", "range", "average", "line-1", "line-5"] {
            assert!(
                light.contains(&format!("--{colour}: #"))
                    && dark.contains(&format!("--{colour}: #"))
            );
        }
        for theme in ["", "blue", "Light", "light&theme=dark"] {
            server.get(&format!("{path}?theme={theme}")).assert_problem(400, "invalid_parameter");
        }
    }
}

#[test]
fn the_chart_of_a_range_shows_the_data_of_its_days() {
    let server = TestServer::at(NOON);
    let today = number(&server.json("/v1/ghi/snapshot")["global_avg_cost_usd"]);
    for (range, ago, first, before) in [
        ("7d", "on 8 November", "8 Nov to", "2026-11-08"),
        ("30d", "on 16 October", "16 Oct to", "2026-10-16"),
        ("90d", "on 17 August", "17 Aug to", "2026-08-17"),
        ("1y", "on 15 Nov 2025", "15 Nov 2025 to", "2025-11-15"),
    ] {
        let svg = server.get(&format!("/charts/history.svg?range={range}")).body;
        let csv = server.get(&format!("/export/history.csv?from={before}")).body;
        let oldest: f64 = csv.lines().nth(1).unwrap().split(',').nth(4).unwrap().parse().unwrap();
        let amount = |usd: f64| {
            let cents = format!("{usd:.2}");
            format!("{},{}", &cents[..cents.len() - 6], &cents[cents.len() - 6..])
        };
        let told = format!("Worldwide from {} to {};", amount(oldest), amount(today));
        assert!(svg.contains(&told), "{told}");
        let (texts, has_means) = (drawn(&svg), matches!(range, "90d" | "1y"));
        assert!(
            texts[0].starts_with(if has_means {
                "The worldwide 7-day average "
            } else {
                "The worldwide average "
            }) && texts[0].ends_with(ago),
            "{texts:?}"
        );
        assert_eq!(texts[1], format!("Average cost of one bitcoin, USD, {first} 15 Nov 2026"));
        for name in ["Worldwide", "United States", "Europe", "China", "Long-run level"] {
            assert!(texts.iter().any(|text| text.starts_with(&format!("{name} "))), "{texts:?}");
        }
    }
    let week = server.get("/charts/history.svg").body;
    assert_eq!(server.get("/charts/history.svg?range=7d").body, week);
    for range in ["", "2y", "7D", "7d&range=7d"] {
        let answer = server.get(&format!("/charts/history.svg?range={range}"));
        answer.assert_problem(400, "invalid_parameter");
    }
}

#[test]
fn a_chart_of_another_day_has_all_ranges_with_any_number_of_regions() {
    for count in [10, 256] {
        let inputs = Inputs::parse(&rising_cost_regions(count)).unwrap();
        let clock = Clock::at(NOON.parse().unwrap());
        let server = TestServer::start(Config { inputs, clock, ..Config::default() });
        let header = "Prefer: at=2026-05-01T12:00:00Z\r\n";
        let chart = server.request("GET", "/charts/history.svg?range=1y", header);
        assert_eq!(chart.status, 200, "{count} regions");
    }
}

#[test]
fn the_regions_chart_title_names_the_cheapest_and_most_expensive() {
    let title = |server: &TestServer| drawn(&server.get("/charts/regions.svg").body)[0].to_owned();
    let server = TestServer::at(NOON);
    let csv = server.get("/export/snapshot.csv").body;
    let mut regions: Vec<(f64, &str)> = csv
        .lines()
        .skip(2)
        .map(|line| line.split(',').collect::<Vec<_>>())
        .map(|row| (row[5].parse().unwrap(), row[2]))
        .collect();
    regions.sort_by(|one, other| one.0.total_cmp(&other.0));
    let [cheapest, most_expensive] = [regions[0].1, regions[2].1];
    let found = format!("{cheapest} is the cheapest and {most_expensive} the most expensive");
    assert_eq!(title(&server), found);
    assert_eq!(title(&huge_costs()), "cheap is the cheapest and dear the most expensive");
    let start = |inputs: &str| {
        let inputs = Inputs::parse(inputs).unwrap();
        let clock = Clock::at(NOON.parse().unwrap());
        TestServer::start(Config { inputs, clock, ..Config::default() })
    };
    let (network, us) = ghi_engine::DEFAULT_INPUTS.split_once("[[region]]").unwrap();
    let us = us.split("[[region]]").next().unwrap();
    let share = us.split("hashrate_share_pct = ").nth(1).unwrap().split('\n').next().unwrap();
    let us = us.replace(&format!("hashrate_share_pct = {share}"), "hashrate_share_pct = 100");
    let one = start(&format!("{network}[[region]]{us}"));
    let average = number(&one.json("/v1/ghi/snapshot")["global_avg_cost_usd"]);
    let found = format!("One bitcoin costs ${} on average", dollars(average));
    assert_eq!(title(&one), found);
    let many = title(&start(&many_regions(50)));
    assert!(many.starts_with("Of 12 shown, ") && !many.contains('…'), "{many}");
}

#[test]
fn an_exported_chart_names_its_source() {
    let origin = |public_url: Option<&str>, path| {
        let config = Config {
            clock: Clock::at(NOON.parse().unwrap()),
            public_url: public_url.map(|url| url.parse().unwrap()),
            ..Config::default()
        };
        let server = TestServer::start(config);
        drawn(&server.get(path).body).last().map(|text| (*text).to_owned()).unwrap()
    };
    for path in ["/charts/history.svg?range=30d&region_id=us", "/charts/regions.svg"] {
        assert_eq!(origin(None, path), "Synthetic data · 15 November 2026");
        let url = "https://ghi.example:8443/sandbox";
        assert_eq!(origin(Some(url), path), "Synthetic data · 15 November 2026 · ghi.example:8443");
    }
}

#[test]
fn parameters_of_pages_and_files_follow_the_rules_of_the_api() {
    let server = TestServer::at(NOON);
    for path in [
        "/",
        "/explain",
        "/charts/history.svg",
        "/export/history.csv",
        "/export/explain.csv",
        "/export/explain.json",
    ] {
        assert_eq!(server.get(path).body, server.get(&format!("{path}?region_id=global")).body);
        let unknown = server.get(&format!("{path}?unknown=1"));
        unknown.assert_problem(400, "unknown_parameter");
        for unknown in ["", "xx", "US", "us%20"] {
            let answer = server.get(&format!("{path}?region_id={unknown}"));
            answer.assert_problem(404, "unknown_region");
        }
        for invalid in ["region_id=us&region_id=us", "region_id=%FF"] {
            server.get(&format!("{path}?{invalid}")).assert_problem(400, "invalid_parameter");
        }
        server.request("POST", path, "").assert_problem(405, "method_not_allowed");
    }
    for unknown in ["/charts", "/charts/network.svg", "/export/", "/assets/x.css", "/problems/x"] {
        server.get(unknown).assert_problem(404, "not_found");
    }
}

#[test]
fn a_page_names_an_unknown_parameter_and_the_nearest_known_one() {
    let server = TestServer::at(NOON);
    let page = |target: &str| server.request("GET", target, "Accept: text/html\r\n");
    for (target, words) in [
        ("/?pric=60000&range=7d", "no parameter &#34;pric&#34;; the nearest is &#34;price&#34;."),
        ("/?utm_source=x", "no parameter &#34;utm_source&#34;."),
        ("/?%3Cb%3E=x", "no parameter of this name."),
        ("/regions/us?rnage=7d", "no parameter &#34;rnage&#34;; the nearest is &#34;range&#34;."),
        ("/explain?dates=2026-11-01", "&#34;dates&#34;; the nearest is &#34;date&#34;."),
        ("/docs?x=1", "no parameter &#34;x&#34;. It accepts no parameters."),
    ] {
        let answer = page(target);
        assert_eq!(answer.status, 400, "{target}");
        assert!(answer.body.contains(words), "{target}: {}", answer.body);
        server.get(target).assert_problem(400, "unknown_parameter");
    }
    // The dashboard stays, with the other choices.
    let answer = page("/?pric=60000&range=7d");
    assert!(answer.body.contains("<section class=\"history\""));
    assert!(answer.body.contains("It accepts only range, region_id, price, order, compare, with"));
    assert!(answer.body.contains("href=\"/?range=7d&#38;unit=percent#history\""));
    assert_eq!(page("/?&range=7d&").status, 200);
}

#[test]
fn a_browser_gets_errors_of_the_dashboard_as_a_page() {
    let server = TestServer::at(NOON);
    let browser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n";
    let page = server.request("GET", "/?region_id=xx", browser);
    let page_type = Some("text/html; charset=utf-8");
    assert_eq!((page.status, page.header("cache-control")), (404, Some("no-store")));
    assert_eq!(page.header("content-type"), page_type);
    assert!(page.header("content-security-policy").is_some());
    assert!(page.body.contains("us, eu, cn") && page.body.contains("href=\"/\""));
    assert!(page.body.contains("No region has this region_id."));
    assert!(page.body.contains("<section class=\"today\""), "the dashboard is still there");
    assert!(!page.body.contains("xx"), "input is not echoed");
    let page = server.request("GET", "/?compare=us&with=zz&price=-1&range=7d", browser);
    assert_eq!(page.status, 400);
    assert!(page.body.contains("<p>No region has this id in compare."));
    assert!(page.body.contains("<p>price must be a number from "));
    let page = server.request("GET", "/regions/chn", browser);
    assert_eq!(page.status, 404);
    assert!(page.body.contains("No region has this id.") && page.body.contains("All regions"));
    for other in ["", "Accept: */*\r\n", "Accept: application/json, text/html; Q=0.0\r\n"] {
        server.request("GET", "/?region_id=xx", other).assert_problem(404, "unknown_region");
    }
    for page in ["/", "/regions/us", "/explain", "/docs", "/methodology"] {
        let answer = server.request("GET", &format!("{page}?find=%FF"), browser);
        assert_eq!((answer.status, answer.header("content-type")), (400, page_type), "{page}");
        let problem = server.get(&format!("{page}?find=%FF"));
        problem.assert_problem(400, "invalid_parameter");
        assert_eq!(problem.header("vary"), Some("accept"), "{page}");
    }
    // The API always returns JSON.
    server
        .request("GET", "/v1/ghi/history?region_id=%FF", browser)
        .assert_problem(400, "invalid_parameter");
    let answer = server.request("GET", "/v1/ghi/history?region_id=xx", browser);
    answer.assert_problem(404, "unknown_region");
}

#[test]
fn daily_content_is_cached_like_the_documents() {
    let replica_at = |moment| TestServer::replica(Inputs::default(), moment);
    for path in OF_THE_DAY {
        let server = replica_at(NOON);
        let first = server.get(path);
        let tag = first.header("etag").unwrap().to_owned();
        assert_eq!(first.header("cache-control"), Some("public, max-age=60"), "{path}");
        assert_eq!(server.get(path).body, first.body, "{path} is not drawn alike twice");
        let header = format!("If-None-Match: {tag}\r\n");
        let known = server.request("GET", path, &header);
        assert_eq!((known.status, &*known.body), (304, ""), "{path}");
        assert_eq!(known.header("cache-control"), first.header("cache-control"));
        let replica = replica_at(NOON).get(path);
        assert_eq!(replica.header("etag"), Some(&*tag), "{path}");
        let late = replica_at("2026-11-15T23:59:50Z").get(path);
        assert_eq!(late.header("cache-control"), Some("public, max-age=10"), "{path}");
        if path != "/" {
            assert_eq!(late.header("etag"), Some(&*tag), "{path} is the same all day");
        }
        let tomorrow = replica_at("2026-11-16T00:00:00Z").get(path);
        assert_ne!(tomorrow.header("etag"), Some(&*tag), "{path}");
    }
}

#[test]
fn static_content_is_revalidated_and_not_sent_again() {
    let server = TestServer::at(NOON);
    for path in STATIC {
        let first = server.request("HEAD", path, "");
        assert_eq!(
            (first.status, first.header("cache-control")),
            (200, Some("no-cache")),
            "{path}"
        );
        let header = format!("If-None-Match: {}\r\n", first.header("etag").unwrap());
        assert_eq!(server.request("GET", path, &header).status, 304, "{path}");
    }
}

#[test]
fn pages_load_nothing_external_and_run_no_inline_scripts() {
    let server = TestServer::at(NOON);
    for path in ["/", "/explain", "/docs", "/problems/not_found"] {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        for rule in [
            "default-src 'none'",
            "script-src 'self';",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "object-src 'none'",
        ] {
            assert!(policy.contains(rule), "{path}: {rule}");
        }
        let names = answer.body.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        // Commands to copy contain this server's address.
        let names = names.replace(&format!("http://{}/", server.address()), "");
        assert!(!names.contains("://"), "{path}");
        for script in answer.body.split("<script").skip(1) {
            assert!(script.starts_with(" src=\"/assets/"));
            // The theme is set before the first paint.
            let is_theme = script.starts_with(" src=\"/assets/site.js\"></script>");
            let waits = ["\" defer></script>", "\" type=\"module\"></script>"];
            assert!(is_theme || waits.iter().any(|end| script.contains(end)));
        }
        assert!(!answer.body.contains(" style=\"") && !answer.body.contains("<style"));
    }
}

#[test]
fn links_do_not_send_a_referrer() {
    let server = TestServer::at(NOON);
    let browser = "Accept: text/html\r\n";
    for path in
        ["/", "/explain", "/docs", "/problems/not_found", "/?region_id=xx", "/charts/history.svg"]
    {
        let answer = server.request("GET", path, browser);
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
    }
}

#[test]
fn every_problem_has_a_page_with_the_look_of_the_others() {
    let server = TestServer::at(NOON);
    let page = server.get("/problems/unknown_region");
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(
        page.body.contains("/assets/style.css")
            && page.body.contains("<code>unknown_region</code>")
    );
}

#[test]
fn llms_txt_and_robots_txt_link_to_everything() {
    let server = TestServer::at(NOON);
    let text = server.get("/llms.txt").body;
    assert!(text.starts_with("# ") && text.contains("\n> "));
    for link in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        assert_eq!(server.get(link).status, 200, "{link}");
    }
    for path in server.json("/openapi.json")["paths"].as_object().unwrap().keys() {
        let is_for_operators = ["/healthz", "/readyz", "/metrics"].contains(&&**path);
        assert_eq!(text.contains(&**path), !is_for_operators, "{path}");
    }
    assert!(text.lines().all(|line| line.is_empty() || line.starts_with(['#', '>', '-'])));
    assert!(server.get("/robots.txt").body.starts_with("User-agent: *\n"));
    assert_eq!(server.get("/favicon.ico").header("content-type"), Some("image/svg+xml"));
}
