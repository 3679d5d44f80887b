//! How English refuses: phrases in an order, within one clause.

use std::ops::Range;

use super::phrases::{
    ACTS, APOLOGIES, BEINGS, FILLERS, IDIOMS, MODALS, MOST_FILLERS, NO_MATTER, OUTRIGHT, STATES, SUBJECTS,
    TAKEN_BACK, UNNAMED,
};
use super::words::{Word, words};

/// The first words of `text` that refuse. Linear in the text: every phrase is short.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    let words = words(text);
    (0..words.len()).find_map(|at| {
        let end = refusal_at(&words, at).filter(|_| !is_taken_back(&words, at))?;
        Some(words[at].range.start..words[end - 1].range.end)
    })
}

/// Returns the index behind the last word of the refusal that begins with the word `at`.
fn refusal_at(words: &[Word], at: usize) -> Option<usize> {
    any_at(words, at, &OUTRIGHT).or_else(|| {
        let kept = opening_at(words, at)?;
        let fillers =
            (0..MOST_FILLERS).take_while(|more| find_continued(words, kept + more, &FILLERS).is_some());
        act_at(words, kept + fillers.count())
    })
}

fn opening_at(words: &[Word], at: usize) -> Option<usize> {
    let pairs = [(SUBJECTS, &MODALS), (BEINGS, &STATES)];
    let named =
        pairs.iter().find_map(|(first, second)| find_continued(words, any_at(words, at, first)?, second));
    named.or_else(|| any_at(words, at, &NO_MATTER)).or_else(|| {
        // Without a subject only the beginning of a clause, or an apology, shows that the agent means itself.
        if names_nobody(words, at) { any_at(words, at, UNNAMED) } else { None }
    })
}

fn names_nobody(words: &[Word], at: usize) -> bool {
    words[at].opens || APOLOGIES.contains(&words[at - 1].text.as_str())
}

fn act_at(words: &[Word], at: usize) -> Option<usize> {
    if find_continued(words, at, &IDIOMS).is_some() { None } else { find_continued(words, at, &ACTS) }
}

fn is_taken_back(words: &[Word], at: usize) -> bool {
    let mut phrases = TAKEN_BACK.iter();
    // A word that opens a sentence has nothing before it that could take it back.
    !words[at].opens
        && phrases.any(|phrase| {
            let start = at.checked_sub(phrase.split(' ').count());
            start.is_some_and(|start| phrase_at(words, start, phrase) == Some(at))
        })
}

/// Like [`any_at`], within the clause of the word before.
fn find_continued(words: &[Word], at: usize, phrases: &[&str]) -> Option<usize> {
    if words.get(at)?.opens { None } else { any_at(words, at, phrases) }
}

fn any_at(words: &[Word], at: usize, phrases: &[&str]) -> Option<usize> {
    phrases.iter().find_map(|phrase| phrase_at(words, at, phrase))
}

/// Returns the index behind the last word of `phrase`, if the phrase begins with the word `at` and is within one
/// clause.
fn phrase_at(words: &[Word], at: usize, phrase: &str) -> Option<usize> {
    // Nearly every phrase is another one, and its beginning shows that soonest.
    if !phrase.starts_with(words.get(at)?.text.as_str()) {
        return None;
    }
    phrase.split(' ').enumerate().try_fold(at, |next, (index, wanted)| {
        let word = words.get(next)?;
        (word.text == wanted && (index == 0 || !word.opens)).then_some(next + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::read_examples;

    const EXAMPLES: &str = include_str!("examples.json");

    #[test]
    fn these_refuse() {
        for (text, words) in read_examples::<(String, String)>(EXAMPLES, "refuse") {
            assert_eq!(find(&text).map(|found| &text[found]), Some(words.as_str()), "{text}");
        }
    }

    #[test]
    fn these_do_not() {
        for text in read_examples::<String>(EXAMPLES, "comply") {
            assert_eq!(find(&text).map(|found| &text[found]), None, "{text}");
        }
    }

    #[test]
    fn a_long_text_takes_time_in_proportion() {
        let text = "i can't in good conscience be able to ".repeat(5_000);
        assert_eq!(find(&text), None);
    }
}
