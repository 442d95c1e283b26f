//! The steps of a request, in their order: [`identify`](Api::identify), [`admit`](Api::admit), [`plan`](Api::plan),
//! [`dispatch`](Api::dispatch) and [`finish`](Api::finish). Nothing here blocks on I/O.

use std::mem;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use ghi_contract::paths::PREFIX;
use ghi_engine::{Inputs, Model};
use httpdate::fmt_http_date;
use hyper::header::{ACCEPT_ENCODING, CONNECTION, DATE, HeaderValue};
use hyper::{HeaderMap, Method, Response, StatusCode, Uri, Version};
use tokio::task::JoinError;

use crate::clock::{Clock, Moment};
use crate::config::Config;
use crate::edition::{Editions, RequestDay};
use crate::http::caching::{PageCache, encode};
use crate::http::clients::{Limiter, Quota, canonical, client_address, is_trusted};
use crate::http::paths;
use crate::http::prefer::PREFER;
use crate::http::problem::{Code, Problem};
use crate::http::query::Query;
use crate::http::site::Site;
use crate::http::validation::validate;
use crate::net::{Arrival, ClientKey, Content, Permit, PermitPool};
use crate::observe::access_log::{self, X_REQUEST_ID};
use crate::observe::metrics::Metrics;
use crate::router::{ROUTES, Route, RouteKind, find_route, rendered_ahead};
use crate::routes::context::{Context, FixedFile, HandlerResult};
use crate::routes::pages::general;
use crate::scenarios::{FaultPlan, Scenarios};

/// How many seconds' worth of requests a client may send at once.
const BURST_SECONDS: NonZeroU32 = NonZeroU32::new(2).expect("2 is not zero");

/// The reply to a request: a response, maybe after a delay. Without a response, the connection is reset.
pub(crate) type Reply = (Option<Response<Content>>, Option<(Duration, Permit)>);

pub(crate) struct Api {
    /// Without the inputs, which are in the editions.
    pub(crate) config: Config,
    site: Site,
    fixed: PageCache<FixedFile>,
    pub(crate) editions: Editions,
    scenarios: Scenarios,
    limiter: Option<Limiter>,
    pub(crate) metrics: Metrics,
    pool: Arc<PermitPool>,
    is_draining: AtomicBool,
}

/// A request, and what is found out about it.
struct Exchange {
    arrival: Arrival,
    route: Option<&'static Route>,
    client: IpAddr,
    /// The client whose limits the request uses; `None` if it is exempt.
    bounded_client: Option<ClientKey>,
    quota: Option<Quota>,
}

impl Exchange {
    fn is_read(&self) -> bool {
        matches!(*self.arrival.request.method(), Method::GET | Method::HEAD)
    }
}

impl Api {
    pub(crate) fn new(mut config: Config, address: SocketAddr) -> Self {
        let scenarios = Scenarios::new(&config);
        let mut site = Site::new(config.public_url.take());
        site.address = address;
        site.clock_notice = config.clock.notice();
        site.has_scenarios = config.scenarios;
        let model = Model::new(mem::take(&mut config.inputs));
        config.trusted_proxies = config.trusted_proxies.into_iter().map(canonical).collect();
        let routes = ROUTES.iter().map(|route| route.path);
        Self {
            editions: Editions::new(model, &site, config.clock.speed()),
            site,
            fixed: PageCache::with_capacity(usize::MAX),
            limiter: config.rate_limit.map(|limit| Limiter::new(limit, BURST_SECONDS)),
            config,
            metrics: Metrics::new(routes, Arc::clone(&scenarios.waiting)),
            scenarios,
            // Of each client, one request is rendered and eight may wait.
            pool: PermitPool::new(64, 9),
            is_draining: AtomicBool::new(false),
        }
    }

    /// Switches to new inputs. They are rendered first; until then, requests get the old data.
    pub(crate) fn reload(&self, inputs: Inputs) {
        self.editions
            .reload(Model::new(inputs), self.config.clock.now(), |day| self.render_ahead(day));
        self.metrics.reloaded(true);
    }

