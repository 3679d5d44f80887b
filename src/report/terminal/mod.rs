//! The diagnostics of red trials and of files with mistakes, in the form of rustc's.
//!
//! The order is: the violated claim, the place in the case, the calls around the violation, and advice.

mod draw;
mod notes;

use std::collections::BTreeSet;

use self::draw::{DiagnosticMark, DiagnosticTitle, draw_diagnostic};
use self::notes::{DiagnosticNotes, NumberedRun};
use super::plain::escape_line;
use super::quarantine::render_entry;
use super::score;
use crate::outcome::{LocatedViolation, Status};
use crate::place::{LoadError, Location};
use crate::verdict::rebase::prefix_file;
use crate::verdict::{Finding, TrialError, Verdict};

/// The largest number of findings that are drawn: a case may have thousands of runs.
const MAX_FINDINGS: usize = 20;
/// The largest number of violations that are drawn for one finding; the verdict log has all of them.
const MAX_VIOLATIONS: usize = 10;
/// The largest number of places that cost points.
const MAX_COSTLY_PLACES: usize = 5;

/// Renders a mistake in a file.
pub fn render_load_error(error: &LoadError) -> String {
    render_load_error_below(error, "")
}

/// Renders a mistake in a file, with `folder` before a relative path.
pub fn render_load_error_below(error: &LoadError, folder: &str) -> String {
    let mut notes = DiagnosticNotes::default();
    notes.push_help(error.help.as_deref());
    let mut at = error.place.locate();
    prefix_file(&mut at.file, folder);
    let mark = DiagnosticMark { at: &at, label: String::new() };
    draw_diagnostic(&DiagnosticTitle { id: None, problem: &error.problem }, &[mark], &notes)
}

/// Renders everything that is wrong with a trial. Empty if the trial passes.
pub fn render_red_trial(verdict: &Verdict) -> String {
    if verdict.passed {
        return String::new();
    }
    let mut blocks: Vec<String> =
        verdict.errors.iter().map(|error| render_trial_error(verdict, error)).collect();
    blocks.extend(verdict.snapshot_diff.iter().map(|diff| render_snapshot_change(verdict, diff)));
    // The difference of the snapshot contains the violations.
    if verdict.snapshot_diff.is_none() {
        blocks.extend(render_findings(verdict));
    }
    // With another expected verdict, the findings alone do not say what is wrong.
    if blocks.is_empty() || verdict.expected != Status::Pass {
        blocks.extend(render_unexpected_verdict(verdict));
    }
    blocks.join("\n")
}

/// Renders the first violated claim on one line: `sequence_valid: ... at file:line:column`.
pub fn render_headline(verdict: &Verdict) -> String {
    let (claim, at) = find_claim(verdict);
    escape_line(&format!("{claim} at {at}"))
}

/// Renders the headline of a verdict without its place.
pub fn render_claim(verdict: &Verdict) -> String {
    escape_line(&find_claim(verdict).0)
}

/// Finds what is most serious about a verdict, and its place.
fn find_claim(verdict: &Verdict) -> (String, &Location) {
    let violation =
        deciding_findings(verdict).find_map(|finding| Some((finding, finding.violations.first()?)));
    let unfit = verdict.findings.iter().find_map(|finding| Some((finding, finding.unfit.as_ref()?)));
    // From the most to the least serious: an error means that nothing was decided, and a changed snapshot replaces the
    // violations, which are in its difference.
    match (violation, unfit, verdict.errors.first()) {
        // The cause is on lines of its own.
        (_, _, Some(error)) => (error.message.replace('\n', "; "), &error.at),
        _ if verdict.snapshot_diff.is_some() => {
            ("the violations differ from the snapshot".to_owned(), &verdict.case)
        }
        (Some((finding, violation)), _, _) => {
            let message = score::render_message(finding, violation);
            (format!("{}: {message}", finding.check), &violation.at)
        }
        (_, Some((finding, unfit)), _) => (format!("{}: {unfit}", finding.check), &finding.at),
        _ => (format!("the verdict is {}, not {}", verdict.status, verdict.expected), &verdict.case),
    }
}

