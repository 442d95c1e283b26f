//! Section 1: what holds for every answer.

use std::rc::Rc;

use ghi_client::Resource;
use jiff::civil::DateTime;

use crate::check::case::Case;
use crate::check::exchange::{Exchange, Unread, shown_value};
use crate::check::fields::{Shape, is_number_or_null};
use crate::check::parts::{DOCUMENTS, Part, again, all_documents, all_parts, resources};
use crate::check::request::Request;
use crate::check::rule::{Rule, contract, strict};
use crate::check::rules::metadata::supports_v1_0;

pub(super) const RULES: &[Rule] = &[
    contract(
        "responses-are-json",
        "1.1",
        "A successful response is JSON: one object, in UTF-8.",
        responses_are_json,
    ),
    strict(
        "content-type-is-json",
        "1.1",
        "Documents come as `Content-Type: application/json`.",
        |case| verify_headers(case, "content-type", "application/json"),
    ),
    strict(
        "nothing-is-sniffed",
        "1.1",
        "Documents come with `X-Content-Type-Options: nosniff`.",
        |case| verify_headers(case, "x-content-type-options", "nosniff"),
    ),
    contract(
        "structure-is-stable",
        "1.2",
        "The same request gets the same fields each time.",
        structure_is_stable,
    ),
    contract(
        "timestamps-are-utc",
        "1.3",
        "`timestamp_utc` is `YYYY-MM-DDTHH:MM:SS`, with any fraction, and ends in `Z`.",
        timestamps_are_utc,
    ),
    strict(
        "timestamps-have-microseconds",
        "1.3",
        "`timestamp_utc` has six digits behind the second.",
        timestamps_have_microseconds,
    ),
    strict(
        "date-is-the-timestamp",
        "1.3",
        "The header `Date` is the second of `timestamp_utc`.",
        date_is_the_timestamp,
    ),
    contract(
        "figures-are-numbers",
        "1.4",
        "Numeric fields are JSON numbers, not strings.",
        figures_are_numbers,
    ),
    contract(
        "engine-version-is-of-a-sandbox",
        "1.6",
        "`engine_sandbox_version` is a version that ends in `-sandbox`.",
        engine_version_is_of_a_sandbox,
    ),
];

fn responses_are_json(case: &mut Case<'_>) {
    for exchange in successes(case) {
        let Some(answer) = exchange.answer() else { continue };
        // What the payload of the indicator looks like is not shown.
        let any_json = exchange.request.target == Resource::Indicator.target();
        let problem = match &answer.json {
            Ok(json) if any_json || json.is_object() => None,
            Err(Unread::TooMuch(_)) if any_json || answer.body.trim_ascii().starts_with(b"{") => {
                None
            }
            Ok(_) | Err(Unread::TooMuch(_)) => Some("JSON, but no object".to_owned()),
            Err(Unread::NotJson(why)) => match answer.header("content-encoding") {
                Some(encoding) => Some(format!("no JSON, but {encoding}, which was not asked for")),
                None => Some(format!("no JSON ({why})")),
            },
        };
        let got = problem.as_ref().map(|problem| format!("{problem}: {}", answer.excerpt()));
        case.verify(&exchange, problem.is_none(), "a JSON object", got.unwrap_or_default());
    }
}

fn verify_headers(case: &mut Case<'_>, name: &str, expected: &str) {
    for part in all_documents(case) {
        case.verify_header(&part.exchange, name, expected, |value| value == expected);
    }
}

fn structure_is_stable(case: &mut Case<'_>) {
    let names = |part: &Part| {
        let fields = part.object().into_iter().flatten();
        let mut names: Vec<&str> = fields.map(|(name, _)| &**name).collect();
        names.sort_unstable();
        names.join(", ")
    };
    // The snapshot may come in either of its forms.
    for shape in [Shape::Metadata, Shape::Regions, Shape::Network] {
        for (first, second) in again(case, shape) {
            let (expected, got) = (names(&first), names(&second));
            let is_right = expected == got;
            case.verify(&second.exchange, is_right, format_args!("as before {expected}"), got);
        }
    }
}

fn timestamps_are_utc(case: &mut Case<'_>) {
    for part in all_documents(case) {
        if let Some(stamp) = part.text("timestamp_utc") {
            let expected = "timestamp_utc: a time such as 2026-11-15T12:00:00.000000Z";
            case.verify(&part.exchange, is_utc(stamp), expected, stamp);
        }
    }
}

