//! The checks of the test target. It knows those of this repository's cases, too.

#[path = "../../harness/checks.rs"]
mod own;

use std::time::Duration;

use arraign::__internals::check::Check;
use arraign::__internals::evidence::Evidence;
use arraign::__internals::outcome::{CannotDecide, Outcome, Status, Violation};
use arraign::Harness;
use arraign::trace::{Arguments, Call, Trace};
use serde::Deserialize;

/// The tool of every counterexample.
const REFUSED: &str = "refused";

/// Adds all of them.
pub(crate) fn add_checks(harness: Harness) -> Harness {
    let harness = harness.check::<own::NoRefundsOnSunday>("no_sunday_refunds");
    let harness = harness.check::<Says>("says").check::<Sleeps>("sleeps").check::<Panics>("panics");
    harness.check::<Prints>("prints")
}

/// Ends as it is told.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Says {
    /// The status of the trial.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    status: Status,
}

impl Check for Says {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        match self.status {
            _ if is_counterexample(evidence) => Ok(refused()),
            Status::Pass => Ok(Outcome::from(None)),
            Status::Fail => Ok(Some(Violation::new("told to fail")).into()),
            Status::Undecided => Err(CannotDecide::missing("told to be silent")),
            Status::Error => Err(CannotDecide::budget_exceeded("told to give up")),
        }
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(counterexample())
    }
}

/// Takes its time.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Sleeps {
    ms: u64,
}

impl Check for Sleeps {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        if is_counterexample(evidence) {
            return Ok(refused());
        }
        std::thread::sleep(Duration::from_millis(self.ms));
        Ok(Outcome::from(None))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(counterexample())
    }
}

/// Prints a line.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Prints {
    line: String,
}

impl Check for Prints {
    #[expect(clippy::print_stdout, reason = "the claims are about what a check prints")]
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        if is_counterexample(evidence) {
            return Ok(refused());
        }
        println!("{}", self.line);
        Ok(Outcome::from(None))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(counterexample())
    }
}

/// Has a mistake in it.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Panics {
    message: String,
}

impl Check for Panics {
    fn check(&self, _evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        panic!("{}", self.message)
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(counterexample())
    }
}

fn counterexample() -> Evidence<'static> {
    let mut trace = Trace::default();
    trace.push_call(Call::new(REFUSED, Arguments::none(), 1));
    trace.into()
}

fn is_counterexample(evidence: &Evidence<'_>) -> bool {
    evidence.trace.tool_names() == [REFUSED]
}

fn refused() -> Outcome {
    Some(Violation::new("this is refused")).into()
}
