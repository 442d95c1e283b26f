//! The documents that are looked at, and the objects that they are made of.

use std::rc::Rc;

use ghi_client::Resource;
use ghi_contract::{ForecastDays, GLOBAL};
use serde_json::{Map, Value};

use crate::check::case::Case;
use crate::check::exchange::Exchange;
use crate::check::fields::Shape;
use crate::check::request::Request;

/// The horizons that forecasts are asked for, days: short ones, that any service should know.
const HORIZONS: [u16; 3] = [1, 7, 30];

/// Of how many regions the detail and the history are asked for, however many there are.
const SAMPLE_MAX: usize = 10;

/// The longest id that is asked for, bytes: a longer one finds no room in a URL.
const ID_MAX: usize = 256;

/// An object of a document: the document itself, or an entry of its list.
pub(crate) struct Part {
    pub(crate) exchange: Rc<Exchange>,
    pub(crate) shape: Shape,
    entry: Option<(&'static str, usize)>,
}

impl Part {
    pub(crate) fn whole(exchange: Rc<Exchange>, shape: Shape) -> Self {
        Self { exchange, shape, entry: None }
    }

    fn value(&self) -> Option<&Value> {
        let (list, index) = self.entry?;
        self.exchange.document()?.get(list)?.get(index)
    }

    /// The object; `None` if there is something else in its place.
    pub(crate) fn object(&self) -> Option<&Map<String, Value>> {
        match self.entry {
            None => self.exchange.document(),
            Some(_) => self.value()?.as_object(),
        }
    }

    pub(crate) fn get(&self, field: &str) -> Option<&Value> {
        self.object()?.get(field)
    }

    pub(crate) fn text(&self, field: &str) -> Option<&str> {
        self.get(field)?.as_str()
    }

    pub(crate) fn number(&self, field: &str) -> Option<f64> {
        self.get(field)?.as_f64()
    }

    /// Where a field is within the document.
    pub(crate) fn at(&self, field: &str) -> String {
        match self.entry {
            None => field.into(),
            Some((list, index)) => format!("{list}[{index}].{field}"),
        }
    }

