//! `tool_called`: this tool is called, and a call succeeds.
//!
//! <!-- settings -->
//!
//! A short form of [`call`](call.md). A call that failed is no call: this case fails.
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/tool_called/fail-it-failed.yaml")]
//! ```

use serde::Deserialize;

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
    CheckKind::built::<ToolCalledSettings>("tool_called", "a call of this tool succeeds").shorthand("tool");

/// Settings of `tool_called`.
#[derive(Deserialize, JsonSchema)]
struct ToolCalledSettings {
    /// The tool: a name, `server:tool`, or a glob.
    tool: ToolPattern,
    /// The arguments, by name.
    #[serde(default, deserialize_with = "even_null")]
    args: Option<Unparsed<WrittenArguments>>,
    /// How the arguments relate to the expected ones. Default: `superset`.
    args_mode: Option<ArgumentsMode>,
    /// Globs over the paths of arguments that are not compared.
    ignore: Option<IgnoredPaths>,
    /// How the call ends. Default: `ok`.
    status: Option<WantedStatus>,
}

impl BuildCheck for ToolCalledSettings {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let Self { tool, args, args_mode, ignore, status } = settings.into_value();
        let call = WrittenCall { tool, args, args_mode, status };
        Ok(Box::new(ExpectedCall::build(call, ignore, WantedStatus::default())?))
    }
}
