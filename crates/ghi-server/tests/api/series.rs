//! An index from dated series: the days with data, and the errors for other days.

use ghi_engine::{cost_usd_per_coin, hashes_per_coin};
use ghi_server::{Clock, Config, Inputs};
use jiff::ToSpan;
use serde_json::Value;

use crate::consistency::check_agreement;
use crate::support::{TestServer, clock_that_says};

const INPUTS: &str = "seed = 1\n\
    [network]\nhashrate_eh = 800\nblock_reward_coins = 6.25\nfee_usd = 1.5\noverhead = 1.25\n\
    [movement]\ndifficulty_pct = 10\nhashrate_pct = 6\nfee_pct = 40\nelectricity_pct = 5\nspread_pct = 20\n\
    [series]\nnetwork = \"network.csv\"\nregions = \"regions.csv\"\nvalid_days = 10\nregions_valid_days = 10\n\
    [[region]]\nid = \"north\"\nname = \"North\"\nhashrate_share_pct = 60\n\
    efficiency_j_per_th = { best = 16, mean = 19, worst = 22 }\n\
    electricity_usd_per_kwh = { low = 0.04, mean = 0.05, high = 0.06 }\n\
    [[region]]\nid = \"south\"\nname = \"South\"\nhashrate_share_pct = 40\n\
    efficiency_j_per_th = { best = 18, mean = 21, worst = 25 }\n\
    electricity_usd_per_kwh = { low = 0.05, mean = 0.06, high = 0.07 }\n";

const NETWORK: &str = "date,difficulty,hashrate_eh,fee_usd,block_reward_coins,x_price_usd\n\
    2024-04-01,83947913181362,600.5,4.25,6.25,70000\n\
    2024-04-11,83947913181362,600.5,4.25,6.25,70000\n\
    2024-04-20,86388558925171,,,3.125,64000\n\
    2024-04-30,86388558925171,,,3.125,64000\n\
    2024-05-10,83148355189239,580.25,2.5,3.125,63000\n";

const REGIONS: &str = "date,region_id,hashrate_share_pct,efficiency_j_per_th_mean,electricity_usd_per_kwh_low,electricity_usd_per_kwh_mean,electricity_usd_per_kwh_high\n\
    2024-04-03,north,55,18.5,0.041,0.052,0.063\n\
    2024-04-03,south,45,,0.05,0.061,0.072\n\
    2024-04-13,north,55,18.5,0.041,0.052,0.063\n\
    2024-04-13,south,45,,0.05,0.061,0.072\n\
    2024-04-23,north,55,18.5,0.041,0.052,0.063\n\
    2024-04-23,south,45,,0.05,0.061,0.072\n\
    2024-05-01,north,70,18.25,0.042,0.053,0.064\n\
    2024-05-01,south,30,,,,\n";

fn inputs(network: &str, regions: &str) -> Inputs {
    let read = |name: &str| Ok(if name == "network.csv" { network } else { regions }.into());
    Inputs::parse_with_series(INPUTS, read).unwrap()
}

fn server_of(network: &str, regions: &str, date: &str) -> TestServer {
    let clock = clock_that_says(&format!("{date}T12:00:00Z"));
    TestServer::start(Config { inputs: inputs(network, regions), clock, ..Config::default() })
}

/// Starts a server with data from 2024-04-03, the regions' first row, to ten days after their last row.
fn server_at(date: &str) -> TestServer {
    server_of(NETWORK, REGIONS, date)
}

const LAST_DAY: &str = "2024-05-11";
const COVERED: &str = "Data runs from 2024-04-03 to 2024-05-11.";

/// Every path that needs today's data.
const OF_TODAY: [&str; 14] = [
    "/v1/ghi/snapshot",
    "/v1/ghi/history",
    "/v1/ghi/history?region_id=north",
    "/v1/ghi/regions/north",
    "/v1/ghi/network",
    "/v1/ghi/forecast",
    "/v1/ghi/indicator",
    "/readyz",
    "/",
    "/charts/regions.svg",
    "/export/snapshot.csv",
    "/explain",
    "/export/explain.csv",
    "/export/explain.json",
];

