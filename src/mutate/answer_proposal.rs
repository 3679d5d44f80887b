//! Entries of `expect` that may notice a change of the answer or of the figures.

use crate::case::MutationSort;
use crate::json::{Json, json};
use crate::trace::Trace;

/// A limit is half above the figure of the run, so that a run may vary and not take twice as much.
const ROOM: f64 = 1.5;

/// The least number of letters of a word that is characteristic of an answer.
const MIN_WORD_CHARS: usize = 4;

/// The largest length of a text that an entry quotes, in characters.
const MAX_PHRASE_CHARS: usize = 60;

/// Proposes entries of `expect` that may notice a mutant of the answer or of the figures.
pub fn propose_for_answer(run: &Trace, sort: MutationSort) -> Vec<Json> {
    let answer = run.answer.as_deref().unwrap_or_default();
    match sort {
        MutationSort::BlankAnswer | MutationSort::ReplaceAnswer => {
            require_phrases(list_telling_words(answer))
        }
        MutationSort::CutAnswer => {
            // The half that was cut away is what a check must ask for.
            let rest = skip_half(answer);
            let mut words = list_telling_words(rest);
            words.extend(list_words(rest).last().map(|word| (*word).to_owned()));
            require_phrases(words)
        }
        MutationSort::ChangeNumbers => {
            let numbers =
                list_words(answer).into_iter().filter(|word| word.contains(|c: char| c.is_ascii_digit()));
            // `grounded` comes first: it holds for other numbers of other runs as well.
            let mut proposed = vec![json!({"grounded": {}})];
            proposed.extend(require_phrases(numbers.map(str::to_owned).collect()));
            proposed
        }
        MutationSort::InvertNegation => require_phrases(list_phrases(answer)),
        MutationSort::DoubleTokens => Vec::from_iter(run.usage.map(|usage| {
            let total = usage.input_tokens.saturating_add(usage.output_tokens);
            json!({"tokens_at_most": total.saturating_add(total / 2)})
        })),
        MutationSort::DoubleCost => {
            Vec::from_iter(run.cost_usd.map(|cost| json!({"cost_at_most": round_up(cost * ROOM)})))
        }
        MutationSort::DoubleDuration => {
            Vec::from_iter(run.duration_ms.map(|ms| json!({"duration_at_most": round_up(ms * ROOM)})))
        }
        _ => Vec::new(),
    }
}

/// Requires each phrase that is short enough to be quoted.
fn require_phrases(phrases: Vec<String>) -> Vec<Json> {
    let quotable = phrases.into_iter().filter(|phrase| phrase.chars().count() <= MAX_PHRASE_CHARS);
    quotable.map(|phrase| json!({"contains": phrase})).collect()
}

/// The whole words of the second half of a text.
fn skip_half(text: &str) -> &str {
    let half = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    match text[half..].split_once(char::is_whitespace) {
        Some((_, whole)) if !text[..half].ends_with(char::is_whitespace) => whole,
        _ => &text[half..],
    }
}

/// Rounds up to two digits, so that the limit reads like one that a person has set.
fn round_up(number: f64) -> f64 {
    let unit = 10_f64.powf(number.log10().floor() - 1.0);
    let rounded = (number / unit).ceil() * unit;
    // Digits of a decimal fraction that a double cannot hold.
    format!("{rounded:.6}").parse().unwrap_or(rounded)
}

/// The words of a text without the marks around them.
fn list_words(text: &str) -> Vec<&str> {
    let words = text.split_whitespace().map(|word| word.trim_matches(is_mark));
    words.filter(|word| !word.is_empty()).collect()
}

fn is_mark(c: char) -> bool {
    !c.is_alphanumeric() && !"$€£%".contains(c)
}

/// The words that say most about an answer: those with digits, and then the longest ones. A single digit is in many answers.
fn list_telling_words(text: &str) -> Vec<String> {
    let words = list_words(text);
    let (long_numbers, digits): (Vec<&str>, Vec<&str>) = words
        .iter()
        .copied()
        .filter(|word| word.contains(|c: char| c.is_ascii_digit()))
        .partition(|word| word.chars().count() > 1);
    let mut long: Vec<&str> =
        words.into_iter().filter(|word| word.chars().count() >= MIN_WORD_CHARS).collect();
    long.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    // A single digit is tried last, as it is found in almost any answer.
    let telling = long_numbers.into_iter().take(2).chain(long.into_iter().take(3)).chain(digits);
    telling.map(str::to_owned).collect()
}

/// The parts of three words, which a negation between them breaks.
fn list_phrases(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let phrases = words.windows(3.min(words.len()).max(1)).map(|part| part.join(" "));
    phrases.map(|phrase| phrase.trim_matches(is_mark).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_has_two_digits() {
        let rounded = [0.0123, 1_234.0, 20.0].map(|number| round_up(number).to_string());
        assert_eq!(rounded, ["0.013", "1300", "20"]);
    }

    #[test]
    fn words_with_digits_tell_most() {
        let words = list_telling_words("I have refunded $30 for order 7.");
        assert_eq!(words, ["$30", "refunded", "order", "have", "7"]);
        assert_eq!(skip_half("I have refunded $30 for order 7."), "$30 for order 7.");
        assert_eq!(skip_half("It is refunded at once."), "at once.");
        assert!(list_phrases("It is free.").contains(&"It is free".to_owned()));
    }
}
