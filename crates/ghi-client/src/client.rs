//! The client, with one method per document, its builder, its cache and its retries.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use ghi_contract::{
    Forecast, ForecastDays, History, Indicator, Metadata, Network, RegionDetail, Regions, Snapshot,
};
use reqwest::StatusCode;
use reqwest::header::{
    ACCEPT, CACHE_CONTROL, ETAG, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH,
};
use serde::de::DeserializeOwned;
use tokio::time::sleep;

use crate::exchange::{
    Error, ErrorKind, ExchangeFailure, WholeResponse, exchange, http_client_builder,
};
use crate::resource::{BaseUrl, InvalidBaseUrl, MAX_DOCUMENT_BYTES, Resource};

/// A client for one server. Clones are cheap and share connections and cache.
///
/// Its methods need a Tokio runtime with I/O and time.
#[derive(Clone, Debug)]
pub struct Client {
    settings: Arc<Builder>,
    http: reqwest::Client,
    cache: Arc<Mutex<Cache>>,
}

/// Sets the limits of a [`Client`], created with [`Client::builder`].
///
/// A call takes at most `timeout` for each of `retries` + 1 attempts, plus `max_wait` in total between them.
#[derive(Clone, Debug)]
#[must_use]
pub struct Builder {
    base_url: BaseUrl,
    timeout: Duration,
    retries: u32,
    max_wait: Duration,
    cache_bytes: usize,
    headers: HeaderMap,
}

impl Builder {
    /// Sets the timeout of one attempt, from connecting to the last byte of the body; 10 s by default. Connecting
    /// may take at most 5 s of it.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Sets the maximum number of retries per call, 3 by default; 0 disables retries.
    pub fn retries(self, retries: u32) -> Self {
        Self { retries, ..self }
    }

    /// Sets the maximum total waiting time between the attempts of a call, 30 s by default. If `Retry-After`
    /// exceeds the remaining time, the call fails immediately.
    pub fn max_wait(self, max_wait: Duration) -> Self {
        Self { max_wait, ..self }
    }

    /// Sets the size limit of the cache in bytes, 16 MiB by default; 0 disables it, so that every call returns a
    /// new `timestamp_utc`.
    pub fn cache_bytes(self, cache_bytes: usize) -> Self {
        Self { cache_bytes, ..self }
    }

    /// Adds a header to every request.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }

    /// Builds the client.
    pub fn build(self) -> Client {
        let http = http_client_builder(&self.base_url).timeout(self.timeout).build();
        let http = http.expect("the settings are fixed");
        let cache = Arc::new(Mutex::new(Cache::new(self.cache_bytes)));
        Client { settings: Arc::new(self), http, cache }
    }
}

impl Client {
    /// Creates a client for the server at this base URL: http or https, with or without a path, with or
    /// without a trailing slash.
    pub fn new(base_url: &str) -> Result<Self, InvalidBaseUrl> {
        Ok(Self::builder(base_url)?.build())
    }

    /// Returns a builder for a client with other limits than the defaults.
    pub fn builder(base_url: &str) -> Result<Builder, InvalidBaseUrl> {
        Ok(Builder {
            base_url: base_url.parse()?,
            timeout: Duration::from_secs(10),
            retries: 3,
            max_wait: Duration::from_secs(30),
            // Two of the largest documents.
            cache_bytes: 16 << 20,
            headers: HeaderMap::new(),
        })
    }

    /// Returns the base URL of the server, without a trailing slash.
    pub fn base_url(&self) -> &str {
        self.settings.base_url.as_str()
    }

    /// Fetches the environment, API versions and endpoints of the service.
    pub async fn metadata(&self) -> Result<Metadata, Error> {
        self.document(&Resource::Metadata).await
    }

    /// Fetches the list of regions.
    pub async fn regions(&self) -> Result<Regions, Error> {
        self.document(&Resource::Regions).await
    }

    /// Fetches one region's costs today and its hashrate share.
    pub async fn region_detail(&self, id: &str) -> Result<RegionDetail, Error> {
        self.document(&Resource::RegionDetail(id.to_owned())).await
    }

    /// Fetches today's costs, worldwide and in every region, in the server's default form.
    pub async fn snapshot(&self) -> Result<Snapshot, Error> {
        self.document(&Resource::Snapshot).await
    }

    /// Fetches the snapshot with `Prefer: return=minimal`. A server may ignore this and send the full form.
    pub async fn reduced_snapshot(&self) -> Result<Snapshot, Error> {
        Ok(self.read(&Resource::Snapshot, Some("return=minimal")).await?.0)
    }

    /// Fetches the daily costs of the last seven days, for a region or [`GLOBAL`](ghi_contract::GLOBAL).
    pub async fn history(&self, region_id: &str) -> Result<History, Error> {
        self.document(&Resource::History(region_id.to_owned())).await
    }

