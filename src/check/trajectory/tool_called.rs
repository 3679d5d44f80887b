//! `tool_called`: this tool is called, and a call succeeds.
//!
//! <!-- settings -->
//!
//! A short form of [`call`](call.md). A call that failed is no call: this case fails.
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/tool_called/fail-it-failed.yaml")]
//! ```

use super::expected_call::read_call;
use super::forms::ToolCalledForm;
use super::spec::SpecDefaults;
use crate::check::{Check, Kind, Scope};
use crate::place::LoadErrors;
use crate::yaml::{Fields, Node};

pub(crate) const KIND: Kind =
    Kind::with::<ToolCalledForm>("tool_called", "this tool is called, and a call succeeds", read_check)
        .shorthand("tool");

fn read_check(node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    let mut fields = Fields::of(node, "the settings of `tool_called`")?;
    let check = read_call(&mut fields, &SpecDefaults::default());
    fields.finish_some(check.map(|check| Box::new(check) as Box<dyn Check>))
}
