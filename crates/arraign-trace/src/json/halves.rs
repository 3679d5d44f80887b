//! Halves of characters: programs that cut a text by its UTF-16 units leave one half of a pair in an escape, `\ud83d`.
//!
//! JSON admits such an escape and a Rust text does not. So each is read as a character of its own, at the end of the last
//! private plane, which keeps the value of the half. When all pieces of a text have been put together, two halves that met
//! are the character that they were, and one that stayed alone is U+FFFD.

/// The first of the 2,048 characters that stand for halves while a file is read.
const FIRST: u32 = 0x10_F800;
/// The first half of all: the first one of a pair is before `SECOND`.
const HALVES: u32 = 0xD800;
const SECOND: u32 = 0xDC00;
const END: u32 = 0xE000;

/// Returns the character that stands for the half of a character `unit`.
pub(crate) fn keep_half(unit: u32) -> char {
    let half = (HALVES..END).contains(&unit).then(|| char::from_u32(FIRST + (unit - HALVES))).flatten();
    half.unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Returns the text with its halves joined; `None` if it has none.
pub(crate) fn join_halves(text: &str) -> Option<String> {
    let half_of = |char: char| u32::from(char).checked_sub(FIRST).map(|half| half + HALVES);
    if !text.chars().any(|char| half_of(char).is_some()) {
        return None;
    }
    let mut joined = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let Some(half) = half_of(char) else {
            joined.push(char);
            continue;
        };
        let next = chars.peek().copied().and_then(half_of).filter(|next| *next >= SECOND && half < SECOND);
        let whole =
            next.and_then(|next| char::from_u32(0x1_0000 + ((half - HALVES) << 10) + (next - SECOND)));
        if whole.is_some() {
            chars.next();
        }
        joined.push(whole.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    Some(joined)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::JsonValues;

    #[test]
    fn halves_are_kept_until_their_texts_are_whole() {
        let texts = |json: &str| -> String {
            let (_, value) = JsonValues::with_halves(json).next().expect("JSON").expect("a value");
            let text: String =
                value.as_array().into_iter().flatten().filter_map(|piece| piece.as_str()).collect();
            join_halves(&text).unwrap_or(text)
        };
        assert_eq!(texts(r#"["a\ud83d", "\ude00b"]"#), "a\u{1f600}b");
        assert_eq!(texts(r#"["a\ud83d", "b\ude00"]"#), "a\u{fffd}b\u{fffd}");
        assert_eq!(texts(r#"["\ude00\ud83d\ud83d\ude00"]"#), "\u{fffd}\u{fffd}\u{1f600}");
        assert_eq!(texts(r#"["\ud83d\ude00 \\ud83d"]"#), "\u{1f600} \\ud83d");
    }
}
