//! The current model and its cached editions, and the day of a request.

use std::num::NonZeroU32;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use ghi_engine::{Model, RecentDays};
use governor::clock::{Clock, DefaultClock};
use hyper::HeaderMap;

use crate::clock::Moment;
use crate::edition::daily_edition::Edition;
use crate::http::caching::{PageCache, daily_api_headers};
use crate::http::clients::Limiter;
use crate::http::site::Site;
use crate::net::ClientKey;

/// How long before midnight the next day is rendered, in real seconds.
const AHEAD_SECONDS: u64 = 300;

/// How many days requested with `Prefer: at=` are cached.
const OTHER_DAYS: usize = 32;

/// How many pages and files are cached for one of the clock's days, and for another day.
const FILES: usize = 256;
const FILES_OF_OTHER_DAY: usize = 4;

/// How many days other than the clock's may be rendered per second, in total and for one client. With the most
/// regions, they take a seventh of a core.
const DAYS_PER_SECOND: NonZeroU32 = NonZeroU32::new(500).expect("it is not zero");
const DAYS_PER_CLIENT: NonZeroU32 = NonZeroU32::new(125).expect("it is not zero");

/// How many seconds' worth of them may be rendered at once: at least a year for one client.
const BURST_SECONDS: NonZeroU32 = NonZeroU32::new(3).expect("it is not zero");

pub(crate) struct Editions {
    headers: Arc<HeaderMap>,
    speed: u64,
    current: RwLock<Arc<LoadedModel>>,
    day_limit: DayLimit,
}

/// A model and the editions that were made from it. A reload replaces all of them in one step.
struct LoadedModel {
    model: Arc<Model>,
    /// The day of the clock and its neighbours, for a clock that is set back and forth across midnight.
    clock_days: CachedDays,
    /// Days requested with `Prefer: at=`, oldest request first.
    other_days: CachedDays,
}

type CachedDays = RwLock<Vec<Arc<Edition>>>;

impl LoadedModel {
    fn new(model: Model) -> Arc<Self> {
        let (clock_days, other_days) = Default::default();
        Arc::new(Self { model: Arc::new(model), clock_days, other_days })
    }
}

fn find(cached: &CachedDays, moment: Moment) -> Option<Arc<Edition>> {
    let cached = cached.read().unwrap_or_else(PoisonError::into_inner);
    cached.iter().find(|edition| edition.date() == moment.date()).cloned()
}

/// Caches an edition after removing others.
fn cache(
    cached: &CachedDays,
    edition: Arc<Edition>,
    remove: impl FnOnce(&mut Vec<Arc<Edition>>),
) -> Arc<Edition> {
    let mut cached = cached.write().unwrap_or_else(PoisonError::into_inner);
    remove(&mut cached);
    cached.push(Arc::clone(&edition));
    edition
}

/// Limits how many days are rendered for `Prefer: at=` and `figures=`.
struct DayLimit<C: Clock = DefaultClock> {
    total: Limiter<C>,
    by_client: Limiter<C>,
}

impl<C: Clock + Default> DayLimit<C> {
    fn new() -> Self {
        let [total, by_client] = [DAYS_PER_SECOND, DAYS_PER_CLIENT]
            .map(|per_second| Limiter::new(per_second, BURST_SECONDS));
        Self { total, by_client }
    }

    /// Counts days. More than a client may render at once count as that many. Without a client, only the total
    /// limit applies. Fails with the number of seconds to wait.
    fn check(&self, days: u32, client: Option<ClientKey>) -> Result<(), u64> {
        let days = NonZeroU32::new(days).unwrap_or(NonZeroU32::MIN).min(self.by_client.burst);
        if let Some(client) = client {
            self.by_client.check(client.bucket(), days)?;
        }
        // All clients together have one bucket.
        self.total.check(0, days).map(drop)
    }
}

impl Editions {
    pub(crate) fn new(model: Model, site: &Site, speed: u64) -> Self {
        Self {
            headers: Arc::new(daily_api_headers(site, "application/json")),
            speed,
            current: RwLock::new(LoadedModel::new(model)),
            day_limit: DayLimit::new(),
        }
    }

