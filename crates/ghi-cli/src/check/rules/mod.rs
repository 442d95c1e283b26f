//! The rules, in the order of the report: by section of the contract, with our own decisions last.

mod documents;
mod responses;

use std::collections::HashSet;

use ghi_contract::paths::{self, METADATA, NETWORK, REGIONS, SNAPSHOT};
use ghi_contract::{
    API_CURRENT, API_PREVIOUS, API_SUPPORTED, CURRENCY, ENVIRONMENT, ForecastDays, GLOBAL,
    HISTORY_DAYS, is_region_id,
};
use ghi_engine::parse_date;
use reqwest::Method;
use serde_json::Value;

use self::{documents::*, responses::*};
use crate::check::json_object::ObjectKind::{self, *};
use crate::check::json_object::{
    DOCUMENTS, ENTRIES, Field, JsonObject, V1_1_DOCUMENTS, is_number_or_null,
};
use crate::check::judge::RuleSource::{self, Agreement, Contract, Note, Strict};
use crate::check::judge::{HORIZONS, Judge, Rule, forecast, history, region_detail};
use crate::check::response::{CheckRequest, Judgement, unjudged};

const fn rule(
    source: RuleSource,
    section: &'static str,
    id: &'static str,
    judge: fn(&Judge) -> Judgement,
    title: &'static str,
) -> Rule {
    Rule { id, section, title, source, judge }
}

const MARKUP: &str = "<script>x</script>";

