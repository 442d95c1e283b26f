//! Whether a request is sent again, and when.

use std::time::{Duration, SystemTime};

use crate::exchange::Answer;

/// How long to wait where the server does not say. It doubles with each retry.
const DEFAULT_WAIT: Duration = Duration::from_millis(500);

/// What is left to a call of retries, and of time to wait for them.
#[derive(Clone, Debug)]
pub(crate) struct Retries {
    /// How many attempts may follow the first.
    left: u32,
    /// How long all waits may take together.
    wait_left: Duration,
    /// How many attempts have followed the first.
    made: u32,
}

impl Retries {
    /// The waits of a call that may send its request so many times again.
    pub(crate) fn new(retries: u32, max_wait: Duration) -> Self {
        Self { left: retries, wait_left: max_wait, made: 0 }
    }

    /// How many attempts there were.
    pub(crate) fn attempts(&self) -> u32 {
        self.made + 1
    }

    /// How long to wait before the next attempt after an answer, if there may be one: the server, or
    /// a proxy before it, is busy or failed, and says when it may be asked again, or does not say.
    pub(crate) fn after_answer(&mut self, answer: &Answer) -> Option<Duration> {
        let may_pass = matches!(answer.status.as_u16(), 429 | 500 | 502 | 503 | 504);
        let wait = || retry_after(answer).unwrap_or_else(|| self.default_wait());
        may_pass.then(wait).and_then(|wait| self.take(wait))
    }

    /// The same after a connection that broke. The first time, that is most likely a server that was
    /// restarted: it is asked again at once.
    pub(crate) fn after_interruption(&mut self) -> Option<Duration> {
        let wait = if self.made == 0 { Duration::ZERO } else { self.default_wait() };
        self.take(wait)
    }

    fn default_wait(&self) -> Duration {
        DEFAULT_WAIT.saturating_mul(2_u32.saturating_pow(self.made))
    }

    fn take(&mut self, wait: Duration) -> Option<Duration> {
        self.left = self.left.checked_sub(1)?;
        self.wait_left = self.wait_left.checked_sub(wait)?;
        self.made += 1;
        Some(wait)
    }
}

/// What `Retry-After` says: seconds or a date.
fn retry_after(answer: &Answer) -> Option<Duration> {
    let text = answer.header("retry-after")?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(text.parse().map_or(Duration::MAX, Duration::from_secs));
    }
    let then = httpdate::parse_http_date(text).ok()?;
    // By the server's own clock: it may be wrong, or stand still.
    let date = answer.header("date").and_then(|date| httpdate::parse_http_date(date).ok());
    let now = date.unwrap_or_else(SystemTime::now);
    Some(then.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use reqwest::StatusCode;
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn answer(status: u16, headers: &[(&'static str, &'static str)]) -> Answer {
        let header = |&(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        let status = StatusCode::from_u16(status).unwrap();
        Answer { status, headers: headers.iter().map(header).collect(), body: Vec::new() }
    }

    fn wait_ms(status: u16, headers: &[(&'static str, &'static str)]) -> Option<u128> {
        let mut retries = Retries::new(1, Duration::from_secs(30));
        retries.after_answer(&answer(status, headers)).map(|wait| wait.as_millis())
    }

    #[test]
    fn seconds_and_dates_are_understood_and_anything_else_is_as_if_nothing_were_said() {
        let date = ("date", "Sun, 15 Nov 2026 12:00:00 GMT");
        for status in [429, 500, 502, 503, 504] {
            assert_eq!(wait_ms(status, &[("retry-after", "7")]), Some(7_000));
            assert_eq!(wait_ms(status, &[("retry-after", "0")]), Some(0));
            let later = ("retry-after", "Sun, 15 Nov 2026 12:00:09 GMT");
            assert_eq!(wait_ms(status, &[date, later]), Some(9_000), "by the server's clock");
            let past = ("retry-after", "Sun, 15 Nov 2026 11:00:00 GMT");
            assert_eq!(wait_ms(status, &[date, past]), Some(0));
            for unclear in ["", "soon", "-1", "1.5", "+1"] {
                assert_eq!(wait_ms(status, &[("retry-after", unclear)]), Some(500), "{unclear}");
            }
            assert_eq!(wait_ms(status, &[]), Some(500));
        }
    }

    #[test]
    fn a_wait_beyond_the_bound_is_none() {
        assert_eq!(wait_ms(429, &[("retry-after", "30")]), Some(30_000));
        for beyond in ["31", "99999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"] {
            assert_eq!(wait_ms(429, &[("retry-after", beyond)]), None, "{beyond}");
        }
    }

    #[test]
    fn other_answers_are_final() {
        for status in [200, 304, 400, 404, 405, 501] {
            assert_eq!(wait_ms(status, &[("retry-after", "1")]), None, "{status}");
        }
    }

    #[test]
    fn waits_double_and_are_bounded_in_number_and_in_sum() {
        let busy = answer(503, &[]);
        let waits = |retries: u32, seconds: u64| {
            let mut retries = Retries::new(retries, Duration::from_secs(seconds));
            let waits = std::iter::from_fn(|| retries.after_answer(&busy));
            waits.map(|wait| wait.as_millis()).collect::<Vec<_>>()
        };
        assert_eq!(waits(0, 30), []);
        assert_eq!(waits(3, 30), [500, 1_000, 2_000]);
        assert_eq!(waits(40, 8), [500, 1_000, 2_000, 4_000], "8 s are not enough for 8 s more");
    }

    #[test]
    fn a_connection_that_breaks_is_tried_again_at_once_and_then_with_waits() {
        let mut retries = Retries::new(3, Duration::from_secs(30));
        let waits: [_; 4] = std::array::from_fn(|_| retries.after_interruption());
        let ms = |wait: u64| Some(Duration::from_millis(wait));
        assert_eq!(waits, [ms(0), ms(1_000), ms(2_000), None]);
        assert_eq!(retries.attempts(), 4);
    }
}