    fn current(&self) -> Arc<LoadedModel> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn model(&self) -> Arc<Model> {
        Arc::clone(&self.current().model)
    }

    pub(crate) fn day(&self, moment: Moment) -> RequestDay {
        self.day_of(&self.current(), moment)
    }

    fn day_of(&self, loaded: &LoadedModel, moment: Moment) -> RequestDay {
        let edition = find(&loaded.clock_days, moment).unwrap_or_else(|| {
            let days = RecentDays::up_to(moment.date(), &loaded.model);
            let edition = self.edition(&loaded.model, moment, days, FILES);
            cache(&loaded.clock_days, edition, |days| {
                days.retain(|other| (other.date() - moment.date()).get_days().abs() == 1);
            })
        });
        RequestDay { moment, edition }
    }

    /// Creates the edition of a moment's day, which caches this many pages and files.
    fn edition(
        &self,
        model: &Arc<Model>,
        moment: Moment,
        days: RecentDays,
        files: usize,
    ) -> Arc<Edition> {
        Arc::new(Edition {
            model: Arc::clone(model),
            headers: Arc::clone(&self.headers),
            midnight: moment.midnight(),
            days,
            documents: PageCache::with_capacity(usize::MAX),
            files: PageCache::with_capacity(files),
            forecasts: OnceLock::new(),
        })
    }

    /// Has the moment's day rendered, and the next day if midnight is near.
    pub(crate) fn prepare(&self, moment: Moment, render: impl Fn(&RequestDay)) {
        self.prepare_model(&self.current(), moment, render);
    }

    fn prepare_model(&self, loaded: &LoadedModel, moment: Moment, render: impl Fn(&RequestDay)) {
        let is_near = moment.seconds_to_midnight() <= AHEAD_SECONDS * self.speed;
        let next = moment.next_midnight().filter(|_| is_near);
        for moment in std::iter::once(moment).chain(next) {
            render(&self.day_of(loaded, moment));
        }
    }

    /// Replaces the model and everything cached in one step, after the moment's day is rendered.
    pub(crate) fn reload(&self, model: Model, moment: Moment, render: impl Fn(&RequestDay)) {
        let loaded = LoadedModel::new(model);
        self.prepare_model(&loaded, moment, render);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = loaded;
    }

    /// Returns a day other than the clock's, for a request that draws this many days. Fails with the number of seconds
    /// to wait.
    pub(crate) fn other_day(
        &self,
        moment: Moment,
        days_drawn: u32,
        client: Option<ClientKey>,
    ) -> Result<RequestDay, u64> {
        let loaded = self.current();
        let found = find(&loaded.clock_days, moment).or_else(|| find(&loaded.other_days, moment));
        // Only the day itself is cached.
        if found.is_none() || days_drawn > 1 {
            self.day_limit.check(days_drawn, client)?;
        }
        let edition = found.unwrap_or_else(|| {
            let days = RecentDays::up_to(moment.date(), &loaded.model);
            let edition = self.edition(&loaded.model, moment, days, FILES_OF_OTHER_DAY);
            cache(&loaded.other_days, edition, |days| {
                days.drain(..(days.len() + 1).saturating_sub(OTHER_DAYS));
            })
        });
        Ok(RequestDay { moment, edition })
    }

    /// Returns the same day with other data, which counts as a rendered day. Fails with the number of seconds to wait.
    pub(crate) fn changed(
        &self,
        RequestDay { moment, edition }: &RequestDay,
        days: RecentDays,
        client: Option<ClientKey>,
    ) -> Result<RequestDay, u64> {
        self.day_limit.check(1, client)?;
        let edition = self.edition(edition.model(), *moment, days, FILES_OF_OTHER_DAY);
        Ok(RequestDay { moment: *moment, edition })
    }
}

/// A moment, and the edition of its day.
#[derive(Clone, Debug)]
pub(crate) struct RequestDay {
    pub(crate) moment: Moment,
    pub(crate) edition: Arc<Edition>,
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::Mutex;
    use std::time::Duration;

