//! Whether an answer is in a language whose claims cannot be read: all phrases of this check are English.
//!
//! The decision needs proof. Code, numbers, names and terse English have few function words or none, so a lack of
//! English words proves nothing; letters of another script, or function words of another language, do.

use std::collections::HashSet;

use super::Answer;
use super::words::ProseWord;
use crate::pattern::WordSet;

static ENGLISH: WordSet = WordSet::new(include_str!("../data/english_function_words.txt"));
static OTHER: WordSet = WordSet::new(include_str!("../data/other_function_words.txt"));

/// Fewer letters of another script are a name or a sign.
const LEAST_LETTERS: usize = 8;
/// Fewer different function words of another language are a name or an abbreviation.
const LEAST_WORDS: usize = 2;
/// At least one of so many words of a prose is a function word, in all the languages of the table.
const WORDS_FOR_ONE: usize = 8;
/// With one English function word for so many others, an answer is in English and quotes another language.
const OTHERS_FOR_ONE_ENGLISH: usize = 3;

/// Whether the prose of `answer` is in a language other than English. What it quotes is not looked at.
pub(in crate::check::verification) fn is_foreign(answer: &Answer<'_>) -> bool {
    let words = &answer.words;
    let english = count_members(words, &ENGLISH);
    is_in_another_script(&answer.parts.prose, english)
        || has_function_words(words, english)
        || is_short_account(words, english)
}

/// A sentence of another script may name programs and files in Latin letters, so a third of the letters is enough. One
/// with English function words is an English sentence that quotes another script.
fn is_in_another_script(prose: &str, english: usize) -> bool {
    let letters = prose.chars().filter(|c| c.is_alphabetic()).count();
    let other = prose.chars().filter(|c| c.is_alphabetic() && !is_latin(*c)).count();
    other >= LEAST_LETTERS && other * 3 >= letters && other >= english * LEAST_LETTERS
}

/// Words that a short answer about work has beside a function word. Some are English words too, so they count only in an
/// answer without English function words.
static SHORT: WordSet = WordSet::new(include_str!("../data/other_short_words.txt"));
/// So long is a short answer, in words.
const SHORT_ANSWER: usize = 12;

/// `Les tests passent.`: one function word of another language, one more word of one, and no English.
fn is_short_account(words: &[ProseWord], english: usize) -> bool {
    const ENGLISH_TOO: &[&str] =
        &["the", "a", "an", "is", "are", "was", "i", "on", "with", "have", "no", "as", "or", "be"];
    let is_english =
        |word: &ProseWord| ENGLISH_TOO.contains(&word.text.as_str()) || word.text.ends_with("ed");
    let others = count_different_members(words, &OTHER);
    english == 0
        && words.len() <= SHORT_ANSWER
        && count_different_members(words, &SHORT) > 0
        && others + count_different_members(words, &SHORT) >= LEAST_WORDS
        && !words.iter().any(is_english)
}

fn has_function_words(words: &[ProseWord], english: usize) -> bool {
    let others = count_members(words, &OTHER);
    count_different_members(words, &OTHER) >= LEAST_WORDS
        && others > english * OTHERS_FOR_ONE_ENGLISH
        && others * WORDS_FOR_ONE >= words.iter().filter(|word| is_plain(word)).count()
}

/// Latin letters in all their forms, full-width ones included, and signs such as `ℓ`.
fn is_latin(c: char) -> bool {
    matches!(c, '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{2100}'..='\u{214f}' | '\u{ff21}'..='\u{ff5a}')
}

fn count_members(words: &[ProseWord], table: &WordSet) -> usize {
    words.iter().filter(|word| table.contains(word.text.as_str())).count()
}

fn count_different_members(words: &[ProseWord], table: &WordSet) -> usize {
    let members = words.iter().map(|word| word.text.as_str()).filter(|word| table.contains(word));
    members.collect::<HashSet<_>>().len()
}

/// Whether `word` could be a word of a language: a number or a name with digits and underscores could not.
fn is_plain(word: &ProseWord) -> bool {
    word.text.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::read_examples;

    const EXAMPLES: &str = include_str!("language_examples.json");

    fn is_foreign_text(text: &str) -> bool {
        is_foreign(&Answer::new(text))
    }

    #[test]
    fn answers_in_other_languages_are_known() {
        for text in read_examples::<String>(EXAMPLES, "foreign") {
            assert!(is_foreign_text(&text), "{text}");
        }
    }

    #[test]
    fn english_code_numbers_and_names_are_judged() {
        for text in read_examples::<String>(EXAMPLES, "english") {
            assert!(!is_foreign_text(&text), "{text}");
        }
    }
}
