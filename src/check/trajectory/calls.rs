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

use super::bfcl::read_bfcl;
use super::expected_calls::ExpectedCalls;
use super::forms::CallsForm;
use super::settings::Trajectory;
use crate::check::{Check, Kind, Scope};
use crate::place::LoadErrors;
use crate::yaml::{Fields, Node};

pub(crate) const KIND: Kind =
    Kind::with::<CallsForm>("calls", "the run makes the expected calls with these arguments", read_check)
        .shorthand("list");

fn read_check(node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    if node.get("match").is_some() {
        return read_bfcl(node);
    }
    let mut fields = Fields::of(node, "the settings of `calls`")?;
    if let Some(functions) = fields.node("functions") {
        fields.errors.push(functions.error("`functions` has a meaning only with `match: bfcl`"));
    }
    let mode = fields.optional("mode").unwrap_or_default();
    let expected = Trajectory::read(&mut fields, mode, "list", node);
    let check = expected.map(|expected| ExpectedCalls { expected, counted: None });
    fields.finish_some(check.map(|check| Box::new(check) as Box<dyn Check>))
}
