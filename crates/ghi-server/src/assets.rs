//! Files that pages are made of, and browsers ask for.

use std::sync::LazyLock;

use bytes::Bytes;
use hyper::Response;
use hyper::header::{CONTENT_ENCODING, HeaderValue};

use crate::api::Ask;
use crate::conditional::{of_the_program, tag};
use crate::problem::Problem;

/// A file that is part of the program.
struct Asset {
    content: &'static [u8],
    content_type: &'static str,
    /// Whether the content is compressed. Who asks for a script of five megabytes is a browser, and
    /// every browser takes gzip.
    gzipped: bool,
    tag: LazyLock<HeaderValue>,
}

static STYLE: Asset = Asset {
    content: include_bytes!("../assets/style.css"),
    content_type: "text/css; charset=utf-8",
    gzipped: false,
    tag: LazyLock::new(|| tag(STYLE.content)),
};

static DASHBOARD: Asset = Asset {
    content: include_bytes!("../assets/dashboard.js"),
    content_type: "text/javascript; charset=utf-8",
    gzipped: false,
    tag: LazyLock::new(|| tag(DASHBOARD.content)),
};

static DOCS: Asset = Asset {
    content: include_bytes!("../assets/docs.js"),
    content_type: "text/javascript; charset=utf-8",
    gzipped: false,
    tag: LazyLock::new(|| tag(DOCS.content)),
};

static REFERENCE: Asset = Asset {
    content: include_bytes!(concat!(env!("OUT_DIR"), "/reference.js.gz")),
    content_type: "text/javascript; charset=utf-8",
    gzipped: true,
    tag: LazyLock::new(|| tag(REFERENCE.content)),
};

static ICON: Asset = Asset {
    content: include_bytes!("../assets/icon.svg"),
    content_type: "image/svg+xml",
    gzipped: false,
    tag: LazyLock::new(|| tag(ICON.content)),
};

/// A file by its name.
pub(crate) fn asset(ask: &Ask<'_>) -> Result<Response<Bytes>, Problem> {
    let asset = match ask.path_parameter("name") {
        "style.css" => &STYLE,
        "dashboard.js" => &DASHBOARD,
        "docs.js" => &DOCS,
        "reference.js" => &REFERENCE,
        "icon.svg" => &ICON,
        _ => return Err(Problem::not_found()),
    };
    Ok(asset.respond(ask))
}

/// The icon, where browsers look for it when no page tells them.
pub(crate) fn icon(ask: &Ask<'_>) -> Result<Response<Bytes>, Problem> {
    Ok(ICON.respond(ask))
}

impl Asset {
    fn respond(&'static self, ask: &Ask<'_>) -> Response<Bytes> {
        let content = Bytes::from_static(self.content);
        let mut response =
            of_the_program(ask.headers, self.content_type, content, self.tag.clone());
        if self.gzipped {
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }
}
