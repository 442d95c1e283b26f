//! Servers that keep the contract but break a decision of this implementation.

use ghi_contract::paths::{FORECAST, HISTORY, INDICATOR, METADATA, NETWORK, REGIONS, SNAPSHOT};
use serde_json::{Value, json};

use crate::broken_servers::{Mutation, breaks, breaks_all};
use crate::scripted::{
    Script, ScriptedReply, ScriptedRequest, changed, changed_target, compress, edited, script, set,
};

const DETAILS: &str = "/v1/ghi/regions/";
const UNKNOWN_PATH: &str = "/v1/ghi/no-such-path";

pub(crate) fn mutations() -> Vec<Mutation> {
    [documents(), agreement(), parameters(), errors(), methods(), web(), indicator()]
        .into_iter()
        .flatten()
        .collect()
}

/// A server that breaks the contract and a decision: its dates decrease, so the last is six days old.
pub(crate) fn reversed_history() -> Mutation {
    breaks_all(
        &["history-dates-increase", "history-ends-today"],
        edited(HISTORY, |history| history["points"].as_array_mut().unwrap().reverse()),
    )
}

/// Changes the share in a region detail.
fn shares(change: fn(f64) -> f64) -> impl Fn(&mut Value) + Send + Sync {
    move |document| {
        if let Some(share) = document.get_mut("hashrate_share_pct") {
            *share = json!(change(share.as_f64().unwrap()));
        }
    }
}

fn documents() -> Vec<Mutation> {
    vec![
        breaks(
            "timestamps-have-microseconds",
            edited(NETWORK, set("/timestamp_utc", "2026-11-15T12:00:00Z")),
        ),
        breaks("floats-have-a-decimal-point", edited(NETWORK, set("/hashrate_eh", 852))),
        breaks("floats-have-a-decimal-point", edited(REGIONS, set("/region_count", 3.0))),
        breaks("no-further-fields", edited(NETWORK, |network| network["more"] = 1.into())),
        breaks(
            "no-further-fields",
            edited(HISTORY, |history| history["points"][0]["note"] = "x".into()),
        ),
        breaks("figures-are-positive", edited(NETWORK, set("/avg_fee_usd", 0.0))),
        breaks("figures-are-positive", edited(NETWORK, set("/difficulty", Value::Null))),
        // The shares are also the weights of the average, and those of the others stay.
        breaks_all(
            &["shares-are-percentages", "shares-sum-to-100", "global-average-is-weighted"],
            edited("/v1/ghi/regions/us", set("/hashrate_share_pct", 101.0)),
        ),
        breaks_all(
            &["shares-sum-to-100", "global-average-is-weighted"],
            edited(DETAILS, shares(|_| 99.0)),
        ),
        breaks("shares-sum-to-100", edited(DETAILS, shares(|share| share / 2.0))),
        breaks("region-ids-are-short-codes", RenamedRegion),
        breaks("history-has-every-day", edited(HISTORY, set("/points/0/date", "2026-11-08"))),
        breaks(
            "history-ends-today",
            edited(HISTORY, |history| {
                for (index, point) in
                    history["points"].as_array_mut().unwrap().iter_mut().enumerate()
                {
                    point["date"] = format!("2026-11-{:02}", 8 + index).into();
                }
            }),
        ),
        breaks(
            "snapshot-has-the-registry",
            edited(SNAPSHOT, |snapshot| {
                if let Some(regions) = snapshot.get_mut("regions").and_then(Value::as_array_mut) {
                    regions.reverse();
                }
            }),
        ),
        breaks(
            "endpoints-are-in-order",
            edited(METADATA, |metadata| {
                metadata["available_endpoints"].as_array_mut().unwrap().reverse();
            }),
        ),
        breaks(
            "endpoints-are-in-order",
            edited(METADATA, |metadata| {
                metadata["available_endpoints"].as_array_mut().unwrap().push(INDICATOR.into());
            }),
        ),
        breaks(
            "supported-versions-are-in-order",
            edited(METADATA, set("/api_supported", json!(["1.0", "1.1"]))),
        ),
        breaks("minimal-snapshot-by-preference", Unpreferred("return=minimal")),
        breaks("full-snapshot-by-preference", Unpreferred("return=representation")),
        breaks(
            "minimal-snapshot-by-preference",
            script(|request, reply| {
                if request.headers.get("prefer").is_some_and(|prefer| prefer == "return=minimal") {
                    reply.edit(|snapshot| snapshot["region_count"] = 3.into());
                }
            }),
        ),
    ]
}