    use ghi_engine::Inputs;
    use governor::clock::FakeRelativeClock;
    use jiff::civil::{Date, date};

    use super::*;

    fn moment(text: &str) -> Moment {
        text.parse().unwrap()
    }

    fn editions() -> Editions {
        Editions::new(Model::new(Inputs::default()), &Site::new(None), 1)
    }

    /// Returns the cached days, oldest first.
    fn days(editions: &Editions) -> Vec<Date> {
        let current = editions.current();
        let mut days = in_order(&current.clock_days);
        days.sort_unstable();
        days
    }

    fn in_order(cached: &CachedDays) -> Vec<Date> {
        cached.read().unwrap().iter().map(|edition| edition.date()).collect()
    }

    fn of(editions: &Editions, moment: Moment) -> Arc<Edition> {
        editions.day(moment).edition
    }

    impl Editions {
        /// Returns the edition of a day of the clock, if it is cached.
        pub(crate) fn find(&self, moment: Moment) -> Option<Arc<Edition>> {
            find(&self.current().clock_days, moment)
        }
    }

    #[test]
    fn a_day_is_rendered_once() {
        let editions = editions();
        let [morning, evening] = ["2026-11-15T08:00:00Z", "2026-11-15T20:00:00Z"].map(moment);
        assert!(editions.find(morning).is_none());
        assert!(Arc::ptr_eq(&of(&editions, morning), &of(&editions, evening)));
    }

