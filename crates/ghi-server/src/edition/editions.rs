//! The editions that are cached, of one model.

use std::sync::{Arc, PoisonError, RwLock};

use ghi_engine::Model;

use crate::clock::Moment;
use crate::edition::daily_edition::Edition;
use crate::edition::rendered::DocumentHeaders;
use crate::http::site::Site;

/// How long before midnight the next day is rendered, seconds.
const AHEAD_SECONDS: u64 = 300;

/// The editions of a model: those of the day and of the days next to it are cached.
#[derive(Debug)]
pub(crate) struct Editions {
    model: Arc<Model>,
    headers: Arc<DocumentHeaders>,
    /// Makes what a day needs beside its documents.
    prepare_files: fn(&Edition, &Site),
    site: Arc<Site>,
    cached: RwLock<Vec<Arc<Edition>>>,
}

impl Editions {
    pub(crate) fn new(model: Model, site: Arc<Site>, prepare_files: fn(&Edition, &Site)) -> Self {
        let headers = Arc::new(DocumentHeaders::new(&site));
        Self { model: Arc::new(model), headers, prepare_files, site, cached: RwLock::default() }
    }

    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// The edition of the moment's day.
    pub(crate) fn of(&self, moment: Moment) -> Arc<Edition> {
        self.find(moment).unwrap_or_else(|| self.add(moment))
    }

    /// Renders all of the moment's day, and of the next one if midnight is near. It takes a while,
    /// the first time.
    pub(crate) fn prepare(&self, moment: Moment) {
        let near = moment.seconds_to_midnight() <= AHEAD_SECONDS;
        for day in [Some(moment), moment.next_midnight().filter(|_| near)].into_iter().flatten() {
            let edition = self.of(day);
            if edition.begin_preparing() {
                edition.render_all();
                (self.prepare_files)(&edition, &self.site);
            }
        }
    }

    /// The edition of the moment's day, if it is cached.
    pub(crate) fn find(&self, moment: Moment) -> Option<Arc<Edition>> {
        let cached = self.cached.read().unwrap_or_else(PoisonError::into_inner);
        cached.iter().find(|edition| edition.day() == moment.day()).cloned()
    }

    fn add(&self, moment: Moment) -> Arc<Edition> {
        // Without the lock, so that requests of a day that is cached do not wait.
        let (model, headers) = (Arc::clone(&self.model), Arc::clone(&self.headers));
        let edition = Arc::new(Edition::new(model, headers, moment));
        let mut cached = self.cached.write().unwrap_or_else(PoisonError::into_inner);
        // Another worker may have come first.
        if let Some(other) = cached.iter().find(|other| other.day() == edition.day()) {
            return Arc::clone(other);
        }
        // The days next to it stay, for a clock that is set back and forth over midnight.
        cached.retain(|other| other.day().abs_diff(edition.day()) == 1);
        cached.push(Arc::clone(&edition));
        edition
    }
}

#[cfg(test)]
mod tests {
    use ghi_engine::Inputs;

    use super::*;

    fn moment(text: &str) -> Moment {
        text.parse().unwrap()
    }

    fn editions() -> Editions {
        Editions::new(Model::new(Inputs::default()), Arc::new(Site::new(None)), |_, _| {})
    }

    /// The days that are cached, oldest first.
    fn days(editions: &Editions) -> Vec<u32> {
        let mut days: Vec<u32> =
            editions.cached.read().unwrap().iter().map(|edition| edition.day()).collect();
        days.sort_unstable();
        days
    }

    #[test]
    fn a_day_is_rendered_once() {
        let editions = editions();
        let [morning, evening] = ["2026-11-15T08:00:00Z", "2026-11-15T20:00:00Z"].map(moment);
        assert!(editions.find(morning).is_none());
        assert!(Arc::ptr_eq(&editions.of(morning), &editions.of(evening)));
    }

    #[test]
    fn tomorrow_is_rendered_five_minutes_before_midnight_and_today_stays() {
        let editions = editions();
        let today = editions.of(moment("2026-11-15T12:00:00Z"));
        editions.prepare(moment("2026-11-15T23:54:59Z"));
        assert_eq!(days(&editions), [today.day()]);
        editions.prepare(moment("2026-11-15T23:55:00Z"));
        assert_eq!(days(&editions), [today.day(), today.day() + 1]);
        let midnight = moment("2026-11-16T00:00:00Z");
        let tomorrow = editions.find(midnight).unwrap();
        editions.prepare(moment("2026-11-15T23:56:00Z"));
        assert!(Arc::ptr_eq(&tomorrow, &editions.of(midnight)), "it is rendered once");
        assert!(Arc::ptr_eq(&today, &editions.of(moment("2026-11-15T23:59:59Z"))));
        editions.prepare(moment("9999-12-31T23:59:59Z"));
    }

    #[test]
    fn only_neighbouring_days_stay_cached() {
        let editions = editions();
        for (date, expected) in [
            ("2026-11-15", vec![20_772]),
            ("2026-11-16", vec![20_772, 20_773]),
            ("2026-11-17", vec![20_773, 20_774]),
            ("2026-11-16", vec![20_773, 20_774]),
            ("2026-11-15", vec![20_772, 20_773]),
            ("2030-01-01", vec![21_915]),
        ] {
            editions.of(moment(&format!("{date}T12:00:00Z")));
            assert_eq!(days(&editions), expected, "{date}");
        }
    }
}
