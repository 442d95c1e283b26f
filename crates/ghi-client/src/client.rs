//! The client, with one method per document, its settings, its cache and its retries.

use std::collections::HashMap;
use std::fmt::Display;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ghi_contract::{
    Forecast, ForecastDays, History, Indicator, Metadata, Network, RegionDetail, Regions, Snapshot,
};
use reqwest::StatusCode;
use reqwest::header::{ACCEPT, CACHE_CONTROL, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH};
use serde::de::DeserializeOwned;
use tokio::time::sleep;

use crate::exchange::{Error, ErrorKind, exchange, http_client};
use crate::resource::{BaseUrl, InvalidBaseUrl, Resource, max_bytes};

/// A client for one server. Clones are cheap and share connections and cache.
///
/// Its methods need a Tokio runtime with I/O and time.
#[derive(Clone, Debug)]
pub struct Client {
    base_url: BaseUrl,
    settings: Arc<Settings>,
    http: reqwest::Client,
    cache: Arc<Mutex<Cache>>,
}

/// The limits of a [`Client`], and its headers.
///
/// A call takes at most `timeout` for each of `retries` + 1 attempts, plus `max_wait` in total between them.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The timeout of one attempt, from connecting to the last byte of the body; 10 s by default. Connecting
    /// may take at most 5 s of it.
    pub timeout: Duration,
    /// The maximum number of retries per call, 3 by default; 0 disables retries.
    pub retries: u32,
    /// The maximum total waiting time between the attempts of a call, 30 s by default. If `Retry-After`
    /// exceeds the remaining time, the call fails immediately.
    pub max_wait: Duration,
    /// The size limit of the cache in bytes, 16 MiB by default; 0 disables it, so that every call returns a
    /// new `timestamp_utc`.
    pub cache_bytes: usize,
    /// Headers of every request.
    pub headers: HeaderMap,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            retries: 3,
            max_wait: Duration::from_secs(30),
            // Two of the largest documents.
            cache_bytes: 16 << 20,
            headers: HeaderMap::new(),
        }
    }
}

impl Client {
    /// Creates a client for the server at this base URL: http or https, with or without a path, with or
    /// without a trailing slash.
    pub fn new(base_url: &str) -> Result<Self, InvalidBaseUrl> {
        Self::with_settings(base_url, Settings::default())
    }

    /// Creates a client with other limits than the defaults.
    pub fn with_settings(base_url: &str, settings: Settings) -> Result<Self, InvalidBaseUrl> {
        let base_url: BaseUrl = base_url.parse()?;
        let http = http_client(&base_url);
        Ok(Self { base_url, settings: Arc::new(settings), http, cache: Arc::default() })
    }

    /// Returns the base URL of the server, without a trailing slash.
    pub fn base_url(&self) -> &str {
        self.base_url.as_str()
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
        Ok(self.fetch(target, None).await?.to_string())
    }

    async fn document<T: DeserializeOwned>(&self, resource: &Resource) -> Result<T, Error> {
        Ok(self.read(resource, None).await?.0)
    }

    /// Fetches a document and its text.
    async fn read<T: DeserializeOwned>(
        &self,
        resource: &Resource,
        preference: Option<&'static str>,
    ) -> Result<(T, String), Error> {
        let target = resource.target();
        let text = self.fetch(&target, preference).await?;
        let url = format!("{}{target}", self.base_url());
        let document = parse(&text).map_err(|why| invalid(&url, &why))?;
        Ok((document, text.to_string()))
    }

    /// Fetches a text with retries, or returns the cached one if it has not changed.
    async fn fetch(
        &self,
        target: &str,
        preference: Option<&'static str>,
    ) -> Result<Arc<str>, Error> {
        let url = &format!("{}{target}", self.base_url());
        // URL parsing removes such an id, so the path would be that of another document.
        let is_removed = |id: &str| target == Resource::RegionDetail(id.into()).target();
        if ["", ".", ".."].into_iter().any(is_removed) {
            let why = "is not the URL of a region; an id must not be empty, \".\" or \"..\"";
            return Err(Error::new(ErrorKind::InvalidRegionId, url, format!("{url} {why}")));
        }
        let mut headers = self.settings.headers.clone();
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static("application/json"));
        if let Some(preference) = preference {
            headers.append("prefer", HeaderValue::from_static(preference));
        }
        let key = format!("{target} {}", preference.unwrap_or_default());
        let cached = self.cache.lock().expect(NO_PANIC).get(&key).cloned();
        if let Some((tag, _)) = &cached {
            headers.insert(IF_NONE_MATCH, tag.clone());
        }
        let Settings { timeout, retries, max_wait, .. } = *self.settings;
        let mut retries = Retries { attempts: 1, left: retries, wait_left: max_wait };
        loop {
            let request = self.http.get(url).headers(headers.clone());
            let error = match exchange(request, timeout, max_bytes(target)).await {
                Ok(response) => match (response.status, &cached) {
                    (StatusCode::NOT_MODIFIED, Some((_, text))) => return Ok(Arc::clone(text)),
                    (StatusCode::OK, _) => {
                        let text = str::from_utf8(&response.body);
                        let text: Arc<str> = text.map_err(|error| invalid(url, &error))?.into();
                        let mut cache = self.cache.lock().expect(NO_PANIC);
                        let bytes_max = self.settings.cache_bytes;
                        store(&mut cache, bytes_max, key, &response.headers, &text);
                        return Ok(text);
                    }
                    _ => Error::problem(url, &response),
                },
                Err(error) => error,
            };
            match retries.next_wait(&error, random()) {
                Some(wait) => sleep(wait).await,
                None => return Err(Error { attempts: retries.attempts, ..error }),
            }
        }
    }
}

