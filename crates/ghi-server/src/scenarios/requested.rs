//! The scenario that a request selects with `Prefer`.

use std::time::Duration;

use hyper::HeaderMap;

use crate::http::prefer::preference;
use crate::scenarios::scenario::{Failure, Origin, Scenario};

/// The longest delay, in milliseconds.
const DELAY_MAX_MILLIS: u64 = 10_000;

/// Returns the scenario that `Prefer` selects, if any. Unknown and malformed preferences are ignored, as
/// RFC 7240 requires; so is `break` if the response has no body.
pub(crate) fn requested_scenario(headers: &HeaderMap, has_body: bool) -> Option<Scenario> {
    let failure = |name: &str| {
        let selected = format!("{name}={}", preference(headers, name)?);
        Failure::ALL.into_iter().find(|failure| failure.preference() == selected)
    };
    let failure = failure("code").or_else(|| failure("break").filter(|_| has_body));
    // An error doesn't depend on the day.
    let at = preference(headers, "at").filter(|_| !matches!(failure, Some(Failure::Code(_))));
    let scenario = Scenario {
        origin: Origin::Request,
        failure,
        at: at.and_then(|at| at.parse().ok()),
        delay: preference(headers, "delay").and_then(|millis| delay(&millis)),
    };
    let has_effect =
        scenario.failure.is_some() || scenario.at.is_some() || scenario.delay.is_some();
    has_effect.then_some(scenario)
}

/// Parses milliseconds in plain digits.
fn delay(text: &str) -> Option<Duration> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let millis = text.parse().ok().filter(|millis| is_plain && *millis <= DELAY_MAX_MILLIS)?;
    Some(Duration::from_millis(millis))
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use crate::http::prefer::PREFER;
    use crate::http::problem::Code;

    use super::*;

    fn parsed(prefer: &str) -> Option<Scenario> {
        parsed_with_body(prefer, true)
    }

    fn parsed_with_body(prefer: &str, has_body: bool) -> Option<Scenario> {
        let headers = HeaderMap::from_iter([(PREFER, HeaderValue::from_str(prefer).unwrap())]);
        requested_scenario(&headers, has_body)
    }

    /// A scenario without failure, time and delay.
    const PLAIN: Scenario =
        Scenario { origin: Origin::Request, failure: None, at: None, delay: None };

    #[test]
    fn each_scenario_is_selected_by_its_name() {
        for (status, code) in [
            (400, Code::InvalidParameter),
            (404, Code::UnknownRegion),
            (429, Code::RateLimited),
            (500, Code::Internal),
            (503, Code::NoFigures),
        ] {
            let failure = Some(Failure::Code(code));
            assert_eq!(parsed(&format!("code={status}")), Some(Scenario { failure, ..PLAIN }));
        }
        for (name, failure) in
            [("truncate", Failure::Truncate), ("json", Failure::NotJson), ("cut", Failure::Cut)]
        {
            let failure = Some(failure);
            assert_eq!(parsed(&format!("break={name}")), Some(Scenario { failure, ..PLAIN }));
        }
        let at = Some("2028-02-29T12:00:00Z".parse().unwrap());
        for text in ["at=2028-02-29T12:00:00Z", "AT=\"2028-02-29T12:00:00Z\";x=y"] {
            assert_eq!(parsed(text), Some(Scenario { at, ..PLAIN }), "{text}");
        }
        for millis in [0, 10_000] {
            let delay = Some(Duration::from_millis(millis));
            assert_eq!(parsed(&format!("delay={millis}")), Some(Scenario { delay, ..PLAIN }));
        }
    }

    #[test]
    fn unknown_malformed_and_out_of_range_preferences_are_ignored() {
        for text in [
            "",
            "code",
            "code=",
            "code=200",
            "code=418",
            "code=0500",
            "code=500x",
            "codes=500",
            "break=everything",
            "break=Cut",
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
            "at=2026-11-15",
            "return=minimal",
            "wait=5, respond-async",
            "x=\"code=500\"",
            "code=\"500",
            "code=500\"",
            "code=\"\"500\"\"",
            "at=\"2028-02-29T12:00:00Z",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn a_response_without_a_body_cannot_be_broken() {
        assert_eq!(parsed_with_body("break=cut", false), None);
        let delay = Some(Duration::from_millis(5));
        assert_eq!(
            parsed_with_body("break=cut, delay=5", false),
            Some(Scenario { delay, ..PLAIN })
        );
        assert!(parsed_with_body("code=500", false).is_some());
    }

    #[test]
    fn delay_combines_with_everything_and_code_takes_precedence() {
        let all = parsed("delay=5, at=2028-02-29T12:00:00Z, break=cut, code=503").unwrap();
        let failure = Some(Failure::Code(Code::NoFigures));
        let delay = Some(Duration::from_millis(5));
        assert_eq!(all, Scenario { failure, delay, ..PLAIN }, "an error doesn't depend on the day");
        let broken = parsed("delay=5, at=2028-02-29T12:00:00Z, break=cut, code=200").unwrap();
        let at = Some("2028-02-29T12:00:00Z".parse().unwrap());
        let failure = Some(Failure::Cut);
        assert_eq!(broken, Scenario { failure, at, delay, ..PLAIN });
        let first = parsed("code=404, code=500").unwrap();
        assert_eq!(first.failure, Some(Failure::Code(Code::UnknownRegion)));
    }
}
