//! The profile `trace`: what the calls show, and whether the final answer says just that.

mod claims;
mod evidence;
mod gates;
mod tests;
mod tests_claimed;
mod tools;

use self::claims::Claims;
use super::answer::Answer;
use super::answer::citation::citations;
use super::answer::tests_said::TestsSaid;
use super::breakdown::{Breakdown, Lost};
use super::journal::Journal;
use super::path::is_code;
use super::settings::Settings;
use crate::trace::{Call, Trace};

/// A run and its answer, read.
struct Run<'r> {
    trace: &'r Trace,
    journal: Journal,
    answer: Answer<'r>,
    said: TestsSaid,
    settings: &'r Settings,
}

/// Scores what the calls of `trace` show and what `answer` says of them. `asked` is what the user asked.
pub(super) fn judge(
    trace: &Trace,
    asked: Option<&str>,
    answer: Answer<'_>,
    settings: &Settings,
) -> Breakdown {
    let journal = Journal::of(trace, asked, &settings.tables);
    let said = TestsSaid::of(&answer);
    let run = Run { trace, journal, answer, said, settings };
    let claims = Claims::of(&run);
    let misreports = claims.misreport_tests;
    let mut found = Breakdown::default();
    found.tools = tools::judge(&run, &mut found);
    found.evidence = evidence::judge(&run, claims, &mut found);
    found.tests = tests::judge(&run, misreports, &mut found);
    found.gates = gates::judge(&run, &mut found);
    found
}

impl Run<'_> {
    /// The call at `index`, from 0, as a loss names it.
    fn named(&self, index: usize) -> Option<(usize, String, Option<String>)> {
        let call: &Call = self.trace.calls.get(index)?;
        Some((call.index, call.name.clone(), call.id.clone()))
    }
}

/// Whether nothing was done that is looked at here, and nothing is said of such work: an answer that rests on the tools
/// of a server has no line, no code and no test run to show.
fn is_elsewhere(run: &Run<'_>) -> bool {
    let Run { journal, answer, said, .. } = run;
    let worked = journal.looks || journal.touches_files || !journal.deployments.is_empty();
    let names_code = |prose: &str| prose.split_whitespace().any(|word| is_code(word.trim_end_matches('.')));
    let speaks_of_work =
        !answer.parts.code.is_empty() || names_code(&answer.parts.prose) || tools::statements_of(run) > 0;
    !worked && !speaks_of_work && said.is_silent() && citations(answer).is_empty()
}

/// A loss without a call.
fn lost(points: f64, why: impl Into<String>, help: &'static str) -> Lost {
    Lost { points, why: why.into(), help, ..Lost::default() }
}
