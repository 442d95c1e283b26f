//! The last days as an Atom feed (RFC 4287), one entry per day.

use askama::Template;
use ghi_display::{Delta, Past, Range, kind_of_data};
use ghi_engine::{Costs, Model, Provenance, Scope};
use jiff::civil::Date;
use sha2::{Digest, Sha256};

use crate::edition::DailyFile;
use crate::http::caching::{Representation, daily_headers};
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::pages::general::short_kind;

#[derive(Template)]
#[template(path = "feed.xml")]
struct Feed<'a> {
    model: &'a Model,
    site: &'a Site,
    name: String,
    is_synthetic: bool,
    data: String,
    /// The kind of data in short, and the host if the operator has set a public URL.
    origin: String,
    /// The newest first, at least one, each with the change from the day before, if that has data.
    entries: Vec<(Date, Costs, Option<Delta>)>,
}

pub(crate) fn feed(context: &Context<'_>) -> HandlerResult {
    context.daily_file(DailyFile::Feed, "", |edition, site| {
        let (model, today) = (edition.model(), edition.date());
        // Up to the last day with data, if today has none.
        let last = model.nearest_covered(today).min(today);
        let past = Past::new(model, Scope::Global, Range::Month, last)?;
        let provenance = model.provenance(Scope::Global, past.last().0)?;
        let change = |(date, costs): (Date, Costs)| {
            let mut others = past.points.iter();
            let yesterday = others.find(|day| day.0.tomorrow().ok() == Some(date));
            yesterday.map(|day| Delta { from: day.1.avg_usd, to: costs.avg_usd })
        };
        let kind = short_kind(model.inputs().about(), &provenance);
        let feed = Feed {
            model,
            site,
            name: stable_feed_name(model, site),
            is_synthetic: provenance != Provenance::OperatorData,
            data: kind_of_data(model.inputs().about(), &provenance),
            origin: site.host().map_or(kind.into(), |host| format!("{kind}, {host}")),
            entries: past.days().iter().rev().map(|day| (day.0, day.1, change(*day))).collect(),
        };
        let headers = daily_headers(site, "application/atom+xml; charset=utf-8");
        Ok(Representation::new(headers, feed.to_string()))
    })
}

impl Feed<'_> {
    /// Returns the last change of a day's entry: the day, or the revision of the inputs if that was later.
    fn updated(&self, day: &Date) -> Date {
        self.model.inputs().about().revised.map_or(*day, |revised| revised.max(*day))
    }
}

/// Returns a name that doesn't change when data is added or corrected, so that feed readers show each day
/// once: the feed's URL, or otherwise its network.
fn stable_feed_name(model: &Model, site: &Site) -> String {
    site.public_url(paths::FEED).unwrap_or_else(|| {
        let ids: Vec<&str> = model.registry().regions().iter().map(|region| &*region.id).collect();
        format!("{} {}", model.seed(), ids.join(","))
    })
}

/// Returns the id of a part of a feed: a UUID of version 8 (RFC 9562), made from a hash.
fn urn(feed: &str, part: &str) -> String {
    let mut bytes = Sha256::digest(format!("{feed} {part}"));
    // Version and variant are at fixed positions.
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits: String = bytes[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    let [a, b, c, d, e] =
        [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    format!("urn:uuid:{a}-{b}-{c}-{d}-{e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_uuid_of_version_8_and_never_changes() {
        let name = urn(&"0".repeat(64), "2026-11-16");
        assert_eq!(name, "urn:uuid:811f36dd-4ae6-8880-a577-0d0e5b6a352b");
    }
}
