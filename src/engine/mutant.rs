//! Evaluates a case on one run without guards: whether a check is violated, and nothing else.
//!
//! The input of the run is not compared, and the opinions of a judge are those on the unchanged run. Checks that run a program
//! are left out unless something starts their programs.

use super::aggregate::aggregate_runs;
use super::baseline::BaselineComparison;
use super::run::{OpinionSource, ProgramStarter, evaluate_run};
use super::run_result::weight_on_case;
use crate::case::Case;
use crate::check::InputMatch;
use crate::evidence::{Evidence, Opinions};
use crate::judge::JudgeSession;
use crate::outcome::Status;
use crate::suite::{NoBaseline, RecordedRun};
use crate::verdict::Finding;

/// The result of a case on a changed run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MutantVerdict {
    /// The run passes.
    Passed,
    /// These checks are violated.
    Violated(Vec<String>),
    /// No check is violated, and the run does not pass for this reason.
    Open(String),
}

/// Evaluates a case on changed copies of one run.
pub(crate) struct MutantEvaluator<'c> {
    case: &'c Case,
    baseline: Option<&'c Result<RecordedRun, NoBaseline>>,
    opinions: Option<Opinions>,
    programs: Option<ProgramStarter<'c>>,
}

impl<'c> MutantEvaluator<'c> {
    /// Collects the opinions on the unchanged run.
    pub(crate) fn new(
        case: &'c Case,
        run: &RecordedRun,
        baseline: Option<&'c Result<RecordedRun, NoBaseline>>,
        session: Option<&JudgeSession<'_>>,
    ) -> Self {
        let evidence = Evidence::of(&run.trace).asked(case.prompt()).judged(&case.opinions);
        let opinions = OpinionSource::Session(session, None).collect_opinions(case, &evidence);
        Self { case, baseline, opinions, programs: None }
    }

    /// Lets `programs` start the programs of checks, on each run anew.
    pub(crate) fn run_programs(self, programs: Option<ProgramStarter<'c>>) -> Self {
        Self { programs, ..self }
    }

    /// Evaluates the case on `run` alone.
    pub(crate) fn evaluate(&self, run: &RecordedRun) -> MutantVerdict {
        // The opinions are those on the unchanged run: no judge is asked about a mutant.
        let opinions = OpinionSource::Fixed(self.opinions.as_ref(), self.programs);
        let mut compared = BaselineComparison::new(self.case, self.baseline, InputMatch::Off);
        let trace = self.case.settle_run(&run.trace, run.format).into_owned();
        let settled = RecordedRun { trace, ..run.clone() };
        let result = evaluate_run(self.case, &settled, 0, opinions);
        compared.compare_run(self.case, run, 0, &result, opinions);
        let mut results = [result];
        let aggregate = aggregate_runs(self.case, &mut results);
        let [result] = results;
        let mut findings = result.findings;
        findings.extend(aggregate.findings);
        findings.extend(compared.findings);
        if let Some(error) = compared.error {
            return MutantVerdict::Open(error.message);
        }
        summarize_findings(&findings)
    }
}

fn summarize_findings(findings: &[Finding]) -> MutantVerdict {
    let mut violated: Vec<String> = Vec::new();
    // A check that only informs, or costs points, does not kill a mutant: its weight decides, as in a trial.
    for finding in findings.iter().filter(|finding| weight_on_case(finding) == Status::Fail) {
        if !violated.contains(&finding.check) {
            violated.push(finding.check.clone());
        }
    }
    if !violated.is_empty() {
        return MutantVerdict::Violated(violated);
    }
    // Nothing is violated, so anything but a pass is an open question.
    match findings.iter().find(|finding| weight_on_case(finding) != Status::Pass) {
        Some(open) => {
            let why = open.unfit.as_deref().unwrap_or("no answer");
            MutantVerdict::Open(format!("`{}` is undecided: {why}", open.check))
        }
        None => MutantVerdict::Passed,
    }
}
