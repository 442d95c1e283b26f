//! The cached editions of the current model.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use ghi_engine::{Model, RecentDays};

use crate::clock::{Moment, Speed};
use crate::edition::daily_edition::Edition;
use crate::edition::other_days::{DayLimit, OtherDayCache, TooManyDays};
use crate::edition::rendered::DocumentHeaders;
use crate::http::site::Site;
use crate::net::ClientKey;

/// How long before midnight the next day is rendered, in real seconds.
const AHEAD_SECONDS: u64 = 300;

/// The editions of the current model. Today's edition and the editions of the neighbouring days are cached.
pub(crate) struct Editions {
    headers: Arc<DocumentHeaders>,
    /// The speed of the clock, which determines how soon midnight comes.
    pub(crate) speed: Speed,
    current: RwLock<Current>,
    day_limit: DayLimit,
    /// The number of the current model, readable without the lock.
    generation: AtomicU64,
    /// Held during a reload, so that reloads run one after the other.
    reloading: Mutex<()>,
}

/// A model and its cached editions.
struct Current {
    model: Arc<Model>,
    /// The number of models that were loaded before this one.
    generation: u64,
    cached: Vec<Arc<Edition>>,
    /// Days requested with `Prefer: at=`.
    other_days: OtherDayCache,
}

impl Current {
    fn new(model: Arc<Model>, generation: u64, cached: Vec<Arc<Edition>>) -> Self {
        Self { model, generation, cached, other_days: OtherDayCache::default() }
    }

    /// Returns the cached edition of the moment's day, if it is one of the clock's days.
    fn find(&self, moment: Moment) -> Option<&Arc<Edition>> {
        self.cached.iter().find(|edition| edition.day() == moment.day())
    }

    /// Returns the cached edition of the moment's day, including days requested with `Prefer: at=`.
    fn find_any(&self, moment: Moment) -> Option<&Arc<Edition>> {
        self.find(moment).or_else(|| self.other_days.find(moment))
    }

    /// Adds an edition, and returns those that were removed.
    fn add(&mut self, edition: Arc<Edition>, is_other_day: bool) -> Vec<Arc<Edition>> {
        if is_other_day {
            return self.other_days.add(edition);
        }
        // The neighbouring days stay, for a clock that is set back and forth across midnight.
        let is_far = |other: &mut Arc<Edition>| other.day().abs_diff(edition.day()) != 1;
        let removed = self.cached.extract_if(.., is_far).collect();
        self.cached.push(edition);
        removed
    }
}

impl Editions {
    pub(crate) fn new(model: Model, site: &Site) -> Self {
        let current = Current::new(Arc::new(model), 0, Vec::new());
        Self {
            headers: Arc::new(DocumentHeaders::new(site)),
            speed: Speed::REAL,
            current: RwLock::new(current),
            day_limit: DayLimit::default(),
            generation: AtomicU64::new(0),
            reloading: Mutex::default(),
        }
    }