    /// Fetches hashrate, difficulty and mean fee.
    pub async fn network(&self) -> Result<Network, Error> {
        self.document(&Resource::Network).await
    }

    /// Fetches the predicted worldwide average.
    pub async fn forecast(&self, days: ForecastDays) -> Result<Forecast, Error> {
        self.document(&Resource::Forecast(days)).await
    }

    /// Fetches today's worldwide costs from API v1.0. The contract does not define the fields of this
    /// document; they are a decision of this project.
    pub async fn indicator(&self) -> Result<Indicator, Error> {
        self.document(&Resource::Indicator).await
    }

    /// Fetches a document and returns it exactly as received, if it is valid.
    pub async fn text(&self, resource: &Resource) -> Result<String, Error> {
        let text = match resource {
            Resource::Metadata => self.read::<Metadata>(resource, None).await?.1,
            Resource::Regions => self.read::<Regions>(resource, None).await?.1,
            Resource::RegionDetail(_) => self.read::<RegionDetail>(resource, None).await?.1,
            Resource::Snapshot => self.read::<Snapshot>(resource, None).await?.1,
            Resource::History(_) => self.read::<History>(resource, None).await?.1,
            Resource::Network => self.read::<Network>(resource, None).await?.1,
            Resource::Forecast(_) => self.read::<Forecast>(resource, None).await?.1,
            Resource::Indicator => self.read::<Indicator>(resource, None).await?.1,
        };
        Ok(text)
    }

    /// Fetches a file from a path that is not part of the contract, such as `/export/economics.csv?range=30d`, and
    /// returns it as received.
    pub async fn text_at(&self, target: &str) -> Result<String, Error> {
        let url = &format!("{}{target}", self.base_url());
        let headers = &self.settings.headers;
        let (response, attempts) = self.fetch(url, headers, MAX_DOCUMENT_BYTES).await?;
        Ok(body_text(url, attempts, &response)?.to_owned())
    }

    async fn document<T: DeserializeOwned>(&self, resource: &Resource) -> Result<T, Error> {
        Ok(self.read(resource, None).await?.0)
    }

    /// Fetches a document of limited size and its text.
    async fn read<T: DeserializeOwned>(
        &self,
        resource: &Resource,
        preference: Option<&'static str>,
    ) -> Result<(T, String), Error> {
        let target = resource.target();
        let url = &format!("{}{target}", self.base_url());
        // URL parsing removes such a segment, so the path would be that of another document.
        if matches!(resource, Resource::RegionDetail(id) if matches!(&**id, "" | "." | "..")) {
            let why = "is not the URL of a region; an id must not be empty, \".\" or \"..\"";
            return Err(Error::new(ErrorKind::InvalidRegionId, url, 0, format!("{url} {why}")));
        }
        let mut headers = self.settings.headers.clone();
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static("application/json"));
        if let Some(preference) = preference {
            headers.append("prefer", HeaderValue::from_static(preference));
        }
        let key = format!("{target} {}", preference.unwrap_or_default());
        let cached = self.cache.lock().expect(NO_PANIC).entries.get(&key).cloned();
        if let Some((tag, _)) = &cached {
            headers.insert(IF_NONE_MATCH, tag.clone());
        }

        let (response, attempts) = self.fetch(url, &headers, resource.max_bytes()).await?;
        let text = match &cached {
            Some((_, body)) if response.status == StatusCode::NOT_MODIFIED => body,
            _ => body_text(url, attempts, &response)?,
        };
        let document = parse(text).map_err(|why| Error::not_the_document(url, attempts, &why))?;
        if response.status == StatusCode::OK {
            self.cache.lock().expect(NO_PANIC).store(key, &response.headers, text);
        }
        Ok((document, text.to_owned()))
    }

    /// Sends a request with retries. Returns the last response and the number of attempts.
    async fn fetch(
        &self,
        url: &str,
        headers: &HeaderMap,
        max_bytes: usize,
    ) -> Result<(WholeResponse, u32), Error> {
        let mut retries = Retries::new(self.settings.retries, self.settings.max_wait);
        loop {
            let outcome = exchange(self.http.get(url).headers(headers.clone()), max_bytes).await;
            let Some(wait) = retries.next_wait(&outcome, random()) else {
                let attempts = retries.attempts;
                let timeout = self.settings.timeout;
                let failed = |failure| Error::failed(url, attempts, timeout, &failure);
                return outcome.map(|response| (response, attempts)).map_err(failed);
            };
            sleep(wait).await;
        }
    }
}

