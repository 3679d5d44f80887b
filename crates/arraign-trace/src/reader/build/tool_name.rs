//! The server in the name by which a host offers a tool of an MCP server.

/// Returns `shop` for `mcp__shop__get_order`, and `None` for other names.
pub(crate) fn find_server(name: &str) -> Option<String> {
    let (server, _) = name.strip_prefix("mcp__")?.split_once("__")?;
    Some(server.to_owned())
}
