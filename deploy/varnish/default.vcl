# A cache before three replicas, Varnish 7 or later. checks/cache.py runs this very file.
#
# Start each replica with `ghi serve --listen :8000 --trusted-proxy CIDR`, where CIDR is the address or
# network of this cache: otherwise all clients count as one for the rate limit.

vcl 4.1;

import directors;
import std;

# /readyz is 503 from the beginning of a drain. Two failed probes take a replica out, so `--drain` of the
# replicas must be more than a second.
probe ready {
    .url = "/readyz";
    .interval = 500ms;
    .timeout = 1s;
    .window = 3;
    .threshold = 2;
    .initial = 2;
}

# A replica answers within milliseconds. One that has not after two seconds hangs.
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
    set req.backend_hint = replicas.backend();
    # The rate limit counts the last address in X-Forwarded-For, which is the one that Varnish adds.
    unset req.http.Forwarded;
    # No answer depends on these; with them, Varnish would not cache it.
    unset req.http.Cookie;
    unset req.http.Authorization;
    # Metrics are for the operator: Prometheus scrapes each replica directly.
    if (req.url ~ "^/metrics/?(\?|$)") {
        return (synth(404));
    }
    # Varnish sees only the first of several lines, so they become one.
    std.collect(req.http.Prefer);
    # Requests for a scenario (`Prefer: code=503`) are passed to a replica. To be safe with preferences that are
    # not known here, any `Prefer` but `return` counts as a scenario.
    if (req.http.Prefer && req.http.Prefer !~ "(?i)^return\s*=\s*(minimal|representation)$") {
        return (pass);
    }
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }
    # What is of one request must not be sent to all.
    unset req.http.X-Request-Id;
    unset req.http.traceparent;
    return (hash);
}

# No answer depends on the host.
sub vcl_hash {
    hash_data(req.url);
    return (lookup);
}

sub vcl_backend_fetch {
    # The answer to a scenario may come ten seconds late.
    if (bereq.uncacheable) {
        set bereq.first_byte_timeout = 12s;
    }
}

# Another replica is tried, unless the request is for a scenario.
sub vcl_backend_error {
    if (!bereq.uncacheable && bereq.retries < 2) {
        return (retry);
    }
}

sub vcl_backend_response {
    if (bereq.uncacheable) {
        return (deliver);
    }
    # Answers say themselves how long they hold (`Cache-Control`: 60 s, and never past midnight UTC;
    # errors not at all) and what they depend on (`Vary`). Nothing is served when its time is over: at
    # midnight the figures are others.
    set beresp.grace = 0s;
    set beresp.keep = 0s;
    unset beresp.http.X-Request-Id;
    unset beresp.http.RateLimit;
    unset beresp.http.RateLimit-Policy;
    # In the last second of the day, answers hold for 0 s. A tenth of one keeps the crowd off the replicas,
    # and makes nobody's figures older than a slow network does.
    if (beresp.status == 200 && beresp.http.Cache-Control ~ "max-age=0") {
        set beresp.ttl = 100ms;
        return (deliver);
    }
}
