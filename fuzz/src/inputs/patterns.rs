//! Patterns over texts and names, and the masks of secrets.

use arraign::__internals::pattern::{Flags, JsRegex, ToolPattern, find_secrets, mask_secrets};

/// The first line is a pattern, the rest is the text that it is matched with.
pub(crate) fn match_pattern(text: &str) {
    let (pattern, text) = text.split_once('\n').unwrap_or((text, ""));
    let expressions =
        [JsRegex::new(pattern, Flags::default()), JsRegex::parse_user(pattern, Flags::default())];
    for expression in expressions.into_iter().flatten() {
        let _ = expression.is_match(text);
        let _ = expression.extract_value(text);
    }
    if let Ok(tool) = ToolPattern::new(pattern) {
        let example = tool.example(1);
        assert!(example.is_none_or(|call| tool.matches(&call)), "`{pattern}` does not match its example");
        let _ = tool.matches_name(text);
    }
}

/// Masks the secrets of a text. The ranges of secrets are in order and do not overlap.
pub(crate) fn mask_text(text: &str) {
    let found = find_secrets(text);
    for pair in found.windows(2) {
        assert!(pair[0].range.end <= pair[1].range.start, "{found:?}");
    }
    let _ = mask_secrets(text.to_owned());
}
