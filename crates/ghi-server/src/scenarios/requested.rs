//! The scenario that preferences select: those of a request, or those of `--fail`.

use std::borrow::Cow;
use std::fmt::Display;
use std::time::Duration;

use ghi_contract::paths;
use hyper::{HeaderMap, Method, Request};

use crate::clock::Moment;
use crate::http::prefer::{Preference, preferences};
use crate::http::problem::{Code, Problem};
use crate::scenarios::altered::has_costs;
use crate::scenarios::scenario::{FAILURES, FIGURES, Failure, Figures, Origin, Recovery, Scenario};

/// The longest delay, in milliseconds.
const DELAY_MAX_MILLIS: u64 = 10_000;

/// The longest `Retry-After`, in seconds.
const RETRY_AFTER_MAX: u64 = 86_400;

/// The largest number of requests that a scenario can be limited to.
const TIMES_MAX: u64 = 100;

/// The longest key, in characters.
const KEY_MAX: usize = 64;

/// The preferences, with the values that they accept.
const PREFERENCES: [(&str, &str); 10] = [
    ("code", "400, 404, 429, 500, 502, 503 or 504"),
    (
        "break",
        r#""truncate", "json", "cut", "drip" or "reset"; also "extra" under /v1/ghi, "null", "missing" or "string" in documents with costs, and "gap" in a history"#,
    ),
    ("figures", r#""spike", "drop" or "flat", and only in documents with costs"#),
    ("retry-after", r#"0 to 86400, "date" or "none""#),
    ("delay", "0 to 10000 milliseconds"),
    ("at", "a UTC time such as 2026-11-15T12:00:00Z or a date, from 1970-01-01 to 9999-12-31"),
    ("times", "1 to 100"),
    ("key", "1 to 64 letters, digits, - and _"),
    ("return", r#""minimal" or "representation""#),
    ("handling", r#""strict" or "lenient""#),
];

/// What preferences apply to.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) route: &'a str,
    pub(crate) is_head: bool,
}

/// Why the first preference without effect has none, if there is one.
#[derive(Default)]
struct Ignored(Option<String>);

impl Ignored {
    fn add(&mut self, reason: impl Into<String>) {
        self.0.get_or_insert_with(|| reason.into());
    }

    /// Returns a value if it has an effect, and otherwise remembers why it has none.
    fn unless<T>(&mut self, has_effect: bool, value: Option<T>, reason: &str) -> Option<T> {
        if value.is_some() && !has_effect {
            self.add(reason);
            return None;
        }
        value
    }
}

/// Returns the scenario that preferences select, and why the first one without effect has none. Without
/// `handling=strict` these are ignored, as RFC 7240 requires.
pub(crate) fn select(
    headers: &HeaderMap,
    target: Target<'_>,
    origin: Origin,
) -> (Scenario, Option<String>) {
    let Target { route, is_head } = target;
    let mut ignored = Ignored::default();
    let accepted = accepted(headers, route, &mut ignored);
    let value = |name| {
        let found = accepted.iter().find(|(accepted, _)| *accepted == name);
        found.map(|(_, value)| &**value)
    };
    let code = value("code").and_then(|value| failure("code", value, route));
    let broken = value("break").and_then(|value| failure("break", value, route));
    let broken = ignored.unless(!is_head, broken, "break has no effect on a HEAD request");
    let broken = ignored.unless(code.is_none(), broken, "break has no effect with code");
    let failure = code.or(broken);

    let has_document = !failure.is_some_and(Failure::replaces_document);
    let mut with_document = |name, value| {
        let reason = format!("{name} has no effect with code, break=json or break=reset");
        ignored.unless(has_document, value, &reason)
    };
    let figures = with_document("figures", value("figures"));
    let at = with_document("at", value("at")).and_then(at);
    let form = with_document("return", value("return"));
    let figures = ignored.unless(!is_head, figures, "figures has no effect on a HEAD request");
    let figures = figures.and_then(|name| self::figures(name, route));
    let reason = format!("return has an effect only on {}", paths::SNAPSHOT);
    ignored.unless(route == paths::SNAPSHOT, form, &reason);

    let can_wait = matches!(failure, Some(Failure::Code(Code::RateLimited | Code::NoFigures)));
    let reason = "retry-after has no effect without code=429 or code=503";
    let retry_after = ignored.unless(can_wait, value("retry-after"), reason).map(String::from);
    let delay = value("delay").and_then(delay);
    let can_end = failure.is_some() || figures.is_some() || delay.is_some();
    let recovery = recovery(value("times"), value("key"), origin, can_end, &mut ignored);
    let is_strict = value("handling") == Some("strict");
    let scenario =
        Scenario { origin, failure, retry_after, figures, at, delay, recovery, is_strict };
    (scenario, ignored.0)
}

/// Returns the preferences with known names and valid values. If a name occurs more than once, the first
/// one counts.
fn accepted<'a>(
    headers: &'a HeaderMap,
    route: &str,
    ignored: &mut Ignored,
) -> Vec<(&'static str, Cow<'a, str>)> {
    let (mut seen, mut accepted) = (Vec::new(), Vec::new());
    for preference in preferences(headers) {
        let Preference { name, value, has_parameters } = preference;
        let known = |(known, _): &(&str, &str)| known.eq_ignore_ascii_case(name);
        let Some((name, values)) = PREFERENCES.into_iter().find(known) else {
            let is_empty = name.is_empty() && value.is_empty() && !has_parameters;
            if !is_empty {
                let known = PREFERENCES.map(|(name, _)| name).join(", ");
                ignored.add(format!("a preference is unknown; expected one of {known}"));
            }
            continue;
        };
        if seen.contains(&name) {
            ignored.add(format!("{name} is repeated"));
            continue;
        }
        seen.push(name);
        if has_parameters {
            ignored.add(format!(
                "{name} has a parameter, which has no effect; separate preferences with commas"
            ));
        }
        if is_valid(name, &value, route) {
            accepted.push((name, value));
        } else {
            ignored.add(format!("{name} must be {values}"));
        }
    }
    accepted
}

fn is_valid(name: &str, value: &str, route: &str) -> bool {
    match name {
        "code" | "break" => failure(name, value, route).is_some(),
        "figures" => figures(value, route).is_some(),
        "retry-after" => {
            matches!(value, "date" | "none") || number(value, RETRY_AFTER_MAX).is_some()
        }
        "delay" => delay(value).is_some(),
        "at" => at(value).is_some(),
        "times" => number(value, TIMES_MAX).is_some_and(|times| times > 0),
        "key" => is_key(value),
        "return" => matches!(value, "minimal" | "representation"),
        _ => matches!(value, "strict" | "lenient"),
    }
}

/// Returns how many requests a scenario affects, if it ends. The requests of `--fail` have no key.
fn recovery(
    times: Option<&str>,
    key: Option<&str>,
    origin: Origin,
    can_end: bool,
    ignored: &mut Ignored,
) -> Option<Recovery> {
    let has_key = key.is_some() || origin == Origin::Flag;
    let times = ignored.unless(has_key, times, "times has no effect without key");
    let reason = "times has no effect without code, break, figures or delay";
    let times = ignored.unless(can_end, times, reason);
    let key = ignored.unless(times.is_some(), key, "key has no effect without times");
    let times = times.and_then(|times| number(times, TIMES_MAX))? as u8;
    Some(Recovery { times, key: key.map(String::from) })
}

/// Returns why a request is rejected if it has `handling=strict`.
pub(crate) fn ignored_preference(request: &Request<()>, route: &str) -> Option<Problem> {
    let target = Target { route, is_head: *request.method() == Method::HEAD };
    let (_, reason) = select(request.headers(), target, Origin::Request);
    reason.map(without_effect)
}

/// Returns the problem for a preference that has no effect for a reason.
pub(super) fn without_effect(reason: impl Display) -> Problem {
    Problem::new(Code::UnknownPreference, format!("In Prefer, {reason}."))
}

/// Returns every preference of the sandbox, with its value if there is a list of values.
#[cfg(feature = "internals")]
pub fn preference_values() -> impl Iterator<Item = String> {
    let figures = FIGURES.map(|(preference, _)| preference);
    let listed = FAILURES.map(|(preference, _)| preference).into_iter().chain(figures);
    let names = PREFERENCES.map(|(name, _)| format!("{name}="));
    names.into_iter().chain(listed.map(String::from))
}

fn failure(name: &str, value: &str, route: &str) -> Option<Failure> {
    let selected = format!("{name}={value}");
    let found = FAILURES.into_iter().find(|(preference, _)| *preference == selected);
    found.map(|(_, failure)| failure).filter(|failure| failure.is_possible_on(route))
}

/// Parses a change to the costs.
fn figures(name: &str, route: &str) -> Option<Figures> {
    let selected = format!("figures={name}");
    let found = FIGURES.into_iter().find(|(preference, _)| *preference == selected);
    found.filter(|_| has_costs(route))
}

/// Parses a time; a date means 00:00 UTC on that day.
fn at(text: &str) -> Option<Moment> {
    text.parse().or_else(|_| format!("{text}T00:00:00Z").parse()).ok()
}

fn delay(text: &str) -> Option<Duration> {
    number(text, DELAY_MAX_MILLIS).map(Duration::from_millis)
}

/// Returns whether a string is a valid key. `Preference-Applied` repeats the key.
fn is_key(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (1..=KEY_MAX).contains(&text.len()) && text.bytes().all(is_allowed)
}

/// Parses a number in plain digits.
fn number(text: &str, max: u64) -> Option<u64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_plain && *number <= max)
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;
    use crate::http::prefer::PREFER;

    fn headers(prefer: &str) -> HeaderMap {
        HeaderMap::from_iter([(PREFER, HeaderValue::from_str(prefer).unwrap())])
    }

    fn selected(prefer: &str, route: &str, is_head: bool) -> (Scenario, Option<String>) {
        select(&headers(prefer), Target { route, is_head }, Origin::Request)
    }

    fn parsed(prefer: &str) -> Scenario {
        selected(prefer, paths::HISTORY, false).0
    }

    fn is_ignored(prefer: &str, route: &str) -> bool {
        selected(prefer, route, false).1.is_some()
    }

    fn with_failure(failure: Failure) -> Scenario {
        Scenario { failure: Some(failure), ..Scenario::default() }
    }

    #[test]
    fn each_scenario_is_selected_by_its_name() {
        for (preference, failure) in FAILURES {
            assert_eq!(parsed(preference), with_failure(failure));
        }
        for figures in FIGURES {
            let expected = Scenario { figures: Some(figures), ..Scenario::default() };
            assert_eq!(parsed(figures.0), expected);
        }
        let at = Some("2028-02-29T12:00:00Z".parse().unwrap());
        for text in ["at=2028-02-29T12:00:00Z", "AT=\"2028-02-29T12:00:00Z\";x=y"] {
            assert_eq!(parsed(text), Scenario { at, ..Scenario::default() }, "{text}");
        }
        assert_eq!(parsed("at=2026-02-16").at, Some("2026-02-16T00:00:00Z".parse().unwrap()));
        for millis in [0, 10_000] {
            let delay = Some(Duration::from_millis(millis));
            assert_eq!(parsed(&format!("delay={millis}")).delay, delay);
        }
        for (text, retry_after) in [
            ("code=429, retry-after=0", "0"),
            ("code=503, retry-after=86400", "86400"),
            ("code=503, retry-after=date", "date"),
            ("code=503, retry-after=none", "none"),
        ] {
            assert_eq!(parsed(text).retry_after.as_deref(), Some(retry_after), "{text}");
        }
        let long = "k".repeat(KEY_MAX);
        for (times, key) in [(1, "a"), (100, "Az_09-"), (2, &long)] {
            let recovery = parsed(&format!("break=cut, times={times}, key={key}")).recovery;
            assert_eq!(recovery, Some(Recovery { times, key: Some(key.into()) }));
        }
        assert!(parsed("handling=strict").is_strict && !parsed("handling=lenient").is_strict);
    }

    /// Preferences that are ignored, or an error with `handling=strict`.
    const IGNORED: [&str; 35] = [
        "code",
        "code=",
        "code=200",
        "code=418",
        "code=0500",
        "code=500x",
        "codes=500",
        "break=everything",
        "break=Cut",
        "figures=Spike",
        "figures=double",
        "delay=10001",
        "delay=-1",
        "delay=+1",
        "delay=1.5",
        "delay=",
        "delay=99999999999999999999999",
        "at=now",
        "at=1969-12-31T23:59:59Z",
        "at=10000-01-01T00:00:00Z",
        "at=2026-02-29T00:00:00Z",
        "at=2026-02-29",
        "wait=5, respond-async",
        "x=\"code=500\"",
        "code=\"500",
        "code=500\"",
        "code=\"\"500\"\"",
        "at=\"2028-02-29T12:00:00Z",
        "retry-after=5",
        "times=2",
        "key=a",
        "times=2, key=a",
        "times=2, key=a, figures=other",
        "return=everything",
        "handling=other",
    ];

    #[test]
    fn unknown_malformed_and_out_of_range_preferences_are_ignored() {
        for text in IGNORED {
            assert_eq!(parsed(text), Scenario::default(), "{text}");
            assert!(is_ignored(text, paths::HISTORY), "{text}");
        }
        let code = with_failure(Failure::Code(Code::RateLimited));
        for text in [
            "times=2",
            "key=a",
            "times=0, key=a",
            "times=101, key=a",
            "times=1.5, key=a",
            "times=2, key=",
            "times=2, key=\"a b\"",
            "times=2, key=\u{e9}",
            &format!("times=2, key={}", "k".repeat(KEY_MAX + 1)),
            "retry-after=soon",
            "retry-after=86401",
            "retry-after=-1",
        ] {
            let text = format!("code=429, {text}");
            assert_eq!(parsed(&text), code, "{text}");
            assert!(is_ignored(&text, paths::HISTORY), "{text}");
        }
        let without = parsed("code=500, retry-after=5");
        assert_eq!(without, with_failure(Failure::Code(Code::Internal)));
    }

    #[test]
    fn preferences_that_are_not_ignored_are_no_errors() {
        for text in [
            "",
            ",,",
            "return=minimal",
            "handling=strict, break=cut, at=2028-02-29, figures=spike, return=minimal",
            "delay=1, times=2, key=a",
            "figures=drop, times=2, key=a",
            "CODE=429, Retry-After=date",
        ] {
            assert!(!is_ignored(text, paths::SNAPSHOT), "{text}");
        }
    }

    #[test]
    fn every_value_is_listed() {
        let figures = FIGURES.map(|(preference, _)| preference);
        for preference in FAILURES.map(|(preference, _)| preference).into_iter().chain(figures) {
            let (name, value) = preference.split_once('=').unwrap();
            let (_, listed) = PREFERENCES.iter().find(|known| known.0 == name).unwrap();
            assert!(listed.split([' ', ',', ';', '"']).any(|word| word == value), "{preference}");
        }
    }

    #[test]
    fn a_preference_is_accepted_only_where_it_has_an_effect() {
        let is_accepted = |preference: &str, route| {
            let (scenario, ignored) = selected(preference, route, false);
            assert_eq!(scenario.has_effect(), ignored.is_none());
            scenario.has_effect()
        };
        for (route, null, extra, gap, figures) in [
            (paths::HISTORY, true, true, true, true),
            (paths::SNAPSHOT, true, true, false, true),
            (paths::REGION_DETAIL, true, true, false, true),
            (paths::INDICATOR, true, true, false, true),
            (paths::FORECAST, true, true, false, true),
            (paths::NETWORK, false, true, false, false),
            (paths::REGIONS, false, true, false, false),
            (paths::METADATA, false, true, false, false),
            ("/export/history.csv", false, false, false, false),
        ] {
            for (preference, expected) in [
                ("break=null", null),
                ("break=missing", null),
                ("break=string", null),
                ("break=extra", extra),
                ("break=gap", gap),
                ("figures=drop", figures),
            ] {
                assert_eq!(is_accepted(preference, route), expected, "{route}");
            }
        }
    }

    #[test]
    fn a_response_without_a_body_cannot_be_broken() {
        let head = |prefer: &str| selected(prefer, paths::HISTORY, true).0;
        assert_eq!(head("break=cut, figures=spike, times=2, key=a"), Scenario::default());
        let delay = Some(Duration::from_millis(5));
        assert_eq!(head("break=cut, delay=5"), Scenario { delay, ..Scenario::default() });
        assert!(head("code=500").failure.is_some());
    }

    #[test]
    fn delay_combines_with_everything_and_code_takes_precedence() {
        let others = "delay=5, at=2028-02-29T12:00:00Z, figures=spike, break=cut";
        let delay = Some(Duration::from_millis(5));
        let all = parsed(&format!("{others}, code=503"));
        let expected = Scenario { delay, ..with_failure(Failure::Code(Code::NoFigures)) };
        assert_eq!(all, expected, "an error depends neither on the day nor on the data");
        let broken = parsed(&format!("{others}, code=200"));
        let at = Some("2028-02-29T12:00:00Z".parse().unwrap());
        let figures = Some(FIGURES[0]);
        assert_eq!(broken, Scenario { at, figures, delay, ..with_failure(Failure::Cut) });
        let first = parsed("code=404, code=500");
        assert_eq!(first.failure, Some(Failure::Code(Code::UnknownRegion)));
    }
}
