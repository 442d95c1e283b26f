//! Decides whether and when a request is sent again.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, SystemTime};

use crate::exchange::{ErrorKind, ExchangeFailure, WholeResponse};

/// The first wait without `Retry-After`. It doubles with each retry.
const BACK_OFF: Duration = Duration::from_millis(500);

/// The maximum jitter after `Retry-After`, which spreads the clients that received the same value.
const RETRY_AFTER_JITTER: Duration = Duration::from_millis(500);

/// The attempts of a call, and its remaining retries and waiting time.
pub(crate) struct Retries {
    pub(crate) attempts: u32,
    left: u32,
    wait_left: Duration,
}

impl Retries {
    pub(crate) fn new(retries: u32, max_wait: Duration) -> Self {
        Self { attempts: 1, left: retries, wait_left: max_wait }
    }

    /// Returns how long to wait before the next attempt, if it may help and is allowed. `random`, from 0 to 1,
    /// prevents clients that failed together from retrying together.
    pub(crate) fn next_wait(
        &mut self,
        outcome: &Result<WholeResponse, ExchangeFailure>,
        random: f64,
    ) -> Option<Duration> {
        let half = BACK_OFF.saturating_mul(2_u32.saturating_pow(self.attempts - 1)) / 2;
        let (least, jitter) = match outcome {
            Ok(response) if matches!(response.status.as_u16(), 429 | 500 | 502 | 503 | 504) => {
                retry_after(response).map_or((half, half), |wait| (wait, RETRY_AFTER_JITTER))
            }
            // The first time, the server was probably restarted.
            Err(failure) if failure.kind == ErrorKind::Interrupted => match self.attempts {
                1 => (Duration::ZERO, Duration::ZERO),
                _ => (half, half),
            },
            _ => return None,
        };
        self.left = self.left.checked_sub(1)?;
        if least > self.wait_left {
            return None;
        }
        let wait = least.saturating_add(jitter.mul_f64(random)).min(self.wait_left);
        self.wait_left -= wait;
        self.attempts += 1;
        Some(wait)
    }
}

/// Returns a random number from 0 to 1.
pub(crate) fn random() -> f64 {
    RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64
}

/// Parses `Retry-After`: seconds or a date.
fn retry_after(response: &WholeResponse) -> Option<Duration> {
    let text = response.header("retry-after")?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(text.parse().map_or(Duration::MAX, Duration::from_secs));
    }
    let then = httpdate::parse_http_date(text).ok()?;
    // Relative to the server's own clock, which may be wrong or stopped.
    let date = response.header("date").and_then(|date| httpdate::parse_http_date(date).ok());
    let now = date.unwrap_or_else(SystemTime::now);
    Some(then.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use reqwest::StatusCode;
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    type Outcome = Result<WholeResponse, ExchangeFailure>;

    fn response(status: u16, headers: &[(&'static str, &'static str)]) -> Outcome {
        let header = |&(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        let status = StatusCode::from_u16(status).unwrap();
        let headers = headers.iter().map(header).collect();
        Ok(WholeResponse { status, headers, body: Vec::new() })
    }

    fn wait_ms(status: u16, headers: &[(&'static str, &'static str)], random: f64) -> Option<u128> {
        let mut retries = Retries::new(1, Duration::from_secs(30));
        retries.next_wait(&response(status, headers), random).map(|wait| wait.as_millis())
    }

    #[test]
    fn retry_after_is_a_minimum_wait_in_seconds_or_a_date_and_other_values_are_ignored() {
        let date = ("date", "Sun, 15 Nov 2026 12:00:00 GMT");
        let later = ("retry-after", "Sun, 15 Nov 2026 12:00:09 GMT");
        let past = ("retry-after", "Sun, 15 Nov 2026 11:00:00 GMT");
        for status in [429, 500, 502, 503, 504] {
            for (random, jitter) in [(0.0, 0), (0.5, 250), (1.0, 500)] {
                let wait_ms = |headers: &[_]| wait_ms(status, headers, random);
                assert_eq!(wait_ms(&[("retry-after", "7")]), Some(7_000 + jitter));
                assert_eq!(wait_ms(&[("retry-after", "0")]), Some(jitter));
                assert_eq!(wait_ms(&[date, later]), Some(9_000 + jitter), "the server's clock");
                assert_eq!(wait_ms(&[date, past]), Some(jitter));
                for unclear in ["", "soon", "-1", "1.5", "+1"] {
                    let wait = wait_ms(&[("retry-after", unclear)]);
                    assert_eq!(wait, Some(250 + jitter / 2), "{unclear}");
                }
                assert_eq!(wait_ms(&[]), Some(250 + jitter / 2));
            }
        }
    }

    #[test]
    fn a_wait_beyond_the_limit_is_refused_and_jitter_stays_within_it() {
        for random in [0.0, 1.0] {
            assert_eq!(wait_ms(429, &[("retry-after", "30")], random), Some(30_000));
            for beyond in ["31", "99999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"] {
                assert_eq!(wait_ms(429, &[("retry-after", beyond)], random), None, "{beyond}");
            }
        }
    }

    #[test]
    fn other_statuses_are_final() {
        for status in [200, 304, 400, 404, 405, 501] {
            assert_eq!(wait_ms(status, &[("retry-after", "1")], 0.0), None, "{status}");
        }
    }

    #[test]
    fn waits_double_with_jitter_and_are_limited_in_number_and_in_total() {
        let busy = response(503, &[]);
        let waits = |retries: u32, seconds: u64, random: f64| {
            let mut retries = Retries::new(retries, Duration::from_secs(seconds));
            let waits = std::iter::from_fn(|| retries.next_wait(&busy, random));
            waits.map(|wait| wait.as_millis()).collect::<Vec<_>>()
        };
        assert_eq!(waits(0, 30, 0.0), []);
        assert_eq!(waits(3, 30, 0.0), [250, 500, 1_000]);
        assert_eq!(waits(3, 30, 0.5), [375, 750, 1_500]);
        assert_eq!(waits(3, 30, 1.0), [500, 1_000, 2_000]);
        let all = [500, 1_000, 2_000, 4_000];
        assert_eq!(waits(40, 8, 1.0), all, "half of 8 s is more than the remaining 0.5 s");
    }

    #[test]
    fn a_lost_connection_is_retried_immediately_and_then_with_waits() {
        let mut retries = Retries::new(3, Duration::from_secs(30));
        let lost = Err(ExchangeFailure { kind: ErrorKind::Interrupted, cause: String::new() });
        let waits: [_; 4] = std::array::from_fn(|_| retries.next_wait(&lost, 1.0));
        let ms = |wait: u64| Some(Duration::from_millis(wait));
        assert_eq!(waits, [ms(0), ms(1_000), ms(2_000), None]);
        assert_eq!(retries.attempts, 4);
    }

    #[test]
    fn random_numbers_are_from_0_to_1_and_differ() {
        let numbers: Vec<f64> = (0..100).map(|_| random()).collect();
        assert!(numbers.iter().all(|number| (0.0..=1.0).contains(number)));
        assert!(numbers.iter().any(|number| *number < 0.5) && numbers.iter().any(|n| *n > 0.5));
    }
}