#[test]
fn costs_equal_the_formula_applied_to_the_rows_of_the_day() {
    for (date, difficulty, reward, efficiency, price, share) in [
        ("2024-04-03", 83_947_913_181_362_u64, 6.25, 18.5, 0.052, 55.0),
        ("2024-04-19", 83_947_913_181_362, 6.25, 18.5, 0.052, 55.0),
        ("2024-04-20", 86_388_558_925_171, 3.125, 18.5, 0.052, 55.0),
        ("2024-05-01", 86_388_558_925_171, 3.125, 18.25, 0.053, 70.0),
        (LAST_DAY, 83_148_355_189_239, 3.125, 18.25, 0.053, 70.0),
    ] {
        let server = server_at(date);
        let hashes = hashes_per_coin(difficulty as f64, 4_294_967_296.0, reward);
        let cost = (cost_usd_per_coin(hashes, efficiency, price, 1.25) * 100.0).round() / 100.0;
        let north = server.json("/v1/ghi/regions/north");
        assert_eq!(north["avg_cost_usd"], cost, "{date}");
        assert_eq!(north["hashrate_share_pct"], share, "{date}");
        assert_eq!(server.json("/v1/ghi/network")["difficulty"], difficulty as f64, "{date}");
    }
    let given = server_at("2024-04-10").json("/v1/ghi/network");
    assert_eq!((&given["hashrate_eh"], &given["avg_fee_usd"]), (&600.5.into(), &4.25.into()));
}

#[test]
fn figures_that_the_model_generates_are_marked_on_the_dashboard() {
    // The rows of April 20 have neither hashrate nor fee.
    for (date, is_generated) in [("2024-04-21", true), (LAST_DAY, false)] {
        let html = server_at(date).get("/").body;
        let tile = |label: &str| {
            let tile = html.split_once(&format!("<dt>{label}</dt>")).unwrap().1;
            tile.split_once("<dd class=\"spark\">").unwrap().0.contains("synthetic")
        };
        let marked = ["Hashrate", "Difficulty", "Average fee"].map(tile);
        assert_eq!(marked, [is_generated, false, is_generated], "{date}");
    }
    let synthetic = TestServer::at("2026-11-15T12:00:00Z").get("/").body;
    assert!(!synthetic.contains("<span class=\"unit\">synthetic"));
}

#[test]
fn documents_agree_at_both_ends_of_the_series() {
    // The first day with a full week of data.
    for date in ["2024-04-09", "2024-04-20", LAST_DAY] {
        check_agreement(&server_at(date));
    }
    let example = |name: &str| match name {
        "network.csv" => include_bytes!("../../../../examples/own-series/network.csv").to_vec(),
        _ => include_bytes!("../../../../examples/own-series/regions.csv").to_vec(),
    };
    let text = include_str!("../../../../examples/own-series/inputs.toml");
    let inputs = Inputs::parse_with_series(text, |name| Ok(example(name))).unwrap();
    let coverage = inputs.coverage();
    for date in [coverage.first.saturating_add(6.days()), coverage.last] {
        let clock = Clock::at(format!("{date}T12:00:00Z").parse().unwrap());
        let config = Config { inputs: inputs.clone(), clock, ..Config::default() };
        check_agreement(&TestServer::start(config));
    }
}

#[test]
fn missing_inputs_are_modelled_and_hashrate_follows_difficulty() {
    let implied = 86_388_558_925_171.0 * 4_294_967_296.0 / 600.0 / 1e18;
    let networks = ["2024-04-21", "2024-04-22"].map(|date| server_at(date).json("/v1/ghi/network"));
    assert_ne!(networks[0]["hashrate_eh"], networks[1]["hashrate_eh"]);
    assert_ne!(networks[0]["avg_fee_usd"], networks[1]["avg_fee_usd"]);
    for network in networks {
        let ratio = network["hashrate_eh"].as_f64().unwrap() / implied;
        assert!((0.94..=1.06).contains(&ratio), "{ratio}");
    }
}

