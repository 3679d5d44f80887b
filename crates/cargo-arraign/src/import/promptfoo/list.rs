//! Lists that are written as one text: `a, "b, c"`.

/// Splits a text at commas. A field in double quotes may contain commas; `""` and `\"` in it are a quote, and `\\` is a
/// backslash. Blanks around a field do not count, and empty fields are left out.
pub(super) fn split_list(text: &str) -> Vec<String> {
    let mut fields = Vec::new();
    let mut rest = text.trim_start_matches(is_separator);
    while !rest.is_empty() {
        let (field, after) = if let Some(quoted) = rest.strip_prefix('"') {
            read_quoted(quoted)
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            (rest[..end].trim().to_owned(), &rest[end..])
        };
        fields.push(field);
        // Several separators in a row leave an empty field between them, which does not count.
        rest = after.trim_start_matches(is_separator);
    }
    fields
}

fn is_separator(c: char) -> bool {
    c == ',' || c.is_whitespace()
}

/// Reads a field after its opening quote. Returns the field, and the text after the closing quote.
fn read_quoted(text: &str) -> (String, &str) {
    let mut field = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        match (c, next) {
            ('\\', Some(escaped @ ('"' | '\\'))) => {
                field.push(escaped);
                chars.next();
            }
            ('"', Some('"')) => {
                field.push('"');
                chars.next();
            }
            ('"', _) => return (field, &text[at + 1..]),
            _ => field.push(c),
        }
    }
    // The rest behind an unclosed quote belongs to the field, so nothing is lost at the end.
    (field, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_commas_and_blanks() {
        for (text, fields) in [
            ("a, b", vec!["a", "b"]),
            ("  a ,, b", vec!["a", "b"]),
            (r#""x, y",z"#, vec!["x, y", "z"]),
            (r#""say ""hi""", "a\"b\\c""#, vec![r#"say "hi""#, r#"a"b\c"#]),
            (r#"" a ",b"c"#, vec![" a ", "b\"c"]),
            (r#""open, "#, vec!["open, "]),
            ("", vec![]),
        ] {
            assert_eq!(split_list(text), fields, "{text}");
        }
    }
}
