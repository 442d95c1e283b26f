# Varnish 7 or later as a cache for three replicas. checks/cache.py tests this file.
#
# Start each replica with `ghi serve --listen :8000 --trusted-proxy CIDR`, where CIDR is the address or
# network of this cache. Otherwise all clients share one rate limit.

vcl 4.1;

import directors;
import std;

# /readyz is 503 as soon as a drain begins. Two failed probes take a replica out of service, so the replicas'
# `--drain` must be more than a second.
probe ready {
    .url = "/readyz";
    .interval = 500ms;
    .timeout = 1s;
    .window = 3;
    .threshold = 2;
    .initial = 2;
}

# Replicas respond within milliseconds. After two seconds without a response, a replica is considered hung.
backend ghi_1 {
    .host = "ghi-1";
    .port = "8000";
    .probe = ready;
    .connect_timeout = 500ms;
    .first_byte_timeout = 2s;
}
backend ghi_2 {
    .host = "ghi-2";
    .port = "8000";
    .probe = ready;
    .connect_timeout = 500ms;
    .first_byte_timeout = 2s;
}
backend ghi_3 {
    .host = "ghi-3";
    .port = "8000";
    .probe = ready;
    .connect_timeout = 500ms;
    .first_byte_timeout = 2s;
}

sub vcl_init {
    new replicas = directors.round_robin();
    replicas.add_backend(ghi_1);
    replicas.add_backend(ghi_2);
    replicas.add_backend(ghi_3);
}

sub vcl_recv {
    # A request target may be a whole URL (`GET https://host/path`). Only its path and query are used.
    if (req.url ~ "^[A-Za-z][A-Za-z0-9+.-]*://") {
        set req.url = regsub(req.url, "^[^:]*://[^/?#]*/?", "/");
    }
    set req.backend_hint = replicas.backend();
    # The rate limit uses the last address in X-Forwarded-For, which Varnish adds.
    unset req.http.Forwarded;
    # No response depends on these, but Varnish would not cache requests that have them.
    unset req.http.Cookie;
    unset req.http.Authorization;
    # Metrics are not public: Prometheus scrapes each replica directly.
    if (req.url ~ "^/metrics/?(\?|$)") {
        return (synth(404));
    }
    # Varnish sees only the first of several lines, so join them.
    std.collect(req.http.Prefer);
    # Pass scenario requests (`Prefer: code=503`) to a replica. Any `Prefer` other than `return` counts as a scenario,
    # so that preferences added later are covered.
    if (req.http.Prefer && req.http.Prefer !~ "(?i)^return\s*=\s*(minimal|representation)$") {
        return (pass);
    }
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }
    # Headers of a single request must not be shared.
    unset req.http.X-Request-Id;
    unset req.http.traceparent;
    return (hash);
}

# No response depends on the host.
sub vcl_hash {
    hash_data(req.url);
    return (lookup);
}

sub vcl_backend_fetch {
    # The response to a scenario may take ten seconds.
    if (bereq.uncacheable) {
        set bereq.first_byte_timeout = 12s;
    }
}

# Retry on another replica, unless the request is for a scenario.
sub vcl_backend_error {
    if (!bereq.uncacheable && bereq.retries < 2) {
        return (retry);
    }
}

sub vcl_backend_response {
    if (bereq.uncacheable) {
        return (deliver);
    }
    # Responses specify their lifetime (`Cache-Control`: 60 s, never past midnight UTC; errors are not cached) and the
    # headers they depend on (`Vary`). Never serve expired responses: the data changes at midnight.
    set beresp.grace = 0s;
    set beresp.keep = 0s;
    unset beresp.http.X-Request-Id;
    unset beresp.http.RateLimit;
    unset beresp.http.RateLimit-Policy;
    # In the last second of the day, `max-age` is 0. Caching for a tenth of a second protects the replicas, and delays
    # data no more than a slow network does.
    if (beresp.status == 200 && beresp.http.Cache-Control ~ "max-age=0") {
        set beresp.ttl = 100ms;
        return (deliver);
    }
}
