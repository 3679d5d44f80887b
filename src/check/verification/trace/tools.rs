//! Tool verification: each edit read back, each deployment checked, and verification stated in the answer.

use std::collections::HashSet;

use super::super::answer::negation::{is_asked_for, is_negated};
use super::super::answer::work::{WorkKind, find_checks_named, find_work};
use super::super::breakdown::{Breakdown, Lost, TOOLS, divide};
use super::super::purpose::Purpose;
use super::{JudgedRun, lost};

const READS: f64 = 0.4;
const HEALTH: f64 = 0.3;
const WORDS: f64 = 0.3;

pub(super) fn judge(run: &JudgedRun<'_>, found: &mut Breakdown) -> f64 {
    let mut score = 0.0;
    score += judge_edits(run, found) * READS;
    score += judge_deployments(run, found) * HEALTH;
    score += judge_statements(run, found) * WORDS;
    score
}

fn judge_edits(run: &JudgedRun<'_>, found: &mut Breakdown) -> f64 {
    let help =
        "read the file, or `git diff` it, after the last edit, so that the result shows what was written";
    let edits = run.facts.edits().map(|edit| {
        let why = format!("`{}` was edited and not read back after its last edit", edit.path);
        (
            format!("read back: {}", edit.path),
            edit.is_shown,
            Lost { call: run.describe_call(edit.call), ..lost(0.0, why, help) },
        )
    });
    judge_each("edits read back", TOOLS * READS, edits.collect(), found)
}

fn judge_deployments(run: &JudgedRun<'_>, found: &mut Breakdown) -> f64 {
    let help = "look at what was deployed afterwards: its health endpoint, its rollout status";
    let deployments = run.facts.deployments.iter().map(|deployment| {
        let number = deployment.call + 1;
        let why = format!("call {number} deployed, and no health check after it passed");
        let missing = Lost { call: run.describe_call(deployment.call), ..lost(0.0, why, help) };
        (format!("health after call {number}"), deployment.is_healthy, missing)
    });
    judge_each("deployments looked at", TOOLS * HEALTH, deployments.collect(), found)
}

/// Scores the share of things that were looked at. Each is a label, whether it was, and the loss if it was not. They share
/// `points`.
fn judge_each(label: &str, points: f64, all: Vec<(String, bool, Lost)>, found: &mut Breakdown) -> f64 {
    if all.is_empty() {
        found.part(label, None);
    }
    let (each, kept) =
        // The part is written before its details, and an empty list must not divide by zero.
        (points * divide(1, all.len().max(1)), all.iter().filter(|(_, is_kept, _)| *is_kept).count());
    let share = divide(kept, all.len());
    for (label, is_kept, missing) in all {
        found.keep(&label, is_kept);
        found.lost.extend((!is_kept).then_some(Lost { points: each, ..missing }));
    }
    share
}

/// Scores statements such as `verified`. They count only if a call looked at something. A run that changed nothing needs
/// none.
fn judge_statements(run: &JudgedRun<'_>, found: &mut Breakdown) -> f64 {
    if run.facts.edits().next().is_none() && run.facts.deployments.is_empty() {
        found.part("verification said", None);
        return 1.0;
    }
    let said = count_statements(run) + count_checks_told(run);
    // Without a call that looked at anything, the statement is a claim and not a result.
    let kept = if run.facts.looks { divide(said, 2) } else { 0.0 };
    found.part("verification said", Some(kept));
    if kept < 1.0 {
        let why = if run.facts.looks || said == 0 {
            format!("the answer makes {said} of 2 statements such as `verified` or `checked`")
        } else {
            format!("the answer claims {said} verifications, but no call checked anything")
        };
        found.lost.push(lost(TOOLS * WORDS * (1.0 - kept), why, "verify, and say what was verified and how"));
    }
    kept
}

/// Finds the first word of a statement such as `verified`.
pub(super) fn find_statement_of_verification(run: &JudgedRun<'_>) -> Option<usize> {
    let words = &run.answer.words;
    (0..words.len()).find(|at| {
        let is_statement = run.settings.lexicon.keywords.at(words, *at).next().is_some();
        is_statement && !is_negated(words, *at) && !is_asked_for(words, *at)
    })
}

/// Counts the kinds of checks that ran and that the answer tells of: `I ran pytest: 12 passed`, `mypy is clean`.
fn count_checks_told(run: &JudgedRun<'_>) -> usize {
    let facts = &run.facts;
    let ran = |purpose: Purpose| facts.gates.iter().any(|gate| gate.purpose == purpose);
    let has_run = |kind: &WorkKind| match kind {
        WorkKind::Tests => !facts.tests.is_empty(),
        WorkKind::Type | WorkKind::Build => ran(Purpose::Type),
        WorkKind::Lint => ran(Purpose::Lint),
        WorkKind::Service => facts.last_health.is_some(),
        _ => false,
    };
    let mut told: HashSet<WorkKind> = HashSet::new();
    for statement in find_work(&run.answer) {
        told.insert(statement.kind);
        // `I ran mypy and ruff` tells of what it names.
        if matches!(statement.kind, WorkKind::Command | WorkKind::Tests) {
            told.extend(find_checks_named(&run.answer, statement.at));
        }
    }
    if run.test_claims.green.is_some() || run.test_claims.counts_passes() {
        told.insert(WorkKind::Tests);
    }
    told.iter().filter(|kind| has_run(kind)).count()
}

/// Counts the distinct statements of verification in the answer.
pub(super) fn count_statements(run: &JudgedRun<'_>) -> usize {
    let words = &run.answer.words;
    let mut said = HashSet::new();
    for at in 0..words.len() {
        for (phrase, _) in run.settings.lexicon.keywords.at(words, at) {
            // A statement that was negated, or that is a request to the user, verifies nothing.
            if !is_negated(words, at) && !is_asked_for(words, at) {
                said.insert(phrase);
            }
        }
    }
    said.len()
}
