//! The diagnostics of red trials and of files with mistakes, in the form of rustc's.
//!
//! The order is: the violated claim, the place in the case, the calls around the violation, and advice.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::plain::{escape_line, escape_text};
use super::score;
use crate::outcome::{LocatedViolation, Status};
use crate::place::{LoadError, Location};
use crate::score::Effect;
use crate::suite::LIVE;
use crate::verdict::{Finding, RunSummary, TrialError, Verdict};

/// The largest number of findings that are drawn: a case may have thousands of runs.
const MAX_FINDINGS: usize = 20;
/// The largest number of violations that are drawn for one finding; the verdict file has all of them.
const MAX_VIOLATIONS: usize = 10;
/// The largest number of places that cost points.
const MAX_COSTLY_PLACES: usize = 5;
/// The number of calls that are shown before and after a concerned call.
const CALLS_AROUND: usize = 3;
/// The largest length of a call's line, in characters.
const MAX_CALL_CHARS: usize = 100;

/// Renders a mistake in a file.
pub fn render_load_error(error: &LoadError) -> String {
    let mut notes = DiagnosticNotes::default();
    notes.push_help(error.help.as_deref());
    let mark = DiagnosticMark { at: &error.place.locate(), label: String::new() };
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
    if verdict.snapshot_diff.is_none() {
        blocks.extend(render_findings(verdict));
    }
    if blocks.is_empty() || verdict.expected != Status::Pass {
        blocks.extend(render_unexpected_verdict(verdict));
    }
    blocks.join("\n")
}

/// Renders the first violated claim on one line: `sequence_valid: ... at file:line:column`.
pub fn render_headline(verdict: &Verdict) -> String {
    let counted = || verdict.findings.iter().filter(|finding| !score::costs_only_points(finding));
    let breach = counted().find_map(|finding| Some((finding, finding.violations.first()?)));
    let unfit = verdict.findings.iter().find_map(|finding| Some((finding, finding.unfit.as_ref()?)));
    let claim = match (breach, unfit, verdict.errors.first()) {
        (_, _, Some(error)) => format!("{} at {}", error.message, error.at),
        _ if verdict.snapshot_diff.is_some() => {
            format!("the violations differ from the snapshot at {}", verdict.case)
        }
        (Some((finding, breach)), _, _) => format!("{}: {} at {}", finding.check, breach.message, breach.at),
        (_, Some((finding, unfit)), _) => format!("{}: {unfit} at {}", finding.check, finding.at),
        _ => format!("the verdict is {}, not {} at {}", verdict.status, verdict.expected, verdict.case),
    };
    escape_line(&claim)
}

/// Returns the place of the first violated claim, which IDEs link.
pub fn find_first_place(verdict: &Verdict) -> &Location {
    let error = verdict.errors.first().map(|error| &error.at);
    let counted = verdict.findings.iter().filter(|finding| !score::costs_only_points(finding));
    let broken = || Some(&counted.flat_map(|finding| &finding.violations).next()?.at);
    let unanswered = || Some(&verdict.findings.iter().find(|finding| finding.unfit.is_some())?.at);
    error.or_else(broken).or_else(unanswered).unwrap_or(&verdict.case)
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
    notes.push_help(Some("`cargo insta review` or `cargo arraign accept` accepts the change"));
    notes.push_rerun(verdict);
    render_case_diagnostic(verdict, "snapshot", "the violations differ from the snapshot", &notes)
}