    /// What is in the place of an object.
    pub(crate) fn place(&self) -> (String, Option<&Value>) {
        let (list, index) = self.entry.unwrap_or(("", 0));
        (format!("{list}[{index}]"), self.value())
    }
}

/// Every object of a shape in the documents that are looked at.
pub(crate) fn parts(case: &mut Case<'_>, shape: Shape) -> Vec<Part> {
    match shape {
        Shape::Region => entries(parts(case, Shape::Regions), "regions", shape),
        Shape::SnapshotRegion => entries(parts(case, Shape::Snapshot), "regions", shape),
        Shape::HistoryPoint => entries(parts(case, Shape::History), "points", shape),
        _ => {
            let resources = resources(case, shape);
            let documents = resources.iter().filter_map(|resource| case.document(resource));
            documents.map(|exchange| Part::whole(exchange, shape)).collect()
        }
    }
}

fn entries(documents: Vec<Part>, list: &'static str, shape: Shape) -> Vec<Part> {
    let of_document = |document: &Part| {
        let count = document.get(list).and_then(Value::as_array).map_or(0, Vec::len);
        let entry = |index| Part {
            exchange: Rc::clone(&document.exchange),
            shape,
            entry: Some((list, index)),
        };
        (0..count).map(entry).collect::<Vec<_>>()
    };
    documents.iter().flat_map(of_document).collect()
}

/// The entries of the list of one document.
pub(crate) fn entries_of(document: &Part, list: &'static str, shape: Shape) -> Vec<Part> {
    let whole = Part::whole(Rc::clone(&document.exchange), document.shape);
    entries(vec![whole], list, shape)
}

/// The shapes that come as documents, that the contract shows.
pub(crate) const DOCUMENTS: [Shape; 7] = [
    Shape::Metadata,
    Shape::Regions,
    Shape::RegionDetail,
    Shape::Snapshot,
    Shape::History,
    Shape::Network,
    Shape::Forecast,
];

/// All shapes that the contract shows.
pub(crate) const SHAPES: [Shape; 10] = [
    Shape::Metadata,
    Shape::Regions,
    Shape::Region,
    Shape::RegionDetail,
    Shape::Snapshot,
    Shape::SnapshotRegion,
    Shape::History,
    Shape::HistoryPoint,
    Shape::Network,
    Shape::Forecast,
];

/// Every object of the contract.
pub(crate) fn all_parts(case: &mut Case<'_>) -> Vec<Part> {
    SHAPES.into_iter().flat_map(|shape| parts(case, shape)).collect()
}

/// Every document of the contract.
pub(crate) fn all_documents(case: &mut Case<'_>) -> Vec<Part> {
    DOCUMENTS.into_iter().flat_map(|shape| parts(case, shape)).collect()
}

/// What is asked for, to see documents of a shape.
pub(crate) fn resources(case: &mut Case<'_>, shape: Shape) -> Vec<Resource> {
    match shape {
        Shape::Metadata => vec![Resource::Metadata],
        Shape::Regions | Shape::Region => vec![Resource::Regions],
        Shape::RegionDetail => sample(case).into_iter().map(Resource::RegionDetail).collect(),
        Shape::Snapshot | Shape::SnapshotRegion => vec![Resource::Snapshot],
        Shape::History | Shape::HistoryPoint => {
            let regions = sample(case).into_iter().map(Resource::History);
            std::iter::once(Resource::History(GLOBAL.into())).chain(regions).collect()
        }
        Shape::Network => vec![Resource::Network],
        Shape::Forecast => {
            HORIZONS.into_iter().filter_map(ForecastDays::new).map(Resource::Forecast).collect()
        }
        Shape::Indicator => vec![Resource::Indicator],
    }
}

/// The ids of the registry.
pub(crate) fn region_ids(case: &mut Case<'_>) -> Vec<String> {
    let entries = parts(case, Shape::Region);
    entries.iter().filter_map(|entry| entry.text("id")).map(String::from).collect()
}

/// The regions whose documents are looked at.
pub(crate) fn sample(case: &mut Case<'_>) -> Vec<String> {
    if let Some(sample) = &case.client().sample {
        return sample.clone();
    }
    let sample = choose(case);
    case.client().sample = Some(sample.clone());
    sample
}

/// The first region and the last, those that set the global minimum and maximum, and some between.
fn choose(case: &mut Case<'_>) -> Vec<String> {
    let mut ids = region_ids(case);
    let entries = parts(case, Shape::SnapshotRegion);
    // Without a registry, the snapshot has the regions.
    if ids.is_empty() {
        ids = entries.iter().filter_map(|entry| entry.text("id")).map(String::from).collect();
    }
    // What is no id of a region breaks a rule of its own.
    ids.retain(|id| !id.is_empty() && id != GLOBAL && id.len() <= ID_MAX);
    let with_number = |field: &'static str| {
        let numbers = entries.iter().filter_map(move |entry| Some((entry.number(field)?, entry)));
        numbers.filter_map(|(number, entry)| Some((number, entry.text("id")?)))
    };
    let lowest = with_number("min_cost_usd").min_by(|a, b| a.0.total_cmp(&b.0));
    let highest = with_number("max_cost_usd").max_by(|a, b| a.0.total_cmp(&b.0));
    let extremes = [lowest, highest].into_iter().flatten().map(|(_, id)| id.to_owned());
    let extremes = extremes.filter(|id| ids.contains(id)).collect::<Vec<_>>();
    let last = ids.len().saturating_sub(1);
    let spread = (0..SAMPLE_MAX).map(|step| last * step / (SAMPLE_MAX - 1));
    let spread = spread.filter_map(|index| ids.get(index).cloned());
    let mut sample = Vec::new();
    for id in
        ids.first().cloned().into_iter().chain(ids.last().cloned()).chain(extremes).chain(spread)
    {
        if sample.len() < SAMPLE_MAX && !sample.contains(&id) {
            sample.push(id);
        }
    }
    sample
}

/// The documents of a shape as they come a second time.
pub(crate) fn again(case: &mut Case<'_>, shape: Shape) -> Vec<(Part, Part)> {
    let resources = resources(case, shape);
    let mut pairs = Vec::new();
    for resource in resources {
        let first = case.document(&resource);
        let second = case.document_by(Request::document(&resource).again());
        if let (Some(first), Some(second)) = (first, second) {
            pairs.push((Part::whole(first, shape), Part::whole(second, shape)));
        }
    }
    pairs
}