#[rustfmt::skip]
pub(crate) static RULES: &[Rule] = &[
    rule(Contract, "1.1", "responses-are-json", responses_are_json,
        "A 200 response is a JSON object in UTF-8."),
    rule(Strict, "1.1", "content-type-is-json",
        |judge| judge.each_object(DOCUMENTS, |document| document.response.verify_header_is("content-type", "application/json")),
        "Documents have `Content-Type: application/json`."),
    rule(Strict, "1.1", "nothing-is-sniffed",
        |judge| judge.each_object(DOCUMENTS, |document| document.response.verify_header_is("x-content-type-options", "nosniff")),
        "Documents have `X-Content-Type-Options: nosniff`."),
    rule(Contract, "1.2", "structure-is-stable",
        // The snapshot may come in either form.
        |judge| judge.each([METADATA, REGIONS, NETWORK], |path| {
            let first = judge.document(path)?;
            let second = judge.again(&first)?;
            let [expected, got] = [&first, &second].map(|document| document.field_names().join(", "));
            second.response.verify(expected == got, format_args!("{expected}, as in the first response"), &got)
        }),
        "Repeating a request returns the same fields."),
    rule(Contract, "1.3", "timestamps-are-utc",
        |judge| texts(judge, DOCUMENTS, "timestamp_utc", "a time such as \"2026-11-15T12:00:00.000000Z\"", is_utc),
        "`timestamp_utc` is `YYYY-MM-DDTHH:MM:SS`, with an optional fraction, and ends in `Z`."),
    rule(Strict, "1.3", "timestamps-have-microseconds",
        |judge| texts(judge, DOCUMENTS, "timestamp_utc", "six digits after the seconds",
            // Other strings break a rule of the contract.
            |text| !is_utc(text) || text.len() == "2026-11-15T12:00:00.000000Z".len()),
        "`timestamp_utc` has six digits after the seconds."),
    rule(Contract, "1.4", "figures-are-numbers",
        |judge| each_field(judge, V1_1_DOCUMENTS.into_iter().chain(ENTRIES), Field::is_numeric, |object, field| {
            let value = object.get(field.name).ok_or_else(|| unjudged("no figures"))?;
            object.verify(field.name, is_number_or_null(value), field.type_name)
        }),
        "Numeric fields are JSON numbers, not strings."),
    rule(Strict, "1.4", "floats-have-a-decimal-point",
        |judge| each_field(judge, ObjectKind::all(), Field::is_numeric, |object, field| {
            object.number(field.name)?;
            let with = if field.is_float() { "with" } else { "without" };
            let is_right = object.get(field.name).is_some_and(Value::is_f64) == field.is_float();
            object.verify(field.name, is_right, format_args!("a number {with} a decimal point"))
        }),
        "Floats have a decimal point, as in `7.0`; integers don't."),
    rule(Strict, "1.5", "other-methods-are-405",
        |judge| judge.each([Method::POST, Method::PUT, Method::PATCH, Method::DELETE], |method| {
            verify_problem(judge, snapshot(method), 405, "method_not_allowed")?.verify_header_is("allow", ALLOWED)
        }),
        "POST, PUT, PATCH and DELETE get 405 `method_not_allowed`, with `Allow`."),
    rule(Strict, "1.5", "head-is-get-without-a-body", head_is_get_without_a_body,
        "HEAD returns the status and the headers of GET."),
    rule(Strict, "1.5", "options-are-204",
        |judge| judge.verify_status(snapshot(Method::OPTIONS), 204)?.verify_header_is("allow", ALLOWED),
        "OPTIONS gets 204, with `Allow`."),
    rule(Contract, "1.6", "engine-version-is-of-a-sandbox",
        |judge| texts(judge, DOCUMENTS, "engine_sandbox_version", "<version>-sandbox",
            |text| text.strip_suffix("-sandbox").is_some_and(|version| !version.is_empty())),
        "`engine_sandbox_version` is a version that ends in `-sandbox`."),
    rule(Contract, "1.6", "environment-is-sandbox", |judge| field_is(judge, Metadata, "environment", ENVIRONMENT),
        "`environment` is `sandbox`."),
    rule(Contract, "1.6", "current-api-is-1-1", |judge| field_is(judge, Metadata, "api_current", API_CURRENT),
        "`api_current` is `1.1`."),

    rule(Contract, "2", "version-is-1-1",
        |judge| judge.each_object(V1_1_DOCUMENTS, |document| document.verify_text("version", API_CURRENT)),
        "`version` is `1.1` in every v1.1 document."),
    rule(Contract, "2", "timestamps-agree", timestamps_agree,
        "`timestamp_utc` is the time of generation: no document is more than a day older or newer than the others."),
    rule(Contract, "2", "region-detail-has-no-engine-version",
        |judge| judge.each_object([RegionDetail], |detail| {
            let field = "engine_sandbox_version";
            detail.verify(field, detail.get(field).is_none(), "missing")
        }),
        "The region detail has no `engine_sandbox_version`."),
    rule(Contract, "2", "metadata-fields", |judge| fields(judge, Metadata),
        "The metadata has its seven fields."),
    rule(Contract, "2", "regions-fields", |judge| fields(judge, Regions),
        "The list of regions has its five fields."),
    rule(Contract, "2", "region-fields", |judge| fields(judge, Region),
        "Each entry in the list of regions has an id and a name."),
    rule(Contract, "2", "region-detail-fields", |judge| fields(judge, RegionDetail),
        "The region detail has its eight fields."),
    rule(Contract, "2", "snapshot-fields", |judge| fields(judge, Snapshot),
        "The snapshot has the three envelope fields and the three global costs."),
    rule(Contract, "2", "snapshot-form", snapshot_form,
        "The snapshot has both `region_count` and `regions`, or neither."),
    rule(Contract, "2", "snapshot-region-fields", |judge| fields(judge, SnapshotRegion),
        "Each region in the snapshot has its seven fields."),
    rule(Contract, "2", "history-fields", |judge| fields(judge, History),
        "The history has its five fields."),
    rule(Contract, "2", "history-point-fields", |judge| fields(judge, HistoryPoint),
        "Each history point has its five fields."),
    rule(Contract, "2", "network-fields", |judge| fields(judge, Network),
        "The network metrics have their six fields."),
    rule(Contract, "2", "forecast-fields", |judge| fields(judge, Forecast),
        "The forecast has its five fields."),
    rule(Contract, "2", "region-ids-are-unique",
        |judge| judge.each([Region, SnapshotRegion], |kind| {
            let mut seen = HashSet::new();
            texts(judge, [kind], "id", "a unique id, other than \"\" and \"global\"", |id| {
                !id.is_empty() && id != GLOBAL && seen.insert(id.to_owned())
            })
        }),
        "Region ids are unique, and none is `global`."),
    rule(Contract, "2", "region-detail-costs-are-in-order", |judge| in_order(judge, RegionDetail, COSTS),
        "In a region detail, minimum <= average <= maximum."),
    rule(Contract, "2", "snapshot-region-id-is-the-id",
        |judge| judge.each_object([SnapshotRegion], |region| region.verify_text("region_id", region.text("id")?)),
        "In a region of the snapshot, `region_id` equals `id`."),
    rule(Contract, "2", "snapshot-currency-is-usd", |judge| field_is(judge, SnapshotRegion, "currency", CURRENCY),
        "In a region of the snapshot, `currency` is `USD`."),
    rule(Contract, "2", "snapshot-costs-are-in-order", |judge| in_order(judge, SnapshotRegion, COSTS),
        "In a region of the snapshot, minimum <= average <= maximum."),
    rule(Contract, "2", "snapshot-count-is-the-number-of-regions", |judge| region_count(judge, Snapshot),
        "In the snapshot, `region_count` is the number of regions."),
    rule(Contract, "2", "global-minimum-is-the-lowest", |judge| global_cost_is_extreme(judge, "min_cost_usd", f64::min),
        "The global minimum is the lowest regional minimum."),
    rule(Contract, "2", "global-maximum-is-the-highest", |judge| global_cost_is_extreme(judge, "max_cost_usd", f64::max),
        "The global maximum is the highest regional maximum."),
    rule(Contract, "2", "global-average-is-between",
        |judge| in_order(judge, Snapshot, ["global_min_cost_usd", "global_avg_cost_usd", "global_max_cost_usd"]),
        "The global average is between the global minimum and maximum."),
    rule(Contract, "2", "history-dates-are-days",
        |judge| texts(judge, [HistoryPoint], "date", "a date such as \"2026-11-15\"", |date| parse_date(date).is_ok()),
        "The `date` of a history point is a calendar date, `YYYY-MM-DD`."),
    rule(Contract, "2", "history-currency-is-usd", |judge| field_is(judge, HistoryPoint, "currency", CURRENCY),
        "In a history point, `currency` is `USD`."),
    rule(Contract, "2", "history-costs-are-in-order", |judge| in_order(judge, HistoryPoint, COSTS),
        "In a history point, minimum <= average <= maximum."),
    rule(Contract, "2", "history-dates-increase",
        |judge| dates(judge, "increasing dates", |dates, _| dates.is_sorted_by(|a, b| a < b)),
        "The dates of a history strictly increase."),
    rule(Contract, "2", "endpoints-are-below-the-prefix",
        |judge| judge.each_object([Metadata], |metadata| {
            let is_below = |path: &Value| path.as_str().is_none_or(|path| path.starts_with(paths::PREFIX));
            let is_right = metadata.list("available_endpoints")?.iter().all(is_below);
            metadata.verify("available_endpoints", is_right, format_args!("paths below {}", paths::PREFIX))
        }),
        "Every entry of `available_endpoints` is a path below `/v1/ghi`."),
    rule(Strict, "2", "no-further-fields",
        |judge| judge.each(V1_1_DOCUMENTS.into_iter().chain(ENTRIES), |kind| {
            judge.each_object([kind], |object| has_no_further_fields(kind, object))
        }),
        "No object has fields beyond those in the contract."),
    rule(Strict, "2", "region-ids-are-short-codes",
        |judge| texts(judge, [Region], "id", "a code such as \"us\", of up to 32 characters",
            |id| id.is_empty() || is_region_id(id)),
        "A region id is a lowercase letter, then lowercase letters, digits and hyphens, at most 32 characters."),
    rule(Strict, "2", "minimal-snapshot-by-preference", |judge| preference(judge, "return=minimal", false),
        "`Prefer: return=minimal` gets the reduced snapshot and `Preference-Applied`."),
    rule(Strict, "2", "full-snapshot-by-preference", |judge| preference(judge, "return=representation", true),
        "`Prefer: return=representation` gets the full snapshot and `Preference-Applied`."),
    rule(Strict, "2", "history-has-every-day",
        |judge| dates(judge, "a point for each day", 
            // Dates that don't increase break a rule of the contract.
            |dates, _| dates.windows(2).all(|pair| pair[1] <= pair[0] || pair[0].tomorrow().ok() == Some(pair[1]))),
        "A history has every day from its first to its last."),
    rule(Strict, "2", "figures-are-positive",
        |judge| each_field(judge, ObjectKind::all(), Field::is_float, |object, field| {
            // Values that are neither numbers nor null break a rule of the contract.
            let is_null = object.get(field.name).is_some_and(Value::is_null);
            let is_right = !is_null && object.number(field.name)? > 0.0;
            object.verify(field.name, is_right, "a number above zero")
        }),
        "Costs, shares and metrics are above zero and never null."),
    rule(Strict, "2", "shares-are-percentages",
        |judge| judge.each_object([RegionDetail], |detail| {
            let field = "hashrate_share_pct";
            detail.verify(field, detail.number(field)? <= 100.0, "at most 100")
        }),
        "`hashrate_share_pct` is at most 100."),
    rule(Strict, "2", "shares-sum-to-100", shares_sum_to_100,
        "The regions' `hashrate_share_pct` sum to 100, apart from rounding."),
    rule(Strict, "2", "global-average-is-weighted", global_average_is_weighted,
        "The global average is the mean of the regional averages, weighted by hashrate share."),
    rule(Agreement, "2", "snapshot-has-the-registry", snapshot_has_the_registry,
        "The full snapshot has the same regions as the list of regions, in the same order."),
    rule(Agreement, "2", "history-ends-today",
        |judge| dates(judge, "the day of timestamp_utc as the last date",
            |dates, history| !history.response.time().is_ok_and(|time| dates.last() != Some(&time.date()))),
        "The last point of a history is for the day of `timestamp_utc`."),
    rule(Agreement, "2", "region-names-agree", region_names_agree,
        "A region has the same name in the list of regions, the snapshot and its detail."),
    rule(Agreement, "2", "region-detail-agrees-with-the-snapshot",
        |judge| judge.each(judge.sample(), |id| {
            has_costs_of(judge, &judge.document(region_detail(id.clone()))?, &id)
        }),
        "A region detail has the costs of the same day's snapshot."),
    rule(Agreement, "2", "history-agrees-with-the-snapshot",
        |judge| {
            let today = judge.document(SNAPSHOT)?.response.time()?.date().to_string();
            judge.each([GLOBAL.into()].into_iter().chain(judge.sample()), |id: String| {
                let mut points = judge.document(history(id.clone()))?.entries("points").into_iter();
                let point = points.find(|point| point.text("date").ok() == Some(&today));
                let missing = || unjudged("a history has no point for the day of the snapshot");
                has_costs_of(judge, &point.ok_or_else(missing)?, &id)
            })
        },
        "Today's history point has the costs of the same day's snapshot."),
    rule(Note, "2", "forecast-is-constant",
        |judge| judge.each(judge.objects(Forecast).windows(2), |pair| {
            let predicted = pair[0].number("predicted_avg_cost_usd")?;
            let is_right = pair[1].number("predicted_avg_cost_usd")? == predicted;
            pair[1].verify("predicted_avg_cost_usd", is_right, predicted)
        }),
        "The prediction is the same for every horizon, unless it is based on dated series."),
    rule(Note, "2", "timestamps-are-near-the-date", timestamps_are_near_the_date,
        "`timestamp_utc` is within a day of the response's `Date`, unless the server's clock is stopped."),

    rule(Contract, "4", "region-detail-is-of-the-region",
        |judge| judge.each(judge.sample(), |id| {
            judge.document(region_detail(id.clone()))?.verify_text("region_id", &id)
        }),
        "`/v1/ghi/regions/{id}` returns the region with that id."),
    rule(Contract, "4", "history-of-a-region",
        |judge| judge.each(judge.sample(), |id| judge.document(history(id.clone()))?.verify_text("region_id", &id)),
        "A history requested for a region has its `region_id`."),
    rule(Contract, "4", "metadata-answers", |judge| is_200(judge, Metadata),
        "`GET /v1/ghi/metadata` returns 200."),
    rule(Contract, "4", "regions-answer", |judge| is_200(judge, Regions),
        "`GET /v1/ghi/regions` returns 200."),
    rule(Contract, "4", "region-detail-answers", |judge| is_200(judge, RegionDetail),
        "`GET /v1/ghi/regions/{id}` returns 200 for the ids in the list of regions."),
    rule(Contract, "4", "snapshot-answers", |judge| is_200(judge, Snapshot),
        "`GET /v1/ghi/snapshot` returns 200."),
    rule(Contract, "4", "history-answers", |judge| is_200(judge, History),
        "`GET /v1/ghi/history` returns 200 for `global` and the ids in the list of regions."),
    rule(Contract, "4", "network-answers", |judge| is_200(judge, Network),
        "`GET /v1/ghi/network` returns 200."),
    rule(Contract, "4", "forecast-answers",
        |judge| {
            let is_offered = HORIZONS.iter().any(|days| judge.fetch(forecast(days)).status == 200);
            // The contract shows no bounds, so a service may refuse some horizons.
            let allowed: &[u16] = if is_offered { &[200, 400, 404, 422] } else { &[200] };
            judge.each(HORIZONS, |days| {
                judge.verify_response(forecast(days), 200, |response| allowed.contains(&response.status))
            })
        },
        "`GET /v1/ghi/forecast` returns 200 for at least one of 1, 7 and 30 days and may refuse the others."),
    rule(Strict, "4", "forecast-days-default-to-seven", |judge| document_has(judge, paths::FORECAST, "forecast_days", ForecastDays::DEFAULT),
        "`forecast_days` defaults to 7."),
    rule(Strict, "4", "history-defaults-to-global", |judge| document_has(judge, paths::HISTORY, "region_id", GLOBAL),
        "`region_id` defaults to `global`."),
    rule(Strict, "4", "forecast-days-run-from-1-to-365",
        |judge| {
            judge.verify_status(forecast(ForecastDays::MAX), 200)?;
            judge.each([ForecastDays::MIN - 1, ForecastDays::MAX + 1], |days| is_invalid(judge, forecast(days)))
        },
        "`forecast_days=365` returns 200; 0 and 366 get 400 `invalid_parameter`."),
    rule(Strict, "4", "forecast-days-are-plain-digits",
        |judge| judge.each(["", "-7", "%2B7", "%207", "7.0", "1e1", "07", "%D9%A7", "18446744073709551623"],
            |days| is_invalid(judge, forecast(days))),
        "An empty `forecast_days`, or one with a sign, space, fraction, exponent or leading zero, gets 400."),
    rule(Strict, "4", "parameters-come-once",
        |judge| judge.each(["history?region_id=global&region_id=global", "forecast?forecast_days=7&forecast_days=7"],
            |target| is_invalid(judge, format!("{}{target}", paths::PREFIX))),
        "A repeated parameter gets 400 `invalid_parameter`."),
    rule(Strict, "4", "queries-are-utf-8", |judge| is_invalid(judge, format!("{METADATA}?x=%ff")),
        "A query that doesn't decode to UTF-8 gets 400 `invalid_parameter`."),
    rule(Strict, "4", "unknown-parameters-do-no-harm",
        |judge| judge.verify_response(format!("{METADATA}?no_such_parameter=1"), "200, or 400 unknown_parameter", |response| {
            response.status == 200 || response.status == 400 && response.json["code"] == "unknown_parameter"
        }).map(drop),
        "An unknown parameter is ignored or gets 400 `unknown_parameter`."),
    rule(Strict, "4", "parameters-are-decoded",
        |judge| {
            let sample = judge.sample();
            let id = sample.first().ok_or_else(|| unjudged("no region"))?;
            let encoded: String = id.bytes().map(|byte| format!("%{byte:02X}")).collect();
            let detail = paths::REGION_DETAIL.replace("{id}", &encoded);
            let history = format!("{}?region%5Fid={encoded}", paths::HISTORY);
            judge.each([detail, history], |target| document_has(judge, &target, "region_id", &**id))
        },
        "Region ids may be percent-encoded, in the path and in the query."),
    rule(Strict, "4", "trailing-slash-is-the-same",
        |judge| {
            let detail = judge.sample().into_iter().next().map(region_detail);
            judge.each([METADATA.into(), REGIONS.into()].into_iter().chain(detail), |target: String| {
                let plain = judge.document(&target)?;
                let slashed = JsonObject::whole(judge.verify_status(target + "/", 200)?);
                let is_right = slashed.field_names() == plain.field_names();
                slashed.response.verify(is_right, "the document without the slash", slashed.response.excerpt())
            })
        },
        "A trailing slash makes no difference."),
    rule(Strict, "4", "unknown-region-is-404", |judge| unknown_is_404(judge, region_detail),
        "An unknown id in the path gets 404 `unknown_region`; ids are case-sensitive."),
    rule(Strict, "4", "unknown-region-id-is-404", |judge| unknown_is_404(judge, history),
        "An unknown `region_id` gets 404 `unknown_region`; ids are case-sensitive."),
    rule(Strict, "4", "documents-have-a-weak-tag",
        |judge| judge.each_object(DOCUMENTS, |document| {
            document.response.verify_header("etag", "a weak tag, W/\"...\"", |tag| {
                let opaque = tag.strip_prefix("W/\"").and_then(|tag| tag.strip_suffix('"'));
                opaque.is_some_and(|opaque| !opaque.is_empty() && !opaque.contains('"'))
            })
        }),
        "Documents have a weak `ETag`."),
    rule(Strict, "4", "tag-ignores-the-timestamp",
        |judge| {
            let (network, tag) = tagged_network(judge)?;
            judge.again(&network)?.response.verify_header_is("etag", &tag)
        },
        "The `ETag` stays the same for a whole day."),
    rule(Strict, "4", "known-document-is-304",
        |judge| {
            let (_, tag) = tagged_network(judge)?;
            judge.each([tag.clone(), format!("\"x\", {tag}"), "*".into()], |known| {
                judge.verify_status(CheckRequest::from(NETWORK).header("if-none-match", known), 304)
            })
        },
        "`If-None-Match` gets 304 for the current tag, for a list that contains it and for `*`."),
    rule(Strict, "4", "other-tag-gets-the-document",
        |judge| judge.verify_status(CheckRequest::from(NETWORK).header("if-none-match", "\"no-such-tag\""), 200).map(drop),
        "`If-None-Match` with another tag gets the document."),
    rule(Strict, "4", "documents-hold-until-midnight", documents_hold_until_midnight,
        "`Cache-Control` is `public, max-age` of at most 60 s, and not past midnight UTC."),
    rule(Strict, "4", "snapshot-varies-by-preference",
        |judge| judge.each_object([Snapshot], |snapshot| {
            snapshot.response.verify_header("vary", "prefer", |value| lists(value, "prefer"))
        }),
        "The snapshot has `Vary: prefer`."),
    rule(Strict, "4", "long-answers-are-compressed", long_answers_are_compressed,
        "Responses of more than 1,400 bytes are compressed if the client accepts gzip; shorter ones aren't."),
    rule(Strict, "4", "any-origin-may-read",
        |judge| judge.each_object(DOCUMENTS, |document| {
            document.response.verify_header_is("access-control-allow-origin", "*")?;
            let allowed = document.response.header("access-control-allow-credentials");
            let (is_right, expected) = (allowed.is_none(), "no access-control-allow-credentials");
            document.response.verify(is_right, expected, allowed.unwrap_or_default())
        }),
        "Documents have `Access-Control-Allow-Origin: *` and don't allow credentials."),
    rule(Strict, "4", "headers-are-exposed",
        |judge| judge.each_object(DOCUMENTS, |document| {
            let is_right = |value: &str| EXPOSED.iter().all(|name| lists(value, name));
            document.response.verify_header("access-control-expose-headers", &EXPOSED.join(", "), is_right)
        }),
        "Documents expose `ETag`, `Link`, `Retry-After` and others to pages from other origins."),
    rule(Strict, "4", "preflight-is-answered", preflight_is_answered,
        "A preflight request gets 204, which allows GET from any origin with any header."),
    rule(Strict, "4", "description-is-linked",
        |judge| judge.each_object(DOCUMENTS, |document| document.response.verify_link("service-desc")),
        "Documents have a `Link` to the OpenAPI document, `rel=\"service-desc\"`."),
    rule(Contract, "4.1", "history-has-seven-points",
        |judge| judge.each_object([History], |history| {
            let count = history.list("points")?.len();
            let (expected, got) = (format_args!("{HISTORY_DAYS} points"), format_args!("{count} points"));
            history.response.verify(count == HISTORY_DAYS, expected, got)
        }),
        "A history has seven points."),
    rule(Contract, "4.2", "history-of-global",
        |judge| judge.document(history(GLOBAL.into()))?.verify_text("region_id", GLOBAL),
        "A history requested for `global` has the `region_id` `global`."),
    rule(Contract, "4.3", "forecast-echoes-the-days",
        |judge| judge.each(HORIZONS, |days| {
            let forecast = judge.document(forecast(days))?;
            forecast.verify("forecast_days", forecast.integer("forecast_days")? == f64::from(days), days)
        }),
        "The forecast has the requested `forecast_days`."),
    rule(Contract, "4.4", "region-count-is-the-number-of-regions", |judge| region_count(judge, Regions),
        "In the list of regions, `region_count` is the number of entries."),
    rule(Contract, "4.5", "endpoints-are-listed",
        |judge| entries(judge, "available_endpoints", &paths::AVAILABLE_ENDPOINTS, false),
        "`available_endpoints` has the six paths without an id, in any order."),
    rule(Strict, "4.5", "endpoints-are-in-order",
        |judge| entries(judge, "available_endpoints", &paths::AVAILABLE_ENDPOINTS, true),
        "`available_endpoints` is exactly the six paths, in the order of the contract."),

    rule(Contract, "5", "no-credentials-are-needed",
        |judge| judge.each_response(|response| {
            let is_right = !response.requires_credentials();
            response.verify(is_right, "a response without credentials", response.excerpt())
        }),
        "No endpoint returns 401, 403 or 407."),

    rule(Strict, "7", "unknown-path-is-404",
        |judge| has_detail(verify_problem(judge, UNKNOWN_PATH, 404, "not_found")?, METADATA),
        "An unknown path gets 404 `not_found`, with a detail that points to the metadata."),
    rule(Strict, "7", "errors-are-problems", errors_are_problems,
        "Errors are `application/problem+json` with the five fields of RFC 9457 and `code`."),
    rule(Strict, "7", "problems-say-what-is-right",
        |judge| {
            let id = judge.ids(Region).into_iter().next().unwrap_or_default();
            let details = [(UNKNOWN_REGION.into(), id), (forecast(0), ForecastDays::MAX.to_string())];
            judge.each(details, |(target, text)| has_detail(judge.fetch(target), &text))
        },
        "The detail of an error names the known regions or the bounds of the parameter."),
    rule(Strict, "7", "problem-type-is-a-page", problem_type_is_a_page,
        "The `type` of an error is the URL of a page on the same server."),
    rule(Strict, "7", "errors-are-not-stored",
        |judge| each_error(judge, |error| error.response.verify_header_is("cache-control", "no-store")),
        "Errors have `Cache-Control: no-store`."),
    rule(Strict, "7", "errors-echo-no-markup",
        |judge| judge.each([region_detail, history].map(|target| target(MARKUP.into())), |target| {
            judge.verify_response(target, "a body without the markup in the request", |response| {
                response.status != 0 && !String::from_utf8_lossy(&response.body).contains(MARKUP)
            })
        }),
        "Errors never echo input unescaped."),

    rule(Contract, "9.2", "supported-versions-are-listed", |judge| entries(judge, "api_supported", &API_SUPPORTED, false),
        "`api_supported` has `1.1` and `1.0`, in any order."),
    rule(Strict, "9.2", "supported-versions-are-in-order", |judge| entries(judge, "api_supported", &API_SUPPORTED, true),
        "`api_supported` is exactly `1.1`, `1.0`."),
    rule(Contract, "9.4", "indicator-answers", |judge| is_200(judge, Indicator),
        "`GET /v1/ghi/indicator` returns 200 if the metadata lists 1.0 as supported."),
    rule(Strict, "9.4", "indicator-fields", indicator_fields,
        "The indicator has the envelope and the fields of a history point, and no others."),
    rule(Strict, "9.4", "indicator-version-is-1-0", |judge| field_is(judge, Indicator, "version", API_PREVIOUS),
        "In the indicator, `version` is `1.0`."),
    rule(Strict, "9.4", "indicator-names-its-successor",
        |judge| judge.each_object([Indicator], |indicator| indicator.response.verify_link("successor-version")),
        "The indicator has a `Link` to the snapshot, `rel=\"successor-version\"`."),
    rule(Agreement, "9.4", "indicator-is-for-today", |judge| judge.each_object([Indicator], |indicator| {
            indicator.verify_text("date", &indicator.response.time()?.date().to_string())
        }),
        "The `date` of the indicator is the day of its `timestamp_utc`."),
    rule(Agreement, "9.4", "indicator-agrees-with-the-snapshot",
        |judge| judge.each_object([Indicator], |indicator| has_costs_of(judge, indicator, GLOBAL)),
        "The indicator has the global costs of the same day's snapshot."),
];
