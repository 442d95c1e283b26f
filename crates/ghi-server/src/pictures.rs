//! Charts to take along: pictures that stand alone.

use std::sync::LazyLock;

use bytes::Bytes;
use hyper::Response;
use hyper::header::{CONTENT_SECURITY_POLICY, HeaderValue};

use crate::api::Ask;
use crate::charts::{self, Format};
use crate::clock::Moment;
use crate::conditional::of_the_day;
use crate::parameters::{Scope, Theme};
use crate::problem::Problem;

pub(crate) const HISTORY_CHART: &str = "/charts/history.svg";
pub(crate) const REGIONS_CHART: &str = "/charts/regions.svg";

/// The chapter of the description that the pictures and files stand in.
pub(crate) const FILES: &str = "Charts and files";

/// The colours that pictures use, by their names in the stylesheet.
const COLOURS: [&str; 6] = ["card", "ink", "faint", "rule", "range", "average"];

/// The week as a picture.
///
/// A band from minimum to maximum with the average as a line, to be embedded where SVG images can
/// be.
#[utoipa::path(get, path = HISTORY_CHART, tag = FILES,
    params(("region_id" = Option<String>, Query), ("theme" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "image/svg+xml")))]
pub(crate) fn history_chart(ask: &Ask<'_>) -> Result<Response<Bytes>, Problem> {
    let scope = Scope::parse(&ask.query, ask.model())?;
    let theme = Theme::parse(&ask.query)?;
    let figures = ask.figures()?;
    let svg = charts::history(figures.days, figures.model, scope, Format::Alone);
    Ok(picture(ask, figures.moment, theme, &svg))
}

/// The regions as a picture.
///
/// Each region's range from minimum to maximum with its average, the largest by hashrate first.
#[utoipa::path(get, path = REGIONS_CHART, tag = FILES,
    params(("theme" = Option<String>, Query)),
    responses((status = 200, body = String, content_type = "image/svg+xml")))]
pub(crate) fn regions_chart(ask: &Ask<'_>) -> Result<Response<Bytes>, Problem> {
    let theme = Theme::parse(&ask.query)?;
    let figures = ask.figures()?;
    let svg = charts::regions(figures.days, figures.model, Format::Alone);
    Ok(picture(ask, figures.moment, theme, &svg))
}

/// A picture that stands alone, in a theme of its own.
fn picture(ask: &Ask<'_>, moment: Moment, theme: Theme, svg: &str) -> Response<Bytes> {
    // The stylesheet of the pages has the colours: first the light ones, then the dark ones.
    static COLOURS_OF_PAGES: LazyLock<[String; 2]> = LazyLock::new(|| {
        let mut roots = include_str!("../assets/style.css").split(":root {").skip(1).map(colours);
        std::array::from_fn(|_| roots.next().unwrap_or_default())
    });
    let [light, dark] = &*COLOURS_OF_PAGES;
    let style = match theme {
        Theme::Light => format!(":root{{{light}}}"),
        Theme::Dark => format!(":root{{{dark}}}"),
        Theme::Auto => {
            format!(
                ":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
            )
        }
    };
    let svg = svg.replacen("</desc>", &format!("</desc><style>{style}</style>"), 1);
    let mut response = of_the_day(moment, ask.headers, "image/svg+xml", svg.into());
    // Opened by itself, a picture is a document, and may do no more than look like itself.
    let policy = HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'");
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    response
}

/// The colours of pictures among the rules that a text starts with.
fn colours(rules: &str) -> String {
    let rules = rules.split('}').next().unwrap_or_default().lines().map(str::trim);
    let is_ours = |rule: &&str| {
        let name = rule.strip_prefix("--").and_then(|rule| rule.split(':').next());
        name.is_some_and(|name| COLOURS.contains(&name))
    };
    rules.filter(is_ours).collect()
}
