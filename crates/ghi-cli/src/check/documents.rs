//! The documents that are requested, and the JSON objects in them.

use ghi_client::Resource;
use ghi_contract::{API_PREVIOUS, ForecastDays, GLOBAL};
use serde_json::Value;

use crate::check::json_object::{JsonObject, typed};
use crate::check::judge::Judge;
use crate::check::schema::{DOCUMENTS, ObjectKind};

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
        DOCUMENTS.into_iter().flat_map(|kind| self.objects(kind)).collect()
    }

    /// Returns the resources of the documents of all kinds.
    pub(crate) fn all_resources(&mut self) -> Vec<Resource> {
        DOCUMENTS.into_iter().flat_map(|kind| self.resources(kind)).collect()
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
            ObjectKind::Indicator if self.supports_v1_0() => vec![Resource::Indicator],
            ObjectKind::Indicator => Vec::new(),
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

    /// Returns the regions whose detail and history are requested: the first, the last and some in between.
    pub(crate) fn sample(&mut self) -> Vec<String> {
        let mut known = self.region_ids();
        if known.is_empty() {
            known = ids(&self.objects(ObjectKind::SnapshotRegion));
        }
        // Other ids break a separate rule.
        known.retain(|id| !id.is_empty() && id != GLOBAL && id.len() <= ID_MAX);
        if known.is_empty() {
            self.skip("no region id is known from the list of regions or the snapshot");
        }
        let last = known.len().saturating_sub(1);
        let spread = (0..SAMPLE_MAX).map(|step| last * step / (SAMPLE_MAX - 1));
        let mut sample: Vec<String> = Vec::new();
        for id in [0, last].into_iter().chain(spread).filter_map(|index| known.get(index)) {
            if sample.len() < SAMPLE_MAX && !sample.contains(id) {
                sample.push(id.clone());
            }
        }
        sample
    }
}

fn ids(entries: &[JsonObject]) -> Vec<String> {
    entries.iter().filter_map(|entry| entry.text("id").ok()).map(String::from).collect()
}