#[test]
fn the_forecast_is_todays_global_average() {
    for date in ["2024-04-10", "2024-05-02"] {
        let server = server_at(date);
        let average = server.json("/v1/ghi/snapshot")["global_avg_cost_usd"].clone();
        for days in [1, 365] {
            let forecast = server.json(&format!("/v1/ghi/forecast?forecast_days={days}"));
            assert_eq!(forecast["predicted_avg_cost_usd"], average);
        }
    }
}

#[track_caller]
fn check_no_figures(server: &TestServer, target: &str, date: &str) {
    let answer = server.get(target);
    let problem = answer.json();
    assert_eq!((answer.status, &problem["code"]), (503, &"no_figures".into()), "{target}");
    assert_eq!(problem["detail"], format!("No data for {date}. {COVERED}"), "{target}");
    assert_eq!(answer.header("retry-after"), Some("60"), "{target}");
    assert_eq!(answer.header("cache-control"), Some("no-store"), "{target}");
}

#[test]
fn dates_without_data_get_the_same_error_everywhere() {
    for date in ["2024-04-02", "2024-05-12", "1970-01-01", "9999-12-31"] {
        let server = server_at(date);
        for target in OF_TODAY {
            // A history names the first missing day of its seven.
            let missing = match (target.contains("history"), date) {
                (true, "2024-04-02") => "2024-03-27",
                (true, "1970-01-01") => "1969-12-26",
                (true, "9999-12-31") => "9999-12-25",
                _ => date,
            };
            check_no_figures(&server, target, missing);
        }
        for target in ["/v1/ghi/metadata", "/v1/ghi/regions", "/healthz", "/docs", "/methodology"] {
            assert_eq!(server.get(target).status, 200, "{target}");
        }
        let metrics = server.get("/metrics");
        assert_eq!(metrics.status, 200);
        assert!(!metrics.body.contains("ghi_cost_usd{") && metrics.body.contains("ghi_build_info"));
    }
}

#[test]
fn a_browser_gets_an_error_page_for_a_date_without_data() {
    let answer = server_at("2024-05-12").request("GET", "/", "Accept: text/html\r\n");
    assert_eq!(answer.status, 503);
    let text = answer.body.replace("<time>", "").replace("</time>", "");
    assert!(text.contains(COVERED), "{text}");
}

fn rows(server: &TestServer, target: &str) -> Vec<String> {
    let answer = server.get(target);
    assert_eq!(answer.status, 200, "{target}: {}", answer.body);
    answer.body.lines().skip(1).map(String::from).collect()
}

#[test]
fn a_week_across_the_ends_of_the_data_has_a_table_but_no_history() {
    // Four of its days have data, including today.
    let start = server_at("2024-04-06");
    assert_eq!(start.get("/v1/ghi/snapshot").status, 200);
    assert_eq!(start.get("/").status, 200);
    assert_eq!(start.get("/charts/history.svg").status, 200);
    check_no_figures(&start, "/v1/ghi/history", "2024-03-31");
    let week = rows(&start, "/export/history.csv");
    assert_eq!(week.len(), 4);
    assert!(week[0].starts_with("2024-04-03,") && week[3].starts_with("2024-04-06,"));
    // The first day has a single point.
    let first = server_at("2024-04-03");
    for target in ["/", "/charts/history.svg", "/charts/history.svg?region_id=south"] {
        assert_eq!(first.get(target).status, 200, "{target}");
    }
    // Five of its days have data, but today has none.
    let end = server_at("2024-05-13");
    check_no_figures(&end, "/v1/ghi/snapshot", "2024-05-13");
    check_no_figures(&end, "/v1/ghi/history", "2024-05-12");
    let week = rows(&end, "/export/network.csv");
    assert_eq!(week.len(), 5);
    assert!(week[4].starts_with(LAST_DAY));
    // The last day has all seven.
    let last = server_at(LAST_DAY);
    assert_eq!(last.json("/v1/ghi/history")["points"].as_array().unwrap().len(), 7);
}

