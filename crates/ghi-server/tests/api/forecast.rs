//! Forecasts from dated series: the API's document and the tables.

use std::fs;
use std::path::Path;

use ghi_server::{Clock, Config, Inputs};

use crate::support::{NOON, TestServer};

const INPUTS: &str = "seed = 1\n\
    [network]\nhashrate_eh = 800\nblock_reward_coins = 3.125\nfee_usd = 1.5\noverhead = 1.25\n\
    retarget_blocks = 2016\nhalving_blocks = 210000\n\
    [movement]\ndifficulty_pct = 0\nhashrate_pct = 0\nfee_pct = 0\nelectricity_pct = 0\n\
    [capital]\nusd_per_th = 14\nyears = 4\n\
    [series]\nnetwork = \"network.csv\"\n\
    [[region]]\nid = \"all\"\nname = \"All\"\nhashrate_share_pct = 100\n\
    efficiency_j_per_th = { best = 16, mean = 19, worst = 22 }\n\
    electricity_usd_per_kwh = { low = 0.04, mean = 0.05, high = 0.06 }\n";
const COLUMNS: &str = "date,forecast_days,target_date,predicted_avg_cost_usd,low_cost_usd,high_cost_usd,actual_avg_cost_usd,error_pct";
const SCORE: &str = "forecast_days,forecasts,mean_absolute_error_pct,of_repeating_today_pct,ratio,inside_interval_pct";

/// A server on a day with Bitcoin's difficulty and heights.
fn bitcoin_at(date: &str) -> TestServer {
    let rows = include_bytes!("../../../../examples/bitcoin/network.csv");
    let inputs = Inputs::parse_with_series(INPUTS, |_| Ok(rows.into())).unwrap();
    let clock = Clock::at(format!("{date}T12:00:00Z").parse().unwrap());
    TestServer::start(Config { inputs, clock, ..Config::default() })
}

#[track_caller]
fn rows(server: &TestServer, target: &str, header: &str) -> Vec<Vec<String>> {
    let answer = server.get(target);
    assert_eq!(answer.status, 200, "{target}: {}", answer.body);
    let mut lines = answer.body.lines();
    assert_eq!(lines.next(), Some(header), "{target}");
    lines.map(|line| line.split(',').map(String::from).collect()).collect()
}

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

#[test]
fn the_forecast_expects_the_halving() {
    let server = bitcoin_at("2024-03-20");
    let today = server.json("/v1/ghi/snapshot")["global_avg_cost_usd"].as_f64().unwrap();
    let predicted = |days: u16| {
        let forecast = server.json(&format!("/v1/ghi/forecast?forecast_days={days}"));
        forecast["predicted_avg_cost_usd"].as_f64().unwrap()
    };
    assert!((1.85..2.15).contains(&(predicted(60) / today)), "{}", predicted(60));
    assert!((0.9..1.1).contains(&(predicted(14) / today)), "{}", predicted(14));
    // The path of the day has the same predictions, with intervals that contain them.
    let path = rows(&server, "/export/forecast.csv?forecast_days=1-90", COLUMNS);
    assert_eq!(path.len(), 90);
    for (days, row) in (1..).zip(&path) {
        assert_eq!((&*row[0], number(&row[1])), ("2024-03-20", f64::from(days)));
        assert_eq!(number(&row[3]), predicted(days), "{days}");
        assert!(
            number(&row[4]) <= number(&row[3]) && number(&row[3]) <= number(&row[5]),
            "{row:?}"
        );
        assert_eq!(row[6..], ["", ""], "it isn't known yet");
    }
    assert_eq!(path[59][2], "2024-05-19");
    let one = rows(&server, "/export/forecast.csv?forecast_days=60-60", COLUMNS);
    assert_eq!(one, path[59..60]);
}

#[test]
fn the_chart_continues_into_the_forecast() {
    let html = bitcoin_at("2024-04-15").get("/").body;
    assert!(html.contains("data-last=\"2024-05-15\""), "30 days more");
    assert!(html.contains(">Halving 20 Apr · Retarget 24 Apr<"), "they would overlap: {html}");
    let reasons = "749 of 2,016 blocks mined, 1% ahead of schedule: difficulty +1.2% expected on 24 April 2024. Next halving expected on 20 April 2024.";
    assert!(html.contains(reasons), "{html}");
    assert!(html.contains("<summary>How good were these forecasts?</summary>"));
    for target in ["/?unit=percent", "/?region_id=all", "/regions/all"] {
        assert!(!bitcoin_at("2024-04-15").get(target).body.contains("How good"), "{target}");
    }
    let synthetic = TestServer::at(NOON).get("/").body;
    assert!(synthetic.contains("Shaded: its 80% interval.") && !synthetic.contains("blocks mined"));
}

