//! From a request to its response: the order of the steps. Nothing here waits.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ghi_contract::paths::PREFIX;
use ghi_engine::{Inputs, Model};
use hyper::body::Body;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Version};
use ipnet::IpNet;
use matchit::{Match, Router};

use crate::clock::{Clock, UnixMicros};
use crate::config::{Config, SnapshotForm};
use crate::edition::{Editions, Now};
use crate::http::caching::encode;
use crate::http::client_address::{canonical, client_address, is_trusted};
use crate::http::common_headers::{X_REQUEST_ID, options, set_date};
use crate::http::kept::Kept;
use crate::http::paths;
use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::http::rate_limit::{Limiter, Verdict};
use crate::http::site::Site;
use crate::http::validation::validate;
use crate::net::{Arrival, Content, Reply, Service};
use crate::observe::access_log;
use crate::observe::metrics::{Metrics, Shard};
use crate::observe::request_ids::RequestIds;
use crate::observe::trace_context::TraceContext;
use crate::router::{ROUTES, RouteIndex, router};
use crate::routes::context::{Answer, Context, FixedFile};
use crate::routes::{operations, pages, prepare_files};
use crate::scenarios::{RETRY_AFTER_SECONDS, Scenario, Scenarios, Stage};

/// The API as a function of requests.
pub(crate) struct Api {
    clock: Clock,
    site: Arc<Site>,
    fixed: Kept<FixedFile>,
    editions: Editions,
    router: Router<RouteIndex>,
    snapshot_form: SnapshotForm,
    scenarios: Scenarios,
    strict_parameters: bool,
    limiter: Option<Limiter>,
    limits_loopback: bool,
    trusted_proxies: Vec<IpNet>,
    access_log: bool,
    request_ids: RequestIds,
    metrics: Metrics,
    /// Of the last request of each worker.
    now: Vec<Arc<Mutex<Option<Now>>>>,
    draining: AtomicBool,
}

/// What a connection's requests have in common.
pub(crate) struct Connection {
    peer: IpAddr,
    /// Whether its requests are limited: not those of a peer on this machine that is no proxy.
    is_limited: bool,
    /// Whether it came by the socket for probes.
    is_for_probes: bool,
    shard: Arc<Shard>,
    /// Of the worker's last request. Not of the connection's, which would keep the documents of that
    /// day for as long as it is idle.
    now: Arc<Mutex<Option<Now>>>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shard.connection_closed();
    }
}

impl Api {
    /// The API of a server that listens at this address, with so many workers.
    pub(crate) fn new(config: Config, address: SocketAddr, workers: usize) -> Self {
        let scenarios = Scenarios::new(&config);
        let site = Site::new(config.public_url)
            .listening_at(address)
            .with_clock_notice(config.clock.notice())
            .with_scenarios(config.scenarios);
        let site = Arc::new(site);
        let model = Model::new(config.inputs);
        let api = Self {
            editions: Editions::new(model, Arc::clone(&site), prepare_files)
                .with_speed(config.clock.speed()),
            clock: config.clock,
            site,
            fixed: Kept::default(),
            router: router(),
            snapshot_form: config.snapshot_form,
            strict_parameters: config.strict_parameters,
            limiter: config.rate_limit.map(Limiter::new),
            limits_loopback: config.rate_limit_loopback,
            trusted_proxies: config.trusted_proxies.into_iter().map(canonical).collect(),
            access_log: config.access_log,
            request_ids: RequestIds::default(),
            metrics: Metrics::new(
                ROUTES.iter().map(|route| route.path),
                workers,
                scenarios.waiting(),
            ),
            scenarios,
            now: (0..workers).map(|_| Arc::default()).collect(),
            draining: AtomicBool::new(false),
        };
        // The first request shall not wait for the day's rendering.
        api.prepare_days();
        api
    }

    /// Has every request from now on answered with the figures of other inputs. They are rendered
    /// before; until then, requests are answered with the old ones.
    pub(crate) fn reload(&self, inputs: Inputs) {
        self.editions.reload(Model::new(inputs), self.clock.now());
        self.metrics.reloads().succeeded();
    }

    /// Counts a reload that came to nothing.
    pub(crate) fn reload_failed(&self) {
        self.metrics.reloads().failed();
    }

    #[cfg(test)]
    pub(crate) fn editions(&self) -> &Editions {
        &self.editions
    }

