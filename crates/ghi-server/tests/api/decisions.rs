//! Decisions where the contract is silent.

use ghi_server::{Clock, Config, SnapshotForm};

use crate::support::{Answer, NOON, PATHS, TestServer};

#[test]
fn history_without_region_id_is_global() {
    let server = TestServer::at(NOON);
    assert_eq!(server.json("/v1/ghi/history")["region_id"], "global");
}

#[test]
fn an_unknown_region_in_the_path_is_404_and_names_the_known_ones() {
    let server = TestServer::at(NOON);
    for id in ["xx", "US", "Us", "global", "us%20", "%20us", "us,eu", "-", "u", "usa"] {
        let answer = server.get(&format!("/v1/ghi/regions/{id}"));
        answer.assert_problem(404, "unknown_region");
        assert!(answer.body.contains("us, eu, cn"), "{}", answer.body);
    }
}

#[test]
fn an_unknown_region_id_is_404_and_names_the_known_ones() {
    let server = TestServer::at(NOON);
    for query in [
        "region_id=xx",
        "region_id=",
        "region_id",
        "region_id=GLOBAL",
        "region_id=+us",
        "region_id=us%00",
    ] {
        let answer = server.get(&format!("/v1/ghi/history?{query}"));
        answer.assert_problem(404, "unknown_region");
        assert!(answer.body.contains("global") && answer.body.contains("us, eu, cn"));
    }
}

#[test]
fn forecast_days_default_to_seven() {
    let server = TestServer::at(NOON);
    assert_eq!(server.json("/v1/ghi/forecast")["forecast_days"], 7);
    assert_eq!(server.json("/v1/ghi/forecast?")["forecast_days"], 7);
}

#[test]
fn forecast_days_run_from_1_to_365() {
    let server = TestServer::at(NOON);
    for days in 1..=365 {
        let forecast = server.json(&format!("/v1/ghi/forecast?forecast_days={days}"));
        assert_eq!(forecast["forecast_days"], days);
    }
}

#[test]
fn forecast_days_other_than_a_plain_integer_in_range_are_400() {
    let server = TestServer::at(NOON);
    for days in [
        "",
        "0",
        "-1",
        "-0",
        "366",
        "1000",
        "65537",
        "2147483648",
        "4294967303",
        "18446744073709551616",
        "18446744073709551623",
        "1e3",
        "1e0",
        "7.0",
        "7.",
        ".7",
        "+7",
        "%2B7",
        "007",
        "07",
        "00",
        "0x7",
        "7%20",
        "%207",
        "+7+",
        "7%0A",
        "7%00",
        "%00",
        "seven",
        "NaN",
        "7,8",
        "7_0",
        "%D9%A7",
        "%EF%BC%97",
        "%E0%A5%AD",
        "%F0%9D%9F%95",
        "%C2%B2",
        "true",
        "null",
        "[7]",
        "%227%22",
    ] {
        let answer = server.get(&format!("/v1/ghi/forecast?forecast_days={days}"));
        answer.assert_problem(400, "invalid_parameter");
        assert!(answer.body.contains("from 1 to 365"), "{days}: {}", answer.body);
    }
    server.get("/v1/ghi/forecast?forecast_days").assert_problem(400, "invalid_parameter");
}

#[test]
fn a_parameter_given_twice_is_400() {
    let server = TestServer::at(NOON);
    for target in [
        "/v1/ghi/history?region_id=us&region_id=us",
        "/v1/ghi/history?region_id=us&x=1&region_id=global",
        "/v1/ghi/history?region_id=us&%72egion_id=us",
        "/v1/ghi/forecast?forecast_days=7&forecast_days=7",
        "/v1/ghi/forecast?forecast_days&forecast_days=7",
    ] {
        server.get(target).assert_problem(400, "invalid_parameter");
    }
}

#[test]
fn a_query_that_is_not_utf8_is_400_everywhere() {
    let server = TestServer::at(NOON);
    for path in PATHS {
        for query in ["x=%ff", "%ff=x", "x=1&y=%c3%28", "x=%ed%a0%80"] {
            server.get(&format!("{path}?{query}")).assert_problem(400, "invalid_parameter");
        }
    }
}

#[test]
fn unknown_parameters_are_ignored() {
    let server = TestServer::at(NOON);
    for path in PATHS {
        let plain = server.get(path).body;
        for query in
            ["x=1", "x=1&x=2", "x", "&&", "=", "REGION_ID=xx", "%zz=%", "x=%00", "region_id;=xx"]
        {
            assert_eq!(server.get(&format!("{path}?{query}")).body, plain, "{path}?{query}");
        }
    }
    assert_eq!(
        server.get("/v1/ghi/snapshot?region_id=xx&forecast_days=0").body,
        server.get("/v1/ghi/snapshot").body
    );
}

