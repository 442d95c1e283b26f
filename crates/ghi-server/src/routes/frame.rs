//! What every page has around its content: the head, the navigation and the footer.

use ghi_display::{SYNTHETIC, kind_of_data};
use ghi_engine::{ENGINE_SANDBOX_VERSION, Model};

use crate::http::paths;
use crate::http::site::Site;
use crate::routes::preview::Preview;

/// How many characters of a fingerprint a page shows: enough to tell inputs apart.
const FINGERPRINT_SHOWN: usize = 12;

/// The longest title, characters, as long as names can be cut: previews cut what is longer.
const TITLE_MAX: usize = 110;

/// What is left of a name that is cut, characters: enough to recognise it, and more than most have.
const NAME_MIN: usize = 20;

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
    /// With what every title says.
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
    pub(crate) fn new(site: &'a Site, path: &str, title: &str, description: String) -> Self {
        let here = path.split('?').next().unwrap_or_default();
        Self {
            prefix: site.prefix(),
            clock_notice: site.clock_notice(),
            title: format!("{title}{}", ending(site)),
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

    /// The frame of a page with figures: it says what they are, and what they follow from.
    pub(crate) fn of_figures(site: &'a Site, path: &str, preview: Preview, model: &Model) -> Self {
        let Preview { title, description, names } = preview;
        let kind = format!(" · {}", SYNTHETIC.to_lowercase());
        let room = TITLE_MAX.saturating_sub((kind.clone() + &ending(site)).chars().count());
        let title = fitted(title, &names, room) + &kind;
        Self {
            data: kind_of_data(model),
            fingerprint: Some(model.fingerprint().to_string()),
            ..Self::new(site, path, &title, description)
        }
    }

    /// As much of the fingerprint as people read.
    pub(crate) fn short_fingerprint(&self) -> &str {
        let fingerprint = self.fingerprint.as_deref().unwrap_or_default();
        fingerprint.get(..FINGERPRINT_SHOWN).unwrap_or(fingerprint)
    }
}

/// What every title ends with: that it is a sandbox, and whose, where the operator has said so.
fn ending(site: &Site) -> String {
    let host = site.host().map(|host| format!(" · {host}"));
    format!(" · GHI sandbox{}", host.unwrap_or_default())
}

/// A title whose names are cut, the longest first, where it is longer than there is room for.
fn fitted(title: String, names: &[String], room: usize) -> String {
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    let with_names_of = |max: usize| {
        let cut = |title: String, name: &String| title.replacen(name, &cut(name, max), 1);
        names.iter().fold(title.clone(), cut)
    };
    let fits = |title: &String| title.chars().count() <= room;
    let mut titles = (NAME_MIN..=longest).rev().map(with_names_of);
    titles.find(fits).unwrap_or_else(|| with_names_of(NAME_MIN))
}

/// As many characters of a name, the last of them an ellipsis where there were more.
fn cut(name: &str, max: usize) -> String {
    if name.chars().count() <= max {
        return name.into();
    }
    let start: String = name.chars().take(max - 1).collect();
    format!("{}…", start.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(title: &str, names: &[&str], room: usize, expected: &str) {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        assert_eq!(fitted(title.into(), &names, room), expected);
    }

    #[test]
    fn names_are_cut_where_a_title_is_too_long() {
        let long = "The region of the long name";
        let title = format!("{long}: $1");
        check(&title, &[long], 31, &title);
        check(&title, &[long], 27, "The region of the long…: $1");
        check(&title, &[long], 0, "The region of the l…: $1");
        check(&format!("{long} and US"), &[long, "US"], 28, "The region of the lo… and US");
    }
}
