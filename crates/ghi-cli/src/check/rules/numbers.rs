//! How figures are written, and within which bounds: the contract does not say.

use crate::check::case::Case;
use crate::check::exchange::shown_value;
use crate::check::fields::{Shape, Type};
use crate::check::parts::{all_parts, parts};
use crate::check::rule::{Rule, strict};

pub(super) const RULES: &[Rule] = &[
    strict(
        "floats-have-a-decimal-point",
        "1.4",
        "Floats are written with a decimal point, such as `7.0`, and integers without.",
        floats_have_a_decimal_point,
    ),
    strict(
        "figures-are-positive",
        "2",
        "Every cost, share and metric is above zero, and none is null.",
        figures_are_positive,
    ),
    strict(
        "shares-are-percentages",
        "2",
        "`hashrate_share_pct` is 100 at most.",
        shares_are_percentages,
    ),
];

fn floats_have_a_decimal_point(case: &mut Case<'_>) {
    for part in all_parts(case) {
        for (field, of_type) in part.shape.fields_of_all_forms() {
            let Some(value) = part.get(field).filter(|value| value.is_number()) else { continue };
            let is_right = match of_type {
                Type::Float => value.is_f64(),
                Type::Integer => !value.is_f64(),
                Type::Text | Type::List | Type::Texts => continue,
            };
            let at = part.at(field);
            let with = if of_type == Type::Float { "with" } else { "without" };
            let expected = format!("{at}: a number {with} a decimal point");
            let got = format!("{at}: {}", shown_value(Some(value)));
            case.verify(&part.exchange, is_right, expected, got);
        }
    }
}

fn figures_are_positive(case: &mut Case<'_>) {
    for part in all_parts(case) {
        for (field, _) in part.shape.fields().iter().filter(|(_, of)| *of == Type::Float) {
            // What is neither number nor null breaks a rule of the contract.
            if let Some(value) = part.get(field).filter(|value| Type::Float.is(value)) {
                let is_right = value.as_f64().is_some_and(|number| number > 0.0);
                let at = part.at(field);
                let got = format!("{at}: {}", shown_value(Some(value)));
                case.verify(&part.exchange, is_right, format_args!("{at} above zero"), got);
            }
        }
    }
}

fn shares_are_percentages(case: &mut Case<'_>) {
    for part in parts(case, Shape::RegionDetail) {
        if let Some(share) = part.number("hashrate_share_pct") {
            let got = format!("hashrate_share_pct: {share}");
            case.verify(&part.exchange, share <= 100.0, "hashrate_share_pct: 100 at most", got);
        }
    }
}
