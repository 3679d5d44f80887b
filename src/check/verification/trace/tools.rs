//! Tool verification: each edit read back, each deployment checked, and verification stated in the answer.

use super::super::answer::negation::{is_asked_for, is_negated};
use super::super::breakdown::{Breakdown, Lost, TOOLS, divide};
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
    let edits: Vec<_> = run.facts.edits().collect();
    if edits.is_empty() {
        found.part("edits read back", None);
    }
    let points = TOOLS * READS * divide(1, edits.len().max(1));
    for edit in &edits {
        found.keep(&format!("read back: {}", edit.path), edit.is_shown);
        if !edit.is_shown {
            let why = format!("`{}` was edited and not read back after its last edit", edit.path);
            let help = "read the file, or `git diff` it, after the last edit, so that the result shows what was written";
            found.lose(Lost { call: run.describe_call(edit.call), ..lost(points, why, help) });
        }
    }
    divide(edits.iter().filter(|edit| edit.is_shown).count(), edits.len())
}

fn judge_deployments(run: &JudgedRun<'_>, found: &mut Breakdown) -> f64 {
    let deployments = &run.facts.deployments;
    if deployments.is_empty() {
        found.part("deployments looked at", None);
    }
    let points = TOOLS * HEALTH * divide(1, deployments.len().max(1));
    for deployment in deployments {
        let number = deployment.call + 1;
        found.keep(&format!("health after call {number}"), deployment.is_healthy);
        if !deployment.is_healthy {
            let why = format!("call {number} deployed, and no health check after it passed");
            let help = "look at what was deployed afterwards: its health endpoint, its rollout status";
            found.lose(Lost { call: run.describe_call(deployment.call), ..lost(points, why, help) });
        }
    }
    divide(deployments.iter().filter(|deployment| deployment.is_healthy).count(), deployments.len())
}

/// Scores statements such as `verified`. They count only if a call looked at something. A run that changed nothing needs
/// none.
fn judge_statements(run: &JudgedRun<'_>, found: &mut Breakdown) -> f64 {
    if run.facts.edits().next().is_none() && run.facts.deployments.is_empty() {
        found.part("verification said", None);
        return 1.0;
    }
    let said = count_statements(run);
    let kept = if run.facts.looks { divide(said, 2) } else { 0.0 };
    found.part("verification said", Some(kept));
    if kept < 1.0 {
        let why = if run.facts.looks || said == 0 {
            format!("the answer makes {said} of 2 statements such as `verified` or `checked`")
        } else {
            format!("the answer says {said} times that it verified, and no call looked at anything")
        };
        found.lose(lost(TOOLS * WORDS * (1.0 - kept), why, "verify, and say what was verified and how"));
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

/// Counts the distinct statements of verification in the answer.
pub(super) fn count_statements(run: &JudgedRun<'_>) -> usize {
    let words = &run.answer.words;
    let mut said = std::collections::HashSet::new();
    for at in 0..words.len() {
        for (phrase, _) in run.settings.lexicon.keywords.at(words, at) {
            if !is_negated(words, at) && !is_asked_for(words, at) {
                said.insert(phrase);
            }
        }
    }
    said.len()
}
