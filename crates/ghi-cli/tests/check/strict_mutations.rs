//! Servers that keep the contract, and break a decision of this implementation.

use serde_json::{Value, json};

use crate::contract_mutations::{answered, answered_to, edited};
use crate::scripted::{Asked, Reply, Script};
use crate::teeth::Mutation;

const METADATA: &str = "/v1/ghi/metadata";
const SNAPSHOT: &str = "/v1/ghi/snapshot";
const HISTORY: &str = "/v1/ghi/history";
const NETWORK: &str = "/v1/ghi/network";
const FORECAST: &str = "/v1/ghi/forecast";
const INDICATOR: &str = "/v1/ghi/indicator";
const UNKNOWN_PATH: &str = "/v1/ghi/no-such-path";

pub(crate) fn mutations() -> Vec<Mutation> {
    [documents(), agreement(), parameters(), errors(), methods(), web(), indicator()]
        .into_iter()
        .flatten()
        .collect()
}

fn set(pointer: &'static str, value: impl Into<Value>) -> impl Fn(&mut Value) + Send + Sync {
    let value = value.into();
    move |document| *document.pointer_mut(pointer).unwrap() = value.clone()
}

fn documents() -> Vec<Mutation> {
    vec![
        Mutation::of(
            "timestamps-have-microseconds",
            edited(NETWORK, set("/timestamp_utc", "2026-11-15T12:00:00Z")),
        ),
        Mutation::of("floats-have-a-decimal-point", edited(NETWORK, set("/hashrate_eh", 852))),
        Mutation::of(
            "floats-have-a-decimal-point",
            edited("/v1/ghi/regions", set("/region_count", 3.0)),
        ),
        Mutation::of("no-further-fields", edited(NETWORK, |network| network["more"] = 1.into())),
        Mutation::of(
            "no-further-fields",
            edited(HISTORY, |history| history["points"][0]["note"] = "x".into()),
        ),
        Mutation::of("figures-are-positive", edited(NETWORK, set("/avg_fee_usd", 0.0))),
        Mutation::of("figures-are-positive", edited(NETWORK, set("/difficulty", Value::Null))),
        // Nobody has more than everything, and the weights of the average are others.
        Mutation::of_two(
            "shares-are-percentages",
            "global-average-is-weighted",
            edited("/v1/ghi/regions/us", set("/hashrate_share_pct", 101.0)),
        ),
        Mutation::of("region-ids-are-short-codes", RenamedRegion),
        Mutation::of("history-has-every-day", edited(HISTORY, set("/points/0/date", "2026-11-08"))),
        Mutation::of(
            "history-ends-today",
            edited(HISTORY, |history| {
                for (index, point) in
                    history["points"].as_array_mut().unwrap().iter_mut().enumerate()
                {
                    point["date"] = format!("2026-11-{:02}", 8 + index).into();
                }
            }),
        ),
        Mutation::of(
            "snapshot-has-the-registry",
            edited(SNAPSHOT, |snapshot| {
                if let Some(regions) = snapshot.get_mut("regions").and_then(Value::as_array_mut) {
                    regions.reverse();
                }
            }),
        ),
        Mutation::of(
            "endpoints-are-in-order",
            edited(METADATA, |metadata| {
                metadata["available_endpoints"].as_array_mut().unwrap().reverse();
            }),
        ),
        Mutation::of(
            "endpoints-are-in-order",
            edited(METADATA, |metadata| {
                metadata["available_endpoints"].as_array_mut().unwrap().push(INDICATOR.into());
            }),
        ),
        Mutation::of(
            "supported-versions-are-in-order",
            edited(METADATA, set("/api_supported", json!(["1.0", "1.1"]))),
        ),
        Mutation::of("minimal-snapshot-by-preference", Unpreferred("return=minimal")),
        Mutation::of("full-snapshot-by-preference", Unpreferred("return=representation")),
        Mutation::of("minimal-snapshot-by-preference", |asked: &Asked, reply: &mut Reply| {
            if asked.headers.get("prefer").is_some_and(|prefer| prefer == "return=minimal") {
                reply.edit(|snapshot| snapshot["region_count"] = 3.into());
            }
        }),
    ]
}

