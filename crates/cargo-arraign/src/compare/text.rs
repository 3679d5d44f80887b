//! The comparison for the terminal, regressions first and the sentence last.

use std::fmt::Write as _;

use arraign::__internals::report::comparison::{
    CaseFlip, ComparisonReport, SideComparison, TrialChange, TrialComparison,
};
use arraign::__internals::report::plain::{count_noun, escape_line};
use arraign::__internals::score::paired::{ComparisonPlan, PlannedRuns};

/// The largest number of trials that are listed for each change.
const MAX_TRIALS: usize = 50;

/// The changes on the same evidence in order of importance, each with its heading.
const SECTIONS: &[(TrialChange, &str)] = &[
    (TrialChange::Regressed, "regressed: passed before on the same evidence, but not now"),
    (TrialChange::Improved, "improved: pass now on the same evidence, but not before"),
    (TrialChange::Changed, "changed: pass or fail as before, with another score or kind of failure"),
];

/// Renders the comparisons for the terminal.
pub(super) fn render_text(report: &ComparisonReport) -> String {
    let mut text = String::new();
    for comparison in &report.comparisons {
        text += &render_comparison(comparison);
    }
    text += &render_table(&report.render_rows());
    for sentence in report.render_sentences() {
        let _ = write!(text, "\n{}", escape_line(&sentence));
    }
    text + "\n"
}

fn render_comparison(comparison: &SideComparison) -> String {
    let [before, after] = [&comparison.before, &comparison.after].map(|name| escape_line(name));
    let mut text = format!("{after} compared with {before}: {}\n", comparison.render_headline());
    let SideComparison { cases, pairs, fixed_pairs, missing, .. } = comparison;
    let _ = writeln!(
        text,
        "  {} in both: {fixed_pairs} on the same evidence, {} of other runs, {} missing",
        count_noun(*cases, "case"),
        count_noun(*pairs, "pair"),
        missing.len()
    );
    for (change, heading) in SECTIONS {
        text += &render_section(heading, comparison.trials_with(*change).map(render_trial));
    }
    let flaky = "flaky: attempts or runs of one trial ended differently";
    text += &render_section(flaky, comparison.flaky_trials().map(render_flaky));
    text += &render_section(
        "lost: lower now, in other runs of the agent",
        comparison.lost.iter().map(render_flip),
    );
    text += &render_section(
        "won: higher now, in other runs of the agent",
        comparison.won.iter().map(render_flip),
    );
    let missing = "missing: without a result on one side";
    text += &render_section(missing, comparison.missing.iter().map(|name| render_name(name)));
    let only = format!("only in {before}");
    text += &render_section(&only, comparison.only_before.iter().map(|name| render_name(name)));
    let only = format!("only in {after}");
    text + &render_section(&only, comparison.only_after.iter().map(|name| render_name(name))) + "\n"
}

fn render_section(heading: &str, lines: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{heading}\n");
    for line in lines.iter().take(MAX_TRIALS) {
        text += line;
        text.push('\n');
    }
    // A run of thousands of trials must not flood the terminal.
    if lines.len() > MAX_TRIALS {
        let _ =
            writeln!(text, "  ... and {} more; the JSON form lists all of them", lines.len() - MAX_TRIALS);
    }
    text
}

fn render_trial(trial: &TrialComparison) -> String {
    let claim = trial.after.as_ref().and_then(|after| after.claim.as_deref());
    render_line(&trial.name, &trial.render_transition(), claim)
}

fn render_flip(flip: &CaseFlip) -> String {
    render_line(&flip.name, &flip.transition, flip.claim.as_deref())
}

fn render_line(name: &str, transition: &str, claim: Option<&str>) -> String {
    let line = format!("  {}  {transition}", escape_line(name));
    claim.map_or(line.clone(), |claim| format!("{line}\n      {}", escape_line(claim)))
}

fn render_flaky(trial: &TrialComparison) -> String {
    let [before, after] = [&trial.before, &trial.after].map(|end| end.as_ref().is_some_and(|end| end.flaky));
    let which = match (before, after) {
        (true, true) => "in both runs",
        (true, false) => "in the earlier run",
        _ => "in the later run",
    };
    format!("  {}  {which}", escape_line(&trial.name))
}

fn render_name(name: &str) -> String {
    format!("  {}", escape_line(name))
}

/// Renders rows with their columns below each other: names to the left, figures to the right.
fn render_table(rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| escape_line(cell)).collect()).collect();
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        text += cells.collect::<Vec<String>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// Renders a plan: one row for each number of runs. Markdown shows it as it is, because it is a table there, too.
pub(super) fn render_plan(plan: &ComparisonPlan) -> String {
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let points = format!("{} points", plan.margin * 100.0);
    let mut text = format!(
        "The number of cases of which {} of the comparisons get a word, with `--margin {}`, if {} of the runs pass:\n\n\
         | runs a side | `no worse`, if nothing changed | `worse`, if the drop is {points} |\n|---:|---:|---:|\n",
        percent(plan.power),
        plan.margin,
        percent(plan.passed)
    );
    for PlannedRuns { runs, no_worse, worse, .. } in &plan.plans {
        let [no_worse, worse] = [no_worse, worse]
            .map(|cases| cases.map_or_else(|| "more than 20,000".to_owned(), |cases| cases.to_string()));
        let _ = writeln!(text, "| {runs} | {no_worse} | {worse} |");
    }
    text
}

