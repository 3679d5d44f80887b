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

use super::bfcl::build_bfcl;
use super::expected_calls::ExpectedCalls;
use super::settings::{CallsSettings, MatchRules, Trajectory};
use super::spec::SpecDefaults;
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::place::LoadErrors;
use crate::yaml::Placed;

pub(crate) const KIND: CheckKind =
    CheckKind::built::<CallsSettings>("calls", "the run makes the expected calls with these arguments")
        .shorthand("list");

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
