//! Where figures come from, as JSON.

use std::sync::Arc;

use ghi_engine::{ENGINE_SANDBOX_VERSION, Explanation, Model, Scope};

use crate::edition::Edition;
use crate::http::caching::{Cacheable, Representation};
use crate::http::paths;
use crate::http::site::Site;
use crate::net::Source;
use crate::routes::context::{Answer, Context};
use crate::routes::explain::{explained, prepare_of_today};
use crate::routes::explanation_document::{JsonBits, explanation_json};
use crate::routes::parameters::{date, scope};

const JSON: &str = "application/json";

/// Where figures come from, as JSON.
///
/// Every step from the difficulty to the published costs with its numbers, what each region adds to
/// the global average, and what 1 % more of each input does.
#[cfg_attr(feature = "internals", utoipa::path(get, path = crate::http::paths::EXPLAIN_JSON, tag = "Charts and files",
    params(("region_id" = Option<String>, Query), ("date" = Option<String>, Query)),
    responses((status = 200, body = crate::routes::explanation_document::ExplanationDocument))))]
pub(crate) fn explain_json(context: &Context<'_>) -> Answer {
    let now = context.now()?;
    let (scope, date) = (scope(&context.query, context.registry())?, date(&context.query)?);
    match date.filter(|date| *date != now.moment().date()) {
        // With many regions that takes long, and nobody made it ahead.
        Some(date) if scope == Scope::Global => {
            let model = now.edition().model();
            let explanation = model.explain(scope, date)?;
            let inputs = explanation.fingerprint.to_string();
            let made_of = [paths::EXPLAIN_JSON, &date.to_string(), ENGINE_SANDBOX_VERSION, &inputs];
            let bits = Bits::new(Arc::clone(model), explanation);
            context.streamed(Cacheable::of_api(context.site, JSON), &made_of, bits)
        }
        date => explained(context, paths::EXPLAIN_JSON, date, document),
    }
}

/// Makes the document that takes long with many regions.
pub(crate) fn prepare(edition: &Edition, site: &Site) {
    prepare_of_today(edition, site, paths::EXPLAIN_JSON, document);
}

fn document(model: &Model, site: &Site, explanation: &Explanation) -> Representation {
    let text = explanation_json(explanation, model.registry());
    Representation::new(Cacheable::of_api(site, JSON), text)
}

/// The document, a bit at a time.
struct Bits {
    model: Arc<Model>,
    explanation: Explanation,
    bits: JsonBits,
    next: usize,
}

impl Bits {
    fn new(model: Arc<Model>, explanation: Explanation) -> Self {
        let bits = JsonBits::new(&explanation, model.registry());
        Self { model, explanation, bits, next: 0 }
    }
}

impl Source for Bits {
    fn write_next(&mut self, to: &mut Vec<u8>) -> bool {
        self.bits.write(self.next, &self.explanation, self.model.registry(), to);
        self.next += 1;
        self.next < self.bits.count(&self.explanation)
    }
}
