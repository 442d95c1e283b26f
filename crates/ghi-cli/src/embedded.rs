//! The documents without a server: from the engine in this program.

use ghi_client::Resource;
use ghi_display::kind_of_data;
use ghi_engine::{Model, NoFigures, RecentDays, Scope};
use ghi_server::{Clock, DateRange, Documents, Inputs, document_json, explanation_json};
use jiff::civil::Date;
use serde::Serialize;

use crate::unknown_region::{ids_of, unknown_region, unknown_scope};

/// A network, and what time it is.
pub(crate) struct Embedded {
    model: Model,
    clock: Clock,
}

impl Embedded {
    pub(crate) fn new(inputs: Inputs, clock: Clock) -> Self {
        Self { model: Model::new(inputs), clock }
    }

    /// What people are told of its data.
    pub(crate) fn kind_of_data(&self) -> &'static str {
        kind_of_data(&self.model)
    }

    fn scope(&self, region_id: &str) -> Result<Scope, String> {
        let registry = self.model.registry();
        Scope::find(region_id, registry).ok_or_else(|| unknown_scope(region_id, ids_of(registry)))
    }

    /// The document as a server would send it now.
    pub(crate) fn json(&self, resource: &Resource) -> Result<String, String> {
        let now = self.clock.now();
        let days = RecentDays::up_to(now.date(), &self.model);
        let documents = Documents::new(&self.model, &days, now);
        match resource {
            Resource::Metadata => Ok(document_json(&documents.metadata())),
            Resource::Regions => Ok(document_json(&documents.regions())),
            Resource::RegionDetail(id) => {
                let registry = self.model.registry();
                let region = registry.find(id);
                let region = region.ok_or_else(|| unknown_region(id, ids_of(registry)))?;
                of_figures(documents.region_detail(region))
            }
            Resource::Snapshot => of_figures(documents.snapshot()),
            Resource::History(id) => of_figures(documents.history(self.scope(id)?)),
            Resource::Network => of_figures(documents.network()),
            Resource::Forecast(days) => of_figures(documents.forecast(*days)),
            Resource::Indicator => of_figures(documents.indicator()),
        }
    }

    /// The history with the days of a range: those of them that there are figures of.
    pub(crate) fn history_json(
        &self,
        region_id: &str,
        from: Option<Date>,
        to: Option<Date>,
    ) -> Result<String, String> {
        let scope = self.scope(region_id)?;
        let now = self.clock.now();
        let range = DateRange::new(from, to, now.date())
            .map_err(|invalid| format!("--from and --to: {invalid}"))?;
        let Some(range) = range else { return self.json(&Resource::History(region_id.into())) };
        let days = RecentDays::up_to(now.date(), &self.model);
        let documents = Documents::new(&self.model, &days, now);
        of_figures(documents.history_between(scope, range.first(), range.last()))
    }

    /// Where the figures of a day come from; today without one.
    pub(crate) fn explanation_json(
        &self,
        region_id: &str,
        date: Option<Date>,
    ) -> Result<String, String> {
        let scope = self.scope(region_id)?;
        let date = date.unwrap_or_else(|| self.clock.now().date());
        let explanation = self.model.explain(scope, date).map_err(|error| error.to_string())?;
        Ok(explanation_json(&explanation, self.model.registry()))
    }
}

fn of_figures(document: Result<impl Serialize, NoFigures>) -> Result<String, String> {
    document.map(|document| document_json(&document)).map_err(|no_figures| no_figures.to_string())
}