fn render_unexpected_verdict(verdict: &Verdict) -> Option<String> {
    let mut notes = DiagnosticNotes::default();
    notes.push_help(Some("change the case, or drop its `expect_verdict`"));
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
    let counts = |finding: &&Finding| !score::costs_only_points(finding);
    let is_bad = |finding: &&Finding| !finding.violations.is_empty() || finding.unfit.is_some();
    let bad: Vec<&Finding> = verdict.findings.iter().filter(counts).filter(is_bad).collect();
    let drawn = bad.iter().take(MAX_FINDINGS).flat_map(|finding| render_finding(verdict, finding));
    let mut blocks: Vec<String> = drawn.collect();
    if let Some(more) = bad.len().checked_sub(MAX_FINDINGS).filter(|more| *more > 0) {
        blocks.push(format!("... and {more} more checks are broken; all are in the verdict file\n"));
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
        .map(|breach| render_violation(verdict, finding, breach, run));
    let mut blocks: Vec<String> = drawn.collect();
    if finding.violations.len() > MAX_VIOLATIONS {
        let more = finding.violations.len() - MAX_VIOLATIONS;
        blocks.push(format!(
            "... and {more} more violations of `{}`; all are in the verdict file\n",
            finding.check
        ));
    }
    blocks.extend(finding.unfit.as_ref().map(|unfit| render_unanswered(verdict, finding, unfit, run)));
    blocks
}

fn render_violation(
    verdict: &Verdict,
    finding: &Finding,
    breach: &LocatedViolation,
    run: Option<&NumberedRun<'_>>,
) -> String {
    let mut notes = DiagnosticNotes::default();
    if let (Some(expected), Some(actual)) = (&breach.expected, &breach.actual) {
        notes.push_note("expected", expected);
        notes.push_note("actual", actual);
    }
    notes.push_score(verdict, finding);
    match run {
        _ if finding.of_all_runs => notes.push_list("runs", score::render_items(finding)),
        Some(run) => notes.push_run(run, &list_concerned_calls(breach)),
        None => {}
    }
    notes.push_help(breach.suggestion.as_deref());
    notes.push_rerun(verdict);
    let rule = breach.rule.map_or(String::new(), |rule| format!("rule {rule} of "));
    let title = DiagnosticTitle { id: Some(&finding.check), problem: &breach.message };
    let mut marks = vec![DiagnosticMark { at: &breach.at, label: format!("{rule}{}", verdict.name) }];
    let constraint = breach.constraint.clone().unwrap_or_default();
    marks.extend(breach.policy_at.as_ref().map(|at| DiagnosticMark { at, label: constraint }));
    // With several scorecards the loss cannot be attributed to one, and each card lists its own losses.
    if score::find_card(verdict, finding).is_some_and(|card| !score::is_one_of_several(verdict, card)) {
        let costly = score::list_costly_violations(verdict, finding.run).take(MAX_COSTLY_PLACES);
        marks.extend(costly.map(|breach| DiagnosticMark { at: &breach.at, label: breach.message.clone() }));
    }
    // A setting from the suite's defaults is outside the case, so the case gets a mark of its own.
    marks.extend(breach.shared.then(|| DiagnosticMark { at: &verdict.case, label: "the case".to_owned() }));
    draw_diagnostic(&title, &marks, &notes)
}

fn render_unanswered(
    verdict: &Verdict,
    finding: &Finding,
    unfit: &str,
    run: Option<&NumberedRun<'_>>,
) -> String {
    let mut notes = DiagnosticNotes::default();
    let (unfit, cause) = unfit.split_once('\n').unwrap_or((unfit, ""));
    if !cause.is_empty() {
        notes.push_note("cause", cause);
    }
    if let Some(run) = run {
        notes.push_run(run, &[]);
    }
    let otherwise = "record a run that answers this, or say `expect_verdict: undecided`";
    let otherwise = (finding.status == Status::Undecided).then_some(otherwise);
    notes.push_help(finding.help.as_deref().or(otherwise));
    notes.push_rerun(verdict);
    let undecided = if finding.status == Status::Undecided { "undecided: " } else { "" };
    let problem = format!("{undecided}{unfit}");
    let title = DiagnosticTitle { id: Some(&finding.check), problem: &problem };
    draw_diagnostic(&title, &[DiagnosticMark { at: &finding.at, label: verdict.name.clone() }], &notes)
}

fn list_concerned_calls(breach: &LocatedViolation) -> Vec<usize> {
    if breach.calls.is_empty() { breach.call.into_iter().collect() } else { breach.calls.clone() }
}

/// A run with its number and the number of all runs.
struct NumberedRun<'r> {
    run: &'r RunSummary,
    place: (usize, usize),
}

/// The notes below a snippet: a name (`None` for a continuation line) and an escaped text.
#[derive(Default)]
struct DiagnosticNotes(Vec<(Option<String>, String)>);

impl DiagnosticNotes {
    fn push_note(&mut self, name: &str, text: &str) {
        self.0.push((Some(name.to_owned()), escape_text(text).into_owned()));
    }

    fn push_help(&mut self, text: Option<&str>) {
        if let Some(text) = text {
            self.push_note("help", text);
        }
    }

    /// Adds the points of each part for a threshold, or the statement that a hard gate leaves no score.
    fn push_score(&mut self, verdict: &Verdict, finding: &Finding) {
        if finding.effect == Effect::Gate {
            self.push_note("score", "0: a hard gate is violated, nothing else was computed");
        }
        let Some(card) = score::find_card(verdict, finding) else { return };
        let mut parts = score::render_parts(card);
        if let Some(sum) = parts.last_mut().filter(|_| score::is_one_of_several(verdict, card)) {
            *sum = format!("{}: {sum}", card.name);
        }
        self.push_list("score", parts);
        self.push_list("lost", score::render_losses(card));
    }

    /// Adds several lines under one name.
    fn push_list(&mut self, name: &str, lines: Vec<String>) {
        let name_width = name.len() + ": ".len();
        for (index, line) in lines.into_iter().enumerate() {
            let name = (index == 0).then(|| name.to_owned());
            // Continuation lines align with the text of the first line.
            let indent = if index == 0 { String::new() } else { " ".repeat(name_width) };
            self.0.push((name, format!("{indent}{}", escape_line(&line))));
        }
    }

