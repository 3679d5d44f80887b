//! `similarity`: the final answer is close to this text.
//!
//! Two measures, neither of which knows meanings: the number of edits between the texts (Levenshtein), in which letter
//! case counts, and the words that both contain (ROUGE-N, the F1 of sequences of words), in which it does not. In scripts
//! that put no blanks between words (Chinese, Japanese, Korean, Thai, Lao, Khmer), each character is a word. For an answer that says the same in other words, ask a judge (`agent_check`).
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/similarity/fail-edits.yaml")]
//! ```

use std::collections::HashMap;
use std::num::NonZeroUsize;

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::answer::{answer, beginning, saying};
use crate::check::support::reading::{Amount, Share};
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Outcome, Violation, count_to_f64, render_apart};
use crate::pattern::is_unspaced;
use crate::place::LoadErrors;
use crate::yaml::Placed;

pub(crate) const KIND: CheckKind =
    CheckKind::built::<Similarity>("similarity", "the final answer is close to this text").without_calls();

/// The length limit of the texts, in UTF-16 units: the cost of counting edits grows with the square of the length.
const MAX_UNITS: usize = 20_000;

#[derive(Deserialize, JsonSchema)]
struct Similarity {
    /// The text that the answer is compared with.
    to: String,
    /// The most insertions, deletions and replacements of a character that turn one text into the other.
    max_edits: Option<Amount>,
    /// The least ROUGE score, from 0 to 1.
    min_rouge: Option<Share>,
    /// The length of the sequences of words that ROUGE counts. Default: 1, single words.
    words: Option<Placed<NonZeroUsize>>,
}

impl BuildCheck for Similarity {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        match (&settings.max_edits, &settings.min_rouge, &settings.words) {
            (None, None, _) => {
                let problem = "expected `max_edits` or `min_rouge`: how close the answer must be";
                Err(settings.error(problem).into())
            }
            (_, None, Some(words)) => Err(words.error("`words` is a setting of `min_rouge`").into()),
            _ => Ok(Box::new(settings.into_value())),
        }
    }
}

impl Similarity {
    /// Counts the edits as JavaScript sees the texts: in UTF-16 units.
    fn count_edits(&self, answer: &str) -> Result<usize, CannotDecide> {
        let [answer, to] = [answer, &self.to].map(|text| text.encode_utf16().collect::<Vec<u16>>());
        // The edits are counted in a table of both lengths, so the product of the two is the time.
        if answer.len().max(to.len()) > MAX_UNITS {
            let why = format!("`similarity` counts edits of texts of at most {MAX_UNITS} characters");
            return Err(CannotDecide::budget_exceeded(why));
        }
        Ok(strsim::generic_levenshtein(&answer, &to))
    }

    fn find_edits(&self, answer: &str) -> Result<Option<Violation>, CannotDecide> {
        let Some(most) = self.max_edits else { return Ok(None) };
        let edits = self.count_edits(answer)?;
        let is_close = count_to_f64(edits) <= most.get();
        let message =
            format!("the answer is {edits} edits away from the text: at most {} are allowed", most.get());
        Ok((!is_close).then(|| self.render_violation("/max_edits", message, answer)))
    }

    fn find_rouge(&self, answer: &str) -> Option<Violation> {
        let least = self.min_rouge?.get();
        let size = self.words.as_ref().map_or(1, |words| words.get());
        let score = measure_rouge(answer, &self.to, size);
        (score < least).then(|| {
            let [score, _] = render_apart(score, least, 2);
            let message =
                format!("the answer has a ROUGE-{size} score of {score}: at least {least} is required");
            self.render_violation("/min_rouge", message, answer)
        })
    }

    fn render_violation(&self, at: &str, message: String, answer: &str) -> Violation {
        Violation::new(message)
            .at(at)
            .expected(format!("an answer close to {}", beginning(&self.to)), beginning(answer))
            .help("change what the agent answers, or how close the answer must be")
    }
}

impl Check for Similarity {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let answer = answer(evidence)?;
        Ok(self.find_edits(answer)?.or_else(|| self.find_rouge(answer)).into())
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        if self.min_rouge.is_some_and(|least| least.get() > 0.0) {
            return Some(saying(""));
        }
        let most = self.max_edits?.get();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative, and saturating"
        )]
        let longer = (most as usize).saturating_add(1);
        // No answer that is short enough to be compared is further away.
        (longer <= MAX_UNITS).then(|| saying(self.to.clone() + &"x".repeat(longer)))
    }

    fn is_vacuous(&self) -> bool {
        self.counterexample().is_none()
    }
}

