//! The settings of a check that forbids a sort of calls, with exceptions.

use serde::Deserialize;

use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::trace::Call;
use crate::yaml::{Fields, Node};

/// `true`, or the tools to except.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Exceptions {
    /// `true`. To require nothing, omit the check.
    #[serde(default = "yes")]
    pub(super) required: bool,
    /// The tools to except: names and globs.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub(super) except: Vec<ToolPattern>,
}

fn yes() -> bool {
    true
}

impl Exceptions {
    /// Reads the settings. `false` is a mistake: it would ask for nothing.
    pub(super) fn read(node: Node<'_>) -> Result<Self, LoadErrors> {
        Fields::of(node, "the settings")?;
        let settings: Self = node.decode_all()?;
        if !settings.required {
            let at = node.get("required").unwrap_or(node);
            return Err(at.error("`false` asks for nothing").help("leave the check out").into());
        }
        Ok(settings)
    }

    /// Whether calls of this tool are not looked at.
    pub(super) fn include(&self, call: &Call) -> bool {
        self.except.iter().any(|tool| tool.matches(call))
    }

    /// Whether all tools are excepted.
    pub(super) fn except_everything(&self) -> bool {
        self.except.iter().any(|tool| tool.as_str() == "*")
    }

    /// The name of a tool that is not excepted.
    pub(super) fn find_other_tool(&self) -> Option<&'static str> {
        let names = ["a_tool", "zz9", "Q", "another-tool"];
        names.into_iter().find(|name| !self.except.iter().any(|tool| tool.matches_name(name)))
    }
}
