//! Every endpoint responds with JSON, to anyone.

use ghi_client::Resource;

use crate::check::json_object::JsonObject;
use crate::check::judge::Judge;
use crate::check::request::CheckRequest;
use crate::check::response::judged;
use crate::check::response::{HttpResponse, UnreadableJson};
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
                let is_right = !http.requires_credentials();
                let judgement = judged(is_right, "a response without credentials", http.excerpt());
                judge.record(&response, judgement);
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
        let may_be_any = resource == Resource::Indicator;
        let problem = not_an_object(http).filter(|_| !may_be_any).or_else(|| not_json(http));
        let got = problem.as_ref().map(|problem| format!("{problem}: {}", http.excerpt()));
        let judgement = judged(problem.is_none(), "a JSON object", got.unwrap_or_default());
        judge.record(&response, judgement);
    }
}

fn not_json(http: &HttpResponse) -> Option<String> {
    let Err(UnreadableJson::NotJson(why)) = &http.json else { return None };
    Some(match http.header("content-encoding") {
        Some(encoding) => format!("{encoding}, though only identity was accepted"),
        None => format!("not JSON ({why})"),
    })
}

fn not_an_object(http: &HttpResponse) -> Option<String> {
    let is_object = match &http.json {
        Ok(json) => json.is_object(),
        Err(UnreadableJson::TooMuch(_)) => http.body.trim_ascii().starts_with(b"{"),
        Err(UnreadableJson::NotJson(_)) => true,
    };
    (!is_object).then(|| "JSON, but not an object".into())
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
            judge.record(&second.response, judged(is_right, expected, got));
        }
    }
}
