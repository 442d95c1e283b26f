//! Measures how long it takes to compute and to render a day, and to answer a request for the snapshot.

use criterion::{Criterion, criterion_group, criterion_main};
use ghi_engine::{DEFAULT_INPUTS, Inputs, Model, RecentDays};
use ghi_server::{Clock, Config, InProcess, Moment};
use hyper::Request;

/// Returns inputs with many regions.
fn many_regions() -> Inputs {
    let mut text = DEFAULT_INPUTS.split("[[region]]").next().unwrap_or_default().to_owned();
    for region in 0..250 {
        text += &format!(
            "[[region]]\nid = \"r{region}\"\nname = \"Region {region}\"\nhashrate_share_pct = 0.4\n\
             efficiency_j_per_th = {{ best = 18, mean = 20, worst = 22 }}\n\
             electricity_usd_per_kwh = {{ low = 0.05, mean = 0.055, high = 0.06 }}\n"
        );
    }
    Inputs::parse(&text).expect("the inputs are valid")
}

fn edition(criterion: &mut Criterion) {
    let moment: Moment = "2026-11-15T12:00:00Z".parse().expect("the moment is valid");
    let server = |inputs: &Inputs| {
        let config = Config {
            inputs: inputs.clone(),
            clock: Clock::at(moment),
            rate_limit: None,
            ..Config::default()
        };
        InProcess::new(config)
    };
    let (few, many) = (Inputs::default(), many_regions());
    let running = server(&few);
    criterion
        .bench_function("answer a request for the snapshot", |bencher| {
            let request = || Request::get("/v1/ghi/snapshot").header("host", "x");
            bencher.iter(|| running.respond(request().body(String::new()).expect("it is valid")));
        })
        .bench_function("start a server with three regions", |bencher| {
            bencher.iter(|| server(&few));
        });
    let model = Model::new(many.clone());
    let mut slow = criterion.benchmark_group("many");
    slow.sample_size(10)
        .bench_function("compute a day with many regions", |bencher| {
            bencher.iter(|| RecentDays::up_to(moment.date(), &model));
        })
        .bench_function("start a server with many regions", |bencher| {
            bencher.iter(|| server(&many));
        });
}

criterion_group!(benches, edition);
criterion_main!(benches);
