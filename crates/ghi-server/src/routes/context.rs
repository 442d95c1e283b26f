//! The context of a request: what a handler can read of the request and the server.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use ghi_engine::{Model, NoFigures, Registry};
use hyper::{HeaderMap, Response};
use jiff::civil::Date;

use crate::clock::Clock;
use crate::config::SnapshotForm;
use crate::edition::{DailyFile, Document, Edition, RequestDay};
use crate::http::caching::{PageCache, Representation, fixed_headers, limit_to_day};
use crate::http::problem::{Code, Problem};
use crate::http::query::Query;
use crate::http::site::Site;
use crate::net::Content;
use crate::observe::metrics::Metrics;

/// The response of a handler, or what is wrong with the request.
pub(crate) type HandlerResult = Result<Response<Content>, Problem>;

pub(crate) type Handler = fn(&Context<'_>) -> HandlerResult;

pub(crate) struct Context<'a> {
    pub(crate) site: &'a Site,
    pub(crate) fixed: &'a PageCache<FixedFile>,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) query: Query<'a>,
    /// The names of the query parameters that the path accepts.
    pub(crate) parameters: &'static [&'static str],
    /// The parameter in the path, percent-encoded as received. Empty if the path has none.
    pub(crate) path_parameter: &'a str,
    pub(crate) clock: &'a Clock,
    pub(crate) day: &'a RequestDay,
    pub(crate) snapshot_form: SnapshotForm,
    pub(crate) is_draining: bool,
    pub(crate) metrics: &'a Metrics,
}

/// The cache key of a page or file that doesn't change while the program runs: its path, and a name that
/// distinguishes files with the same path.
pub(crate) type FixedFile = (&'static str, &'static str);

impl From<NoFigures> for Problem {
    fn from(no_figures: NoFigures) -> Self {
        Self::new(Code::NoFigures, no_figures.to_string())
    }
}

impl<'a> Context<'a> {
    pub(crate) fn edition(&self) -> &'a Edition {
        &self.day.edition
    }

    /// Returns today's date, according to the clock or the request.
    pub(crate) fn today(&self) -> Date {
        self.day.moment.date()
    }

    pub(crate) fn model(&self) -> &'a Arc<Model> {
        self.edition().model()
    }

    pub(crate) fn registry(&self) -> &'a Registry {
        self.model().registry()
    }

    pub(crate) fn document(&self, document: Document) -> HandlerResult {
        let content = self.edition().document(document)?;
        Ok(self.daily(&content))
    }

    /// Returns the response with a page or file of the day. It is rendered once for each version if it is to be cached.
    pub(crate) fn daily_file(
        &self,
        cached: impl Into<Option<DailyFile>>,
        version: &str,
        render: impl FnOnce(&Edition, &Site) -> Result<Representation, NoFigures>,
    ) -> HandlerResult {
        let render = || render(self.edition(), self.site);
        Ok(match cached.into() {
            Some(file) => self.daily(&*self.edition().files.get(file, version, render)?),
            None => self.daily(&render()?),
        })
    }

    /// The response with content of the day, stamped with the time if it has a place for it.
    pub(crate) fn daily(&self, content: &Representation) -> Response<Content> {
        let mut response = content.respond(self.headers, self.day.moment.time_of_day().as_bytes());
        limit_to_day(response.headers_mut(), self.day.moment, self.clock.speed());
        response
    }

    pub(crate) fn fixed(
        &self,
        file: FixedFile,
        make: impl FnOnce() -> Representation,
    ) -> Response<Content> {
        let Ok(content) = self.fixed.get(file, "", || Ok::<_, Infallible>(make()));
        content.respond(self.headers, &[])
    }

    pub(crate) fn fixed_file<B: Into<Bytes>>(
        &self,
        file: FixedFile,
        content_type: &'static str,
        make: impl FnOnce() -> B,
    ) -> Response<Content> {
        self.fixed(file, || Representation::new(fixed_headers(self.site, content_type), make()))
    }
}
