//! The scenario that preferences select: those of a request, or those of `--fail`.

use std::borrow::Cow;
use std::time::Duration;

use ghi_contract::paths;
use hyper::HeaderMap;

use crate::clock::Moment;
use crate::http::prefer::{Preference, preferences};
use crate::http::problem::Code;
use crate::scenarios::altered::has_costs;
use crate::scenarios::scenario::{FAILURES, FIGURES, Failure, Figures, Origin, Scenario};

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

/// Returns the scenario that preferences select on a route, and why the first one without effect has none. Without
/// `handling=strict` these are ignored, as RFC 7240 requires.
pub(crate) fn select(
    headers: &HeaderMap,
    route: &str,
    is_head: bool,
    origin: Origin,
) -> (Scenario, Option<String>) {
    let mut given = Given::read(headers, route);
    given.require("break", !is_head, "break has no effect on a HEAD request");
    given.require("break", !given.has("code"), "break has no effect with code");
    let failure = ["code", "break"].into_iter().find_map(|name| failure(name, given.get(name)?));

    let has_document = !matches!(
        failure,
        Some(Failure::Code(_) | Failure::ProxyError(_) | Failure::NotJson | Failure::Reset)
    );
    for name in ["figures", "at", "return"] {
        let reason = format!("{name} has no effect with code, break=json or break=reset");
        given.require(name, has_document, &reason);
    }
    given.require("figures", !is_head, "figures has no effect on a HEAD request");
    let reason = format!("return has an effect only on {}", paths::SNAPSHOT);
    given.require("return", route == paths::SNAPSHOT, &reason);

    let can_wait = matches!(failure, Some(Failure::Code(Code::RateLimited | Code::NoFigures)));
    let reason = "retry-after has no effect without code=429 or code=503";
    given.require("retry-after", can_wait, reason);
    // The requests of `--fail` have no key.
    let has_key = given.has("key") || origin == Origin::Flag;
    given.require("times", has_key, "times has no effect without key");
    let can_end = failure.is_some() || given.has("figures") || given.has("delay");
    given.require("times", can_end, "times has no effect without code, break, figures or delay");
    given.require("key", given.has("times"), "key has no effect without times");

    let text = |name| given.get(name).map(String::from);
    let scenario = Scenario {
        origin,
        failure,
        retry_after: text("retry-after"),
        figures: given.get("figures").and_then(figures),
        at: given.get("at").and_then(at),
        delay: given.get("delay").and_then(delay),
        times: given.get("times").and_then(times),
        key: text("key"),
        is_strict: given.get("handling") == Some("strict"),
    };
    (scenario, given.ignored)
}

/// The preferences that have an effect, as far as is known.
#[derive(Default)]
struct Given<'a> {
    values: Vec<(&'static str, Cow<'a, str>)>,
    /// Why the first preference without effect has none, if there is one.
    ignored: Option<String>,
}

impl<'a> Given<'a> {
    /// Reads the preferences with known names and valid values. The first one with a name counts.
    fn read(headers: &'a HeaderMap, route: &str) -> Self {
        let (mut given, mut seen) = (Self::default(), Vec::new());
        for Preference { name, value, has_parameters } in preferences(headers) {
            let known = |(known, _): &(&str, &str)| known.eq_ignore_ascii_case(name);
            let Some((name, values)) = PREFERENCES.into_iter().find(known) else {
                let is_empty = name.is_empty() && value.is_empty() && !has_parameters;
                if !is_empty {
                    let known = PREFERENCES.map(|(name, _)| name).join(", ");
                    given.ignore(format!("a preference is unknown; expected one of {known}"));
                }
                continue;
            };
            if seen.contains(&name) {
                given.ignore(format!("{name} is repeated"));
                continue;
            }
            seen.push(name);
            if has_parameters {
                given.ignore(format!(
                    "{name} has a parameter, which has no effect; separate preferences with commas"
                ));
            }
            match is_valid(name, &value, route) {
                true => given.values.push((name, value)),
                false => given.ignore(format!("{name} must be {values}")),
            }
        }
        given
    }

    fn ignore(&mut self, reason: String) {
        self.ignored.get_or_insert(reason);
    }

    /// Ignores a preference for a reason, unless a condition is met.
    fn require(&mut self, name: &str, condition: bool, reason: &str) {
        if !condition && self.has(name) {
            self.values.retain(|(other, _)| *other != name);
            self.ignore(reason.into());
        }
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(given, _)| *given == name).map(|(_, value)| &**value)
    }
}

fn is_valid(name: &str, value: &str, route: &str) -> bool {
    match name {
        "code" | "break" => match failure(name, value) {
            Some(Failure::Altered(alteration)) => alteration.is_possible_on(route),
            failure => failure.is_some(),
        },
        "figures" => figures(value).is_some() && has_costs(route),
        "retry-after" => matches!(value, "date" | "none") || number(value, 86_400).is_some(),
        "delay" => delay(value).is_some(),
        "at" => at(value).is_some(),
        "times" => times(value).is_some(),
        "key" => is_key(value),
        "return" => matches!(value, "minimal" | "representation"),
        _ => matches!(value, "strict" | "lenient"),
    }
}

/// Returns every preference of the sandbox, with its value if there is a list of values.
#[cfg(feature = "internals")]
pub fn preference_values() -> impl Iterator<Item = String> {
    let figures = FIGURES.map(|(preference, _)| preference);
    let listed = FAILURES.map(|(preference, _)| preference).into_iter().chain(figures);
    let names = PREFERENCES.map(|(name, _)| format!("{name}="));
    names.into_iter().chain(listed.map(String::from))
}

fn failure(name: &str, value: &str) -> Option<Failure> {
    let selected = format!("{name}={value}");
    FAILURES.into_iter().find(|(preference, _)| *preference == selected).map(|(_, failure)| failure)
}

fn figures(name: &str) -> Option<Figures> {
    let selected = format!("figures={name}");
    FIGURES.into_iter().find(|(preference, _)| *preference == selected)
}

/// Parses a time; a date means 00:00 UTC on that day.
fn at(text: &str) -> Option<Moment> {
    text.parse().or_else(|_| format!("{text}T00:00:00Z").parse()).ok()
}

fn delay(text: &str) -> Option<Duration> {
    number(text, 10_000).map(Duration::from_millis)
}

fn times(text: &str) -> Option<u8> {
    number(text, 100).filter(|times| *times > 0).map(|times| times as u8)
}

/// Returns whether a string is a valid key. `Preference-Applied` repeats the key.
fn is_key(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (1..=64).contains(&text.len()) && text.bytes().all(is_allowed)
}

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
        select(&headers(prefer), route, is_head, Origin::Request)
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
        let long = "k".repeat(64);
        for (times, key) in [(1, "a"), (100, "Az_09-"), (2, &long)] {
            let scenario = parsed(&format!("break=cut, times={times}, key={key}"));
            assert_eq!((scenario.times, scenario.key.as_deref()), (Some(times), Some(key)));
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
            &format!("times=2, key={}", "k".repeat(65)),
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
