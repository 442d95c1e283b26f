//! The time to compute a day.

use std::fmt::Write;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use ghi_engine::{DEFAULT_INPUTS, Inputs, Model};
use jiff::civil::date;

/// The built-in network with many regions instead of its own.
fn most_regions() -> Model {
    let (mut text, _) = DEFAULT_INPUTS
        .split_once("[[region]]")
        .map_or((String::new(), ""), |(a, b)| (a.to_owned(), b));
    for region in 0..250 {
        _ = write!(
            text,
            "[[region]]\nid = \"r{region}\"\nname = \"Region {region}\"\nhashrate_share_pct = 0.4\n\
             efficiency_j_per_th = {{ best = 18.5, mean = 20, worst = 22 }}\n\
             electricity_usd_per_kwh = {{ low = 0.05, mean = 0.055, high = 0.061 }}\n"
        );
    }
    Model::new(Inputs::parse(&text).expect("the text is valid"))
}

fn day(criterion: &mut Criterion) {
    let date = date(2026, 11, 15);
    let model = Model::new(Inputs::default());
    criterion.bench_function("day of three regions", |bencher| bencher.iter(|| model.day(date)));
    let model = most_regions();
    let name = "day of many regions";
    criterion.bench_function(name, |bencher| bencher.iter(|| model.day(black_box(date))));
}

criterion_group!(benches, day);
criterion_main!(benches);
