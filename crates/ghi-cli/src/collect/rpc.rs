//! The JSON-RPC interface of Bitcoin Core and its forks, called in batches.
//!
//! JSON-RPC crates refuse these responses: most nodes send `"error": null` next to a result.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::time::Duration;

use ghi_client::{BaseUrl, ErrorKind, exchange, http_client};
use ghi_engine::visible;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Number, Value, json};

use self::CollectError::{Fixable, Other};
use crate::output::QUOTE_MAX;

/// The maximum number of calls in a request. The statistics of 25 blocks take a slow disk some seconds.
pub(super) const BATCH: u64 = 25;

/// How long to wait for a node that is silent or sends slowly.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The maximum size of a response in bytes: a hundred times the size of a batch of headers.
const RESPONSE_MAX: usize = 2 << 20;

/// The number of smallest units in a coin.
pub(super) const UNITS_PER_COIN: f64 = 1e8;

/// Why a collection failed.
#[derive(Debug)]
pub(super) enum CollectError {
    /// The user can fix it.
    Fixable(String),
    Other(String),
}

impl From<String> for CollectError {
    fn from(message: String) -> Self {
        Self::Fixable(message)
    }
}

/// A node, with the user and the password of its RPC interface.
pub(super) struct Node {
    http: reqwest::Client,
    url: BaseUrl,
    credentials: Option<(String, String)>,
    timeout: Duration,
}

/// The state of a node's chain: the heights of the last validated block and of the last known header.
#[derive(Deserialize)]
pub(super) struct ChainInfo {
    pub(super) blocks: u64,
    pub(super) headers: u64,
    #[serde(default)]
    pub(super) initialblockdownload: bool,
    /// The first height whose block is stored, if the node is pruned.
    pub(super) pruneheight: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Header {
    pub(super) hash: String,
    pub(super) previousblockhash: Option<String>,
    pub(super) height: u64,
    pub(super) difficulty: f64,
    /// The UTC day of its timestamp.
    #[serde(rename = "time", deserialize_with = "utc_day")]
    pub(super) day: Date,
    /// The UTC day of its median time past. The times of later blocks are after that time.
    #[serde(rename = "mediantime", deserialize_with = "utc_day")]
    pub(super) median_day: Date,
}

/// The statistics of a block, in the smallest units of a coin.
#[derive(Clone, Copy, Deserialize)]
pub(super) struct BlockStats {
    #[serde(deserialize_with = "units")]
    pub(super) subsidy: f64,
    #[serde(deserialize_with = "units")]
    pub(super) totalfee: f64,
    /// The number of transactions, including the coinbase.
    pub(super) txs: f64,
}

/// A block, with statistics if its day is to be appended.
pub(super) type Block = (Header, Option<BlockStats>);

fn utc_day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Date, D::Error> {
    let time = Timestamp::from_second(i64::deserialize(deserializer)?).map_err(D::Error::custom)?;
    Ok(TimeZone::UTC.to_datetime(time).date())
}

/// Reads an amount: Bitcoin Core counts units, Bitcoin Cash Node writes coins with a decimal point.
fn units<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let number = Number::deserialize(deserializer)?;
    let amount = number.as_f64().ok_or_else(|| D::Error::custom("not an amount"))?;
    Ok(if number.is_f64() { (amount * UNITS_PER_COIN).round() } else { amount })
}

impl Node {
    pub(super) fn new(url: &BaseUrl, credentials: Option<(String, String)>) -> Self {
        Self { http: http_client(url), url: url.clone(), credentials, timeout: TIMEOUT }
    }

    pub(super) async fn chain_info(&self) -> Result<ChainInfo, CollectError> {
        Ok(self.batch("getblockchaininfo", [json!([])]).await?.remove(0))
    }

    pub(super) async fn header(&self, height: u64) -> Result<Header, CollectError> {
        Ok(self.headers(height..=height).await?.remove(0))
    }

    async fn headers(&self, heights: RangeInclusive<u64>) -> Result<Vec<Header>, CollectError> {
        let heights = heights.map(|height| json!([height]));
        let hashes: Vec<Value> = self.batch("getblockhash", heights).await?;
        self.batch("getblockheader", hashes.into_iter().map(|hash| json!([hash]))).await
    }

    /// Returns the blocks at these heights, with statistics if they are on these days.
    pub(super) async fn blocks(
        &self,
        heights: RangeInclusive<u64>,
        days: &RangeInclusive<Date>,
    ) -> Result<Vec<Block>, CollectError> {
        let headers = self.headers(heights).await?;
        let counted = headers.iter().filter(|header| days.contains(&header.day));
        let params = counted.map(|header| json!([header.hash, ["subsidy", "totalfee", "txs"]]));
        let mut stats = self.batch("getblockstats", params).await?.into_iter();
        let with_stats = |header: Header| match days.contains(&header.day) {
            true => (header, stats.next()),
            false => (header, None),
        };
        Ok(headers.into_iter().map(with_stats).collect())
    }

    /// Returns the first height whose median time past is on this day or later, or the height after `last`.
    pub(super) async fn first_height(&self, day: Date, last: u64) -> Result<u64, CollectError> {
        let (mut low, mut high) = (1, last + 1);
        while low < high {
            let middle = low.midpoint(high);
            let is_before = self.header(middle).await?.median_day < day;
            (low, high) = if is_before { (middle + 1, high) } else { (low, middle) };
        }
        Ok(low)
    }