    /// From now on, `/readyz` answers 503 and every response closes its connection.
    pub(crate) fn start_draining(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// Renders the day, and the next one when midnight is near, so that no request has to wait for
    /// it.
    pub(crate) fn prepare_days(&self) {
        if let Some(moment) = self.clock.now() {
            self.editions.prepare(moment);
        }
    }

    fn client<B>(&self, connection: &Connection, request: &Request<B>) -> IpAddr {
        client_address(connection.peer, request.headers(), &self.trusted_proxies)
    }

    /// Counts a request against its client's rate limit.
    fn verdict<B>(
        &self,
        connection: &Connection,
        request: &Request<B>,
        route: Option<RouteIndex>,
    ) -> Verdict {
        let is_limited = route.is_none_or(|route| route.route().limited) && connection.is_limited;
        match &self.limiter {
            Some(limiter) if is_limited => limiter.check(self.client(connection, request)),
            _ => Verdict::Unlimited,
        }
    }

    /// Reads the clock, once for the whole response.
    fn read_clock(&self, system: UnixMicros, now: &mut Option<Now>) {
        match (self.clock.given(Some(system)), &mut *now) {
            (Some(moment), Some(now)) => now.advance(moment, &self.editions),
            (moment, now) => *now = moment.map(|moment| Now::new(moment, &self.editions)),
        }
    }

    /// Finds what lives at the path, and has it answer.
    fn answer<B>(
        &self,
        request: &Request<B>,
        headers: &HeaderMap,
        route: Option<Match<'_, '_, &RouteIndex>>,
        now: Option<&Now>,
    ) -> Answer {
        match *request.method() {
            // Neither of the two targets is a path: `*`, and the authority of a tunnel.
            Method::OPTIONS if request.uri().path() == "*" => {
                return Ok(options(self.site.common_headers(), request.headers()));
            }
            Method::CONNECT => return Err(Problem::method_not_allowed()),
            _ => {}
        }
        let Some(route) = route else {
            let is_read = [Method::GET, Method::HEAD].contains(request.method());
            // The API speaks JSON, whoever asks.
            return match request.uri().path().starts_with(PREFIX) {
                false if is_read => {
                    pages::problem_of_any_day(&self.site, headers, Problem::not_found())
                }
                _ => Err(Problem::not_found()),
            };
        };
        match *request.method() {
            Method::GET | Method::HEAD => {}
            Method::OPTIONS => {
                return Ok(options(self.site.common_headers(), request.headers()));
            }
            _ => return Err(Problem::method_not_allowed()),
        }
        // Of the very edition that the documents come from, wherever there is one.
        let current;
        let model = match now {
            Some(now) => now.edition().model(),
            None => {
                current = self.editions.model();
                &current
            }
        };
        let handled = route.value.route();
        let query = match Query::parse(request.uri().query()) {
            Ok(query) => query,
            Err(problem) if handled.of_people => {
                return pages::problem_of_any_day(&self.site, headers, problem);
            }
            Err(problem) => return Err(problem),
        };
        let is_strict = self.strict_parameters && handled.of_api;
        let context = Context {
            site: &self.site,
            fixed: &self.fixed,
            headers,
            query: if is_strict { query.strict() } else { query },
            path_parameters: route.params,
            model,
            clock: &self.clock,
            now,
            snapshot_form: self.snapshot_form,
            is_draining: self.is_draining(),
            metrics: &self.metrics,
        };
        let response = (handled.handler)(&context)?;
        context.query.check_names()?;
        Ok(response)
    }

    /// The scenario of a valid request, if it has one.
    fn scenario<B>(
        &self,
        request: &Request<B>,
        route: Option<RouteIndex>,
        now: Option<&Now>,
    ) -> Option<Scenario> {
        let is_of_api = route.is_some_and(|route| route.route().of_api);
        let seed = || match now {
            Some(now) => now.edition().model().seed(),
            None => self.editions.model().seed(),
        };
        if is_of_api { self.scenarios.of(request, seed) } else { None }
    }
}

impl Service for Api {
    type Connection = Connection;

    fn is_bounded(&self, peer: IpAddr) -> bool {
        !peer.is_loopback() && !is_trusted(peer, &self.trusted_proxies)
    }

    fn refused(&self, worker: usize) {
        self.metrics.shard(worker).connection_refused();
    }

    fn evicted(&self, worker: usize) {
        self.metrics.shard(worker).connection_evicted();
    }

    fn connect(&self, peer: IpAddr, worker: usize) -> Connection {
        let shard = self.metrics.shard(worker);
        shard.connection_opened();
        let is_limited =
            self.limits_loopback || !peer.is_loopback() || is_trusted(peer, &self.trusted_proxies);
        let now = Arc::clone(&self.now[worker]);
        Connection { peer, is_limited, is_for_probes: false, shard, now }
    }

