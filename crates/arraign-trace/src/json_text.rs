//! The tokens of a JSON pointer.

use std::borrow::Cow;

/// Escapes one token of a JSON pointer.
pub fn escape_token(token: &str) -> Cow<'_, str> {
    if !token.contains(['~', '/']) {
        return token.into();
    }
    // `~` is the escape itself: if it came second, it would escape the escapes of `/`.
    token.replace('~', "~0").replace('/', "~1").into()
}

/// Unescapes one token of a JSON pointer.
pub fn unescape_token(token: &str) -> Cow<'_, str> {
    if token.contains('~') { token.replace("~1", "/").replace("~0", "~").into() } else { token.into() }
}
