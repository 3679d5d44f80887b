//! The writer.

use std::fmt::{self, Write};

use crate::json::tree::JsonNode;

/// Renders a value as it stands among words: a string without its quotes, any other value as JSON.
pub fn render_plain(value: &JsonNode) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Writes compact JSON; with `{:#}`, JSON with an indentation of two blanks.
impl fmt::Display for JsonNode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indent = f.alternate().then_some(0);
        write_value(f, self, indent)
    }
}

/// Writes a value. `indent` is the number of levels above it; `None` writes it on one line.
pub(super) fn write_value(out: &mut impl Write, value: &JsonNode, indent: Option<usize>) -> fmt::Result {
    match value {
        JsonNode::Null => out.write_str("null"),
        JsonNode::Bool(flag) => write!(out, "{flag}"),
        JsonNode::Number(number) => write!(out, "{number}"),
        JsonNode::String(text) => write_text(out, text),
        JsonNode::Array(items) if items.is_empty() => out.write_str("[]"),
        JsonNode::Array(items) => {
            out.write_char('[')?;
            for (place, item) in items.iter().enumerate() {
                separate(out, place, indent)?;
                write_value(out, item, indent.map(|levels| levels + 1))?;
            }
            break_line(out, indent)?;
            out.write_char(']')
        }
        JsonNode::Object(object) if object.is_empty() => out.write_str("{}"),
        JsonNode::Object(object) => {
            out.write_char('{')?;
            for (place, (key, value)) in object.iter().enumerate() {
                separate(out, place, indent)?;
                write_text(out, key)?;
                out.write_str(if indent.is_some() { ": " } else { ":" })?;
                write_value(out, value, indent.map(|levels| levels + 1))?;
            }
            break_line(out, indent)?;
            out.write_char('}')
        }
    }
}

fn separate(out: &mut impl Write, place: usize, indent: Option<usize>) -> fmt::Result {
    if place > 0 {
        out.write_char(',')?;
    }
    break_line(out, indent.map(|levels| levels + 1))
}

fn break_line(out: &mut impl Write, indent: Option<usize>) -> fmt::Result {
    let Some(levels) = indent else { return Ok(()) };
    out.write_char('\n')?;
    (0..levels).try_for_each(|_| out.write_str("  "))
}

/// Writes a text in quotes.
pub(super) fn write_text(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)) {
        out.write_str(&rest[..at])?;
        match rest.as_bytes()[at] {
            b'"' => out.write_str("\\\"")?,
            b'\\' => out.write_str("\\\\")?,
            b'\n' => out.write_str("\\n")?,
            b'\r' => out.write_str("\\r")?,
            b'\t' => out.write_str("\\t")?,
            0x8 => out.write_str("\\b")?,
            0xc => out.write_str("\\f")?,
            control => write!(out, "\\u{control:04x}")?,
        }
        rest = &rest[at + 1..];
    }
    out.write_str(rest)?;
    out.write_char('"')
}

#[cfg(test)]
mod tests {
    use crate::json::{parse, to_string_pretty};

    #[test]
    fn what_is_written_is_what_serde_json_writes() {
        for text in [
            r#"{"a":[1,{"b":[]},{}],"c":"\u0001\b\f\n\r\t\"\\/é\u007f","d":null,"e":[[true],[false,-1.5]]}"#,
            "[]",
            "\"\"",
        ] {
            let ours = parse(text).expect("JSON");
            let theirs: serde_json::Value = serde_json::from_str(text).expect("JSON");
            assert_eq!(ours.to_string(), theirs.to_string());
            let pretty = serde_json::to_string_pretty(&theirs).expect("JSON");
            assert_eq!(to_string_pretty(&ours).expect("JSON"), pretty);
        }
    }
}