fn timestamps_have_microseconds(case: &mut Case<'_>) {
    for part in all_documents(case) {
        if let Some(stamp) = part.text("timestamp_utc").filter(|stamp| is_utc(stamp)) {
            let is_right = stamp.len() == "2026-11-15T12:00:00.000000Z".len();
            case.verify(&part.exchange, is_right, "six digits behind the second", stamp);
        }
    }
}

fn date_is_the_timestamp(case: &mut Case<'_>) {
    for part in all_documents(case) {
        let stamp = part.text("timestamp_utc").filter(|stamp| is_utc(stamp));
        let moment = stamp.and_then(|stamp| stamp[..19].parse::<DateTime>().ok());
        if let Some(moment) = moment {
            let expected = moment.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
            case.verify_header(&part.exchange, "date", &expected, |date| date == expected);
        }
    }
}

fn figures_are_numbers(case: &mut Case<'_>) {
    for part in all_parts(case) {
        for (field, _) in part.shape.fields_of_all_forms().filter(|(_, of)| of.is_numeric()) {
            if let Some(value) = part.get(field) {
                let at = part.at(field);
                let got = format!("{at}: {}", shown_value(Some(value)));
                let expected = format!("{at}: a number");
                case.verify(&part.exchange, is_number_or_null(value), expected, got);
            }
        }
    }
}

fn engine_version_is_of_a_sandbox(case: &mut Case<'_>) {
    let mut documents = all_documents(case);
    documents.retain(|part| part.shape != Shape::RegionDetail);
    for part in documents {
        if let Some(text) = part.text("engine_sandbox_version") {
            let version = text.strip_suffix("-sandbox").filter(|version| !version.is_empty());
            let expected = "engine_sandbox_version: <engine_version>-sandbox";
            case.verify(&part.exchange, version.is_some(), expected, text);
        }
    }
}

/// The answers of the contract's endpoints that have status 200.
fn successes(case: &mut Case<'_>) -> Vec<Rc<Exchange>> {
    let mut resources: Vec<_> =
        DOCUMENTS.into_iter().flat_map(|shape| resources(case, shape)).collect();
    if supports_v1_0(case) {
        resources.push(Resource::Indicator);
    }
    let exchanges = resources.iter().map(|resource| case.ask(Request::document(resource)));
    exchanges
        .filter(|exchange| exchange.answer().is_some_and(|answer| answer.status == 200))
        .collect()
}

/// Whether a text is an instant of the calendar in the form YYYY-MM-DDTHH:MM:SS, with a fraction or
/// without, and with the suffix Z.
pub(super) fn is_utc(text: &str) -> bool {
    let Some(civil) = text.strip_suffix('Z').filter(|civil| civil.is_ascii() && civil.len() >= 19)
    else {
        return false;
    };
    let (seconds, fraction) = civil.split_at(19);
    let has_form = std::iter::zip(seconds.bytes(), "dddd-dd-ddTdd:dd:dd".bytes())
        .all(|(byte, form)| if form == b'd' { byte.is_ascii_digit() } else { byte == form });
    let digits = fraction.strip_prefix('.').unwrap_or("0");
    let is_fraction = fraction.is_empty() || fraction.starts_with('.');
    has_form
        && is_fraction
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && seconds.parse::<DateTime>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_utc_with_any_fraction() {
        for text in
            ["2026-11-15T12:00:00Z", "2026-11-15T12:00:00.1Z", "2028-02-29T23:59:59.123456789Z"]
        {
            assert!(is_utc(text), "{text}");
        }
        for text in [
            "",
            "Z",
            "2026-11-15",
            "2026-11-15T12:00:00",
            "2026-11-15T12:00:00+00:00",
            "2026-11-15 12:00:00Z",
            "2026-11-15T12:00:00.Z",
            "2026-11-15T12:00:00,1Z",
            "2026-02-29T12:00:00Z",
            "2026-11-15T25:00:00Z",
            "2026-11-15T12:00:00z",
            "2026-11-15T12:00:00ZZ",
            "2026-11-15T12:00:0\u{661}Z",
            "20261115T120000Z",
        ] {
            assert!(!is_utc(text), "{text}");
        }
    }
}
