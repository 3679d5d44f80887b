//! The result of one case in detail, passed cases included (`ARRAIGN_VERBOSE=1`): its scores, each check with its
//! figures, and the facts of each run.

use super::pinned::render_pinned;
use super::plain::{escape_line, truncate_text};
use super::quarantine::render_entry;
use super::score;
use super::summary::{group_thousands, render_dollars};
use crate::json::Json;
use crate::outcome::{Item, Score, State, Status};
use crate::score::statistics::{Estimate, Statistics};
use crate::score::{Card, written};
use crate::verdict::{Finding, RunSummary, Verdict};

/// The largest number of violations, items, or members of a value that are written for one finding.
const MAX_ENTRIES: usize = 6;
/// The largest length of one text, in characters.
const MAX_TEXT_CHARS: usize = 160;

/// Renders the block of one case.
pub fn render_case_block(verdict: &Verdict) -> String {
    let mut lines = vec![render_heading(verdict)];
    lines.extend(verdict.description.iter().map(|text| format!("  {}", truncate_line(text))));
    lines.extend(verdict.errors.iter().map(|error| format!("  error: {}", truncate_line(&error.message))));
    // A trial that broke before its run has no run, and its block is shown nevertheless.
    for run in 0..verdict.runs.len().max(1) {
        lines.extend(render_run(verdict, run));
    }
    lines.extend(render_all_runs(verdict));
    lines
        .extend(verdict.snapshot_diff.iter().map(|_| "  the violations differ from the snapshot".to_owned()));
    let entry = render_entry(verdict);
    lines.extend(entry.map(|entry| format!("  quarantined {}", escape_line(&entry))));
    lines.extend(render_pinned(verdict).map(|pinned| format!("  {pinned}, held by its snapshot")));
    lines.join("\n") + "\n"
}

fn render_heading(verdict: &Verdict) -> String {
    let passed = match verdict.passed {
        true => "PASSED",
        false if verdict.is_quarantined() => "QUARANTINED",
        false => "FAILED",
    };
    let remark = match (verdict.status, verdict.expected) {
        (Status::Pass, Status::Pass) if verdict.scorecards.iter().any(|card| !card.passed) => {
            " (its score is only reported)".to_owned()
        }
        (Status::Fail, Status::Pass) if verdict.pinned > 0 => {
            " (its snapshot holds the violations)".to_owned()
        }
        (Status::Pass | Status::Fail, Status::Pass) => String::new(),
        (status, Status::Pass) => format!(" ({status})"),
        (status, expected) => format!(" ({status}, expected {expected})"),
    };
    format!("{}: {passed}{remark}, {}", escape_line(&verdict.name), render_score(verdict))
}

fn render_score(verdict: &Verdict) -> String {
    match verdict.scorecards.as_slice() {
        [card] => match (card.score, &card.not_computed) {
            (Some(score), None) => format!("score {} of {}", written(score), card.full),
            _ => "score not computed".to_owned(),
        },
        _ => format!("score {}", render_percent(verdict.score)),
    }
}

fn render_percent(score: Score) -> String {
    format!("{:.0}%", score.get() * 100.0)
}

fn render_run(verdict: &Verdict, run: usize) -> Vec<String> {
    let findings: Vec<&Finding> =
        verdict.findings.iter().filter(|finding| finding.run == run && !finding.of_all_runs).collect();
    let mut lines = Vec::new();
    if let Some(summary) = verdict.runs.get(run) {
        lines.push(format!("  {}", render_run_facts(summary, run, verdict.runs.len())));
        lines.push(format!("  tools called: {}", render_tool_names(summary)));
        let files = summary.workspace.iter().flat_map(|workspace| workspace.render_lines(MAX_ENTRIES));
        lines.extend(files.enumerate().map(|(index, line)| {
            let indent = if index == 0 { "  workspace: " } else { "    " };
            format!("{indent}{}", truncate_line(&line))
        }));
    }
    lines.extend(
        findings.iter().filter(|finding| finding.is_broken_gate()).flat_map(|gate| render_gate_banner(gate)),
    );
    for card in verdict.scorecards.iter().filter(|card| card.run == run) {
        lines.extend(render_card(card));
    }
    // The check that compares a score with its threshold is left out: the card above says the same.
    let checks = findings.into_iter().filter(|finding| score::find_card(verdict, finding).is_none());
    lines.extend(render_findings(&checks.collect::<Vec<_>>()));
    lines
}

