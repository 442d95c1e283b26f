//! Measures how long it takes to render a day's documents, and to timestamp one of them.

use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use ghi_engine::{DEFAULT_INPUTS, Inputs, Model};
use ghi_server::Moment;
use ghi_server::internals::RenderedDay;

/// Returns inputs with ten thousand regions.
fn ten_thousand_regions() -> Inputs {
    let mut text = DEFAULT_INPUTS.split("[[region]]").next().unwrap_or_default().to_owned();
    for region in 0..10_000 {
        text += &format!(
            "[[region]]\nid = \"r{region}\"\nname = \"Region {region}\"\nhashrate_share_pct = 0.01\n\
             efficiency_j_per_th = {{ best = 18, mean = 20, worst = 22 }}\n\
             electricity_usd_per_kwh = {{ low = 0.05, mean = 0.055, high = 0.06 }}\n"
        );
    }
    Inputs::parse(&text).expect("the inputs are valid")
}

fn edition(criterion: &mut Criterion) {
    let moment: Moment = "2026-11-15T12:00:00Z".parse().expect("the moment is valid");
    let few = Arc::new(Model::new(Inputs::default()));
    let many = Arc::new(Model::new(ten_thousand_regions()));
    let day = RenderedDay::new(Arc::clone(&few), moment);
    criterion
        .bench_function("timestamp a snapshot", |bencher| {
            bencher.iter(|| day.stamped_snapshot(moment));
        })
        .bench_function("render a day with three regions", |bencher| {
            bencher.iter(|| RenderedDay::new(Arc::clone(&few), moment).render_all());
        });
    let mut slow = criterion.benchmark_group("many");
    slow.sample_size(10)
        .bench_function("compute a day with ten thousand regions", |bencher| {
            bencher.iter(|| RenderedDay::new(Arc::clone(&many), moment));
        })
        .bench_function("render a day with ten thousand regions", |bencher| {
            bencher.iter(|| RenderedDay::new(Arc::clone(&many), moment).render_all());
        });
}

criterion_group!(benches, edition);
criterion_main!(benches);
