//! How long a day of figures takes.

use criterion::{Criterion, criterion_group, criterion_main};
use ghi_engine::{Inputs, Model};
use jiff::civil::date;

fn day(criterion: &mut Criterion) {
    let model = Model::new(Inputs::default());
    let date = date(2026, 11, 15);
    criterion.bench_function("day of three regions", |bencher| bencher.iter(|| model.day(date)));
}

criterion_group!(benches, day);
criterion_main!(benches);
