//! Files that pages are made of, and browsers ask for.

use std::sync::LazyLock;

use bytes::Bytes;
use hyper::header::{CONTENT_ENCODING, HeaderValue};

use crate::http::caching::StaticContent;
use crate::http::problem::Problem;
use crate::routes::context::{Answer, Context};

/// The script of the reference. It is kept compressed and sent so: only browsers ask
/// for five megabytes of script, and every browser takes gzip.
const REFERENCE: &str = "reference.js";

const ICON: &str = "icon.svg";

/// The files by name.
static ASSETS: LazyLock<[(&str, StaticContent); 5]> = LazyLock::new(|| {
    let script = "text/javascript; charset=utf-8";
    let reference = include_bytes!(concat!(env!("OUT_DIR"), "/reference.js.gz"));
    let asset = |name, content_type, content: &'static [u8]| {
        (name, StaticContent::new(content_type, Bytes::from_static(content)))
    };
    [
        asset("style.css", "text/css; charset=utf-8", include_bytes!("../../assets/style.css")),
        asset("dashboard.js", script, include_bytes!("../../assets/dashboard.js")),
        asset("docs.js", script, include_bytes!("../../assets/docs.js")),
        asset(REFERENCE, script, reference),
        asset(ICON, "image/svg+xml", include_bytes!("../../assets/icon.svg")),
    ]
});

/// A file by its name.
pub(crate) fn asset(context: &Context<'_>) -> Answer {
    respond(context, context.path_parameter("name"))
}

/// The icon, where browsers look for it without a page.
pub(crate) fn icon(context: &Context<'_>) -> Answer {
    respond(context, ICON)
}

fn respond(context: &Context<'_>, name: &str) -> Answer {
    let (_, asset) = ASSETS.iter().find(|asset| asset.0 == name).ok_or_else(Problem::not_found)?;
    let mut response = asset.respond(context.headers);
    if name == REFERENCE {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}
