//! The check of the calls that a list expects: `calls`, and `effects` over the tools that change the world.

use super::pairing::compare_calls;
use super::report::{ScriptFrame, build_outcome, build_refused_calls, list_specs};
use super::run_calls::RunCalls;
use super::settings::Trajectory;
use crate::check::Check;
use crate::check::support::named_tools::run_of;
use crate::evidence::Evidence;
use crate::outcome::{Outcome, Unfit};
use crate::pattern::ToolPattern;
use crate::trace::Call;

/// The calls that a list expects.
pub(super) struct ExpectedCalls {
    pub(super) expected: Trajectory,
    /// The tools whose calls count; `None` if all calls count.
    pub(super) counted: Option<Vec<ToolPattern>>,
}

impl ExpectedCalls {
    pub(super) fn counts(&self, call: &Call) -> bool {
        self.counted.as_ref().is_none_or(|tools| tools.iter().any(|tool| tool.matches(call)))
    }
}

impl Check for ExpectedCalls {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let run = RunCalls::new(&evidence.trace, &self.expected.defaults.ignored);
        let run = if self.counted.is_some() { run.filter(|call| self.counts(call)) } else { run };
        let script = compare_calls(&self.expected, &run)?;
        let frame = ScriptFrame::of_trajectory(&self.expected, &script);
        Ok(build_outcome(&frame, &script, run.calls.len()))
    }

    fn tools(&self) -> Vec<&ToolPattern> {
        let counted = self.counted.iter().flatten();
        counted.chain(list_specs(&self.expected).map(|spec| &spec.tool)).collect()
    }

    fn is_settled(&self, outcome: &Outcome) -> bool {
        if outcome.violations.is_empty() {
            return !self.expected.mode.forbids_extras();
        }
        outcome.stats.get("calls_not_expected").is_some_and(|extra| *extra > 0)
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let tool = self.counted.iter().flatten().find_map(|tool| tool.example(1));
        Some(run_of(build_refused_calls(&self.expected, tool)).into())
    }

    fn is_vacuous(&self) -> bool {
        self.counted.is_none() && self.expected.accepts_everything()
    }
}
