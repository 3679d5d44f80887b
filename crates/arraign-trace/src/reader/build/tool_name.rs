//! The identity of a tool: its own name, and the server that a host puts before it.

use crate::trace::{Call, ToolServer, Trace, split_mcp_name, split_server};

/// The prefix by which hosts of the OpenAI API mark a function of the user's program.
const FUNCTIONS: &str = "functions.";

/// Splits the names that hosts of many formats write: `mcp__SERVER__TOOL`, and `functions.TOOL` for a tool of the user's
/// program.
pub(crate) fn split_common_names(run: &mut Trace) {
    for call in &mut run.calls {
        // A name that a reader has split is left as it is.
        if call.server == ToolServer::NotRecorded && call.written.is_none() {
            split_host_name(call, ToolServer::NotRecorded);
            strip_functions(call);
        }
    }
}

/// Splits a name of the form `mcp__SERVER__TOOL`. The server of any other name is `otherwise`.
pub(crate) fn split_host_name(call: &mut Call, otherwise: ToolServer) {
    let Some((server, tool)) = split_mcp_name(&call.name) else {
        call.server = otherwise;
        return;
    };
    let server = ToolServer::Named(server.to_owned());
    let tool = tool.to_owned();
    call.set_tool(tool, server);
}

/// Splits a name that a person wrote, `SERVER:TOOL` or `mcp__SERVER__TOOL`, unless the call has another server.
pub(crate) fn split_given_name(call: &mut Call) {
    let Some((server, tool)) = split_server(&call.name) else { return };
    let is_meant = match &call.server {
        // A name with a colon may be the whole name of a tool on another server, or of a tool that the host built in.
        ToolServer::Named(known) => known == server,
        ToolServer::BuiltIn => false,
        ToolServer::NotRecorded => true,
    };
    if is_meant {
        let server = ToolServer::Named(server.to_owned());
        let tool = tool.to_owned();
        call.set_tool(tool, server);
    }
}

/// Takes the prefix `functions.` off the name. It names no server.
pub(crate) fn strip_functions(call: &mut Call) {
    if let Some(tool) = call.name.strip_prefix(FUNCTIONS).filter(|tool| !tool.is_empty()) {
        let tool = tool.to_owned();
        call.set_tool(tool, ToolServer::NotRecorded);
    }
}