fn invalid(url: &str, why: &dyn Display) -> Error {
    let message = format!("{url} did not return a valid document: {why}");
    Error::new(ErrorKind::NotTheDocument, url, message)
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

/// Documents with their `ETag`, by target and preference.
type Cache = HashMap<String, (HeaderValue, Arc<str>)>;

/// Caches a document if it has an `ETag`, may be stored and fits. A full cache is cleared first.
fn store(cache: &mut Cache, bytes_max: usize, key: String, headers: &HeaderMap, body: &Arc<str>) {
    cache.remove(&key);
    let mut directives = headers.get_all(CACHE_CONTROL).iter();
    let may_be_stored = body.len() <= bytes_max
        && directives.all(|value| value.to_str().is_ok_and(|text| !text.contains("no-store")));
    let Some(tag) = headers.get(ETAG).filter(|_| may_be_stored) else { return };
    if body.len() + cache.values().map(|(_, body)| body.len()).sum::<usize>() > bytes_max {
        cache.clear();
    }
    cache.insert(key, (tag.clone(), Arc::clone(body)));
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
    /// Returns how long to wait before the next attempt, if it may help and is allowed. `random`, from 0 to 1,
    /// prevents clients that failed together from retrying together.
    fn next_wait(&mut self, error: &Error, random: f64) -> Option<Duration> {
        let half = BACK_OFF.saturating_mul(2_u32.saturating_pow(self.attempts - 1)) / 2;
        let (least, jitter) = match (error.kind, error.status) {
            (_, Some(429 | 500 | 502..=504)) => {
                error.retry_after.map_or((half, half), |wait| (wait, RETRY_AFTER_JITTER))
            }
            // The first time, the server was probably restarted.
            (ErrorKind::Interrupted, _) if self.attempts == 1 => (Duration::ZERO, Duration::ZERO),
            (ErrorKind::Interrupted, _) => (half, half),
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

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderName;

    use crate::exchange::WholeResponse;

    fn key(number: usize) -> String {
        format!("/v1/ghi/regions/r{number}")
    }

    fn add(cache: &mut Cache, number: usize, control: &'static str, length: usize) {
        let tag = HeaderValue::from_static("W/\"1\"");
        let headers = [(ETAG, tag), (CACHE_CONTROL, HeaderValue::from_static(control))];
        let headers: HeaderMap = headers.into_iter().collect();
        store(cache, 100, key(number), &headers, &" ".repeat(length).into());
    }

    #[test]
    fn the_size_is_limited() {
        let mut cache = Cache::new();
        for number in 0..4 {
            add(&mut cache, number, "public", 30);
        }
        let cached = [0, 1, 2, 3].map(|number| cache.contains_key(&key(number)));
        assert_eq!((cached, bytes(&cache)), ([false, false, false, true], 30));
        add(&mut cache, 4, "public", 101);
        assert_eq!((cache.len(), bytes(&cache)), (1, 30), "too large to be cached");
    }

    #[test]
    fn a_later_document_replaces_the_earlier_one() {
        let mut cache = Cache::new();
        for length in [60, 70, 80] {
            add(&mut cache, 0, "public", length);
            assert_eq!(cache.get(&key(0)).unwrap().1.len(), length);
        }
        add(&mut cache, 0, "public, no-store", 10);
        assert!(!cache.contains_key(&key(0)));
        assert_eq!(bytes(&cache), 0);
    }

    fn bytes(cache: &Cache) -> usize {
        cache.values().map(|(_, body)| body.len()).sum()
    }

    fn retries(left: u32, wait_left: Duration) -> Retries {
        Retries { attempts: 1, left, wait_left }
    }

    fn response(status: u16, headers: &[(&'static str, &'static str)]) -> Error {
        let header = |&(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        let status = StatusCode::from_u16(status).unwrap();
        let headers = headers.iter().map(header).collect();
        Error::problem("", &WholeResponse { status, headers, body: Vec::new() })
    }

    fn wait_ms(status: u16, headers: &[(&'static str, &'static str)], random: f64) -> Option<u128> {
        let mut retries = retries(1, Duration::from_secs(30));
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
        let waits = |left: u32, seconds: u64, random: f64| {
            let mut retries = retries(left, Duration::from_secs(seconds));
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
        let mut retries = retries(3, Duration::from_secs(30));
        let lost = Error::new(ErrorKind::Interrupted, "", String::new());
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