    pub(crate) fn start_draining(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    /// Renders the current day, and the next one when midnight is near, so that no request has to wait.
    pub(crate) fn prepare_days(&self) {
        self.editions.prepare(self.config.clock.now(), |day| self.render_ahead(day));
    }

    fn render_ahead(&self, day: &RequestDay) {
        let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static("gzip"))]);
        for target in rendered_ahead() {
            let uri = Uri::try_from(target).expect("paths and ids are visible ASCII");
            // A day without data has no documents.
            _ = find_route(uri.path()).map(|route| self.handle(route, &uri, &headers, day));
        }
    }

    /// Returns the client that a peer's connections count against, if they are limited. A proxy's are not: it forwards
    /// requests of many clients.
    pub(crate) fn bounded_peer(&self, peer: IpAddr) -> Option<ClientKey> {
        let is_exempt = peer.is_loopback() && !self.config.rate_limit_loopback;
        let is_bounded = !is_exempt && !is_trusted(peer, &self.config.trusted_proxies);
        is_bounded.then(|| peer.into())
    }

    /// Answers a request, on the pool if that takes too long for a worker. Fails if the server stops first.
    pub(crate) async fn respond(self: Arc<Self>, arrival: Arrival) -> Result<Reply, JoinError> {
        let exchange = self.identify(arrival);
        match self.admit(&exchange) {
            Ok(Some(place)) => Box::pin(place.render(move || self.answer(&exchange, None))).await,
            admitted => Ok(self.answer(&exchange, admitted.err())),
        }
    }

    /// Answers a request without waiting for anything.
    pub(crate) fn respond_now(&self, arrival: Arrival) -> Response<Content> {
        let exchange = self.identify(arrival);
        let (response, _) = self.answer(&exchange, self.admit(&exchange).err());
        response.unwrap_or_default()
    }

    /// Finds the route of a request and its client, and counts it against the client's rate limit.
    fn identify(&self, arrival: Arrival) -> Exchange {
        let (peer, request) = (arrival.peer, &arrival.request);
        let route = find_route(request.uri().path());
        let client = client_address(peer, request.headers(), &self.config.trusted_proxies);
        // Local peers that are not proxies are exempt by default.
        let is_exempt = peer.is_loopback() && !is_trusted(peer, &self.config.trusted_proxies);
        let is_limited =
            !arrival.on_probe_socket && (self.config.rate_limit_loopback || !is_exempt);
        let bounded_client = is_limited.then(|| ClientKey::from(client));
        let is_probe = route.is_some_and(|route| route.kind == RouteKind::Probe);
        let limiter = self.limiter.as_ref().filter(|_| !is_probe);
        let quota = limiter.zip(bounded_client);
        let quota = quota.map(|(limiter, client)| limiter.check(client.bucket(), NonZeroU32::MIN));
        Exchange { arrival, route, client, bounded_client, quota }
    }

    /// Rejects a request or, if it is rendered on the pool, queues it and returns its place.
    fn admit(&self, exchange: &Exchange) -> Result<Option<Permit>, Problem> {
        if let Some(Err(retry_after_seconds)) = exchange.quota {
            self.metrics.requests_limited.inc();
            let limit = "Too many requests from this address";
            return Err(Problem::rate_limited(limit, retry_after_seconds));
        }
        validate(&exchange.arrival)?;
        let kind = exchange.route.map(|route| route.kind);
        let is_for_probes = matches!(kind, Some(RouteKind::Probe | RouteKind::Metrics));
        if exchange.arrival.on_probe_socket && !is_for_probes {
            let detail = "This socket serves only /healthz, /readyz and /metrics.";
            return Err(Problem::new(Code::NotFound, detail));
        }
        let request = &exchange.arrival.request;
        let has_prefer = || request.headers().contains_key(PREFER);
        let route = exchange.route.filter(|_| exchange.is_read());
        if !route.is_some_and(|route| route.is_rendered_alone(request.uri().query(), has_prefer)) {
            return Ok(None);
        }
        self.pool.acquire(exchange.bounded_client).map(Some).ok_or_else(|| {
            let detail = "The server is preparing too many responses; try again in 1 s.";
            Problem::new(Code::Busy, detail)
        })
    }

    /// Reads the clock and produces the reply to a request that is admitted or rejected. A panic becomes a 500.
    fn answer(&self, exchange: &Exchange, rejection: Option<Problem>) -> Reply {
        let answer = AssertUnwindSafe(|| {
            let day = self.editions.day(self.config.clock.now());
            let (result, fault) = match rejection.map_or_else(|| self.plan(exchange, &day), Err) {
                Ok(mut fault) => (self.dispatch(exchange, fault.as_mut(), &day), fault),
                Err(problem) => (Err(problem), None),
            };
            self.finish(exchange, result, fault, Some(day.moment))
        });
        catch_unwind(answer).unwrap_or_else(|_| {
            let detail = "The server failed to answer this request.";
            self.finish(exchange, Err(Problem::new(Code::Internal, detail)), None, None)
        })
    }

    /// Plans the scenario that a request selects or chaos picks, if any.
    fn plan(&self, exchange: &Exchange, day: &RequestDay) -> Result<Option<FaultPlan>, Problem> {
        let (request, client) = (&exchange.arrival.request, exchange.bounded_client);
        let route = exchange.route.filter(|route| route.kind.has_scenarios());
        let Some(route) = route else { return Ok(None) };
        let seed = day.edition.model().seed();
        let scenario = self.scenarios.of(request, route.path, seed);
        let Some(scenario) = scenario else { return Ok(None) };
        if scenario.is_strict() {
            let names = || Query::parse(request.uri().query())?.check_names(route.parameters);
            if let Err(problem) = scenario.check().and_then(|()| names()) {
                return Ok(Some(FaultPlan::rejection(problem, scenario, day)));
            }
        }
        let days_drawn = route.days_drawn(request.uri().query());
        let plan = self.scenarios.plan(scenario, day, &self.editions, days_drawn, client);
        plan.map(Some).inspect_err(|_| _ = self.metrics.scenarios_refused.inc())
    }

    /// Returns the scenario's error, or the route's response on the scenario's day.
    fn dispatch(
        &self,
        exchange: &Exchange,
        fault: Option<&mut FaultPlan>,
        today: &RequestDay,
    ) -> HandlerResult {
        let headers = exchange.arrival.request.headers();
        let serve = |headers: &_, day: &_| self.serve(exchange, headers, day);
        let Some(fault) = fault else { return serve(headers, today) };
        let route = exchange.route.map_or("", |route| route.path);
        fault.respond((&self.site, route, headers), serve)
    }

    fn serve(&self, exchange: &Exchange, headers: &HeaderMap, day: &RequestDay) -> HandlerResult {
        let (uri, method) = (exchange.arrival.request.uri(), exchange.arrival.request.method());
        let (path, is_read) = (uri.path(), exchange.is_read());
        match exchange.route {
            Some(route) if is_read => self.handle(route, uri, headers, day),
            route if method == Method::OPTIONS && (route.is_some() || path == "*") => {
                Ok(self.site.options(headers))
            }
            None if method != Method::CONNECT => {
                // The API always returns JSON, whatever the client accepts.
                if !is_read || path.starts_with(PREFIX) {
                    return Err(Problem::not_found());
                }
                general::problem_page(&self.site, headers, Problem::not_found(), None)
            }
            _ => Err(Problem::method_not_allowed()),
        }
    }

    /// Calls the handler of a route. Browsers receive the errors of pages as pages.
    fn handle(
        &self,
        route: &'static Route,
        uri: &Uri,
        headers: &HeaderMap,
        day: &RequestDay,
    ) -> HandlerResult {
        let is_page = route.kind == RouteKind::Page;
        let mut query = match Query::parse(uri.query()) {
            Err(problem) if is_page => {
                return general::problem_page(&self.site, headers, problem, None);
            }
            query => query?,
        };
        query.is_form = is_page;
        let is_api = route.kind == RouteKind::Api;
        if route.kind == RouteKind::File || is_api && self.config.strict_parameters {
            query.check_names(route.parameters)?;
        }
        let context = Context {
            site: &self.site,
            fixed: &self.fixed,
            headers,
            query,
            parameters: route.parameters,
            path_parameter: route.parameter(uri.path()).unwrap_or_default(),
            clock: &self.config.clock,
            day,
            snapshot_form: self.config.snapshot_form,
            is_draining: self.is_draining.load(Ordering::Relaxed),
            metrics: &self.metrics,
        };
        if !is_page {
            return (route.handler)(&context);
        }
        // The dashboard shows unknown names together with invalid values.
        let is_dashboard = route.path == paths::DASHBOARD;
        let names = if is_dashboard { Ok(()) } else { context.query.check_names(route.parameters) };
        let page = names.and_then(|()| (route.handler)(&context));
        page.or_else(|problem| general::problem_page(&self.site, headers, problem, Some(&context)))
    }

    /// Turns a result into a response, applies the fault, completes the headers, counts and logs the request.
    fn finish(
        &self,
        exchange: &Exchange,
        result: HandlerResult,
        mut fault: Option<FaultPlan>,
        now: Option<Moment>,
    ) -> Reply {
        let request = &exchange.arrival.request;
        let mut response = result.unwrap_or_else(|problem| {
            encode(problem.response(&self.site, request.uri().path()), request.headers())
        });
        if let Some(fault) = &mut fault {
            fault.apply(&mut response);
        }
        // In HTTP/1.0, closing the connection marks the end of content of unknown length.
        let ends_by_close =
            request.version() == Version::HTTP_10 && response.body().len().is_none();
        if ends_by_close {
            *response.version_mut() = Version::HTTP_10;
        }
        let status = response.status();
        let headers = response.headers_mut();
        // Bytes after a body may be a smuggled request, so they are never read.
        let is_draining = self.is_draining.load(Ordering::Relaxed);
        if exchange.arrival.has_body || is_draining || ends_by_close {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        headers.insert(DATE, self.http_date(now));
        access_log::echo_ids(request.headers(), headers);
        let quota = stated_quota(exchange, status, fault.as_ref());
        if let Some((limiter, quota)) = self.limiter.as_ref().zip(quota) {
            limiter.write_headers(quota, headers);
        }
        let took = exchange.arrival.started.elapsed();
        let scenario = fault.as_ref().map(|fault| &fault.scenario);
        match scenario {
            None => self.metrics.request(exchange.route.map(|route| route.path), status, took),
            Some(scenario) => self.metrics.scenario(scenario),
        }
        // A server failure is logged even if the access log is off, unless it was simulated.
        let is_failure = status == StatusCode::INTERNAL_SERVER_ERROR;
        if self.config.access_log || is_failure {
            headers.entry(X_REQUEST_ID).or_insert_with(access_log::new_request_id);
        }
        if self.config.access_log || is_failure && scenario.is_none() {
            access_log::write(exchange.client, request, &response, scenario, took);
        }
        let is_reset = fault.as_ref().is_some_and(FaultPlan::is_reset);
        ((!is_reset).then_some(response), fault.and_then(|fault| fault.wait))
    }

    /// Returns the value of the `Date` header: the time of the message, whatever the sandbox's clock shows.
    fn http_date(&self, now: Option<Moment>) -> HeaderValue {
        let now = now.filter(|_| self.config.clock.is_real());
        let time = now.unwrap_or_else(|| Clock::system().now());
        let time = UNIX_EPOCH + Duration::from_secs(time.unix_second());
        HeaderValue::try_from(fmt_http_date(time)).expect("a date is visible ASCII")
    }
}

