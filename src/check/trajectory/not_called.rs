//! `not_called`: this tool is not called, or not with these arguments.
//!
//! <!-- settings -->
//!
//! An attempt counts, also one that failed: `status: ok` forbids only calls that succeeded. A call of
//! [nearly this name](../traces.md#near-names), such as `shop.refund` for `refund`, leaves the check undecided. With a
//! [pass rate](../expected.md#several-runs), the check need not hold in every run. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/not_called/fail-an-attempt.yaml")]
//! ```

use serde::Deserialize;

use super::entry::Times;
use super::expected_call::ExpectedCall;
use super::spec::WrittenCall;
use crate::JsonSchema;
use crate::check::arguments::{ArgumentsMode, IgnoredPaths, WrittenArguments};
use crate::check::support::call_status::WantedStatus;
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::yaml::{Placed, Unparsed, even_null};

pub(crate) const KIND: CheckKind =
    CheckKind::built::<NotCalledSettings>("not_called", "this tool is not called").shorthand("tool");

/// Settings of `not_called`.
#[derive(Deserialize, JsonSchema)]
struct NotCalledSettings {
    /// The tool: a name, `server:tool`, or a glob.
    tool: ToolPattern,
    /// The forbidden arguments, by name. Default: any.
    #[serde(default, deserialize_with = "even_null")]
    args: Option<Unparsed<WrittenArguments>>,
    /// How the arguments relate to the expected ones. Default: `superset`.
    args_mode: Option<ArgumentsMode>,
    /// Globs over the paths of arguments that are not compared.
    ignore: Option<IgnoredPaths>,
    /// The forbidden calls: `any` (an attempt counts), `ok`, `error`. Default: `any`.
    status: Option<WantedStatus>,
}

impl BuildCheck for NotCalledSettings {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let Self { tool, args, args_mode, ignore, status } = settings.into_value();
        let call = WrittenCall { tool, args, args_mode, status };
        let check = ExpectedCall::build(call, ignore, WantedStatus::Any)?;
        let times = Some(Times { at_least: 0, at_most: Some(0) });
        Ok(Box::new(ExpectedCall { times, ..check }))
    }
}
