//! Fields, their types and the format of numbers.

use serde_json::Value;

use crate::check::json_object::JsonObject;
use crate::check::judge::{Judge, typed};
use crate::check::schema::{FULL_SNAPSHOT, FieldSchema, FieldType, ObjectKind, is_number_or_null};

/// Objects of a kind have their fields, with the right types.
pub(super) fn fields(judge: &mut Judge, kind: ObjectKind) {
    for object in judge.objects(kind) {
        verify_fields(judge, kind, &object, FieldType::accepts_or_defers);
    }
}

fn verify_fields(
    judge: &mut Judge,
    kind: ObjectKind,
    object: &JsonObject,
    accepts: fn(FieldType, &Value) -> bool,
) {
    if let Some(value) = object.value().filter(|value| !value.is_object()) {
        let at = object.at("");
        let expected = format_args!("{at}: an object");
        let got = format_args!("{at}: {}", typed(value));
        return judge.verify(&object.response, false, expected, got);
    }
    for (field, field_type) in kind.required_fields() {
        let is_right = object.get(field).is_some_and(|value| accepts(field_type, value));
        judge.verify_field(object, field, is_right, field_type.name());
    }
}

pub(super) fn snapshot_form(judge: &mut Judge) {
    for snapshot in judge.objects(ObjectKind::Snapshot) {
        let is_reduced = FULL_SNAPSHOT.iter().all(|(field, _)| snapshot.get(field).is_none());
        for (field, field_type) in FULL_SNAPSHOT {
            let value = snapshot.get(field);
            let is_right = value.is_some_and(|value| field_type.accepts_or_defers(value));
            let expected = format_args!("{}, or neither of the two", field_type.name());
            judge.verify_field(&snapshot, field, is_reduced || is_right, expected);
        }
    }
}

pub(super) fn no_further_fields(judge: &mut Judge) {
    for (kind, object) in judge.all_objects() {
        if kind.is_shown() {
            verify_no_further_fields(judge, kind, &object);
        }
    }
}

fn verify_no_further_fields(judge: &mut Judge, kind: ObjectKind, object: &JsonObject) {
    // A region detail with this field breaks a rule of the contract.
    let is_judged =
        |name: &str| kind == ObjectKind::RegionDetail && name == "engine_sandbox_version";
    let names = object.field_names();
    let further = names.into_iter().find(|name| !kind.has_field(name) && !is_judged(name));
    let got = further.map(|name| object.at(name)).unwrap_or_default();
    let expected = "only the fields of the contract";
    judge.verify(&object.response, further.is_none(), expected, format_args!("also {got}"));
}

pub(super) fn indicator_fields(judge: &mut Judge) {
    let kind = ObjectKind::Indicator;
    for resource in judge.resources(kind) {
        let expected = "200 with a JSON object";
        let right = judge.verify_response(&resource, expected, |http| http.document().is_some());
        if let Some(indicator) = right.map(JsonObject::whole) {
            verify_fields(judge, kind, &indicator, FieldType::accepts);
            verify_no_further_fields(judge, kind, &indicator);
        }
    }
}

/// Calls a function for every numeric field that is present.
fn for_each_figure(
    judge: &mut Judge,
    verify: fn(&mut Judge, ObjectKind, &JsonObject, FieldSchema, &Value),
) {
    for (kind, object) in judge.all_objects() {
        for schema in kind.fields().filter(|(_, field_type)| field_type.is_numeric()) {
            if let Some(value) = object.get(schema.0) {
                verify(judge, kind, &object, schema, value);
            }
        }
    }
}

pub(super) fn figures_are_numbers(judge: &mut Judge) {
    for_each_figure(judge, |judge, kind, object, (field, field_type), value| {
        if kind.is_shown() {
            judge.verify_field(object, field, is_number_or_null(value), field_type.name());
        }
    });
}

pub(super) fn floats_have_a_decimal_point(judge: &mut Judge) {
    for_each_figure(judge, |judge, _, object, (field, field_type), value| {
        let is_float = field_type == FieldType::Float;
        let with = if is_float { "with" } else { "without" };
        if value.is_number() {
            let expected = format_args!("a number {with} a decimal point");
            judge.verify_field(object, field, value.is_f64() == is_float, expected);
        }
    });
}

pub(super) fn figures_are_positive(judge: &mut Judge) {
    for_each_figure(judge, |judge, _, object, (field, field_type), value| {
        // Values that are neither numbers nor null break a rule of the contract.
        if field_type == FieldType::Float && is_number_or_null(value) {
            let is_right = value.as_f64().is_some_and(|number| number > 0.0);
            judge.verify_field(object, field, is_right, "a number above zero");
        }
    });
}