/// Returns the quota that the response states: the client's, unless the response says 429 for another reason.
fn stated_quota(
    exchange: &Exchange,
    status: StatusCode,
    fault: Option<&FaultPlan>,
) -> Option<Quota> {
    match (exchange.quota, fault) {
        (quota, _) if status != StatusCode::TOO_MANY_REQUESTS => quota,
        (_, Some(fault)) => Some(Err(fault.scenario.retry_after_seconds())),
        (quota, None) => quota.filter(Result::is_err),
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Instant;

    use hyper::Request;
    use hyper::header::HOST;

    use super::*;

    const HERE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8000);

    fn api(config: Config) -> Arc<Api> {
        Arc::new(Api::new(config, HERE))
    }

    fn arrival(peer: &str, path: &str, headers: &[(&str, &str)]) -> Arrival {
        let request = headers
            .iter()
            .fold(Request::get(path).header(HOST, "test"), |request, (name, value)| {
                request.header(*name, *value)
            });
        Arrival {
            peer: peer.parse().unwrap(),
            on_probe_socket: false,
            request: request.body(()).unwrap(),
            has_body: false,
            defect: None,
            started: Instant::now(),
        }
    }

    /// Sends requests as a peer with any address.
    fn get_from(
        api: &Arc<Api>,
        peer: &'static str,
    ) -> impl Fn(&str, &[(&str, &str)]) -> Response<Content> {
        move |path, headers| api.respond_now(arrival(peer, path, headers))
    }

    fn today(api: &Api) -> RequestDay {
        api.editions.day(api.config.clock.now())
    }

    fn text(response: Response<Content>) -> String {
        String::from_utf8_lossy(&response.into_body().into_bytes()).into_owned()
    }

    #[test]
    fn the_route_the_client_and_the_quota_are_found_once() {
        let api = api(Config::default());
        let received = |peer| api.identify(arrival(peer, "/v1/ghi/regions/us/", &[]));
        let remote = received("203.0.113.7");
        assert_eq!(remote.route.map(|route| route.kind), Some(RouteKind::Api));
        assert_eq!(remote.client, "203.0.113.7".parse::<IpAddr>().unwrap());
        assert_eq!(remote.quota, Some(Ok(199)));
        assert_eq!(received("127.0.0.1").quota, None);
    }

    #[test]
    fn a_request_is_admitted_if_it_is_valid_and_within_its_quota() {
        let api = api(Config { rate_limit: NonZeroU32::new(1), ..Config::default() });
        let admitted = |arrival| {
            let admitted = api.admit(&api.identify(arrival));
            admitted.map(|_| ()).map_err(|problem| problem.describe().code)
        };
        let valid = || arrival("203.0.113.7", "/", &[]);
        let without_host = Arrival { request: Request::get("/").body(()).unwrap(), ..valid() };
        assert_eq!(admitted(valid()), Ok(()));
        assert_eq!(admitted(without_host), Err("bad_request"));
        assert_eq!(admitted(valid()), Err("rate_limited"));
    }

    #[test]
    fn faults_are_planned_only_for_the_api() {
        let api = api(Config::default());
        let planned = |path, headers: &[(&str, &str)]| {
            let exchange = api.identify(arrival("127.0.0.1", path, headers));
            api.plan(&exchange, &today(&api)).unwrap().is_some()
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
            let arrival = Arrival { on_probe_socket: true, ..arrival("127.0.0.1", path, &[]) };
            api.admit(&api.identify(arrival)).is_ok()
        };
        assert!(admitted("/healthz") && admitted("/metrics"));
        assert!(!admitted("/v1/ghi/snapshot") && !admitted("/") && !admitted("/nothing"));
    }

    #[test]
    fn the_route_and_its_parameters_decide_what_is_rendered_on_the_pool() {
        let api = api(Config::default());
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
            let admitted = api.admit(&api.identify(arrival("127.0.0.1", target, headers)));
            assert_eq!(admitted.unwrap().is_some(), is_rendered, "{target}");
        }
    }

    #[test]
    fn a_request_over_its_rate_limit_takes_no_place_in_the_queue() {
        let api = api(Config { rate_limit: NonZeroU32::new(1), ..Config::default() });
        let ask = || api.admit(&api.identify(arrival("203.0.113.7", "/?price=1", &[])));
        let queued = [ask(), ask()].map(|admitted| admitted.unwrap());
        assert!(queued.iter().all(Option::is_some));
        assert_eq!(ask().unwrap_err().describe().code, "rate_limited");
    }

    #[test]
    fn a_client_with_nine_requests_in_the_queue_gets_503_with_retry_after() {
        let api = api(Config::default());
        let ask = |peer| api.admit(&api.identify(arrival(peer, "/?price=1", &[])));
        let queued = [(); 9].map(|()| ask("203.0.113.7").unwrap());
        assert!(queued.iter().all(Option::is_some));
        let refused = api.respond_now(arrival("203.0.113.7", "/?price=1", &[]));
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(refused.headers()["retry-after"], "1");
        assert!(ask("203.0.113.8").unwrap().is_some(), "another client has its own");
        drop(queued);
        assert!(ask("203.0.113.7").unwrap().is_some());
    }

    #[test]
    fn a_fault_rejects_the_request_or_changes_its_day() {
        let api = api(Config {
            clock: Clock::at("2026-11-15T12:00:00Z".parse().unwrap()),
            ..Config::default()
        });
        let dispatched = |prefer, known| {
            let headers = [("prefer", prefer), ("if-none-match", known)];
            let exchange = api.identify(arrival("127.0.0.1", "/v1/ghi/snapshot", &headers));
            let today = today(&api);
            let mut fault = api.plan(&exchange, &today).unwrap();
            let result = api.dispatch(&exchange, fault.as_mut(), &today);
            result
                .map(|response| (response.status().as_u16(), text(response)))
                .map_err(|problem| problem.describe().code)
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
        let response =
            get_from(&api, "203.0.113.7")("/v1/ghi/snapshot", &[("x-request-id", "abc")]);
        assert_eq!(response.headers()["x-request-id"], "abc");
        assert!(response.headers().contains_key("date"));
        assert_eq!(response.headers()["ratelimit"], "\"default\";r=199;t=1");
        let counted = "ghi_http_requests_total{route=\"/v1/ghi/snapshot\",status=\"200\"} 1";
        assert!(text(get_from(&api, "127.0.0.1")("/metrics", &[])).contains(counted));
    }

    #[test]
    fn a_panic_returns_500_without_details_and_the_next_request_succeeds() {
        let is_broken = Arc::new(AtomicBool::new(false));
        let broken = Arc::clone(&is_broken);
        let clock = Clock::from_fn(move || {
            assert!(!broken.load(Ordering::Relaxed), "on purpose");
            UNIX_EPOCH
        });
        let api = api(Config { clock, ..Config::default() });
        let get = get_from(&api, "127.0.0.1");
        is_broken.store(true, Ordering::Relaxed);
        let failed = get("/v1/ghi/snapshot", &[]);
        is_broken.store(false, Ordering::Relaxed);
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
            std::time::UNIX_EPOCH + Duration::from_secs(noon.unix_second() + days * 86_400)
        });
        let api = api(Config { clock, ..Config::default() });
        let get = get_from(&api, "127.0.0.1");
        get("/v1/ghi/snapshot", &[]);
        let model = Arc::downgrade(&api.editions.model());
        assert!(model.upgrade().is_some());
        api.reload(Inputs::default());
        assert!(model.upgrade().is_none(), "the replaced model is freed");
        get("/v1/ghi/snapshot", &[]);
        let edition = Arc::downgrade(&api.editions.find(noon).unwrap());
        is_tomorrow.store(true, Ordering::Relaxed);
        api.prepare_days();
        assert!(edition.upgrade().is_none(), "the past day is freed");
    }
}
