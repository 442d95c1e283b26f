//! What a handler may read of its request and of the server.

use bytes::Bytes;
use ghi_engine::{Model, NoFigures, Registry};
use hyper::{HeaderMap, Response};
use matchit::Params;

use crate::clock::Clock;
use crate::config::SnapshotForm;
use crate::edition::{DailyFile, Edition, Now};
use crate::http::caching::{Cacheable, Representation, limit_to_day};
use crate::http::kept::Kept;
use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::http::site::Site;
use crate::http::streaming::respond_streamed;
use crate::net::{Content, Source};
use crate::observe::metrics::Metrics;

/// What a handler answers with.
pub(crate) type Answer = Result<Response<Content>, Problem>;

/// What answers a GET.
pub(crate) type Handler = fn(&Context<'_>) -> Answer;

/// The context of a request.
pub(crate) struct Context<'a> {
    pub(crate) site: &'a Site,
    /// What says the same as long as the program runs.
    pub(crate) fixed: &'a Kept<FixedFile>,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) query: Query<'a>,
    pub(crate) path_parameters: Params<'a, 'a>,
    pub(crate) model: &'a Model,
    pub(crate) clock: &'a Clock,
    /// Absent while the clock is unusable.
    pub(crate) now: Option<&'a Now>,
    /// The snapshot that a request without preference gets.
    pub(crate) snapshot_form: SnapshotForm,
    pub(crate) is_draining: bool,
    pub(crate) metrics: &'a Metrics,
}

/// What a page or a file is of that says the same as long as the program runs: its path, and which
/// of those that share the path.
pub(crate) type FixedFile = (&'static str, &'static str);

impl From<NoFigures> for Problem {
    fn from(no_figures: NoFigures) -> Self {
        Self::no_figures(no_figures.to_string())
    }
}

impl<'a> Context<'a> {
    /// The time, or the problem that there is none.
    pub(crate) fn now(&self) -> Result<&'a Now, Problem> {
        self.now.ok_or_else(Problem::clock_out_of_range)
    }

    pub(crate) fn registry(&self) -> &'a Registry {
        self.model.registry()
    }

    /// A parameter of the path, percent-encoded as received.
    pub(crate) fn path_parameter(&self, name: &str) -> &str {
        self.path_parameters.get(name).unwrap_or_default()
    }

    /// The response with a document of the day.
    pub(crate) fn document(
        &self,
        pick: impl FnOnce(&Edition) -> Result<&Representation, NoFigures>,
    ) -> Answer {
        let now = self.now()?;
        Ok(self.daily(now, pick(now.edition())?, &now.moment().time_of_day()))
    }

    /// The response with a page or a file of the day, which is made once a day.
    pub(crate) fn daily_file(
        &self,
        file: DailyFile,
        stamp: &[u8],
        make: impl FnOnce(&Edition) -> Result<Representation, NoFigures>,
    ) -> Answer {
        let now = self.now()?;
        let edition = now.edition();
        Ok(self.daily(now, &*edition.files.try_get(file, || make(edition))?, stamp))
    }

    /// The response with content of the day that is made while it is sent, and what it is made of.
    pub(crate) fn streamed(
        &self,
        headers: Cacheable,
        made_of: &[&str],
        source: impl Source,
    ) -> Answer {
        let now = self.now()?;
        let mut response = respond_streamed(headers, made_of, self.headers, source);
        limit_to_day(response.headers_mut(), now.moment(), self.clock.speed());
        Ok(response)
    }

    /// The response with content of a day's figures.
    pub(crate) fn daily(
        &self,
        now: &Now,
        content: &Representation,
        stamp: &[u8],
    ) -> Response<Content> {
        let mut response = content.respond(self.headers, stamp);
        limit_to_day(response.headers_mut(), now.moment(), self.clock.speed());
        response
    }

    /// The response with a file that says the same as long as the program runs.
    pub(crate) fn fixed_file<B: Into<Bytes>>(
        &self,
        file: FixedFile,
        content_type: &'static str,
        make: impl FnOnce() -> B,
    ) -> Response<Content> {
        let make = || Representation::new(Cacheable::fixed(self.site, content_type), make());
        self.fixed.get(file, make).respond(self.headers, &[])
    }
}
