//! Characters that nobody sees in a name, and how a message shows them.

/// Whether `c` is a character that nobody sees in a name: it joins or reorders its neighbours, or has no width.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether `c` cannot be a part of the name of a tool: white space, a control or an invisible character.
pub(crate) fn is_no_name_char(c: char) -> bool {
    c.is_whitespace() || c.is_control() || is_invisible(c)
}

/// Shows a name in a message, with its invisible characters written out.
pub(crate) fn show_name(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    for c in name.chars() {
        if c != ' ' && is_no_name_char(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    shown
}