#[test]
fn parameters_are_decoded() {
    let server = TestServer::at(NOON);
    let plain = server.get("/v1/ghi/history?region_id=us").body;
    for target in ["/v1/ghi/history?region%5Fid=%75s", "/v1/ghi/history?&region_id=us&"] {
        assert_eq!(server.get(target).body, plain, "{target}");
    }
    assert_eq!(server.get("/v1/ghi/regions/%75%73").body, server.get("/v1/ghi/regions/us").body);
    assert_eq!(server.json("/v1/ghi/forecast?forecast_days=%33%30")["forecast_days"], 30);
}

#[test]
fn parameters_are_decoded_once() {
    let server = TestServer::at(NOON);
    for target in ["/v1/ghi/regions/%2575s", "/v1/ghi/history?region_id=%2575s"] {
        server.get(target).assert_problem(404, "unknown_region");
    }
    let target = "/v1/ghi/forecast?forecast_days=%2537";
    server.get(target).assert_problem(400, "invalid_parameter");
}

#[test]
fn an_unknown_path_is_404_and_points_to_the_metadata() {
    let server = TestServer::at(NOON);
    for path in [
        "/v1/ghi",
        "/v1/ghi/",
        "/v1",
        "/v2/ghi/snapshot",
        "/v1/ghi/Snapshot",
        "/v1/ghi/snapshots",
        "/v1/ghi/regions/us/x",
        "/v1/ghi/regions//",
        "/v1/ghi//snapshot",
        "//v1/ghi/snapshot",
        "/v1/ghi/snapshot//",
        "/v1/ghi/history/us",
        "/v1/ghi/snapshot.json",
        "/v1/ghi/snapshot;x=1",
        "/problems/none",
        "/problems/NOT_FOUND",
    ] {
        let answer = server.get(path);
        answer.assert_problem(404, "not_found");
        assert!(answer.body.contains("/v1/ghi/metadata"), "{path}");
    }
}

#[test]
fn a_trailing_slash_is_the_same_resource() {
    let server = TestServer::at(NOON);
    for path in PATHS {
        assert_eq!(server.get(&format!("{path}/")).body, server.get(path).body, "{path}/");
    }
    assert_eq!(server.json("/v1/ghi/history/?region_id=us")["region_id"], "us");
}

#[test]
fn the_absolute_form_of_a_target_is_the_same_resource() {
    let server = TestServer::at(NOON);
    let answer = server.get("http://elsewhere.example/v1/ghi/snapshot");
    assert_eq!(answer.body, server.get("/v1/ghi/snapshot").body);
}

