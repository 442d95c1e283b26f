//! What every page has around its content: the head, the navigation and the footer.

use ghi_engine::{ENGINE_SANDBOX_VERSION, Model};

use crate::charts::{SYNTHETIC, kind_of_data};
use crate::http::paths;
use crate::http::site::Site;

/// How many characters of a fingerprint a page shows: enough to tell inputs apart.
const FINGERPRINT_SHOWN: usize = 12;

/// The pages that the navigation leads to.
const NAVIGATION: [(&str, &str); 4] = [
    (paths::DASHBOARD, "Today"),
    (paths::EXPLAIN, "Explain"),
    (paths::METHODOLOGY, "Methodology"),
    (paths::DOCS, "Docs"),
];

/// The frame of a page: field `frame` of every template that extends `base.html`.
pub(crate) struct Frame<'a> {
    /// What a path starts with.
    pub(crate) prefix: &'a str,
    /// What the page says of the server's clock, where it is not the real one.
    pub(crate) clock_notice: Option<&'a str>,
    /// Without the name of the site.
    pub(crate) title: String,
    /// What the data are, which stands first in the description: a preview cuts what is long.
    pub(crate) data: &'static str,
    /// For search engines and previews of links.
    pub(crate) description: String,
    /// What a printed page is found under.
    pub(crate) address: String,
    /// Where everybody finds the page, if the operator said so.
    pub(crate) url: Option<String>,
    /// The path of the page, without query.
    pub(crate) here: String,
    pub(crate) navigation: [(&'static str, &'static str); 4],
    pub(crate) version: &'static str,
    pub(crate) engine_sandbox_version: &'static str,
    pub(crate) licence: String,
    /// Of the inputs, on pages of figures.
    pub(crate) fingerprint: Option<String>,
}

impl<'a> Frame<'a> {
    /// The frame of the page at a path, with its query, from the site's root. The title is without the
    /// name of the site; the description is a sentence or two, with the date of the figures if it has
    /// some.
    pub(crate) fn new(site: &'a Site, path: &str, title: String, description: String) -> Self {
        let here = path.split('?').next().unwrap_or_default();
        Self {
            prefix: site.prefix(),
            clock_notice: site.clock_notice(),
            title,
            data: SYNTHETIC,
            description,
            address: site.copied_url(path),
            url: site.public_url(path),
            here: here.to_owned(),
            navigation: NAVIGATION,
            version: env!("CARGO_PKG_VERSION"),
            engine_sandbox_version: ENGINE_SANDBOX_VERSION,
            licence: env!("CARGO_PKG_LICENSE").replace(" OR ", " or "),
            fingerprint: None,
        }
    }

    /// The same of a page with figures: it says what they follow from.
    pub(crate) fn of_figures(self, model: &Model) -> Self {
        let fingerprint = Some(model.fingerprint().to_string());
        Self { data: kind_of_data(model), fingerprint, ..self }
    }

    /// As much of the fingerprint as people read.
    pub(crate) fn short_fingerprint(&self) -> &str {
        let fingerprint = self.fingerprint.as_deref().unwrap_or_default();
        fingerprint.get(..FINGERPRINT_SHOWN).unwrap_or(fingerprint)
    }
}
