//! Regular expressions for assertions without a check of their own.

use arraign::json::{Json, json};
/// Builds settings of `regex` or `not_regex`.
pub(super) fn build_settings(pattern: &str, flags: &str) -> Json {
    // In other tools, the slashes of `/a/` are part of the pattern. Here, they would delimit it.
    let pattern = if pattern.starts_with('/') { format!("(?:{pattern})") } else { pattern.to_owned() };
    json!({"pattern": pattern, "flags": flags})
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
    fn slashes_around_a_pattern_are_part_of_it() {
        let settings = build_settings("/a/", "i");
        assert!(is_match(settings["pattern"].as_str().expect("a text"), "x/a/"));
    }
}
