//! The reference server keeps the contract and every decision.

use std::fs;
use std::path::Path;

use ghi_engine::DEFAULT_INPUTS;
use ghi_server::{Clock, Config, Inputs, PublicUrl, Sandbox, SnapshotForm};

use crate::runner::{assert_holds, judge};
use crate::scripted::{NOON, ScriptedServer};

#[track_caller]
fn check(config: Config, contract: &[&str], strict: &[&str]) {
    let server = Sandbox::start(config).unwrap();
    assert_holds(server.url(), &[], contract);
    assert_holds(&format!("{}/", server.url()), &["--strict"], &[contract, strict].concat());
}

fn at(moment: &str) -> Config {
    Config { clock: Clock::at(moment.parse().unwrap()), ..Config::default() }
}

/// Inputs with this many regions, no two with the same costs.
fn regions(count: usize) -> Inputs {
    let mut text = DEFAULT_INPUTS.split("[[region]]").next().unwrap().to_owned();
    let share = 100.0 / count as f64;
    for region in 0..count {
        let price = 0.05 + 0.0001 * (region * 37 % count) as f64;
        text += &format!(
            "[[region]]\nid = \"r{region}\"\nname = \"Region {region}\"\nhashrate_share_pct = {share}\n\
             efficiency_j_per_th = {{ best = 18, mean = 20, worst = 22 }}\n\
             electricity_usd_per_kwh = {{ low = {price}, mean = {}, high = {} }}\n",
            price * 1.1,
            price * 1.2,
        );
    }
    Inputs::parse(&text).unwrap()
}

/// The real edition of Bitcoin.
fn bitcoin() -> Inputs {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bitcoin");
    let text = fs::read_to_string(folder.join("inputs.toml")).unwrap();
    let read = |name: &str| fs::read(folder.join(name)).map_err(|error| error.to_string());
    Inputs::parse_with_series(&text, read).unwrap()
}

#[test]
fn with_the_bitcoin_edition_at_five_dates() {
    let inputs = bitcoin();
    assert_eq!(inputs.warnings(), [""; 0]);
    for date in ["2018-12-15", "2020-05-12", "2022-07-01", "2024-04-21", "2026-05-01"] {
        let config = at(&format!("{date}T12:00:00Z"));
        check(Config { inputs: inputs.clone(), ..config }, &[], &[]);
    }
}

#[test]
fn with_the_system_clock() {
    check(Config::default(), &[], &[]);
}

#[test]
fn with_a_fast_clock() {
    let start = "2026-12-31T23:00:00Z".parse().unwrap();
    let clock = Clock::running(start, "86400".parse().unwrap());
    let server = Sandbox::start(Config { clock, ..Config::default() }).unwrap();
    for args in [&[][..], &["--strict"]] {
        let run = judge(server.url(), args);
        assert_eq!(run.with("broken"), [].into(), "{}", run.shown("broken"));
    }
}

#[test]
fn on_a_leap_day_and_around_midnight() {
    check(at("2028-02-29T12:00:00Z"), &[], &[]);
    check(at("2026-12-31T23:59:59.999999Z"), &[], &[]);
    check(at("2027-01-01T00:00:00Z"), &[], &[]);
}

/// The rules that cannot be judged in the reduced form.
const FULL_FORM_ONLY: [&str; 5] = [
    "snapshot-region-fields",
    "snapshot-region-id-is-the-id",
    "snapshot-currency-is-usd",
    "snapshot-costs-are-in-order",
    "snapshot-count-is-the-number-of-regions",
];

#[test]
fn with_the_reduced_snapshot() {
    let config = Config { snapshot_form: SnapshotForm::Reduced, ..at(NOON) };
    let strict = ["snapshot-has-the-registry", "region-detail-agrees-with-the-snapshot"];
    check(config, &FULL_FORM_ONLY, &strict);
}

#[test]
fn with_one_region_and_with_250() {
    check(Config { inputs: regions(1), ..at(NOON) }, &[], &[]);
    let config = Config { inputs: regions(250), ..at(NOON) };
    let server = Sandbox::start(config).unwrap();
    assert_holds(server.url(), &[], &[]);
    // These need the details of all regions.
    let unjudged = ["global-average-is-weighted", "shares-sum-to-100"];
    assert_holds(server.url(), &["--strict"], &unjudged);
    let not_judged = judge(server.url(), &["--strict"]).shown("not_judged");
    assert!(not_judged.contains("needs the details of all 250 regions"), "{not_judged}");
}

#[test]
fn the_number_of_requests_does_not_grow_with_the_number_of_regions() {
    let requests = |count, args: &[&str]| {
        let server = Sandbox::start(Config { inputs: regions(count), ..at(NOON) }).unwrap();
        judge(server.url(), args).report["summary"]["requests"].as_u64().unwrap()
    };
    assert_eq!(requests(10, &[]), requests(250, &[]));
    assert!(requests(250, &[]) < 40);
    assert!(requests(250, &["--strict"]) < 100);
}

#[test]
fn with_strict_parameters_and_without_scenarios() {
    check(Config { strict_parameters: true, scenarios: false, ..at(NOON) }, &[], &[]);
}

#[test]
fn below_a_path() {
    let server = ScriptedServer::start();
    let base_url = server.with(|_: &_, _: &mut _| {});
    assert_holds(&base_url, &[], &[]);
    assert_holds(&format!("{base_url}/"), &["--strict"], &[]);
}

#[test]
fn with_a_public_url() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/sandbox", listener.local_addr().unwrap());
    let public_url: PublicUrl = url.parse().unwrap();
    // Its links lead to another server, which gets no request.
    let server = Sandbox::start(Config { public_url: Some(public_url), ..at(NOON) }).unwrap();
    let run = judge(server.url(), &["--strict"]);
    assert_eq!(run.with("broken"), ["problem-type-is-a-page".to_owned()].into());
    assert!(listener.set_nonblocking(true).is_ok() && listener.accept().is_err());
}

#[test]
fn with_chaos_the_run_ends_with_broken_rules() {
    let server = Sandbox::start(Config { chaos_percent: 30, ..at(NOON) }).unwrap();
    let run = judge(server.url(), &["--strict"]);
    assert_eq!(run.code, Some(1));
}
