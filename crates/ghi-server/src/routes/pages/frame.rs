//! The frame of every page: the head, the navigation and the footer.

use ghi_display::{data_notice, kind_of_data};
use ghi_engine::{Model, Provenance};

use crate::http::paths;
use crate::http::site::Site;
use crate::routes::operations::assets::PREVIEW;

/// The number of characters of a fingerprint on a page: enough to distinguish inputs.
pub(crate) const FINGERPRINT_SHOWN: usize = 12;

/// The longest title, in characters, unless short names don't suffice. Previews cut longer ones.
const TITLE_MAX: usize = 110;

/// The length of a shortened name, in characters: enough to recognise it.
const NAME_SHORT: usize = 20;

pub(crate) const NAVIGATION: [(&str, &str); 4] = [
    (paths::DASHBOARD, "Today"),
    (paths::EXPLAIN, "Explain"),
    (paths::METHODOLOGY, "Methodology"),
    (paths::DOCS, "Docs"),
];

#[derive(Default)]
pub(crate) struct Preview {
    pub(crate) title: String,
    pub(crate) description: String,
    /// The names in the title, which may be shortened.
    pub(crate) names: Vec<String>,
}

/// The frame of a page: field `frame` of every template that extends `base.html`.
#[derive(Default)]
pub(crate) struct Frame<'a> {
    pub(crate) prefix: &'a str,
    /// A notice about the server's clock, unless it shows real time.
    pub(crate) clock_notice: Option<&'a str>,
    pub(crate) title: String,
    /// The kind of data. It comes first in the description, because previews cut off the end.
    pub(crate) data: String,
    /// The kind of data as a sentence, on pages with data.
    pub(crate) data_notice: String,
    pub(crate) description: String,
    /// The URL on a printed page.
    pub(crate) address: String,
    /// The page's own URL, if the operator has set a public one.
    pub(crate) url: Option<String>,
    /// The URL of the image in link previews, if the operator has set a public URL.
    pub(crate) picture: Option<String>,
    /// The path of the page, without its query.
    pub(crate) path: String,
    /// The fingerprint of the inputs, on pages with data.
    pub(crate) fingerprint: Option<String>,
}

impl<'a> Frame<'a> {
    /// Creates the frame of the page at a path, which may have a query.
    pub(crate) fn new(site: &'a Site, path: &str, title: &str, description: String) -> Self {
        Self {
            prefix: site.prefix(),
            clock_notice: site.clock_notice.as_deref(),
            title: format!("{title}{}", title_end(site)),
            description,
            address: site.copied_url(path),
            url: site.public_url(path),
            picture: site.public_url(&paths::ASSET.replace("{name}", PREVIEW)),
            path: path.split('?').next().unwrap_or_default().into(),
            ..Self::default()
        }
    }

    /// Creates the frame of a page with data, which states the kind of data.
    pub(crate) fn of_figures(
        site: &'a Site,
        path: &str,
        preview: Preview,
        model: &Model,
        provenance: &Provenance,
    ) -> Self {
        let kind = format!(" · {}", short_kind(provenance));
        let end_length = kind.chars().count() + title_end(site).chars().count();
        let title_max = TITLE_MAX.saturating_sub(end_length);
        let title = fitted(preview.title, &preview.names, title_max) + &kind;
        let data = kind_of_data(provenance);
        let description = format!("{data}. {}", preview.description);
        Self {
            data,
            data_notice: data_notice(provenance),
            fingerprint: Some(model.fingerprint()),
            ..Self::new(site, path, &title, description)
        }
    }
}

/// The kind of data, for a title.
pub(crate) fn short_kind(provenance: &Provenance) -> &'static str {
    match provenance {
        Provenance::Synthetic => "synthetic data",
        Provenance::Mixed(_) => "partly synthetic data",
        Provenance::OperatorData => "operator's data",
    }
}

/// The end of every title: "GHI sandbox", and the host if the operator has set a public URL.
fn title_end(site: &Site) -> String {
    let host = site.host().map(|host| format!(" · {host}"));
    format!(" · GHI sandbox{}", host.unwrap_or_default())
}

/// Shortens the names in a title that is too long.
fn fitted(title: String, names: &[String], max: usize) -> String {
    names.iter().fold(title, |title, name| {
        if title.chars().count() <= max || name.chars().count() <= NAME_SHORT {
            return title;
        }
        let start: String = name.chars().take(NAME_SHORT - 1).collect();
        title.replacen(name, &format!("{}…", start.trim_end()), 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(title: &str, names: &[&str], max: usize, expected: &str) {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        assert_eq!(fitted(title.into(), &names, max), expected);
    }

    #[test]
    fn names_are_shortened_if_a_title_is_too_long() {
        let long = "The region of the long name";
        let title = format!("{long}: $1");
        check(&title, &[long], 31, &title);
        check(&title, &[long], 27, "The region of the l…: $1");
        check(&title, &[long], 0, "The region of the l…: $1");
        check(&format!("{long} and US"), &[long, "US"], 28, "The region of the l… and US");
    }
}
