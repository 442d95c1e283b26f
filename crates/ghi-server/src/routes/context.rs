//! What a handler may read of its request and of the server.

use bytes::Bytes;
use ghi_engine::{Model, RecentDays, Registry};
use hyper::{HeaderMap, Response};
use matchit::Params;

use crate::clock::Moment;
use crate::config::SnapshotForm;
use crate::edition::{Edition, Now, Rendered};
use crate::http::caching::limit_to_day;
use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::observe::metrics::Metrics;

/// What a handler answers with.
pub(crate) type Answer = Result<Response<Bytes>, Problem>;

/// What answers a GET.
pub(crate) type Handler = fn(&Context<'_>) -> Answer;

/// The context of a request.
pub(crate) struct Context<'a> {
    pub(crate) headers: &'a HeaderMap,
    pub(crate) query: Query<'a>,
    pub(crate) path_parameters: Params<'a, 'a>,
    pub(crate) model: &'a Model,
    /// Absent while the clock is unusable.
    pub(crate) now: Option<&'a Now>,
    /// The snapshot that a request without preference gets.
    pub(crate) snapshot_form: SnapshotForm,
    pub(crate) is_draining: bool,
    pub(crate) metrics: &'a Metrics,
}

/// The figures that pages and files are made of.
pub(crate) struct Figures<'a> {
    pub(crate) moment: Moment,
    pub(crate) model: &'a Model,
    pub(crate) days: &'a RecentDays,
}

impl<'a> Context<'a> {
    /// The time, or the problem that there is none.
    pub(crate) fn now(&self) -> Result<&'a Now, Problem> {
        self.now.ok_or_else(Problem::clock_out_of_range)
    }

    pub(crate) fn registry(&self) -> &'a Registry {
        self.model.registry()
    }

    /// The figures of the day.
    pub(crate) fn figures(&self) -> Result<Figures<'a>, Problem> {
        let now = self.now()?;
        Ok(Figures { moment: now.moment(), model: self.model, days: now.edition().days() })
    }

    /// A parameter of the path, percent-encoded as received.
    pub(crate) fn path_parameter(&self, name: &str) -> &str {
        self.path_parameters.get(name).unwrap_or_default()
    }

    /// The response with a document of the day.
    pub(crate) fn document(&self, pick: impl FnOnce(&Edition) -> &Rendered) -> Answer {
        let now = self.now()?;
        let document = pick(now.edition());
        let stamped = || document.stamped(now.moment());
        let mut response = document.headers().respond(self.headers, document.tag(), stamped);
        limit_to_day(response.headers_mut(), now.moment());
        Ok(response)
    }
}