/// Renders the findings about all runs together.
fn render_all_runs(verdict: &Verdict) -> Vec<String> {
    let findings: Vec<&Finding> = verdict.findings.iter().filter(|finding| finding.of_all_runs).collect();
    let spread = verdict.statistics.as_ref().map_or_else(String::new, render_spread);
    let heading = (!findings.is_empty()).then(|| format!("  all runs{spread}"));
    heading.into_iter().chain(render_findings(&findings)).collect()
}

fn render_spread(statistics: &Statistics) -> String {
    let passed =
        format!(": {} of {} passed, {}", statistics.passed, statistics.runs, statistics.flakiness.label);
    let score = statistics.score.as_ref().map(|score| {
        let [mean, median, deviation] = [score.mean, score.median, score.std_dev].map(written);
        format!(", mean score {mean}, median {median}, standard deviation {deviation}")
    });
    format!("{passed}{}{}", score.unwrap_or_default(), render_attempts(statistics))
}

/// Renders the probabilities for several attempts, for the largest number of attempts that has an estimate.
fn render_attempts(statistics: &Statistics) -> String {
    let most = statistics.estimates.last().filter(|estimate| estimate.k > 1);
    most.map_or_else(String::new, |Estimate { k, pass_hat_k, pass_at_k, .. }| {
        format!(
            ", all of {k} runs pass in {:.1}% (pass^{k}), one of {k} in {:.1}% (pass@{k})",
            pass_hat_k * 100.0,
            pass_at_k * 100.0
        )
    })
}

fn render_findings(findings: &[&Finding]) -> Vec<String> {
    let width = findings.iter().map(|finding| finding.check.len()).max().unwrap_or(0);
    findings.iter().flat_map(|finding| render_finding(finding, width)).collect()
}

fn render_gate_banner(gate: &Finding) -> Vec<String> {
    vec![
        format!("  HARD GATE VIOLATED: {}", escape_line(&gate.check)),
        "  score not computed: a hard gate is violated".to_owned(),
    ]
}

fn render_card(card: &Card) -> Vec<String> {
    let passed = match (card.score, card.passed) {
        (None, _) => "not computed",
        (_, true) => "reached",
        (_, false) => "missed",
    };
    let heading = format!("  {}: {passed}", escape_line(&card.name));
    // A weighted check reports its own losses; a card without parts is the only place that has them.
    let lost = if card.parts.is_empty() { score::render_losses(card) } else { Vec::new() };
    let lost = lost.into_iter().map(|line| format!("lost {line}"));
    let lines = score::render_parts(card).into_iter().chain(lost);
    std::iter::once(heading).chain(lines.map(|line| format!("    {}", escape_line(&line)))).collect()
}