/// A server whose first region has an id in upper case, of the same length.
struct RenamedRegion;

impl Script for RenamedRegion {
    fn asked(&self, asked: &mut Asked) {
        asked.target = asked.target.replace("U_", "us").replace("%55%5F", "us");
    }

    fn replied(&self, _: &Asked, reply: &mut Reply) {
        let body = String::from_utf8(reply.body.clone()).unwrap();
        reply.body = body.replace("\"us\"", "\"U_\"").replace("us, eu", "U_, eu").into();
    }
}

/// A server that ignores a preference.
struct Unpreferred(&'static str);

impl Script for Unpreferred {
    fn asked(&self, asked: &mut Asked) {
        if asked.headers.get("prefer").is_some_and(|prefer| prefer == self.0) {
            asked.headers.remove("prefer");
        }
    }

    fn replied(&self, _: &Asked, _: &mut Reply) {}
}

fn agreement() -> Vec<Mutation> {
    let lower = |document: &mut Value, pointer: &str| {
        let number = document.pointer_mut(pointer).unwrap();
        *number = json!(number.as_f64().unwrap() - 1.0);
    };
    vec![
        Mutation::of("region-names-agree", edited("/v1/ghi/regions/eu", set("/name", "Elsewhere"))),
        Mutation::of(
            "region-detail-agrees-with-the-snapshot",
            edited("/v1/ghi/regions/eu", move |detail| {
                lower(detail, "/min_cost_usd");
            }),
        ),
        Mutation::of(
            "history-agrees-with-the-snapshot",
            edited(HISTORY, move |history| {
                lower(history, "/points/6/min_cost_usd");
            }),
        ),
        Mutation::of(
            "global-average-is-weighted",
            edited("/v1/ghi/regions/us", move |detail| {
                lower(detail, "/hashrate_share_pct");
            }),
        ),
    ]
}

fn parameters() -> Vec<Mutation> {
    let found = |target: &'static str| {
        answered_to(target, |reply| {
            reply.status = 200;
            reply.body = b"{}".into();
        })
    };
    let lost = |target: &'static str| answered_to(target, |reply| reply.status = 404);
    vec![
        Mutation::of(
            "history-defaults-to-global",
            answered_to("/v1/ghi/history", |reply| {
                reply.edit(set("/region_id", "us"));
            }),
        ),
        Mutation::of(
            "forecast-days-default-to-seven",
            answered_to("/v1/ghi/forecast", |reply| {
                reply.edit(set("/forecast_days", 30));
            }),
        ),
        Mutation::of("forecast-days-run-from-1-to-365", lost("/v1/ghi/forecast?forecast_days=365")),
        Mutation::of(
            "forecast-days-run-from-1-to-365",
            found("/v1/ghi/forecast?forecast_days=366"),
        ),
        Mutation::of("forecast-days-are-plain-digits", found("/v1/ghi/forecast?forecast_days=07")),
        Mutation::of("forecast-days-are-plain-digits", found("/v1/ghi/forecast?forecast_days=")),
        Mutation::of(
            "parameters-come-once",
            found("/v1/ghi/history?region_id=global&region_id=global"),
        ),
        Mutation::of("queries-are-utf-8", found("/v1/ghi/metadata?x=%ff")),
        Mutation::of("unknown-parameters-do-no-harm", lost("/v1/ghi/metadata?no_such_parameter=1")),
        Mutation::of("parameters-are-decoded", lost("/v1/ghi/regions/%75%73")),
        Mutation::of("trailing-slash-is-the-same", lost("/v1/ghi/metadata/")),
        Mutation::of(
            "trailing-slash-is-the-same",
            answered_to("/v1/ghi/regions/", |reply| reply.status = 308),
        ),
        Mutation::of("unknown-region-is-404", found("/v1/ghi/regions/US")),
        Mutation::of(
            "unknown-region-is-404",
            answered_to("/v1/ghi/regions/no-such-region", |reply| {
                reply.edit(set("/code", "not_found"));
            }),
        ),
        Mutation::of("unknown-region-id-is-404", found("/v1/ghi/history?region_id=no-such-region")),
    ]
}