    /// Returns the current model.
    pub(crate) fn model(&self) -> Arc<Model> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner).model)
    }

    /// Returns how many models were loaded before the current one.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Returns the edition of the moment's day.
    pub(crate) fn of(&self, moment: Moment) -> Arc<Edition> {
        self.find(moment).unwrap_or_else(|| self.add(moment))
    }

    /// Renders everything for the moment's day, and for the next day if midnight is near. `warm` renders the
    /// pages and files of a day. This takes a while the first time.
    pub(crate) fn prepare(&self, moment: Moment, warm: impl Fn(&Edition)) {
        self.days_ahead(moment).for_each(|day| prepare(&self.of(day), &warm));
    }

    /// Replaces the model and everything cached in one step. The documents for the moment are rendered
    /// first, so that no request waits for them.
    pub(crate) fn reload(&self, model: Model, moment: Moment, warm: impl Fn(&Edition)) {
        let _one_at_a_time = self.reloading.lock().unwrap_or_else(PoisonError::into_inner);
        let (model, generation) = (Arc::new(model), self.generation() + 1);
        let days = self.days_ahead(moment);
        let cached = days.map(|day| self.edition(&model, generation, day)).collect::<Vec<_>>();
        cached.iter().for_each(|edition| prepare(edition, &warm));
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *current, Current::new(model, generation, cached));
        self.generation.store(generation, Ordering::Release);
        drop(current);
        // Dropped outside the lock, because there is a lot of memory to free.
        drop(before);
    }

    /// Returns the moment's day, and the next day if midnight is near.
    fn days_ahead(&self, moment: Moment) -> impl Iterator<Item = Moment> + use<> {
        let near = moment.seconds_to_midnight() <= AHEAD_SECONDS * self.speed.get();
        std::iter::once(moment).chain(moment.next_midnight().filter(|_| near))
    }

    /// Returns the edition of the moment's day, if it is cached.
    pub(crate) fn find(&self, moment: Moment) -> Option<Arc<Edition>> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.find(moment).cloned()
    }

    /// Returns the edition of a requested day, independent of the clock. The number rendered per second is
    /// limited, and so is the number cached in addition to the clock's days.
    pub(crate) fn other_day(
        &self,
        moment: Moment,
        days_drawn: u32,
        client: Option<ClientKey>,
    ) -> Result<Arc<Edition>, TooManyDays> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        let found = current.find_any(moment).cloned();
        let (model, generation) = (Arc::clone(&current.model), current.generation);
        drop(current);
        // Only the day itself is cached.
        if found.is_none() || days_drawn > 1 {
            self.day_limit.check(days_drawn, client)?;
        }
        if let Some(found) = found {
            return Ok(found);
        }
        let headers = Arc::clone(&self.headers);
        let edition = Arc::new(Edition::new(model, generation, headers, moment).for_other_day());
        Ok(self.cache(edition, moment, true))
    }

    /// Returns an edition of the same day with other data. It counts toward the limit on rendered days,
    /// and is not cached.
    pub(super) fn changed(
        &self,
        edition: &Edition,
        change: impl FnOnce(&RecentDays) -> RecentDays,
        client: Option<ClientKey>,
    ) -> Result<Arc<Edition>, TooManyDays> {
        self.day_limit.check(1, client)?;
        Ok(Arc::new(edition.with_days(change(edition.days()))))
    }

    fn add(&self, moment: Moment) -> Arc<Edition> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        let (model, generation) = (Arc::clone(&current.model), current.generation);
        drop(current);
        // Computes the edition outside the lock, so that requests for a cached day don't wait.
        self.cache(self.edition(&model, generation, moment), moment, false)
    }

    fn edition(&self, model: &Arc<Model>, generation: u64, moment: Moment) -> Arc<Edition> {
        let (model, headers) = (Arc::clone(model), Arc::clone(&self.headers));
        Arc::new(Edition::new(model, generation, headers, moment))
    }

    /// Caches the edition of a moment's day, and returns the edition that is then cached for that day.
    fn cache(&self, edition: Arc<Edition>, moment: Moment, is_other_day: bool) -> Arc<Edition> {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        // The model may have been replaced in the meantime. A request that started before that still gets the
        // old data. No other request does.
        if current.generation != edition.generation {
            return edition;
        }
        // Another worker may have been faster.
        let found = if is_other_day { current.find_any(moment) } else { current.find(moment) };
        if let Some(other) = found {
            return Arc::clone(other);
        }
        let removed = current.add(Arc::clone(&edition), is_other_day);
        drop(current);
        // Dropped outside the lock, because there is a lot of memory to free.
        drop(removed);
        edition
    }
}