#[test]
fn a_range_has_only_the_days_with_data() {
    let server = server_at("2024-05-05");
    for path in
        ["/export/history.csv?", "/export/history.csv?region_id=south&", "/export/network.csv?"]
    {
        let all = rows(&server, &format!("{path}from=2020-01-01&to=2024-12-31"));
        assert_eq!(all.len(), 39);
        assert!(all[0].starts_with("2024-04-03,") && all[38].starts_with(LAST_DAY));
        assert_eq!(rows(&server, &format!("{path}from=2024-05-10&to=2024-05-20")).len(), 2);
        check_no_figures(&server, &format!("{path}from=2024-05-12&to=2024-05-20"), "2024-05-12");
        check_no_figures(&server, &format!("{path}to=2024-04-02"), "2024-03-27");
    }
    check_no_figures(&server, "/explain?date=2024-04-02", "2024-04-02");
    check_no_figures(&server, "/export/explain.csv?region_id=north&date=2024-05-12", "2024-05-12");
}

#[test]
fn a_partly_covered_range_is_compared_with_its_first_day_with_data() {
    let server = server_at("2024-05-05");
    let all = rows(&server, "/export/history.csv?range=90d");
    assert_eq!(all.len(), 33);
    let average = |row: &str| row.split(',').nth(4).unwrap().parse::<f64>().unwrap();
    let change = 100.0 * (average(&all[32]) / average(&all[0]) - 1.0);
    let finding = format!("{change:.1}% higher than on 3 April");
    for path in ["/?range=90d", "/charts/history.svg?range=90d"] {
        assert!(server.get(path).body.contains(&finding), "{path}: {finding}");
    }
}

#[test]
fn appended_rows_change_no_earlier_day() {
    let network = format!("{NETWORK}2024-05-11,90000000000000,1,1,3.125,1\n");
    let regions =
        format!("{REGIONS}2024-05-11,north,60,17,0.01,0.02,0.03\n2024-05-11,south,40,,,,\n");
    let [before, after] = [server_at("2024-05-05"), server_of(&network, &regions, "2024-05-05")];
    for path in
        ["/export/history.csv?", "/export/history.csv?region_id=north&", "/export/network.csv?"]
    {
        let target = format!("{path}from=2024-04-01&to=2024-06-01");
        let [old, new] = [rows(&before, &target), rows(&after, &target)];
        assert_eq!(old[..38], new[..38], "{path}");
        assert_ne!(old[38], new[38], "the day of the row");
        assert_eq!(new.len(), 39 + 10);
    }
    let figures = |server: &TestServer| -> Value { server.json("/v1/ghi/history?region_id=south") };
    assert_eq!(figures(&before), figures(&after));
}

#[test]
fn any_day_with_data_can_be_explained() {
    let replica_at = |moment| TestServer::replica(inputs(NETWORK, REGIONS), moment);
    let late = replica_at("2030-01-01T12:00:00Z");
    let then = replica_at("2024-04-20T12:00:00Z");
    for path in ["/explain", "/export/explain.csv", "/export/explain.json"] {
        let explained = late.get(&format!("{path}?region_id=north&date=2024-04-20"));
        assert_eq!(explained.body, then.get(&format!("{path}?region_id=north")).body);
        let answer = then.get(&format!("{path}?date=2024-04-02"));
        assert_eq!((answer.status, &answer.json()["code"]), (503, &"no_figures".into()));
        assert!(answer.body.contains(COVERED), "{}", answer.body);
    }
}

