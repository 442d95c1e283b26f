//! The scenario that preferences select: those of a request, or those of `--fail`.

use ghi_contract::paths;
use hyper::HeaderMap;

use crate::clock::Moment;
use crate::http::prefer::{Preference, preferences};
use crate::scenarios::altered::has_costs;
use crate::scenarios::scenario::{FAILURES, FIGURES, Failure, Origin, PREFERENCES, Scenario, find};

impl Scenario {
    /// Returns the scenario that preferences select on a route. Those without effect are ignored, as RFC 7240 requires,
    /// unless `handling=strict` makes them an error.
    pub(super) fn select(headers: &HeaderMap, route: &str, is_head: bool, origin: Origin) -> Self {
        let mut selected = Self { origin, ..Self::default() };
        selected.read(headers, route);
        let is_flag = origin == Origin::Flag;
        for name in ["key", "return", "handling"] {
            selected.require(name, !is_flag, "in --fail");
        }
        selected.require("break", !is_head, "on a HEAD request");
        selected.require("break", selected.get("code").is_none(), "with code");
        let has_document = !matches!(
            selected.failure(),
            Some(Failure::Code(_) | Failure::ProxyError(_) | Failure::NotJson | Failure::Reset)
        );
        for name in ["figures", "at", "return"] {
            selected.require(name, has_document, "with code, break=json or break=reset");
        }
        selected.require("figures", !is_head, "on a HEAD request");
        let is_snapshot = route == paths::SNAPSHOT;
        selected.require("return", is_snapshot, "except on /v1/ghi/snapshot");
        let can_wait = matches!(selected.get("code"), Some("429" | "503"));
        selected.require("retry-after", can_wait, "without code=429 or code=503");
        // Flags count all requests for a path.
        selected.require("times", selected.get("key").is_some() || is_flag, "without key");
        let can_end =
            ["code", "break", "figures", "delay"].map(|name| selected.get(name).is_some());
        selected.require("times", can_end.contains(&true), "without code, break, figures or delay");
        selected.require("key", selected.get("times").is_some(), "without times");
        selected.values.retain(|(name, value)| *name != "return" && value != "lenient");
        selected
    }

    /// Reads the preferences with known names and valid values. The first one with a name counts.
    fn read(&mut self, headers: &HeaderMap, route: &str) {
        let given: Vec<Preference<'_>> = preferences(headers).collect();
        let is_known =
            |name: &str| PREFERENCES.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        if !given.iter().all(|preference| is_known(preference.name)) {
            let known = PREFERENCES.map(|(name, _)| name).join(", ");
            self.ignore(format!("a preference is unknown; expected one of {known}"));
        }
        for (name, accepted) in PREFERENCES {
            let mut given = given.iter().filter(|given| given.name.eq_ignore_ascii_case(name));
            let Some(Preference { value, has_parameters, .. }) = given.next() else { continue };
            if given.next().is_some() {
                self.ignore(format!("{name} is repeated"));
            }
            if *has_parameters {
                self.ignore(format!(
                    "{name} has a parameter, which has no effect; separate preferences with commas"
                ));
            }
            match valid(name, value, route) {
                Some(value) => self.values.push((name, value)),
                None => self.ignore(format!("{name} must be {accepted}")),
            }
        }
    }

    fn ignore(&mut self, reason: String) {
        self.ignored.get_or_insert(reason);
    }

    /// Ignores a preference unless a condition is met.
    fn require(&mut self, name: &str, condition: bool, otherwise: &str) {
        if !condition && self.get(name).is_some() {
            self.values.retain(|(other, _)| *other != name);
            self.ignore(format!("{name} has no effect {otherwise}"));
        }
    }

    /// Returns the moment that it requests.
    pub(super) fn at(&self) -> Option<Moment> {
        moment(self.get("at")?.trim_matches('"'))
    }
}

/// Returns a value as `Preference-Applied` repeats it, if it is valid on a route.
fn valid(name: &str, value: &str, route: &str) -> Option<String> {
    let is_valid = match name {
        "code" | "break" => match find(&FAILURES, name, value) {
            Some(Failure::Altered(alteration)) => alteration.is_possible_on(route),
            failure => failure.is_some(),
        },
        "figures" => find(&FIGURES, name, value).is_some() && has_costs(route),
        "retry-after" => matches!(value, "date" | "none") || is_number(value, 0, 86_400),
        "delay" => is_number(value, 0, 10_000),
        "at" => {
            let moment = moment(value)?.to_string().replace(".000000Z", "Z");
            return Some(format!("\"{moment}\""));
        }
        "times" => is_number(value, 1, 100),
        "key" => {
            let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
            (1..=64).contains(&value.len()) && value.bytes().all(is_allowed)
        }
        "return" => matches!(value, "minimal" | "representation"),
        _ => matches!(value, "strict" | "lenient"),
    };
    is_valid.then(|| value.into())
}

