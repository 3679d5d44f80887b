//! Halves of characters: programs that cut a text by its UTF-16 units leave one half of a pair in an escape, `\ud83d`.
//!
//! JSON admits such an escape and a Rust text does not. So each is read as a character of its own, at the end of the last
//! private plane, which keeps the value of the half. When all pieces of a text have been put together, two halves that met
//! are the character that they were, and one that stayed alone is U+FFFD.

use serde_json::Value;

use crate::trace::{Arguments, Trace};

/// The first of the 2,048 characters that stand for halves while a file is read.
const FIRST: u32 = 0x10_F800;
/// The first half of all: the first one of a pair is before `SECOND`.
const HALVES: u32 = 0xD800;
const SECOND: u32 = 0xDC00;
const END: u32 = 0xE000;

/// Returns a JSON text with a character in place of each half that stands alone; `None` if there is none.
pub(crate) fn replace_halves(json: &str) -> Option<String> {
    let bytes = json.as_bytes();
    let (mut replaced, mut kept, mut at) = (String::new(), 0, 0);
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        let start = at + found;
        let Some(unit) = read_escape(bytes, start) else {
            // Another escape: what follows the backslash is no beginning of an escape.
            at = (start + 2).min(bytes.len());
            continue;
        };
        at = start + 6;
        let is_pair = (HALVES..SECOND).contains(&unit)
            && read_escape(bytes, at).is_some_and(|next| (SECOND..END).contains(&next));
        if is_pair {
            at += 6;
        } else if let Some(half) = find_half(unit) {
            replaced.push_str(&json[kept..start]);
            replaced.push(half);
            kept = at;
        }
    }
    (kept > 0).then(|| replaced + &json[kept..])
}

/// Returns the character that stands for a half.
fn find_half(unit: u32) -> Option<char> {
    (HALVES..END).contains(&unit).then(|| char::from_u32(FIRST + (unit - HALVES))).flatten()
}

/// Reads the unit of the escape `\uXXXX` at `start`.
fn read_escape(bytes: &[u8], start: usize) -> Option<u32> {
    let escape = bytes.get(start..start + 6)?.strip_prefix(b"\\u")?;
    if !escape.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(escape).ok()?, 16).ok()
}

/// Joins the halves of a run that was read from a text with halves.
pub(crate) fn join_halves(run: &mut Trace) {
    let texts = [
        &mut run.id,
        &mut run.agent,
        &mut run.model,
        &mut run.input,
        &mut run.answer,
        &mut run.answer_reasoning,
        &mut run.stop_reason,
    ];
    texts.into_iter().flatten().for_each(join_in_text);
    for message in &mut run.messages {
        join_in_text(&mut message.text);
        message.reasoning.iter_mut().for_each(join_in_text);
    }
    for call in &mut run.calls {
        join_in_text(&mut call.name);
        match &mut call.arguments {
            Arguments::Json(value) => join_in_value(value),
            Arguments::Broken { raw, .. } => join_in_text(raw),
            Arguments::Unrecorded => {}
        }
        call.result.iter_mut().for_each(join_in_value);
        call.error.iter_mut().for_each(join_in_text);
    }
}

fn join_in_value(value: &mut Value) {
    match value {
        Value::String(text) => join_in_text(text),
        Value::Array(items) => items.iter_mut().for_each(join_in_value),
        Value::Object(entries) => entries.iter_mut().for_each(|(_, value)| join_in_value(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn join_in_text(text: &mut String) {
    let half_of = |char: char| u32::from(char).checked_sub(FIRST).map(|half| half + HALVES);
    if !text.chars().any(|char| half_of(char).is_some()) {
        return;
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
    *text = joined;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_kept_until_their_texts_are_whole() {
        let texts = |json: &str| -> String {
            let replaced = replace_halves(json).unwrap_or_else(|| json.to_owned());
            let pieces: Vec<String> = serde_json::from_str(&replaced).expect("JSON");
            let mut text = pieces.concat();
            join_in_text(&mut text);
            text
        };
        assert_eq!(texts(r#"["a\ud83d", "\ude00b"]"#), "a\u{1f600}b");
        assert_eq!(texts(r#"["a\ud83d", "b\ude00"]"#), "a\u{fffd}b\u{fffd}");
        assert_eq!(texts(r#"["\ude00\ud83d\ud83d\ude00"]"#), "\u{fffd}\u{fffd}\u{1f600}");
        assert_eq!(texts(r#"["\ud83d\ude00 \\ud83d"]"#), "\u{1f600} \\ud83d");
    }

    #[test]
    fn a_text_without_a_lone_half_is_left_as_it_is() {
        for text in [r#"{"a": "\ud83d\ude00"}"#, r#"{"a": "\\ud83d"}"#, r#""\u00e9""#, "\"\\", "\\u12", ""] {
            assert_eq!(replace_halves(text), None, "{text}");
        }
    }
}
