//! Texts and patterns as JavaScript regular expressions, for what no check asks under its own name.

use serde_json::{Value, json};

/// Settings of `regex` and `not_regex`.
pub(super) fn settings(pattern: &str, flags: &str) -> Value {
    // `/a/` is no literal where it comes from: the slashes are meant.
    let pattern = if pattern.starts_with('/') { format!("(?:{pattern})") } else { pattern.to_owned() };
    json!({"pattern": pattern, "flags": flags})
}

/// One of the texts is in the answer.
pub(super) fn any_of(texts: &[String]) -> String {
    texts.iter().map(|text| literal(text)).collect::<Vec<_>>().join("|")
}

/// A text begins with this one.
pub(super) fn at_start(text: &str) -> String {
    format!("^{}", literal(text))
}

/// A pattern that is the whole of a text, no more.
pub(super) fn whole(text: &str) -> String {
    format!("^{}$", literal(text))
}

/// A pattern that matches this text alone.
fn literal(text: &str) -> String {
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
        let flags = Flags::parse("").expect("no flags");
        JsRegex::parse_user(pattern, flags).expect("a pattern").is_match(text).expect("an answer")
    }

    #[test]
    fn texts_are_meant_as_they_are() {
        let odd = ["a.b*c".to_owned(), "(x)[y]{1}|^$\\/".to_owned()];
        assert!(is_match(&any_of(&odd), "- a.b*c") && is_match(&any_of(&odd), &odd[1]));
        assert!(!is_match(&any_of(&odd), "aXb*c") && !is_match(&whole(&odd[0]), "aXb*c"));
        assert!(is_match(&whole(&odd[1]), &odd[1]) && !is_match(&whole(&odd[0]), "a.b*c!"));
        assert!(is_match(&at_start("No."), "No. 1") && !is_match(&at_start("No."), "\nNo."));
    }

    #[test]
    fn slashes_around_a_pattern_are_part_of_it() {
        let settings = settings("/a/", "i");
        assert!(is_match(settings["pattern"].as_str().expect("a text"), "x/a/"));
    }
}
