//! The settings that `calls` and `effects` share.

use crate::json::Json;
use serde::Deserialize;

use super::entry::{EntryReader, SlotGroup};
use super::spec::{DefaultValues, SpecDefaults};
use crate::check::arguments::IgnoredPaths;
use crate::check::support::reading::require_entries;
use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::yaml::{Fields, Node};

/// How the calls of a run relate to the expected ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "trajectory_mode"))]
#[serde(rename_all = "snake_case")]
pub(super) enum TrajectoryMode {
    /// The same calls in the same order, and no others.
    Exact,
    /// Another word for `exact`.
    Strict,
    /// The expected calls in this order; others may come between. The default.
    #[default]
    InOrder,
    /// The same calls in any order, and no others.
    Unordered,
    /// No call beyond the expected ones; each of them may be missing.
    Subset,
    /// Every expected call in any order, and any others.
    Superset,
}

impl TrajectoryMode {
    /// The word that users write.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Exact | Self::Strict => "exact",
            Self::InOrder => "in_order",
            Self::Unordered => "unordered",
            Self::Subset => "subset",
            Self::Superset => "superset",
        }
    }

    /// Whether the order of calls counts.
    pub(super) fn is_ordered(self) -> bool {
        matches!(self, Self::Exact | Self::Strict | Self::InOrder)
    }

    /// Whether a call that is not expected is a violation.
    pub(super) fn forbids_extras(self) -> bool {
        matches!(self, Self::Exact | Self::Strict | Self::Unordered | Self::Subset)
    }

    /// Whether a missing call is a violation.
    pub(super) fn demands_all(self) -> bool {
        self != Self::Subset
    }
}

/// Expected calls, and how a run relates to them.
#[derive(Debug)]
pub(super) struct Trajectory {
    pub(super) mode: TrajectoryMode,
    pub(super) defaults: SpecDefaults,
    pub(super) groups: Vec<SlotGroup>,
    /// The setting that holds the list.
    pub(super) list_key: &'static str,
}

impl Trajectory {
    /// Reads the list under `list_key`, and the settings beside it.
    pub(super) fn read(
        fields: &mut Fields<'_>,
        mode: TrajectoryMode,
        list_key: &'static str,
        node: Node<'_>,
    ) -> Option<Self> {
        let defaults = read_defaults(fields);
        let Some(list) = fields.node(list_key) else {
            let error = node.error(format!("`{list_key}` is missing: there is no call to expect"));
            fields.missing(&[list_key], error);
            return None;
        };
        let groups = fields.take(EntryReader { defaults: &defaults, mode }.read_list(list))?;
        Some(Self { mode, defaults, groups, list_key })
    }

    /// Whether no run is refused.
    pub(super) fn accepts_everything(&self) -> bool {
        let has_demand = self.mode.demands_all() && self.groups.iter().flatten().any(|slot| slot.demanded);
        !self.mode.forbids_extras() && !has_demand
    }
}

/// Reads `args`, `ignore`, `defaults` and `status`.
fn read_defaults(fields: &mut Fields<'_>) -> SpecDefaults {
    let arguments_mode = fields.optional("args");
    let status = fields.optional("status").unwrap_or_default();
    let ignored = fields.node("ignore").and_then(|node| fields.take(IgnoredPaths::read(node)));
    let values = fields.node("defaults").and_then(|node| fields.take(read_values(node)));
    let (ignored, values) = (ignored.unwrap_or_default(), values.unwrap_or_default());
    SpecDefaults { arguments_mode, ignored, values, status }
}

/// Reads the default values of arguments, by tool.
fn read_values(node: Node<'_>) -> Result<DefaultValues, LoadErrors> {
    let tools = require_entries(node, "`defaults` is a mapping of tools to arguments")?;
    let (mut errors, mut values) = (LoadErrors::new(), Vec::new());
    for (key, arguments) in tools {
        let tool = errors.take(ToolPattern::new(&key.name).map_err(|problem| node.error(problem)));
        let Json::Object(arguments) = arguments.to_json() else {
            errors.push(arguments.error("the defaults of a tool are a mapping of arguments to values"));
            continue;
        };
        values.extend(tool.map(|tool| (tool, arguments)));
    }
    errors.or(values)
}
