//! What became of one case, for people who want to see the passed ones, too (`ARRAIGN_VERBOSE=1`): its scores, each
//! check with its numbers, and what the run took.

use serde_json::Value;

use super::plain::one_line;
use super::score;
use super::summary::{dollars, grouped};
use crate::outcome::{Item, Score, State, Status};
use crate::score::statistics::Statistics;
use crate::score::{Card, Effect, written};
use crate::verdict::{Finding, RunSummary, Verdict};

/// How many of a finding's violations, items, or members of a value are written out.
const SHOWN: usize = 6;
/// How many characters one text may have.
const LONGEST: usize = 160;

/// The block of one case.
pub fn block(verdict: &Verdict) -> String {
    let mut lines = vec![heading(verdict)];
    lines.extend(verdict.description.iter().map(|text| format!("  {}", short(text))));
    lines.extend(verdict.errors.iter().map(|error| format!("  error: {}", short(&error.message))));
    for run in 0..verdict.runs.len().max(1) {
        lines.extend(of_run(verdict, run));
    }
    lines.extend(of_all_runs(verdict));
    lines
        .extend(verdict.snapshot_diff.iter().map(|_| "  the violations differ from the snapshot".to_owned()));
    lines.join("\n") + "\n"
}

fn heading(verdict: &Verdict) -> String {
    let passed = if verdict.passed { "PASSED" } else { "FAILED" };
    let remark = match (verdict.status, verdict.expected) {
        (Status::Pass, Status::Pass) if verdict.scorecards.iter().any(|card| !card.passed) => {
            " (its score is only reported)".to_owned()
        }
        (Status::Pass | Status::Fail, Status::Pass) => String::new(),
        (status, Status::Pass) => format!(" ({status})"),
        (status, expected) => format!(" ({status}, expected {expected})"),
    };
    format!("{}: {passed}{remark}, {}", one_line(&verdict.name), score_of(verdict))
}

fn score_of(verdict: &Verdict) -> String {
    match verdict.scorecards.as_slice() {
        [card] => match (card.score, &card.not_computed) {
            (Some(score), None) => format!("score {} of {}", written(score), card.full),
            _ => "score not computed".to_owned(),
        },
        _ => format!("score {}", percent(verdict.score)),
    }
}

fn percent(score: Score) -> String {
    format!("{:.0}%", score.get() * 100.0)
}

fn of_run(verdict: &Verdict, run: usize) -> Vec<String> {
    let of_run = |finding: &&Finding| finding.run == run && !finding.of_all_runs;
    let findings: Vec<&Finding> = verdict.findings.iter().filter(of_run).collect();
    let mut lines = Vec::new();
    if let Some(summary) = verdict.runs.get(run) {
        lines.push(format!("  {}", of_trace(summary, run, verdict.runs.len())));
        lines.push(format!("  tools called: {}", tools(summary)));
    }
    lines.extend(findings.iter().filter(|finding| is_broken_gate(finding)).flat_map(|gate| banner(gate)));
    for card in verdict.scorecards.iter().filter(|card| card.run == run) {
        lines.extend(of_card(card));
    }
    let checks = findings.into_iter().filter(|finding| score::card_of(verdict, finding).is_none());
    lines.extend(of_findings(&checks.collect::<Vec<_>>()));
    lines
}

/// What the runs come to together.
fn of_all_runs(verdict: &Verdict) -> Vec<String> {
    let findings: Vec<&Finding> = verdict.findings.iter().filter(|finding| finding.of_all_runs).collect();
    let told = verdict.statistics.as_ref().map_or_else(String::new, spread);
    let heading = (!findings.is_empty()).then(|| format!("  all runs{told}"));
    heading.into_iter().chain(of_findings(&findings)).collect()
}

fn spread(statistics: &Statistics) -> String {
    let passed =
        format!(": {} of {} passed, {}", statistics.passed, statistics.runs, statistics.flakiness.label);
    let score = statistics.score.as_ref().map(|score| {
        let (mean, median, deviation) = (score.mean, score.median, score.std_dev);
        format!(
            ", score {} on the mean, {} in the middle, deviation {}",
            written(mean),
            written(median),
            written(deviation)
        )
    });
    format!("{passed}{}", score.unwrap_or_default())
}

fn of_findings(findings: &[&Finding]) -> Vec<String> {
    let width = findings.iter().map(|finding| finding.check.len()).max().unwrap_or(0);
    findings.iter().flat_map(|finding| of_finding(finding, width)).collect()
}

fn is_broken_gate(finding: &Finding) -> bool {
    finding.effect == Effect::Gate && finding.status == Status::Fail
}