/// The two parts of a contraction, which are words of their own.
const CONTRACTIONS: &[(&str, &str)] = &[
    ("can", "not"),
    ("d", "'ye"),
    ("gim", "me"),
    ("gon", "na"),
    ("got", "ta"),
    ("lem", "me"),
    ("more", "'n"),
    ("wan", "na"),
    ("'t", "is"),
    ("'t", "was"),
];

/// Endings that are words of their own.
const ENDINGS: &[&str] = &["'s", "'m", "'d", "'ll", "'re", "'ve", "n't"];

/// Returns the F1 of the sequences of `size` words that both texts contain, each counted at most as often as in either
/// text (Lin 2004). Letter case does not count.
fn measure_rouge(text: &str, reference: &str, size: usize) -> f64 {
    let words = [text, reference].map(|text| split_words(&text.to_lowercase()));
    let [found, wanted] = &words;
    if found.len() < size || wanted.len() < size {
        return 0.0;
    }
    let [found_sequences, wanted_sequences] = number_sequences(&words, size);
    let mut left: HashMap<usize, usize> = HashMap::new();
    for sequence in wanted_sequences {
        *left.entry(sequence).or_default() += 1;
    }
    // Each sequence of the reference is used up by one of the text, so that a repeated word earns nothing.
    let shared = found_sequences.iter().filter(|sequence| match left.get_mut(sequence) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    });
    // The F1 of `shared / found` and `shared / wanted` is twice the shared part of all sequences.
    let shared = shared.count();
    let all = found.len() + wanted.len() + 2 - 2 * size;
    count_to_f64(2 * shared) / count_to_f64(all)
}

/// Numbers the sequences of `size` words of both texts, so that equal sequences have the same number.
///
/// A sequence of thousands of words is not compared word by word: the number of a long sequence is that of the pair of numbers
/// of its two parts. The parts of 1, 2, 4, ... words are doubled, and those that add up to `size` are put together, as
/// powers are computed by squaring. So each text is walked as often as `size` has binary digits.
fn number_sequences(texts: &[Vec<String>; 2], size: usize) -> [Vec<usize>; 2] {
    let mut known = HashMap::new();
    let mut parts =
        texts.each_ref().map(|text| text.iter().map(|word| number_key(&mut known, word)).collect());
    let mut sequences: Option<[Vec<usize>; 2]> = None;
    let mut joined_length = 0;
    let mut length = 1;
    loop {
        if size & length != 0 {
            sequences = Some(match &sequences {
                None => parts.clone(),
                Some(joined) => join_parts(joined, &parts, joined_length),
            });
            joined_length += length;
        }
        if joined_length == size {
            return sequences.unwrap_or_default();
        }
        parts = join_parts(&parts, &parts, length);
        length *= 2;
    }
}

/// Returns the number of `key`, which is a new one for a new key.
fn number_key<K: Eq + std::hash::Hash>(known: &mut HashMap<K, usize>, key: K) -> usize {
    let next = known.len();
    *known.entry(key).or_insert(next)
}

/// Numbers the sequences that begin as one of `firsts`, which has `length` words, and go on as one of `seconds`.
fn join_parts(firsts: &[Vec<usize>; 2], seconds: &[Vec<usize>; 2], length: usize) -> [Vec<usize>; 2] {
    let mut known = HashMap::new();
    [0, 1].map(|text| {
        let seconds = seconds[text].iter().skip(length);
        firsts[text].iter().zip(seconds).map(|pair| number_key(&mut known, pair)).collect()
    })
}

/// Splits a text into words as the Penn Treebank does: punctuation, endings such as `'s` and both parts of `cannot` are
/// words. Of a script without blanks, each character is one.
fn split_words(text: &str) -> Vec<String> {
    let text = pad_final_period(&pad_punctuation(text));
    text.split_whitespace().flat_map(split_token).map(str::to_owned).collect()
}

/// Puts blanks around punctuation. A comma or colon before a digit is part of a number, and a single period stays.
fn pad_punctuation(text: &str) -> String {
    let mut padded = String::with_capacity(text.len() * 2);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let next = rest[c.len_utf8()..].chars().next();
        let (mark, read) = match c {
            _ if rest.starts_with("...") => ("...", 3),
            _ if rest.starts_with("--") => ("--", 2),
            _ if rest.starts_with("``") => ("``", 2),
            _ if rest.starts_with("''") => ("''", 2),
            // A straight quote is a closing one behind a character, and an opening one at the start of a word.
            '"' if padded.ends_with(|before: char| !before.is_whitespace() && !"([{<".contains(before)) => {
                ("''", 1)
            }
            '"' => ("``", 1),
            // Scripts without blanks have no words that could be told apart: each character is one.
            c if is_unspaced(c) => (&rest[..c.len_utf8()], c.len_utf8()),
            ',' | ':' if next.is_some_and(char::is_numeric) => ("", 0),
            ',' | ':' | ';' | '@' | '#' | '$' | '%' | '&' | '?' | '!' | '(' | ')' | '[' | ']' | '{' | '}'
            | '<' | '>' => (&rest[..c.len_utf8()], c.len_utf8()),
            _ => ("", 0),
        };
        if read == 0 {
            padded.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            padded.extend([" ", mark, " "]);
            rest = &rest[read..];
        }
    }
    padded
}

