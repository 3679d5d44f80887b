//! Paths of arguments that never matter: `timestamp`, `*.request_id`, `get_order.trace_id`.

use crate::json::{Json, JsonMap};
use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::yaml::{Node, read_all};

/// Globs over the paths of arguments. The parts of a path are joined by dots; an element of a list is its index. A glob may
/// begin with the tool's name.
#[derive(Debug, Clone, Default)]
pub(crate) struct IgnoredPaths(Vec<ToolPattern>);

impl IgnoredPaths {
    /// Reads a list of globs.
    pub(crate) fn read(node: Node<'_>) -> Result<Self, LoadErrors> {
        let pattern = |node: Node<'_>| {
            let text: String = node.decode()?;
            ToolPattern::of_name(&text).map_err(|problem| node.error(problem))
        };
        read_all(node.one_or_many().into_iter().map(pattern)).map(Self)
    }

    /// Whether the path is ignored in calls of `tool`.
    pub(crate) fn include(&self, tool: &str, path: &str) -> bool {
        self.0
            .iter()
            .any(|pattern| pattern.matches_name(path) || pattern.matches_name(&format!("{tool}.{path}")))
    }

    /// Whether nothing is ignored.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
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
