//! What is said of a region that nobody knows.

use ghi_contract::{GLOBAL, REGION_ID_MAX};
use ghi_engine::{Registry, visible};

/// How many known ids a message names.
const IDS_NAMED: usize = 20;

/// The ids that a registry knows.
pub(crate) fn ids_of(registry: &Registry) -> impl ExactSizeIterator<Item = &str> {
    registry.regions().iter().map(|region| &*region.id)
}

/// That no region has this id, and which there are, beside worldwide.
pub(crate) fn unknown_scope<'a>(id: &str, known: impl ExactSizeIterator<Item = &'a str>) -> String {
    unknown(id, &format!("{GLOBAL}, or "), known)
}

/// That no region has this id, and which there are.
pub(crate) fn unknown_region<'a>(
    id: &str,
    known: impl ExactSizeIterator<Item = &'a str>,
) -> String {
    unknown(id, "", known)
}

fn unknown<'a>(
    id: &str,
    beside: &str,
    mut known: impl ExactSizeIterator<Item = &'a str>,
) -> String {
    let named = known.by_ref().take(IDS_NAMED).map(|id| visible(id, REGION_ID_MAX));
    let named = named.collect::<Vec<_>>().join(", ");
    let more = match known.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    // What is longer than any id is not repeated whole.
    let id = visible(id, REGION_ID_MAX);
    format!("no region has the id '{id}'; it takes {beside}one of {named}{more}")
}
