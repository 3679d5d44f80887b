//! Renders the text of a snapshot as the YAML that insta writes, so that committed snapshots do not change.
//!
//! insta has no public function for this. Its format indents each level by two spaces, indents a list below a key, begins
//! an entry of a list on the line of its dash, and puts a string in double quotes if YAML could read it as another type.

use crate::json::{Json, JsonNumber};
/// Strings that YAML 1.1 reads as booleans or as null.
const KEYWORDS: &[&str] = &[
    "yes", "Yes", "YES", "no", "No", "NO", "True", "TRUE", "true", "False", "FALSE", "false", "on", "On",
    "ON", "off", "Off", "OFF", "null", "Null", "NULL", "~",
];

/// Renders `value` as a YAML document without a header.
pub(super) fn render_yaml(value: &Json) -> String {
    let mut out = String::new();
    write_value(&mut out, value, 0);
    out.push('\n');
    out
}

/// Renders a string as a scalar, with quotes if it needs them.
pub(super) fn render_scalar(text: &str) -> String {
    if needs_quotes(text) { quote(text) } else { text.to_owned() }
}

/// Writes `value` at the end of the current line. Further lines are indented by `indent`.
fn write_value(out: &mut String, value: &Json, indent: usize) {
    match value {
        Json::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                start_entry(out, index, indent);
                out.push_str("- ");
                write_value(out, item, indent + 2);
            }
        }
        Json::Object(entries) if !entries.is_empty() => {
            for (index, (key, value)) in entries.iter().enumerate() {
                start_entry(out, index, indent);
                out.push_str(&render_scalar(key));
                out.push(':');
                write_below_key(out, value, indent + 2);
            }
        }
        // Empty containers have no lines of their own.
        Json::Array(_) => out.push_str("[]"),
        Json::Object(_) => out.push_str("{}"),
        Json::String(text) => out.push_str(&render_scalar(text)),
        Json::Number(number) => out.push_str(&render_number(number)),
        Json::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Json::Null => out.push('~'),
    }
}

/// Writes a value behind `key:`: a scalar or an empty collection on the same line, other collections below.
fn write_below_key(out: &mut String, value: &Json, indent: usize) {
    let is_block = match value {
        Json::Array(items) => !items.is_empty(),
        Json::Object(entries) => !entries.is_empty(),
        _ => false,
    };
    if is_block {
        break_line(out, indent);
    } else {
        out.push(' ');
    }
    write_value(out, value, indent);
}

/// Breaks the line before each entry but the first, which continues the line of its dash or follows its key's line break.
fn start_entry(out: &mut String, index: usize, indent: usize) {
    if index > 0 {
        break_line(out, indent);
    }
}

fn break_line(out: &mut String, indent: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
}

/// Renders a number. A float that is whole has no `.0`.
fn render_number(number: &JsonNumber) -> String {
    let float = number.as_f64().filter(|_| number.is_f64() && number.fits_64_bits());
    float.map_or_else(|| number.to_string(), |float| float.to_string())
}

/// Whether YAML could read the plain text as something other than this string: an indicator, a keyword or a number.
fn needs_quotes(text: &str) -> bool {
    text.is_empty()
        || text.starts_with([' ', '&', '*', '?', '|', '-', '<', '>', '=', '!', '%', '@', '.'])
        || text.ends_with(' ')
        || text.starts_with("0x")
        || text.contains(is_special)
        || KEYWORDS.contains(&text)
        || text.parse::<i64>().is_ok()
        || text.parse::<f64>().is_ok()
}

fn is_special(c: char) -> bool {
    matches!(c, ':' | '{' | '}' | '[' | ']' | ',' | '#' | '`' | '"' | '\'' | '\\')
        || matches!(c, '\0'..='\x06' | '\t' | '\n' | '\r' | '\x0e'..='\x1a' | '\x1c'..='\x1f')
}

fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\x08' => quoted.push_str("\\b"),
            '\t' => quoted.push_str("\\t"),
            '\n' => quoted.push_str("\\n"),
            '\x0c' => quoted.push_str("\\f"),
            '\r' => quoted.push_str("\\r"),
            // insta writes control characters as `\u`, with four digits.
            c if c.is_ascii_control() => quoted.extend(format!("\\u{:04x}", u32::from(c)).chars()),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use crate::json::json;
    use std::fs;
    use std::path::Path;

    use walkdir::WalkDir;

    use super::super::pinned::snapshot_text;
    use super::*;
    use crate::place::Source;
    use crate::yaml::Document;

    #[test]
    fn committed_snapshots_are_rendered_as_they_are() {
        let evals = Path::new(env!("CARGO_MANIFEST_DIR")).join("evals");
        let files = WalkDir::new(evals).into_iter().map(|entry| entry.expect("an entry").into_path());
        let snapshots: Vec<_> =
            files.filter(|path| path.extension().is_some_and(|is| is == "snap")).collect();
        assert!(snapshots.len() > 100, "{} snapshots", snapshots.len());
        for path in snapshots {
            let file = fs::read_to_string(&path).expect("a text");
            let text = snapshot_text(&file).expect("a header");
            let documents = Document::parse(&Source::new("snapshot", text)).expect("YAML");
            let value: Json = documents[0].root().decode().expect("a value");
            assert_eq!(render_yaml(&value), text, "{}", path.display());
        }
    }

    /// Recorded from insta 1.49.
    #[test]
    fn odd_values_are_rendered_as_insta_renders_them() {
        let value = json!({
            "empty": [[], {}, null, true, ""],
            "nested": [[1, [2, -3]], {"a": {"b": [1.0, 0.5, 1e21, 18_446_744_073_709_551_615_u64]}, "c: d": "e"}],
            "texts": [
                "a b", " a", "a ", "-a", "a-b", ".5", "1e5", "0x1", "yes", "y", "~", "a#b", "it's", "é\u{7f}",
                "tab\tline\nbell\u{7}\u{8}\u{b}\u{c}\u{1b}", "\\", "a`b", "@x", "x@y", "+1", "nan", "1_000",
            ],
        });
        assert_eq!(render_yaml(&value), include_str!("pinned_yaml.txt"));
    }
}
