//! Texts of JSON: of a value among words, and of one step of a JSON pointer.

use std::borrow::Cow;

use serde_json::Value;

/// Renders a value as it stands among words: a string without its quotes, any other value as JSON.
pub fn render_plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Escapes one token of a JSON pointer.
pub fn escape_token(token: &str) -> String {
    // `~` is the escape itself: if it came second, it would escape the escapes of `/`.
    token.replace('~', "~0").replace('/', "~1")
}

/// Unescapes one token of a JSON pointer.
pub fn unescape_token(token: &str) -> Cow<'_, str> {
    if token.contains('~') { token.replace("~1", "/").replace("~0", "~").into() } else { token.into() }
}
