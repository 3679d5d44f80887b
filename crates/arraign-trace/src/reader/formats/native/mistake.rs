//! Mistakes in a native trace: all of them at once, each with its place.

use std::fmt;

use crate::json::{JsonNode, JsonObject};
use crate::json_text::escape_token;
use crate::suggest::did_you_mean;

/// A mistake in a native trace.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NativeMistake {
    /// The JSON pointer of the value in the trace, or of the entry whose key is wrong.
    pub pointer: String,
    /// Whether the key of the entry is wrong, and not its value.
    pub on_key: bool,
    /// The problem: a lower-case sentence without a full stop.
    pub problem: String,
    /// Advice.
    pub help: Option<String>,
}

impl NativeMistake {
    /// A `problem` of the value that is being read.
    pub(crate) fn new(problem: impl Into<String>) -> Self {
        Self { pointer: String::new(), on_key: false, problem: problem.into(), help: None }
    }

    /// Says that the value is not of the `wanted` kind.
    pub(crate) fn expected(wanted: &str, found: &JsonNode) -> Self {
        let mistake = Self::new(format!("expected {wanted}, found {}", describe_value(found)));
        match found.as_str() {
            Some("yes" | "on") => mistake.help("write `true`"),
            Some("no" | "off") => mistake.help("write `false`"),
            _ => mistake,
        }
    }

    /// Says that the native form does not have this key. The mistake still has to be put under the key.
    pub(crate) fn unknown_key(key: &str, known: &[&str]) -> Self {
        let help = did_you_mean(key, known);
        Self { on_key: true, help, ..Self::new(format!("unknown key `{key}`")) }
    }

    /// Says that a mapping has a key twice.
    pub(crate) fn duplicate_in(object: &JsonObject) -> Option<Self> {
        let key = object.find_duplicate()?;
        Some(Self { on_key: true, ..Self::new(format!("duplicate key `{key}`")) }.at_key(key))
    }

    /// Adds what to do about it.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Puts the mistake below `step`: a key or an index.
    pub(crate) fn at_key(mut self, step: impl fmt::Display) -> Self {
        self.pointer = format!("/{}{}", escape_token(&step.to_string()), self.pointer);
        self
    }
}

/// The problem, and what to do about it.
impl fmt::Display for NativeMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)?;
        self.help.iter().try_for_each(|help| write!(f, " (help: {help})"))
    }
}

/// The value, in the words of somebody who writes YAML.
fn describe_value(value: &JsonNode) -> String {
    match value {
        JsonNode::Bool(flag) => format!("`{flag}`"),
        JsonNode::Number(number) => format!("`{number}`"),
        JsonNode::String(text) => format!("the text `{text}`"),
        other => describe_kind(other).to_owned(),
    }
}

/// The kind of the value, in the words of somebody who writes YAML.
pub(crate) fn describe_kind(value: &JsonNode) -> &'static str {
    match value {
        JsonNode::Null => "nothing",
        JsonNode::Bool(_) => "a boolean",
        JsonNode::Number(_) => "a number",
        JsonNode::String(_) => "a string",
        JsonNode::Array(_) => "a list",
        JsonNode::Object(_) => "a mapping",
    }
}