/// Returns what a trial that has no result has in common with others of the same cause: the messages of its errors, or of its
/// undecided checks, without names, paths and numbers. `None` for a trial with a violation, whose message is its own.
pub fn find_cause(verdict: &Verdict) -> Option<String> {
    let unfit = verdict.findings.iter().filter_map(|finding| Some((finding, finding.unfit.as_ref()?)));
    let causes: BTreeSet<String> = if verdict.errors.is_empty() {
        unfit.map(|(finding, unfit)| format!("{}: {}", finding.check, strip_particulars(unfit))).collect()
    } else {
        verdict.errors.iter().map(|error| strip_particulars(&error.message)).collect()
    };
    let is_violated = verdict.findings.iter().any(|finding| !finding.violations.is_empty());
    let is_plain = !is_violated && verdict.snapshot_diff.is_none() && verdict.expected == Status::Pass;
    (is_plain && !causes.is_empty()).then(|| Vec::from_iter(causes).join("\n"))
}

/// Replaces what differs between two messages of one cause: names in backticks, and words with a `/` or a digit.
fn strip_particulars(message: &str) -> String {
    let unquoted = message.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let words = unquoted.split_whitespace();
    let is_particular = |word: &str| word.contains(|c: char| c == '/' || c.is_ascii_digit());
    words.map(|word| if is_particular(word) { "_" } else { word }).collect::<Vec<_>>().join(" ")
}

/// Renders a quarantined trial on one line: its name, its entry and its first violated claim.
pub fn render_quarantined(verdict: &Verdict) -> String {
    let entry = render_entry(verdict).unwrap_or_default();
    format!("quarantined: {} {entry}; {}", verdict.name, render_headline(verdict))
}

/// Returns the place of the first violated claim, which IDEs link.
pub fn find_first_place(verdict: &Verdict) -> &Location {
    // An error comes before all violations, as nothing after it was judged.
    if let Some(error) = verdict.errors.first() {
        return &error.at;
    }
    if let Some(violation) = deciding_findings(verdict).flat_map(|finding| &finding.violations).next() {
        return &violation.at;
    }
    let unanswered = verdict.findings.iter().find(|finding| finding.unfit.is_some());
    unanswered.map_or(&verdict.case, |finding| &finding.at)
}

/// Returns the findings that can fail the trial by themselves: all but those that only cost points.
fn deciding_findings(verdict: &Verdict) -> impl Iterator<Item = &Finding> {
    verdict.findings.iter().filter(|finding| !score::costs_only_points(finding))
}

/// Renders an error of a trial: the first line of its message is the title, the others are causes.
fn render_trial_error(verdict: &Verdict, error: &TrialError) -> String {
    let (claim, causes) = error.message.split_once('\n').unwrap_or((&error.message, ""));
    let mut notes = DiagnosticNotes::default();
    if !causes.is_empty() {
        notes.push_note("cause", causes);
    }
    notes.push_rerun(verdict);
    let mark = DiagnosticMark { at: &error.at, label: verdict.name.clone() };
    draw_diagnostic(&DiagnosticTitle { id: Some("trial"), problem: claim }, &[mark], &notes)
}

fn render_snapshot_change(verdict: &Verdict, diff: &str) -> String {
    let mut notes = DiagnosticNotes::default();
    notes.push_note("snapshot", diff);
    notes.push_help(Some(if verdict.shares_snapshot {
        "the snapshot is that of `baseline`: run and accept it there, or give each variant its own with `snapshot: per_variant`"
    } else {
        "`cargo insta review` or `cargo arraign accept` accepts the change"
    }));
    notes.push_rerun(verdict);
    render_case_diagnostic(verdict, "snapshot", "the violations differ from the snapshot", &notes)
}

fn render_unexpected_verdict(verdict: &Verdict) -> Option<String> {
    let mut notes = DiagnosticNotes::default();
    notes.push_help(Some("change the case, or remove its `expect_verdict`"));
    notes.push_rerun(verdict);
    let problem = format!("the verdict is `{}`, but the case expects `{}`", verdict.status, verdict.expected);
    let expected_other = verdict.expected != Status::Pass && verdict.status != verdict.expected;
    expected_other.then(|| render_case_diagnostic(verdict, "expect_verdict", &problem, &notes))
}

/// Renders a diagnostic about the case as a whole.
fn render_case_diagnostic(verdict: &Verdict, id: &str, problem: &str, notes: &DiagnosticNotes) -> String {
    let mark = DiagnosticMark { at: &verdict.case, label: verdict.name.clone() };
    draw_diagnostic(&DiagnosticTitle { id: Some(id), problem }, &[mark], notes)
}

fn render_findings(verdict: &Verdict) -> Vec<String> {
    let failed: Vec<&Finding> = deciding_findings(verdict)
        .filter(|finding| !finding.violations.is_empty() || finding.unfit.is_some())
        .collect();
    let drawn = failed.iter().take(MAX_FINDINGS).flat_map(|finding| render_finding(verdict, finding));
    let mut blocks: Vec<String> = drawn.collect();
    // Each failed check is drawn in full, and a case may have hundreds of them.
    if let Some(more) = failed.len().checked_sub(MAX_FINDINGS).filter(|more| *more > 0) {
        blocks.push(format!("... and {more} more failed checks; the verdict log contains all of them\n"));
    }
    blocks
}

