//! The sentence of the dashboard that changes from minute to minute.

use askama::Template;
use ghi_display::duration;

use crate::clock::{Clock, Moment, Speed};

/// How old the figures are, and when the next come.
#[derive(Template)]
#[template(path = "reading.html")]
pub(crate) struct Reading {
    time: String,
    iso_moment: String,
    age: String,
    next: String,
}

impl Reading {
    pub(crate) fn at(moment: Moment, clock: &Clock) -> Self {
        let iso_moment = moment.to_string();
        Self {
            time: iso_moment["YYYY-MM-DDT".len()..][.."HH:MM".len()].into(),
            iso_moment: format!("{}Z", &iso_moment[.."YYYY-MM-DDTHH:MM".len()]),
            age: duration(moment.second_of_day()),
            next: next(moment, clock),
        }
    }
}

/// When the next figures come, in real time.
fn next(moment: Moment, clock: &Clock) -> String {
    if clock.is_stopped() {
        return "no others come while the clock is stopped".into();
    }
    let (remaining, speed) = (moment.seconds_to_midnight(), clock.speed());
    if speed == Speed::REAL {
        // In whole minutes, and rounded up, so that it adds up to a day with the age, which is
        // rounded down.
        return format!("the next come in {}", duration(remaining.next_multiple_of(60)));
    }
    match remaining / speed.get() {
        0 => "the next come in less than 1 s of real time".into(),
        seconds @ 1..60 => format!("the next come in {seconds} s of real time"),
        seconds => format!("the next come in {} of real time", duration(seconds)),
    }
}
