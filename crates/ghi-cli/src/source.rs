//! Where documents come from.

use std::path::PathBuf;

use ghi_client::Resource;
use ghi_server::{Clock, Inputs, Moment};
use jiff::civil::Date;

use crate::embedded::Embedded;
use crate::inputs;

/// What says where documents come from.
#[derive(clap::Args)]
pub(crate) struct SourceArgs {
    /// Stop the clock at this UTC time, such as 2026-11-15T12:00:00Z
    #[arg(long, env = "GHI_AT", value_name = "TIMESTAMP", global = true)]
    at: Option<Moment>,

    /// The network that this TOML file describes, instead of the built-in one
    #[arg(long, env = "GHI_INPUTS", value_name = "FILE", global = true)]
    inputs: Option<PathBuf>,
}

/// Where documents come from.
pub(crate) enum Source {
    /// The engine in this program. It is large, and there is one of it.
    Embedded(Box<Embedded>),
}

impl Source {
    /// The source that the command line names.
    pub(crate) fn open(args: &SourceArgs) -> Result<Self, String> {
        let inputs = args.inputs.as_deref().map_or_else(|| Ok(Inputs::default()), inputs::read)?;
        let clock = args.at.map_or_else(Clock::system, Clock::at);
        Ok(Self::Embedded(Box::new(Embedded::new(inputs, clock))))
    }

    /// The document itself, as JSON text.
    pub(crate) async fn json(&self, resource: &Resource) -> Result<String, String> {
        match self {
            Self::Embedded(embedded) => embedded.json(resource),
        }
    }

    /// The history with the days of a range, and the week up to today without one.
    pub(crate) async fn history_json(
        &self,
        region_id: &str,
        from: Option<Date>,
        to: Option<Date>,
    ) -> Result<String, String> {
        match self {
            Self::Embedded(embedded) => embedded.history_json(region_id, from, to),
        }
    }

    /// Where the figures of a day come from, as JSON text; today without a date.
    pub(crate) async fn explanation_json(
        &self,
        region_id: &str,
        date: Option<Date>,
    ) -> Result<String, String> {
        match self {
            Self::Embedded(embedded) => embedded.explanation_json(region_id, date),
        }
    }
}
