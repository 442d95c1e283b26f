//! From a request to its response. Nothing here waits: the documents are at hand.

use std::sync::Arc;

use bytes::Bytes;
use ghi_engine::Model;
use hyper::header::{ALLOW, CONTENT_TYPE, DATE, HeaderValue};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use matchit::{Params, Router};

use crate::clock::Moment;
use crate::document::Document;
use crate::edition::{Edition, Editions};
use crate::parameters::Query;
use crate::problem::Problem;
use crate::router::{Handler, router};
use crate::{Clock, Config, SnapshotForm};

/// The methods of every resource.
const ALLOWED: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// The API as a function of requests.
pub(crate) struct Api {
    clock: Clock,
    editions: Editions,
    router: Router<Handler>,
    snapshot_form: SnapshotForm,
}

impl Api {
    pub(crate) fn new(config: Config) -> Self {
        let api = Self {
            clock: config.clock,
            editions: Editions::new(Model::new(config.inputs)),
            router: router(),
            snapshot_form: config.snapshot_form,
        };
        // The first request shall not wait for the day's rendering.
        api.today();
        api
    }

    /// Answers a request. Its body, if it has one, means nothing here.
    pub(crate) fn respond<B>(&self, request: &Request<B>) -> Response<Bytes> {
        let today = self.today();
        let answer = self.route(request, today.as_ref());
        let mut response = answer.unwrap_or_else(|problem| problem.response(request.uri().path()));
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            response.headers_mut().insert(ALLOW, ALLOWED);
        }
        if let Some(today) = today {
            response.headers_mut().insert(DATE, today.edition.http_date(today.moment));
        }
        response
    }

    /// Reads the clock, once for the whole response.
    fn today(&self) -> Option<Today> {
        let moment = self.clock.now()?;
        Some(Today { moment, edition: self.editions.of(moment) })
    }

    fn route<B>(
        &self,
        request: &Request<B>,
        today: Option<&Today>,
    ) -> Result<Response<Bytes>, Problem> {
        let uri = request.uri();
        match *request.method() {
            // Neither of the two targets is a path: `*`, and the authority of a tunnel.
            Method::OPTIONS if uri.path() == "*" => return Ok(options()),
            Method::CONNECT => return Err(Problem::method_not_allowed()),
            _ => {}
        }
        let path = match uri.path() {
            "/" => "/",
            path => path.strip_suffix('/').unwrap_or(path),
        };
        let route = self.router.at(path).map_err(|_| Problem::not_found())?;
        match *request.method() {
            Method::GET | Method::HEAD => {}
            Method::OPTIONS => return Ok(options()),
            _ => return Err(Problem::method_not_allowed()),
        }
        (route.value)(&Ask {
            model: self.editions.model(),
            snapshot_form: self.snapshot_form,
            headers: request.headers(),
            query: Query::parse(uri.query())?,
            path_parameters: route.params,
            today,
        })
    }
}

fn options() -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response.headers_mut().insert(ALLOW, ALLOWED);
    response
}

/// The moment of a response, and the edition of that very day.
struct Today {
    moment: Moment,
    edition: Arc<Edition>,
}

/// What a handler is asked.
pub(crate) struct Ask<'a> {
    pub(crate) model: &'a Model,
    pub(crate) snapshot_form: SnapshotForm,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) query: Query<'a>,
    path_parameters: Params<'a, 'a>,
    today: Option<&'a Today>,
}

impl Ask<'_> {
    /// A parameter of the path, percent-encoded as it came.
    pub(crate) fn path_parameter(&self, name: &str) -> &str {
        self.path_parameters.get(name).unwrap_or_default()
    }

    /// The document of the day that is picked, stamped.
    pub(crate) fn document(
        &self,
        pick: impl FnOnce(&Edition) -> &Document,
    ) -> Result<Response<Bytes>, Problem> {
        let today = self.today.ok_or_else(Problem::clock_out_of_range)?;
        let mut response = Response::new(pick(&today.edition).stamped(today.moment));
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(CONTENT_TYPE, json);
        Ok(response)
    }
}
