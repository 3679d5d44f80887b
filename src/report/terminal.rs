//! What a person reads when a trial is red, and when a file is wrong: a rustc-like diagnostic.
//!
//! First the claim that broke, then the place to click, then the calls around it, then what to do.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::plain::{one_line, plain};
use super::score;
use crate::outcome::{LocatedViolation, Status};
use crate::place::{LoadError, Location};
use crate::score::Effect;
use crate::suite::LIVE;
use crate::verdict::{Finding, RunSummary, TrialError, Verdict};

/// How many findings are drawn: a case may have thousands of runs.
const FINDINGS: usize = 20;
/// How many violations of one finding are drawn; the rest are counted. All of them are in the verdict file.
const DRAWN: usize = 10;
/// How many of the places that cost points are drawn.
const COSTLY: usize = 5;
/// How many calls around the one concerned are shown.
const AROUND: usize = 3;
/// How many columns a call's line may have.
const CALL_WIDTH: usize = 100;

/// A mistake in a file, drawn.
pub fn load_error(error: &LoadError) -> String {
    let mut notes = Notes::default();
    notes.help(error.help.as_deref());
    let mark = Mark { at: &error.place.locate(), label: String::new() };
    draw(&Title { id: None, problem: &error.problem }, &[mark], &notes)
}

/// Everything that is wrong with a trial, drawn. Empty for a trial that passes.
pub fn red_trial(verdict: &Verdict) -> String {
    if verdict.passed {
        return String::new();
    }
    let mut blocks: Vec<String> = verdict.errors.iter().map(|error| trial_error(verdict, error)).collect();
    blocks.extend(verdict.snapshot_diff.iter().map(|diff| snapshot_changed(verdict, diff)));
    if verdict.snapshot_diff.is_none() {
        blocks.extend(of_findings(verdict));
    }
    if blocks.is_empty() || verdict.expected != Status::Pass {
        blocks.extend(unexpected(verdict));
    }
    blocks.join("\n")
}

/// The first claim that broke, on one line: `sequence_valid: ... at file:line:column`.
pub fn headline(verdict: &Verdict) -> String {
    let counted = || verdict.findings.iter().filter(|finding| !score::only_points(finding));
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
    one_line(&claim)
}

/// Where the first claim that broke stands: what an IDE links.
pub fn first_place(verdict: &Verdict) -> &Location {
    let error = verdict.errors.first().map(|error| &error.at);
    let counted = verdict.findings.iter().filter(|finding| !score::only_points(finding));
    let broken = || Some(&counted.flat_map(|finding| &finding.violations).next()?.at);
    let unanswered = || Some(&verdict.findings.iter().find(|finding| finding.unfit.is_some())?.at);
    error.or_else(broken).or_else(unanswered).unwrap_or(&verdict.case)
}

/// The first line of an error is its claim; the others say more.
fn trial_error(verdict: &Verdict, error: &TrialError) -> String {
    let (claim, causes) = error.message.split_once('\n').unwrap_or((&error.message, ""));
    let mut notes = Notes::default();
    if !causes.is_empty() {
        notes.line("cause", causes);
    }
    notes.rerun(verdict);
    let mark = Mark { at: &error.at, label: verdict.name.clone() };
    draw(&Title { id: Some("trial"), problem: claim }, &[mark], &notes)
}

fn snapshot_changed(verdict: &Verdict, diff: &str) -> String {
    let mut notes = Notes::default();
    notes.line("snapshot", diff);
    notes.help(Some("`cargo insta test --review --test evals` shows the change and takes it"));
    notes.rerun(verdict);
    of_case(verdict, "snapshot", "the violations differ from the snapshot", &notes)
}

fn unexpected(verdict: &Verdict) -> Option<String> {
    let mut notes = Notes::default();
    notes.help(Some("change the case, or drop its `expect_verdict`"));
    notes.rerun(verdict);
    let problem = format!("the verdict is `{}`, but the case expects `{}`", verdict.status, verdict.expected);
    let expected_other = verdict.expected != Status::Pass && verdict.status != verdict.expected;
    expected_other.then(|| of_case(verdict, "expect_verdict", &problem, &notes))
}

/// A diagnostic about the case as a whole.
fn of_case(verdict: &Verdict, id: &str, problem: &str, notes: &Notes) -> String {
    let mark = Mark { at: &verdict.case, label: verdict.name.clone() };
    draw(&Title { id: Some(id), problem }, &[mark], notes)
}

