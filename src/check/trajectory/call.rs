//! `call`: a call of this tool has these arguments, and succeeded.
//!
//! <!-- settings -->
//!
//! All written arguments must hold of one and the same call. An argument is a value or a
//! [matcher](../calls.md#matchers). This case fails: each of the two calls has one of the two arguments.
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/call/fail-arguments-of-two-calls.yaml")]
//! ```

use serde::Deserialize;

use super::entry::WrittenTimes;
use super::expected_call::ExpectedCall;
use super::spec::WrittenCall;
use crate::JsonSchema;
use crate::check::arguments::{ArgumentsMode, IgnoredPaths, WrittenArguments};
use crate::check::support::call_status::WantedStatus;
use crate::check::support::reading::Occurrence;
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::yaml::{Checked, Placed, Unparsed, even_null};

pub(crate) const KIND: CheckKind =
    CheckKind::built::<CallSettings>("call", "a call of this tool has these arguments and succeeds")
        .shorthand("tool");

/// Settings of `call`.
#[derive(Deserialize, JsonSchema)]
struct CallSettings {
    /// The tool: a name, `server:tool`, or a glob.
    tool: ToolPattern,
    /// The arguments, by name.
    #[serde(default, deserialize_with = "even_null")]
    args: Option<Unparsed<WrittenArguments>>,
    /// How the arguments relate to the expected ones. Default: `superset`.
    args_mode: Option<ArgumentsMode>,
    /// Globs over the paths of arguments that are not compared.
    ignore: Option<IgnoredPaths>,
    /// How the call ends.
    status: Option<WantedStatus>,
    /// Which of the tool's calls with this status must have the arguments. Default: `any`.
    occurrence: Option<Occurrence>,
    /// The number of calls with this status and these arguments.
    times: Option<Checked<WrittenTimes>>,
}

impl BuildCheck for CallSettings {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let Self { tool, args, args_mode, ignore, status, occurrence, times } = settings.into_value();
        let call = WrittenCall { tool, args, args_mode, status };
        let check = ExpectedCall::build(call, ignore, WantedStatus::default())?;
        let occurrence = occurrence.unwrap_or_default();
        let times = times.map(|times| times.0);
        Ok(Box::new(ExpectedCall { occurrence, times, ..check }))
    }
}
