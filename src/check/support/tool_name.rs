//! A tool's name as MCPLab's users write it: exact, or `server:tool`.

use std::collections::HashSet;

use serde::{Deserialize, Deserializer, de};

use crate::trace::{Call, Trace};

/// How many called tools a message names.
const SHOWN: usize = 12;

/// Names a tool exactly. `server:tool` also means a call `tool` when the trace has no `server:tool`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub(crate) struct ToolName(String);

impl ToolName {
    /// As the user wrote it.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `call` of `trace` is one of this tool.
    pub(crate) fn means(&self, call: &Call, trace: &Trace) -> bool {
        if self.is_exactly(call) {
            return true;
        }
        let bare = self.0.split_once(':').map(|(_, tool)| tool);
        bare == Some(&call.name) && !trace.calls.iter().any(|call| self.is_exactly(call))
    }

    /// The calls of this tool.
    pub(crate) fn calls_in<'t>(&self, trace: &'t Trace) -> Vec<&'t Call> {
        trace.calls.iter().filter(|call| self.means(call, trace)).collect()
    }

    /// A call that is meant.
    pub(crate) fn example(&self, turn: usize) -> Call {
        Call::new(self.0.as_str(), crate::trace::Arguments::none(), turn)
    }

    fn is_exactly(&self, call: &Call) -> bool {
        let of_server = |server: &String| self.0.strip_prefix(server.as_str())?.strip_prefix(':');
        self.0 == call.name || call.server.as_ref().and_then(of_server) == Some(&call.name)
    }
}

impl<'de> Deserialize<'de> for ToolName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        if name.is_empty() { Err(de::Error::custom("a tool's name is empty")) } else { Ok(Self(name)) }
    }
}

/// A list of tools that names at least one.
pub(crate) fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ToolName>, D::Error> {
    let tools = Vec::<ToolName>::deserialize(deserializer)?;
    if tools.is_empty() { Err(de::Error::custom("an empty list checks nothing")) } else { Ok(tools) }
}

/// The tools that were called, each once, in the order of their first call.
pub(crate) fn called_tools(trace: &Trace) -> Vec<&str> {
    let mut seen = HashSet::new();
    trace.tool_names().into_iter().filter(|name| seen.insert(*name)).collect()
}

/// The tools that were called, for a user who expected others.
pub(crate) fn what_was_called(trace: &Trace) -> String {
    let names = called_tools(trace);
    let more = names.len().saturating_sub(SHOWN);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    match &names[..names.len().min(SHOWN)] {
        [] => "the agent called no tool at all".to_owned(),
        names => format!("it called `{}`{more}", names.join("`, `")),
    }
}

/// A run that calls `calls`, for a counterexample.
pub(crate) fn run_of(calls: Vec<Call>) -> Trace {
    let mut trace = Trace::default();
    for call in calls {
        trace.push_call(call);
    }
    trace
}
