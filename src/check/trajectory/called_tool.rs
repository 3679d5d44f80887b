//! Whether a written tool means a call.

use crate::pattern::ToolPattern;
use crate::trace::Call;

/// Whether `tool`, a name or glob, means `call`: by the tool's name, by `server:tool`, or, where the trace does not
/// record a server, by the tool's part of `server:tool`.
pub(super) fn means_call(tool: &ToolPattern, call: &Call) -> bool {
    if tool.matches(&call.name) {
        return true;
    }
    let Some((_, bare)) = tool.as_str().split_once(':') else { return false };
    match &call.server {
        Some(server) => tool.matches(&format!("{server}:{}", call.name)),
        None => tool.exact().is_some() && bare == call.name,
    }
}