    fn respond<B: Body>(
        &self,
        connection: &Connection,
        request: &Request<B>,
        arrival: Arrival,
    ) -> Reply {
        let route = self.router.at(path_of(request)).ok();
        let index = route.as_ref().map(|route| *route.value);
        let mut verdict = self.verdict(connection, request, index);
        let mut now = connection.now.lock().unwrap_or_else(PoisonError::into_inner);
        // On the heap, so that the many requests without one move no room for it about.
        let mut staged: Option<Box<Stage>> = None;
        let answer = catch_unwind(AssertUnwindSafe(|| {
            self.read_clock(arrival.woken, &mut now);
            if let Verdict::Exceeded { retry_after_seconds } = verdict {
                connection.shard.limited();
                return Err(Problem::rate_limited(retry_after_seconds));
            }
            validate(request, arrival.defect)?;
            let is_of_socket = |index: RouteIndex| index.route().for_operators;
            if connection.is_for_probes && !index.is_some_and(is_of_socket) {
                return Err(Problem::not_a_probe());
            }
            let (mut headers, mut now) = (Cow::Borrowed(request.headers()), now.as_ref());
            if let Some(scenario) = self.scenario(request, index, now) {
                let stage = self.scenarios.stage(scenario, &self.editions);
                let stage = stage.inspect_err(|_| {
                    connection.shard.scenario_refused();
                    // The limit that is reached is not the client's own.
                    verdict = Verdict::Unlimited;
                })?;
                let stage = staged.insert(Box::new(stage));
                if let Some(problem) = stage.scenario.problem() {
                    return Err(problem);
                }
                stage.change(&mut headers);
                now = stage.now.as_ref().or(now);
            }
            self.answer(request, &headers, route, now)
        }));
        let answer = answer.unwrap_or_else(|_| {
            staged = None;
            Err(Problem::internal())
        });
        let mut response = answer.unwrap_or_else(|problem| {
            encode(problem.response(&self.site, request.uri().path()), request.headers())
        });
        let scenario = staged.as_ref().map(|stage| &stage.scenario);
        if let Some(scenario) = scenario {
            scenario.apply(&mut response);
            if response.status() == StatusCode::TOO_MANY_REQUESTS {
                verdict = Verdict::Exceeded { retry_after_seconds: RETRY_AFTER_SECONDS };
            }
        }

        // HTTP/1.0 knows the end of what has no length by the end of the connection.
        let is_close_the_end =
            request.version() == Version::HTTP_10 && response.body().len().is_none();
        if is_close_the_end {
            *response.version_mut() = Version::HTTP_10;
        }
        let headers = response.headers_mut();
        // Bytes behind a body may be a smuggled request, and are not read.
        if !request.body().is_end_stream() || self.is_draining() || is_close_the_end {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        let visited = staged.as_ref().and_then(|stage| stage.now.as_ref());
        let now = visited.or(now.as_ref());
        set_date(headers, now.map(|now| now.http_date().clone()));
        let trace = TraceContext::of(request.headers());
        trace.write_headers(headers);
        if let Some(limiter) = &self.limiter {
            limiter.write_headers(verdict, headers);
        }
        let took = UnixMicros::now().unwrap_or(arrival.woken).since(arrival.woken);
        match scenario {
            None => connection.shard.request(index.map(RouteIndex::get), response.status(), took),
            Some(scenario) => connection.shard.scenario(scenario),
        }
        let is_failure = response.status() == StatusCode::INTERNAL_SERVER_ERROR;
        // A failure is always logged, so that it can be looked up; but for one that was wanted, which
        // only looks like it.
        let is_logged = self.access_log || is_failure && scenario.is_none();
        if is_logged || is_failure {
            let id = trace.request_id.cloned().unwrap_or_else(|| self.request_ids.next());
            response.headers_mut().insert(X_REQUEST_ID, id.clone());
            if is_logged {
                let client = self.client(connection, request);
                let sent = (request, &response);
                access_log::write(&id, trace.traceparent, client, sent, scenario, took);
            }
        }
        Reply { response, wait: staged.and_then(|stage| stage.wait) }
    }

    fn refuse(&self, path: &str) -> Response<Content> {
        let mut response = match path {
            paths::HEALTHZ => operations::alive(&self.site),
            _ => Problem::clock_out_of_range().response(&self.site, path),
        };
        set_date(response.headers_mut(), None);
        response
    }
}

/// The API on the socket for probes: what operators need, and nothing else.
pub(crate) struct Probes(pub(crate) Arc<Api>);

impl Service for Probes {
    type Connection = Connection;

