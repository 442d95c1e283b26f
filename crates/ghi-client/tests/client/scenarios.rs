//! The scenarios and the chaos of a sandbox.

use std::time::{Duration, Instant};

use ghi_client::{Error, ErrorKind, Settings};
use ghi_server::Config;

use crate::support::{client, client_with, preferring, resources, sandbox, start};

/// Returns the result of a call with a preference.
async fn provoked(base_url: &str, preference: &str) -> Result<ghi_contract::Network, Error> {
    client_with(base_url, preferring(preference)).network().await
}

#[tokio::test]
async fn each_problem_has_a_status_code_and_detail() {
    let sandbox = sandbox();
    for (status, code) in [
        (400, "invalid_parameter"),
        (404, "unknown_region"),
        (429, "rate_limited"),
        (500, "internal"),
        (503, "no_figures"),
    ] {
        let error = provoked(sandbox.url(), &format!("code={status}")).await.unwrap_err();
        assert_eq!((error.kind, error.status), (ErrorKind::Problem, Some(status)));
        assert_eq!(error.code.as_deref(), Some(code));
        let detail = error.detail.as_deref().unwrap();
        assert!(error.to_string().ends_with(detail), "{error}");
    }
}

#[tokio::test]
async fn a_delayed_response_arrives_unless_the_timeout_is_shorter() {
    let sandbox = sandbox();
    let expected = client(sandbox.url()).network().await.unwrap();
    assert_eq!(provoked(sandbox.url(), "delay=100").await.unwrap(), expected);

    let timeout = Duration::from_millis(300);
    let impatient = client_with(sandbox.url(), Settings { timeout, ..preferring("delay=10000") });
    let start = Instant::now();
    let error = impatient.network().await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Timeout);
    assert!(start.elapsed() >= timeout && start.elapsed() < 10 * timeout);
}

#[tokio::test]
async fn a_broken_response_is_an_error() {
    let sandbox = sandbox();
    for (preference, kind) in [
        ("break=truncate", ErrorKind::Interrupted),
        ("break=cut", ErrorKind::Interrupted),
        ("break=json", ErrorKind::NotTheDocument),
    ] {
        let error = provoked(sandbox.url(), preference).await.unwrap_err();
        assert_eq!(error.kind, kind, "{preference}: {error}");
    }
}

#[tokio::test]
async fn a_custom_preference_is_combined_with_the_reduced_form() {
    let sandbox = sandbox();
    let client = client_with(sandbox.url(), preferring("at=2028-02-29T12:00:00Z"));
    let snapshot = client.reduced_snapshot().await.unwrap();
    assert_eq!(snapshot.regions, None);
    assert!(snapshot.timestamp_utc.starts_with("2028-02-29T12:"), "{}", snapshot.timestamp_utc);
}

#[tokio::test(flavor = "multi_thread")]
async fn with_chaos_each_call_returns_the_document_or_an_error_in_time() {
    const CALLS: usize = 400;
    let calm = sandbox();
    let mut expected = Vec::new();
    for resource in resources() {
        expected.push(client(calm.url()).text(&resource).await.unwrap());
    }

    let sandbox = start(Config { chaos_percent: 30, ..Config::default() });
    let timeout = Duration::from_secs(10);
    let max_wait = Duration::from_secs(3);
    let settings = Settings { timeout, retries: 2, max_wait, ..Settings::default() };
    let client = client_with(sandbox.url(), settings);
    let calls: Vec<_> = (0..CALLS)
        .map(|call| {
            let client = client.clone();
            let resource = resources()[call % 8].clone();
            tokio::spawn(async move {
                let start = Instant::now();
                (client.text(&resource).await, start.elapsed())
            })
        })
        .collect();
    let mut documents = 0;
    for (call, outcome) in calls.into_iter().enumerate() {
        let (outcome, elapsed) = outcome.await.unwrap();
        assert!(elapsed < 3 * timeout + max_wait, "{elapsed:?}");
        match outcome {
            Ok(text) => {
                assert_eq!(text, expected[call % 8]);
                documents += 1;
            }
            Err(error) => {
                let is_expected = match error.kind {
                    ErrorKind::Problem => matches!(error.status, Some(429 | 500 | 503)),
                    kind => kind == ErrorKind::Interrupted,
                };
                assert!(is_expected, "{error}");
                assert!(error.to_string().ends_with("; tried 3 times"), "{error}");
            }
        }
    }
    // On average, 27 of a thousand calls fail three times in a row.
    assert!(documents > CALLS * 90 / 100, "{documents}");
    assert!(documents < CALLS, "nothing failed");
}
