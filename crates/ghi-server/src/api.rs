//! Request handling in steps: [`identify`](Api::identify), [`check`](Api::check), [`place`](Api::place),
//! [`run`](Api::run) and [`finish`](Api::finish). Nothing here blocks on I/O.

use std::net::{IpAddr, SocketAddr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ghi_contract::paths::PREFIX;
use ghi_engine::{Inputs, Model};
use hyper::header::{ACCEPT_ENCODING, CONNECTION, HeaderValue, IF_NONE_MATCH};
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Version};
use ipnet::IpNet;

use crate::clock::{Clock, MonotonicTime};
use crate::config::{Config, SnapshotForm};
use crate::edition::{Editions, RequestDay};
use crate::http::caching::encode;
use crate::http::client_address::{canonical, client_address, is_trusted};
use crate::http::common_headers::{X_REQUEST_ID, options, set_date};
use crate::http::page_cache::PageCache;
use crate::http::paths;
use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::http::rate_limit::{Limiter, Quota};
use crate::http::site::Site;
use crate::http::validation::{HeaderScan, validate};
use crate::net::{Arrival, ClientKey, Content, RenderPool, Reply, Service, Ticket};
use crate::observe::access_log;
use crate::observe::metrics::Metrics;
use crate::observe::request_names::{RequestIds, TraceContext};
use crate::router::{ROUTES, Route, RouteKind, find_route};
use crate::routes::context::{Context, FixedFile, HandlerResult};
use crate::routes::daily_files::warm_files;
use crate::routes::pages::general;
use crate::scenarios::{Failure, FaultPlan, Scenarios, ignored_preference};

/// The API as a function from requests to responses.
pub(crate) struct Api {
    clock: Clock,
    site: Arc<Site>,
    fixed: PageCache<FixedFile>,
    pub(crate) editions: Editions,
    snapshot_form: SnapshotForm,
    scenarios: Scenarios,
    strict_parameters: bool,
    limiter: Option<Limiter>,
    limits_loopback: bool,
    trusted_proxies: Vec<IpNet>,
    access_log: bool,
    request_ids: RequestIds,
    pub(crate) metrics: Arc<Metrics>,
    /// One cell per worker.
    days: Vec<Arc<DayCell>>,
    pool: RenderPool,
    draining: AtomicBool,
}

/// The day of a worker's last request, cached for the next one.
type DayCell = Mutex<Option<RequestDay>>;

/// The state shared by the requests of a connection.
pub(crate) struct Connection {
    peer: IpAddr,
    /// Whether its requests are rate limited. Local peers that are not proxies are exempt by default.
    is_limited: bool,
    /// Whether it was accepted on the probe socket.
    on_probe_socket: bool,
    metrics: Arc<Metrics>,
    /// Shared with the other connections of its worker. With a cell of its own, an idle connection would
    /// keep an old day in memory.
    day: Arc<DayCell>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.metrics.connections_open.dec();
    }
}

/// What is found out about a request, once.
#[derive(Clone, Copy)]
struct Identity {
    /// The route, and its index for the metrics.
    route: Option<(usize, &'static Route)>,
    client: IpAddr,
    /// The client that the request's use of limited resources counts against, if its connection is limited.
    bounded_client: Option<ClientKey>,
    quota: Quota,
}

/// A request with what is known about it, and its day.
struct Exchange<'a> {
    connection: &'a Connection,
    arrival: &'a Arrival,
    identity: Identity,
    scan: HeaderScan<'a>,
    day: &'a RequestDay,
}

/// The response to a request, and how it is to be sent.
struct Outcome {
    response: Response<Content>,
    quota: Quota,
    fault: Option<Box<FaultPlan>>,
}

impl Exchange<'_> {
    fn request(&self) -> &Request<()> {
        &self.arrival.request
    }

    fn route(&self) -> Option<&'static Route> {
        self.identity.route.map(|(_, route)| route)
    }
}

