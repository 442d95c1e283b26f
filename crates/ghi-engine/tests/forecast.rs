//! The forecast, its interval and its scores, on Bitcoin's difficulty and heights.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue fails")]

use ghi_engine::{DayForecast, ForecastRecord, ForecastScore, Inputs, Model};
use jiff::ToSpan;
use jiff::civil::{Date, date};

const BITCOIN: &str = include_str!("../../../examples/bitcoin/network.csv");
const INPUTS: &str = "seed = 1\n\
    [network]\nhashrate_eh = 800\nblock_reward_coins = 3.125\nfee_usd = 1.5\noverhead = 1.25\n\
    retarget_blocks = 2016\nhalving_blocks = 210000\n\
    [movement]\ndifficulty_pct = 0\nhashrate_pct = 0\nfee_pct = 0\nelectricity_pct = 0\n\
    [capital]\nusd_per_th = 14\nyears = 4\n\
    [series]\nnetwork = \"network.csv\"\n\
    [[region]]\nid = \"all\"\nname = \"All\"\nhashrate_share_pct = 100\n\
    efficiency_j_per_th = { best = 16, mean = 19, worst = 22 }\n\
    electricity_usd_per_kwh = { low = 0.04, mean = 0.05, high = 0.06 }\n";

fn model(inputs: &str, network: &str) -> Model {
    Model::new(Inputs::parse_with_series(inputs, |_| Ok(network.into())).unwrap())
}

/// Bitcoin with a single region whose factors are constant, from the rows up to a date.
fn bitcoin_until(last: Date) -> Model {
    let last = last.to_string();
    let is_used = |line: &&str| line.starts_with("date") || line[..10] <= *last;
    model(INPUTS, &BITCOIN.lines().filter(is_used).collect::<Vec<_>>().join("\n"))
}

const LAST: Date = date(2026, 5, 18);

fn number(decimal: Option<ghi_engine::Decimal>) -> f64 {
    decimal.unwrap().to_f64()
}

#[test]
fn the_forecast_beats_repeating_today_and_its_interval_contains_most_averages() {
    let record = ForecastRecord::new(&bitcoin_until(LAST), None, LAST);
    let scores = record.scores(Some(date(2018, 1, 1)), LAST);
    for (days, ratio_max, is_interval_checked) in [
        (1, 0.3, false),
        (7, 0.32, true),
        (14, 0.55, true),
        (30, 0.82, true),
        (90, 0.87, false),
        (365, 0.87, false),
    ] {
        let score = scores.iter().find(|score| score.forecast_days == days).unwrap();
        assert!(number(score.ratio) <= ratio_max, "{score:?}");
        let is_inside = || (70.0..=90.0).contains(&number(score.inside_interval_pct));
        assert!(!is_interval_checked || is_inside(), "{score:?}");
        let due = (LAST - date(2018, 1, 1)).get_days() + 1 - i32::from(days);
        assert_eq!(score.forecasts, due as usize, "{days}");
    }
    let [of_june] = [record.scores(Some(date(2024, 6, 1)), date(2024, 6, 30))];
    assert!(of_june.iter().all(|score| score.forecasts == 30));
}

#[test]
fn a_forecast_uses_no_row_after_its_day() {
    let record = ForecastRecord::new(&bitcoin_until(LAST), None, LAST);
    // A halving, the day before it, days around a retarget, and others.
    for day in [
        date(2016, 1, 1),
        date(2016, 1, 14),
        date(2020, 5, 11),
        date(2020, 5, 10),
        date(2024, 4, 23),
        date(2024, 4, 24),
        date(2024, 4, 25),
        date(2022, 7, 1),
        LAST,
    ] {
        let cut = bitcoin_until(day);
        let of_cut = ForecastRecord::new(&cut, None, day);
        for days in [1, 7, 14, 30, 60, 365] {
            let forecast = record.forecasts(days, day, day);
            let without_actual = DayForecast { actual_avg_usd: None, ..forecast[0] };
            assert_eq!(of_cut.forecasts(days, day, day), [without_actual], "{day}, {days} days");
            let today = cut.day(day).unwrap();
            assert_eq!(cut.forecast_avg_usd(&today, days), forecast[0].predicted_avg_usd);
        }
    }
}

