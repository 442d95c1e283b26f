//! The client, with one method per document, and its builder.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ghi_contract::{
    Forecast, ForecastDays, History, Indicator, Metadata, Network, RegionDetail, Regions,
};
use reqwest::StatusCode;
use reqwest::header::{ACCEPT, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH};
use serde::de::DeserializeOwned;
use tokio::time::sleep;

use crate::cache::Cache;
use crate::error::Error;
use crate::exchange::{WholeResponse, exchange};
use crate::http_client::http_client_builder;
use crate::resource::{AnySnapshot, BaseUrl, InvalidBaseUrl, MAX_DOCUMENT_BYTES, Resource};
use crate::retries::{Retries, random};

/// A client for one server. Clones are cheap and share connections and cache.
///
/// Its methods need a Tokio runtime with I/O and time.
#[derive(Clone, Debug)]
pub struct Client(Arc<SharedClient>);

#[derive(Debug)]
struct SharedClient {
    settings: Builder,
    http: reqwest::Client,
    cache: Mutex<Cache>,
}

/// Sets the limits of a [`Client`](crate::Client), created with [`Client::builder`](crate::Client::builder).
///
/// A call takes at most `timeout` for each of `retries` + 1 attempts, plus `max_wait` in total between them.
#[derive(Clone, Debug)]
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
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Sets the maximum number of retries per call, 3 by default; 0 disables retries.
    #[must_use]
    pub fn retries(self, retries: u32) -> Self {
        Self { retries, ..self }
    }

    /// Sets the maximum total waiting time between the attempts of a call, 30 s by default. If `Retry-After`
    /// exceeds the remaining time, the call fails immediately.
    #[must_use]
    pub fn max_wait(self, max_wait: Duration) -> Self {
        Self { max_wait, ..self }
    }

    /// Sets the size limit of the cache in bytes, 16 MiB by default; 0 disables it, so that every call returns a
    /// new `timestamp_utc`.
    #[must_use]
    pub fn cache_bytes(self, cache_bytes: usize) -> Self {
        Self { cache_bytes, ..self }
    }

    /// Adds a header to every request.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }

    /// Builds the client.
    pub fn build(self) -> Client {
        let http = http_client_builder().timeout(self.timeout).build();
        let http = http.expect("the settings are fixed");
        let cache = Mutex::new(Cache::new(self.cache_bytes));
        Client(Arc::new(SharedClient { settings: self, http, cache }))
    }
}

impl Client {
    /// Creates a client for the server at this base URL: http or https, with or without a path, with or
    /// without a trailing slash.
    ///
    /// ```
    /// use ghi_client::Client;
    ///
    /// assert!(Client::new("https://example.org/sandbox/").is_ok());
    /// assert!(Client::new("example.org").is_err());
    /// ```
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
        self.0.settings.base_url.as_str()
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
    pub async fn snapshot(&self) -> Result<AnySnapshot, Error> {
        self.document(&Resource::Snapshot).await
    }

    /// Fetches the snapshot with `Prefer: return=minimal`. A server may ignore this and send the full form.
    pub async fn reduced_snapshot(&self) -> Result<AnySnapshot, Error> {
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
            Resource::Snapshot => self.read::<AnySnapshot>(resource, None).await?.1,
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
        let headers = &self.0.settings.headers;
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
            return Err(Error::invalid_region_id(url));
        }
        let mut headers = self.0.settings.headers.clone();
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static("application/json"));
        if let Some(preference) = preference {
            headers.append("prefer", HeaderValue::from_static(preference));
        }
        let key = format!("{target} {}", preference.unwrap_or_default());
        let cached = self.cache().get(&key);
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
            self.cache().store(key, &response.headers, text);
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
        let SharedClient { settings, http, .. } = &*self.0;
        let mut retries = Retries::new(settings.retries, settings.max_wait);
        loop {
            let outcome = exchange(http.get(url).headers(headers.clone()), max_bytes).await;
            let Some(wait) = retries.next_wait(&outcome, random()) else {
                let attempts = retries.attempts;
                let failed = |failure| Error::failed(url, attempts, settings.timeout, &failure);
                return outcome.map(|response| (response, attempts)).map_err(failed);
            };
            sleep(wait).await;
        }
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        // The cache is consistent after every step, so it is usable after a panic.
        self.0.cache.lock().unwrap_or_else(PoisonError::into_inner)
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

/// Parses a document, or describes what is wrong.
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