impl Api {
    /// Creates the API of a server that listens on this address with this many workers.
    pub(crate) fn new(config: Config, address: SocketAddr, workers: usize) -> Self {
        let scenarios = Scenarios::new(&config);
        let mut site = Site::new(config.public_url);
        site.address = address;
        site.clock_notice = config.clock.notice();
        site.has_scenarios = config.scenarios;
        let site = Arc::new(site);
        let model = Model::new(config.inputs);
        let mut editions = Editions::new(model, &site);
        editions.speed = config.clock.speed();
        let routes = ROUTES.iter().map(|route| route.path);
        Self {
            editions,
            clock: config.clock,
            site,
            fixed: PageCache::default(),
            snapshot_form: config.snapshot_form,
            strict_parameters: config.strict_parameters,
            limiter: config.rate_limit.map(Limiter::new),
            limits_loopback: config.rate_limit_loopback,
            trusted_proxies: config.trusted_proxies.into_iter().map(canonical).collect(),
            access_log: config.access_log,
            request_ids: RequestIds::default(),
            metrics: Metrics::new(routes, Arc::clone(&scenarios.waiting)).into(),
            scenarios,
            days: (0..workers).map(|_| Arc::default()).collect(),
            pool: RenderPool::new(),
            draining: AtomicBool::new(false),
        }
    }

    /// Switches to new inputs. They are rendered first; until then, requests get the old data.
    pub(crate) fn reload(&self, inputs: Inputs) {
        self.editions
            .reload(Model::new(inputs), self.clock.now(), |day| warm_files(day, &self.site));
        self.forget_old_days();
        self.metrics.reloaded(true);
    }

