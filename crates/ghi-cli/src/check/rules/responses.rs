//! Every endpoint responds with JSON, to anyone.

use ghi_client::Resource;

use crate::check::json_object::JsonObject;
use crate::check::judge::Judge;
use crate::check::request::CheckRequest;
use crate::check::response::UnreadableJson;
use crate::check::schema::ObjectKind;

/// Every document of a kind is returned with status 200.
pub(super) fn is_200(judge: &mut Judge, kind: ObjectKind) {
    for resource in judge.resources(kind) {
        judge.verify_status(&resource, 200);
    }
}

pub(super) fn forecast_answers(judge: &mut Judge) {
    let resources = judge.resources(ObjectKind::Forecast);
    let statuses: Vec<_> =
        resources.iter().map(|resource| judge.fetch(resource).status()).collect();
    for (resource, status) in std::iter::zip(&resources, &statuses) {
        // The contract shows no bounds, so a service may refuse some horizons.
        let is_refused = matches!(status, Some(400 | 404 | 422));
        if !is_refused || !statuses.contains(&Some(200)) {
            judge.verify_status(resource, 200);
        }
    }
}

pub(super) fn no_credentials_are_needed(judge: &mut Judge) {
    for resource in judge.all_resources() {
        let response = judge.fetch(&resource);
        match response.http() {
            Some(http) => {
                let (is_right, got) = (!http.requires_credentials(), http.excerpt());
                judge.verify(&response, is_right, "a response without credentials", got);
            }
            None => judge.skip(response.excerpt()),
        }
    }
}

pub(super) fn responses_are_json(judge: &mut Judge) {
    for resource in judge.all_resources() {
        let response = judge.fetch(&resource);
        let Some(http) = response.http().filter(|http| http.status == 200) else {
            judge.skip(format!("no 200 from {}", response.request.target));
            continue;
        };
        // The contract doesn't show the payload of the indicator.
        let is_free = resource == Resource::Indicator;
        let problem = match &http.json {
            Ok(json) if is_free || json.is_object() => None,
            Err(UnreadableJson::TooMuch(_))
                if is_free || http.body.trim_ascii().starts_with(b"{") =>
            {
                None
            }
            Ok(_) | Err(UnreadableJson::TooMuch(_)) => Some("JSON, but not an object".to_owned()),
            Err(UnreadableJson::NotJson(why)) => match http.header("content-encoding") {
                Some(encoding) => Some(format!("{encoding}, though only identity was accepted")),
                None => Some(format!("not JSON ({why})")),
            },
        };
        let got = problem.as_ref().map(|problem| format!("{problem}: {}", http.excerpt()));
        judge.verify(&response, problem.is_none(), "a JSON object", got.unwrap_or_default());
    }
}

pub(super) fn structure_is_stable(judge: &mut Judge) {
    let names = |object: &JsonObject| {
        let mut names = object.field_names();
        names.sort_unstable();
        names.join(", ")
    };
    // The snapshot may come in either form.
    for resource in [Resource::Metadata, Resource::Regions, Resource::Network] {
        let again = CheckRequest::from(&resource).unrecorded();
        if let Some(first) = judge.document(&resource)
            && let Some(second) = judge.document(again)
        {
            let (expected, got) = (names(&first), names(&second));
            let is_right = expected == got;
            let expected = format_args!("{expected}, as in the first response");
            judge.verify(&second.response, is_right, expected, got);
        }
    }
}
