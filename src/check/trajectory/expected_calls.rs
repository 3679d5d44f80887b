//! The check of the calls that a list expects: `calls`, and `effects` over the tools that change the world.

use super::pairing::compare_calls;
use super::report::{ScriptFrame, build_outcome, build_refused_calls, list_specs};
use super::run_calls::{Reading, RunCalls};
use super::settings::Trajectory;
use super::spec::CallSpec;
use crate::check::Check;
use crate::check::support::call_status::WantedStatus;
use crate::check::support::messages::run_of;
use crate::evidence::{Evidence, Known};
use crate::outcome::{CannotDecide, Outcome};
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

impl ExpectedCalls {
    fn compare(&self, run: &RunCalls<'_>) -> Result<Outcome, CannotDecide> {
        let script = compare_calls(&self.expected, run)?;
        let frame = ScriptFrame::of_trajectory(&self.expected, &script);
        Ok(build_outcome(&frame, &script, run.calls.len()))
    }

    /// Explains the first call of which it is not known whether it happened, if the run violates the list once all such
    /// calls are decided against the agent.
    fn find_decisive_doubt(&self, run: RunCalls<'_>) -> Result<Option<CannotDecide>, CannotDecide> {
        let run = run.read_as(Reading::Strict);
        // Almost always everything is known, and one comparison is enough.
        if !self.is_in_doubt(&run)? {
            return Ok(None);
        }
        let outcome = self.compare(&run)?;
        let Some(violation) = outcome.violations.first() else { return Ok(None) };
        let is_named =
            |call: &Call| violation.call == Some(call.index) || violation.calls.contains(&call.index);
        let (named, others): (Vec<&Call>, Vec<&Call>) = run.calls.iter().partition(|call| is_named(call));
        for call in named.into_iter().chain(others) {
            if let Some(doubt) = self.find_doubt(&run, call)? {
                return Ok(Some(doubt));
            }
        }
        Ok(None)
    }

    fn is_in_doubt(&self, run: &RunCalls<'_>) -> Result<bool, CannotDecide> {
        for call in run.calls.iter() {
            if self.find_doubt(run, call)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Explains what is not known of a call: whether it happened, whether it ended as an entry for its tool wants, or whether
    /// its arguments come from where the entry says.
    fn find_doubt(&self, run: &RunCalls<'_>, call: &Call) -> Result<Option<CannotDecide>, CannotDecide> {
        let counts_all = self.expected.defaults.status == WantedStatus::Any;
        let is_extra = self.expected.mode.forbids_extras() && !counts_all;
        let specs = || list_specs(&self.expected).filter(|spec| spec.means_tool(call));
        if is_extra && run.knows_status(call, WantedStatus::Ok) == Known::Unknown
            || specs().any(|spec| run.knows_status(call, spec.status) == Known::Unknown)
        {
            return Ok(Some(run.explain_doubt(call)));
        }
        for spec in specs().filter(|spec| spec.has_relations()) {
            let fit = spec.compare_arguments(call, run)?;
            if fit.differences == 0 && fit.doubt.is_some() {
                return Ok(fit.doubt);
            }
        }
        Ok(None)
    }
}

impl Check for ExpectedCalls {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let run = RunCalls::new(evidence, &self.expected.defaults.ignored);
        let run = if self.counted.is_some() { run.filter(|call| self.counts(call)) } else { run };
        let outcome = self.compare(&run)?;
        // A run that differs even if all doubts are decided for the agent violates the list.
        if !outcome.violations.is_empty() {
            return Ok(outcome);
        }
        match self.find_decisive_doubt(run)? {
            Some(doubt) => Err(doubt),
            None => Ok(outcome),
        }
    }

    fn tools(&self) -> Vec<&ToolPattern> {
        let counted = self.counted.iter().flatten();
        counted.chain(list_specs(&self.expected).flat_map(CallSpec::list_tools)).collect()
    }

    fn is_settled(&self, outcome: &Outcome) -> bool {
        if outcome.violations.is_empty() {
            return !self.expected.mode.forbids_extras();
        }
        // A call is one too many only as long as no further result explains its arguments.
        let has_extra = outcome.stats.get("calls_not_expected").is_some_and(|extra| *extra > 0);
        has_extra && !list_specs(&self.expected).any(CallSpec::reads_results)
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let tool = self.counted.iter().flatten().find_map(|tool| tool.example(1));
        Some(run_of(build_refused_calls(&self.expected, tool)).into())
    }

    fn is_vacuous(&self) -> bool {
        self.counted.is_none() && self.expected.accepts_everything()
    }
}
