//! Faults from the start of the server: scenarios for clients that can't set a header (`--fail`), and a share of all
//! requests that fails, in a reproducible sequence (`--chaos`).

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use ghi_contract::paths;
use ghi_engine::splitmix64;
use hyper::HeaderMap;
use hyper::header::HeaderValue;

use crate::http::prefer::{PREFER, preference};
use crate::http::problem::Code;
use crate::scenarios::recovery::RecoveryKeys;
use crate::scenarios::requested::select;
use crate::scenarios::scenario::{Failure, Origin, Scenario};

/// The preferences that a flag cannot have, and why.
const REFUSED: [(&str, &str); 3] = [
    ("key", "key has no effect here; times counts the requests for each path since the start"),
    ("return", "return has no effect here; use --snapshot-form"),
    ("handling", "handling has no effect here; preferences without effect are always rejected"),
];

/// The failures of `--chaos`, all equally likely. The first three need no body.
const FAILURES: [Failure; 5] = [
    Failure::Code(Code::RateLimited),
    Failure::Code(Code::Internal),
    Failure::Code(Code::NoFigures),
    Failure::Truncate,
    Failure::Cut,
];

/// A flag `--fail`.
#[derive(Debug)]
struct FailFlag {
    /// The only path it applies to, which may be that of a route, such as `/v1/ghi/regions/{id}`.
    path: Option<String>,
    preferences: HeaderMap,
}

impl FailFlag {
    /// Parses `PREFERENCES` or `PATH: PREFERENCES`.
    fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (path, preferences) = match text.split_once(':').filter(|_| text.starts_with('/')) {
            Some((path, preferences)) => (Some(path.trim_end()), preferences.trim()),
            None => (None, text),
        };
        let value = HeaderValue::from_str(preferences).ok().filter(|value| !value.is_empty());
        let value =
            value.ok_or("must be preferences such as code=503, times=2, or PATH: PREFERENCES")?;
        let path = path.map(|path| path.strip_suffix('/').unwrap_or(path).to_owned());
        Ok(Self { path, preferences: HeaderMap::from_iter([(PREFER, value)]) })
    }
}

/// Checks that all preferences of a flag have an effect. `api_route` returns the route of a path of the API.
pub(crate) fn check_fail_flag(
    text: &str,
    api_route: impl FnOnce(&str) -> Option<&'static str>,
) -> Result<(), String> {
    let FailFlag { path, preferences } = FailFlag::parse(text)?;
    let route = match &path {
        Some(path) => api_route(path).ok_or(
            "PATH must be a path of the API, such as /v1/ghi/history or /v1/ghi/regions/{id}",
        )?,
        // Every scenario is possible there.
        None => paths::HISTORY,
    };
    let refused = |name| preference(&preferences, name).is_some();
    if let Some((_, reason)) = REFUSED.into_iter().find(|(name, _)| refused(name)) {
        return Err(reason.into());
    }
    let (_, ignored) = select(&preferences, route, false, Origin::Flag);
    ignored.map_or(Ok(()), Err)
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
        let mut flags: Vec<_> =
            texts.iter().filter_map(|text| FailFlag::parse(text).ok()).collect();
        flags.sort_by_key(|flag| flag.path.is_none());
        Self { flags, counts: RecoveryKeys::default(), start: Instant::now() }
    }

    /// Returns the scenario of a request without preferences: that of the first flag that has an effect on it.
    pub(super) fn select(&self, path: &str, route: &str, is_head: bool) -> Option<Scenario> {
        let of_path = |flag: &FailFlag| includes(flag.path.as_deref(), path, route);
        let flags = self.flags.iter().enumerate().filter(|(_, flag)| of_path(flag));
        let mut scenarios = flags.map(|(number, flag)| {
            let (scenario, _) = select(&flag.preferences, route, is_head, Origin::Flag);
            // The requests are always counted as at the start, so none is forgotten after a while.
            self.counts.limit(scenario, path, &number.to_string(), self.start)
        });
        scenarios.find(Scenario::has_effect)
    }
}

#[derive(Debug)]
pub(super) struct Chaos {
    percent: u64,
    /// The only path with failures, if there is one.
    path: Option<String>,
    requests: AtomicU64,
}

impl Chaos {
    pub(super) fn new(percent: u8, path: Option<String>) -> Option<Self> {
        (percent > 0).then(|| Self { percent: percent.into(), path, requests: AtomicU64::new(0) })
    }

    /// Returns the failure of the next request, if it fails. It depends on the seed and the request's number.
    pub(super) fn next(
        &self,
        (path, route): (&str, &str),
        seed: u64,
        has_body: bool,
    ) -> Option<Failure> {
        if !includes(self.path.as_deref(), path, route) {
            return None;
        }
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let drawn = splitmix64(splitmix64(seed) ^ number);
        let kinds = if has_body { FAILURES.len() } else { 3 };
        (drawn % 100 < self.percent).then(|| FAILURES[(drawn / 100 % kinds as u64) as usize])
    }
}

/// Returns whether the only path of a flag, which may be that of a route, is the path of a request.
fn includes(only: Option<&str>, path: &str, route: &str) -> bool {
    only.is_none_or(|only| only == path.strip_suffix('/').unwrap_or(path) || only == route)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(seed: u64, percent: u8, count: usize) -> Vec<Option<Failure>> {
        let chaos = Chaos::new(percent, None).unwrap();
        (0..count).map(|_| chaos.next(("", ""), seed, true)).collect()
    }

    #[test]
    fn the_given_share_fails_and_all_failures_are_equally_likely() {
        for (percent, seed) in [(20, 1), (20, 20_240_420), (1, 7), (50, 7)] {
            let drawn = sequence(seed, percent, 100_000);
            let count = |kind| drawn.iter().filter(|failure| **failure == Some(kind)).count();
            let counts = FAILURES.map(count);
            let expected = usize::from(percent) * 1000 / FAILURES.len();
            for count in counts {
                assert!(count.abs_diff(expected) * 10 < expected.max(500), "{percent}: {counts:?}");
            }
        }
        assert!(sequence(1, 100, 1000).iter().all(Option::is_some));
        assert!(Chaos::new(0, None).is_none());
    }

    #[test]
    fn the_seed_determines_the_sequence() {
        assert_eq!(sequence(1, 20, 1000), sequence(1, 20, 1000));
        assert_ne!(sequence(1, 20, 1000), sequence(2, 20, 1000));
    }

    #[test]
    fn a_response_without_a_body_fails_only_by_its_status() {
        let chaos = Chaos::new(100, None).unwrap();
        let all = (0..1000).filter_map(|_| chaos.next(("", ""), 1, false));
        assert!(all.into_iter().all(|failure| matches!(failure, Failure::Code(_))));
    }
}
