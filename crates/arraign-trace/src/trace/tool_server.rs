//! The server that offers a tool, and the names by which hosts offer it.

use serde::{Deserialize, Serialize};

/// The server that offers a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolServer {
    /// The MCP server of this name, or the plugin.
    Named(String),
    /// No server: the host says that the tool is its own.
    BuiltIn,
    /// The trace does not say where the tool comes from.
    #[default]
    NotRecorded,
}

impl ToolServer {
    /// Returns the name of the server.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(name),
            Self::BuiltIn | Self::NotRecorded => None,
        }
    }

    /// Returns this server, or `other` if this one is not recorded.
    pub fn or(self, other: Self) -> Self {
        if self == Self::NotRecorded { other } else { self }
    }
}

/// `None` is a server that is not recorded.
impl From<Option<String>> for ToolServer {
    fn from(name: Option<String>) -> Self {
        name.map_or(Self::NotRecorded, Self::Named)
    }
}

/// Splits the name by which many hosts offer a tool of an MCP server: `mcp__shop__get_order` is `get_order` of `shop`.
///
/// ```
/// # use arraign_trace::trace::split_mcp_name;
/// assert_eq!(split_mcp_name("mcp__shop__get_order"), Some(("shop", "get_order")));
/// assert_eq!(split_mcp_name("get_order"), None);
/// ```
#[doc(hidden)]
pub fn split_mcp_name(name: &str) -> Option<(&str, &str)> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
}

/// Splits a name that people write for a tool of a server: `shop:get_order`, or `mcp__shop__get_order`.
///
/// A colon in braces or brackets belongs to a glob, and `::` separates parts of one name. What stands before the colon is a
/// server only if it looks like a name.
///
/// ```
/// # use arraign_trace::trace::split_server;
/// assert_eq!(split_server("shop:get_order"), Some(("shop", "get_order")));
/// assert_eq!(split_server("{shop,store}:get_*"), Some(("{shop,store}", "get_*")));
/// assert_eq!(split_server("fs::read"), None);
/// ```
#[doc(hidden)]
pub fn split_server(name: &str) -> Option<(&str, &str)> {
    split_mcp_name(name).or_else(|| split_at_colon(name))
}

fn split_at_colon(name: &str) -> Option<(&str, &str)> {
    let mut depth = 0_u32;
    // Most names have no colon.
    let colon =
        name.contains(':').then(|| name.bytes().position(|byte| is_open_colon(byte, &mut depth)))??;
    let server = &name[..colon];
    let tool = &name[colon + 1..];
    let is_tool = !tool.is_empty() && !tool.starts_with([':', '/']);
    (is_tool && !server.is_empty() && server.chars().all(is_server_char)).then_some((server, tool))
}

/// Whether the name of a server, or a glob over such names, has this character.
fn is_server_char(c: char) -> bool {
    c.is_alphanumeric() || "_-./@ *?{},[]!".contains(c)
}

/// Whether `byte` is a colon outside of all braces and brackets; counts them.
fn is_open_colon(byte: u8, depth: &mut u32) -> bool {
    match byte {
        b'{' | b'[' => *depth += 1,
        b'}' | b']' => *depth = depth.saturating_sub(1),
        _ => {}
    }
    byte == b':' && *depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_split_from_a_tool_where_both_have_a_name() {
        for (name, split) in [
            ("mcp__shop__get__order", Some(("shop", "get__order"))),
            ("mcp__shop", None),
            ("mcp____get", None),
            ("mcp__shop__", None),
            ("shop:get:order", Some(("shop", "get:order"))),
            (":get", None),
            ("shop:", None),
            ("a::b", None),
            ("[a:b]*", None),
            ("http://x", None),
            ("a\u{1b}:b", None),
        ] {
            assert_eq!(split_server(name), split, "{name}");
        }
    }
}
