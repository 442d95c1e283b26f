//! The documents of one instant agree with each other and with those of neighbouring days.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant, UNIX_EPOCH};

use crate::support::{Answer, KeptAlive, NOON, PATHS, TestServer};
use ghi_engine::DEFAULT_INPUTS;
use ghi_server::{Clock, Config, Inputs};
use jiff::civil::Date;
use serde_json::Value;

const COSTS: [&str; 3] = ["min_cost_usd", "avg_cost_usd", "max_cost_usd"];

/// A number in units of its last decimal.
fn units(figure: &Value, decimals: i32) -> u64 {
    let units = figure.as_f64().unwrap() * 10_f64.powi(decimals);
    assert!((units - units.round()).abs() < 1e-3, "{figure} has more than {decimals} decimals");
    units.round() as u64
}

fn costs(document: &Value, decimals: i32) -> [u64; 3] {
    COSTS.map(|field| units(&document[field], decimals))
}

fn global_costs(snapshot: &Value, decimals: i32) -> [u64; 3] {
    COSTS.map(|field| units(&snapshot[format!("global_{field}")], decimals))
}

/// Checks every rule between the documents of a server with a stopped clock that publishes USD with two
/// decimals.
#[track_caller]
pub(crate) fn check_agreement(server: &TestServer) {
    check_agreement_to(server, 2);
}

/// Checks the same rules with this many decimals.
#[track_caller]
fn check_agreement_to(server: &TestServer, decimals: i32) {
    check_agreement_of(|target| server.json(target), decimals);
}

/// Checks the same rules for documents that a function requests.
#[track_caller]
pub(crate) fn check_agreement_of(get: impl Fn(&str) -> Value, decimals: i32) {
    let snapshot = get("/v1/ghi/snapshot");
    let regions = snapshot["regions"].as_array().unwrap();
    assert_eq!(snapshot["region_count"], regions.len());

    let [mut min, mut weighted, mut max] = [u64::MAX, 0, 0];
    let mut shares = 0;
    for region in regions {
        let id = region["id"].as_str().unwrap();
        let detail = get(&format!("/v1/ghi/regions/{id}"));
        let history = get(&format!("/v1/ghi/history?region_id={id}"));
        let last = history["points"].as_array().unwrap().last().unwrap();
        let [low, avg, high] = costs(region, decimals);
        assert_eq!(costs(&detail, decimals), [low, avg, high], "detail of {id}");
        assert_eq!(costs(last, decimals), [low, avg, high], "last point of {id}");
        assert!(0 < low && low <= avg && avg <= high);
        let share = units(&detail["hashrate_share_pct"], 2);
        (min, max, weighted, shares) =
            (min.min(low), max.max(high), weighted + share * avg, shares + share);
    }
    assert_eq!(shares, 10_000);
    let global = global_costs(&snapshot, decimals);
    assert_eq!(global, [min, (weighted + 5_000) / 10_000, max]);

    let history = get("/v1/ghi/history?region_id=global");
    let points = history["points"].as_array().unwrap();
    let today = points.last().unwrap();
    assert_eq!(points.len(), 7);
    assert!(points.is_sorted_by(|a, b| a["date"].as_str() < b["date"].as_str()));
    assert_eq!(costs(today, decimals), global);
    assert_eq!(get("/v1/ghi/history"), history);

    let indicator = get("/v1/ghi/indicator");
    assert_eq!(costs(&indicator, decimals), global);
    assert_eq!(indicator["date"], today["date"]);

    let first = regions[0]["id"].as_str().unwrap();
    for path in PATHS {
        let path = &path.replace("/us", &format!("/{first}"));
        let timestamp = get(path)["timestamp_utc"].clone();
        assert_eq!(timestamp, snapshot["timestamp_utc"], "{path}");
        assert!(timestamp.as_str().unwrap().starts_with(today["date"].as_str().unwrap()));
    }
}

#[test]
fn documents_of_one_instant_agree() {
    for moment in [
        NOON,
        "2028-02-29T12:00:00Z",
        "2026-12-31T23:59:59.999999Z",
        "1970-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999999Z",
    ] {
        check_agreement(&TestServer::at(moment));
    }
}

#[test]
fn documents_agree_on_the_system_clock() {
    let now = Clock::system().now();
    check_agreement(&TestServer::at(&now.to_string()));
    let server = TestServer::start(Config::default());
    let reported = server.json("/v1/ghi/metadata")["timestamp_utc"].as_str().unwrap().to_owned();
    assert!(reported >= now.to_string() && reported <= Clock::system().now().to_string());
}

