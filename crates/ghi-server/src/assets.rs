//! Files that pages are made of, and browsers ask for.

use std::sync::LazyLock;

use bytes::Bytes;
use hyper::Response;
use hyper::header::{CONTENT_ENCODING, HeaderValue};

use crate::api::Ask;
use crate::conditional::Standing;
use crate::problem::Problem;

/// The script of the reference. It is kept compressed and sent so: who asks for five megabytes of
/// script is a browser, and every browser takes gzip.
const REFERENCE: &str = "reference.js";

const ICON: &str = "icon.svg";

/// The files by name.
static ASSETS: LazyLock<[(&str, Standing); 5]> = LazyLock::new(|| {
    let script = "text/javascript; charset=utf-8";
    let reference = include_bytes!(concat!(env!("OUT_DIR"), "/reference.js.gz"));
    let asset = |name, content_type, content: &'static [u8]| {
        (name, Standing::new(content_type, Bytes::from_static(content)))
    };
    [
        asset("style.css", "text/css; charset=utf-8", include_bytes!("../assets/style.css")),
        asset("dashboard.js", script, include_bytes!("../assets/dashboard.js")),
        asset("docs.js", script, include_bytes!("../assets/docs.js")),
        asset(REFERENCE, script, reference),
        asset(ICON, "image/svg+xml", include_bytes!("../assets/icon.svg")),
    ]
});

/// A file by its name.
pub(crate) fn asset(ask: &Ask<'_>) -> Result<Response<Bytes>, Problem> {
    respond(ask, ask.path_parameter("name"))
}

/// The icon, where browsers look for it when no page tells them.
pub(crate) fn icon(ask: &Ask<'_>) -> Result<Response<Bytes>, Problem> {
    respond(ask, ICON)
}

fn respond(ask: &Ask<'_>, name: &str) -> Result<Response<Bytes>, Problem> {
    let (_, asset) = ASSETS.iter().find(|asset| asset.0 == name).ok_or_else(Problem::not_found)?;
    let mut response = asset.respond(ask.headers);
    if name == REFERENCE {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}