/// Parses a time; a date means 00:00 UTC on that day.
fn moment(text: &str) -> Option<Moment> {
    text.parse().or_else(|_| format!("{text}T00:00:00Z").parse()).ok()
}

fn is_number(text: &str, min: u64, max: u64) -> bool {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain && text.parse().is_ok_and(|number| (min..=max).contains(&number))
}

/// Returns every preference of the sandbox, with its value if there is a list of values.
#[cfg(feature = "internals")]
pub fn preference_values() -> impl Iterator<Item = String> {
    let figures = FIGURES.map(|(preference, _)| preference);
    let listed = FAILURES.map(|(preference, _)| preference).into_iter().chain(figures);
    let names = PREFERENCES.map(|(name, _)| format!("{name}="));
    names.into_iter().chain(listed.map(String::from))
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;
    use crate::http::prefer::PREFER;

    fn selected(prefer: &str, route: &str, is_head: bool) -> Scenario {
        let headers = HeaderMap::from_iter([(PREFER, HeaderValue::from_str(prefer).unwrap())]);
        Scenario::select(&headers, route, is_head, Origin::Request)
    }

    /// Returns the preferences that have an effect, as a list.
    fn listed(scenario: &Scenario) -> String {
        let values = scenario.values.iter();
        values.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
    }

    fn parsed(prefer: &str) -> String {
        listed(&selected(prefer, paths::HISTORY, false))
    }

    fn is_ignored(prefer: &str, route: &str) -> bool {
        selected(prefer, route, false).ignored.is_some()
    }

    #[test]
    fn each_scenario_is_selected_by_its_name() {
        for (preference, failure) in FAILURES {
            assert_eq!(parsed(preference), preference);
            assert_eq!(selected(preference, paths::HISTORY, false).failure(), Some(failure));
        }
        for (preference, _) in FIGURES {
            assert_eq!(parsed(preference), preference);
        }
        let at = Some("2028-02-29T12:00:00Z".parse().unwrap());
        for text in ["at=2028-02-29T12:00:00Z", "AT=\"2028-02-29T12:00:00Z\";x=y"] {
            assert_eq!(parsed(text), "at=\"2028-02-29T12:00:00Z\"", "{text}");
            assert_eq!(selected(text, paths::HISTORY, false).at(), at);
        }
        assert_eq!(parsed("at=2026-02-16"), "at=\"2026-02-16T00:00:00Z\"");
        let long = format!("break=cut, times=2, key={}", "k".repeat(64));
        for text in [
            "delay=0",
            "delay=10000",
            "code=429, retry-after=0",
            "code=503, retry-after=86400",
            "code=503, retry-after=date",
            "code=503, retry-after=none",
            "break=cut, times=1, key=a",
            "break=cut, times=100, key=Az_09-",
            &long,
            "handling=strict",
        ] {
            assert_eq!(parsed(text), text);
        }
        assert_eq!(parsed("handling=lenient"), "");
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
            assert_eq!(parsed(text), "", "{text}");
            assert!(is_ignored(text, paths::HISTORY), "{text}");
        }
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
            assert_eq!(parsed(&text), "code=429", "{text}");
            assert!(is_ignored(&text, paths::HISTORY), "{text}");
        }
        assert_eq!(parsed("code=500, retry-after=5"), "code=500");
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
            let scenario = selected(preference, route, false);
            assert_eq!(scenario.has_effect(), scenario.ignored.is_none());
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
        let head = |prefer: &str| listed(&selected(prefer, paths::HISTORY, true));
        assert_eq!(head("break=cut, figures=spike, times=2, key=a"), "");
        assert_eq!(head("break=cut, delay=5"), "delay=5");
        assert_eq!(head("code=500"), "code=500");
    }

    #[test]
    fn delay_combines_with_everything_and_code_takes_precedence() {
        let others = "figures=spike, at=\"2028-02-29T12:00:00Z\", delay=5";
        let all = format!("break=cut, {others}");
        let error = parsed(&format!("{all}, code=503"));
        assert_eq!(error, "code=503, delay=5", "it depends neither on the day nor on the data");
        assert_eq!(parsed(&format!("{others}, break=cut, code=200")), all);
        assert_eq!(parsed("code=404, code=500"), "code=404");
    }
}
