//! Escaping for XML documents and HTML pages.

use super::plain::{escape_dangerous_chars, escape_line_breaks, truncate_text};

/// The largest length of a claim or a name in Markdown, in characters.
const MAX_CODE_CHARS: usize = 300;

/// Escapes `text` for use between two tags. Line breaks stay.
pub(super) fn escape_markup(text: &str) -> String {
    let text = escape_dangerous_chars(text);
    let lines: Vec<String> = text.split('\n').map(escape_markup_line).collect();
    lines.join("\n")
}

/// Escapes `text` for use between quotes, or between two tags on one line.
pub(super) fn escape_attribute(text: &str) -> String {
    escape_entities(&escape_dangerous_chars(&escape_line_breaks(text)))
}

/// Renders text as inline code, cut to [`MAX_CODE_CHARS`].
pub(super) fn render_code(text: &str) -> String {
    format!("<code>{}</code>", escape_attribute(&truncate_text(text, MAX_CODE_CHARS)))
}

/// Escapes one line. A CI log may show the document, and there a line that begins with `::` is a command.
fn escape_markup_line(text: &str) -> String {
    let escaped = escape_entities(text);
    if escaped.trim_start().starts_with("::") { escaped.replacen("::", "&#58;&#58;", 1) } else { escaped }
}

/// Escapes the markup characters. Escaping `>` also removes `]]>`, which XML text must not contain, and escaping `##`
/// removes `##[`, which begins a CI command. Characters that XML forbids were escaped before.
fn escape_entities(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '#' if safe.ends_with('#') => safe.push_str("&#35;"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_that_means_anything() {
        assert_eq!(
            escape_markup("]]>\u{0}\u{ffff}\n<a b=\"c\">"),
            "]]&gt;\\u{0}\\u{ffff}\n&lt;a b=&quot;c&quot;&gt;"
        );
        assert_eq!(escape_attribute("a\n\"b\""), "a\\n&quot;b&quot;");
    }

    #[test]
    fn no_line_is_a_command_of_ci() {
        assert_eq!(
            escape_markup("a::b\n ::error::x\n##[group]###"),
            "a::b\n &#58;&#58;error::x\n#&#35;[group]#&#35;#"
        );
    }
}