fn errors() -> Vec<Mutation> {
    vec![
        Mutation::of(
            "unknown-path-is-404",
            answered(UNKNOWN_PATH, |reply| {
                reply.status = 410;
                reply.edit(set("/status", 410));
            }),
        ),
        Mutation::of(
            "unknown-path-is-404",
            answered(UNKNOWN_PATH, |reply| {
                reply.edit(set("/detail", "Nothing lives here."));
            }),
        ),
        Mutation::of(
            "errors-are-problems",
            answered(UNKNOWN_PATH, |reply| {
                reply.set("content-type", "application/json");
            }),
        ),
        Mutation::of(
            "errors-are-problems",
            answered(UNKNOWN_PATH, |reply| {
                reply.edit(|problem| _ = problem.as_object_mut().unwrap().remove("instance"));
            }),
        ),
        Mutation::of(
            "errors-are-problems",
            answered(UNKNOWN_PATH, |reply| {
                reply.edit(set("/status", 400));
            }),
        ),
        Mutation::of(
            "problems-say-what-is-right",
            answered_to("/v1/ghi/forecast?forecast_days=0", |reply| {
                reply.edit(set("/detail", "That is wrong."));
            }),
        ),
        Mutation::of(
            "problems-say-what-is-right",
            answered("/v1/ghi/regions/no-such-region", |reply| {
                reply.edit(set("/detail", "That is wrong."));
            }),
        ),
        Mutation::of(
            "problem-type-is-a-page",
            answered("/problems/not_found", |reply| reply.status = 404),
        ),
        Mutation::of(
            "problem-type-is-a-page",
            answered(UNKNOWN_PATH, |reply| {
                reply.edit(set("/type", "https://elsewhere.example/not_found"));
            }),
        ),
        Mutation::of(
            "errors-are-not-stored",
            answered(UNKNOWN_PATH, |reply| {
                reply.set("cache-control", "max-age=60");
            }),
        ),
        Mutation::of("errors-echo-no-markup", |asked: &Asked, reply: &mut Reply| {
            if asked.target.contains("script%3E") {
                reply.body = b"<p>No region <script>x</script>.".into();
            }
        }),
    ]
}

fn methods() -> Vec<Mutation> {
    let to = |method: &'static str, change: fn(&mut Reply)| {
        move |asked: &Asked, reply: &mut Reply| {
            let is_preflight = asked.headers.contains_key("access-control-request-method");
            if asked.method == method && !is_preflight {
                change(reply);
            }
        }
    };
    vec![
        Mutation::of("other-methods-are-405", to("DELETE", |reply| reply.status = 200)),
        Mutation::of("other-methods-are-405", to("PUT", |reply| reply.remove("allow"))),
        Mutation::of("head-is-get-without-a-body", to("HEAD", |reply| reply.status = 405)),
        Mutation::of(
            "head-is-get-without-a-body",
            to("HEAD", |reply| reply.set("content-length", "7")),
        ),
        Mutation::of("options-are-204", to("OPTIONS", |reply| reply.status = 200)),
        Mutation::of("options-are-204", to("OPTIONS", |reply| reply.set("allow", "GET"))),
    ]
}