/// The edition in `examples/bitcoin`, with other lines in place of `[uncertainty]`.
fn edition(date: &str, uncertainty: &str) -> TestServer {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bitcoin");
    let text = fs::read_to_string(folder.join("inputs.toml")).unwrap();
    let text = text.replace(
        "[uncertainty]\nelectricity_pct = 18\nefficiency_pct = 10\noverhead_pct = 5\n",
        uncertainty,
    );
    let read = |name: &str| fs::read(folder.join(name)).map_err(|error| error.to_string());
    let inputs = Inputs::parse_with_series(&text, read).unwrap();
    let clock = Clock::at(format!("{date}T12:00:00Z").parse().unwrap());
    TestServer::start(Config { inputs, clock, ..Config::default() })
}

#[test]
fn the_chart_has_the_interval_of_uncertain_inputs_as_a_band() {
    let server = edition("2026-05-01", "[uncertainty]\nelectricity_pct = 20\n");
    let economics = server.get("/export/economics.csv?date=2026-05-01").body;
    let row: Vec<&str> = economics.lines().nth(1).unwrap().split(',').collect();
    let dollars = |cost: &str| {
        let cost = format!("{:.2}", number(cost));
        let (whole, cents) = cost.split_once('.').unwrap();
        format!("{},{}.{cents}", &whole[..whole.len() - 3], &whole[whole.len() - 3..])
    };
    let [low, high] = [10, 11].map(|column| dollars(row[column]));
    let ends = format!("80% interval of the worldwide average on the last day: {low} to {high}.");
    let html = server.get("/").body;
    assert_eq!(html.matches("class=\"band\"").count(), 2, "wide and narrow");
    assert!(html.contains(&ends) && html.contains("Band behind the lines: the 80% interval"));
    let file = server.get("/charts/history.svg?range=all").body;
    assert!(file.contains("class=\"band\"") && file.contains(&ends), "{file}");
    assert!(file.contains(". Band: its 80% interval worldwide</text>"), "{file}");
    let others = ["/?unit=percent", "/?region_id=us", "/charts/history.svg?region_id=us"];
    let without = edition("2026-05-01", "");
    for (server, target) in
        others.map(|target| (&server, target)).into_iter().chain([(&without, "/")])
    {
        let body = server.get(target).body;
        assert!(body.contains("<svg") && !body.contains("class=\"band\""), "{target}");
        assert!(
            !body.contains("Band behind") && !body.contains("80% interval of the worldwide"),
            "{target}"
        );
    }
}

#[test]
fn the_chart_of_a_long_range_shows_what_others_published() {
    let server = edition("2025-04-30", "");
    let html = server.get("/?range=all").body;
    assert!(
        html.contains("<a href=\"/?range=all&#38;published=1#history\">Published estimates</a>")
    );
    assert!(!html.contains("class=\"estimate\"") && !html.contains("<summary>Published"));
    let html = server.get("/?range=all&published=1").body;
    assert!(html.contains("<a href=\"/?range=all#history\" aria-current=\"true\">Published"));
    let published = include_str!("../../../../examples/bitcoin/published.csv");
    let days = published.lines().skip(1).filter(|row| &row[..10] <= "2025-04-30");
    let count = days.count();
    assert!(count > 20);
    assert_eq!(html.matches("class=\"estimate\"").count(), 2 * count, "wide and narrow");
    assert!(html.contains(&format!("Published estimates: {count}, in the list below the chart.")));
    let title = "<title>Morgan Stanley, all-in: $8,600 on 19 Apr 2018</title><rect ";
    assert!(html.contains(title), "{html}");
    assert!(html.contains("<li>19 Apr 2018: Morgan Stanley, all-in, $8,600"), "{html}");
    assert!(html.contains("○ energy, ● cash, ■ all-in"));
    // Those before the range aren't drawn, and only long ranges in USD have any.
    let year = server.get("/?range=1y&published=1").body;
    assert!(year.contains("class=\"estimate\"") && !year.contains("Morgan Stanley"), "{year}");
    for target in ["/?published=1", "/?range=1y&published=1&unit=percent"] {
        let html = server.get(target).body;
        assert!(!html.contains("class=\"estimate\"") && !html.contains(">Published"), "{target}");
    }
    let synthetic = TestServer::at(NOON).get("/?range=all&published=1").body;
    assert!(!synthetic.contains(">Published"), "{synthetic}");
    assert_eq!(server.get("/?published=2").status, 400);
}

