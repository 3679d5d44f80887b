//! The nearest known word to one that is not known.

/// The candidate that `word` most likely means: equal but for case, `-` and `_`, or a few edits away.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let mut candidates = candidates.into_iter().peekable();
    candidates.peek()?;
    let wanted = fold(word);
    // A third of the word may be wrong: with more, anything would be similar to a short word.
    let limit = (wanted.chars().count() / 3).max(1);
    candidates
        .map(|candidate| (strsim::damerau_levenshtein(&wanted, &fold(candidate)), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn fold(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}

/// The help for an unknown word: the nearest known one, else all of them when they are few.
pub fn did_you_mean(word: &str, known: &[&str]) -> Option<String> {
    if let Some(near) = nearest(word, known.iter().copied()) {
        return Some(format!("did you mean `{near}`?"));
    }
    match known {
        [] => None,
        [only] => Some(format!("only `{only}` is known here")),
        few if few.len() <= 12 => Some(format!("known here: `{}`", few.join("`, `"))),
        _ => None,
    }
}

/// Whether two texts look the same and differ only in how letters with marks are encoded: as one character in one text
/// (Unicode NFC), and as a letter with marks behind it in the other (NFD).
pub fn has_other_encoding(one: &str, other: &str) -> bool {
    one != other && are_same_letters(&read_letters(one), &read_letters(other))
}

/// Returns `text` with `part` in place of the piece that looks like `part`, and differs from it only in the encoding of
/// letters with marks. `None` if there is no such piece.
pub fn adopt_encoding(text: &str, part: &str) -> Option<String> {
    let wanted = read_letters(part);
    let letters = read_letters(text);
    if wanted.is_empty() {
        return None;
    }
    let at = letters.windows(wanted.len()).position(|window| are_same_letters(window, &wanted))?;
    let start = letters[at].start;
    let end = letters.get(at + wanted.len()).map_or(text.len(), |next| next.start);
    (&text[start..end] != part).then(|| format!("{}{part}{}", &text[..start], &text[end..]))
}

/// A letter of a text, and the marks behind it.
struct Letter {
    base: char,
    marks: String,
    /// The byte at which its character begins.
    start: usize,
}

/// Reads the letters of a text. Korean syllables are taken apart, as macOS does in names of files.
fn read_letters(text: &str) -> Vec<Letter> {
    let mut letters: Vec<Letter> = Vec::new();
    for (start, c) in text.char_indices() {
        match letters.last_mut() {
            Some(last) if is_mark(c) => last.marks.push(c),
            _ => split_syllable(c, |base| letters.push(Letter { base, marks: String::new(), start })),
        }
    }
    letters
}

/// Whether each pair is the same letter, or a letter with marks beside a single character. A table of all compositions
/// would be exact. Texts that agree in everything else need none: `é` is beside `e` with a mark.
fn are_same_letters(ones: &[Letter], others: &[Letter]) -> bool {
    let is_composed = |letter: char| !letter.is_ascii() && letter.is_alphabetic();
    ones.len() == others.len()
        && ones.iter().zip(others).all(|(one, other)| match (one.marks.is_empty(), other.marks.is_empty()) {
            (false, true) => is_composed(other.base),
            (true, false) => is_composed(one.base),
            _ => one.base == other.base && one.marks == other.marks,
        })
}

/// Whether a character is a mark of the letter before it: an accent, or the voicing of a Japanese letter.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{3099}' | '\u{309a}')
}

/// Splits a Korean syllable into its letters, by the arithmetic that Unicode defines for them. Any other character is one.
fn split_syllable(c: char, mut push: impl FnMut(char)) {
    if !('\u{ac00}'..='\u{d7a3}').contains(&c) {
        return push(c);
    }
    let index = u32::from(c) - 0xac00;
    let parts = [0x1100 + index / 588, 0x1161 + index % 588 / 28, 0x11a7 + index % 28];
    // The third letter is absent where its index is 0.
    for part in parts.into_iter().filter(|part| *part != 0x11a7) {
        push(char::from_u32(part).unwrap_or(c));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_encodings_of_a_text_are_recognised() {
        for (one, other) in [
            ("caf\u{e9}", "cafe\u{301}"),
            ("\u{1ec7}", "e\u{323}\u{302}"),
            ("\u{304c}", "\u{304b}\u{3099}"),
            ("\u{d55c}\u{ad6d}", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}"),
        ] {
            assert!(has_other_encoding(one, other) && has_other_encoding(other, one), "{one} {other}");
        }
        for (one, other) in
            [("cafe", "cafe"), ("cafe", "caf\u{e9}"), ("cafe", "cafe\u{301}"), ("e\u{301}", "e\u{300}")]
        {
            assert!(!has_other_encoding(one, other), "{one} {other}");
        }
    }

    #[test]
    fn a_piece_in_the_other_encoding_is_replaced() {
        let adopted = adopt_encoding("We meet at the cafe\u{301}.", "caf\u{e9}");
        assert_eq!(adopted.as_deref(), Some("We meet at the caf\u{e9}."));
        assert_eq!(adopt_encoding("\u{1112}\u{1161}\u{11ab}!", "\u{d55c}").as_deref(), Some("\u{d55c}!"));
        assert_eq!(adopt_encoding("We meet at the caf\u{e9}.", "caf\u{e9}"), None);
        assert_eq!(adopt_encoding("We meet.", "caf\u{e9}"), None);
        assert_eq!(adopt_encoding("We meet.", ""), None);
    }

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        let known = ["required_tools", "timeout", "tags"];
        assert_eq!(nearest("requiredTools", known), Some("required_tools"));
        assert_eq!(nearest("timout", known), Some("timeout"));
        assert_eq!(nearest("tgas", known), Some("tags"));
        assert_eq!(nearest("weights", known), None);
    }
}