#[test]
fn feed_entries_do_not_change_when_a_row_is_appended() {
    let entries = |server: &TestServer| -> Vec<String> {
        let feed = server.get("/feed.xml").body;
        let entries = feed.split("<entry>").skip(1);
        entries.map(|entry| entry.split("</entry>").next().unwrap().to_owned()).collect()
    };
    let id = |entry: &String| entry.split("id>").nth(1).unwrap().to_owned();
    let server = server_at(LAST_DAY);
    let before = entries(&server);
    let appended =
        format!("{REGIONS}{LAST_DAY},north,71,18,0.042,0.053,0.064\n{LAST_DAY},south,29,,,,\n");
    server.reload_handle().reload(inputs(NETWORK, &appended));
    let after = entries(&server);
    assert_ne!(after[0], before[0], "the row is of this day");
    assert_eq!(after[1..], before[1..]);
    assert_eq!(id(&after[0]), id(&before[0]), "a corrected figure keeps its id");
    let tomorrow = server_of(NETWORK, &appended, "2024-05-12");
    let tomorrow = entries(&tomorrow);
    assert_eq!((&tomorrow[1], &tomorrow[2..30]), (&after[0], &after[1..29]));
}

#[test]
fn feed_entries_are_updated_when_the_inputs_are_revised() {
    let about = "[about]\nrevised = \"2024-05-09\"\n[[region]]";
    let text = INPUTS.replacen("[[region]]", about, 1);
    let read = |name: &str| Ok(if name == "network.csv" { NETWORK } else { REGIONS }.into());
    let inputs = Inputs::parse_with_series(&text, read).unwrap();
    let clock = clock_that_says("2024-05-11T12:00:00Z");
    let server = TestServer::start(Config { inputs, clock, ..Config::default() });
    let feed = server.get("/feed.xml").body;
    let updated = feed.split("<updated>").skip(1).map(|text| &text[..20]);
    let updated: Vec<&str> = updated.collect();
    assert_eq!(updated.len(), 31);
    // The feed, then the entries, the newest first.
    let days = ["2024-05-11", "2024-05-11", "2024-05-10", "2024-05-09", "2024-05-09"];
    assert_eq!(updated[..5], days.map(|day| format!("{day}T00:00:00Z")));
    assert!(updated[5..].iter().all(|time| *time == "2024-05-09T00:00:00Z"), "{updated:?}");
}

#[test]
fn pages_charts_and_the_feed_say_what_is_measured_and_what_is_not() {
    let server = server_at(LAST_DAY);
    // South's last row has no prices.
    for (target, notice) in [
        ("/", "operator; a model generates electricity."),
        ("/explain", "operator; a model generates electricity. "),
        ("/regions/north", "Supplied by this server's operator."),
    ] {
        let html = server.get(target).body.replace("&#39;", "'");
        assert!(html.contains(notice), "{html}");
        if target == "/" {
            assert!(html.contains("The next retarget can't be estimated"), "{html}");
        }
        // North's data is all from the operator. On the dashboard, the footer says what the page is for.
        let is_sandbox = html.to_lowercase().contains("for building and testing");
        assert_eq!(is_sandbox, target != "/regions/north", "{html}");
        assert_eq!(html.contains("GHI sandbox"), is_sandbox, "{html}");
    }
    for (target, kind) in [
        ("/", "Operator's data, with synthetic electricity"),
        ("/explain", "Operator's data, with synthetic electricity"),
        ("/charts/history.svg", "Operator's data, with synthetic electricity"),
        ("/charts/cost-curve.svg", "Operator's data, with synthetic electricity"),
        ("/feed.xml", "Operator's data, with synthetic electricity"),
        ("/regions/north", "Operator's data. "),
        ("/charts/history.svg?region_id=north", "Operator's data · "),
    ] {
        let text = server.get(target).body.replace("&#39;", "'");
        assert!(text.contains(kind), "{target}: {text}");
    }
}