fn of_findings(verdict: &Verdict) -> Vec<String> {
    let counts = |finding: &&Finding| !score::only_points(finding);
    let is_bad = |finding: &&Finding| !finding.violations.is_empty() || finding.unfit.is_some();
    let bad: Vec<&Finding> = verdict.findings.iter().filter(counts).filter(is_bad).collect();
    let drawn = bad.iter().take(FINDINGS).flat_map(|finding| of_finding(verdict, finding));
    let mut blocks: Vec<String> = drawn.collect();
    if let Some(more) = bad.len().checked_sub(FINDINGS).filter(|more| *more > 0) {
        blocks.push(format!("... and {more} more checks are broken; all are in the verdict file\n"));
    }
    blocks
}

fn of_finding(verdict: &Verdict, finding: &Finding) -> Vec<String> {
    let run =
        verdict.runs.get(finding.run).map(|run| Shown { run, place: (finding.run + 1, verdict.runs.len()) });
    let run = run.as_ref();
    let drawn = finding.violations.iter().take(DRAWN).map(|breach| violation(verdict, finding, breach, run));
    let mut blocks: Vec<String> = drawn.collect();
    if finding.violations.len() > DRAWN {
        let more = finding.violations.len() - DRAWN;
        blocks.push(format!(
            "... and {more} more violations of `{}`; all are in the verdict file\n",
            finding.check
        ));
    }
    blocks.extend(finding.unfit.as_ref().map(|unfit| unanswered(verdict, finding, unfit, run)));
    blocks
}

fn violation(
    verdict: &Verdict,
    finding: &Finding,
    breach: &LocatedViolation,
    run: Option<&Shown<'_>>,
) -> String {
    let mut notes = Notes::default();
    if let (Some(expected), Some(actual)) = (&breach.expected, &breach.actual) {
        notes.line("expected", expected);
        notes.line("actual", actual);
    }
    notes.score(verdict, finding);
    match run {
        _ if finding.of_all_runs => notes.list("runs", score::items(finding)),
        Some(run) => notes.run(run, &concerned(breach)),
        None => {}
    }
    notes.help(breach.suggestion.as_deref());
    notes.rerun(verdict);
    let rule = breach.rule.map_or(String::new(), |rule| format!("rule {rule} of "));
    let title = Title { id: Some(&finding.check), problem: &breach.message };
    let mut marks = vec![Mark { at: &breach.at, label: format!("{rule}{}", verdict.name) }];
    let constraint = breach.constraint.clone().unwrap_or_default();
    marks.extend(breach.policy_at.as_ref().map(|at| Mark { at, label: constraint }));
    // Of several cards nobody can tell whose points a broken check cost; each names its losses.
    if score::card_of(verdict, finding).is_some_and(|card| !score::is_one_of_several(verdict, card)) {
        let costly = score::costly(verdict, finding.run).take(COSTLY);
        marks.extend(costly.map(|breach| Mark { at: &breach.at, label: breach.message.clone() }));
    }
    // A setting from the suite's defaults: the case itself would not be seen.
    marks.extend(breach.shared.then(|| Mark { at: &verdict.case, label: "the case".to_owned() }));
    draw(&title, &marks, &notes)
}

fn unanswered(verdict: &Verdict, finding: &Finding, unfit: &str, run: Option<&Shown<'_>>) -> String {
    let mut notes = Notes::default();
    let (unfit, cause) = unfit.split_once('\n').unwrap_or((unfit, ""));
    if !cause.is_empty() {
        notes.line("cause", cause);
    }
    if let Some(run) = run {
        notes.run(run, &[]);
    }
    let otherwise = "record a run that answers this, or say `expect_verdict: undecided`";
    let otherwise = (finding.status == Status::Undecided).then_some(otherwise);
    notes.help(finding.help.as_deref().or(otherwise));
    notes.rerun(verdict);
    let undecided = if finding.status == Status::Undecided { "undecided: " } else { "" };
    let problem = format!("{undecided}{unfit}");
    let title = Title { id: Some(&finding.check), problem: &problem };
    draw(&title, &[Mark { at: &finding.at, label: verdict.name.clone() }], &notes)
}

fn concerned(breach: &LocatedViolation) -> Vec<usize> {
    if breach.calls.is_empty() { breach.call.into_iter().collect() } else { breach.calls.clone() }
}

/// A run, and which of how many it is.
struct Shown<'r> {
    run: &'r RunSummary,
    place: (usize, usize),
}

/// The notes below a snippet: a name (none for a continuation) and a text that has been made harmless.
#[derive(Default)]
struct Notes(Vec<(Option<String>, String)>);