/// A server whose first region has an uppercase id of the same length.
struct RenamedRegion;

impl Script for RenamedRegion {
    fn requested(&self, request: &mut ScriptedRequest) {
        request.target = request.target.replace("U_", "us").replace("%55%5F", "us");
    }

    fn replied(&self, _: &ScriptedRequest, reply: &mut ScriptedReply) {
        let body = String::from_utf8(reply.body.clone()).unwrap();
        reply.body = body.replace("\"us\"", "\"U_\"").replace("us, eu", "U_, eu").into();
    }
}

/// A server that ignores a preference.
struct Unpreferred(&'static str);

impl Script for Unpreferred {
    fn requested(&self, request: &mut ScriptedRequest) {
        if request.headers.get("prefer").is_some_and(|prefer| prefer == self.0) {
            request.headers.remove("prefer");
        }
    }

    fn replied(&self, _: &ScriptedRequest, _: &mut ScriptedReply) {}
}

fn agreement() -> Vec<Mutation> {
    let lower = |document: &mut Value, pointer: &str| {
        let number = document.pointer_mut(pointer).unwrap();
        *number = json!(number.as_f64().unwrap() - 1.0);
    };
    vec![
        breaks("region-names-agree", edited("/v1/ghi/regions/eu", set("/name", "Elsewhere"))),
        breaks(
            "region-detail-agrees-with-the-snapshot",
            edited("/v1/ghi/regions/eu", move |detail| {
                lower(detail, "/min_cost_usd");
            }),
        ),
        breaks(
            "history-agrees-with-the-snapshot",
            edited(HISTORY, move |history| {
                lower(history, "/points/6/min_cost_usd");
            }),
        ),
        breaks(
            "global-average-is-weighted",
            // The sum stays 100.
            script(|request, reply| match request.path() {
                "/v1/ghi/regions/us" => reply.edit(shares(|share| share - 1.0)),
                "/v1/ghi/regions/eu" => reply.edit(shares(|share| share + 1.0)),
                _ => {}
            }),
        ),
    ]
}

fn parameters() -> Vec<Mutation> {
    let found = |target: &'static str| {
        changed_target(target, |reply| {
            reply.status = 200;
            reply.body = b"{}".into();
        })
    };
    let lost = |target: &'static str| changed_target(target, |reply| reply.status = 404);
    let closed = |target: &'static str| changed_target(target, |reply| reply.closes = true);
    vec![
        breaks(
            "history-defaults-to-global",
            changed_target("/v1/ghi/history", |reply| {
                reply.edit(set("/region_id", "us"));
            }),
        ),
        breaks(
            "forecast-days-default-to-seven",
            changed_target("/v1/ghi/forecast", |reply| {
                reply.edit(set("/forecast_days", 30));
            }),
        ),
        breaks("history-defaults-to-global", lost(HISTORY)),
        breaks("history-defaults-to-global", closed(HISTORY)),
        breaks("forecast-days-default-to-seven", lost(FORECAST)),
        breaks("forecast-days-run-from-1-to-365", lost("/v1/ghi/forecast?forecast_days=365")),
        breaks("forecast-days-run-from-1-to-365", found("/v1/ghi/forecast?forecast_days=366")),
        breaks("forecast-days-are-plain-digits", found("/v1/ghi/forecast?forecast_days=07")),
        breaks("forecast-days-are-plain-digits", found("/v1/ghi/forecast?forecast_days=")),
        breaks("parameters-come-once", found("/v1/ghi/history?region_id=global&region_id=global")),
        breaks("queries-are-utf-8", found("/v1/ghi/metadata?x=%ff")),
        breaks("unknown-parameters-do-no-harm", lost("/v1/ghi/metadata?no_such_parameter=1")),
        breaks("parameters-are-decoded", lost("/v1/ghi/regions/%75%73")),
        breaks("trailing-slash-is-the-same", lost("/v1/ghi/metadata/")),
        breaks(
            "trailing-slash-is-the-same",
            changed_target("/v1/ghi/regions/", |reply| reply.status = 308),
        ),
        breaks("unknown-region-is-404", found("/v1/ghi/regions/US")),
        breaks("unknown-region-is-404", closed("/v1/ghi/regions/US")),
        breaks(
            "unknown-region-is-404",
            changed_target("/v1/ghi/regions/no-such-region", |reply| {
                reply.edit(set("/code", "not_found"));
            }),
        ),
        breaks("unknown-region-id-is-404", found("/v1/ghi/history?region_id=no-such-region")),
    ]
}

