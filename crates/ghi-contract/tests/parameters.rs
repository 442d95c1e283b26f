//! What a request may ask for, and what it may not.

use ghi_contract::{ForecastDays, GLOBAL, REGION_ID_MAX, is_region_id};

#[test]
fn a_region_id_is_a_short_lowercase_code() {
    let longest = "a".repeat(REGION_ID_MAX);
    for id in ["a", "us", "us-1", "r9999", "a-", &longest, GLOBAL] {
        assert!(is_region_id(id), "{id}");
    }
    let too_long = "a".repeat(REGION_ID_MAX + 1);
    for id in ["", "1", "-a", "9us", "US", "uS", "u s", "u_s", "u/s", "\u{e9}", "us\n", &too_long] {
        assert!(!is_region_id(id), "{id}");
    }
}

#[test]
fn a_horizon_is_from_1_to_365_days() {
    for days in 1..=365 {
        assert_eq!(ForecastDays::new(days).map(ForecastDays::get), Some(days));
    }
    assert!(ForecastDays::new(0).is_none() && ForecastDays::new(366).is_none());
}

#[test]
fn the_error_of_a_bad_horizon_says_what_would_be_right() {
    let message = "must be a whole number from 1 to 365, in plain decimal digits without sign, \
                   space or leading zero";
    for text in ["", "0", "366", "07", "+7", "7.0", " 7", "65543", "\u{0667}"] {
        let error = text.parse::<ForecastDays>().map(ForecastDays::get).unwrap_err();
        assert_eq!(error.to_string(), message, "{text:?}");
    }
    assert_eq!("365".parse::<ForecastDays>().map(ForecastDays::get), Ok(365));
}