fn banner(gate: &Finding) -> Vec<String> {
    vec![
        format!("  HARD GATE VIOLATED: {}", one_line(&gate.check)),
        "  score not computed: nothing else was asked".to_owned(),
    ]
}

fn of_card(card: &Card) -> Vec<String> {
    let passed = match (card.score, card.passed) {
        (None, _) => "not computed",
        (_, true) => "reached",
        (_, false) => "missed",
    };
    let heading = format!("  {}: {passed}", one_line(&card.name));
    // Checks say what their part lost; where no check is weighed, only the card knows.
    let lost = if card.parts.is_empty() { score::losses(card) } else { Vec::new() };
    let lost = lost.into_iter().map(|line| format!("lost {line}"));
    let lines = score::parts(card).into_iter().chain(lost);
    std::iter::once(heading).chain(lines.map(|line| format!("    {}", one_line(&line)))).collect()
}

/// A check: how it stands, its score, and what it counted.
fn of_finding(finding: &Finding, width: usize) -> Vec<String> {
    let score = if finding.unfit.is_some() { String::new() } else { percent(finding.score) };
    let head = format!("  {:width$}  {:9} {score:>5}", one_line(&finding.check), state(finding));
    let mut lines = vec![head.trim_end().to_owned()];
    let mut say = |text: String| lines.push(format!("      {text}"));
    finding.unfit.iter().for_each(|unfit| say(short(unfit)));
    finding.values.iter().for_each(|(name, value)| say(short(&format!("{name}: {}", shown(value)))));
    let telling: Vec<&Item> = finding.items.iter().filter(|item| is_telling(item, finding)).collect();
    telling.iter().take(SHOWN).for_each(|item| say(of_item(item)));
    finding.violations.iter().take(SHOWN).for_each(|breach| say(short(&breach.message)));
    for (count, what) in [(telling.len(), "items"), (finding.violations.len(), "violations")] {
        if count > SHOWN {
            say(format!("... and {} more {what}", count - SHOWN));
        }
    }
    lines
}

/// Values and violations say the same in better words; an item whose note no violation holds says more.
fn is_telling(item: &Item, finding: &Finding) -> bool {
    let is_told =
        |note: &String| finding.violations.iter().any(|breach| breach.message.contains(note.as_str()));
    item.note.as_ref().is_some_and(|note| !is_told(note))
        || finding.of_all_runs
        || (finding.values.is_empty() && item.state == State::Held)
}

fn of_item(item: &Item) -> String {
    let state = match item.state {
        State::Held => "holds",
        State::Violated => "violated",
        State::NotExercised => "not put to the test",
        State::Open => "open",
    };
    let note = item.note.as_deref().map_or_else(String::new, |note| format!(" ({note})"));
    short(&format!("{}: {state}{note}", item.label))
}

fn state(finding: &Finding) -> &'static str {
    match finding.status {
        Status::Pass => "holds",
        Status::Fail => "violated",
        Status::Undecided => "undecided",
        Status::Error => "error",
    }
}

/// A value as a person writes it: `a, b`; `none` for an empty list.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) if values.is_empty() => "none".to_owned(),
        Value::Array(values) => {
            let mut members: Vec<String> = values.iter().take(SHOWN).map(shown).collect();
            members.extend((values.len() > SHOWN).then(|| format!("... and {} more", values.len() - SHOWN)));
            members.join(", ")
        }
        Value::Number(number) if number.is_f64() => {
            number.as_f64().map(|number| number.to_string()).unwrap_or_default()
        }
        value => value.to_string(),
    }
}

fn of_trace(run: &RunSummary, index: usize, count: usize) -> String {
    let which = if count > 1 { format!("run {} of {count}: ", index + 1) } else { "trace: ".to_owned() };
    let file = run.file.as_deref().unwrap_or("in the case");
    let mut told = vec![format!("{file} ({})", run.format)];
    told.extend(run.model.clone());
    told.extend(run.duration_ms.map(|ms| format!("{} ms", written(ms))));
    told.extend(run.usage.map(|usage| {
        let (input, output) = (usage.input_tokens.to_string(), usage.output_tokens.to_string());
        format!("{} tokens in, {} out", grouped(&input), grouped(&output))
    }));
    told.extend(run.cost_usd.map(|usd| format!("${}", dollars(usd))));
    short(&format!("{which}{}", told.join(", ")))
}

fn tools(run: &RunSummary) -> String {
    let names: Value = run.calls.iter().map(|call| call.name.as_str()).collect();
    short(&shown(&names))
}

/// Harmless, on one line, and no longer than a line.
fn short(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}
