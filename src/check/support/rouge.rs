//! ROUGE-N: the words that two texts share.

use std::collections::HashMap;

use crate::outcome::count_to_f64;
use crate::pattern::is_unspaced;

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
pub(crate) fn measure_rouge(text: &str, reference: &str, size: usize) -> f64 {
    let words = [text, reference].map(|text| split_words(&text.to_lowercase()));
    let [found, wanted] = &words;
    if found.len() < size || wanted.len() < size {
        return 0.0;
    }
    let mut left: HashMap<&[String], usize> = HashMap::new();
    for sequence in wanted.windows(size) {
        *left.entry(sequence).or_default() += 1;
    }
    // Each sequence of the reference is used up by one of the text, so that a repeated word earns nothing.
    let shared = found.windows(size).filter(|sequence| match left.get_mut(*sequence) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    });
    // The F1 of `shared / found` and `shared / wanted` is twice the shared part of all sequences.
    let (shared, all) = (shared.count(), found.len() + wanted.len() + 2 - 2 * size);
    count_to_f64(2 * shared) / count_to_f64(all)
}

/// Splits a text into words as the Penn Treebank does: punctuation, endings such as `'s` and both parts of `cannot` are
/// words. Of a script without blanks, each character is one.
fn split_words(text: &str) -> Vec<String> {
    let text = pad_final_period(&pad_punctuation(text));
    text.split_whitespace().flat_map(split_token).map(str::to_owned).collect()
}

/// Puts blanks around punctuation. A comma or colon before a digit is part of a number, and a single period stays.
fn pad_punctuation(text: &str) -> String {
    let (mut padded, mut rest) = (String::with_capacity(text.len() * 2), text);
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
    fn a_shared_word_counts_at_most_as_often_as_in_either_text() {
        let close = |one: f64, other: f64| (one - other).abs() < 1e-9;
        assert!(close(measure_rouge("The cat sat", "the cat sat on the mat", 1), 2.0 * 3.0 / 9.0));
        assert!(close(measure_rouge("the the the", "the cat", 1), 2.0 / 5.0));
        assert!(close(measure_rouge("a b c", "a b d", 2), 0.5));
        assert!(close(measure_rouge("", "a", 1), 0.0) && close(measure_rouge("a", "a b", 2), 0.0));
    }
}
