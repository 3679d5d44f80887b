//! The notes on standard error at the end of a run.

use std::path::Path;

use crate::harness::run::tally::UnexercisedRules;
use crate::harness::stderr::note;
use crate::judge::JudgeUsage;
use crate::report::plain::{count_noun, escape_line, escape_text};
use crate::suite::ReportFormat;
use crate::verdict::quoted;

/// Prints notes on unknown variables and on the number of cases left out.
pub(crate) fn note_skipped(unknown_variables: &[String], skipped: usize) {
    for variable in unknown_variables {
        note(variable);
    }
    if skipped > 0 {
        note(&format!("skipped by tier or tags: {}", count_noun(skipped, "case")));
    }
}

/// Prints a note on requested reports that this process cannot render.
pub(crate) fn note_not_rendered(reason: &str, formats: impl Iterator<Item = ReportFormat>, store: &Path) {
    let names: Vec<&str> = formats.map(ReportFormat::name).collect();
    if !names.is_empty() {
        let list = names.join(", ");
        let formats = names.join(",");
        let command = report_command(store);
        note(&format!(
            "reports not rendered {reason}: {list}; `{command} --format {formats}` renders them from the verdicts there"
        ));
    }
}

/// Prints a note on trials without a verdict log, which no report contains.
pub(crate) fn note_missing_verdicts(count: usize) {
    if count > 0 {
        note(&format!("{} without a verdict: the reports do not contain them", count_noun(count, "case")));
    }
}

/// Prints a note on the summary under nextest, where each process would overwrite the file with its own trial.
pub(crate) fn note_summary_under_nextest(path: &Path, store: &Path) {
    let shown = path.display();
    let argument = quoted(&path.to_string_lossy());
    note(&format!(
        "{shown} is not written (ARRAIGN_OUTPUT_JSON): under nextest each trial is a separate process; `{} --summary \
         {argument}` writes it",
        report_command(store)
    ));
}

/// Returns the command that renders the reports of the run in the folder `store`.
fn report_command(store: &Path) -> String {
    format!("cargo arraign report --run {}", quoted(&store.to_string_lossy()))
}

/// Prints a note on each file that belongs to no case any more, with what to do.
pub(crate) fn note_leftovers(what: &str, names: &[String], advice: &str) {
    for name in names {
        note(&format!("the {what} `{}` {advice}", escape_line(name)));
    }
}

/// Prints the summary of the undecided trials, if there are any.
pub(crate) fn note_undecided(summary: &str) {
    if !summary.is_empty() {
        note(&escape_text(summary));
    }
}

/// Prints a line for each trial of a list, and the number of those that are left out.
pub(crate) fn note_lines(lines: &[String], trials: &str) {
    const MAX_LINES: usize = 20;
    for line in lines.iter().take(MAX_LINES) {
        note(&escape_line(line));
    }
    if lines.len() > MAX_LINES {
        note(&format!("... and {} more {trials}", lines.len() - MAX_LINES));
    }
}

/// Prints a note on trials that pass whatever their verifier says, if there are any.
pub(crate) fn note_unread_rewards(trials: usize) {
    if trials > 0 {
        let verb = if trials == 1 { "has" } else { "have" };
        note(&format!(
            "{} that passed {verb} a reward that no check reads: `reward: {{at_least: 1}}` reads it",
            count_noun(trials, "case")
        ));
    }
}

/// Prints a note on rules that nothing in the runs concerned, if there are any.
pub(crate) fn note_unexercised(UnexercisedRules { rules, trials }: UnexercisedRules) {
    if rules > 0 {
        let (noun, verb) = if rules == 1 { ("rule", "was") } else { ("rules", "were") };
        let cases = count_noun(trials, "case");
        note(&format!(
            "{rules} {noun} of `sequence_valid` {verb} not exercised, in {cases} that passed; `cargo arraign lint` lists those \
             that no case exercises"
        ));
    }
}

/// Prints a note on the requests, tokens and costs of the judge.
pub(crate) fn note_judge_costs(spent: JudgeUsage) {
    if spent.requests > 0 {
        note(&format!("the judge was asked: {spent}"));
    }
}
