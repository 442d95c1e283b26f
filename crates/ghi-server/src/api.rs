//! From a request to its response. Nothing here waits: the documents are at hand.

use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use ghi_engine::Model;
use hyper::body::Body;
use hyper::header::{CONNECTION, DATE, HeaderValue};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use ipnet::IpNet;
use matchit::{Params, Router};

use crate::client::{client_address, is_trusted};
use crate::clock::{Moment, unix_micros};
use crate::conventions::{self, RequestIds, X_REQUEST_ID};
use crate::days::Days;
use crate::edition::{Edition, Editions};
use crate::form;
use crate::limit::{Limiter, Verdict};
use crate::metrics::{Reading, Shard};
use crate::parameters::Query;
use crate::problem::Problem;
use crate::rendered::Rendered;
use crate::router::{RouteIndex, router};
use crate::stream::Wire;
use crate::{Clock, Config, SnapshotForm, access_log};

/// The API as a function of requests.
pub(crate) struct Api {
    clock: Clock,
    editions: Editions,
    router: Router<RouteIndex>,
    snapshot_form: SnapshotForm,
    limiter: Option<Limiter>,
    trusted_proxies: Vec<IpNet>,
    access_log: bool,
    request_ids: RequestIds,
    shards: Vec<Arc<Shard>>,
    draining: AtomicBool,
}

/// What a connection's requests have in common.
pub(crate) struct Connection {
    peer: IpAddr,
    /// Whether the peer is on this machine and speaks for itself: then it is not limited.
    is_local: bool,
    shard: Arc<Shard>,
    wire: Arc<Wire>,
    /// Of the last request: most requests are of the same day, many of the same second.
    today: Mutex<Option<Today>>,
}

impl Connection {
    /// Says when a request came in that no socket brought.
    pub(crate) fn wake(&self, system_micros: u64) {
        self.wire.wake(system_micros);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shard.connection_closed();
    }
}

impl Api {
    pub(crate) fn new(config: Config, workers: usize) -> Self {
        let api = Self {
            clock: config.clock,
            editions: Editions::new(Model::new(config.inputs)),
            router: router(),
            snapshot_form: config.snapshot_form,
            limiter: config.rate_limit.map(Limiter::new),
            trusted_proxies: config.trusted_proxies,
            access_log: config.access_log,
            request_ids: RequestIds::default(),
            shards: (0..workers).map(|_| Arc::default()).collect(),
            draining: AtomicBool::new(false),
        };
        // The first request shall not wait for the day's rendering.
        api.read_clock(unix_micros(SystemTime::now()).unwrap_or(u64::MAX), &mut None);
        api
    }

    /// A connection from a peer, counted by its worker.
    pub(crate) fn open(&self, peer: IpAddr, shard: &Arc<Shard>, wire: Arc<Wire>) -> Connection {
        shard.connection_opened();
        let is_local = peer.is_loopback() && !is_trusted(peer, &self.trusted_proxies);
        Connection { peer, is_local, shard: Arc::clone(shard), wire, today: Mutex::default() }
    }

    /// Where a worker counts.
    pub(crate) fn shard(&self, worker: usize) -> Arc<Shard> {
        Arc::clone(&self.shards[worker])
    }