    /// Calls a method once for each of these parameters. Returns the results in the same order.
    async fn batch<T: DeserializeOwned>(
        &self,
        method: &str,
        params: impl IntoIterator<Item = Value>,
    ) -> Result<Vec<T>, CollectError> {
        let call = |(id, params)| json!({ "id": id, "method": method, "params": params });
        let calls: Vec<Value> = params.into_iter().enumerate().map(call).collect();
        let count = calls.len();
        if count == 0 {
            return Ok(Vec::new());
        }
        let invalid = |why: &str| {
            let why = visible(why, QUOTE_MAX);
            Other(format!("{} returned an invalid response to {method}: {why}", self.url))
        };
        let body = self.post(&Value::Array(calls)).await?;
        let mut responses = match serde_json::from_slice(&body) {
            Ok(Value::Array(responses)) => responses,
            // Some errors are returned once for all calls.
            Ok(response) if response["error"].is_object() => vec![response],
            Ok(_) => return Err(self.not_a_node(&"not a JSON-RPC response")),
            Err(error) => return Err(self.not_a_node(&error)),
        };
        if let Some(response) = responses.iter().find(|response| !response["error"].is_null()) {
            return Err(rpc_error(method, &response["error"]));
        }
        let id = |response: &Value| response["id"].as_u64();
        responses.sort_by_key(id);
        if !responses.iter().map(id).eq((0..count as u64).map(Some)) {
            return Err(invalid("a response is missing"));
        }
        let results = responses.iter_mut().map(|response| response["result"].take());
        let results = results.map(serde_json::from_value).collect::<Result<_, _>>();
        results.map_err(|error| invalid(&error.to_string()))
    }

    /// Sends a request. Returns the body of the response.
    async fn post(&self, calls: &Value) -> Result<Vec<u8>, CollectError> {
        let url = &self.url;
        let mut request = self.http.post(url.as_str()).header("content-type", "application/json");
        if let Some((user, password)) = &self.credentials {
            request = request.basic_auth(user, Some(password));
        }
        let response = exchange(request.body(calls.to_string()), self.timeout, RESPONSE_MAX).await;
        let response = response.map_err(|error| match error.kind {
            ErrorKind::Connect | ErrorKind::NotHttp => {
                Fixable(format!("{error}; check --rpc, and that the node runs with server=1"))
            }
            _ => Other(error.to_string()),
        })?;
        let (status, body) = (response.status, response.body);
        match status.as_u16() {
            401 | 403 => Err(Fixable(format!(
                "{url} refused access ({status}); check --cookie, --user and GHI_RPC_PASSWORD, and rpcallowip on the node"
            ))),
            _ if status.is_success() || body.starts_with(b"{") => Ok(body),
            // A busy node, or the proxy in front of a node.
            code @ (500 | 502..=504) => {
                let text = visible(String::from_utf8_lossy(&body).trim(), QUOTE_MAX);
                Err(Other(format!("{url} returned {code} {text}")))
            }
            _ => Err(self.not_a_node(&status)),
        }
    }

    fn not_a_node(&self, found: &dyn Display) -> CollectError {
        let found = visible(&found.to_string(), QUOTE_MAX);
        Fixable(format!("{} is not a node's RPC ({found}); check --rpc", self.url))
    }
}

fn rpc_error(method: &str, error: &Value) -> CollectError {
    let code = error["code"].as_i64().unwrap_or_default();
    let message = visible(error["message"].as_str().unwrap_or_default(), QUOTE_MAX);
    let failed = format!("{method} failed on the node: {message} ({code})");
    // Method not found.
    if code == -32601 {
        return Fixable(failed + "; use Bitcoin Core 0.17 or later, or a node based on it");
    }
    Other(failed)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// Starts a node that answers a request with a head and then one byte at a time, for as long as the
    /// client reads. Returns its URL.
    fn dripping_node(head: &'static str) -> BaseUrl {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            assert_ne!(stream.read(&mut [0; 1024]).unwrap(), 0);
            stream.write_all(head.as_bytes()).unwrap();
            while !head.is_empty() && stream.write_all(b" ").is_ok() {
                thread::yield_now();
            }
            thread::park();
        });
        url
    }

    #[test]
    fn amounts_may_be_units_or_coins() {
        for (subsidy, fee) in [("312500000", "1"), ("3.12500000", "0.00000001")] {
            let text = format!(r#"{{"subsidy":{subsidy},"totalfee":{fee},"txs":1}}"#);
            let stats: BlockStats = serde_json::from_str(&text).unwrap();
            assert_eq!((stats.subsidy, stats.totalfee), (312_500_000.0, 1.0), "{text}");
        }
    }

    #[tokio::test]
    async fn a_node_that_is_silent_or_drips_is_given_up() {
        // The body never reaches this length, which is below the limit on responses.
        let endless = "HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n[";
        let mut node = Node::new(&dripping_node(""), None);
        assert_eq!(node.timeout, Duration::from_secs(60));
        node.timeout = Duration::from_millis(20);
        for head in ["", endless] {
            node.url = dripping_node(head);
            let Err(Other(said)) = node.chain_info().await.map(|_| ()) else { panic!("{head}") };
            assert_eq!(said, format!("{}/ did not respond within 20ms", node.url));
        }
    }
}
