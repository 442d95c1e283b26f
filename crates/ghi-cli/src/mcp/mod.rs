//! `ghi mcp`: a server of the Model Context Protocol (MCP) for AI assistants, on stdin and stdout.

mod tools;
mod transport;

use std::io::{self, IsTerminal};
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;

use futures_util::FutureExt;
use ghi_contract::GLOBAL;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use tokio::sync::Mutex;

use crate::mcp::tools::{DocumentTool, TOOLS};
use crate::mcp::transport::BoundedTransport;
use crate::output::print_error;
use crate::signals::until_signal;
use crate::source::{DocumentSource, SourceArgs, in_time};

const INSTRUCTIONS: &str = "The Global HashCost Index: what it costs, in USD, to mine one coin of a proof-of-work currency, as minimum, average and maximum, worldwide (global) and by region. This is a sandbox, not market data: say so. Start with snapshot for today's costs; regions lists the ids that other tools accept; explain shows how a cost is calculated from difficulty, hardware and electricity. Dates and times are UTC.";

/// Serves an assistant over stdin and stdout until they are closed or a signal arrives.
pub(crate) fn run(args: &SourceArgs) -> Result<ExitCode, String> {
    let server = ToolServer::new(DocumentSource::open(args)?);
    if io::stdin().is_terminal() {
        print_error("waiting for Model Context Protocol messages on stdin; press Ctrl-D to exit");
    }
    let session = async {
        match server.serve(BoundedTransport::stdio()).await {
            Ok(session) => session.waiting().await.map_err(|error| error.to_string()).map(drop),
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    };
    match until_signal(session)? {
        Ok(Err(error)) => Err(format!("cannot continue: {error}")),
        _ => Ok(ExitCode::SUCCESS),
    }
}

struct ToolServer {
    source: DocumentSource,
    instructions: String,
    tools: Vec<Tool>,
    /// Locked while a document of several megabytes may be received, so that only one is in memory.
    large_document: Mutex<()>,
}

impl ToolServer {
    fn new(source: DocumentSource) -> Self {
        let data = source.kind_of_data(GLOBAL, "");
        let instructions = format!("{INSTRUCTIONS} {data}, {}.", source.name());
        let tools = TOOLS.iter().map(|tool| tool.described(&data)).collect();
        Self { source, instructions, tools, large_document: Mutex::default() }
    }
}

impl ServerHandler for ToolServer {
    fn get_info(&self) -> ServerConfig {
        let ghi = Implementation::new("ghi", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(ghi.with_title("Global HashCost Index (sandbox)"))
            .with_instructions(&self.instructions)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    /// Calls a tool. Its result is a document, or its error as text.
    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = DocumentTool::find(&call.name)
            .map_err(|message| ErrorData::invalid_params(message, None))?;
        let document = in_time(async {
            let _guard = match tool.is_large() {
                true => Some(self.large_document.lock().await),
                false => None,
            };
            tool.fetch(&self.source, call.arguments.unwrap_or_default()).await
        });
        let result = tokio::select! {
            result = without_panic(document) => result?,
            // No response is sent.
            () = context.ct.cancelled() => Err("cancelled".into()),
        };
        Ok(result.map_or_else(
            |message| CallToolResult::error(vec![ContentBlock::text(message)]).into(),
            |document| CallToolResult::structured(document).into(),
        ))
    }
}

/// Turns a panic, which is a bug, into an error that is answered like any other.
async fn without_panic<T>(work: impl Future<Output = T>) -> Result<T, ErrorData> {
    let internal = "internal error; standard error has the details";
    let done = AssertUnwindSafe(work).catch_unwind().await;
    done.map_err(|_| ErrorData::internal_error(internal, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_answered() {
        let bug = async {
            if true {
                panic!("a bug")
            }
        };
        let error = without_panic(bug).await.unwrap_err();
        assert_eq!(error.message, "internal error; standard error has the details");
    }
}
