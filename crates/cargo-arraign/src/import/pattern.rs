//! Regular expressions for assertions without a check of their own.

use arraign::json::{Json, json};
/// Builds settings of `regex` or `not_regex`.
pub(super) fn build_settings(pattern: &str, flags: &str) -> Json {
    // In other tools, the slashes of `/a/` are part of the pattern. Here, they would delimit it.
    let pattern = if pattern.starts_with('/') { format!("(?:{pattern})") } else { pattern.to_owned() };
    json!({"pattern": pattern, "flags": flags})
}

/// Builds a pattern with its flags in front: `file` takes one text. What `g` and `d` say changes no match.
pub(super) fn write_inline(pattern: &str, flags: &str) -> String {
    let flags: String = flags.chars().filter(|flag| !"gd".contains(*flag)).collect();
    let pattern = if pattern.starts_with('/') { format!("(?:{pattern})") } else { pattern.to_owned() };
    if flags.is_empty() { pattern } else { format!("(?{flags}){pattern}") }
}

/// The flags of a pattern of Python.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PythonFlags {
    /// Whether a dot matches a line break.
    pub(super) dot_all: bool,
    /// Whether `^` and `$` match at each line.
    pub(super) multi_line: bool,
}

/// Translates a pattern of Python that is searched with `DOTALL`: its named groups, `\\Z`, and dots, which match line breaks.
pub(super) fn translate_python(pattern: &str) -> String {
    // The end of a text is the end of an answer, which has no line break behind it.
    translate_python_with(pattern, PythonFlags { dot_all: true, multi_line: true })
}

/// Translates a pattern of Python: its named groups, `\\A`, `\\Z`, dots, and `$`, which also matches before a last line break.
pub(super) fn translate_python_with(pattern: &str, flags: PythonFlags) -> String {
    let mut translated = String::with_capacity(pattern.len());
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(c) = rest.chars().next() {
        if let Some(group) = rest.strip_prefix("(?P<").filter(|_| !in_class) {
            translated.push_str("(?<");
            rest = group;
            continue;
        }
        let reference = rest.strip_prefix("(?P=").filter(|_| !in_class).and_then(|rest| rest.split_once(')'));
        if let Some((name, behind)) = reference {
            translated.extend(["\\k<", name, ">"]);
            rest = behind;
            continue;
        }
        if c == '\\' {
            let end = rest.chars().take(2).map(char::len_utf8).sum();
            // At the very end of the text, JavaScript has `$` without the flag `m`.
            translated.push_str(match &rest[..end] {
                "\\Z" => "$",
                "\\A" => "^",
                other => other,
            });
            rest = &rest[end..];
            continue;
        }
        match c {
            '[' => in_class = true,
            ']' => in_class = false,
            _ => {}
        }
        match c {
            '.' if !in_class && flags.dot_all => translated.push_str("[^]"),
            '$' if !in_class && !flags.multi_line => translated.push_str("(?=\\n?$)"),
            c => translated.push(c),
        }
        rest = &rest[c.len_utf8()..];
    }
    translated
}

/// Returns a pattern that matches any of the texts.
pub(super) fn match_any(texts: &[String]) -> String {
    texts.iter().map(|text| escape_literal(text)).collect::<Vec<_>>().join("|")
}

/// Returns a pattern that matches only the complete text.
pub(super) fn match_whole(text: &str) -> String {
    format!("^{}$", escape_literal(text))
}

/// Escapes all characters with a meaning in a pattern.
pub(super) fn escape_literal(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\^$.*+?()[]{}|/".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;
    use arraign::__internals::pattern::{Flags, JsRegex};

    fn is_match(pattern: &str, text: &str) -> bool {
        let flags = Flags::parse_flags("").expect("no flags");
        JsRegex::parse_user(pattern, flags).expect("a pattern").is_match(text).expect("an answer")
    }

    #[test]
    fn texts_are_meant_as_they_are() {
        let odd = ["a.b*c".to_owned(), "(x)[y]{1}|^$\\/".to_owned()];
        assert!(is_match(&match_any(&odd), "- a.b*c") && is_match(&match_any(&odd), &odd[1]));
        assert!(!is_match(&match_any(&odd), "aXb*c") && !is_match(&match_whole(&odd[0]), "aXb*c"));
        assert!(is_match(&match_whole(&odd[1]), &odd[1]) && !is_match(&match_whole(&odd[0]), "a.b*c!"));
    }

    #[test]
    fn a_pattern_of_python_means_the_same() {
        for (pattern, text) in
            [("(?P<x>a)(?P=x)", "aa"), ("a.*b", "a\nb"), (r"a\.b\Z", "a.b"), ("[.]x", ".x")]
        {
            assert!(is_match(&translate_python(pattern), text), "{pattern}");
        }
        for (pattern, text) in [("(?P<x>a)(?P=x)", "ab"), (r"a\.b", "axb"), ("[.]x", "ax")] {
            assert!(!is_match(&translate_python(pattern), text), "{pattern}");
        }
    }

    #[test]
    fn the_end_of_a_pattern_of_python_is_before_a_last_line_break() {
        let whole = translate_python_with("^a.c$", PythonFlags::default());
        assert!(is_match(&whole, "abc") && is_match(&whole, "abc\n"));
        assert!(!is_match(&whole, "abc\n\n") && !is_match(&whole, "a\nc"));
    }

    #[test]
    fn slashes_around_a_pattern_are_part_of_it() {
        let settings = build_settings("/a/", "i");
        assert!(is_match(settings["pattern"].as_str().expect("a text"), "x/a/"));
    }
}
