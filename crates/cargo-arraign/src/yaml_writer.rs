//! Writes YAML with lines and blocks, as a person would write it.

use arraign::__internals::yaml::{is_printable, render_entry, render_flow, render_scalar};
use arraign::json::{Json, JsonMap};

/// The longest line of a list or mapping, in characters.
const ONE_LINE: usize = 100;

/// Renders a mapping as a document with one key per line.
pub(crate) fn render_document(mapping: &JsonMap) -> String {
    let mut text = String::new();
    write_entries(&mut text, mapping, 0);
    text
}

/// Renders an entry of a block list, from its dash to its line break. Further lines are indented below the dash, which is
/// in the column `indent`. An entry that fits one line has one.
pub(crate) fn render_item(value: &Json, indent: usize) -> String {
    let line = format!("- {}\n", render_entry(value));
    // A text with line breaks is easier to read as a block.
    if indent + line.chars().count() <= ONE_LINE && !line.contains("\\n") {
        return line;
    }
    let mut text = String::new();
    write_item(&mut text, value, indent);
    text
}

fn write_entries(text: &mut String, mapping: &JsonMap, indent: usize) {
    for (at, (key, value)) in mapping.iter().enumerate() {
        if at > 0 {
            text.extend(std::iter::repeat_n(' ', indent));
        }
        text.push_str(&render_scalar(key));
        text.push(':');
        write_value(text, value, indent);
    }
}

/// Writes a value after its key: on the same line if it is short, otherwise on the next lines.
fn write_value(text: &mut String, value: &Json, indent: usize) {
    match value {
        Json::Object(mapping) if is_long(value, indent) => {
            start_line(text, indent + 2);
            write_entries(text, mapping, indent + 2);
        }
        // A list of mappings is always written below its key, however short, because brackets in brackets are hard to
        // read.
        Json::Array(list) if is_long(value, indent) || list.iter().any(is_mapping) => {
            for entry in list {
                start_line(text, indent + 2);
                write_item(text, entry, indent + 2);
            }
        }
        Json::String(words) if is_block(words) => write_block(text, words, indent + 2),
        short => {
            text.push(' ');
            text.push_str(&render_flow(short));
            text.push('\n');
        }
    }
}

/// Writes an entry of a list. Further lines are indented below its dash.
fn write_item(text: &mut String, value: &Json, indent: usize) {
    text.push('-');
    match value {
        Json::Object(mapping) if is_long(value, indent) || is_named(mapping) => {
            text.push(' ');
            write_entries(text, mapping, indent + 2);
        }
        other => write_value(text, other, indent),
    }
}

/// Whether the mapping is a check with settings or a case. The first key of these follows the dash.
fn is_named(mapping: &JsonMap) -> bool {
    mapping.len() == 1 || mapping.contains_key("id")
}

fn is_mapping(value: &Json) -> bool {
    matches!(value, Json::Object(mapping) if !mapping.is_empty())
}

fn is_long(value: &Json, indent: usize) -> bool {
    let is_empty = match value {
        Json::Object(mapping) => mapping.is_empty(),
        Json::Array(list) => list.is_empty(),
        _ => false,
    };
    // An empty value is written as `[]` or `{}`, however far to the right it stands.
    !is_empty && (holds_block(value) || indent + render_flow(value).chars().count() > ONE_LINE)
}

fn holds_block(value: &Json) -> bool {
    match value {
        Json::String(words) => is_block(words),
        Json::Array(list) => list.iter().any(holds_block),
        Json::Object(mapping) => mapping.values().any(holds_block) || mapping.contains_key("id"),
        _ => false,
    }
}

fn start_line(text: &mut String, indent: usize) {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.extend(std::iter::repeat_n(' ', indent));
}

/// Whether a text with several lines can be a block.
fn is_block(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let blank_first = body.starts_with([' ', '\n']);
    body.contains('\n') && !body.ends_with(['\n', ' ']) && !blank_first && text.chars().all(is_printable)
}

fn write_block(text: &mut String, words: &str, indent: usize) {
    text.push_str(if words.ends_with('\n') { " |\n" } else { " |-\n" });
    for row in words.lines() {
        // An empty line gets no blanks, which an editor would remove.
        if !row.is_empty() {
            text.extend(std::iter::repeat_n(' ', indent));
        }
        text.push_str(row);
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arraign::__internals::place::Source;
    use arraign::__internals::yaml::Document;
    use arraign::json::json;

    fn read_back(value: &Json) -> (String, Json) {
        let text = render_document(value.as_object().expect("a mapping"));
        let documents = Document::parse(&Source::new("written.yaml", text.clone()));
        let root = documents.unwrap_or_else(|errors| panic!("{errors}\n{text}")).remove(0).root;
        let document = Document { source: Source::new("written.yaml", ""), root };
        (text, document.root().to_json())
    }

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
        let (text, back) = read_back(&value);
        assert_eq!(back, value, "{text}");
    }

    #[test]
    fn nested_values_come_back() {
        let value = json!({
            "suite": "a", "empty": {}, "none": [], "nothing": null, "flag": true, "count": -7, "share": 0.25,
            "tests": [
                {"id": "one", "expect": [{"contains": {"value": "x", "case_sensitive": true}}, {"required_tools": ["a", "b"]}]},
                {"id": "two", "deep": [[1, [2, {"three": [{"four": "a text that makes this line long enough to be broken up somewhere"}]}]]]},
                ["a", ["b"]], "text", 3
            ]
        });
        let (text, back) = read_back(&value);
        assert_eq!(back, value, "{text}");
    }

    #[test]
    fn a_case_reads_as_if_written_by_hand() {
        let value = json!({"suite": "shop", "tests": [{"id": "a", "input": "Where is it?\nTell me.", "expect": [
            {"required_tools": ["get_order"]}, {"contains": {"value": "TRK-88", "case_sensitive": true}}]}]});
        let wanted = "suite: shop\ntests:\n  - id: a\n    input: |-\n      Where is it?\n      Tell me.\n    expect:\n      \
                      - required_tools: [get_order]\n      - contains: {value: TRK-88, case_sensitive: true}\n";
        assert_eq!(read_back(&value).0, wanted);
    }
}
