//! The last days as an Atom feed (RFC 4287), one entry per day.

use askama::Template;
use ghi_display::{Delta, Past, Range, kind_of_data, long_date};
use ghi_engine::{Coin, Costs, Model, NoFigures, Scope};
use jiff::civil::Date;
use sha2::{Digest, Sha256};

use crate::edition::DailyFile;
use crate::http::caching::{Representation, daily_headers};
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::pages::general::{rendered, short_kind};

#[derive(Template)]
#[template(path = "feed.xml")]
struct Feed<'a> {
    id: String,
    coin: &'a Coin,
    /// The kind of data.
    data: String,
    /// The kind of data in short, and the host if the operator has set a public URL.
    origin: String,
    version: &'static str,
    url: String,
    dashboard_url: String,
    explain_url: String,
    /// At least one, the newest first.
    entries: Vec<Entry>,
}

struct Entry {
    id: String,
    date: Date,
    written_date: String,
    costs: Costs,
    /// The change from the day before, if that has data.
    change: Option<Delta>,
}

pub(crate) fn feed(context: &Context<'_>) -> HandlerResult {
    context.daily_file(DailyFile::Feed, "", |edition, site| {
        let (model, today) = (edition.model(), edition.date());
        // Up to the last day with data, if today has none.
        let last = model.nearest_covered(today).min(today);
        let past = Past::new(model, Scope::Global, Range::Month, last)?;
        let xml = rendered(&Feed::new(model, site, past)?);
        Ok(Representation::new(daily_headers(site, "application/atom+xml; charset=utf-8"), xml))
    })
}

impl<'a> Feed<'a> {
    fn new(model: &'a Model, site: &Site, past: Past) -> Result<Self, NoFigures> {
        let provenance = model.provenance(Scope::Global, past.last().0)?;
        let name = stable_feed_name(model, site);
        let before = past.before.into_iter().chain(past.days.iter().copied());
        let before: Vec<(Date, Costs)> = before.collect();
        let entry = |&(date, costs): &(Date, Costs)| {
            let yesterday = before.iter().find(|day| day.0.tomorrow().ok() == Some(date));
            Entry {
                id: urn(&name, &date.to_string()),
                date,
                written_date: long_date(date),
                change: yesterday.map(|day| Delta { from: day.1.avg_usd, to: costs.avg_usd }),
                costs,
            }
        };
        let kind = short_kind(&provenance);
        Ok(Self {
            id: urn(&name, "feed"),
            coin: model.coin(),
            data: kind_of_data(&provenance),
            origin: site.host().map_or(kind.into(), |host| format!("{kind}, {host}")),
            version: env!("CARGO_PKG_VERSION"),
            url: site.url(paths::FEED),
            dashboard_url: site.url(paths::DASHBOARD),
            explain_url: site.url(paths::EXPLAIN),
            entries: past.days.iter().rev().take(Range::Month.days().into()).map(entry).collect(),
        })
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
