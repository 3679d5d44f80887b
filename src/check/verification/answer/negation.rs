//! Negations and conditions before a word: `not verified`, `cannot be confirmed`, `once the tests pass`.

use super::words::ProseWord;

/// The reach of a negation, in bytes.
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

/// Whether the word `at` is negated: a negation is shortly before it, in the same sentence.
pub(in crate::check::verification) fn is_negated(words: &[ProseWord], at: usize) -> bool {
    find_negator(words, at).is_some()
}

/// Finds the word that negates the word `at`. A clause that begins between them ends the negation.
pub(in crate::check::verification) fn find_negator(words: &[ProseWord], at: usize) -> Option<usize> {
    let word = &words[at];
    let before = words[..at].iter().rev();
    let near = before.take_while(|other| other.sentence == word.sentence && other.end + REACH >= word.start);
    let reach = near.count();
    // The nearest beginning of a clause bounds the search, since a negation does not reach into the next clause.
    let start = (at - reach..at).rev().find(|other| opens_clause(words, *other)).unwrap_or(at - reach);
    (start..at).rev().find(|other| {
        // `not only fixed but tested` denies nothing.
        let goes_on = matches!(words[other + 1].text.as_str(), "only" | "just" | "merely");
        NEGATORS.contains(&words[*other].text.as_str()) && !(words[*other].text == "not" && goes_on)
    })
}

/// `not skipped but verified`, `nothing was said, and the tests passed`: the negation ends.
fn opens_clause(words: &[ProseWord], at: usize) -> bool {
    let after_mark = at > 0 && words[at].start > words[at - 1].end + 1;
    match words[at].text.as_str() {
        "but" | "instead" => true,
        "and" | "so" | "then" | "which" => after_mark,
        _ => false,
    }
}

/// Whether the word `at` is a question, a wish or a condition, not a fact: `to be verified`, `once all tests pass`.
pub(in crate::check::verification) fn is_conditional(words: &[ProseWord], at: usize) -> bool {
    let before = words[..at].iter().rev().take_while(|other| other.sentence == words[at].sentence).take(8);
    // `I will not go into detail, but the tests pass`: the condition ends.
    let before = before.take_while(|other| other.text != "but");
    words[at].is_asked
        || follows_one_of(words, at, &["be", "to"])
        || before.into_iter().any(|word| CONDITIONS.contains(&word.text.as_str()))
}

/// Whether the word `at` is asked for: `to be verified`, `please confirm`.
pub(in crate::check::verification) fn is_asked_for(words: &[ProseWord], at: usize) -> bool {
    follows_one_of(words, at, &["be", "to", "should", "must", "please", "will", "would", "could", "can"])
}

/// Whether one of `heads` directly precedes the word `at`, with one character between them.
fn follows_one_of(words: &[ProseWord], at: usize, heads: &[&str]) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &words[before]) else { return false };
    before.end + 1 == words[at].start && heads.contains(&before.text.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    /// Whether the last word is negated.
    fn negated(text: &str) -> bool {
        is_negated(&words(text), words(text).len() - 1)
    }

    #[test]
    fn a_negation_reaches_to_the_end_of_its_sentence() {
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