#[test]
fn other_methods_are_405_with_allow() {
    let server = TestServer::at(NOON);
    let methods = ["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "QUERY", "get", "BREW"];
    for path in PATHS.into_iter().chain(["/v1/ghi/regions/xx", "/problems/not_found"]) {
        for method in methods {
            let answer = server.request(method, path, "");
            answer.assert_problem(405, "method_not_allowed");
            assert_eq!(answer.header("allow"), Some("GET, HEAD, OPTIONS"));
        }
    }
    let tunnel = server.request("CONNECT", "test:80", "");
    tunnel.assert_problem(405, "method_not_allowed");
    server.request("POST", "/nowhere", "").assert_problem(404, "not_found");
}

#[test]
fn a_body_changes_nothing() {
    let server = TestServer::at(NOON);
    let plain = server.get("/v1/ghi/snapshot").body;
    // It has what would be an error in a head: a bare line feed, and a fragment in the first line.
    let head = "Host: test\r\nConnection: close\r\nContent-Length: 4\r\n\r\n#a\nb";
    assert_eq!(server.send(&format!("GET /v1/ghi/snapshot HTTP/1.1\r\n{head}")).body, plain);
    let post = server.send(&format!("POST /v1/ghi/snapshot HTTP/1.1\r\n{head}"));
    post.assert_problem(405, "method_not_allowed");
}

#[test]
fn head_returns_the_headers_of_get_without_the_body() {
    let server = TestServer::at(NOON);
    let targets = ["/v1/ghi/regions/xx", "/v1/ghi/forecast?forecast_days=0", "/problems/not_found"];
    for target in PATHS.into_iter().chain(targets) {
        let [get, head] = ["GET", "HEAD"].map(|method| server.request(method, target, ""));
        let comparable = |answer: &Answer| {
            let headers = answer
                .headers
                .iter()
                .filter(|header| !["date", "x-request-id"].contains(&&*header.0));
            headers.cloned().collect::<Vec<_>>()
        };
        assert_eq!(head.status, get.status, "{target}");
        assert_eq!(comparable(&head), comparable(&get), "{target}");
        assert_eq!(head.header("content-length"), Some(&*get.body.len().to_string()));
        assert_eq!(head.body, "");
    }
}

#[test]
fn options_lists_the_allowed_methods() {
    let server = TestServer::at(NOON);
    for target in PATHS.into_iter().chain(["*", "/v1/ghi/forecast?forecast_days=0"]) {
        let answer = server.request("OPTIONS", target, "");
        assert_eq!((answer.status, &*answer.body), (204, ""), "{target}");
        assert_eq!(answer.header("allow"), Some("GET, HEAD, OPTIONS"));
    }
    server.request("OPTIONS", "/nowhere", "").assert_problem(404, "not_found");
}

#[test]
fn the_type_of_a_problem_leads_to_a_page_that_explains_it() {
    let server = TestServer::at(NOON);
    for target in ["/nowhere", "/v1/ghi/regions/xx", "/v1/ghi/forecast?forecast_days=0"] {
        let problem = server.get(target).json();
        let page = server.get(problem["type"].as_str().unwrap());
        assert_eq!(page.status, 200);
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
        for field in ["title", "code"] {
            assert!(page.body.contains(problem[field].as_str().unwrap()), "{}", page.body);
        }
    }
    assert_eq!(server.get("/problems/method_not_allowed").status, 200);
    assert_eq!(server.get("/problems/busy").status, 200);
}

#[test]
fn every_error_below_the_prefix_is_json_and_names_its_path() {
    let server = TestServer::at(NOON);
    for (method, path) in
        [("GET", "/v1/ghi/nothing"), ("GET", "/v1/ghi/regions/xx"), ("POST", "/v1/ghi/snapshot")]
    {
        let answer = server.request(method, path, "Accept: text/html\r\n");
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
        assert_eq!(answer.json()["instance"], path);
    }
}

#[test]
fn the_indicator_is_todays_global_point_in_the_v1_0_envelope() {
    let server = TestServer::at(NOON);
    let answer = server.get("/v1/ghi/indicator");
    let indicator = answer.json();
    let mut expected = server.json("/v1/ghi/history")["points"][6].clone();
    expected["version"] = "1.0".into();
    for field in ["timestamp_utc", "engine_sandbox_version"] {
        expected[field] = server.json("/v1/ghi/history")[field].clone();
    }
    assert_eq!(indicator, expected);
    let link = "</v1/ghi/snapshot>; rel=\"successor-version\"".to_owned();
    assert!(answer.headers.contains(&("link".to_owned(), link)));
    assert!(!server.get("/v1/ghi/metadata").body.contains("indicator"));
}

#[test]
fn the_v1_0_snapshot_is_the_v1_1_snapshot() {
    let snapshot = TestServer::at(NOON).json("/v1/ghi/snapshot");
    assert_eq!(snapshot["version"], "1.1");
    assert!(snapshot["regions"].is_array() && snapshot["region_count"].is_u64());
}

#[test]
fn prefer_chooses_the_form_of_the_snapshot() {
    let server = TestServer::at(NOON);
    let clock = Clock::at(NOON.parse().unwrap());
    let config = Config { clock, snapshot_form: SnapshotForm::Reduced, ..Config::default() };
    let reducing = TestServer::start(config);
    let [full, reduced] = [&server, &reducing].map(|server| server.get("/v1/ghi/snapshot"));
    assert!(full.json()["regions"].is_array() && reduced.json().get("regions").is_none());
    for answer in [&full, &reduced] {
        assert_eq!(
            (answer.header("vary"), answer.header("preference-applied")),
            (Some("prefer"), None)
        );
    }

    let minimal = Some("return=minimal");
    let whole = Some("return=representation");
    for (prefer, applied) in [
        ("Prefer: return=minimal\r\n", minimal),
        ("prefer: RETURN = minimal\r\n", minimal),
        ("Prefer: return=\"minimal\"\r\n", minimal),
        ("Prefer: respond-async, return=minimal; x=1\r\n", minimal),
        ("Prefer: wait=10\r\nPrefer: return=minimal\r\n", minimal),
        ("Prefer: return=minimal, return=representation\r\n", minimal),
        ("Prefer: x=\"a\", return=minimal\r\n", minimal),
        ("Prefer: return=representation\r\n", whole),
        ("Prefer: return=minimalist\r\n", None),
        ("Prefer: return\r\n", None),
        ("Prefer: return, return=minimal\r\n", None),
        ("Prefer: x=\"a\\\", return=minimal\"\r\n", None),
        ("Prefer: \r\n", None),
        ("Prefer: x=\"return=minimal\"\r\n", None),
        ("Prefer: x=\"a, return=minimal\"\r\n", None),
    ] {
        for (server, default) in [(&server, &full), (&reducing, &reduced)] {
            let answer = server.request("GET", "/v1/ghi/snapshot", prefer);
            let expected = match applied {
                Some("return=minimal") => &reduced,
                Some(_) => &full,
                None => default,
            };
            assert_eq!(answer.body, expected.body, "{prefer}");
            assert_eq!(answer.header("preference-applied"), applied, "{prefer}");
            assert_eq!(answer.header("vary"), Some("prefer"));
        }
    }
    // Other documents have only one form.
    let history = server.request("GET", "/v1/ghi/history", "Prefer: return=minimal\r\n");
    assert_eq!(history.header("preference-applied"), None);
}
