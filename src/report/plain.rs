//! Untrusted text made harmless: traces and model answers may hold anything.

use std::borrow::Cow;

/// `text` with everything that could move a cursor, change a colour or reorder letters written out as `\u{..}`.
/// Line breaks stay.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_dangerous) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_dangerous(c) { safe.extend(c.escape_unicode()) } else { safe.push(c) }
    }
    Cow::Owned(safe)
}

/// Like [`plain`], on one line.
pub fn one_line(text: &str) -> String {
    plain(&text.replace("\r\n", "\\n").replace('\n', "\\n")).into_owned()
}

fn is_dangerous(c: char) -> bool {
    let joins = matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{feff}');
    let layout = matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e007f}');
    joins || layout || (c.is_control() && c != '\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_spelled_out() {
        assert_eq!(plain("a\u{1b}[31mred\u{7}"), "a\\u{1b}[31mred\\u{7}");
        assert_eq!(plain("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(one_line("a\nb\r\nc"), "a\\nb\\nc");
        assert!(matches!(plain("schön\nist das"), Cow::Borrowed(_)));
    }
}
