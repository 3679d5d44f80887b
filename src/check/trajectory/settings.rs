//! What `calls` and `effects` share: expected calls, and how a run relates to them.

use serde::Deserialize;

use super::entry::{Entry, SlotBuilder, SlotGroup};
use super::mode::TrajectoryMode;
use super::spec::{DefaultValues, SpecDefaults};
use crate::JsonSchema;
use crate::check::arguments::{ArgumentsMode, IgnoredPaths};
use crate::check::support::call_status::WantedStatus;
use crate::json::JsonMap;
use crate::place::LoadErrors;
use crate::yaml::{OneOrMany, Placed, Unparsed};

/// The rules by which calls are compared, as users name them.
#[derive(Debug, Clone, Copy, serde::Deserialize, JsonSchema)]
#[schemars(rename = "match_rules")]
#[serde(rename_all = "snake_case")]
pub(super) enum MatchRules {
    /// The rules of the Berkeley Function-Calling Leaderboard. `functions` declares the functions, and `list` is the
    /// ground truth: `{NAME: {ARGUMENT: [acceptable values]}}`. Results do not count.
    Bfcl,
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