/// Renders everything for a day, unless that has been done.
fn prepare(edition: &Edition, warm: impl Fn(&Edition)) {
    if !edition.is_prepared.swap(true, Ordering::Relaxed) {
        edition.render_all();
        warm(edition);
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
        Editions::new(Model::new(Inputs::default()), &Site::new(None))
    }

    /// Returns the cached days, oldest first.
    fn days(editions: &Editions) -> Vec<u32> {
        let mut days: Vec<u32> =
            editions.current.read().unwrap().cached.iter().map(|edition| edition.day()).collect();
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
        editions.prepare(moment("2026-11-15T23:54:59Z"), |_| {});
        assert_eq!(days(&editions), [today.day()]);
        editions.prepare(moment("2026-11-15T23:55:00Z"), |_| {});
        assert_eq!(days(&editions), [today.day(), today.day() + 1]);
        let midnight = moment("2026-11-16T00:00:00Z");
        let tomorrow = editions.find(midnight).unwrap();
        editions.prepare(moment("2026-11-15T23:56:00Z"), |_| {});
        assert!(Arc::ptr_eq(&tomorrow, &editions.of(midnight)), "it is rendered once");
        assert!(Arc::ptr_eq(&today, &editions.of(moment("2026-11-15T23:59:59Z"))));
        editions.prepare(moment("9999-12-31T23:59:59Z"), |_| {});
    }

    #[test]
    fn a_faster_clock_renders_tomorrow_earlier() {
        for (speed, time, expected) in [
            (12, "22:59:59", 1),
            (12, "23:00:00", 2),
            (287, "00:04:59", 1),
            (287, "00:05:00", 2),
            (288, "00:00:00", 2),
            (86_400, "00:00:00", 2),
        ] {
            let editions = Editions { speed: Speed::new(speed).unwrap(), ..editions() };
            editions.prepare(moment(&format!("2026-11-15T{time}Z")), |_| {});
            assert_eq!(days(&editions).len(), expected, "{speed} at {time}");
        }
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

    #[test]
    fn a_limited_number_of_other_days_is_cached_in_addition_to_the_clocks_days() {
        let editions = editions();
        let today = editions.of(moment("2026-11-15T12:00:00Z"));
        assert!(Arc::ptr_eq(
            &editions.other_day(moment("2026-11-15T20:00:00Z"), 1, None).unwrap(),
            &today
        ));
        let other = editions.other_day(moment("2028-02-29T12:00:00Z"), 1, None).unwrap();
        let again = editions.other_day(moment("2028-02-29T13:00:00Z"), 1, None).unwrap();
        assert!(Arc::ptr_eq(&other, &again), "it is rendered once");
        assert_eq!(days(&editions), [today.day()], "other days don't join the clock's days");
        let cached = || editions.current.read().unwrap().other_days.days();
        for year in 3000..3100 {
            editions.other_day(moment(&format!("{year}-01-01T00:00:00Z")), 1, None).unwrap();
        }
        let last: Vec<u32> =
            (3068..3100).map(|year| moment(&format!("{year}-01-01T00:00:00Z")).day()).collect();
        assert_eq!(cached(), last);
        editions.reload(other_model(), moment("2026-11-15T12:00:00Z"), |_| {});
        assert!(cached().is_empty(), "they belonged to the old model");
    }

    #[test]
    fn too_many_days_at_once_are_rejected() {
        let editions = editions();
        let other_day =
            |year: u32| editions.other_day(moment(&format!("{year}-06-01T00:00:00Z")), 1, None);
        let refused = (2000..9999).find_map(|year| other_day(year).err());
        assert_eq!(refused, Some(TooManyDays { retry_after_seconds: 1 }));
    }

    /// Returns another model: its first region has another id.
    fn other_model() -> Model {
        let text = ghi_engine::DEFAULT_INPUTS.replacen("\"us\"", "\"zz\"", 1);
        Model::new(Inputs::parse(&text).unwrap())
    }

    #[test]
    fn a_reload_replaces_the_cache_with_the_editions_that_the_moment_needs() {
        let editions = editions();
        let [evening, near, midnight] =
            ["2026-11-15T23:54:59Z", "2026-11-15T23:55:00Z", "2026-11-16T00:00:00Z"].map(moment);
        editions.prepare(near, |_| {});
        let old = editions.of(evening);
        editions.reload(other_model(), evening, |_| {});
        let new = editions.find(evening).unwrap();
        assert_eq!((old.generation, new.generation, editions.generation()), (0, 1, 1));
        assert!(new.is_prepared.load(Ordering::Relaxed), "it is already rendered");
        assert!(editions.find(midnight).is_none());
        editions.reload(other_model(), near, |_| {});
        assert_eq!(editions.find(midnight).unwrap().generation, 2);
    }

    #[test]
    fn an_edition_of_the_old_model_is_not_cached_after_a_reload() {
        let editions = editions();
        let noon = moment("2026-11-15T12:00:00Z");
        let late = editions.edition(&editions.model(), editions.generation(), noon);
        editions.reload(other_model(), noon, |_| {});
        assert!(
            Arc::ptr_eq(&editions.cache(Arc::clone(&late), noon, false), &late),
            "the request gets it"
        );
        assert!(!Arc::ptr_eq(&editions.find(noon).unwrap(), &late), "no other request gets it");
    }
}
