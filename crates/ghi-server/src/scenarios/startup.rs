//! Faults from the start of the server: scenarios for clients that can't set a header (`--fail`), and a share of all
//! requests that fails, in a reproducible sequence (`--chaos`).

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use ghi_contract::paths;
use ghi_engine::splitmix64;
use hyper::HeaderMap;
use hyper::header::HeaderValue;

use crate::http::prefer::PREFER;
use crate::scenarios::recovery::RecoveryKeys;
use crate::scenarios::scenario::{Origin, Scenario};

/// The failures of `--chaos`, all equally likely. The first three need no body.
const CHAOS: [(&str, &str); 5] =
    [("code", "429"), ("code", "500"), ("code", "503"), ("break", "truncate"), ("break", "cut")];

/// The only path that a flag applies to, if there is one, and its preferences.
type FailFlag = (Option<String>, HeaderMap);

/// Parses the value of `--fail`: `PREFERENCES` or `PATH: PREFERENCES`.
fn parse(text: &str) -> Result<FailFlag, &'static str> {
    let (path, preferences) = match text.split_once(':').filter(|_| text.trim().starts_with('/')) {
        Some((path, preferences)) => (Some(path.trim()), preferences),
        None => (None, text),
    };
    let value = HeaderValue::from_str(preferences.trim()).ok().filter(|value| !value.is_empty());
    let value =
        value.ok_or("must be preferences such as code=503, times=2, or PATH: PREFERENCES")?;
    let path = path.map(|path| path.strip_suffix('/').unwrap_or(path).to_owned());
    Ok((path, HeaderMap::from_iter([(PREFER, value)])))
}

/// Checks that all preferences of a flag have an effect. `api_route` returns the route of a path of the API.
pub(crate) fn check_fail_flag(
    text: &str,
    api_route: impl FnOnce(&str) -> Option<&'static str>,
) -> Result<(), String> {
    let (path, preferences) = parse(text)?;
    let route = match &path {
        Some(path) => api_route(path).ok_or(
            "PATH must be a path of the API, such as /v1/ghi/history or /v1/ghi/regions/{id}",
        )?,
        // Every scenario is possible there.
        None => paths::HISTORY,
    };
    let scenario = Scenario::select(&preferences, route, false, Origin::Flag);
    scenario.ignored.map_or(Ok(()), Err)
}

#[derive(Debug)]
pub(super) struct FailFlags {
    /// Those with a path come first.
    flags: Vec<FailFlag>,
    counts: RecoveryKeys,
    start: Instant,
}

impl FailFlags {
    pub(super) fn new(texts: &[String]) -> Self {
        let mut flags: Vec<_> = texts.iter().filter_map(|text| parse(text).ok()).collect();
        flags.sort_by_key(|(path, _)| path.is_none());
        Self { flags, counts: RecoveryKeys::default(), start: Instant::now() }
    }

    /// Returns the scenario of a request without preferences: that of the first flag that has an effect on it.
    pub(super) fn select(&self, path: &str, route: &str, is_head: bool) -> Option<Scenario> {
        let flags = self.flags.iter().enumerate();
        let flags = flags.filter(|(_, (only, _))| includes(only.as_deref(), path, route));
        let mut scenarios = flags.map(|(number, (_, preferences))| {
            let mut scenario = Scenario::select(preferences, route, is_head, Origin::Flag);
            // A fixed time, so that counts never expire.
            self.counts.limit(&mut scenario, path, &number.to_string(), self.start);
            scenario
        });
        scenarios.find(Scenario::has_effect)
    }
}

#[derive(Debug, Default)]
pub(super) struct Chaos {
    pub(super) percent: u64,
    /// The only path with failures, if there is one.
    pub(super) path: Option<String>,
    pub(super) requests: AtomicU64,
}

impl Chaos {
    /// Returns the scenario of the next request, if it fails. It depends on the seed and the request's number.
    pub(super) fn next(
        &self,
        (path, route): (&str, &str),
        seed: u64,
        has_body: bool,
    ) -> Option<Scenario> {
        if !includes(self.path.as_deref(), path, route) {
            return None;
        }
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let drawn = splitmix64(splitmix64(seed) ^ number);
        let kinds = if has_body { CHAOS.len() } else { 3 };
        let (name, value) = CHAOS[(drawn / 100 % kinds as u64) as usize];
        let values = vec![(name, value.into())];
        (drawn % 100 < self.percent).then_some(Scenario {
            origin: Origin::Chaos,
            values,
            ignored: None,
        })
    }
}

/// Returns whether the only path of a flag, which may be that of a route, is the path of a request.
fn includes(only: Option<&str>, path: &str, route: &str) -> bool {
    only.is_none_or(|only| only == path.strip_suffix('/').unwrap_or(path) || only == route)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(seed: u64, percent: u64, count: usize) -> Vec<Option<String>> {
        let chaos = Chaos { percent, ..Chaos::default() };
        let scenarios = (0..count).map(|_| chaos.next(("", ""), seed, true));
        scenarios.map(|scenario| scenario.map(|scenario| scenario.kind())).collect()
    }

    #[test]
    fn the_given_share_fails_and_all_failures_are_equally_likely() {
        for (percent, seed) in [(20, 1), (20, 20_240_420), (1, 7), (50, 7)] {
            let drawn = sequence(seed, percent, 100_000);
            let is_drawn = |kind: &_, drawn: &Option<String>| drawn.as_ref() == Some(kind);
            let counts = CHAOS.map(|(name, value)| {
                let kind = format!("{name}={value}");
                drawn.iter().filter(|drawn| is_drawn(&kind, drawn)).count()
            });
            let expected = percent as usize * 1000 / CHAOS.len();
            for count in counts {
                assert!(count.abs_diff(expected) * 10 < expected.max(500), "{percent}: {counts:?}");
            }
        }
        assert!(sequence(1, 100, 1000).iter().all(Option::is_some));
        assert!(sequence(1, 0, 1000).iter().all(Option::is_none));
    }

    #[test]
    fn the_seed_determines_the_sequence() {
        assert_eq!(sequence(1, 20, 1000), sequence(1, 20, 1000));
        assert_ne!(sequence(1, 20, 1000), sequence(2, 20, 1000));
    }

    #[test]
    fn a_response_without_a_body_fails_only_by_its_status() {
        let chaos = Chaos { percent: 100, ..Chaos::default() };
        let all = (0..1000).filter_map(|_| chaos.next(("", ""), 1, false));
        assert!(all.into_iter().all(|scenario| scenario.get("code").is_some()));
    }
}
