//! Inputs files: any text gives valid data or a readable error.

use std::fmt::Debug;

use ghi_engine::{CostCurve, Costs, Inputs, InputsError, Model, Scope, WHOLE_NETWORK_PCT, visible};
use jiff::civil::{Date, date};

/// The longest line about a problem, characters: a location and a message.
const LINE_MAX: usize = 600;

/// Checks an inputs file. The program refuses a file that is not UTF-8 before parsing it.
pub fn check(bytes: &[u8]) {
    if let Ok(text) = str::from_utf8(bytes) {
        check_result(Inputs::parse(text));
    }
}

/// Checks the result of reading inputs: valid data, or a readable error.
pub(super) fn check_result(read: Result<Inputs, InputsError>) {
    match read {
        Ok(inputs) => check_data(inputs),
        Err(error) => check_error(&error),
    }
}

/// Checks that every problem is one visible line of bounded length.
fn check_error(error: &InputsError) {
    assert!((1..=21).contains(&error.lines.len()));
    error.lines.iter().for_each(|line| check_line(line));
}

fn check_line(line: &str) {
    assert!(!line.is_empty());
    assert_eq!(line, visible(line, LINE_MAX));
}

/// Checks that accepted inputs have data on each covered day, and on no other.
fn check_data(inputs: Inputs) {
    for warning in inputs.warnings() {
        check_line(&warning);
    }
    let regions = inputs.region_count();
    let model = Model::new(inputs);
    assert_eq!(model.registry().regions().len(), regions);
    for region in model.registry().regions() {
        assert!(model.registry().find(&region.id).is_some());
        assert_eq!(region.name, visible(&region.name, LINE_MAX));
    }
    let (first, last) = (model.coverage().first, model.coverage().last);
    assert!(first <= last);
    for day in [first, last, date(1970, 1, 1), date(2024, 2, 29), date(2026, 11, 15)] {
        // There may be gaps between the first and the last day.
        if model.check(day).is_ok() {
            check_day(&model, day);
            check_change(&model, first, day);
        } else {
            check_line(&in_error(model.day(day)).to_string());
        }
    }
}

fn check_change(model: &Model, since: Date, date: Date) {
    let change = model.change(Scope::Global, since, date).expect("both days are covered");
    let parts = change.factors.iter().map(|factor| factor.change_usd.count());
    assert_eq!(parts.sum::<i64>(), change.total_usd.count());
}

fn check_day(model: &Model, date: Date) {
    let day = model.day(date).expect("the day is covered");
    let count = model.registry().regions().len();
    assert_eq!((day.regions.len(), day.hashrate_shares_pct.len()), (count, count));
    let shares: u64 = day.hashrate_shares_pct.iter().map(|share| share.count()).sum();
    assert_eq!(shares, WHOLE_NETWORK_PCT.count());
    for costs in day.regions.iter().chain([&day.global]) {
        check_costs(costs);
    }
    let curve = CostCurve::of_regions(&day);
    assert!(curve.percentiles_usd(CostCurve::PERCENTILES).is_sorted());
    assert_eq!(curve.share_below_pct(day.global.max_usd), WHOLE_NETWORK_PCT);
    assert!(model.curve_rows(&day).is_ok() && model.provenance(Scope::Global, date).is_ok());
    assert!(model.merit_order(&day).is_ok() && model.levels(&day).is_ok());
    if let Some(price_usd) = day.network.price_usd {
        assert!(model.economics(&day, price_usd).is_ok());
    }
    assert!(day.network.difficulty > 0);
    assert!(day.network.hashrate_eh.to_f64().is_finite());
}

fn check_costs(costs: &Costs) {
    assert!(costs.min_usd.count() > 0 && costs.max_usd.to_f64().is_finite());
    assert!(costs.min_usd <= costs.avg_usd && costs.avg_usd <= costs.max_usd, "{costs:?}");
}

fn in_error<T: Debug, E>(result: Result<T, E>) -> E {
    match result {
        Ok(value) => panic!("expected an error, got {value:?}"),
        Err(error) => error,
    }
}