#[test]
fn a_halving_doubles_the_cost_from_its_expected_day_on() {
    let day = date(2024, 3, 20);
    let model = bitcoin_until(day);
    let today = model.day(day).unwrap();
    let ratio =
        |days| model.forecast_avg_usd(&today, days).to_f64() / today.global.avg_usd.to_f64();
    assert!((1.85..2.15).contains(&ratio(60)), "{}", ratio(60));
    assert!((0.9..1.1).contains(&ratio(28)), "{}", ratio(28));
    let halving = model.outlook(day).halving.unwrap();
    assert!((date(2024, 4, 17)..=date(2024, 4, 22)).contains(&halving), "{halving}");
}

/// A network with 150 blocks per day, and the day of its last row, which has this height.
fn at_a_steady_pace(last_height: u64, days: u64) -> (Model, Date) {
    let row = |day: u64| {
        let date = date(2024, 1, 1).saturating_add((day as i64).days());
        format!("{date},1e14,,,3.125,,{}\n", last_height - 150 * (days - day))
    };
    let rows: String = (0..=days).map(row).collect();
    let header = "date,difficulty,hashrate_eh,fee_usd,block_reward_coins,price_usd,height\n";
    (
        model(INPUTS, &(header.to_owned() + &rows)),
        date(2024, 1, 1).saturating_add((days as i64).days()),
    )
}

#[test]
fn the_retarget_and_the_halving_change_the_cost_from_their_day_on() {
    // Block 838,655 ends an epoch. After 1,200 blocks in eight days, 816 are left.
    let (model, last) = at_a_steady_pace(838_655 + 1_200, 9);
    let outlook = model.outlook(last);
    let retarget = outlook.retarget.unwrap();
    let pace = (1_200.0 + 250.0) / (8.0 * 144.0 + 250.0);
    let left = 816.0 / (144.0 * pace);
    let factor = 2_016.0 / (144.0 * (8.0 + left));
    assert_eq!((retarget.blocks_mined, retarget.retarget_blocks), (1_200.0, 2_016.0));
    assert!(
        (retarget.pace - pace).abs() < 1e-12 && (retarget.difficulty_factor - factor).abs() < 1e-12
    );
    assert_eq!(retarget.date, last.saturating_add(6.days()));
    // Block 840,000 is 145 blocks away.
    assert_eq!(outlook.halving, Some(last.saturating_add(1.day())));
    let later = last.saturating_add(4.days());
    for (day, days, expected) in [
        (last, 1, 2.0),
        (last, 5, 2.0),
        (last, 6, 2.0 * factor),
        (last, 365, 2.0 * factor),
        (later, 1, 2.0),
        (later, 2, 2.0 * factor),
    ] {
        let today = model.day(day).unwrap();
        let ratio = model.forecast_avg_usd(&today, days).to_f64() / today.global.avg_usd.to_f64();
        assert!((ratio / expected - 1.0).abs() < 1e-6, "{day}, {days} days: {ratio}");
    }
    assert_eq!(model.outlook(later).retarget, Some(retarget), "it is projected from the last row");
    let after = model.outlook(last.saturating_add(6.days()));
    assert_eq!(after.retarget, Some(retarget), "the forecast still uses it");
    // Without a row before the last retarget, the difficulty stays.
    let (model, last) = at_a_steady_pace(838_655 + 1_200, 7);
    assert_eq!(model.outlook(last).retarget.unwrap().difficulty_factor, 1.0);
}

#[test]
fn an_interval_needs_thirty_forecasts_that_span_ten_horizons() {
    let record = ForecastRecord::new(&bitcoin_until(LAST), None, LAST);
    // Rows start on 2016-01-01, so the first forecast for h days is due h days later.
    for (days, due) in [(1, 30), (3, 33), (7, 77), (30, 330)] {
        let first = date(2016, 1, 1);
        let forecasts = record.forecasts(days, first, LAST);
        let found = forecasts.iter().find(|forecast| forecast.interval_usd.is_some()).unwrap();
        let expected = first.saturating_add((due).days());
        assert_eq!(found.date, expected, "{days}");
    }
    let found = record.forecasts(30, LAST, LAST)[0];
    let [low, high] = found.interval_usd.unwrap();
    assert!(low < found.predicted_avg_usd && found.predicted_avg_usd < high);
    assert_eq!((found.actual_avg_usd, found.error_pct()), (None, None));
}