#[test]
fn documents_of_other_inputs_agree() {
    let inputs = DEFAULT_INPUTS.replace("hashrate_share_pct = 60.0", "hashrate_share_pct = 59.99")
        + "[[region]]\nid = \"is-1\"\nname = \"Ísland \\\"1\\\"\"\nhashrate_share_pct = 0.01\n\
           efficiency_j_per_th = { best = 1, mean = 500, worst = 1000 }\n\
           electricity_usd_per_kwh = { low = 0.001, mean = 5, high = 10 }\n";
    let inputs = Inputs::parse(&inputs).unwrap();
    let clock = Clock::at(NOON.parse().unwrap());
    let server = TestServer::start(Config { inputs, clock, ..Config::default() });
    check_agreement(&server);
    assert_eq!(server.json("/v1/ghi/regions")["region_count"], 4);
    assert_eq!(server.json("/v1/ghi/regions/is-1")["name"], "Ísland \"1\"");
}

/// An example network and its number of USD decimals.
const NETWORKS: [(&str, i32); 3] = [
    (include_str!("../../../../examples/litecoin.toml"), 4),
    (include_str!("../../../../examples/dogecoin.toml"), 6),
    (include_str!("../../../../examples/monero.toml"), 4),
];

#[test]
fn documents_of_every_example_network_agree() {
    for (text, decimals) in NETWORKS {
        for moment in [NOON, "1970-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"] {
            let inputs = Inputs::parse(text).unwrap();
            let clock = Clock::at(moment.parse().unwrap());
            let server = TestServer::start(Config { inputs, clock, ..Config::default() });
            check_agreement_to(&server, decimals);
            let network = server.json("/v1/ghi/network");
            let difficulty = network["difficulty"].as_f64().unwrap();
            assert!(difficulty >= 1.0 && difficulty.fract() == 0.0);
            assert!(network["hashrate_eh"].as_f64().unwrap() > 0.0);
            for target in
                ["/", "/charts/history.svg", "/charts/regions.svg", "/export/snapshot.csv"]
            {
                assert_eq!(server.get(target).status, 200, "{target}");
            }
        }
    }
}

#[test]
fn the_smallest_numbers_are_written_without_an_exponent() {
    let inputs = Inputs::parse(NETWORKS[2].0).unwrap();
    let clock = Clock::at(NOON.parse().unwrap());
    let server = TestServer::start(Config { inputs, clock, ..Config::default() });
    let body = server.get("/v1/ghi/network").body;
    let (_, hashrate) = body.split_once("\"hashrate_eh\":").unwrap();
    let hashrate = hashrate.split(',').next().unwrap();
    assert!(hashrate.starts_with("0.00000000") && hashrate.len() <= "0.".len() + 13, "{hashrate}");
}

/// The points that today's and tomorrow's histories have in common.
fn shared_points(today: &str, tomorrow: &str, region_id: &str) -> [Vec<Value>; 2] {
    let target = format!("/v1/ghi/history?region_id={region_id}");
    let points =
        |moment| TestServer::at(moment).json(&target)["points"].as_array().unwrap().clone();
    [points(today)[1..].to_vec(), points(tomorrow)[..6].to_vec()]
}

#[test]
fn tomorrows_history_contains_todays_points_to_the_cent() {
    for (today, tomorrow) in [
        ("2026-11-15T12:00:00Z", "2026-11-16T00:00:00Z"),
        ("2026-12-31T23:59:59.999999Z", "2027-01-01T00:00:00Z"),
        ("2028-02-28T00:00:00Z", "2028-02-29T00:00:00Z"),
        ("2028-02-29T00:00:00Z", "2028-03-01T00:00:00Z"),
        ("9999-12-30T00:00:00Z", "9999-12-31T00:00:00Z"),
    ] {
        for region_id in ["global", "us", "eu", "cn"] {
            let [before, after] = shared_points(today, tomorrow, region_id);
            assert_eq!(before, after, "{region_id} from {today} to {tomorrow}");
        }
    }
}