#[cfg(test)]
mod tests {
    use arraign::__internals::report::comparison::{ComparedRun, ComparisonSettings, TrialStates};
    use arraign::{Harness, Trace, Verdict};

    use super::*;

    /// The verdicts of trials by name, each on a trace of its own or, `fixed`, on the same one.
    fn judge(trials: &[(&str, bool)], is_fixed: bool, run: &str) -> TrialStates {
        let suite = Harness::new("evals")
            .parse("[{id: good, expect: [contains: ships]}, {id: bad, expect: [not_contains: ships]}]")
            .expect("cases");
        let verdict = |(name, passes): &(&str, bool)| -> Verdict {
            let answer = if is_fixed { "it ships".to_owned() } else { format!("it ships, says {run}") };
            let trace = Trace { answer: Some(answer), ..Trace::default() };
            let mut verdict = arraign::evaluate(&suite.cases[usize::from(!passes)], &trace);
            (*name).clone_into(&mut verdict.name);
            verdict
        };
        trials.iter().map(verdict).collect::<Vec<_>>().iter().collect()
    }

    fn render(before: &[(&str, bool)], after: &[(&str, bool)], is_fixed: bool) -> String {
        let before = judge(before, is_fixed, "1");
        let after = judge(after, is_fixed, "2");
        let [before, after] = [("1-1", &before), ("2-2", &after)].map(|(name, trials)| ComparedRun {
            name,
            trials,
            is_incomplete: false,
        });
        let report = ComparisonReport::compare_runs(before, &[after], &ComparisonSettings::default());
        render_text(&report.expect("runs"))
    }

    const BEFORE: [(&str, bool); 6] = [
        ("a::falls", true),
        ("a::goes", true),
        ("a::rises", false),
        ("a::stays", true),
        ("a::wavers", false),
        ("a::wavers", true),
    ];
    const AFTER: [(&str, bool); 5] = [
        ("a::comes", false),
        ("a::falls", false),
        ("a::rises", true),
        ("a::stays", true),
        ("a::wavers", true),
    ];

    #[test]
    fn each_kind_of_change_on_the_same_evidence_has_its_section() {
        let text = render(&BEFORE, &AFTER, true);
        let claim = "      not_contains: the answer contains \"ships\", at line 1, column 4 at evals/inline.yaml:1:74\n";
        let wanted = format!(
            "2-2 compared with 1-1: 1 regressed, 1 improved, 1 flaky, 1 only before, 1 only after\n  \
             4 cases in both: 4 on the same evidence, 0 pairs of other runs, 0 missing\n\n\
             regressed: passed before on the same evidence, but not now\n  \
             a::falls  pass -> fail, score 100% -> 0%\n{claim}\n\
             improved: pass now on the same evidence, but not before\n  \
             a::rises  fail -> pass, score 0% -> 100%\n\n\
             flaky: attempts or runs of one trial ended differently\n  a::wavers  in the earlier run\n\n\
             only in 1-1\n  a::goes\n\nonly in 2-2\n  a::comes\n\n"
        );
        assert!(text.starts_with(&wanted), "{text}");
        assert!(
            text.ends_with("2-2 and 1-1 judged the same evidence in all of 4 cases: 1 regressed\n"),
            "{text}"
        );
    }

    #[test]
    fn other_runs_of_the_agent_are_samples() {
        let text = render(&BEFORE, &AFTER, false);
        assert!(
            text.starts_with("2-2 compared with 1-1: 1 lost, 1 won, 1 only before, 1 only after\n"),
            "{text}"
        );
        assert!(
            text.contains("lost: lower now, in other runs of the agent\n  a::falls  pass -> fail\n"),
            "{text}"
        );
        assert!(text.contains(": 2 of 4 pairs differ, and fewer than 6 can be chance"), "{text}");
    }

    #[test]
    fn names_and_claims_mean_nothing_in_a_terminal() {
        let hostile = "</code>\u{1b}[31m|`@all`\n::error::x";
        for is_fixed in [true, false] {
            let text = render(&[(hostile, true)], &[(hostile, false)], is_fixed);
            assert!(!text.contains('\u{1b}') && !text.lines().any(|line| line.starts_with("::")), "{text}");
        }
    }

    #[test]
    fn a_thousand_regressions_fit_on_a_terminal() {
        let names: Vec<String> = (0..1000).map(|number| format!("suite::case_{number}")).collect();
        let [before, after] =
            [true, false].map(|passes| names.iter().map(|name| (name.as_str(), passes)).collect::<Vec<_>>());
        assert!(render(&before, &after, true).contains("... and 950 more"));
    }
}
