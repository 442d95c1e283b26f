//! The indicator of v1.0, whose payload the contract does not show.

use ghi_contract::API_PREVIOUS;

use crate::check::case::Case;
use crate::check::exchange::shown_value;
use crate::check::fields::{Shape, Type};
use crate::check::parts::parts;
use crate::check::rule::{Rule, strict};
use crate::check::rules::agreement::verify_costs;
use crate::check::rules::fields::verify_fields_of;

pub(super) const RULES: &[Rule] = &[
    strict(
        "indicator-fields",
        "9.4",
        "The indicator has the envelope and the fields of a point of the history, and no others.",
        indicator_fields,
    ),
    strict("indicator-version-is-1-0", "9.4", "`version` of the indicator is `1.0`.", |case| {
        indicator_version_is_1_0(case);
    }),
    strict(
        "indicator-agrees-with-the-snapshot",
        "9.4",
        "The indicator has the global costs of the snapshot of the day.",
        indicator_agrees_with_the_snapshot,
    ),
    strict(
        "indicator-names-its-successor",
        "9.4",
        "The indicator has a `Link` to the snapshot, `rel=\"successor-version\"`.",
        indicator_names_its_successor,
    ),
];

fn indicator_fields(case: &mut Case<'_>) {
    for part in parts(case, Shape::Indicator) {
        verify_fields_of(case, &part);
        for (name, value) in part.object().into_iter().flatten() {
            let is_known = part.shape.knows(name);
            case.verify(
                &part.exchange,
                is_known,
                "the fields of an indicator",
                format_args!("also {name}"),
            );
            if name.ends_with("_usd") {
                let got = format!("{name}: {}", shown_value(Some(value)));
                case.verify(
                    &part.exchange,
                    Type::Float.is(value),
                    format_args!("{name}: a number"),
                    got,
                );
            }
        }
    }
}

fn indicator_version_is_1_0(case: &mut Case<'_>) {
    for part in parts(case, Shape::Indicator) {
        if part.text("version").is_some() {
            case.verify_value(&part.exchange, "version", API_PREVIOUS, part.get("version"));
        }
    }
}

fn indicator_agrees_with_the_snapshot(case: &mut Case<'_>) {
    for part in parts(case, Shape::Indicator) {
        for snapshot in parts(case, Shape::Snapshot) {
            verify_costs(case, &part, &snapshot, "global_");
        }
    }
}

fn indicator_names_its_successor(case: &mut Case<'_>) {
    for part in parts(case, Shape::Indicator) {
        let expected = "a link with rel=\"successor-version\"";
        case.verify_header(&part.exchange, "link", expected, |value| {
            value.contains("rel=\"successor-version\"")
        });
    }
}
