//! The comparison for the terminal, regressions first.

use std::fmt::Write as _;

use arraign::__internals::report::Totals;
use arraign::__internals::report::comparison::{RunComparison, TrialChange, TrialComparison};
use arraign::__internals::report::plain::escape_line;

/// The largest number of trials that are listed for each change.
const MAX_TRIALS: usize = 50;

/// The changes in order of importance, each with its heading.
const SECTIONS: &[(TrialChange, &str)] = &[
    (TrialChange::Regressed, "regressed: passed before, but not now"),
    (TrialChange::Improved, "improved: pass now, but not before"),
    (TrialChange::New, "new: only in the later run"),
    (TrialChange::NotRun, "not run: only in the earlier run"),
    (TrialChange::Changed, "changed: pass or fail as before, with another score or kind of failure"),
];

/// Renders the comparison for the terminal.
pub(super) fn render_text(comparison: &RunComparison) -> String {
    let mut text = format!("{}\n", comparison.render_headline());
    let _ = write!(
        text,
        "  before: {}\n  after:  {}\n",
        render_totals(comparison.before),
        render_totals(comparison.after)
    );
    for (change, heading) in SECTIONS {
        text +=
            &render_section(heading, &comparison.trials_with(*change).collect::<Vec<_>>(), render_trial_line);
    }
    let heading = "flaky: attempts or runs of one trial ended differently";
    text + &render_section(heading, &comparison.flaky_trials().collect::<Vec<_>>(), render_flaky_line)
}

fn render_totals(totals: Totals) -> String {
    let Totals { cases, passed, failed, undecided, errors, .. } = totals;
    format!("{passed} of {cases} passed, {failed} failed, {undecided} undecided, {errors} errors")
}

fn render_section(
    heading: &str,
    trials: &[&TrialComparison],
    line: fn(&TrialComparison) -> String,
) -> String {
    if trials.is_empty() {
        return String::new();
    }
    let mut lines = vec![format!("\n{heading}")];
    lines.extend(trials.iter().take(MAX_TRIALS).map(|trial| line(trial)));
    // A run of thousands of trials must not flood the terminal.
    if trials.len() > MAX_TRIALS {
        lines.push(format!("  ... and {} more; the JSON form lists all of them", trials.len() - MAX_TRIALS));
    }
    lines.join("\n") + "\n"
}

fn render_trial_line(trial: &TrialComparison) -> String {
    let line = format!("  {}  {}", escape_line(&trial.name), trial.render_transition());
    let claim = trial.after.as_ref().and_then(|after| after.claim.as_ref());
    claim.map_or(line.clone(), |claim| format!("{line}\n      {}", escape_line(claim)))
}

fn render_flaky_line(trial: &TrialComparison) -> String {
    let [before, after] = [&trial.before, &trial.after].map(|end| end.as_ref().is_some_and(|end| end.flaky));
    let which = match (before, after) {
        (true, true) => "in both runs",
        (true, false) => "in the earlier run",
        _ => "in the later run",
    };
    format!("  {}  {which}", escape_line(&trial.name))
}

#[cfg(test)]
mod tests {
    use arraign::{Harness, Trace, Verdict};

    use super::*;

    const GOOD: Option<&str> = Some("it ships today");
    const BAD: Option<&str> = Some("no idea");

    /// The verdicts of trials by name, each with the answer of its agent.
    fn judge_answers(answers: &[(&str, Option<&str>)]) -> Vec<Verdict> {
        let suite = Harness::new("evals").parse("{id: any, expect: [contains: ships]}").expect("a case");
        let verdict = |(name, answer): &(&str, Option<&str>)| {
            let trace = Trace { answer: answer.map(str::to_owned), ..Trace::default() };
            let mut verdict = arraign::evaluate(&suite.cases[0], &trace);
            (*name).clone_into(&mut verdict.name);
            verdict
        };
        answers.iter().map(verdict).collect()
    }

    fn render(before: &[(&str, Option<&str>)], after: &[(&str, Option<&str>)]) -> String {
        let [before, after] = [before, after].map(judge_answers);
        render_text(&RunComparison::from_trials(&before.iter().collect(), &after.iter().collect()))
    }

    #[test]
    fn each_kind_of_change_has_its_section() {
        let before = [
            ("a::falls", GOOD),
            ("a::goes", GOOD),
            ("a::hides", BAD),
            ("a::rises", BAD),
            ("a::stays", GOOD),
            ("a::wavers", BAD),
            ("a::wavers", GOOD),
        ];
        let after = [
            ("a::comes", BAD),
            ("a::falls", BAD),
            ("a::hides", None),
            ("a::rises", GOOD),
            ("a::stays", GOOD),
            ("a::wavers", GOOD),
        ];
        let claim = "      contains: the answer does not contain \"ships\" at evals/inline.yaml:1:30\n";
        let wanted = format!(
            "1 regressed, 1 improved, 1 new, 1 not run, 1 changed, 1 flaky\n  \
             before: 4 of 6 passed, 2 failed, 0 undecided, 0 errors\n  \
             after:  3 of 6 passed, 2 failed, 1 undecided, 0 errors\n\n\
             regressed: passed before, but not now\n  a::falls  pass -> fail, score 100% -> 0%\n{claim}\n\
             improved: pass now, but not before\n  a::rises  fail -> pass, score 0% -> 100%\n\n\
             new: only in the later run\n  a::comes  fail, score 0%\n{claim}\n\
             not run: only in the earlier run\n  a::goes  pass, score 100%\n\n\
             changed: pass or fail as before, with another score or kind of failure\n  \
             a::hides  fail -> undecided, score 0%\n      \
             contains: the run has no answer at evals/inline.yaml:1:20\n\n\
             flaky: attempts or runs of one trial ended differently\n  a::wavers  in the earlier run\n"
        );
        assert_eq!(render(&before, &after), wanted);
    }

    #[test]
    fn names_and_claims_mean_nothing_in_a_terminal() {
        let hostile = "</code>\u{1b}[31m|`@all`\n::error::x";
        let text = render(&[(hostile, GOOD)], &[(hostile, BAD)]);
        assert!(!text.contains('\u{1b}') && !text.lines().any(|line| line.starts_with("::")), "{text}");
    }

    #[test]
    fn a_thousand_regressions_fit_on_a_terminal() {
        let names: Vec<String> = (0..1000).map(|number| format!("suite::case_{number}")).collect();
        let [before, after] =
            [GOOD, BAD].map(|answer| names.iter().map(|name| (name.as_str(), answer)).collect::<Vec<_>>());
        assert!(render(&before, &after).contains("... and 950 more"));
    }
}