    /// From now on, readiness is denied and every response ends its connection.
    pub(crate) fn start_draining(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Renders the next day when midnight is near, so that no request has to wait for it.
    pub(crate) fn prepare_tomorrow(&self) {
        if let Some(moment) = self.clock.now() {
            self.editions.prepare_after(moment);
        }
    }

    /// Answers a request. Its body, if it has one, means nothing here.
    pub(crate) fn respond<B: Body>(
        &self,
        connection: &Connection,
        request: &Request<B>,
    ) -> Response<Bytes> {
        let woken = connection.wire.woken_micros();
        let has_bare_line_feed = connection.wire.next_request_has_bare_line_feed();
        let route = self.router.at(path_of(request)).ok();
        let index = route.as_ref().map(|route| *route.value);
        let verdict = self.verdict(connection, request, index);
        let mut today = connection.today.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = catch_unwind(AssertUnwindSafe(|| {
            self.read_clock(woken, &mut today);
            if let Verdict::Exceeded { retry_after_seconds } = verdict {
                connection.shard.limited();
                return Err(Problem::rate_limited(retry_after_seconds));
            }
            form::check(request, has_bare_line_feed)?;
            self.answer(request, route, today.as_ref())
        }));
        let answer = answer.unwrap_or_else(|_| Err(Problem::internal()));
        let mut response = answer.unwrap_or_else(|problem| problem.response(request.uri().path()));

        let headers = response.headers_mut();
        // What follows a body on the wire is not worth the doubt whether it is a request.
        if !request.body().is_end_stream() || self.draining.load(Ordering::Relaxed) {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        match &*today {
            Some(today) => conventions::fill(headers, &DATE, today.http_date.clone()),
            None => _ = headers.remove(DATE),
        }
        if let Some(limiter) = &self.limiter {
            limiter.tell(&verdict, headers);
        }
        let now = unix_micros(SystemTime::now()).unwrap_or_default();
        let took = Duration::from_micros(now.saturating_sub(woken));
        connection.shard.request(index, response.status(), took);
        // A failure is always logged, so that it can be looked up.
        if self.access_log || response.status() == StatusCode::INTERNAL_SERVER_ERROR {
            let id = self.request_ids.next();
            response.headers_mut().insert(X_REQUEST_ID, id.clone());
            let client = self.client(connection, request);
            access_log::write(&id, client, request, &response, took);
        }
        response
    }

    fn client<B>(&self, connection: &Connection, request: &Request<B>) -> IpAddr {
        client_address(connection.peer, request.headers(), &self.trusted_proxies)
    }

    fn verdict<B>(
        &self,
        connection: &Connection,
        request: &Request<B>,
        route: Option<RouteIndex>,
    ) -> Verdict {
        let is_limited = route.is_none_or(|route| route.route().limited) && !connection.is_local;
        match &self.limiter {
            Some(limiter) if is_limited => limiter.check(self.client(connection, request)),
            _ => Verdict::Free,
        }
    }

    /// Reads the clock, once for the whole response.
    fn read_clock(&self, system_micros: u64, today: &mut Option<Today>) {
        let moment = self.clock.at_system_micros(system_micros);
        match (moment, &mut *today) {
            (Some(moment), Some(today)) if moment.day() == today.moment.day() => {
                if moment.second_of_day() != today.moment.second_of_day() {
                    today.http_date = today.edition.http_date(moment);
                }
                today.moment = moment;
            }
            _ => {
                *today = moment.map(|moment| {
                    let edition = self.editions.of(moment);
                    Today { moment, http_date: edition.http_date(moment), edition }
                });
            }
        }
    }

    fn answer<B>(
        &self,
        request: &Request<B>,
        route: Option<matchit::Match<'_, '_, &RouteIndex>>,
        today: Option<&Today>,
    ) -> Result<Response<Bytes>, Problem> {
        match *request.method() {
            // Neither of the two targets is a path: `*`, and the authority of a tunnel.
            Method::OPTIONS if request.uri().path() == "*" => return Ok(conventions::options()),
            Method::CONNECT => return Err(Problem::method_not_allowed()),
            _ => {}
        }
        let route = route.ok_or_else(Problem::not_found)?;
        match *request.method() {
            Method::GET | Method::HEAD => {}
            Method::OPTIONS => return Ok(conventions::options()),
            _ => return Err(Problem::method_not_allowed()),
        }
        (route.value.route().handler)(&Ask {
            api: self,
            headers: request.headers(),
            query: Query::parse(request.uri().query())?,
            path_parameters: route.params,
            today,
        })
    }
}

/// The path to look for in the table: a trailing slash makes no difference.
fn path_of<B>(request: &Request<B>) -> &str {
    match request.uri().path() {
        "/" => "/",
        path => path.strip_suffix('/').unwrap_or(path),
    }
}

/// The moment of a response, and the edition of that very day.
struct Today {
    moment: Moment,
    edition: Arc<Edition>,
    /// The `Date` header of the moment.
    http_date: HeaderValue,
}

/// What a handler is asked.
pub(crate) struct Ask<'a> {
    api: &'a Api,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) query: Query<'a>,
    path_parameters: Params<'a, 'a>,
    today: Option<&'a Today>,
}

impl Ask<'_> {
    pub(crate) fn model(&self) -> &Model {
        self.api.editions.model()
    }