/// Renders a check: its status, its score, and its figures.
fn render_finding(finding: &Finding, width: usize) -> Vec<String> {
    let score = if finding.unfit.is_some() { String::new() } else { render_percent(finding.score) };
    let head = format!("  {:width$}  {:9} {score:>5}", escape_line(&finding.check), finding_word(finding));
    let mut figures: Vec<String> = finding.unfit.iter().map(|unfit| truncate_line(unfit)).collect();
    let values = finding.values.iter();
    figures.extend(values.map(|(name, value)| truncate_line(&format!("{name}: {}", render_value(value)))));
    let items: Vec<&Item> = finding.items.iter().filter(|item| adds_information(item, finding)).collect();
    figures.extend(items.iter().take(MAX_ENTRIES).map(|item| render_item(item)));
    // A list ends in a count, so that a reader sees that there is more.
    let violations = finding.violations.iter().take(MAX_ENTRIES);
    let lines = violations.flat_map(|violation| score::render_violation_lines(finding, violation));
    figures.extend(lines.map(|line| truncate_line(&line)));
    for (count, what) in [(items.len(), "items"), (finding.violations.len(), "violations")] {
        if count > MAX_ENTRIES {
            figures.push(format!("... and {} more {what}", count - MAX_ENTRIES));
        }
    }
    let figures = figures.into_iter().map(|figure| format!("      {figure}"));
    std::iter::once(head.trim_end().to_owned()).chain(figures).collect()
}

/// Whether an item adds something that the values and violations of its finding do not say already.
fn adds_information(item: &Item, finding: &Finding) -> bool {
    let has_new_note = item.note.as_ref().is_some_and(|note| {
        !finding.violations.iter().any(|violation| violation.message.contains(note.as_str()))
    });
    has_new_note || finding.of_all_runs || (finding.values.is_empty() && item.state == State::Held)
}

fn render_item(item: &Item) -> String {
    let state = match item.state {
        State::Held => "holds",
        State::Violated => "violated",
        State::NotExercised => "not exercised",
        State::Open => "open",
    };
    let note = item.note.as_deref().map_or_else(String::new, |note| format!(" ({note})"));
    truncate_line(&format!("{}: {state}{note}", item.label))
}

fn finding_word(finding: &Finding) -> &'static str {
    match finding.status {
        Status::Pass => "holds",
        Status::Fail => "violated",
        Status::Undecided => "undecided",
        Status::Error => "error",
    }
}

/// Renders a value for reading: `a, b` for a list, `none` for an empty one.
fn render_value(value: &Json) -> String {
    match value {
        Json::String(text) => text.to_string(),
        Json::Array(values) if values.is_empty() => "none".to_owned(),
        Json::Array(values) => {
            // A list of thousands would push everything else off the screen.
            let mut members: Vec<String> = values.iter().take(MAX_ENTRIES).map(render_value).collect();
            members.extend(
                (values.len() > MAX_ENTRIES).then(|| format!("... and {} more", values.len() - MAX_ENTRIES)),
            );
            members.join(", ")
        }
        Json::Number(number) if number.is_f64() && number.fits_64_bits() => {
            number.as_f64().map(|number| number.to_string()).unwrap_or_default()
        }
        value => value.to_string(),
    }
}

fn render_run_facts(run: &RunSummary, index: usize, count: usize) -> String {
    let which = if count > 1 { format!("run {} of {count}: ", index + 1) } else { "trace: ".to_owned() };
    let file = run.file.as_deref().unwrap_or("in the case");
    let mut facts = vec![format!("{file} ({})", run.format)];
    facts.extend(run.agent.clone());
    facts.extend(run.model.clone().filter(|model| run.agent.as_ref() != Some(model)));
    facts.extend(run.duration_ms.map(|ms| format!("{} ms", written(ms))));
    facts.extend(run.usage.map(|usage| {
        let input = group_thousands(usage.input_tokens);
        let output = group_thousands(usage.output_tokens);
        format!("{input} tokens in, {output} out")
    }));
    facts.extend(run.cost_usd.map(|usd| format!("${}", render_dollars(usd))));
    truncate_line(&format!("{which}{}", facts.join(", ")))
}

fn render_tool_names(run: &RunSummary) -> String {
    let names: Json = run.calls.iter().map(|call| call.name.as_str()).collect();
    truncate_line(&render_value(&names))
}

/// Escapes `text`, puts it on one line and cuts it to [`MAX_TEXT_CHARS`].
fn truncate_line(text: &str) -> String {
    truncate_text(&escape_line(text), MAX_TEXT_CHARS)
}