    /// Makes `/readyz` return 503 and every response close its connection.
    pub(crate) fn start_draining(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// Renders the current day, and the next one when midnight is near, so that no request has to wait.
    pub(crate) fn prepare_days(&self) {
        self.editions.prepare(self.clock.now(), |day| warm_files(day, &self.site));
        self.forget_old_days();
    }

    /// Frees the days cached by idle workers, if the day is over or the inputs were replaced.
    fn forget_old_days(&self) {
        for cell in &self.days {
            // A busy worker updates its own cell.
            let Ok(mut day) = cell.try_lock() else { continue };
            day.take_if(|day| !day.is_current(self.clock.now(), &self.editions));
        }
    }

    /// Handles a request that was admitted to the pool, on one of its threads.
    fn render(&self, connection: &Connection, arrival: &Arrival, identity: Identity) -> Reply {
        // The worker uses its own cell for other requests in the meantime.
        let mut own_day = None;
        let (day, scan) = (self.day(&mut own_day), HeaderScan::new(arrival.request.headers()));
        let exchange = Exchange { connection, arrival, identity, scan, day };
        let outcome = self.run(&exchange, Ok(()));
        self.finish(&exchange, outcome)
    }

    /// Reads the clock, once per request, and returns the current day.
    fn day<'c>(&self, cell: &'c mut Option<RequestDay>) -> &'c RequestDay {
        let now = self.clock.now();
        let message_time = self.clock.message_time(now);
        let day = cell.get_or_insert_with(|| RequestDay::new(now, message_time, &self.editions));
        day.advance(now, message_time, &self.editions);
        day
    }

    /// Finds the route of a request and its client, and counts it against the client's rate limit.
    fn identify(&self, connection: &Connection, request: &Request<()>) -> Identity {
        let route = find_route(request.uri().path());
        let client = client_address(connection.peer, request.headers(), &self.trusted_proxies);
        let bounded_client = connection.is_limited.then(|| client.into());
        let is_probe = route.is_some_and(|(_, route)| route.kind == RouteKind::Probe);
        let quota = match (&self.limiter, bounded_client) {
            (Some(limiter), Some(client)) if !is_probe => limiter.check(client),
            _ => Quota::Unlimited,
        };
        Identity { route, client, bounded_client, quota }
    }

    /// Queues a request that is rendered on the pool, and returns its place. Fails if the queue is full.
    fn place(&self, exchange: &Exchange<'_>) -> Result<Option<Ticket>, Problem> {
        let (request, has_prefer) = (exchange.request(), exchange.scan.has_prefer);
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        let route = exchange.route().filter(|_| is_read);
        if !route.is_some_and(|it| it.is_rendered_alone(request.uri().query(), has_prefer)) {
            return Ok(None);
        }
        self.pool.queue(exchange.identity.bounded_client).map(Some).ok_or_else(Problem::busy)
    }

    /// Produces the response to a request that passed the checks or didn't. A panic becomes a 500.
    fn run(&self, exchange: &Exchange<'_>, checked: Result<(), Problem>) -> Outcome {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            if let Err(problem) = checked {
                return self.outcome(exchange, exchange.identity.quota, Err(problem), None);
            }
            match self.plan(exchange) {
                Ok(None) => {
                    let result = self.handle(exchange, exchange.request().headers(), exchange.day);
                    self.outcome(exchange, exchange.identity.quota, result, None)
                }
                Ok(Some(mut fault)) => {
                    let result = self.dispatch_fault(exchange, &mut fault);
                    self.outcome(exchange, exchange.identity.quota, result, Some(fault))
                }
                // The limit on scenarios was reached, not the client's rate limit.
                Err(problem) => self.outcome(exchange, Quota::Unlimited, Err(problem), None),
            }
        }));
        outcome.unwrap_or_else(|_| {
            self.outcome(exchange, exchange.identity.quota, Err(Problem::internal()), None)
        })
    }

    /// Rejects a request that exceeds its quota, is malformed, or arrived on the wrong socket.
    fn check(&self, exchange: &Exchange<'_>) -> Result<(), Problem> {
        if let Quota::Exceeded { retry_after_seconds } = exchange.identity.quota {
            self.metrics.requests_limited.inc();
            return Err(Problem::rate_limited(
                "Too many requests from this address",
                retry_after_seconds,
            ));
        }
        validate(exchange.arrival, &exchange.scan)?;
        let kind = exchange.route().map(|route| route.kind);
        let is_on_probe_socket = matches!(kind, Some(RouteKind::Probe | RouteKind::Metrics));
        if exchange.connection.on_probe_socket && !is_on_probe_socket {
            return Err(Problem::not_a_probe());
        }
        Ok(())
    }

    /// Plans the scenario that a request selects or chaos picks, if any.
    #[inline]
    fn plan(&self, exchange: &Exchange<'_>) -> Result<Option<Box<FaultPlan>>, Problem> {
        let route = exchange.route().filter(|route| route.kind.has_scenarios());
        let Some(route) = route else { return Ok(None) };
        let (request, has_prefer) = (exchange.request(), exchange.scan.has_prefer);
        let seed = || exchange.day.edition().model().seed();
        let Some(scenario) = self.scenarios.of(request, route.path, has_prefer, seed) else {
            return Ok(None);
        };
        let client = exchange.identity.bounded_client;
        let rejection = scenario.is_strict.then(|| strict_rejection(request, route)).flatten();
        let days = (exchange.day, &self.editions, route.days_drawn(request.uri().query()));
        let plan = self.scenarios.plan(scenario, rejection, days, client);
        let plan = plan.map(|plan| Some(Box::new(plan)));
        plan.inspect_err(|_| _ = self.metrics.scenarios_refused.inc())
    }

    /// Returns the scenario's problem, or calls the route's handler with the scenario's day.
    #[inline(never)] // Keeps requests without a scenario short.
    fn dispatch_fault(&self, exchange: &Exchange<'_>, fault: &mut FaultPlan) -> HandlerResult {
        if let Some(problem) = fault.rejection.take() {
            return Err(problem);
        }
        let route = exchange.route().map_or("", |route| route.path);
        if let Some(error) = fault.scenario.error(&self.site, route) {
            return error;
        }
        let day = fault.day.as_ref().unwrap_or(exchange.day);
        let headers = exchange.request().headers();
        if fault.scenario.failure.is_none() {
            return self.handle(exchange, headers, day);
        }
        // A 304 has no body to break.
        let mut headers = headers.clone();
        headers.remove(IF_NONE_MATCH);
        // A document must not be compressed if it is to be changed.
        if matches!(fault.scenario.failure, Some(Failure::Altered(_))) {
            headers.remove(ACCEPT_ENCODING);
        }
        let response = self.handle(exchange, &headers, day)?;
        fault.reject(&response).map_or(Ok(response), Err)
    }

    /// Calls the route's handler.
    fn handle(
        &self,
        exchange: &Exchange<'_>,
        headers: &HeaderMap,
        day: &RequestDay,
    ) -> HandlerResult {
        let request = exchange.request();
        #[cfg(any(test, feature = "internals"))]
        assert!(!headers.contains_key("x-panic"), "on purpose");
        if let Some(response) = self.without_path(request) {
            return response;
        }
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        // The API always returns JSON, whatever the client accepts.
        let is_api = request.uri().path().starts_with(PREFIX);
        let Some(route) = exchange.route() else {
            let problem = Problem::not_found();
            return match is_read && !is_api {
                true => general::page_or_problem(&self.site, headers, problem),
                false => Err(problem),
            };
        };
        match *request.method() {
            Method::OPTIONS => return Ok(options(self.site.common_headers(), headers)),
            _ if !is_read => return Err(Problem::method_not_allowed()),
            _ => {}
        }
        let query = match self.query(request, route) {
            Err(problem) if route.kind == RouteKind::Page => {
                return general::page_or_problem(&self.site, headers, problem);
            }
            query => query?,
        };
        let context = self.context(exchange, headers, query, day);
        if route.kind == RouteKind::Page {
            // The dashboard shows unknown names together with invalid values.
            let is_dashboard = route.path == paths::DASHBOARD;
            let names = if is_dashboard { Ok(()) } else { general::check_names(&context) };
            let page = names.and_then(|()| (route.handler)(&context));
            return page.or_else(|problem| general::problem_page(&context, problem));
        }
        (route.handler)(&context)
    }

    /// Returns what handlers know about a request.
    fn context<'a>(
        &'a self,
        exchange: &Exchange<'a>,
        headers: &'a HeaderMap,
        query: Query<'a>,
        day: &'a RequestDay,
    ) -> Context<'a> {
        let path = exchange.arrival.request.uri().path();
        Context {
            site: &self.site,
            fixed: &self.fixed,
            headers,
            has_prefer: exchange.scan.has_prefer,
            is_conditional: exchange.scan.is_conditional,
            query,
            parameters: exchange.route().map_or(&[], |route| route.parameters),
            path_parameter: exchange.route().and_then(|it| it.parameter(path)).unwrap_or_default(),
            clock: &self.clock,
            day,
            snapshot_form: self.snapshot_form,
            is_draining: self.is_draining(),
            metrics: &self.metrics,
        }
    }

    /// Returns the response to a request without a path: `OPTIONS *` or `CONNECT`.
    fn without_path(&self, request: &Request<()>) -> Option<HandlerResult> {
        match *request.method() {
            Method::OPTIONS if request.uri().path() == "*" => {
                Some(Ok(options(self.site.common_headers(), request.headers())))
            }
            Method::CONNECT => Some(Err(Problem::method_not_allowed())),
            _ => None,
        }
    }

    fn query<'r>(&self, request: &'r Request<()>, route: &Route) -> Result<Query<'r>, Problem> {
        let mut query = Query::parse(request.uri().query())?;
        query.is_form = route.kind == RouteKind::Page;
        let is_strict = match route.kind {
            RouteKind::File => true,
            RouteKind::Api => self.strict_parameters,
            _ => false,
        };
        if is_strict {
            query.check_names(route.parameters)?;
        }
        Ok(query)
    }

    /// Turns a handler's result into a response, and applies the scenario to it.
    fn outcome(
        &self,
        exchange: &Exchange<'_>,
        mut quota: Quota,
        result: HandlerResult,
        mut fault: Option<Box<FaultPlan>>,
    ) -> Outcome {
        let request = exchange.request();
        let mut response = result.unwrap_or_else(|problem| {
            encode(problem.response(&self.site, request.uri().path()), request.headers())
        });
        if let Some(fault) = &mut fault {
            fault.apply(&mut response, exchange.day.edition());
            if response.status() == StatusCode::TOO_MANY_REQUESTS {
                let retry_after_seconds = fault.scenario.retry_after_seconds();
                quota = Quota::Exceeded { retry_after_seconds };
            }
        }
        Outcome { response, quota, fault }
    }

    /// Completes the headers of the response, counts the request and logs it.
    fn finish(&self, exchange: &Exchange<'_>, outcome: Outcome) -> Reply {
        let Outcome { mut response, quota, fault } = outcome;
        let request = exchange.request();
        // In HTTP/1.0, closing the connection marks the end of content of unknown length.
        let ends_by_close =
            request.version() == Version::HTTP_10 && response.body().len().is_none();
        if ends_by_close {
            *response.version_mut() = Version::HTTP_10;
        }
        let headers = response.headers_mut();
        // Bytes after a body may be a smuggled request, so they are never read.
        if exchange.arrival.has_body || self.is_draining() || ends_by_close {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        set_date(headers, exchange.day.http_date.clone());
        let trace = match exchange.scan.has_id {
            true => TraceContext::of(request.headers()),
            false => TraceContext::default(),
        };
        trace.write_headers(headers);
        if let Some(limiter) = &self.limiter {
            limiter.write_headers(quota, headers);
        }
        let took = MonotonicTime::now().since(exchange.arrival.started);
        let status = response.status();
        match &fault {
            None => {
                self.metrics.request(exchange.identity.route.map(|(index, _)| index), status, took)
            }
            Some(fault) => self.metrics.scenario(&fault.scenario),
        }
        if self.access_log || status == StatusCode::INTERNAL_SERVER_ERROR {
            self.log(exchange, &mut response, fault.as_deref(), &trace, took);
        }
        match fault.map(|fault| (fault.is_reset(), fault.wait)) {
            Some((true, wait)) => Reply::Reset(wait),
            Some((false, Some(wait))) => Reply::Later(response, wait),
            _ => Reply::Now(response),
        }
    }

    /// Sets the request id and writes the access log line. A server failure is logged even if the access
    /// log is off, unless it was simulated.
    fn log(
        &self,
        exchange: &Exchange<'_>,
        response: &mut Response<Content>,
        fault: Option<&FaultPlan>,
        trace: &TraceContext<'_>,
        took: Duration,
    ) {
        let id = trace.request_id.cloned().unwrap_or_else(|| self.request_ids.next());
        response.headers_mut().insert(X_REQUEST_ID, id.clone());
        if self.access_log || fault.is_none() {
            let request = exchange.request();
            let client = exchange.identity.client;
            let scenario = fault.map(|fault| &fault.scenario);
            access_log::write(&id, trace.traceparent, client, (request, response), scenario, took);
        }
    }
}

