//! Fields, their types and the format of numbers.

use serde_json::Value;

use crate::check::json_object::{JsonObject, typed};
use crate::check::judge::Judge;
use crate::check::response::{Judgement, judged};
use crate::check::schema::{Field, ObjectKind, is_number_or_null};

/// Objects of a kind have their fields, with the right types.
pub(super) fn fields(judge: &mut Judge, kind: ObjectKind) {
    for object in judge.objects(kind) {
        verify_fields(judge, kind, &object, Field::accepts_or_defers);
    }
}

fn verify_fields(
    judge: &mut Judge,
    kind: ObjectKind,
    object: &JsonObject,
    accepts: fn(Field, &Value) -> bool,
) {
    if let Some(value) = object.value().filter(|value| !value.is_object()) {
        let (at, got) = (object.at(""), typed(value));
        let wrong = judged(false, format_args!("{at}: an object"), format_args!("{at}: {got}"));
        return judge.record(&object.response, wrong);
    }
    for field in kind.fields().filter(|field| field.is_required) {
        let is_right = object.get(field.name).is_some_and(|value| accepts(field, value));
        judge.record(&object.response, object.verify(field.name, is_right, field.type_name()));
    }
}

pub(super) fn snapshot_form(judge: &mut Judge) {
    let kind = ObjectKind::Snapshot;
    for field in kind.optional_fields() {
        judge.each([kind], |snapshot| {
            let is_reduced = kind.optional_fields().all(|field| snapshot.get(field.name).is_none());
            let value = snapshot.get(field.name);
            let is_right = value.is_some_and(|value| field.accepts_or_defers(value));
            let expected = format_args!("{}, or neither of the two", field.type_name());
            snapshot.verify(field.name, is_reduced || is_right, expected)
        });
    }
}

pub(super) fn has_no_further_fields(kind: ObjectKind, object: &JsonObject) -> Judgement {
    // A region detail with this field breaks a rule of the contract.
    let is_judged =
        |name: &str| kind == ObjectKind::RegionDetail && name == "engine_sandbox_version";
    let is_known = |name: &str| kind.has_field(name) || is_judged(name);
    let further = object.field_names().into_iter().find(|name| !is_known(name));
    let got = further.map(|name| object.at(name)).unwrap_or_default();
    judged(further.is_none(), "only the fields of the contract", format_args!("also {got}"))
}

pub(super) fn indicator_fields(judge: &mut Judge) {
    let kind = ObjectKind::Indicator;
    for resource in judge.resources(kind) {
        let expected = "200 with a JSON object";
        let right = judge.verify_response(&resource, expected, |http| http.document().is_some());
        if let Some(indicator) = right.map(JsonObject::whole) {
            verify_fields(judge, kind, &indicator, Field::accepts);
            judge.record(&indicator.response, has_no_further_fields(kind, &indicator));
        }
    }
}

/// Judges every numeric field that is present. `None` means that another rule judges it.
fn each_figure(
    judge: &mut Judge,
    verify: impl Fn(ObjectKind, &JsonObject, Field, &Value) -> Option<Judgement>,
) {
    for kind in ObjectKind::all() {
        for object in judge.objects(kind) {
            for field in kind.fields().filter(|field| field.is_numeric()) {
                let value = object.get(field.name);
                if let Some(judgement) = value.and_then(|value| verify(kind, &object, field, value))
                {
                    judge.record(&object.response, judgement);
                }
            }
        }
    }
}

pub(super) fn figures_are_numbers(judge: &mut Judge) {
    each_figure(judge, |kind, object, field, value| {
        let is_right = is_number_or_null(value);
        kind.is_shown().then(|| object.verify(field.name, is_right, field.type_name()))
    });
}

pub(super) fn floats_have_a_decimal_point(judge: &mut Judge) {
    each_figure(judge, |_, object, field, value| {
        let with = if field.is_float() { "with" } else { "without" };
        let expected = format_args!("a number {with} a decimal point");
        let is_right = value.is_f64() == field.is_float();
        value.is_number().then(|| object.verify(field.name, is_right, expected))
    });
}

pub(super) fn figures_are_positive(judge: &mut Judge) {
    each_figure(judge, |_, object, field, value| {
        // Values that are neither numbers nor null break a rule of the contract.
        let is_judged = field.is_float() && is_number_or_null(value);
        let is_right = value.as_f64().is_some_and(|number| number > 0.0);
        is_judged.then(|| object.verify(field.name, is_right, "a number above zero"))
    });
}