fn errors() -> Vec<Mutation> {
    vec![
        breaks(
            "unknown-path-is-404",
            changed(UNKNOWN_PATH, |reply| {
                reply.status = 410;
                reply.edit(set("/status", 410));
            }),
        ),
        breaks(
            "unknown-path-is-404",
            changed(UNKNOWN_PATH, |reply| {
                reply.edit(set("/detail", "Nothing here."));
            }),
        ),
        breaks(
            "errors-are-problems",
            changed(UNKNOWN_PATH, |reply| {
                reply.set("content-type", "application/json");
            }),
        ),
        breaks(
            "errors-are-problems",
            changed(UNKNOWN_PATH, |reply| {
                reply.edit(|problem| _ = problem.as_object_mut().unwrap().remove("instance"));
            }),
        ),
        breaks(
            "errors-are-problems",
            changed(UNKNOWN_PATH, |reply| {
                reply.edit(set("/status", 400));
            }),
        ),
        breaks(
            "problems-say-what-is-right",
            changed_target("/v1/ghi/forecast?forecast_days=0", |reply| {
                reply.edit(set("/detail", "That is wrong."));
            }),
        ),
        breaks(
            "problems-say-what-is-right",
            changed("/v1/ghi/regions/no-such-region", |reply| {
                reply.edit(set("/detail", "That is wrong."));
            }),
        ),
        breaks(
            "problem-type-is-a-page",
            changed("/problems/not_found", |reply| reply.status = 404),
        ),
        breaks(
            "problem-type-is-a-page",
            changed(UNKNOWN_PATH, |reply| {
                reply.edit(set("/type", "https://elsewhere.example/not_found"));
            }),
        ),
        breaks(
            "errors-are-not-stored",
            changed(UNKNOWN_PATH, |reply| {
                reply.set("cache-control", "max-age=60");
            }),
        ),
        breaks(
            "errors-echo-no-markup",
            script(|request, reply| {
                if request.target.contains("script%3E") {
                    reply.body = b"<p>No region <script>x</script>.".into();
                }
            }),
        ),
    ]
}

fn methods() -> Vec<Mutation> {
    let to = |method: &'static str, change: fn(&mut ScriptedReply)| {
        script(move |request, reply| {
            let is_preflight = request.headers.contains_key("access-control-request-method");
            if request.method == method && !is_preflight {
                change(reply);
            }
        })
    };
    vec![
        breaks("other-methods-are-405", to("DELETE", |reply| reply.status = 200)),
        breaks("other-methods-are-405", to("PUT", |reply| reply.remove("allow"))),
        breaks("head-is-get-without-a-body", to("HEAD", |reply| reply.status = 405)),
        breaks("head-is-get-without-a-body", to("HEAD", |reply| reply.set("content-length", "7"))),
        breaks("options-are-204", to("OPTIONS", |reply| reply.status = 200)),
        breaks("options-are-204", to("OPTIONS", |reply| reply.set("allow", "GET"))),
    ]
}

