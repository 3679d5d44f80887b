//! The parts of a path that steps and filters share.

/// Takes `.name` or `['name']`.
pub(super) fn take_key(rest: &str) -> Option<(String, &str)> {
    if let Some(name) = rest.strip_prefix('.') {
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
        let (name, after) = name.split_at(end);
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        return is_name.then(|| (name.to_owned(), after));
    }
    let (key, after) = take_text(rest.strip_prefix('[')?)?;
    Some((key, after.strip_prefix(']')?))
}

/// Takes a quoted text without escapes.
pub(super) fn take_text(rest: &str) -> Option<(String, &str)> {
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (text, after) = rest[1..].split_once(quote)?;
    (!text.contains('\\')).then(|| (text.to_owned(), after))
}
