//! Where figures come from, as JSON.

use std::sync::Arc;

use ghi_engine::{ENGINE_SANDBOX_VERSION, Explanation, Model, Scope};
use jiff::civil::Date;

use crate::edition::{DailyFile, Edition};
use crate::http::caching::{Cacheable, Representation};
use crate::http::paths;
use crate::http::site::Site;
use crate::routes::context::{Context, HandlerResult};
use crate::routes::explain::{explained, warm_today};
use crate::routes::explanation_document::{explanation_json, json_chunks};
use crate::routes::parameters::{date, scope};

const JSON: &str = "application/json";

/// Where figures come from, as JSON.
///
/// Every step from the difficulty to the published costs with its numbers, what each region adds to
/// the global average, and what 1 % more of each input does.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::EXPLAIN_JSON, tag = "Charts and files",
    params(("region_id" = Option<String>, Query), ("date" = Option<String>, Query)),
    responses((status = 200, body = crate::routes::explanation_document::ExplanationDocument))))]
pub(crate) fn explain_json(context: &Context<'_>) -> HandlerResult {
    let (scope, date) = (scope(&context.query, context.registry())?, date(&context.query)?);
    match date.filter(|date| *date != context.today()) {
        // With many regions that takes long, and nobody made it ahead.
        Some(date) if scope == Scope::Global => {
            let model = Arc::clone(context.model());
            model.check(date)?;
            let inputs = model.fingerprint().to_string();
            let made_of = [paths::EXPLAIN_JSON, &date.to_string(), ENGINE_SANDBOX_VERSION, &inputs];
            let headers = Cacheable::of_api(context.site, JSON);
            context.streamed(headers, &made_of, worldwide_json(model, date))
        }
        date => explained(context, DailyFile::ExplainJson, date, document),
    }
}

/// Makes the document that takes long with many regions.
pub(crate) fn warm(edition: &Edition, site: &Site) {
    warm_today(edition, site, DailyFile::ExplainJson, document);
}

fn document(model: &Model, site: &Site, explanation: &Explanation) -> Representation {
    let text = explanation_json(explanation, model.registry());
    Representation::new(Cacheable::of_api(site, JSON), text)
}

/// The document of a day that the model covers, part by part.
fn worldwide_json(model: Arc<Model>, date: Date) -> impl Iterator<Item = Vec<u8>> + Send {
    let chunks = std::iter::once_with(move || {
        let explanation = model.explain(Scope::Global, date).expect("the model covers the day");
        json_chunks(explanation, model)
    });
    chunks.flatten()
}