    fn is_bounded(&self, _peer: IpAddr) -> bool {
        false
    }

    fn refused(&self, _worker: usize) {}

    fn evicted(&self, worker: usize) {
        self.0.evicted(worker);
    }

    fn connect(&self, peer: IpAddr, worker: usize) -> Connection {
        let mut connection = self.0.connect(peer, worker);
        connection.is_limited = false;
        connection.is_for_probes = true;
        connection
    }

    fn respond<B: Body>(
        &self,
        connection: &Connection,
        request: &Request<B>,
        arrival: Arrival,
    ) -> Reply {
        self.0.respond(connection, request, arrival)
    }

    fn refuse(&self, path: &str) -> Response<Content> {
        self.0.refuse(path)
    }
}

/// The path to look for in the table: a trailing slash makes no difference.
fn path_of<B>(request: &Request<B>) -> &str {
    match request.uri().path() {
        "/" => "/",
        path => path.strip_suffix('/').unwrap_or(path),
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::num::NonZeroU32;
    use std::time::{Duration, UNIX_EPOCH};

    use bytes::Bytes;
    use http_body_util::Empty;
    use hyper::header::HOST;

    use super::*;

    const HERE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8000);

    /// Requests of one peer, whose address need not be of this machine.
    fn get_from(api: &Api, peer: &str) -> impl Fn(&str, &'static str) -> Response<Content> {
        let connection = api.connect(peer.parse().unwrap(), 0);
        move |path, forwarded_for| {
            let arrival = Arrival { woken: UnixMicros::now().unwrap(), defect: None };
            let request = Request::get(path).header(HOST, "test");
            let request = request.header("x-forwarded-for", forwarded_for);
            let request = request.body(Empty::<Bytes>::new()).unwrap();
            api.respond(&connection, &request, arrival).response
        }
    }

    fn text(response: Response<Content>) -> String {
        String::from_utf8_lossy(&response.into_body().into_bytes()).into_owned()
    }

    #[test]
    fn a_panic_is_a_problem_without_detail_and_the_next_request_is_answered() {
        let fails = Arc::new(AtomicBool::new(false));
        let is_failing = Arc::clone(&fails);
        let clock = Clock::from_fn(move || {
            assert!(!is_failing.swap(false, Ordering::Relaxed), "as the test wants");
            UNIX_EPOCH + Duration::from_secs(1_794_744_000)
        });
        let api = Api::new(Config { clock, ..Config::default() }, HERE, 1);
        let get = get_from(&api, "127.0.0.1");
        fails.store(true, Ordering::Relaxed);
        let failed = get("/v1/ghi/snapshot", "");
        assert_eq!(failed.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(failed.headers()["content-type"], "application/problem+json");
        assert_eq!(failed.headers()[X_REQUEST_ID].len(), 16);
        let body = text(failed);
        assert!(!body.contains("as the test wants") && body.contains("\"code\":\"internal\""));
        assert_eq!(get("/v1/ghi/snapshot", "").status(), StatusCode::OK);
        let metrics = get("/metrics", "");
        let metrics = text(metrics);
        let count = "ghi_http_requests_total{route=\"/v1/ghi/snapshot\",status=\"500\"} 1";
        assert!(metrics.contains(count), "{metrics}");
    }

    #[test]
    fn a_peer_from_afar_is_limited_whomever_it_claims_to_be() {
        let config = Config { rate_limit: NonZeroU32::new(1), ..Config::default() };
        let api = Api::new(config, HERE, 1);
        let get = get_from(&api, "203.0.113.7");
        let claims = ["127.0.0.1", "198.51.100.1", "198.51.100.2"];
        let statuses = claims.map(|claim| get("/v1/ghi/snapshot", claim).status().as_u16());
        assert_eq!(statuses, [200, 200, 429]);
        let other = get_from(&api, "203.0.113.8");
        assert_eq!(other("/v1/ghi/snapshot", "203.0.113.7").status(), StatusCode::OK);
    }

    #[test]
    fn an_unusable_system_clock_is_refused_without_a_date_but_the_process_is_alive() {
        let api = Api::new(Config::default(), HERE, 1);
        let refused = api.refuse("/v1/ghi/snapshot");
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        let alive = api.refuse("/healthz");
        assert_eq!(alive.status(), StatusCode::OK);
        assert!(![&refused, &alive].iter().any(|answer| answer.headers().contains_key("date")));
        let body = text(refused);
        assert!(body.contains("\"instance\":\"/v1/ghi/snapshot\""), "{body}");
    }
}
