//! The mutants of a run's answer and of its figures.

use super::change::set_answer;
use super::mutant::Mutant;
use super::text::{change_digits, cut_text, invert_negation};
use crate::case::MutationSort;
use crate::trace::{Trace, Usage};

/// An answer to any question.
const OTHER_ANSWER: &str = "Something else altogether.";

/// Derives the mutants of the answer.
pub(super) fn derive_answer_mutants(run: &Trace) -> Vec<Mutant> {
    let Some(answer) = run.answer.as_deref().filter(|answer| !answer.trim().is_empty()) else {
        return Vec::new();
    };
    let others = [
        (MutationSort::BlankAnswer, "the answer is empty", Some(String::new())),
        (MutationSort::CutAnswer, "the answer ends in the middle", cut_text(answer)),
        (MutationSort::ReplaceAnswer, "the answer is another one", Some(OTHER_ANSWER.to_owned())),
        (MutationSort::ChangeNumbers, "the answer has other numbers", change_digits(answer)),
        (MutationSort::InvertNegation, "the answer says the opposite", invert_negation(answer)),
    ];
    let mutants = others.into_iter().filter_map(|(sort, change, other)| {
        let other = other?;
        Some(Mutant::new(sort, change, move |run| set_answer(run, other.clone())))
    });
    mutants.collect()
}

/// Derives the mutants of the tokens, the cost and the duration, as far as they are recorded.
pub(super) fn derive_figure_mutants(run: &Trace) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    // Twice nothing is nothing: such a mutant would survive every check.
    if run.usage.is_some_and(|usage| usage.input_tokens + usage.output_tokens > 0) {
        mutants.push(Mutant::new(MutationSort::DoubleTokens, "the run takes twice the tokens", |run| {
            run.usage = run.usage.map(double_usage);
        }));
    }
    if run.cost_usd.is_some_and(|cost| cost > 0.0) {
        mutants.push(Mutant::new(MutationSort::DoubleCost, "the run costs twice as much", |run| {
            run.cost_usd = run.cost_usd.map(|cost| cost * 2.0);
        }));
    }
    if run.duration_ms.is_some_and(|duration| duration > 0.0) {
        mutants.push(Mutant::new(MutationSort::DoubleDuration, "the run takes twice as long", |run| {
            run.duration_ms = run.duration_ms.map(|duration| duration * 2.0);
        }));
    }
    mutants
}

fn double_usage(usage: Usage) -> Usage {
    Usage {
        input_tokens: double_count(usage.input_tokens),
        cached_tokens: usage.cached_tokens.map(double_count),
        output_tokens: double_count(usage.output_tokens),
        reasoning_tokens: usage.reasoning_tokens.map(double_count),
        ..usage
    }
}

fn double_count(count: u64) -> u64 {
    count.saturating_mul(2)
}
