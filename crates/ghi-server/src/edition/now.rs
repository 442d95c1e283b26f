//! One reading of the clock, and what a response takes from it.

use std::sync::Arc;

use hyper::header::HeaderValue;

use crate::clock::Moment;
use crate::edition::daily_edition::Edition;
use crate::edition::editions::Editions;

/// A moment, the edition of that very day, and the `Date` header.
#[derive(Clone, Debug)]
pub(crate) struct Now {
    moment: Moment,
    edition: Arc<Edition>,
    http_date: HeaderValue,
}

impl Now {
    pub(crate) fn new(moment: Moment, editions: &Editions) -> Self {
        let edition = editions.of(moment);
        Self { moment, http_date: edition.http_date(moment), edition }
    }

    /// The same at another moment. What still holds is kept: most requests of a connection are of
    /// the same day, many of the same second.
    pub(crate) fn advance(&mut self, moment: Moment, editions: &Editions) {
        if moment.day() != self.moment.day() {
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
