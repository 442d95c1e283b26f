//! Reloading inputs while the server runs.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use ghi_engine::DEFAULT_INPUTS;
use ghi_server::{Clock, Config, Inputs};

use crate::support::{KeptAlive, NOON, TestServer};

/// Every path that depends on the data, with ids that both inputs have.
const TARGETS: [&str; 16] = [
    "/v1/ghi/metadata",
    "/v1/ghi/regions",
    "/v1/ghi/regions/eu",
    "/v1/ghi/snapshot",
    "/v1/ghi/history",
    "/v1/ghi/history?region_id=eu",
    "/v1/ghi/network",
    "/v1/ghi/forecast",
    "/v1/ghi/forecast?forecast_days=30",
    "/v1/ghi/indicator",
    "/",
    "/?region_id=eu",
    "/charts/history.svg",
    "/charts/regions.svg",
    "/export/history.csv?region_id=eu",
    "/export/snapshot.csv",
];

/// Two networks that differ in the seed and in the id of the first region.
fn two_inputs() -> [Inputs; 2] {
    let other = DEFAULT_INPUTS.replacen("\"us\"", "\"zz\"", 1).replacen("seed = ", "seed = 1", 1);
    [Inputs::default(), Inputs::parse(&other).unwrap()]
}

fn server_of(inputs: Inputs) -> TestServer {
    let clock = Clock::at(NOON.parse().unwrap());
    TestServer::start(Config { inputs, clock, ..Config::default() })
}

/// The entity tag and the body of a response.
type Version = (String, String);

fn ask(client: &mut KeptAlive, target: &str) -> Version {
    let request = format!("GET {target} HTTP/1.1\r\nHost: test\r\n\r\n");
    let answer = client.send(&request).unwrap();
    assert_eq!(answer.status, 200, "{target}: {}", answer.body);
    (answer.header("etag").unwrap().to_owned(), answer.body)
}

/// A server's response for each target.
fn versions(server: &TestServer) -> [Version; TARGETS.len()] {
    let mut client = KeptAlive::new(server.address());
    TARGETS.map(|target| ask(&mut client, target))
}

#[test]
fn during_reloads_under_load_each_response_is_of_one_version() {
    let known = two_inputs().map(|inputs| versions(&TestServer::replica(inputs, NOON)));
    let server = TestServer::replica(Inputs::default(), NOON);
    let is_over = AtomicBool::new(false);
    let load = || {
        let mut client = KeptAlive::new(server.address());
        let mut seen = HashSet::new();
        while !is_over.load(Ordering::Relaxed) {
            for (index, target) in TARGETS.iter().enumerate() {
                let answer = ask(&mut client, target);
                let version = known.iter().position(|known| known[index] == answer);
                // The metadata is the same for both.
                seen.insert(version.unwrap_or_else(|| panic!("{target}: {answer:?}")));
            }
        }
        seen.len()
    };
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..4).map(|_| scope.spawn(load)).collect();
        let reload = server.reload_handle();
        let mut client = KeptAlive::new(server.address());
        let [mut current, snapshot] = [0, 3];
        for number in 1..=100 {
            match Inputs::parse(if number % 3 == 0 { "no inputs" } else { DEFAULT_INPUTS }) {
                Err(_) => reload.failed(),
                Ok(_) => {
                    current = 1 - current;
                    let [one, other] = two_inputs();
                    reload.reload(if current == 0 { one } else { other });
                }
            }
            let answer = ask(&mut client, TARGETS[snapshot]);
            assert!(answer == known[current][snapshot], "after reload {number}: {answer:?}");
        }
        is_over.store(true, Ordering::Relaxed);
        let seen: Vec<usize> = clients.into_iter().map(|client| client.join().unwrap()).collect();
        assert_eq!(seen, [2; 4], "each client has seen both versions");
    });
    let metrics = server.get("/metrics").body;
    for line in [
        "ghi_inputs_reloads_total{result=\"success\"} 67\n",
        "ghi_inputs_reloads_total{result=\"failure\"} 33\n",
        "ghi_inputs_last_reload_successful 1\n",
    ] {
        assert!(metrics.contains(line), "{line} is not in {metrics}");
    }
    assert!(!metrics.contains("status=\"5"), "{metrics}");
}

#[test]
fn valid_region_ids_change_with_a_reload() {
    let [one, other] = two_inputs();
    let server = server_of(one);
    let find = |id: &str| {
        let targets = [
            format!("/v1/ghi/regions/{id}"),
            format!("/v1/ghi/history?region_id={id}"),
            format!("/?region_id={id}"),
            format!("/export/history.csv?region_id={id}"),
        ];
        targets.map(|target| server.get(&target).status)
    };
    assert_eq!((find("us"), find("zz")), ([200; 4], [404; 4]));
    server.reload_handle().reload(other);
    assert_eq!((find("us"), find("zz")), ([404; 4], [200; 4]));
}

#[test]
fn a_failed_reload_shows_until_one_succeeds() {
    let server = server_of(Inputs::default());
    let is_shown = |value: &str| {
        let line = format!("ghi_inputs_last_reload_successful {value}\n");
        server.get("/metrics").body.contains(&line)
    };
    assert!(is_shown("1"), "at start");
    server.reload_handle().failed();
    assert!(is_shown("0"));
    server.reload_handle().reload(Inputs::default());
    assert!(is_shown("1"));
}
