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

use super::entry::Times;
use super::expected_call::{ExpectedCall, read_call};
use super::forms::CallForm;
use super::spec::SpecDefaults;
use crate::check::support::occurrence::Occurrence;
use crate::check::{Check, Kind, Scope};
use crate::place::LoadErrors;
use crate::yaml::{Fields, Node};

pub(crate) const KIND: Kind =
    Kind::with::<CallForm>("call", "a call of this tool has these arguments, and succeeded", read_check)
        .shorthand("tool");

fn read_check(node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    let mut fields = Fields::of(node, "the settings of `call`")?;
    let check = read_call(&mut fields, &SpecDefaults::default());
    let occurrence = fields.node("occurrence").map(Occurrence::read);
    let occurrence = occurrence.map_or(Some(Occurrence::Any), |read| fields.take(read));
    let times = fields.node("times").map(Times::read).and_then(|times| fields.take(times));
    let check = check.zip(occurrence).map(|(check, occurrence)| ExpectedCall { occurrence, times, ..check });
    fields.finish_some(check.map(|check| Box::new(check) as Box<dyn Check>))
}