fn render_finding(verdict: &Verdict, finding: &Finding) -> Vec<String> {
    let run = verdict
        .runs
        .get(finding.run)
        .map(|run| NumberedRun { run, place: (finding.run + 1, verdict.runs.len()) });
    let run = run.as_ref();
    let drawn = finding
        .violations
        .iter()
        .take(MAX_VIOLATIONS)
        .map(|violation| render_violation(verdict, finding, violation, run));
    let mut blocks: Vec<String> = drawn.collect();
    if finding.violations.len() > MAX_VIOLATIONS {
        let more = finding.violations.len() - MAX_VIOLATIONS;
        blocks.push(format!(
            "... and {more} more violations of `{}`; the verdict log contains all of them\n",
            finding.check
        ));
    }
    blocks.extend(finding.unfit.as_ref().map(|unfit| render_unanswered(verdict, finding, unfit, run)));
    blocks
}

fn render_violation(
    verdict: &Verdict,
    finding: &Finding,
    violation: &LocatedViolation,
    run: Option<&NumberedRun<'_>>,
) -> String {
    let mut notes = DiagnosticNotes::default();
    if let (Some(expected), Some(actual)) = (&violation.expected, &violation.actual) {
        notes.push_note("expected", expected);
        notes.push_note("actual", actual);
    }
    notes.push_score(verdict, finding);
    match run {
        _ if finding.of_all_runs => notes.push_list("runs", score::render_items(finding)),
        Some(run) => notes.push_run(run, &list_concerned_calls(violation), finding.turn),
        None => {}
    }
    notes.push_help(violation.suggestion.as_deref());
    notes.push_rerun(verdict);
    let rule = violation.rule.map_or(String::new(), |rule| format!("rule {rule} of "));
    let message = score::render_message(finding, violation);
    let title = DiagnosticTitle { id: Some(&finding.check), problem: &message };
    let mut marks = vec![DiagnosticMark { at: &violation.at, label: format!("{rule}{}", verdict.name) }];
    let constraint = violation.constraint.clone().unwrap_or_default();
    marks.extend(violation.policy_at.as_ref().map(|at| DiagnosticMark { at, label: constraint }));
    // With several scorecards the loss cannot be attributed to one, and each card lists its own losses.
    if score::find_card(verdict, finding).is_some_and(|card| !score::is_one_of_several(verdict, card)) {
        let costly = score::list_costly_violations(verdict, finding.run).take(MAX_COSTLY_PLACES);
        marks.extend(
            costly
                .map(|(_, violation)| DiagnosticMark { at: &violation.at, label: violation.message.clone() }),
        );
    }
    // A setting from the suite's defaults is outside the case, so the case gets a mark of its own.
    marks
        .extend(violation.shared.then(|| DiagnosticMark { at: &verdict.case, label: "the case".to_owned() }));
    draw_diagnostic(&title, &marks, &notes)
}

fn render_unanswered(
    verdict: &Verdict,
    finding: &Finding,
    unfit: &str,
    run: Option<&NumberedRun<'_>>,
) -> String {
    let mut notes = DiagnosticNotes::default();
    // The first line is the sentence and the rest its cause, such as an error of a server.
    let (unfit, cause) = unfit.split_once('\n').unwrap_or((unfit, ""));
    if !cause.is_empty() {
        notes.push_note("cause", cause);
    }
    if let Some(run) = run {
        notes.push_run(run, &[], finding.turn);
    }
    let default_help = "record a run with this evidence, or set `expect_verdict: undecided`";
    let default_help = (finding.status == Status::Undecided).then_some(default_help);
    notes.push_help(finding.help.as_deref().or(default_help));
    notes.push_rerun(verdict);
    let undecided = if finding.status == Status::Undecided { "undecided: " } else { "" };
    let problem = format!("{undecided}{unfit}");
    let title = DiagnosticTitle { id: Some(&finding.check), problem: &problem };
    draw_diagnostic(&title, &[DiagnosticMark { at: &finding.at, label: verdict.name.clone() }], &notes)
}

fn list_concerned_calls(violation: &LocatedViolation) -> Vec<usize> {
    if violation.calls.is_empty() { violation.call.into_iter().collect() } else { violation.calls.clone() }
}
