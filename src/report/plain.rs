//! Escaping of untrusted text: traces and model answers may contain anything.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::Serialize;

pub use crate::outcome::count_noun;
pub(crate) use crate::outcome::truncate_text;

use crate::json;

/// Escapes everything in `text` that could move a cursor, change a colour, reorder letters or command a CI server, as
/// `\u{..}`. Line breaks stay.
pub fn escape_text(text: &str) -> Cow<'_, str> {
    let legible = escape_dangerous_chars(text);
    escape_ci_commands(&legible).map_or(legible, Cow::Owned)
}

/// Escapes like [`escape_text`], except CI commands: for formats that break such commands in their own way.
pub(super) fn escape_dangerous_chars(text: &str) -> Cow<'_, str> {
    // Almost all texts are safe, and need no copy.
    if !text.chars().any(is_dangerous) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_dangerous(c) { safe.extend(c.escape_unicode()) } else { safe.push(c) }
    }
    Cow::Owned(safe)
}

/// Escapes CI commands. GitHub runs `::error ...` at the start of a line, after spaces, and `##[error]` anywhere; Azure
/// runs `##vso[...]` anywhere. Returns `None` if `text` contains no command.
fn escape_ci_commands(text: &str) -> Option<String> {
    // Almost no text contains a command, and `contains` is much faster than looking at each line.
    let has_command_line = text.contains("::") && text.lines().any(starts_ci_command);
    if !text.contains("##[") && !text.contains("##vso[") && !has_command_line {
        return None;
    }
    let lines = text.split('\n').map(|line| {
        let line = line.replace("##[", "#\\u{23}[").replace("##vso[", "#\\u{23}vso[");
        if starts_ci_command(&line) { line.replacen("::", "\\u{3a}:", 1) } else { line }
    });
    Some(lines.collect::<Vec<_>>().join("\n"))
}

fn starts_ci_command(line: &str) -> bool {
    line.trim_start().starts_with("::")
}

/// Escapes like [`escape_text`] and puts the text on one line.
pub fn escape_line(text: &str) -> String {
    escape_text(&escape_line_breaks(text)).into_owned()
}

/// Writes the line breaks of `text` as `
/// `.
pub(super) fn escape_line_breaks(text: &str) -> String {
    text.replace("\r\n", "\\n").replace('\n', "\\n")
}

/// Serializes `value` as JSON that is safe in a terminal, in a CI log, and inside a page. The value stays the same:
/// dangerous characters occur only inside strings, where JSON can escape them.
pub fn render_safe_json<T: Serialize + ?Sized>(value: &T) -> String {
    escape_json(&json::to_string(value).unwrap_or_else(|_| "null".to_owned()))
}

/// Escapes like [`render_safe_json`], for JSON that is already serialized.
pub fn escape_json(text: &str) -> String {
    // Azure runs `##[` and `##vso[` anywhere in a log, also inside JSON.
    let text = text.replace("##", "#\\u0023");
    // Most texts need no escape, and are returned as they are.
    if !text.chars().any(|c| c == '<' || is_dangerous(c)) {
        return text;
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if c != '<' && !is_dangerous(c) {
            safe.push(c);
            continue;
        }
        // JSON writes a character beyond the basic plane as a pair of surrogates.
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(safe, "\\u{unit:04x}");
        }
    }
    safe
}

/// Whether a character is invisible, joins or reorders its neighbours, or controls the terminal. Noncharacters are invalid
/// in XML.
fn is_dangerous(c: char) -> bool {
    let joins = matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    );
    let layout = matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e007f}');
    // Line breaks are kept, since texts of several lines are rendered as such.
    joins || layout || (c.is_control() && c != '\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_says_the_same_in_harmless_characters() {
        let text = "\u{1b}[31m\u{9b}\u{202e}\u{e0041}</script>##[error]\n###";
        let written = render_safe_json(text);
        assert!(written.is_ascii() && !written.contains('<') && !written.contains("##"), "{written}");
        assert_eq!(json::from_str::<String>(&written).expect("JSON"), text);
    }

    #[test]
    fn a_ci_server_finds_no_command() {
        assert_eq!(
            escape_text("a\n  ::error file=x::boo\n::add-mask::x"),
            "a\n  \\u{3a}:error file=x::boo\n\\u{3a}:add-mask::x"
        );
        assert_eq!(escape_text("look: ##[error]boo ##vso[x]"), "look: #\\u{23}[error]boo #\\u{23}vso[x]");
        assert!(matches!(escape_text("a::b ## [x]"), Cow::Borrowed(_)));
    }

    #[test]
    fn escapes_are_spelled_out() {
        assert_eq!(escape_text("a\u{1b}[31mred\u{7}"), "a\\u{1b}[31mred\\u{7}");
        assert_eq!(escape_text("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(escape_line("a\nb\r\nc"), "a\\nb\\nc");
        assert!(matches!(escape_text("schön\nist das"), Cow::Borrowed(_)));
    }
}
