//! Static files that pages use and browsers request.

use bytes::Bytes;

use crate::http::caching::{Representation, fixed_headers};
use crate::http::paths;
use crate::http::problem::Problem;
use crate::routes::context::{Context, HandlerResult};

const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! built {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name))
    };
}

/// The script of the API reference, stored as gzip, which every browser accepts.
const REFERENCE: &str = "reference.js";
const REFERENCE_GZIP: &[u8] = built!("reference.js.gz");

const ICON: &str = "icon.svg";

/// The image in link previews: a cost curve without numbers.
pub(crate) const PREVIEW: &str = "preview.png";

pub(crate) const MOVEMENT: &str = "movement.svg";

const FILES: [(&str, &str, &[u8]); 13] = [
    ("style.css", "text/css; charset=utf-8", built!("style.css")),
    ("region.css", "text/css; charset=utf-8", built!("region.css")),
    ("text.css", "text/css; charset=utf-8", built!("text.css")),
    ("site.js", SCRIPT, built!("site.js")),
    ("dashboard.js", SCRIPT, built!("dashboard.js")),
    ("curve.js", SCRIPT, built!("curve.js")),
    ("live.js", SCRIPT, built!("live.js")),
    ("readout.js", SCRIPT, built!("readout.js")),
    ("get-data.js", SCRIPT, built!("get-data.js")),
    ("docs.js", SCRIPT, built!("docs.js")),
    (ICON, "image/svg+xml", include_bytes!("../../../assets/icon.svg")),
    (PREVIEW, "image/png", include_bytes!("../../../assets/preview.png")),
    (MOVEMENT, "image/svg+xml", include_bytes!("../../../../../docs/movement.svg")),
];

/// Serves a file by its name, or the icon at the path where browsers look for it by default.
pub(crate) fn asset(context: &Context<'_>) -> HandlerResult {
    let name = if context.path_parameter.is_empty() { ICON } else { context.path_parameter };
    if name == REFERENCE {
        let gzip = Bytes::from_static(REFERENCE_GZIP);
        let make = || Representation::from_gzip(fixed_headers(context.site, SCRIPT), gzip);
        return Ok(context.fixed((paths::ASSET, REFERENCE), make));
    }
    let file = FILES.iter().find(|file| file.0 == name).ok_or_else(Problem::not_found)?;
    let (name, content_type, content) = *file;
    Ok(context.fixed_file((paths::ASSET, name), content_type, || content))
}
