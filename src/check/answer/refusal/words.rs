//! A text as words, so that phrases are found whatever stands between their words.

use std::ops::Range;

/// One word of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// In lower case, with straight apostrophes inside.
    pub(super) text: String,
    /// The byte range of the word.
    pub(super) range: Range<usize>,
    /// Whether a clause begins with it: no phrase runs over the end of one.
    pub(super) opens: bool,
}

/// The words of `text`. Commas, quotes and markup between words are no matter.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut start = None;
    let mut opens = true;
    // The space behind the end closes the last word.
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if is_part(c) {
            start.get_or_insert(at);
            continue;
        }
        if let Some(word) = start.take().and_then(|start| build_word(text, start..at, opens)) {
            words.push(word);
            opens = false;
        }
        // The next word begins a sentence behind one of these, or behind an empty line.
        opens |= matches!(c, '.' | '!' | '?' | ';' | ':') || text[at..].starts_with("\n\n");
    }
    words
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || is_apostrophe(c)
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2bc}' | '`')
}

/// The word at `range`, unless that holds quotes alone.
fn build_word(text: &str, range: Range<usize>, opens: bool) -> Option<Word> {
    let bare = text[range.clone()].trim_start_matches(is_apostrophe);
    let start = range.end - bare.len();
    let bare = bare.trim_end_matches(is_apostrophe);
    let text = bare.replace(is_apostrophe, "'").to_lowercase();
    (!bare.is_empty()).then(|| Word { text, range: start..start + bare.len(), opens })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_bare_and_know_where_a_clause_begins() {
        let text = "Sorry: \u{2018}I CAN\u{2019}T\u{2019}, **really**!\n\nNo";
        let found: Vec<(String, bool)> =
            words(text).into_iter().map(|word| (word.text, word.opens)).collect();
        let wanted = [("sorry", true), ("i", true), ("can't", false), ("really", false), ("no", true)];
        assert_eq!(found, wanted.map(|(word, opens)| (word.to_owned(), opens)));
        assert!(words("'' .. \u{2019}").is_empty());
        for word in words(text) {
            assert_eq!(text[word.range].to_lowercase().replace('\u{2019}', "'"), word.text);
        }
    }
}