/// Returns the body of a 200 response.
fn body_text<'a>(url: &str, attempts: u32, response: &'a WholeResponse) -> Result<&'a str, Error> {
    if response.status != StatusCode::OK {
        return Err(Error::problem(url, attempts, response));
    }
    let text = str::from_utf8(&response.body);
    text.map_err(|error| Error::not_the_document(url, attempts, &error.to_string()))
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let not_json = |error: &serde_json::Error| format!("not JSON: {error}");
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let document = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        if error.inner().is_data() { error.to_string() } else { not_json(error.inner()) }
    })?;
    deserializer.end().map_err(|error| not_json(&error))?;
    // serde would also accept an array with the values of all fields.
    if !text.trim_start().starts_with('{') {
        return Err("not an object".into());
    }
    Ok(document)
}

const NO_PANIC: &str = "nothing panics while the cache is locked";

/// The maximum number of cached documents: enough for a few hundred regions.
const ENTRIES_MAX: usize = 1_000;

/// A cache of documents with their `ETag`, limited in number and bytes. It is cleared when full.
#[derive(Debug)]
struct Cache {
    entries: HashMap<String, (HeaderValue, Arc<str>)>,
    bytes_max: usize,
}

impl Cache {
    fn new(bytes_max: usize) -> Self {
        Self { entries: HashMap::new(), bytes_max }
    }

    /// Caches a document if it has an `ETag`, may be stored and fits.
    fn store(&mut self, key: String, headers: &HeaderMap, body: &str) {
        self.entries.remove(&key);
        let mut directives = headers.get_all(CACHE_CONTROL).iter();
        let may_be_stored = body.len() <= self.bytes_max
            && directives.all(|value| value.to_str().is_ok_and(|text| !text.contains("no-store")));
        let Some(tag) = headers.get(ETAG).filter(|_| may_be_stored) else { return };
        if self.entries.len() == ENTRIES_MAX || self.bytes() + body.len() > self.bytes_max {
            self.entries.clear();
        }
        self.entries.insert(key, (tag.clone(), body.into()));
    }

    fn bytes(&self) -> usize {
        self.entries.values().map(|(_, body)| body.len()).sum()
    }
}

/// The first wait without `Retry-After`. It doubles with each retry.
const BACK_OFF: Duration = Duration::from_millis(500);

/// The maximum jitter after `Retry-After`, which spreads the clients that received the same value.
const RETRY_AFTER_JITTER: Duration = Duration::from_millis(500);

/// The attempts of a call, and its remaining retries and waiting time.
struct Retries {
    attempts: u32,
    left: u32,
    wait_left: Duration,
}

impl Retries {
    fn new(retries: u32, max_wait: Duration) -> Self {
        Self { attempts: 1, left: retries, wait_left: max_wait }
    }

    /// Returns how long to wait before the next attempt, if it may help and is allowed. `random`, from 0 to 1,
    /// prevents clients that failed together from retrying together.
    fn next_wait(
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
fn random() -> f64 {
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
    use super::*;

    fn key(number: usize) -> String {
        format!("/v1/ghi/regions/r{number}")
    }

    fn store(cache: &mut Cache, number: usize, control: &'static str, length: usize) {
        let tag = HeaderValue::from_static("W/\"1\"");
        let headers = [(ETAG, tag), (CACHE_CONTROL, HeaderValue::from_static(control))];
        let headers: HeaderMap = headers.into_iter().collect();
        cache.store(key(number), &headers, &" ".repeat(length));
    }

    #[test]
    fn the_size_is_limited() {
        let mut cache = Cache::new(100);
        for number in 0..4 {
            store(&mut cache, number, "public", 30);
        }
        let cached = [0, 1, 2, 3].map(|number| cache.entries.contains_key(&key(number)));
        assert_eq!((cached, cache.bytes()), ([false, false, false, true], 30));
        store(&mut cache, 4, "public", 101);
        assert_eq!((cache.entries.len(), cache.bytes()), (1, 30), "too large to be cached");
    }

    #[test]
    fn a_later_document_replaces_the_earlier_one() {
        let mut cache = Cache::new(100);
        for length in [60, 70, 80] {
            store(&mut cache, 0, "public", length);
            assert_eq!(cache.entries.get(&key(0)).unwrap().1.len(), length);
        }
        store(&mut cache, 0, "public, no-store", 10);
        assert!(!cache.entries.contains_key(&key(0)));
        assert_eq!(cache.bytes(), 0);
    }

    #[test]
    fn the_number_of_documents_is_limited() {
        let mut cache = Cache::new(usize::MAX);
        for number in 0..=ENTRIES_MAX {
            store(&mut cache, number, "public", 1);
        }
        assert_eq!((cache.entries.len(), cache.bytes()), (1, 1));
        assert!(cache.entries.contains_key(&key(ENTRIES_MAX)));
    }

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
