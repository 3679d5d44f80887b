//! Recognizes the calls that were read when another part of the document mentions them again.

use std::collections::HashMap;

use crate::json::{JsonNode, JsonObject};
use crate::trace::{Arguments, Call, CallStatus, Trace};

/// The keys under which formats keep the name of a tool.
const NAME_KEYS: [&str; 8] =
    ["name", "tool_name", "toolName", "tool", "function_name", "functionName", "toolCallName", "function"];

/// The keys under which formats keep the arguments of a call.
const ARGUMENT_KEYS: [&str; 11] = [
    "arguments",
    "args",
    "input",
    "parameters",
    "params",
    "kwargs",
    "tool_args",
    "tool_input",
    "tool_arguments",
    "toolInput",
    "argumentsJson",
];

/// The calls that were read. A value that mentions one of them again is not a missed call.
pub(super) struct KnownCalls<'t> {
    /// Whether the calls with an id were answered.
    by_id: HashMap<&'t str, bool>,
    calls: Vec<&'t Call>,
}

impl<'t> KnownCalls<'t> {
    pub(super) fn of(traces: impl IntoIterator<Item = &'t Trace>) -> Self {
        let calls: Vec<&Call> = traces.into_iter().flat_map(|trace| &trace.calls).collect();
        let by_id = calls
            .iter()
            .filter_map(|call| Some((call.id.as_deref()?, call.status != CallStatus::Unanswered)));
        Self { by_id: by_id.collect(), calls }
    }

    /// Whether an object that looks like a call is one that was read: by its id, or by its name and arguments.
    pub(super) fn include(&self, object: &JsonObject, face: &CallFace<'_>) -> bool {
        // Any text of the object may be the id, because formats have many names for its key. An id is long and random
        // enough that another text rarely equals it.
        let mut texts = object.values().filter_map(JsonNode::as_str);
        if texts.any(|text| self.by_id.contains_key(text)) {
            return true;
        }
        let mut same_name = self.calls.iter().filter(|call| call.name == face.name).peekable();
        // The arguments are copied only to compare them.
        if same_name.peek().is_none() {
            return false;
        }
        let arguments = Arguments::from_json(face.arguments.to_json());
        same_name.any(|call| call.arguments == arguments)
    }

    /// Whether a value mentions the id of a call that was answered.
    pub(super) fn mention_answered(&self, value: &JsonNode) -> bool {
        match value {
            JsonNode::String(text) => self.by_id.get(text.as_ref()).copied().unwrap_or(false),
            JsonNode::Array(items) => items.iter().any(|item| self.mention_answered(item)),
            JsonNode::Object(object) => object.values().any(|item| self.mention_answered(item)),
            _ => false,
        }
    }
}

/// The name and the arguments of an object that looks like a call.
pub(super) struct CallFace<'v> {
    pub(super) name: &'v str,
    arguments: &'v JsonNode<'v>,
}

impl<'v> CallFace<'v> {
    /// A definition of a tool has a name and parameters too, but these are a schema.
    pub(super) fn of(object: &'v JsonObject<'v>) -> Option<Self> {
        let name = NAME_KEYS.iter().find_map(|key| object.get(key)?.as_str())?;
        let arguments =
            ARGUMENT_KEYS.iter().find_map(|key| object.get(key).filter(|value| !value.is_null()))?;
        // A JSON Schema of an object has both keys. Arguments of a real call rarely do.
        let is_schema = arguments.get("type").is_some() && arguments.get("properties").is_some();
        let is_text = matches!(arguments, JsonNode::String(_) | JsonNode::Object(_) | JsonNode::Array(_));
        (is_text && !is_schema).then_some(Self { name, arguments })
    }
}
