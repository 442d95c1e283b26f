//! The documents of a deployment of the API.

use ghi_client::{Client, Error, ErrorKind, Resource};
use ghi_contract::{History, paths};
use ghi_engine::visible;
use ghi_server::document_json;
use jiff::civil::Date;
use serde_json::Value;

use crate::unknown_region::{unknown_region, unknown_scope};

/// Where a deployment of this project explains its figures, beside the contract.
const EXPLAIN_JSON: &str = "/export/explain.json";

/// What HTTP answers where there is nothing.
const NOT_FOUND: u16 = 404;

/// The longest date of a deployment that a message repeats, characters.
const DATE_MAX: usize = 10;

/// A deployment of the API.
pub(crate) struct Deployment(Client);

impl Deployment {
    pub(crate) fn new(client: Client) -> Self {
        Self(client)
    }

    pub(crate) fn base_url(&self) -> &str {
        self.0.base_url()
    }

    /// The document as it was received.
    pub(crate) async fn json(&self, resource: &Resource) -> Result<String, String> {
        match self.0.text(resource).await {
            Ok(text) => Ok(text),
            Err(error) => Err(match resource {
                Resource::RegionDetail(id) => match self.known_ids(&error).await {
                    Some(known) => unknown_region(id, known.iter().map(String::as_str)),
                    None => error.to_string(),
                },
                Resource::History(id) => self.reason(id, &error).await,
                _ => error.to_string(),
            }),
        }
    }

    /// The points of the history from a first day to a last, which must be among them.
    pub(crate) async fn history_json(
        &self,
        region_id: &str,
        from: Option<Date>,
        to: Option<Date>,
    ) -> Result<String, String> {
        let text = self.json(&Resource::History(region_id.into())).await?;
        if from.is_none() && to.is_none() {
            return Ok(text);
        }
        let not_json = |error: serde_json::Error| format!("{}: {error}", self.base_url());
        let History { points, .. } = serde_json::from_str(&text).map_err(not_json)?;
        let dates = points.iter().map(|point| &*point.date);
        let (Some(first), Some(last)) = (dates.clone().min(), dates.max()) else {
            return Err(format!("the history of {} has no points", self.base_url()));
        };
        let [from, to] = [from, to].map(|date| date.map(|date| date.to_string()));
        let (from, to) = (from.as_deref().unwrap_or(first), to.as_deref().unwrap_or(last));
        if from > to || from < first || to > last {
            let [first, last] = [first, last].map(|date| visible(date, DATE_MAX));
            return Err(format!(
                "{} has the days {first} to {last}; --from and --to must lie within, --from not after --to",
                self.base_url()
            ));
        }
        // As a value, so that fields which a later release adds are kept.
        let mut document: Value = serde_json::from_str(&text).map_err(not_json)?;
        if let Some(points) = document["points"].as_array_mut() {
            points.retain(|point| {
                point["date"].as_str().is_some_and(|date| from <= date && date <= to)
            });
        }
        Ok(document_json(&document))
    }

    /// Where the figures of a day come from.
    pub(crate) async fn explanation_json(
        &self,
        region_id: &str,
        date: Option<Date>,
    ) -> Result<String, String> {
        let target = Resource::History(region_id.into()).target();
        let mut target = target.replacen(paths::HISTORY, EXPLAIN_JSON, 1);
        if let Some(date) = date {
            target += &format!("&date={date}");
        }
        match self.0.text_at(&target).await {
            Ok(text) => Ok(text),
            Err(error) if is_unknown_region(&error) => Err(self.reason(region_id, &error).await),
            Err(error) if error.status() == Some(NOT_FOUND) => Err(format!(
                "{} explains no figures: the contract has no such document, and {EXPLAIN_JSON} is not there",
                self.base_url()
            )),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Why there is nothing of a scope.
    async fn reason(&self, region_id: &str, error: &Error) -> String {
        match self.known_ids(error).await {
            Some(known) => unknown_scope(region_id, known.iter().map(String::as_str)),
            None => error.to_string(),
        }
    }

    /// The regions that the deployment knows, if the error says that it does not know one.
    async fn known_ids(&self, error: &Error) -> Option<Vec<String>> {
        let is_unknown = is_unknown_region(error)
            || error.status() == Some(NOT_FOUND)
            || error.kind() == ErrorKind::InvalidRegionId;
        let known = if is_unknown { self.0.regions().await.ok() } else { None };
        known.map(|known| known.regions.into_iter().map(|region| region.id).collect())
    }
}

fn is_unknown_region(error: &Error) -> bool {
    error.code() == Some("unknown_region")
}
