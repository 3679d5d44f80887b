//! The line and column of a JSON pointer in its text.

use serde::de::IgnoredAny;

use crate::json;
use crate::json_text::unescape_token;

/// The line and column, both from 1, at which the value at `pointer` begins; with `on_key`, its key. `text` is one JSON
/// value. A pointer that leads nowhere is at the last value on its way.
pub(crate) fn locate(text: &str, pointer: &str, on_key: bool) -> (usize, usize) {
    let mut at = skip_blanks(text, 0);
    let mut steps = pointer.split('/').skip(1).map(unescape_token).peekable();
    while let Some(step) = steps.next() {
        let Some(entry) = find_entry(text, at, &step) else { break };
        // Only the last step may be about the key; the others lead through their values.
        at = if on_key && steps.peek().is_none() { entry.key } else { entry.value };
    }
    let line_start = text[..at].rfind('\n').map_or(0, |line_break| line_break + 1);
    (text[..at].matches('\n').count() + 1, text[line_start..at].chars().count() + 1)
}

/// The offsets of the key and the value of an entry.
struct EntryOffsets {
    key: usize,
    value: usize,
}

/// Finds the entry under `step` of the object or the list that begins at `at`; of two equal keys, the last.
fn find_entry(text: &str, at: usize, step: &str) -> Option<EntryOffsets> {
    let is_object = text[at..].starts_with('{');
    if !is_object && !text[at..].starts_with('[') {
        return None;
    }
    let mut next = skip_blanks(text, at + 1);
    let mut index = 0;
    let mut found = None;
    // The text was parsed before, so it is JSON: each entry is a value, or a key, a colon and a value.
    while !text[next..].starts_with(['}', ']']) {
        let key = next;
        let mut is_wanted = index.to_string() == step;
        if is_object {
            let end = end_of_value(text, key)?;
            is_wanted = json::from_str::<String>(&text[key..end]).is_ok_and(|key| key == step);
            next = skip_blanks(text, skip_blanks(text, end) + 1);
        }
        // The search goes on after a match: a duplicate key is shown at its last place.
        if is_wanted {
            found = Some(EntryOffsets { key, value: next });
        }
        let end = skip_blanks(text, end_of_value(text, next)?);
        next = if text[end..].starts_with(',') { skip_blanks(text, end + 1) } else { end };
        index += 1;
    }
    found
}

fn end_of_value(text: &str, at: usize) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some(at + values.byte_offset())
}

fn skip_blanks(text: &str, at: usize) -> usize {
    let blanks = text.as_bytes()[at..].iter().take_while(|byte| byte.is_ascii_whitespace());
    at + blanks.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_found_by_line_and_column() {
        let text = "\n{\"a/b\": [1,\n  {\"ä\": \"ö\", \"c\" : 2}], \"e\": [], \"f\": 1, \"f\": 2}";
        for (pointer, on_key, place) in [
            ("", false, (2, 1)),
            ("/a~1b", true, (2, 2)),
            ("/a~1b", false, (2, 9)),
            ("/a~1b/0", false, (2, 10)),
            ("/a~1b/1/c", true, (3, 14)),
            ("/a~1b/1/c", false, (3, 20)),
            ("/f", false, (3, 47)),
            ("/a~1b/7/c", false, (2, 9)),
        ] {
            assert_eq!(locate(text, pointer, on_key), place, "{pointer}");
        }
    }
}
