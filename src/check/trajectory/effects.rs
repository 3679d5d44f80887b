//! `effects`: the run makes exactly these state-changing calls.
//!
//! <!-- settings -->
//!
//! Calls of other tools do not count, nor does the order, nor do calls that failed. A call of
//! [nearly the name](../traces.md#near-names) of a tool that writes leaves the check undecided. The entries of `calls` are those of
//! the check [`calls`](calls.md). This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/effects/fail-a-second-refund.yaml")]
//! ```

use serde::Deserialize;

use super::entry::Entry;
use super::expected_calls::ExpectedCalls;
use super::mode::TrajectoryMode;
use super::report::list_specs;
use super::settings::Trajectory;
use super::spec::{DefaultValues, SpecDefaults};
use crate::JsonSchema;
use crate::check::arguments::{ArgumentsMode, IgnoredPaths};
use crate::check::support::call_status::WantedStatus;
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::yaml::{Placed, Unparsed};

pub(crate) const KIND: CheckKind =
    CheckKind::built::<EffectsSettings>("effects", "the run makes exactly these state-changing calls");

/// Settings of `effects`.
#[derive(Deserialize, JsonSchema)]
struct EffectsSettings {
    /// The tools that change something: names and globs.
    #[schemars(length(min = 1))]
    write: Placed<Vec<ToolPattern>>,
    /// The expected calls of these tools, in any order. An empty list expects none.
    calls: Placed<Vec<Unparsed<Entry>>>,
    /// How the arguments of all calls relate to the expected ones. Default: `superset` in the short form, `exact` in
    /// the long form.
    args: Option<ArgumentsMode>,
    /// Globs over the paths of arguments that are not compared.
    ignore: Option<IgnoredPaths>,
    /// The default values of arguments, by tool.
    defaults: Option<DefaultValues>,
    /// How the expected calls end. With `any`, failed calls count, too.
    status: Option<WantedStatus>,
}

impl BuildCheck for EffectsSettings {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let Self { write, calls, args, ignore, defaults, status } = settings.into_value();
        if write.is_empty() {
            return Err(write.error("`write` is empty: name the tools that change something").into());
        }
        let defaults = SpecDefaults {
            arguments_mode: args,
            ignored: ignore.unwrap_or_default(),
            values: defaults.unwrap_or_default(),
            status: status.unwrap_or_default(),
        };
        // The order of effects does not matter: the state of the world is the same.
        let expected = Trajectory::build(TrajectoryMode::Unordered, defaults, "calls", &calls)?;
        let effects = ExpectedCalls { expected, counted: Some(write.into_value()) };
        // An expected call of a tool that is not among those that write would never be looked at.
        let reader = list_specs(&effects.expected)
            .find(|spec| spec.example(1).is_some_and(|call| !effects.counts(&call)));
        if let Some(reader) = reader {
            let problem = format!("`{}` is expected and is not among the tools that write", reader.tool);
            let help = "add it to `write`, or expect it with `calls`";
            return Err(calls.error(problem).help(help).into());
        }
        Ok(Box::new(effects))
    }
}
