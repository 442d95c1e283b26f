//! The time to load ten years of daily rows for 200 regions, with every column.

use std::fmt::Write;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use ghi_engine::{DEFAULT_INPUTS, Inputs};
use jiff::ToSpan;
use jiff::civil::date;

const REGIONS: usize = 200;
const DAYS: usize = 3650;

fn load(criterion: &mut Criterion) {
    let inputs = inputs();
    let (network, regions) = series();
    let load = |(network, regions): (Vec<u8>, Vec<u8>)| {
        let (mut network, mut regions) = (Some(network), Some(regions));
        let read = |name: &str| {
            let file = if name == "network.csv" { network.take() } else { regions.take() };
            file.ok_or_else(|| "it was read before".to_owned())
        };
        Inputs::parse_with_series(&inputs, read).expect("the inputs are valid")
    };
    let files = || (network.clone(), regions.clone());
    let name = format!("load {REGIONS} regions of {DAYS} days, {} MB", regions.len() / 1_000_000);
    let mut group = criterion.benchmark_group("series");
    group.sample_size(10).bench_function(name, |bencher| {
        bencher.iter_batched(files, load, BatchSize::PerIteration);
    });
}

fn inputs() -> String {
    let (before_regions, _) = DEFAULT_INPUTS.split_once("[[region]]").expect("there are regions");
    let series = "[series]\nnetwork = \"network.csv\"\nregions = \"regions.csv\"\n";
    let regions = (0..REGIONS).map(|region| {
        format!(
            r#"
            [[region]]
            id = "region-{region}"
            name = "Region {region}"
            hashrate_share_pct = 0.5
            efficiency_j_per_th = {{ best = 16.5, mean = 17.9, worst = 19.7 }}
            electricity_usd_per_kwh = {{ low = 0.05, mean = 0.055, high = 0.061 }}
            "#
        )
    });
    [before_regions, series].into_iter().map(str::to_owned).chain(regions).collect()
}

fn series() -> (Vec<u8>, Vec<u8>) {
    let mut network = "date,difficulty,hashrate_eh,fee_usd,block_reward_coins\n".to_owned();
    let mut regions = "date,region_id,hashrate_share_pct,efficiency_j_per_th_best,efficiency_j_per_th_mean,efficiency_j_per_th_worst,electricity_usd_per_kwh_low,electricity_usd_per_kwh_mean,electricity_usd_per_kwh_high\n".to_owned();
    let mut writes = Ok(());
    for day in 0..DAYS {
        let date = date(2016, 1, 1) + (day as i64).days();
        let digits = day % 997;
        writes =
            writes.and(writeln!(network, "{date},110451907374649.{digits},798.{digits},1.8,3.125"));
        for region in 0..REGIONS {
            writes = writes.and(writeln!(
                regions,
                "{date},region-{region},0.5,18.{digits},20.{digits},22.{digits},0.05{digits:03},0.06{digits:03},0.07{digits:03}",
            ));
        }
    }
    writes.expect("a text can always be written to");
    (network.into_bytes(), regions.into_bytes())
}

criterion_group!(benches, load);
criterion_main!(benches);
