//! The scenario that a request selects with `Prefer`.

use std::time::Duration;

use ghi_contract::paths;
use hyper::HeaderMap;

use crate::clock::Moment;
use crate::http::prefer::{preference, preferences};
use crate::http::problem::{Code, Problem};
use crate::scenarios::scenario::{FAILURES, FIGURES, Failure, Figures, Recovery, Scenario};

/// The longest delay, in milliseconds.
const DELAY_MAX_MILLIS: u64 = 10_000;

/// The longest `Retry-After`, in seconds.
const RETRY_AFTER_MAX: u64 = 86_400;

/// The largest number of requests with a key that fail.
const TIMES_MAX: u8 = 100;

/// The longest key, in characters.
const KEY_MAX: usize = 64;

/// The preferences, with the values that they accept.
const PREFERENCES: [(&str, &str); 10] = [
    ("code", "400, 404, 429, 500, 502, 503 or 504"),
    (
        "break",
        r#""truncate", "json", "cut", "drip" or "reset"; also "extra" under /v1/ghi, "null" in documents with costs, and "gap" in a history"#,
    ),
    ("figures", r#""spike", "drop" or "flat", and only under /v1/ghi"#),
    ("retry-after", r#"0 to 86400, "date" or "none", and requires code=429 or code=503"#),
    ("delay", "0 to 10000 milliseconds"),
    ("at", "a UTC time such as 2026-11-15T12:00:00Z or a date, from 1970-01-01 to 9999-12-31"),
    ("times", "1 to 100, and requires key and one of code, break or delay"),
    ("key", "1 to 64 letters, digits, - and _, and requires times"),
    ("return", r#""minimal" or "representation""#),
    ("handling", r#""strict" or "lenient""#),
];

/// Returns the scenario that `Prefer` selects for a route. Unknown and malformed preferences are ignored, as
/// RFC 7240 requires; so is `break` if the response has no body.
pub(crate) fn requested_scenario(headers: &HeaderMap, route: &str, has_body: bool) -> Scenario {
    let value = |name| preference(headers, name);
    let selected = |name| value(name).and_then(|value| failure(name, &value, route));
    let failure = selected("code").or_else(|| selected("break").filter(|_| has_body));
    // An error depends neither on the data nor on the day.
    let is_error = failure.is_some_and(Failure::is_error);
    let can_wait = matches!(failure, Some(Failure::Code(Code::RateLimited | Code::NoFigures)));
    let delay = value("delay").and_then(|millis| delay(&millis));
    let recovery = value("times").zip(value("key")).and_then(|(count, key)| {
        let times = number(&count, TIMES_MAX.into()).filter(|times| *times > 0)?;
        is_key(&key).then(|| Recovery { times: times as u8, key: key.into() })
    });
    Scenario {
        failure,
        retry_after: value("retry-after")
            .filter(|value| can_wait && is_retry_after(value))
            .map(String::from),
        figures: value("figures").filter(|_| !is_error).and_then(|name| figures(&name, route)),
        at: value("at").filter(|_| !is_error).and_then(|text| at(&text)),
        delay,
        recovery: recovery.filter(|_| failure.is_some() || delay.is_some()),
        is_strict: value("handling").is_some_and(|value| value == "strict"),
        ..Scenario::default()
    }
}

/// Returns the error of the first preference that would be ignored because it is unknown, malformed or
/// incomplete.
pub(crate) fn ignored_preference(headers: &HeaderMap, route: &str) -> Option<Problem> {
    let scenario = requested_scenario(headers, route, true);
    let problem = |name: &str, value: &str| {
        let is_accepted = match name {
            "code" | "break" => failure(name, value, route).is_some(),
            "figures" => figures(value, route).is_some(),
            "retry-after" => scenario.retry_after.is_some(),
            "delay" => delay(value).is_some(),
            "at" => at(value).is_some(),
            "times" | "key" => scenario.recovery.is_some(),
            "return" => matches!(value, "minimal" | "representation"),
            "handling" => matches!(value, "strict" | "lenient"),
            _ => false,
        };
        let detail = || match PREFERENCES.iter().find(|known| known.0 == name) {
            Some((_, values)) => format!("In Prefer, {name} must be {values}."),
            None => {
                let known = PREFERENCES.map(|(name, _)| name).join(", ");
                format!("Prefer has an unknown preference; expected one of {known}.")
            }
        };
        (!is_accepted && !name.is_empty()).then(|| Problem::unknown_preference(detail()))
    };
    preferences(headers).find_map(|(name, value)| problem(&name.to_ascii_lowercase(), &value))
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

/// Parses a change to the costs, which only the contract's documents support.
fn figures(name: &str, route: &str) -> Option<Figures> {
    let selected = format!("figures={name}");
    let found = FIGURES.into_iter().find(|(preference, _)| *preference == selected);
    found.filter(|_| route.starts_with(paths::PREFIX))
}

fn is_retry_after(text: &str) -> bool {
    matches!(text, "date" | "none") || number(text, RETRY_AFTER_MAX).is_some()
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

    fn parsed_with_body(prefer: &str, has_body: bool) -> Scenario {
        requested_scenario(&headers(prefer), paths::HISTORY, has_body)
    }

    fn parsed(prefer: &str) -> Scenario {
        parsed_with_body(prefer, true)
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
            assert_eq!(recovery, Some(Recovery { times, key: key.into() }));
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
            assert!(ignored_preference(&headers(text), paths::HISTORY).is_some(), "{text}");
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
            assert!(ignored_preference(&headers(&text), paths::HISTORY).is_some(), "{text}");
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
            "handling=strict, code=503, break=cut, at=2028-02-29, figures=spike",
            "delay=1, times=2, key=a",
            "CODE=429; x=y, Retry-After=date",
        ] {
            assert!(ignored_preference(&headers(text), paths::SNAPSHOT).is_none(), "{text}");
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
            let is_error = ignored_preference(&headers(preference), route).is_some();
            assert_eq!(
                requested_scenario(&headers(preference), route, true) == Scenario::default(),
                is_error
            );
            !is_error
        };
        for (route, null, extra, gap, figures) in [
            (paths::HISTORY, true, true, true, true),
            (paths::SNAPSHOT, true, true, false, true),
            (paths::REGION_DETAIL, true, true, false, true),
            (paths::INDICATOR, true, true, false, true),
            (paths::FORECAST, true, true, false, true),
            (paths::NETWORK, false, true, false, true),
            (paths::REGIONS, false, true, false, true),
            (paths::METADATA, false, true, false, true),
            ("/export/history.csv", false, false, false, false),
        ] {
            let preferences = ["break=null", "break=extra", "break=gap", "figures=drop"];
            let accepted = preferences.map(|preference| is_accepted(preference, route));
            assert_eq!(accepted, [null, extra, gap, figures], "{route}");
        }
    }

    #[test]
    fn a_response_without_a_body_cannot_be_broken() {
        assert_eq!(parsed_with_body("break=cut", false), Scenario::default());
        let delay = Some(Duration::from_millis(5));
        let expected = Scenario { delay, ..Scenario::default() };
        assert_eq!(parsed_with_body("break=cut, delay=5", false), expected);
        assert!(parsed_with_body("code=500", false).failure.is_some());
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
