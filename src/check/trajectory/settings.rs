//! What `calls` and `effects` share: expected calls, and how a run relates to them.

use serde::Deserialize;

use super::bfcl::MatchRules;
use super::entry::{Entry, SlotBuilder, SlotGroup};
use super::run_calls::WantedStatus;
use super::spec::{DefaultValues, SpecDefaults};
use crate::JsonSchema;
use crate::check::arguments::{ArgumentsMode, IgnoredPaths};
use crate::json::JsonMap;
use crate::place::LoadErrors;
use crate::yaml::{OneOrMany, Placed, Unparsed};

/// How the calls of a run relate to the expected ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[schemars(rename = "trajectory_mode")]
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

/// Settings of `calls`.
#[derive(Deserialize, JsonSchema)]
pub(super) struct CallsSettings {
    /// The expected calls.
    pub(super) list: Vec<Unparsed<Entry>>,
    /// How the calls of the run relate to the list.
    pub(super) mode: Option<Placed<TrajectoryMode>>,
    /// How the arguments of all calls relate to the expected ones. Default: `superset` in the short form, `exact` in
    /// the long form.
    pub(super) args: Option<Placed<ArgumentsMode>>,
    /// Globs over the paths of arguments that are not compared: `timestamp`, `*.request_id`, `get_order.trace_id`.
    pub(super) ignore: Option<Placed<IgnoredPaths>>,
    /// The default values of arguments, by tool: `{search: {limit: 10}}`.
    pub(super) defaults: Option<Placed<DefaultValues>>,
    /// How the expected calls end. With `any`, failed calls are extra calls, too.
    pub(super) status: Option<Placed<WantedStatus>>,
    /// Uses the rules of another tool.
    pub(super) r#match: Option<MatchRules>,
    /// The declared functions, with `match: bfcl`: `[{name, parameters: {properties, required}}]`.
    pub(super) functions: Option<Placed<OneOrMany<Placed<JsonMap>>>>,
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
    /// Builds the slots of the entries that are written under `list_key`.
    pub(super) fn build(
        mode: TrajectoryMode,
        defaults: SpecDefaults,
        list_key: &'static str,
        entries: &[Unparsed<Entry>],
    ) -> Result<Self, LoadErrors> {
        let groups = SlotBuilder { defaults: &defaults, mode }.build_list(entries)?;
        Ok(Self { mode, defaults, groups, list_key })
    }

    /// Whether no run is refused.
    pub(super) fn accepts_everything(&self) -> bool {
        let has_demand = self.mode.demands_all() && self.groups.iter().flatten().any(|slot| slot.demanded);
        !self.mode.forbids_extras() && !has_demand
    }
}