    fn push_rerun(&mut self, verdict: &Verdict) {
        self.push_note("rerun", &verdict.rerun_command());
    }

    fn push_run(&mut self, shown: &NumberedRun<'_>, concerned: &[usize]) {
        let run = shown.run;
        let no_file = if run.format == LIVE { "from the agent" } else { "in the case" };
        let file = run.file.as_deref().unwrap_or(no_file);
        let count = match run.calls.len() {
            1 => "1 call".to_owned(),
            count => format!("{count} calls"),
        };
        let id = run.id.as_deref().map_or(String::new(), |id| format!(", run {id}"));
        let nth = match shown.place {
            (_, 1) => String::new(),
            (nth, all) => format!(", run {nth} of {all}"),
        };
        self.push_note("trace", &format!("{file} ({}, {count}{id}{nth})", run.format));
        let width = run.calls.iter().map(|call| call.name.chars().count()).max().unwrap_or(0).min(30);
        let mut skipped = 0;
        for call in &run.calls {
            if !is_near(call.index, concerned, run.calls.len()) {
                skipped += 1;
                continue;
            }
            self.push_gap(&mut skipped);
            let mark = if concerned.contains(&call.index) { '>' } else { ' ' };
            let text = format!("{mark} {:>2}  {:width$}  {}", call.index, call.name, call.arguments);
            self.0.push((None, truncate_call(&escape_line(&text))));
        }
        self.push_gap(&mut skipped);
        if let Some(answer) = &run.answer {
            let text = format!("  {:>2}  {:width$}  {answer:?}", run.calls.len() + 1, "reply");
            self.0.push((None, truncate_call(&escape_line(&text))));
        }
    }

    fn push_gap(&mut self, skipped: &mut usize) {
        if *skipped > 0 {
            self.0.push((None, format!("  ..  ({skipped} more)")));
            *skipped = 0;
        }
    }
}

/// Whether a call is shown: all calls of a short run, else those around the concerned calls.
fn is_near(index: usize, concerned: &[usize], count: usize) -> bool {
    count <= 2 * CALLS_AROUND + 2
        || concerned.iter().take(CALLS_AROUND).any(|call| call.abs_diff(index) <= CALLS_AROUND)
        || (concerned.is_empty() && index <= CALLS_AROUND)
}

fn truncate_call(line: &str) -> String {
    match line.char_indices().nth(MAX_CALL_CHARS) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

/// The first line of a diagnostic.
struct DiagnosticTitle<'t> {
    id: Option<&'t str>,
    problem: &'t str,
}

/// A place and the label under its caret.
struct DiagnosticMark<'m> {
    at: &'m Location,
    label: String,
}

/// Renders one diagnostic: its title, the places (the first is the one that IDEs link), and notes. Text from a trace is
/// escaped before, or here.
fn draw_diagnostic(
    title: &DiagnosticTitle<'_>,
    marks: &[DiagnosticMark<'_>],
    notes: &DiagnosticNotes,
) -> String {
    let mut heading = Level::ERROR.primary_title(escape_line(title.problem));
    if let Some(id) = title.id {
        heading = heading.id(id.to_owned());
    }
    let group = marks.iter().enumerate().fold(Group::with_title(heading), add_mark);
    let group = notes.0.iter().fold(group, |group, (name, text)| {
        let level = match name.as_deref() {
            Some("help") => Level::HELP,
            Some(name) => Level::NOTE.with_name(name.to_owned()),
            None => Level::NOTE.no_name(),
        };
        group.element(level.message(text.clone()))
    });
    let mut drawn = Renderer::plain().decor_style(DecorStyle::Ascii).render(&[group]);
    drawn.push('\n');
    drawn
}

fn add_mark<'g>(group: Group<'g>, (index, mark): (usize, &DiagnosticMark<'_>)) -> Group<'g> {
    let at = mark.at;
    let path = escape_line(&at.file);
    if at.text.is_empty() {
        return group.element(Origin::path(path).line(at.line).char_column(at.column));
    }
    let byte = |column: usize| escape_text(&at.text[..byte_of_column(&at.text, column)]).len();
    let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
    let mut annotation = kind.span(byte(at.column)..byte(at.end_column));
    if !mark.label.is_empty() {
        annotation = annotation.label(escape_line(&mark.label));
    }
    let text = escape_text(&at.text).into_owned();
    group.element(Snippet::source(text).line_start(at.line).path(path).annotation(annotation))
}

/// Returns the byte offset of the character at `column`, counted from 1.
fn byte_of_column(text: &str, column: usize) -> usize {
    text.char_indices().nth(column.saturating_sub(1)).map_or(text.len(), |(at, _)| at)
}
