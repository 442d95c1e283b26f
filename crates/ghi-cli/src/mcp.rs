//! `ghi mcp`: the index as tools for assistants.

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::transport::stdio_pipes;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Map, Value};

use crate::output::complain;
use crate::signals::Signals;
use crate::source::{Source, SourceArgs};
use crate::tool::{Asked, Tool};
use crate::tool_schemas::Schemas;

/// What assistants should know of all tools.
const INSTRUCTIONS: &str = "The Global HashCost Index: what it costs, in USD, to mine one coin of a proof-of-work currency, as minimum, average and maximum, worldwide (global) and by region. The figures are synthetic, those of a sandbox: say so, and do not present them as market data. Begin with snapshot for today's costs; regions lists the ids that other tools take; explain shows how a cost follows from difficulty, hardware and electricity. Days and times are UTC.";

/// What `ghi mcp` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    source: SourceArgs,
}

/// Answers an assistant over the standard input and output, until it closes them or a signal comes.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
    let source = Source::open(&args.source)?;
    let schemas = Schemas::read()?;
    let tools = Tool::ALL.iter().map(|tool| tool.described(&schemas)).collect::<Result<_, _>>()?;
    if io::stdin().is_terminal() {
        complain(
            "mcp waits for an assistant on its standard input, in the Model Context Protocol; Ctrl-D ends it",
        );
    }
    let cannot_start = |error: io::Error| format!("cannot start: {error}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(cannot_start)?;
    let served = runtime.block_on(async {
        let mut signals = Signals::watch().map_err(cannot_start)?;
        tokio::select! {
            served = serve(Index { source, tools }) => served,
            _ = signals.next() => Ok(()),
        }
    });
    // A thread that waits for a line from a terminal would keep the process.
    runtime.shutdown_background();
    served.map(|()| ExitCode::SUCCESS)
}

async fn serve(index: Index) -> Result<(), String> {
    let running = match index.serve(stdio_pipes()).await {
        Ok(running) => running,
        // It had nothing to ask.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
            return Err("mcp takes messages of the Model Context Protocol, the first of them initialize; configure an assistant to run it".into());
        }
        Err(error) => return Err(format!("cannot answer: {error}")),
    };
    running.waiting().await.map(|_| ()).map_err(|error| format!("cannot go on: {error}"))
}

/// The index as tools.
struct Index {
    source: Source,
    tools: Arc<[rmcp::model::Tool]>,
}

impl ServerHandler for Index {
    fn get_info(&self) -> ServerConfig {
        let server = Implementation::new("ghi", env!("CARGO_PKG_VERSION"))
            .with_title("Global HashCost Index (sandbox)");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server)
            .with_instructions(format!("{INSTRUCTIONS} Source: {}.", self.source.name()))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = Tool::find(&request.name);
        let tool = tool.map_err(|message| ErrorData::invalid_params(message, None))?;
        let answer = self.answer(tool, &request.arguments.unwrap_or_default()).await;
        let result = answer.unwrap_or_else(|message| {
            // The assistant reads it, and can ask again.
            CallToolResult::error(vec![ContentBlock::text(message)])
        });
        Ok(result.into())
    }
}

impl Index {
    async fn answer(
        &self,
        tool: Tool,
        arguments: &Map<String, Value>,
    ) -> Result<CallToolResult, String> {
        let text = match tool.asked(arguments)? {
            Asked::Document(resource) => self.source.json(&resource).await?,
            Asked::Explanation { region_id, date } => {
                self.source.explanation_json(&region_id, date).await?
            }
        };
        let document: Value = serde_json::from_str(&text)
            .ok()
            .filter(Value::is_object)
            .ok_or_else(|| format!("the answer of {} is no document", self.source.name()))?;
        let mut result = CallToolResult::structured(document);
        // The document as it was sent, for those that read text.
        result.content = vec![ContentBlock::text(text.trim_end())];
        Ok(result)
    }
}
