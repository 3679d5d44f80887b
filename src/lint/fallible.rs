//! `cannot_decide`, `no_counterexample`, `foreign_pattern`: checks and settings that load although they decide
//! nothing, or that may mean something else than their writer expects.
//!
//! A file is rejected only if the whole case is proven to decide nothing. Everything else is reported here.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::LintRemark;
use crate::case::{Case, Expectation};
use crate::evidence::Evidence;
use crate::suite::RecordedEvidence;
use crate::trace::Trace;

/// Returns the remarks about a case and its recorded runs.
pub(super) fn find_remarks(case: &Case, recorded: &RecordedEvidence) -> Vec<LintRemark> {
    let idle = case.list_idle_settings().into_iter().map(|idle| LintRemark {
        lint: "cannot_decide",
        at: idle.at,
        message: format!("this {}", idle.why),
        help: "make it ask for more, or remove it",
    });
    let foreign = case.expectations.iter().flat_map(list_foreign);
    let unknown = case
        .expectations
        .iter()
        .filter(|expectation| !expectation.is_vacuous() && !can_be_seen_to_fail(case, expectation, recorded));
    // No proof either way: the remark asks a person to look, and says so.
    let unknown = unknown.map(|expectation| LintRemark {
        lint: "no_counterexample",
        at: expectation.place.locate(),
        message: format!(
            "no run was found that this `{}` rejects, and no proof that no such run exists",
            expectation.check
        ),
        help: "look at the setting, and try it on a run that should fail",
    });
    idle.chain(foreign).chain(unknown).collect()
}

fn list_foreign(expectation: &Expectation) -> Vec<LintRemark> {
    let notes = expectation.check().notes().into_iter();
    let remarks = notes.map(|note| LintRemark {
        lint: "foreign_pattern",
        at: expectation.locate(&note.at),
        message: note.text,
        help: "patterns are JavaScript regular expressions",
    });
    remarks.collect()
}

/// Whether the check rejects a recorded run, a changed copy of one, or its own counterexample. A check that panics counts as
/// one that can fail, because its trial reports the panic.
fn can_be_seen_to_fail(case: &Case, expectation: &Expectation, recorded: &RecordedEvidence) -> bool {
    let check = expectation.check();
    let rejects =
        |evidence: &Evidence<'_>| catch_unwind(AssertUnwindSafe(|| check.refuses(evidence))).unwrap_or(true);
    let runs = recorded.runs.iter().flat_map(|run| list_copies(&run.trace));
    // The runs are tried first, as they are at hand, and a counterexample must be built.
    runs.into_iter().any(|run| rejects(&Evidence::of(&run).judged(&case.opinions)))
        || catch_unwind(AssertUnwindSafe(|| check.counterexample()))
            .map_or(true, |example| example.is_some_and(|evidence| rejects(&evidence)))
}

/// The run itself, and copies with another answer: none, the halves, and the text twice.
fn list_copies(run: &Trace) -> Vec<Trace> {
    let Some(answer) = &run.answer else { return vec![run.clone()] };
    let half = answer.char_indices().nth(answer.chars().count() / 2).map_or(0, |(at, _)| at);
    let answers = [
        answer.clone(),
        String::new(),
        answer[..half].to_owned(),
        answer[half..].to_owned(),
        format!("{answer} {answer}"),
    ];
    answers.into_iter().map(|answer| Trace { answer: Some(answer), ..run.clone() }).collect()
}