/// The dates of the global history at an instant.
fn dates(moment: &str) -> Vec<String> {
    let history = TestServer::at(moment).json("/v1/ghi/history");
    let points = history["points"].as_array().unwrap();
    points.iter().map(|point| point["date"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_week_spans_leap_days_and_years() {
    let leap = dates("2028-03-01T00:00:00Z");
    assert_eq!(leap[4..], ["2028-02-28", "2028-02-29", "2028-03-01"]);
    let common = dates("2027-03-01T00:00:00Z");
    assert_eq!(common[4..], ["2027-02-27", "2027-02-28", "2027-03-01"]);
    let year = dates("2027-01-01T00:00:00Z");
    assert_eq!(year[5..], ["2026-12-31", "2027-01-01"]);
    let epoch = dates("1970-01-01T00:00:00Z");
    assert_eq!([&*epoch[0], &*epoch[6]], ["1969-12-26", "1970-01-01"]);
}

#[test]
fn data_stays_the_same_all_day_and_changes_at_midnight() {
    let without_stamp = |moment: &str| {
        let mut snapshot = TestServer::at(moment).json("/v1/ghi/snapshot");
        snapshot.as_object_mut().unwrap().remove("timestamp_utc");
        snapshot
    };
    let first = without_stamp("2026-11-15T00:00:00Z");
    assert_eq!(first, without_stamp("2026-11-15T23:59:59.999999Z"));
    assert_ne!(first, without_stamp("2026-11-16T00:00:00Z"));
}

#[test]
fn any_two_servers_return_the_same_data() {
    let [one, other] = [(); 2].map(|()| TestServer::at(NOON));
    for path in PATHS {
        assert_eq!(one.get(path).body, other.get(path).body);
    }
}

#[test]
fn a_document_comes_from_one_reading_of_the_clock() {
    // Every reading is an hour later than the one before.
    let hours = AtomicU64::new(0);
    let clock = Clock::from_fn(move || {
        let hour = hours.fetch_add(1, Ordering::Relaxed);
        UNIX_EPOCH + Duration::from_secs(1_794_744_000 + hour * 3600)
    });
    let server = TestServer::start(Config { clock, ..Config::default() });
    for _ in 0..50 {
        let answer = server.get("/v1/ghi/history");
        let history = answer.json();
        let timestamp = history["timestamp_utc"].as_str().unwrap();
        assert_eq!(history["points"][6]["date"], timestamp[..10], "{timestamp}");
    }
}

/// Returns the `Date` header in the form of a timestamp, to the second.
fn date_header(answer: &Answer) -> String {
    let date = answer.header("date").unwrap();
    let day = Date::strptime("%a, %d %b %Y", &date[..16]).unwrap();
    format!("{day}T{}", &date[17..25])
}

#[test]
fn date_and_document_come_from_one_reading_of_the_systems_clock() {
    let server = TestServer::start(Config::default());
    let mut client = KeptAlive::new(server.address());
    let mut seconds = BTreeSet::new();
    while seconds.len() < 3 {
        let answer = client.get("/v1/ghi/forecast").unwrap();
        let timestamp = answer.json()["timestamp_utc"].as_str().unwrap()[..19].to_owned();
        assert_eq!(date_header(&answer), timestamp);
        seconds.insert(timestamp);
    }
}

#[test]
fn date_is_the_time_of_the_message_whatever_the_sandboxs_clock_shows() {
    let moment = "2020-02-29T23:59:50Z".parse().unwrap();
    let now = || Clock::system().now().to_string()[..19].to_owned();
    for clock in [Clock::at(moment), Clock::running(moment, 86_400)] {
        let server = TestServer::start(Config { clock, ..Config::default() });
        for (target, headers) in [
            ("/v1/ghi/snapshot", ""),
            ("/v1/ghi/snapshot", "Prefer: at=2031-01-01\r\n"),
            ("/v1/ghi/snapshot", "If-None-Match: *\r\n"),
            ("/v1/ghi/regions/xx", ""),
            ("/", ""),
        ] {
            let before = now();
            let date = date_header(&server.request("GET", target, headers));
            assert!(before <= date && date <= now(), "{target}: {date}");
        }
    }
}

#[test]
fn at_one_day_per_second_documents_of_each_day_agree() {
    let clock = Clock::running("2027-12-31T00:00:00Z".parse().unwrap(), 86_400);
    let server = TestServer::start(Config { clock, ..Config::default() });
    let mut client = KeptAlive::new(server.address());
    let mut histories = BTreeMap::new();
    let mut timestamps = Vec::new();
    let began = Instant::now();
    while histories.len() < 11 {
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", histories.keys());
        let [history, snapshot] = ["/v1/ghi/history", "/v1/ghi/snapshot"].map(|path| {
            let answer = client.get(path).unwrap();
            let document = answer.json();
            let timestamp = document["timestamp_utc"].as_str().unwrap();
            let day: Date = timestamp[..10].parse().unwrap();
            timestamps.push(timestamp.to_owned());
            (day, document)
        });
        let (day, points) = (history.0, history.1["points"].as_array().unwrap().clone());
        assert_eq!(points[6]["date"], day.to_string());
        if snapshot.0 == day {
            assert_eq!(global_costs(&snapshot.1, 2), costs(&points[6], 2), "{day}");
        }
        let first = histories.entry(day).or_insert_with(|| points.clone());
        assert_eq!(*first, points, "{day} says the same all day");
    }
    assert!(timestamps.is_sorted());
    assert!(began.elapsed() > Duration::from_secs(9), "{:?}", began.elapsed());
    for ((day, history), (next_day, next_history)) in histories.iter().zip(histories.iter().skip(1))
    {
        // One, unless the machine made this client wait for more than a second.
        let days = (*next_day - *day).get_days() as usize;
        assert!(days <= 7, "{day}, {next_day}");
        assert_eq!(history[days..], next_history[..7 - days], "{day}, {next_day}");
    }
}

/// A clock that a test sets, in seconds since 1970; may be negative.
fn settable() -> (Arc<AtomicI64>, Clock) {
    let seconds = Arc::new(AtomicI64::new(0));
    let read = Arc::clone(&seconds);
    let clock = Clock::from_fn(move || {
        let seconds = read.load(Ordering::SeqCst);
        let distance = Duration::from_secs(seconds.unsigned_abs());
        if seconds < 0 { UNIX_EPOCH - distance } else { UNIX_EPOCH + distance }
    });
    (seconds, clock)
}

#[test]
fn the_data_follows_a_clock_that_jumps() {
    const MIDNIGHT: i64 = 1_794_700_800;
    let (seconds, clock) = settable();
    let server = TestServer::start(Config { clock, ..Config::default() });
    for (now, today) in [
        (MIDNIGHT - 1, "2026-11-14"),
        (MIDNIGHT, "2026-11-15"),
        (MIDNIGHT + 1800, "2026-11-15"),
        (MIDNIGHT - 1800, "2026-11-14"),
        (MIDNIGHT + 1800, "2026-11-15"),
        (MIDNIGHT + 86_400 * 400, "2027-12-20"),
        (0, "1970-01-01"),
        (MIDNIGHT, "2026-11-15"),
    ] {
        seconds.store(now, Ordering::SeqCst);
        let history = server.json("/v1/ghi/history");
        assert_eq!(history["points"][6]["date"], today);
        assert!(history["timestamp_utc"].as_str().unwrap().starts_with(today));
        assert_eq!(server.json("/v1/ghi/indicator")["date"], today);
    }
}

#[test]
fn a_keep_alive_connection_follows_the_clock() {
    const MIDNIGHT: i64 = 1_794_700_800;
    let (seconds, clock) = settable();
    let server = TestServer::start(Config { clock, ..Config::default() });
    let mut kept = KeptAlive::new(server.address());
    for (now, timestamp) in [
        (MIDNIGHT - 2, "2026-11-14T23:59:58"),
        (MIDNIGHT - 1, "2026-11-14T23:59:59"),
        (MIDNIGHT, "2026-11-15T00:00:00"),
        (MIDNIGHT, "2026-11-15T00:00:00"),
        (MIDNIGHT + 86_400, "2026-11-16T00:00:00"),
        (MIDNIGHT - 1, "2026-11-14T23:59:59"),
    ] {
        seconds.store(now, Ordering::SeqCst);
        let answer = kept.get("/v1/ghi/history").unwrap();
        let history = answer.json();
        assert_eq!(history["timestamp_utc"], format!("{timestamp}.000000Z"));
        assert_eq!(history["points"][6]["date"], timestamp[..10]);
    }
}

#[test]
fn a_clock_out_of_range_is_clamped() {
    let (seconds, clock) = settable();
    let server = TestServer::start(Config { clock, ..Config::default() });
    for (wrong, nearest) in [
        (-1, "1970-01-01T00:00:00.000000Z"),
        (253_402_300_800, "9999-12-31T23:59:59.999999Z"),
        (1_000_000_000_000, "9999-12-31T23:59:59.999999Z"),
    ] {
        seconds.store(wrong, Ordering::SeqCst);
        for path in PATHS {
            assert_eq!(server.json(path)["timestamp_utc"], nearest, "{path}");
        }
        assert_eq!(server.json("/v1/ghi/indicator")["date"], nearest[..10]);
        seconds.store(1_794_700_800, Ordering::SeqCst);
        assert_eq!(server.json("/v1/ghi/indicator")["date"], "2026-11-15", "recovers by itself");
    }
}