#[test]
fn past_forecasts_have_the_actual_averages_that_are_known() {
    let server = bitcoin_at("2024-06-01");
    let table = rows(&server, "/export/forecast.csv?forecast_days=30", COLUMNS);
    assert_eq!((table.len(), &*table[0][0], &*table[364][0]), (365, "2023-06-03", "2024-06-01"));
    let averages = server.get("/export/history.csv?from=2023-06-03").body;
    for row in &table {
        let actual = averages.lines().find(|line| line.starts_with(&row[2]));
        let actual = actual.map_or("", |line| line.split(',').nth(4).unwrap());
        assert_eq!(row[6], actual, "{row:?}");
        let error = |actual: f64| format!("{:.2}", 100.0 * (number(&row[3]) / actual - 1.0).abs());
        assert_eq!(row[7], if actual.is_empty() { String::new() } else { error(number(actual)) });
    }
    assert_eq!((&*table[334][2], &*table[335][6]), ("2024-06-01", ""));
    // A forecast stays what it was, whenever it is requested.
    let then = bitcoin_at("2024-03-20");
    let day = "/export/forecast.csv?forecast_days=30&from=2024-03-20&to=2024-03-20";
    assert_eq!(rows(&server, day, COLUMNS)[0][..6], rows(&then, day, COLUMNS)[0][..6]);
    // There is none for a day in the future.
    assert_eq!(rows(&then, "/export/forecast.csv?from=2024-03-19&to=2024-04-30", COLUMNS).len(), 2);
    let at = server.request("GET", day, "Prefer: at=2024-03-20\r\n");
    assert_eq!(at.body, then.get(day).body);
}

#[test]
fn scores_are_those_of_the_forecasts_in_the_table() {
    let server = bitcoin_at("2024-06-01");
    let query = "from=2023-01-01&to=2023-12-31";
    let scores = rows(&server, &format!("/export/forecast-score.csv?{query}"), SCORE);
    let horizons = scores.iter().map(|row| &*row[0]).collect::<Vec<_>>();
    assert_eq!(horizons, ["1", "7", "14", "30", "90", "180", "365"]);
    let target = format!("/export/forecast.csv?forecast_days=30&{query}");
    let table = rows(&server, &target, COLUMNS);
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    let actual = |row: &[String]| number(&row[6]);
    let error = mean(table.iter().map(|row| (number(&row[3]) / actual(row) - 1.0).abs()).collect());
    let inside = |row: &Vec<String>| {
        f64::from(number(&row[4]) <= actual(row) && actual(row) <= number(&row[5]))
    };
    let inside = mean(table.iter().map(inside).collect());
    assert_eq!((&*scores[3][1], &scores[3][2]), ("365", &format!("{:.2}", 100.0 * error)));
    assert_eq!(scores[3][5], format!("{:.2}", 100.0 * inside));
    let ratio = number(&scores[3][2]) / number(&scores[3][3]);
    assert!((number(&scores[3][4]) - ratio).abs() < 0.002, "{ratio}");
    // Of the forecasts for a year, those of the first five months have come due.
    assert_eq!((&*scores[6][1], &*scores[6][5]), ("153", ""));
    let all = rows(&server, "/export/forecast-score.csv", SCORE);
    assert!(number(&all[1][1]) > 3_000.0 && number(&all[1][4]) < 0.32, "{all:?}");
}

#[test]
fn the_built_in_forecast_has_a_constant_interval() {
    let server = TestServer::at(NOON);
    let level = server.json("/v1/ghi/forecast")["predicted_avg_cost_usd"].as_f64().unwrap();
    let path = rows(&server, "/export/forecast.csv?forecast_days=1-90", COLUMNS);
    assert!(path.iter().all(|row| row[3..] == path[0][3..] && number(&row[3]) == level));
    let [low, high] = [4, 5].map(|column| number(&path[0][column]));
    assert!(0.7 * level < low && low < level && level < high && high < 1.3 * level, "{low} {high}");
    let distant = rows(&server, "/export/forecast.csv?from=1950-01-01&to=1950-01-03", COLUMNS);
    assert!(distant.len() == 3 && distant.iter().all(|row| !row[7].is_empty()), "{distant:?}");
    let scores = rows(&server, "/export/forecast-score.csv", SCORE);
    assert!(scores.iter().all(|row| number(&row[5]) > 60.0), "{scores:?}");
}

#[test]
fn invalid_horizons_and_ranges_are_rejected() {
    let server = TestServer::at(NOON);
    for query in [
        "forecast_days=0",
        "forecast_days=1-91",
        "forecast_days=9-3",
        "forecast_days=1-",
        "forecast_days=-1",
        "forecast_days=1-90&from=2026-11-01",
        "from=2026-11-16",
        "from=2026-11-02&to=2026-11-01",
        "from=1990-01-01",
    ] {
        server
            .get(&format!("/export/forecast.csv?{query}"))
            .assert_problem(400, "invalid_parameter");
    }
    for query in ["from=2026-11-16", "from=2026-11-02&to=2026-11-01", "to=yesterday"] {
        server
            .get(&format!("/export/forecast-score.csv?{query}"))
            .assert_problem(400, "invalid_parameter");
    }
}
