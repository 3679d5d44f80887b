//! Renders values as YAML on one line. Every text that YAML could read as another value is quoted.

use crate::json::Json;
/// Renders an entry of a block list on one line, without its dash. A mapping with one key has no braces.
pub fn render_entry(value: &Json) -> String {
    match value.as_object().and_then(|map| map.iter().next().filter(|_| map.len() == 1)) {
        Some((key, value)) => format!("{}: {}", render_scalar(key), render_flow(value)),
        None => render_flow(value),
    }
}

/// Renders a value on one line.
pub fn render_flow(value: &Json) -> String {
    match value {
        Json::String(text) => render_scalar(text),
        Json::Array(list) => format!("[{}]", list.iter().map(render_inside).collect::<Vec<_>>().join(", ")),
        Json::Object(mapping) => {
            let entries = mapping
                .iter()
                .map(|(key, value)| format!("{}: {}", render_scalar(key), render_inside(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Renders a value inside of brackets or braces. Some parsers, such as `PyYAML`, end a bare text there at a question mark.
fn render_inside(value: &Json) -> String {
    match value {
        Json::String(text) if text.contains('?') && is_bare(text) => quote_text(text),
        value => render_flow(value),
    }
}

/// Renders a text. It is bare if YAML reads it as this text, and quoted otherwise: like JSON, unless that
/// would double the backslashes of a pattern.
pub fn render_scalar(text: &str) -> String {
    // In single quotes, backslashes stay as they are; the text must not contain such a quote itself.
    let is_pattern = text.contains(['\\', '"']) && !text.contains('\'') && text.chars().all(is_printable);
    match text {
        bare if is_bare(bare) => bare.to_owned(),
        pattern if is_pattern && !pattern.contains('\n') => format!("'{pattern}'"),
        other => quote_text(other),
    }
}

/// Whether YAML accepts the character unescaped, which includes line breaks.
pub fn is_printable(c: char) -> bool {
    let odd = matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    c == '\n' || !(c.is_control() || odd)
}

fn is_bare(text: &str) -> bool {
    // Only characters that have no meaning anywhere in a plain YAML scalar.
    let inner = text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./ ()?!$'+=;".contains(c));
    let first = text.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || "_$".contains(c));
    let named = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let means_more = named.iter().any(|word| text.eq_ignore_ascii_case(word));
    first && text.len() <= 80 && !text.ends_with(' ') && inner && !means_more
}

/// Quotes a text like JSON, and also escapes characters that YAML does not accept.
fn quote_text(text: &str) -> String {
    let json = Json::from(text).to_string();
    json.chars().map(escape_unprintable).collect()
}

fn escape_unprintable(c: char) -> String {
    if is_printable(c) { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{JsonMap, json};
    use crate::place::Source;
    use crate::yaml::Document;

    /// Texts that YAML could read as another value.
    #[rustfmt::skip]
    const DOUBTFUL: &[&str] = &[
        "", " ", "yes", "No", "null", "~", "1", "1.5", "0x1f", "1e3", "-", "- a",
        "a: b", "a #b", "#a", "*a", "&a", "!a", "|", ">", "%a", "@a", "`a`", "'a'",
        "\"a\"", "[a]", "{a}", "a,b", "a: ", ":", "?", "? a", "\t", "a\tb", "a\nb", "a\n",
        "\na", " a", "a ", "a\n b", " a\nb", "a\r\nb", "a\nb\n", "a\nb\n\n", "a\n\nb", "\u{0}", "\u{7f}\u{85}\u{9f}", "\u{feff}a",
        "\u{2028}", "ä", "🦀", "---", "...", "--- a", "2001-01-01", "a\\b", "\\d+", "=", "<<", ".inf",
        "+1", "a\n#b", "a\n---\nb", "x\n- y: {z}\n",
    ];

    #[test]
    fn doubtful_texts_come_back_as_texts() {
        let mut mapping = JsonMap::new();
        for (at, text) in DOUBTFUL.iter().enumerate() {
            mapping.insert(format!("k{at}"), json!([text, {"id": text, "in": [text]}]));
            // As a key, this text merges mappings, even if it is quoted.
            if *text != "<<" {
                mapping.insert((*text).to_owned(), json!(text));
            }
        }
        let value = Json::Object(mapping);
        let text = render_flow(&value);
        let documents = Document::parse(&Source::new("written.yaml", text.clone()));
        let root = documents.unwrap_or_else(|errors| panic!("{errors}\n{text}")).remove(0).root;
        let document = Document { source: Source::new("written.yaml", ""), root };
        assert_eq!(document.root().to_json(), value, "{text}");
    }
}
