//! Where documents come from: the engine in this program, or a deployment of the API.

use std::path::PathBuf;
use std::time::Duration;

use ghi_client::{Client, Resource};
use ghi_server::{Clock, Inputs, Moment};
use jiff::civil::Date;
use tokio::time::timeout;

use crate::deployment::Deployment;
use crate::embedded::Embedded;
use crate::flag_values::moment;
use crate::inputs;

/// How long a deployment may take for all documents of a command, or of a call of a tool.
const TIME_MAX: Duration = Duration::from_secs(50);

/// How many bytes of documents are cached for calls that follow.
const CACHE_BYTES: usize = 1 << 20;

/// What says where documents come from.
#[derive(clap::Args)]
pub(crate) struct SourceArgs {
    /// Ask the deployment at this base address, such as http://127.0.0.1:8000, instead of the engine
    /// in this program
    #[arg(long, value_name = "BASE", global = true)]
    url: Option<String>,

    /// Stop the clock at this UTC time, such as 2026-11-15T12:00:00Z; a day is its midnight
    #[arg(long, env = "GHI_AT", value_name = "TIMESTAMP", global = true)]
    #[arg(value_parser = moment)]
    at: Option<Moment>,

    /// The network that this TOML file describes, instead of the built-in one
    #[arg(long, env = "GHI_INPUTS", value_name = "FILE", global = true)]
    inputs: Option<PathBuf>,
}

/// Gives up on a deployment that keeps a command waiting.
pub(crate) async fn in_time<T>(
    documents: impl Future<Output = Result<T, String>>,
) -> Result<T, String> {
    let too_late = || Err(format!("no answer within {} s", TIME_MAX.as_secs()));
    timeout(TIME_MAX, documents).await.unwrap_or_else(|_| too_late())
}

/// Where documents come from.
pub(crate) enum Source {
    /// The engine in this program.
    Embedded(Box<Embedded>),
    /// A deployment of the API.
    Deployment(Deployment),
}

impl Source {
    /// The source that the command line names.
    pub(crate) fn open(args: &SourceArgs) -> Result<Self, String> {
        let Some(url) = &args.url else {
            let inputs = args.inputs.as_deref().map_or_else(|| Ok(Inputs::default()), inputs::read);
            let clock = args.at.map_or_else(Clock::system, Clock::at);
            return Ok(Self::Embedded(Box::new(Embedded::new(inputs?, clock))));
        };
        if args.at.is_some() || args.inputs.is_some() {
            return Err("--url asks a deployment, which has a clock and inputs of its own: give it without --at and --inputs, and without the variables GHI_AT and GHI_INPUTS".into());
        }
        let client = Client::builder(url).map_err(|invalid| format!("--url {invalid}"))?;
        Ok(Self::Deployment(Deployment::new(client.cache_bytes(CACHE_BYTES).build())))
    }

    /// What it is called, for people.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Embedded(_) => "embedded engine",
            Self::Deployment(deployment) => deployment.base_url(),
        }
    }

    /// What people are told of its data. The contract says no more of a deployment's than that they are
    /// a sandbox's.
    pub(crate) fn kind_of_data(&self) -> &'static str {
        match self {
            Self::Embedded(embedded) => embedded.kind_of_data(),
            Self::Deployment(_) => "Sandbox data",
        }
    }

    /// The document itself, as JSON text.
    pub(crate) async fn json(&self, resource: &Resource) -> Result<String, String> {
        match self {
            Self::Embedded(embedded) => embedded.json(resource),
            Self::Deployment(deployment) => deployment.json(resource).await,
        }
    }

    /// The history with the days from a first to a last. Without either of them, the days that the
    /// history has.
    pub(crate) async fn history_json(
        &self,
        region_id: &str,
        from: Option<Date>,
        to: Option<Date>,
    ) -> Result<String, String> {
        match self {
            Self::Embedded(embedded) => embedded.history_json(region_id, from, to),
            Self::Deployment(deployment) => deployment.history_json(region_id, from, to).await,
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
            Self::Deployment(deployment) => deployment.explanation_json(region_id, date).await,
        }
    }
}
