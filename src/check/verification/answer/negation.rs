//! Whether a word is meant the other way round: `not verified`, `cannot be confirmed`, `once the tests pass`.

use super::words::Word;

/// How far a negation reaches, in bytes.
const REACH: usize = 25;

const NEGATORS: &[&str] = &[
    "not", "never", "no", "without", "none", "nothing", "cannot", "neither", "nor", "hardly", "unable",
    "barely", "isn't", "wasn't", "aren't", "weren't", "haven't", "hasn't", "hadn't", "don't", "doesn't",
    "didn't", "can't", "couldn't", "won't", "wouldn't", "failed", "forgot", "skipped", "yet", "un",
];

const CONDITIONS: &[&str] = &[
    "if", "once", "when", "until", "unless", "whether", "ensure", "ensures", "make", "should", "would",
    "could", "may", "might", "must", "please", "will", "let", "want", "need", "needs", "before", "so", "can",
    "expect", "shall", "verify", "check",
];

/// Whether the word `at` is negated: a negation stands shortly before it, in its sentence.
pub(in crate::check::verification) fn is_negated(words: &[Word], at: usize) -> bool {
    negator(words, at).is_some()
}

/// Which word negates the word `at`.
pub(in crate::check::verification) fn negator(words: &[Word], at: usize) -> Option<usize> {
    let word = &words[at];
    let near = |other: &&Word| other.sentence == word.sentence && other.end + REACH >= word.start;
    let reach = words[..at].iter().rev().take_while(near).count();
    let start = (at - reach..at).rev().find(|other| opens_clause(words, *other)).unwrap_or(at - reach);
    (start..at).rev().find(|other| NEGATORS.contains(&words[*other].text.as_str()))
}

/// `not skipped but verified`, `nothing was said, and the tests passed`: the negation ends.
fn opens_clause(words: &[Word], at: usize) -> bool {
    let after_mark = at > 0 && words[at].start > words[at - 1].end + 1;
    match words[at].text.as_str() {
        "but" | "instead" => true,
        "and" | "so" | "then" | "which" => after_mark,
        _ => false,
    }
}

/// Whether the word `at` is wanted and not told: `to be verified`, `once all tests pass`.
pub(in crate::check::verification) fn is_conditional(words: &[Word], at: usize) -> bool {
    let before = words[..at].iter().rev().take_while(|other| other.sentence == words[at].sentence).take(8);
    follows_one_of(words, at, &["be", "to"])
        || before.into_iter().any(|word| CONDITIONS.contains(&word.text.as_str()))
}

/// Whether the word `at` is asked for: `to be verified`, `please confirm`.
pub(in crate::check::verification) fn is_asked_for(words: &[Word], at: usize) -> bool {
    follows_one_of(words, at, &["be", "to", "should", "must", "please", "will", "would", "could", "can"])
}

/// Whether one of `heads` stands right before the word `at`, with a blank between them.
fn follows_one_of(words: &[Word], at: usize, heads: &[&str]) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &words[before]) else { return false };
    before.end + 1 == words[at].start && heads.contains(&before.text.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    #[test]
    fn a_negation_reaches_to_the_end_of_its_sentence() {
        let negated = |text: &str| is_negated(&words(text), words(text).len() - 1);
        assert!(
            negated("I have not verified")
                && negated("haven't been verified")
                && negated("Nothing was verified")
        );
        assert!(!negated("It said nothing, and all is verified"));
        assert!(!negated("No. Verified") && !negated("not skipped but verified"));
        assert!(!negated("there are no errors in the whole of the report, which I verified"));
    }
}
