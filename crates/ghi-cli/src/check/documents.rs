//! The documents that are requested, and the JSON objects in them.

use std::iter;

use ghi_client::Resource;
use ghi_contract::{API_PREVIOUS, ForecastDays, GLOBAL};

use crate::check::json_object::JsonObject;
use crate::check::judge::Judge;
use crate::check::response::unjudged;
use crate::check::schema::{DOCUMENTS, ObjectKind};

/// The horizons of the requested forecasts in days: short ones that any service should accept.
const HORIZONS: [u16; 3] = [1, 7, 30];

/// The most regions whose detail and history are requested.
const SAMPLE_MAX: usize = 10;

/// The longest region id that is requested, in bytes: longer ones may not fit into a URL.
const ID_MAX: usize = 256;

impl Judge<'_> {
    /// Returns the objects of a kind in the server's documents.
    pub(crate) fn objects(&mut self, kind: ObjectKind) -> Vec<JsonObject> {
        let mut documents = Vec::new();
        for resource in self.resources(kind) {
            match self.document(&resource) {
                Ok(document) => documents.push(document),
                Err(why) => self.record(Err(why)),
            }
        }
        let Some(list) = kind.list() else { return documents };
        let entries: Vec<_> = documents.iter().flat_map(|object| object.entries(list)).collect();
        if entries.is_empty() && !documents.is_empty() {
            self.record(Err(unjudged(format!("no entries in {list}"))));
        }
        entries
    }

    pub(crate) fn all_documents(&mut self) -> Vec<JsonObject> {
        DOCUMENTS.into_iter().flat_map(|kind| self.objects(kind)).collect()
    }

    pub(crate) fn all_resources(&mut self) -> Vec<Resource> {
        DOCUMENTS.into_iter().flat_map(|kind| self.resources(kind)).collect()
    }

    /// Returns the documents that are objects of a kind or contain them.
    pub(crate) fn resources(&mut self, kind: ObjectKind) -> Vec<Resource> {
        match kind {
            ObjectKind::Metadata => vec![Resource::Metadata],
            ObjectKind::Regions | ObjectKind::Region => vec![Resource::Regions],
            ObjectKind::RegionDetail => {
                self.sample().into_iter().map(Resource::RegionDetail).collect()
            }
            ObjectKind::Snapshot | ObjectKind::SnapshotRegion => vec![Resource::Snapshot],
            ObjectKind::History | ObjectKind::HistoryPoint => {
                let ids = iter::once(GLOBAL.into()).chain(self.sample());
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

    fn supports_v1_0(&mut self) -> bool {
        let metadata = self.document(&Resource::Metadata);
        let is_supported = metadata.is_ok_and(|metadata| {
            let versions = metadata.list("api_supported");
            versions.is_ok_and(|versions| versions.iter().any(|version| version == API_PREVIOUS))
        });
        if !is_supported {
            self.record(Err(unjudged("the metadata does not list 1.0 as supported")));
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
            let why = "no region id is known from the list of regions or the snapshot";
            self.record(Err(unjudged(why)));
        }
        let last = known.len().saturating_sub(1);
        let spread = (0..SAMPLE_MAX).map(|step| last * step / (SAMPLE_MAX - 1));
        let mut sample: Vec<String> = Vec::new();
        for id in [0, last].into_iter().chain(spread).filter_map(|index| known.get(index)) {
            if !sample.contains(id) {
                sample.push(id.clone());
            }
        }
        sample
    }
}

fn ids(entries: &[JsonObject]) -> Vec<String> {
    entries.iter().filter_map(|entry| entry.text("id").ok()).map(String::from).collect()
}
