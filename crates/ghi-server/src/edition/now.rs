//! One reading of the clock, and what a response takes from it.

use std::sync::Arc;

use hyper::header::HeaderValue;

use crate::clock::Moment;
use crate::edition::daily_edition::Edition;
use crate::edition::editions::Editions;
use crate::edition::visits::TooManyDays;

/// A moment, the edition of that very day, and the `Date` header.
#[derive(Clone, Debug)]
pub(crate) struct Now {
    moment: Moment,
    edition: Arc<Edition>,
    http_date: HeaderValue,
}

impl Now {
    pub(crate) fn new(moment: Moment, editions: &Editions) -> Self {
        Self::of(moment, editions.of(moment))
    }

    /// A moment that a request asks for, whatever the clock says.
    pub(crate) fn visit(moment: Moment, editions: &Editions) -> Result<Self, TooManyDays> {
        Ok(Self::of(moment, editions.visit(moment)?))
    }

    fn of(moment: Moment, edition: Arc<Edition>) -> Self {
        Self { moment, http_date: edition.http_date(moment), edition }
    }

    /// The same at another moment. What still holds is kept: most requests of a connection are of
    /// the same day, many of the same second, and figures are seldom reloaded.
    pub(crate) fn advance(&mut self, moment: Moment, editions: &Editions) {
        let is_current = editions.generation() == self.edition.generation();
        if moment.day() != self.moment.day() || !is_current {
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
    fn the_next_request_after_a_reload_is_of_the_new_model() {
        let model = |text: &str| Model::new(Inputs::parse(text).unwrap());
        let site = Arc::new(Site::new(None));
        let editions = Editions::new(model(DEFAULT_INPUTS), site, |_, _| {});
        let noon = "2026-11-15T12:00:00Z".parse().unwrap();
        let mut now = Now::new(noon, &editions);
        let is_old = |now: &Now| now.edition().model().registry().find("us").is_some();
        let other = DEFAULT_INPUTS.replacen("\"us\"", "\"zz\"", 1);
        editions.reload(model(&other), Some(noon));
        assert!(is_old(&now), "until the next request");
        assert!(editions.model().registry().find("zz").is_some());
        now.advance(noon, &editions);
        assert!(!is_old(&now));
    }
}
