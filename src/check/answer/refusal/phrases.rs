//! The phrases by which English refuses: who, what keeps them, and what they will not do.

use std::sync::LazyLock;

use crate::pattern::{WordList, list_lines, list_words};

/// Phrases that refuse by themselves.
pub(super) static OUTRIGHT: WordList = LazyLock::new(|| list_lines(include_str!("phrases/outright.txt")));

/// The subjects of a refusal before one of [`MODALS`].
pub(super) const SUBJECTS: &[&str] = &["i", "we"];

/// Verbs of a refusal after one of [`SUBJECTS`]. A longer phrase precedes each phrase that it begins with.
pub(super) static MODALS: WordList = LazyLock::new(|| list_lines(include_str!("phrases/modals.txt")));

/// The subjects of a refusal before one of [`STATES`].
pub(super) const BEINGS: &[&str] = &["i am", "i'm", "we are", "we're"];

/// Predicates of a refusal after one of [`BEINGS`].
pub(super) static STATES: WordList = LazyLock::new(|| list_lines(include_str!("phrases/states.txt")));

/// Verbs of a refusal without a subject, at the beginning of a clause or after [`APOLOGIES`].
pub(super) const UNNAMED: &[&str] =
    &["can't", "can not", "cannot", "not able to", "not allowed to", "unable to", "will not", "won't"];

pub(super) const APOLOGIES: &[&str] = &["apologies", "no", "sorry", "unfortunately"];

/// Phrases that say that the request is outside of the agent's task.
pub(super) static NO_MATTER: WordList = LazyLock::new(|| list_lines(include_str!("phrases/no_matter.txt")));

/// Words between the verb of a refusal and the refused act: at most [`MOST_FILLERS`].
pub(super) static FILLERS: WordList = LazyLock::new(|| list_words(include_str!("phrases/fillers.txt")));

pub(super) const MOST_FILLERS: usize = 4;

/// The acts that are refused. Words that offer help or state facts ("find", "say", "wait") are not here.
pub(super) static ACTS: WordList = LazyLock::new(|| list_lines(include_str!("phrases/acts.txt")));

/// Phrases that look like a refused act and refuse nothing.
pub(super) static IDIOMS: WordList = LazyLock::new(|| list_lines(include_str!("phrases/idioms.txt")));

/// Phrases that take back a refusal that follows them.
pub(super) static TAKEN_BACK: WordList = LazyLock::new(|| list_lines(include_str!("phrases/taken_back.txt")));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_phrase_stands_before_its_own_beginning() {
        for table in [&MODALS[..], UNNAMED, &STATES, &ACTS, &OUTRIGHT] {
            for (index, phrase) in table.iter().enumerate() {
                let shadowed =
                    table[..index].iter().find(|earlier| phrase.starts_with(&format!("{earlier} ")));
                assert_eq!(shadowed, None, "{phrase}");
            }
        }
    }
}
