//! `calls`: the run makes the expected calls, with these arguments, in this relation.
//!
//! <!-- settings -->
//!
//! An entry of the list is a tool's name, `TOOL: ARGUMENTS`, or `{tool, args, args_mode, status, times, optional}`. `any_of`
//! lists alternatives for one call, and `unordered` a group whose calls may come in any order. An argument is a value or
//! a [matcher](../calls.md#matchers). In the short form the written arguments must hold, and others are allowed; in the
//! long form no others are. `args` and `args_mode` change this.
//!
//! An expected call is one that succeeded, unless `status` says otherwise. Each expected call is paired with a call of its
//! own: a call never counts twice. The pairs are chosen so that as many calls as possible agree. The message is the
//! shortest list of changes from the run to the expected calls. The score is 2m / (e + a): `m` pairs, `e` expected
//! calls that the mode demands, and `a` calls of which the mode allows no others. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/calls/fail-three-edits.yaml")]
//! ```

use serde::Deserialize;

use super::bfcl::{MatchRules, build_bfcl};
use super::entry::Entry;
use super::expected_calls::ExpectedCalls;
use super::run_calls::WantedStatus;
use super::settings::{Trajectory, TrajectoryMode};
use super::spec::{DefaultValues, SpecDefaults};
use crate::check::arguments::{ArgumentsMode, IgnoredPaths};
use crate::check::{BuildCheck, Check, Kind, Scope};
use crate::json::JsonMap;
use crate::place::LoadErrors;
use crate::yaml::{OneOrMany, Placed, Unparsed};

pub(crate) const KIND: Kind =
    Kind::built::<CallsSettings>("calls", "the run makes the expected calls with these arguments")
        .shorthand("list");

/// Settings of `calls`.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

impl BuildCheck for CallsSettings {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        // There is one other set of rules.
        if let Some(MatchRules::Bfcl) = settings.r#match {
            return build_bfcl(&settings);
        }
        if let Some(functions) = &settings.functions {
            return Err(functions.error("`functions` has a meaning only with `match: bfcl`").into());
        }
        let Self { list, mode, args, ignore, defaults, status, .. } = settings.into_value();
        let defaults = SpecDefaults {
            arguments_mode: args.map(Placed::into_value),
            ignored: ignore.map(Placed::into_value).unwrap_or_default(),
            values: defaults.map(Placed::into_value).unwrap_or_default(),
            status: status.map(Placed::into_value).unwrap_or_default(),
        };
        let mode = mode.map(Placed::into_value).unwrap_or_default();
        let expected = Trajectory::build(mode, defaults, "list", &list)?;
        Ok(Box::new(ExpectedCalls { expected, counted: None }))
    }
}