/// Returns why a request with `handling=strict` is rejected, if it is.
#[cold]
fn strict_rejection(request: &Request<()>, route: &Route) -> Option<Problem> {
    let query = || Query::parse(request.uri().query())?.check_names(route.parameters);
    ignored_preference(request, route.path).or_else(|| query().err())
}

impl Service for Api {
    type Connection = Connection;

    fn is_bounded(&self, peer: IpAddr) -> bool {
        !peer.is_loopback() && !is_trusted(peer, &self.trusted_proxies)
    }

    fn refused(&self, _worker: usize) {
        self.metrics.connections_refused.inc();
    }

    fn evicted(&self, _worker: usize) {
        self.metrics.connections_evicted.inc();
    }

    fn connect(&self, peer: IpAddr, worker: usize, is_probe: bool) -> Connection {
        self.metrics.connections_open.inc();
        let is_limited = !is_probe
            && (self.limits_loopback
                || !peer.is_loopback()
                || is_trusted(peer, &self.trusted_proxies));
        let (metrics, day) = (Arc::clone(&self.metrics), Arc::clone(&self.days[worker]));
        Connection { peer, is_limited, on_probe_socket: is_probe, metrics, day }
    }

    fn respond(self: &Arc<Self>, connection: &Arc<Connection>, arrival: Arrival) -> Reply {
        let mut day = connection.day.lock().unwrap_or_else(PoisonError::into_inner);
        let day = self.day(&mut day);
        let identity = self.identify(connection, &arrival.request);
        let scan = HeaderScan::new(arrival.request.headers());
        let exchange = Exchange { connection, arrival: &arrival, identity, scan, day };
        // Only a request within its rate limit takes a place in the queue.
        let placed = self.check(&exchange).and_then(|()| self.place(&exchange));
        match placed {
            Ok(Some(ticket)) => {
                let (api, connection) = (Arc::clone(self), Arc::clone(connection));
                Reply::Rendered(
                    ticket,
                    Box::new(move || api.render(&connection, &arrival, identity)),
                )
            }
            checked => {
                let outcome = self.run(&exchange, checked.map(|_| ()));
                self.finish(&exchange, outcome)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::num::NonZeroU32;

    use hyper::header::HOST;

    use super::*;

    const HERE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8000);

    fn api(config: Config) -> Arc<Api> {
        Arc::new(Api::new(config, HERE, 1))
    }

    fn arrival(path: &str, headers: &[(&str, &str)]) -> Arrival {
        let request = headers
            .iter()
            .fold(Request::get(path).header(HOST, "test"), |request, (name, value)| {
                request.header(*name, *value)
            });
        Arrival {
            request: request.body(()).unwrap(),
            has_body: false,
            defect: None,
            started: MonotonicTime::now(),
        }
    }

    /// Sends requests as a peer with any address.
    fn get_from(api: &Arc<Api>, peer: &str) -> impl Fn(&str, &[(&str, &str)]) -> Response<Content> {
        let connection = Arc::new(api.connect(peer.parse().unwrap(), 0, false));
        move |path, headers| api.respond(&connection, arrival(path, headers)).into_response()
    }

    /// Begins an exchange with a peer and passes it to a test of a single step.
    fn exchange<T>(
        api: &Arc<Api>,
        peer: &str,
        arrival: &Arrival,
        test: impl FnOnce(&Exchange<'_>) -> T,
    ) -> T {
        let connection = api.connect(peer.parse().unwrap(), 0, false);
        let now = api.clock.now();
        let day = RequestDay::new(now, now, &api.editions);
        let identity = api.identify(&connection, &arrival.request);
        let scan = HeaderScan::new(arrival.request.headers());
        let exchange = Exchange { connection: &connection, arrival, identity, scan, day: &day };
        test(&exchange)
    }

    fn text(response: Response<Content>) -> String {
        String::from_utf8_lossy(&response.into_body().into_bytes()).into_owned()
    }

    #[test]
    fn the_route_the_client_and_the_quota_are_found_once() {
        let api = api(Config::default());
        let arrival = arrival("/v1/ghi/regions/us/", &[]);
        exchange(&api, "203.0.113.7", &arrival, |exchange| {
            assert_eq!(exchange.route().map(|route| route.kind), Some(RouteKind::Api));
            assert_eq!(exchange.identity.client, "203.0.113.7".parse::<IpAddr>().unwrap());
            assert_eq!(exchange.identity.quota, Quota::Within { remaining: 199 });
        });
        exchange(&api, "127.0.0.1", &arrival, |exchange| {
            assert_eq!(exchange.identity.quota, Quota::Unlimited);
        });
    }

    #[test]
    fn a_request_is_admitted_if_it_is_valid_and_within_its_quota() {
        let api = api(Config { rate_limit: NonZeroU32::new(1), ..Config::default() });
        let admitted = |arrival: &Arrival| {
            exchange(&api, "203.0.113.7", arrival, |exchange| {
                api.check(exchange).map_err(|problem| problem.describe().code)
            })
        };
        let without_host = Arrival {
            request: Request::get("/").body(()).unwrap(),
            has_body: false,
            defect: None,
            started: MonotonicTime::now(),
        };
        assert_eq!(admitted(&arrival("/", &[])), Ok(()));
        assert_eq!(admitted(&without_host), Err("bad_request"));
        assert_eq!(admitted(&arrival("/", &[])), Err("rate_limited"));
    }

    #[test]
    fn faults_are_planned_only_for_the_api() {
        let api = api(Config::default());
        let planned = |path, headers: &[(&str, &str)]| {
            exchange(&api, "127.0.0.1", &arrival(path, headers), |exchange| {
                api.plan(exchange).unwrap().is_some()
            })
        };
        let prefer: &[(&str, &str)] = &[("prefer", "code=503")];
        assert!(planned("/v1/ghi/snapshot", prefer));
        assert!(!planned("/v1/ghi/snapshot", &[]));
        assert!(!planned("/healthz", prefer) && !planned("/", prefer));
    }

    #[test]
    fn a_probe_socket_admits_only_probes_and_metrics() {
        let api = api(Config::default());
        let admitted = |path| {
            let (connection, arrival) = (api.connect(HERE.ip(), 0, true), arrival(path, &[]));
            let now = api.clock.now();
            let day = RequestDay::new(now, now, &api.editions);
            let identity = api.identify(&connection, &arrival.request);
            let (scan, arrival) = (HeaderScan::new(arrival.request.headers()), &arrival);
            let exchange = Exchange { connection: &connection, arrival, identity, scan, day: &day };
            api.check(&exchange).is_ok()
        };
        assert!(admitted("/healthz") && admitted("/metrics"));
        assert!(!admitted("/v1/ghi/snapshot") && !admitted("/") && !admitted("/nothing"));
    }

    #[test]
    fn the_route_and_its_parameters_decide_what_is_rendered_on_the_pool() {
        let api = api(Config::default());
        let connection = Arc::new(api.connect(HERE.ip(), 0, false));
        let at: &[(&str, &str)] = &[("prefer", "at=2026-01-01")];
        for (target, headers, is_rendered) in [
            ("/", &[][..], false),
            ("/?price=1", &[], true),
            ("/regions/us", &[], true),
            ("/explain?date=2026-01-01", &[], true),
            ("/charts/history.svg", &[], false),
            ("/charts/history.svg?range=all", &[], true),
            ("/charts/history.svg", at, true),
            ("/export/explain.json?date=2026-01-01", &[], true),
            ("/export/history.csv?range=all", &[], false),
            ("/v1/ghi/history?region_id=us", at, false),
            ("/docs?x", &[], false),
            ("/metrics?x", &[], false),
        ] {
            let reply = api.respond(&connection, arrival(target, headers));
            assert_eq!(matches!(reply, Reply::Rendered(..)), is_rendered, "{target}");
        }
    }

    #[test]
    fn a_request_over_its_rate_limit_takes_no_place_in_the_queue() {
        let api = api(Config { rate_limit: NonZeroU32::new(1), ..Config::default() });
        let connection = Arc::new(api.connect("203.0.113.7".parse().unwrap(), 0, false));
        let ask = || api.respond(&connection, arrival("/?price=1", &[]));
        let queued = [ask(), ask()];
        assert!(queued.iter().all(|reply| matches!(reply, Reply::Rendered(..))));
        assert_eq!(ask().into_response().status(), StatusCode::TOO_MANY_REQUESTS);
    }

    #[test]
    fn a_client_with_nine_requests_in_the_queue_gets_503_with_retry_after() {
        let api = api(Config::default());
        let ask = |peer: &str| {
            let connection = Arc::new(api.connect(peer.parse().unwrap(), 0, false));
            api.respond(&connection, arrival("/?price=1", &[]))
        };
        let queued = [(); 9].map(|()| ask("203.0.113.7"));
        assert!(queued.iter().all(|reply| matches!(reply, Reply::Rendered(..))));
        let refused = ask("203.0.113.7").into_response();
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(refused.headers()["retry-after"], "1");
        assert!(matches!(ask("203.0.113.8"), Reply::Rendered(..)), "another client has its own");
        drop(queued);
        assert!(matches!(ask("203.0.113.7"), Reply::Rendered(..)));
    }

    #[test]
    fn a_fault_rejects_the_request_or_changes_its_day() {
        let api = api(Config {
            clock: Clock::at("2026-11-15T12:00:00Z".parse().unwrap()),
            ..Config::default()
        });
        let dispatched = |prefer, known| {
            let arrival =
                arrival("/v1/ghi/snapshot", &[("prefer", prefer), ("if-none-match", known)]);
            exchange(&api, "127.0.0.1", &arrival, |exchange| {
                let mut fault = api.plan(exchange).unwrap().unwrap();
                let result = api.dispatch_fault(exchange, &mut fault);
                result
                    .map(|response| (response.status().as_u16(), text(response)))
                    .map_err(|problem| problem.describe().code)
            })
        };
        assert_eq!(dispatched("code=500", "*").unwrap_err(), "internal");
        let (status, body) = dispatched("at=2026-01-01T00:00:00Z", "\"other\"").unwrap();
        assert!(status == 200 && body.contains("\"2026-01-01T00:00:00"), "{body}");
        assert_eq!(dispatched("at=2026-01-01T00:00:00Z", "*").unwrap().0, 304);
        assert_eq!(dispatched("break=null", "*").unwrap().0, 200, "a 304 has no body to break");
    }

    #[test]
    fn finish_counts_and_dates_the_response() {
        let api = api(Config::default());
        let arrival = arrival("/v1/ghi/snapshot", &[("x-request-id", "abc")]);
        let reply = exchange(&api, "203.0.113.7", &arrival, |exchange| {
            api.finish(exchange, api.run(exchange, Ok(())))
        });
        let response = reply.into_response();
        assert_eq!(response.headers()["x-request-id"], "abc");
        assert!(response.headers().contains_key("date"));
        assert_eq!(response.headers()["ratelimit"], "\"default\";r=199;t=1");
        let counted = "ghi_http_requests_total{route=\"/v1/ghi/snapshot\",status=\"200\"} 1";
        assert!(text(get_from(&api, "127.0.0.1")("/metrics", &[])).contains(counted));
    }

    #[test]
    fn a_panic_returns_500_without_details_and_the_next_request_succeeds() {
        let api = api(Config::default());
        let get = get_from(&api, "127.0.0.1");
        let failed = get("/v1/ghi/snapshot", &[("x-panic", "")]);
        assert_eq!(failed.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(failed.headers()["content-type"], "application/problem+json");
        assert_eq!(failed.headers()[X_REQUEST_ID].len(), 16);
        let body = text(failed);
        assert!(!body.contains("on purpose") && body.contains("\"code\":\"internal\""));
        assert_eq!(get("/v1/ghi/snapshot", &[]).status(), StatusCode::OK);
        let metrics = text(get("/metrics", &[]));
        let count = "ghi_http_requests_total{route=\"/v1/ghi/snapshot\",status=\"500\"} 1";
        assert!(metrics.contains(count), "{metrics}");
    }

    #[test]
    fn a_remote_peer_cannot_evade_its_limit_with_forwarded_headers() {
        let api = api(Config { rate_limit: NonZeroU32::new(1), ..Config::default() });
        let get = get_from(&api, "203.0.113.7");
        let claims = ["127.0.0.1", "198.51.100.1", "198.51.100.2"];
        let statuses = claims
            .map(|claim| get("/v1/ghi/snapshot", &[("x-forwarded-for", claim)]).status().as_u16());
        assert_eq!(statuses, [200, 200, 429]);
        let other = get_from(&api, "203.0.113.8");
        assert_eq!(other("/v1/ghi/snapshot", &[]).status(), StatusCode::OK);
    }

    #[test]
    fn an_idle_worker_frees_past_days_and_replaced_inputs() {
        let noon: crate::clock::Moment = "2026-11-15T12:00:00Z".parse().unwrap();
        let is_tomorrow = Arc::new(AtomicBool::new(false));
        let later = Arc::clone(&is_tomorrow);
        let clock = Clock::from_fn(move || {
            let days = if later.load(Ordering::Relaxed) { 3 } else { 0 };
            std::time::UNIX_EPOCH + noon.since_epoch() + Duration::from_secs(days * 86_400)
        });
        let api = api(Config { clock, ..Config::default() });
        let get = get_from(&api, "127.0.0.1");
        get("/v1/ghi/snapshot", &[]);
        let model = Arc::downgrade(&api.editions.model());
        assert!(model.upgrade().is_some());
        api.reload(Inputs::default());
        assert!(model.upgrade().is_none(), "the replaced model is freed");
        get("/v1/ghi/snapshot", &[]);
        let edition = Arc::downgrade(&api.editions.of(noon));
        is_tomorrow.store(true, Ordering::Relaxed);
        api.prepare_days();
        assert!(edition.upgrade().is_none(), "the past day is freed");
    }
}
