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

use super::entry::Times;
use super::expected_call::{ExpectedCall, read_call};
use super::forms::NotCalledForm;
use super::run_calls::WantedStatus;
use super::spec::SpecDefaults;
use crate::check::{Check, Kind, Scope};
use crate::place::LoadErrors;
use crate::yaml::{Fields, Node};

pub(crate) const KIND: Kind =
    Kind::with::<NotCalledForm>("not_called", "this tool is not called", read_check).shorthand("tool");

fn read_check(node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    let mut fields = Fields::of(node, "the settings of `not_called`")?;
    let usual = SpecDefaults { status: WantedStatus::Any, ..SpecDefaults::default() };
    let times = Some(Times { at_least: 0, at_most: Some(0) });
    let check = read_call(&mut fields, &usual).map(|check| ExpectedCall { times, ..check });
    fields.finish_some(check.map(|check| Box::new(check) as Box<dyn Check>))
}