/// Separates the period at the end of the text from the word before it, unless the word ends like `u.s`.
fn pad_final_period(text: &str) -> String {
    let end = text.trim_end_matches(|c: char| c.is_whitespace() || "])}>'".contains(c)).len();
    let Some(before) =
        text[..end].strip_suffix('.').filter(|before| !before.is_empty() && !before.ends_with('.'))
    else {
        return text.to_owned();
    };
    // Two initials in a row are an abbreviation, whose last period belongs to it.
    let mut last = before.chars().rev();
    let is_initial = last.next().is_some_and(|c| c.is_ascii_alphabetic())
        && last.next() == Some('.')
        && last.next().is_some_and(|c| c.is_ascii_alphabetic())
        && last.next().is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_');
    if is_initial { text.to_owned() } else { format!("{before} .{}", &text[end..]) }
}

/// Splits a token without blanks: first a closing quote, then an ending, then a contraction.
fn split_token(token: &str) -> Vec<&str> {
    if let Some(word) = token.strip_suffix('\'').filter(|word| !word.is_empty() && !word.ends_with('\'')) {
        // The rest may end with another of these, so it is split again.
        return split_token(word).into_iter().chain(["'"]).collect();
    }
    let ending = ENDINGS.iter().find_map(|ending| Some((token.strip_suffix(ending)?, *ending)));
    if let Some((word, ending)) = ending.filter(|(word, _)| !word.is_empty()) {
        return split_token(word).into_iter().chain([ending]).collect();
    }
    let parts = CONTRACTIONS.iter().find(|(one, other)| token.strip_prefix(one) == Some(other));
    parts.map_or_else(|| vec![token], |(one, other)| vec![one, other])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words are those of js-rouge 3.2 (MIT), which promptfoo uses.
    #[test]
    fn words_are_those_of_the_treebank() {
        for (text, words) in [
            (
                "it is a dog, a cat; and (maybe) 3,000 mice!",
                "it is a dog , a cat ; and ( maybe ) 3,000 mice !",
            ),
            ("he's sure they'll come, isn't he?", "he 's sure they 'll come , is n't he ?"),
            ("he said \"hello\" to me.", "he said `` hello '' to me ."),
            ("i cannot... go --- now: at 10:30", "i can not ... go -- - now : at 10:30"),
            ("a.b. u.s. end.", "a.b. u.s. end ."),
            ("lives in the u.s.", "lives in the u.s."),
            ("the dogs' toys", "the dogs ' toys"),
            ("'twas 50% of $7 & a@b.c #1", "'t was 50 % of $ 7 & a @ b.c # 1"),
            ("今天很好。", "今 天 很 好 。"),
            ("", ""),
        ] {
            assert_eq!(split_words(text).join(" "), words, "{text}");
        }
    }

    #[test]
    fn sequences_are_numbered_as_if_they_were_compared_word_by_word() {
        let words = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        let texts = [words(&"abcab".repeat(40)), words(&"bcaba".repeat(30))];
        for size in 1..=150 {
            let numbers = number_sequences(&texts, size);
            let sequences: Vec<&[String]> = texts.iter().flat_map(|text| text.windows(size)).collect();
            let numbers: Vec<usize> = numbers.concat();
            assert_eq!(numbers.len(), sequences.len(), "{size}");
            let mut by_sequence = HashMap::new();
            let mut by_number = HashMap::new();
            for (sequence, number) in sequences.iter().zip(numbers) {
                assert_eq!(*by_sequence.entry(*sequence).or_insert(number), number, "{size}");
                assert_eq!(*by_number.entry(number).or_insert(*sequence), *sequence, "{size}");
            }
        }
    }

    #[test]
    fn a_shared_word_counts_at_most_as_often_as_in_either_text() {
        let close = |one: f64, other: f64| (one - other).abs() < 1e-9;
        assert!(close(measure_rouge("The cat sat", "the cat sat on the mat", 1), 2.0 * 3.0 / 9.0));
        assert!(close(measure_rouge("the the the", "the cat", 1), 2.0 / 5.0));
        assert!(close(measure_rouge("a b c", "a b d", 2), 0.5));
        assert!(close(measure_rouge("a b c d e f g h", "x b c d e f g h", 7), 0.5));
        assert!(close(measure_rouge("", "a", 1), 0.0) && close(measure_rouge("a", "a b", 2), 0.0));
    }
}