fn web() -> Vec<Mutation> {
    let header = |path, name, value: &'static str| {
        changed(path, move |reply: &mut ScriptedReply| reply.set(name, value))
    };
    let bare = |path, name| changed(path, move |reply: &mut ScriptedReply| reply.remove(name));
    let known = |request: &ScriptedRequest| {
        request.headers.get("if-none-match").map(|tag| tag.to_str().unwrap().to_owned())
    };
    vec![
        breaks("content-type-is-json", header(NETWORK, "content-type", "text/plain")),
        breaks("content-type-is-json", bare(NETWORK, "content-type")),
        breaks("content-type-is-json", header(INDICATOR, "content-type", "text/plain")),
        breaks("any-origin-may-read", bare(INDICATOR, "access-control-allow-origin")),
        breaks("nothing-is-sniffed", bare(NETWORK, "x-content-type-options")),
        breaks("documents-have-a-weak-tag", header(FORECAST, "etag", "\"strong\"")),
        breaks("documents-have-a-weak-tag", bare(FORECAST, "etag")),
        breaks(
            "tag-ignores-the-timestamp",
            script(|request, reply| {
                if request.path() == NETWORK && request.before > 0 {
                    reply.set("etag", "W/\"another\"");
                }
            }),
        ),
        breaks("known-document-is-304", Unconditional),
        breaks(
            "other-tag-gets-the-document",
            script(move |request, reply| {
                if known(request).is_some_and(|tag| tag.contains("no-such-tag")) {
                    reply.status = 304;
                    reply.body.clear();
                }
            }),
        ),
        breaks(
            "documents-hold-until-midnight",
            header(NETWORK, "cache-control", "public, max-age=61"),
        ),
        breaks("documents-hold-until-midnight", header(NETWORK, "cache-control", "no-store")),
        breaks("snapshot-varies-by-preference", bare(SNAPSHOT, "vary")),
        breaks("long-answers-are-compressed", padded(|_, reply| reply.may_compress = false)),
        // Says gzip, but is not compressed.
        breaks(
            "long-answers-are-compressed",
            padded(|request, reply| {
                if request.accepts_gzip() {
                    reply.may_compress = false;
                    reply.set("content-encoding", "gzip");
                    reply.set("vary", "prefer, accept-encoding");
                }
            }),
        ),
        breaks(
            "long-answers-are-compressed",
            padded(|request, reply| {
                if request.accepts_gzip() {
                    reply.edit(|history| history["region_id"] = "another".into());
                    reply.body.resize(2048, b' ');
                }
            }),
        ),
        // The checksum is wrong.
        breaks(
            "long-answers-are-compressed",
            padded(|request, reply| {
                if request.accepts_gzip() {
                    compress(reply);
                    reply.may_compress = false;
                    let checksum = reply.body.len() - 8;
                    reply.body[checksum] ^= 1;
                }
            }),
        ),
        // Short responses are not worth compressing.
        breaks(
            "long-answers-are-compressed",
            script(|request, reply| {
                if request.accepts_gzip() {
                    reply.set("content-encoding", "gzip");
                }
            }),
        ),
        breaks("any-origin-may-read", bare(NETWORK, "access-control-allow-origin")),
        breaks("any-origin-may-read", header(NETWORK, "access-control-allow-credentials", "true")),
        breaks("headers-are-exposed", header(NETWORK, "access-control-expose-headers", "ETag")),
        breaks(
            "preflight-is-answered",
            script(|request, reply| {
                if request.headers.contains_key("access-control-request-method") {
                    reply.set("access-control-allow-methods", "POST");
                }
            }),
        ),
        breaks("description-is-linked", bare(NETWORK, "link")),
    ]
}

/// A server with changed histories that are long enough to be compressed.
fn padded(
    change: fn(&ScriptedRequest, &mut ScriptedReply),
) -> impl Fn(&ScriptedRequest, &mut ScriptedReply) + Send + Sync {
    move |request, reply| {
        if request.path() == HISTORY && reply.status == 200 {
            reply.body.resize(2048, b' ');
            change(request, reply);
        }
    }
}

/// A server that ignores `If-None-Match`.
struct Unconditional;

impl Script for Unconditional {
    fn requested(&self, request: &mut ScriptedRequest) {
        request.headers.remove("if-none-match");
    }

    fn replied(&self, _: &ScriptedRequest, _: &mut ScriptedReply) {}
}

fn indicator() -> Vec<Mutation> {
    vec![
        breaks(
            "indicator-fields",
            edited(INDICATOR, |indicator| {
                _ = indicator.as_object_mut().unwrap().remove("currency");
            }),
        ),
        breaks("indicator-fields", edited(INDICATOR, |indicator| indicator["more"] = 1.into())),
        breaks("indicator-fields", edited(INDICATOR, set("/min_cost_usd", "50000"))),
        breaks("indicator-fields", changed(INDICATOR, |reply| reply.body = b"[1]".into())),
        breaks("figures-are-positive", edited(INDICATOR, set("/min_cost_usd", Value::Null))),
        breaks("indicator-is-for-today", edited(INDICATOR, set("/date", "2026-11-14"))),
        breaks("indicator-version-is-1-0", edited(INDICATOR, set("/version", "1.1"))),
        breaks("indicator-agrees-with-the-snapshot", edited(INDICATOR, set("/min_cost_usd", 1.0))),
        breaks(
            "indicator-names-its-successor",
            changed(INDICATOR, |reply| {
                reply.set("link", "</openapi.json>; rel=\"service-desc\"");
            }),
        ),
    ]
}