    #[test]
    fn tomorrow_is_rendered_five_minutes_before_midnight_and_today_stays() {
        let editions = editions();
        let today = of(&editions, moment("2026-11-15T12:00:00Z"));
        editions.prepare(moment("2026-11-15T23:54:59Z"), |_| {});
        assert_eq!(days(&editions), [today.date()]);
        editions.prepare(moment("2026-11-15T23:55:00Z"), |_| {});
        assert_eq!(days(&editions), [today.date(), today.date().tomorrow().unwrap()]);
        let midnight = moment("2026-11-16T00:00:00Z");
        let tomorrow = editions.find(midnight).unwrap();
        editions.prepare(moment("2026-11-15T23:56:00Z"), |_| {});
        assert!(Arc::ptr_eq(&tomorrow, &of(&editions, midnight)), "it is rendered once");
        assert!(Arc::ptr_eq(&today, &of(&editions, moment("2026-11-15T23:59:59Z"))));
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
            let editions = Editions { speed, ..editions() };
            editions.prepare(moment(&format!("2026-11-15T{time}Z")), |_| {});
            assert_eq!(days(&editions).len(), expected, "{speed} at {time}");
        }
    }

    #[test]
    fn only_neighbouring_days_stay_cached() {
        let editions = editions();
        for (date, expected) in [
            ("2026-11-15", &["2026-11-15"][..]),
            ("2026-11-16", &["2026-11-15", "2026-11-16"]),
            ("2026-11-17", &["2026-11-16", "2026-11-17"]),
            ("2026-11-16", &["2026-11-16", "2026-11-17"]),
            ("2026-11-15", &["2026-11-15", "2026-11-16"]),
            ("2030-01-01", &["2030-01-01"]),
        ] {
            of(&editions, moment(&format!("{date}T12:00:00Z")));
            let days: Vec<String> = days(&editions).iter().map(Date::to_string).collect();
            assert_eq!(days, expected, "{date}");
        }
    }

    #[test]
    fn a_limited_number_of_other_days_is_cached_in_addition_to_the_clocks_days() {
        let editions = editions();
        let today = of(&editions, moment("2026-11-15T12:00:00Z"));
        assert!(Arc::ptr_eq(
            &editions.other_day(moment("2026-11-15T20:00:00Z"), 1, None).unwrap().edition,
            &today
        ));
        let other = editions.other_day(moment("2028-02-29T12:00:00Z"), 1, None).unwrap();
        let again = editions.other_day(moment("2028-02-29T13:00:00Z"), 1, None).unwrap();
        assert!(Arc::ptr_eq(&other.edition, &again.edition), "it is rendered once");
        assert_eq!(days(&editions), [today.date()], "other days don't join the clock's days");
        let cached = || in_order(&editions.current().other_days);
        for year in 3000..3100 {
            editions.other_day(moment(&format!("{year}-01-01T00:00:00Z")), 1, None).unwrap();
        }
        let last: Vec<Date> = (3068..3100).map(|year| date(year, 1, 1)).collect();
        assert_eq!(cached(), last);
        editions.reload(other_model(), moment("2026-11-15T12:00:00Z"), |_| {});
        assert!(cached().is_empty(), "they belonged to the old model");
    }

    fn client(last: u8) -> Option<ClientKey> {
        Some(IpAddr::V4(Ipv4Addr::new(203, 0, 113, last)).into())
    }

    /// Returns how many requests that draw this many days a client may send at once.
    fn at_once(limit: &DayLimit<FakeRelativeClock>, days: u32, client: Option<ClientKey>) -> usize {
        (0..2000).take_while(|_| limit.check(days, client).is_ok()).count()
    }

    fn advance(limit: &DayLimit<FakeRelativeClock>, time: Duration) {
        limit.total.clock().advance(time);
        limit.by_client.clock().advance(time);
    }

    #[test]
    fn a_request_is_charged_by_the_days_it_draws() {
        let limit = || DayLimit::<FakeRelativeClock>::new();
        assert_eq!(at_once(&limit(), 1, None), 1500);
        assert_eq!(at_once(&limit(), 365, client(1)), 1);
        assert_eq!(at_once(&limit(), 30, client(1)), 12);
        let limit = limit();
        assert_eq!(at_once(&limit, 11_000, client(1)), 1, "more than a burst is still possible");
        advance(&limit, Duration::from_secs(2));
        assert!(
            limit.check(365, client(1)).is_err(),
            "a year takes a client's days of three seconds"
        );
        advance(&limit, Duration::from_secs(1));
        assert!(limit.check(365, client(1)).is_ok());
    }

    #[test]
    fn one_client_cannot_use_up_all_days() {
        let limit = DayLimit::<FakeRelativeClock>::new();
        assert_eq!(at_once(&limit, 1, client(1)), 375);
        assert_eq!(at_once(&limit, 1, client(2)), 375);
        let until_later = limit.check(1, client(1));
        assert_eq!(until_later, Err(1));
        advance(&limit, Duration::from_secs(1));
        assert!(limit.check(1, client(1)).is_ok());
    }

    #[test]
    fn too_many_days_at_once_are_rejected() {
        let editions = editions();
        let other_day =
            |year: u32| editions.other_day(moment(&format!("{year}-06-01T00:00:00Z")), 1, None);
        let refused = (2000..9999).find_map(|year| other_day(year).err());
        assert_eq!(refused, Some(1));
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
        let old = of(&editions, evening);
        let is_new = |edition: &Edition| edition.model().registry().find("zz").is_some();
        let prepared = Mutex::new(0);
        editions.reload(other_model(), evening, |day| {
            assert!(
                is_new(&day.edition) && !is_new(&of(&editions, evening)),
                "until it is rendered"
            );
            *prepared.lock().unwrap() += 1;
        });
        assert!(!is_new(&old) && is_new(&of(&editions, evening)));
        assert!(editions.find(midnight).is_none());
        editions.reload(other_model(), near, |_| *prepared.lock().unwrap() += 1);
        assert!(editions.find(midnight).is_some());
        assert_eq!(*prepared.lock().unwrap(), 3);
    }

    #[test]
    fn an_edition_of_the_old_model_is_not_cached_after_a_reload() {
        let editions = editions();
        let noon = moment("2026-11-15T12:00:00Z");
        let old = editions.current();
        editions.reload(other_model(), noon, |_| {});
        let late = editions.day_of(&old, noon).edition;
        assert!(late.model().registry().find("zz").is_none(), "the request gets it");
        assert!(!Arc::ptr_eq(&of(&editions, noon), &late), "no other request gets it");
    }
}
