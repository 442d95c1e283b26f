//! The day of a request: one reading of the clock, and what the response takes from it.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use ghi_engine::RecentDays;
use httpdate::fmt_http_date;
use hyper::header::HeaderValue;

use crate::clock::Moment;
use crate::edition::daily_edition::Edition;
use crate::edition::editions::Editions;
use crate::edition::other_days::TooManyDays;
use crate::net::ClientKey;

/// A moment, the edition of its day, and the `Date` header, which is the time of the message.
#[derive(Clone, Debug)]
pub(crate) struct RequestDay {
    moment: Moment,
    edition: Arc<Edition>,
    /// The second of the `Date` header as Unix time.
    message_second: u64,
    pub(crate) http_date: HeaderValue,
}

impl RequestDay {
    pub(crate) fn new(moment: Moment, message_time: Moment, editions: &Editions) -> Self {
        Self {
            moment,
            edition: editions.of(moment),
            message_second: message_time.unix_second(),
            http_date: http_date(message_time),
        }
    }

    /// Returns the day of a requested moment, independent of the clock, for a request that draws this many days.
    pub(crate) fn at(
        &self,
        moment: Moment,
        (editions, days_drawn): (&Editions, u32),
        client: Option<ClientKey>,
    ) -> Result<Self, TooManyDays> {
        let edition = editions.other_day(moment, days_drawn, client)?;
        Ok(Self { moment, edition, ..self.clone() })
    }

    /// Returns the same day with other data.
    pub(crate) fn with_days(
        &self,
        change: impl FnOnce(&RecentDays) -> RecentDays,
        editions: &Editions,
        client: Option<ClientKey>,
    ) -> Result<Self, TooManyDays> {
        Ok(Self { edition: editions.changed(&self.edition, change, client)?, ..self.clone() })
    }

    /// Returns whether the edition is for the moment's day and from the current model.
    pub(crate) fn is_current(&self, moment: Moment, editions: &Editions) -> bool {
        moment.day() == self.moment.day() && editions.generation() == self.edition.generation
    }

    /// Moves on to another moment. Most requests of a connection are on the same day, many in the same
    /// second, and inputs are rarely reloaded.
    pub(crate) fn advance(&mut self, moment: Moment, message_time: Moment, editions: &Editions) {
        if !self.is_current(moment, editions) {
            *self = Self::new(moment, message_time, editions);
            return;
        }
        if message_time.unix_second() != self.message_second {
            self.message_second = message_time.unix_second();
            self.http_date = http_date(message_time);
        }
        self.moment = moment;
    }

    pub(crate) fn moment(&self) -> Moment {
        self.moment
    }

    pub(crate) fn edition(&self) -> &Edition {
        &self.edition
    }
}

/// Returns a moment as the value of the `Date` header.
fn http_date(moment: Moment) -> HeaderValue {
    let time = UNIX_EPOCH + Duration::from_secs(moment.unix_second());
    HeaderValue::try_from(fmt_http_date(time)).expect("a date is visible ASCII")
}

#[cfg(test)]
mod tests {
    use ghi_engine::{DEFAULT_INPUTS, Inputs, Model};

    use crate::http::site::Site;

    use super::*;

    #[test]
    fn the_next_request_after_a_reload_gets_the_new_model() {
        let model = |text: &str| Model::new(Inputs::parse(text).unwrap());
        let editions = Editions::new(model(DEFAULT_INPUTS), &Site::new(None));
        let noon = "2026-11-15T12:00:00Z".parse().unwrap();
        let mut day = RequestDay::new(noon, noon, &editions);
        let is_old = |day: &RequestDay| day.edition().model().registry().find("us").is_some();
        let other = DEFAULT_INPUTS.replacen("\"us\"", "\"zz\"", 1);
        editions.reload(model(&other), noon, |_| {});
        assert!(is_old(&day), "until the next request");
        assert!(editions.model().registry().find("zz").is_some());
        day.advance(noon, noon, &editions);
        assert!(!is_old(&day));
    }
}