impl Notes {
    fn line(&mut self, name: &str, text: &str) {
        self.0.push((Some(name.to_owned()), plain(text).into_owned()));
    }

    fn help(&mut self, text: Option<&str>) {
        if let Some(text) = text {
            self.line("help", text);
        }
    }

    /// Where the points went, for a threshold; that there are none, for a hard gate.
    fn score(&mut self, verdict: &Verdict, finding: &Finding) {
        if finding.effect == Effect::Gate {
            self.line("score", "0: a hard gate is violated, nothing else was computed");
        }
        let Some(card) = score::card_of(verdict, finding) else { return };
        let mut parts = score::parts(card);
        if let Some(sum) = parts.last_mut().filter(|_| score::is_one_of_several(verdict, card)) {
            *sum = format!("{}: {sum}", card.name);
        }
        self.list("score", parts);
        self.list("lost", score::losses(card));
    }

    /// Several lines under one name.
    fn list(&mut self, name: &str, lines: Vec<String>) {
        let name_width = name.len() + ": ".len();
        for (index, line) in lines.into_iter().enumerate() {
            let name = (index == 0).then(|| name.to_owned());
            // Continued lines stand below the text of the first.
            let indent = if index == 0 { String::new() } else { " ".repeat(name_width) };
            self.0.push((name, format!("{indent}{}", one_line(&line))));
        }
    }

    fn rerun(&mut self, verdict: &Verdict) {
        self.line("rerun", &verdict.rerun_command());
    }

    fn run(&mut self, shown: &Shown<'_>, concerned: &[usize]) {
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
        self.line("trace", &format!("{file} ({}, {count}{id}{nth})", run.format));
        let width = run.calls.iter().map(|call| call.name.chars().count()).max().unwrap_or(0).min(30);
        let mut skipped = 0;
        for call in &run.calls {
            if !is_near(call.index, concerned, run.calls.len()) {
                skipped += 1;
                continue;
            }
            self.gap(&mut skipped);
            let mark = if concerned.contains(&call.index) { '>' } else { ' ' };
            let text = format!("{mark} {:>2}  {:width$}  {}", call.index, call.name, call.arguments);
            self.0.push((None, shorten(&one_line(&text))));
        }
        self.gap(&mut skipped);
        if let Some(answer) = &run.answer {
            let text = format!("  {:>2}  {:width$}  {answer:?}", run.calls.len() + 1, "reply");
            self.0.push((None, shorten(&one_line(&text))));
        }
    }

    fn gap(&mut self, skipped: &mut usize) {
        if *skipped > 0 {
            self.0.push((None, format!("  ..  ({skipped} more)")));
            *skipped = 0;
        }
    }
}

/// Whether a call is shown: all of them when they are few, else those around the ones concerned.
fn is_near(index: usize, concerned: &[usize], count: usize) -> bool {
    count <= 2 * AROUND + 2
        || concerned.iter().take(AROUND).any(|call| call.abs_diff(index) <= AROUND)
        || (concerned.is_empty() && index <= AROUND)
}

fn shorten(line: &str) -> String {
    match line.char_indices().nth(CALL_WIDTH) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

/// What a diagnostic says first.
struct Title<'t> {
    id: Option<&'t str>,
    problem: &'t str,
}

/// A place and the words under its caret.
struct Mark<'m> {
    at: &'m Location,
    label: String,
}

/// One diagnostic: its title, the places concerned, the first of them being the one to click, and notes.
/// Everything that comes from a trace is harmless text by now or becomes so here.
fn draw(title: &Title<'_>, marks: &[Mark<'_>], notes: &Notes) -> String {
    let mut heading = Level::ERROR.primary_title(one_line(title.problem));
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

fn add_mark<'g>(group: Group<'g>, (index, mark): (usize, &Mark<'_>)) -> Group<'g> {
    let at = mark.at;
    let path = one_line(&at.file);
    if at.text.is_empty() {
        return group.element(Origin::path(path).line(at.line).char_column(at.column));
    }
    let byte = |column: usize| plain(&at.text[..bytes(&at.text, column)]).len();
    let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
    let mut annotation = kind.span(byte(at.column)..byte(at.end_column));
    if !mark.label.is_empty() {
        annotation = annotation.label(one_line(&mark.label));
    }
    let text = plain(&at.text).into_owned();
    group.element(Snippet::source(text).line_start(at.line).path(path).annotation(annotation))
}

/// The byte at which the character of `column` (from 1) begins.
fn bytes(text: &str, column: usize) -> usize {
    text.char_indices().nth(column.saturating_sub(1)).map_or(text.len(), |(at, _)| at)
}
