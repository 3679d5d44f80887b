//! Paths of arguments that never matter: `timestamp`, `*.request_id`, `get_order.trace_id`.

use serde::Deserialize;

use crate::JsonSchema;
use crate::json::{Json, JsonMap};
use crate::pattern::{PatternError, ToolPattern};
use crate::yaml::OneOrMany;

/// Globs over the paths of arguments. The parts of a path are joined by dots; an element of a list is its index. A glob may
/// begin with the tool's name.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(description = "", inline)]
pub(crate) struct IgnoredPaths(OneOrMany<PathGlob>);

/// A glob over the path of an argument.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(with = "String", description = "", inline)]
#[serde(try_from = "String")]
struct PathGlob(ToolPattern);

impl TryFrom<String> for PathGlob {
    type Error = PatternError;

    fn try_from(text: String) -> Result<Self, PatternError> {
        ToolPattern::of_name(&text).map(Self)
    }
}

impl IgnoredPaths {
    /// Whether the path is ignored in calls of `tool`.
    pub(crate) fn include(&self, tool: &str, path: &str) -> bool {
        let is_matched = |PathGlob(glob): &PathGlob| {
            glob.matches_name(path) || glob.matches_name(&format!("{tool}.{path}"))
        };
        self.0.0.iter().any(is_matched)
    }

    /// Whether nothing is ignored.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.0.is_empty()
    }

    /// Removes the ignored arguments of a call of `tool`, at any depth.
    pub(crate) fn strip_arguments(&self, tool: &str, arguments: &mut Json) {
        if let Json::Object(arguments) = arguments {
            self.strip_fields(arguments, tool, "");
        }
    }

    /// Removes what is ignored from the value at `path`.
    pub(super) fn strip_value(&self, value: &mut Json, tool: &str, path: &str) {
        match value {
            Json::Object(fields) => self.strip_fields(fields, tool, &format!("{path}.")),
            Json::Array(elements) => {
                for (index, element) in elements.iter_mut().enumerate() {
                    self.strip_value(element, tool, &format!("{path}.{index}"));
                }
            }
            _ => {}
        }
    }

    fn strip_fields(&self, fields: &mut JsonMap, tool: &str, before: &str) {
        fields.retain(|name, value| {
            let path = format!("{before}{name}");
            let is_kept = !self.include(tool, &path);
            // A field that is left out has nothing inside that matters.
            if is_kept {
                self.strip_value(value, tool, &path);
            }
            is_kept
        });
    }
}