    /// The form of the snapshot for requests without preference.
    pub(crate) fn default_form(&self) -> SnapshotForm {
        self.api.snapshot_form
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.api.draining.load(Ordering::Relaxed)
    }

    pub(crate) fn check_clock(&self) -> Result<(), Problem> {
        self.today.map(|_| ()).ok_or_else(Problem::clock_out_of_range)
    }

    pub(crate) fn read_metrics(&self) -> Reading {
        let day = self.today.map(|today| today.edition.days().today().clone());
        Reading::new(&self.api.shards, self.model(), day)
    }

    /// The figures that pages and files are made of.
    pub(crate) fn figures(&self) -> Result<Figures<'_>, Problem> {
        let today = self.today.ok_or_else(Problem::clock_out_of_range)?;
        let days = today.edition.days();
        Ok(Figures { moment: today.moment, model: self.model(), days })
    }

    /// A parameter of the path, percent-encoded as it came.
    pub(crate) fn path_parameter(&self, name: &str) -> &str {
        self.path_parameters.get(name).unwrap_or_default()
    }

    /// The response with the document of the day that is picked.
    pub(crate) fn document(
        &self,
        pick: impl FnOnce(&Edition) -> &Rendered,
    ) -> Result<Response<Bytes>, Problem> {
        let today = self.today.ok_or_else(Problem::clock_out_of_range)?;
        Ok(pick(&today.edition).respond(today.moment, self.headers))
    }
}

/// The figures of a moment.
pub(crate) struct Figures<'a> {
    pub(crate) moment: Moment,
    pub(crate) model: &'a Model,
    pub(crate) days: &'a Days,
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use http_body_util::Empty;
    use hyper::header::HOST;

    use super::*;

    /// Requests of one peer, whose address need not be of this machine.
    fn get_from(api: &Api, peer: &str) -> impl Fn(&str, &'static str) -> Response<Bytes> {
        let connection = api.open(peer.parse().unwrap(), &api.shard(0), Arc::default());
        move |path, forwarded_for| {
            connection.wake(unix_micros(SystemTime::now()).unwrap());
            let request = Request::get(path).header(HOST, "test");
            let request = request.header("x-forwarded-for", forwarded_for);
            api.respond(&connection, &request.body(Empty::<Bytes>::new()).unwrap())
        }
    }

    #[test]
    fn a_panic_is_a_problem_without_detail_and_the_next_request_is_answered() {
        let api = Api::new(Config::default(), 1);
        let get = get_from(&api, "127.0.0.1");
        let failed = get("/panic", "");
        assert_eq!(failed.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(failed.headers()["content-type"], "application/problem+json");
        assert_eq!(failed.headers()[X_REQUEST_ID].len(), 16);
        let body = String::from_utf8_lossy(failed.body());
        assert!(!body.contains("as the test wants") && body.contains("\"code\":\"internal\""));
        assert_eq!(get("/v1/ghi/snapshot", "").status(), StatusCode::OK);
        let metrics = get("/metrics", "");
        let metrics = String::from_utf8_lossy(metrics.body());
        assert!(metrics.contains("ghi_http_requests_total{route=\"/panic\",status=\"500\"} 1"));
    }

    #[test]
    fn a_peer_from_afar_is_limited_whomever_it_claims_to_be() {
        let config = Config { rate_limit: NonZeroU32::new(1), ..Config::default() };
        let api = Api::new(config, 1);
        let get = get_from(&api, "203.0.113.7");
        let claims = ["127.0.0.1", "198.51.100.1", "198.51.100.2"];
        let statuses = claims.map(|claim| get("/v1/ghi/snapshot", claim).status().as_u16());
        assert_eq!(statuses, [200, 200, 429]);
        let other = get_from(&api, "203.0.113.8");
        assert_eq!(other("/v1/ghi/snapshot", "203.0.113.7").status(), StatusCode::OK);
    }
}