#[test]
fn an_edition_is_named_with_its_sources_and_assumptions() {
    let about = "[about]\ntitle = 'North <&> South'\npublisher = 'A miner'\n\
                 url = 'https://example.org/index'\nrevised = '2024-05-01'\n";
    let sources =
        [("Shares", "A survey", "reported"), ("Prices & tariffs", "A guess", "estimated")];
    let sources = sources.map(|(what, source, kind)| {
        format!("[[about.sources]]\nwhat = '{what}'\nsource = '{source}'\nkind = '{kind}'\n")
    });
    let text = format!("{INPUTS}\n{about}{}", sources.concat());
    let read = |name: &str| Ok(if name == "network.csv" { NETWORK } else { REGIONS }.into());
    let inputs = Inputs::parse_with_series(&text, read).unwrap();
    let clock = clock_that_says(&format!("{LAST_DAY}T12:00:00Z"));
    let server = TestServer::start(Config { inputs, clock, ..Config::default() });
    let dashboard = server.get("/").body;
    assert!(dashboard.contains("North &#60;&#38;&#62; South, partly estimated"), "{dashboard}");
    for page in [&dashboard, &server.get("/methodology").body] {
        let (_, section) = page.split_once("Where these figures come from").unwrap();
        for text in [
            "<a href=\"https://example.org/index\">A miner</a>, revised on 1 May 2024",
            "<dt>Reported\n<dd>Shares: A survey",
            "<dt>Estimated\n<dd>Prices &#38; tariffs: A guess",
            "<dt>Assumed\n<dd>Efficiency: a value for each region or period in the inputs file",
            "<dd>Overhead: 1.25 in the inputs file",
        ] {
            assert!(section.contains(text), "{text}: {section}");
        }
    }
    let synthetic = TestServer::at(crate::support::NOON).get("/").body;
    assert!(!synthetic.contains("Where these figures come from"));
}

#[test]
fn an_error_page_for_a_date_without_data_links_to_one_with_data() {
    const BROWSER: &str = "Accept: text/html\r\n";
    for (today, covered) in [("2030-01-01", LAST_DAY), ("2024-01-01", "2024-04-03")] {
        let server = server_at(today);
        for target in ["/", "/regions/north", "/explain"] {
            let page = server.request("GET", target, BROWSER);
            assert_eq!((page.status, page.header("retry-after")), (503, Some("60")), "{target}");
            assert!(page.body.contains(&format!("No data for {today}. ")), "{}", page.body);
            assert!(!page.body.contains("Back to today"), "{target}");
            let link =
                format!("<a href=\"/explain?date={covered}\">Costs on <time>{covered}</time></a>");
            assert!(page.body.contains(&link), "{}", page.body);
            assert!(page.body.contains(&format!("<code>Prefer: at={covered}T12:00:00Z</code>")));
        }
        assert_eq!(server.get(&format!("/explain?date={covered}")).status, 200);
        let prefer = format!("Prefer: at={covered}T12:00:00Z\r\n");
        assert_eq!(server.request("GET", "/v1/ghi/snapshot", &prefer).status, 200);
    }
    // If today has data, a day without data links back to it.
    let page = server_at(LAST_DAY).request("GET", "/explain?date=2030-01-01", BROWSER);
    assert_eq!((page.status, page.header("retry-after")), (503, Some("60")));
    assert!(page.body.contains("<a href=\"/\">Back to today's costs</a>"), "{}", page.body);
}

#[test]
fn the_dashboard_and_the_feed_name_the_day_of_older_network_data() {
    let told = ", with network data of 10 May 2024";
    for (date, is_told) in [("2024-05-10", false), (LAST_DAY, true)] {
        let server = server_at(date);
        let page = server.get("/").body;
        let answer =
            page.split("<div class=\"answer").nth(1).unwrap().split("</p>").next().unwrap();
        assert_eq!(answer.contains(told), is_told, "{answer}");
        assert_eq!(server.get("/feed.xml").body.matches(told).count(), usize::from(is_told));
    }
}

#[test]
fn the_feed_lists_the_last_days_with_data() {
    let entries = |date| {
        let feed = server_at(date).get("/feed.xml");
        assert_eq!(feed.status, 200, "{}", feed.body);
        feed.body.split_once("<entry>").unwrap().1.to_owned()
    };
    assert_eq!(entries("2030-01-01"), entries(LAST_DAY));
    let early = server_at("2024-01-01");
    assert_eq!(early.get("/feed.xml").json()["code"], "no_figures");
    let page = early.request("GET", "/feed.xml", "Accept: text/html\r\n");
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
}