#[test]
fn without_heights_only_scheduled_rewards_change_the_forecast() {
    let rows = "date,difficulty\n2028-04-01,1e14\n2028-04-08,1.1e14\n";
    let schedule = "[[network.reward]]\nfrom = \"2028-04-05\"\ncoins = 3\n[[network.reward]]\nfrom = \"2028-04-17\"\ncoins = 1.5\n[movement]";
    let model = model(&INPUTS.replace("[movement]", schedule), rows);
    let average = |day: Date| model.day(day).unwrap();
    for (day, days, factor) in [
        (date(2028, 4, 1), 3, 1.0),
        (date(2028, 4, 1), 4, 3.125 / 3.0),
        (date(2028, 4, 1), 16, 3.125 / 1.5),
        (date(2028, 4, 10), 6, 1.0),
        (date(2028, 4, 10), 7, 2.0),
        (date(2028, 4, 17), 365, 1.0),
    ] {
        let today = average(day);
        let ratio = model.forecast_avg_usd(&today, days).to_f64() / today.global.avg_usd.to_f64();
        assert!((ratio / factor - 1.0).abs() < 1e-6, "{day}, {days} days: {ratio}");
    }
    assert_eq!(model.outlook(date(2028, 4, 1)).halving, Some(date(2028, 4, 5)));
    assert_eq!(model.outlook(date(2028, 4, 17)).halving, None);
}

#[test]
fn a_gap_has_no_forecasts() {
    let rows = "date,difficulty\n2024-01-01,1e14\n2024-02-01,2e14\n";
    let model = model(&INPUTS.replace("\"network.csv\"", "\"network.csv\"\nvalid_days = 9"), rows);
    let last = date(2024, 2, 5);
    let record = ForecastRecord::new(&model, None, last);
    let forecasts = record.forecasts(25, date(2024, 1, 1), last);
    assert_eq!(forecasts.len(), 10 + 5);
    let known = forecasts.iter().filter(|forecast| forecast.actual_avg_usd.is_some());
    // Made on January 7 to 10 for February 1 to 4.
    assert_eq!(
        known.map(|known| known.error_pct().unwrap().to_string()).collect::<Vec<_>>(),
        ["50.00"; 4]
    );
    let empty = ForecastScore {
        forecast_days: 365,
        forecasts: 0,
        mean_absolute_error_pct: None,
        of_repeating_today_pct: None,
        ratio: None,
        inside_interval_pct: None,
    };
    assert_eq!(record.scores(None, last)[6], empty);
}

#[test]
fn the_built_in_forecast_is_constant_and_its_interval_is_that_of_five_years() {
    let model = Model::new(Inputs::default());
    let last = date(2026, 11, 15);
    let record = ForecastRecord::new(&model, None, last);
    let level = model.long_run_avg_usd(&model.day(last).unwrap()).unwrap();
    let near = record.forecasts(1, last, last)[0];
    let far = record.forecasts(365, last, last)[0];
    assert_eq!([near.predicted_avg_usd, far.predicted_avg_usd], [level; 2]);
    assert_eq!(near.interval_usd, far.interval_usd);
    let first = date(2021, 11, 15);
    let days =
        std::iter::successors(Some(first), |day| day.tomorrow().ok()).take_while(|day| *day < last);
    let [low, high] = near.interval_usd.unwrap();
    let inside = |day: Date| (low..=high).contains(&model.day(day).unwrap().global.avg_usd);
    let (count, inside) =
        (days.clone().count() as f64, days.filter(|day| inside(*day)).count() as f64);
    assert!((inside / count - 0.8).abs() < 0.002, "{inside} of {count}");
    // The same interval, whichever days the record has.
    let earlier = ForecastRecord::new(&model, Some(date(2015, 1, 1)), last);
    for day in [date(2021, 11, 15), date(2024, 2, 29), last] {
        assert_eq!(earlier.forecasts(7, day, day), record.forecasts(7, day, day), "{day}");
    }
    assert!(record.has(first) && !record.has(date(2021, 11, 14)) && earlier.has(date(2015, 1, 1)));
}