fn web() -> Vec<Mutation> {
    let header = |path, name, value: &'static str| {
        answered(path, move |reply: &mut Reply| reply.set(name, value))
    };
    let bare = |path, name| answered(path, move |reply: &mut Reply| reply.remove(name));
    let known = |asked: &Asked| {
        asked.headers.get("if-none-match").map(|tag| tag.to_str().unwrap().to_owned())
    };
    vec![
        Mutation::of("content-type-is-json", header(NETWORK, "content-type", "text/plain")),
        Mutation::of("content-type-is-json", bare(NETWORK, "content-type")),
        Mutation::of("nothing-is-sniffed", bare(NETWORK, "x-content-type-options")),
        Mutation::of(
            "date-is-the-timestamp",
            header(NETWORK, "date", "Sun, 15 Nov 2026 12:00:01 GMT"),
        ),
        Mutation::of("documents-have-a-weak-tag", header(FORECAST, "etag", "\"strong\"")),
        Mutation::of("documents-have-a-weak-tag", bare(FORECAST, "etag")),
        Mutation::of("tag-ignores-the-timestamp", |asked: &Asked, reply: &mut Reply| {
            if asked.path() == NETWORK && asked.before == 1 {
                reply.set("etag", "W/\"another\"");
            }
        }),
        Mutation::of("known-document-is-304", Unconditional),
        Mutation::of("other-tag-gets-the-document", move |asked: &Asked, reply: &mut Reply| {
            if known(asked).is_some_and(|tag| tag.contains("no-such-tag")) {
                reply.status = 304;
                reply.body.clear();
            }
        }),
        Mutation::of(
            "documents-hold-until-midnight",
            header(NETWORK, "cache-control", "public, max-age=61"),
        ),
        Mutation::of("documents-hold-until-midnight", header(NETWORK, "cache-control", "no-store")),
        Mutation::of("snapshot-varies-by-preference", bare(SNAPSHOT, "vary")),
        Mutation::of("long-answers-are-compressed", padded(|_, reply| reply.may_compress = false)),
        // Compressed by name alone.
        Mutation::of(
            "long-answers-are-compressed",
            padded(|asked, reply| {
                if asked.accepts_gzip() {
                    reply.may_compress = false;
                    reply.set("content-encoding", "gzip");
                    reply.set("vary", "prefer, accept-encoding");
                }
            }),
        ),
        Mutation::of(
            "long-answers-are-compressed",
            padded(|asked, reply| {
                if asked.accepts_gzip() {
                    reply.edit(|history| history["region_id"] = "another".into());
                    reply.body.resize(2048, b' ');
                }
            }),
        ),
        // What is short takes longer to decompress than to send.
        Mutation::of("long-answers-are-compressed", |asked: &Asked, reply: &mut Reply| {
            if asked.accepts_gzip() {
                reply.set("content-encoding", "gzip");
            }
        }),
        Mutation::of("any-origin-may-read", bare(NETWORK, "access-control-allow-origin")),
        Mutation::of(
            "any-origin-may-read",
            header(NETWORK, "access-control-allow-credentials", "true"),
        ),
        Mutation::of(
            "headers-are-exposed",
            header(NETWORK, "access-control-expose-headers", "ETag"),
        ),
        Mutation::of("preflight-is-answered", |asked: &Asked, reply: &mut Reply| {
            if asked.headers.contains_key("access-control-request-method") {
                reply.set("access-control-allow-methods", "POST");
            }
        }),
        Mutation::of("description-is-linked", bare(NETWORK, "link")),
    ]
}

/// A server whose histories are long enough to be compressed, and are changed.
fn padded(change: fn(&Asked, &mut Reply)) -> impl Fn(&Asked, &mut Reply) + Send + Sync {
    move |asked, reply| {
        if asked.path() == HISTORY && reply.status == 200 {
            reply.body.resize(2048, b' ');
            change(asked, reply);
        }
    }
}

/// A server that does not look at `If-None-Match`.
struct Unconditional;

impl Script for Unconditional {
    fn asked(&self, asked: &mut Asked) {
        asked.headers.remove("if-none-match");
    }

    fn replied(&self, _: &Asked, _: &mut Reply) {}
}

fn indicator() -> Vec<Mutation> {
    vec![
        Mutation::of(
            "indicator-fields",
            edited(INDICATOR, |indicator| {
                _ = indicator.as_object_mut().unwrap().remove("currency");
            }),
        ),
        Mutation::of(
            "indicator-fields",
            edited(INDICATOR, |indicator| indicator["more"] = 1.into()),
        ),
        Mutation::of("indicator-fields", edited(INDICATOR, set("/min_cost_usd", "50000"))),
        Mutation::of("indicator-version-is-1-0", edited(INDICATOR, set("/version", "1.1"))),
        Mutation::of(
            "indicator-agrees-with-the-snapshot",
            edited(INDICATOR, set("/min_cost_usd", 1.0)),
        ),
        Mutation::of(
            "indicator-names-its-successor",
            answered(INDICATOR, |reply| reply.remove("link")),
        ),
    ]
}
