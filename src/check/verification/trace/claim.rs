//! A claim that no call supports.

use super::super::answer::negation::{is_conditional, is_negated};
use super::super::answer::words::ProseWord;
use super::super::breakdown::{Component, Lost};
use super::{JudgedRun, lost};

/// The most claims that are reported.
pub(super) const MOST: usize = 50;

/// A claim that no call supports.
pub(super) struct UnsupportedClaim {
    pub(super) why: String,
    pub(super) sentence: String,
    pub(super) call: Option<(usize, String, Option<String>)>,
    /// The component that the claim would have earned. `None` for a guess, which claims nothing.
    pub(super) component: Option<Component>,
}

impl UnsupportedClaim {
    /// Creates a claim at the word `at`.
    pub(super) fn at(run: &JudgedRun<'_>, at: usize, why: impl Into<String>) -> Self {
        let why = why.into();
        let at = at.min(run.answer.words.len().saturating_sub(1));
        if run.answer.words.is_empty() {
            return Self { why, sentence: String::new(), call: None, component: Some(Component::Tools) };
        }
        let (number, sentence) = run.answer.sentence(at);
        Self {
            why: format!("{why} (sentence {number})"),
            sentence,
            call: None,
            component: Some(Component::Tools),
        }
    }

    /// Creates a claim in a quoted part.
    pub(super) fn quoted(why: String, quote: String) -> Self {
        Self { why, sentence: quote, call: None, component: Some(Component::Tests) }
    }

    /// The same claim about `component`.
    pub(super) fn about(self, component: Component) -> Self {
        Self { component: Some(component), ..self }
    }

    /// Converts the claim to a loss of `points`.
    pub(super) fn into_loss(self, points: f64) -> Lost {
        let help = "say only what a call shows; say what was not verified";
        Lost {
            sentence: Some(self.sentence),
            call: self.call,
            is_claim: true,
            ..lost(points, self.why, help)
        }
    }
}

/// Finds the words among `wanted` that the answer states as facts.
pub(super) fn find_meant(run: &JudgedRun<'_>, wanted: &[&str]) -> impl Iterator<Item = usize> {
    let words = &run.answer.words;
    (0..words.len()).filter(|at| wanted.contains(&words[*at].text.as_str()) && is_meant(words, *at))
}

/// Whether the word `at` is stated as a fact, unlike in `I changed nothing` and `once it is deployed`.
fn is_meant(words: &[ProseWord], at: usize) -> bool {
    let next = words.get(at + 1).map(|word| word.text.as_str()).unwrap_or_default();
    !matches!(next, "nothing" | "no" | "none") && !is_negated(words, at) && !is_conditional(words, at)
}
