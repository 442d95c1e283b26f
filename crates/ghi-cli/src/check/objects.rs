//! The documents to request, and the JSON objects in them.

use std::collections::HashSet;

use ghi_client::Resource;
use ghi_contract::{API_PREVIOUS, ForecastDays, GLOBAL};
use serde_json::Value;

use crate::check::json_object::JsonObject;
use crate::check::judge::{Judge, typed};
use crate::check::schema::ObjectKind;

/// The horizons of the requested forecasts in days: short ones that any service should accept.
const HORIZONS: [u16; 3] = [1, 7, 30];

/// The most regions whose detail and history are requested.
const SAMPLE_MAX: usize = 10;

/// The longest region id that is requested, in bytes: longer ones may not fit into a URL.
const ID_MAX: usize = 256;

impl Judge {
    /// Returns the objects of a kind in the server's documents.
    pub(crate) fn objects(&mut self, kind: ObjectKind) -> Vec<JsonObject> {
        let Some((document, list)) = kind.list() else {
            let resources = self.resources(kind);
            return resources.iter().filter_map(|resource| self.document(resource)).collect();
        };
        let documents = self.objects(document);
        let entries: Vec<_> = documents.iter().flat_map(|object| object.entries(list)).collect();
        if let Some(object) = documents.first().filter(|_| entries.is_empty()) {
            let target = &object.response.request.target;
            let got = object.get(list).map_or("nothing".into(), typed);
            self.skip(format!("{target}: expected entries in {list}, got {got}"));
        }
        entries
    }

    /// Returns the documents of all kinds.
    pub(crate) fn all_documents(&mut self) -> Vec<JsonObject> {
        let resources = self.all_resources();
        resources.iter().filter_map(|resource| self.document(resource)).collect()
    }

    /// Returns the documents of all kinds and the entries of their lists.
    pub(crate) fn all_objects(&mut self) -> Vec<(ObjectKind, JsonObject)> {
        let objects = |kind| self.objects(kind).into_iter().map(move |object| (kind, object));
        ObjectKind::ALL.into_iter().flat_map(objects).collect()
    }

    /// Returns the resources of the documents of all kinds.
    pub(crate) fn all_resources(&mut self) -> Vec<Resource> {
        let kinds = ObjectKind::ALL.into_iter().filter(|kind| kind.list().is_none());
        kinds.flat_map(|kind| self.resources(kind)).collect()
    }

    /// Returns the resources of the documents of a kind.
    pub(crate) fn resources(&mut self, kind: ObjectKind) -> Vec<Resource> {
        match kind {
            ObjectKind::Metadata => vec![Resource::Metadata],
            ObjectKind::Regions | ObjectKind::Region => vec![Resource::Regions],
            ObjectKind::RegionDetail => {
                self.sample().into_iter().map(Resource::RegionDetail).collect()
            }
            ObjectKind::Snapshot | ObjectKind::SnapshotRegion => vec![Resource::Snapshot],
            ObjectKind::History | ObjectKind::HistoryPoint => {
                let ids = std::iter::once(GLOBAL.into()).chain(self.sample());
                ids.map(Resource::History).collect()
            }
            ObjectKind::Network => vec![Resource::Network],
            ObjectKind::Forecast => {
                HORIZONS.into_iter().filter_map(ForecastDays::new).map(Resource::Forecast).collect()
            }
            ObjectKind::Indicator => match self.supports_v1_0() {
                true => vec![Resource::Indicator],
                false => Vec::new(),
            },
        }
    }

    /// Returns whether the metadata lists v1.0 as supported.
    fn supports_v1_0(&mut self) -> bool {
        let metadata = self.document(&Resource::Metadata);
        let supported = metadata.as_ref().and_then(|metadata| metadata.get("api_supported"));
        let mut versions = supported.and_then(Value::as_array).into_iter().flatten();
        let is_supported = versions.any(|version| version == API_PREVIOUS);
        if !is_supported {
            self.skip("the metadata does not list 1.0 as supported");
        }
        is_supported
    }

    /// Returns the ids in the list of regions.
    pub(crate) fn region_ids(&mut self) -> Vec<String> {
        ids(&self.objects(ObjectKind::Region))
    }

    /// Returns the regions whose detail and history are requested.
    pub(crate) fn sample(&mut self) -> Vec<String> {
        let sample = match self.sample.take() {
            Some(sample) => sample,
            None => self.choose_sample(),
        };
        if sample.is_empty() {
            self.skip("no region id is known from the list of regions or the snapshot");
        }
        self.sample.insert(sample).clone()
    }

    /// Selects the first and the last region, those with the lowest and the highest cost, and some in between.
    fn choose_sample(&mut self) -> Vec<String> {
        // A snapshot without costs does not matter here, so the reason is not reported.
        let reason = self.reason.clone();
        let entries = self.objects(ObjectKind::SnapshotRegion);
        self.reason = reason;
        let mut known = self.region_ids();
        if known.is_empty() {
            known = ids(&entries);
        }
        // Other ids break a separate rule.
        known.retain(|id| !id.is_empty() && id != GLOBAL && id.len() <= ID_MAX);
        let valid: HashSet<&str> = known.iter().map(String::as_str).collect();
        let by = |field| {
            let cost_and_id =
                move |entry| Some((JsonObject::number(entry, field)?, entry.text("id")?));
            entries.iter().filter_map(cost_and_id).filter(|(_, id)| valid.contains(id))
        };
        let lowest = by("min_cost_usd").min_by(|a, b| a.0.total_cmp(&b.0));
        let highest = by("max_cost_usd").max_by(|a, b| a.0.total_cmp(&b.0));
        let extremes = [lowest, highest].into_iter().flatten().map(|(_, id)| id);
        let last = known.len().saturating_sub(1);
        let spread = (0..SAMPLE_MAX).map(|step| last * step / (SAMPLE_MAX - 1));
        let spread = spread.filter_map(|index| known.get(index)).map(String::as_str);
        let ends = [known.first(), known.last()].into_iter().flatten().map(String::as_str);
        let mut sample: Vec<String> = Vec::new();
        for id in ends.chain(extremes).chain(spread) {
            if sample.len() < SAMPLE_MAX && !sample.iter().any(|chosen| chosen == id) {
                sample.push(id.to_owned());
            }
        }
        sample
    }
}

fn ids(entries: &[JsonObject]) -> Vec<String> {
    entries.iter().filter_map(|entry| entry.text("id")).map(String::from).collect()
}
