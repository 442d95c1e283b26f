//! The day of a request: one reading of the clock, and what the response takes from it.

use std::sync::Arc;

use hyper::header::HeaderValue;

use crate::clock::Moment;
use crate::edition::daily_edition::Edition;
use crate::edition::editions::Editions;
use crate::edition::other_days::TooManyDays;
use crate::net::ClientKey;

/// A moment, the edition of its day, and the `Date` header.
#[derive(Clone, Debug)]
pub(crate) struct RequestDay {
    moment: Moment,
    edition: Arc<Edition>,
    http_date: HeaderValue,
}

impl RequestDay {
    pub(crate) fn new(moment: Moment, editions: &Editions) -> Self {
        Self::of(moment, editions.of(moment))
    }

    /// Returns the day of a requested moment, independent of the clock.
    pub(crate) fn other(
        moment: Moment,
        editions: &Editions,
        client: Option<ClientKey>,
    ) -> Result<Self, TooManyDays> {
        Ok(Self::of(moment, editions.other_day(moment, client)?))
    }

    fn of(moment: Moment, edition: Arc<Edition>) -> Self {
        Self { moment, http_date: edition.http_date(moment), edition }
    }

    /// Returns whether the edition is of the moment's day and of the current model.
    pub(crate) fn is_current(&self, moment: Moment, editions: &Editions) -> bool {
        moment.day() == self.moment.day() && editions.generation() == self.edition.generation()
    }

    /// Moves on to another moment. Most requests of a connection are on the same day, many in the same
    /// second, and inputs are rarely reloaded.
    pub(crate) fn advance(&mut self, moment: Moment, editions: &Editions) {
        if !self.is_current(moment, editions) {
            *self = Self::new(moment, editions);
            return;
        }
        if moment.second_of_day() != self.moment.second_of_day() {
            self.http_date = self.edition.http_date(moment);
        }
        self.moment = moment;
    }

    pub(crate) fn moment(&self) -> Moment {
        self.moment
    }

    pub(crate) fn edition(&self) -> &Edition {
        &self.edition
    }

    pub(crate) fn http_date(&self) -> &HeaderValue {
        &self.http_date
    }
}

#[cfg(test)]
mod tests {
    use ghi_engine::{DEFAULT_INPUTS, Inputs, Model};

    use crate::http::site::Site;

    use super::*;

    #[test]
    fn the_next_request_after_a_reload_gets_the_new_model() {
        let model = |text: &str| Model::new(Inputs::parse(text).unwrap());
        let site = Arc::new(Site::new(None));
        let editions = Editions::new(model(DEFAULT_INPUTS), site, |_, _| {});
        let noon = "2026-11-15T12:00:00Z".parse().unwrap();
        let mut day = RequestDay::new(noon, &editions);
        let is_old = |day: &RequestDay| day.edition().model().registry().find("us").is_some();
        let other = DEFAULT_INPUTS.replacen("\"us\"", "\"zz\"", 1);
        editions.reload(model(&other), noon);
        assert!(is_old(&day), "until the next request");
        assert!(editions.model().registry().find("zz").is_some());
        day.advance(noon, &editions);
        assert!(!is_old(&day));
    }
}
