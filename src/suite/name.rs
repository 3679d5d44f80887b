//! The names of trials: module-like, stable, and safe for every runner.
//!
//! `evals/payments/refund.yaml`, case `auth_flow`: `payments::refund::auth_flow`. What libtest's listing, nextest or
//! a terminal cannot carry is escaped as `%XX`, injectively: two cases never share a name.

use std::borrow::Cow;
use std::path::Path;

/// The name of the case `id` of the file at `path` (relative to the eval root).
pub fn build_trial_name(path: &Path, id: Option<&str>) -> String {
    build_case_name(&build_file_name(path), id)
}

/// Builds the prefix of the names of the trials in the file at `path`, which is relative to the eval root.
pub fn build_file_name(path: &Path) -> String {
    let stem = path.with_extension("");
    let folders = stem.components().map(|component| component.as_os_str().to_string_lossy());
    let parts: Vec<String> = folders.map(|part| escape_component(&part)).collect();
    let name = parts.join("::");
    match name.strip_prefix('-') {
        Some(rest) => format!("%2D{rest}"),
        None => name,
    }
}

/// Builds the name of the case `id` in the file `file`.
pub fn build_case_name(file: &str, id: Option<&str>) -> String {
    match id {
        Some(id) => [file, "::", &escape_char(id)].concat(),
        None => file.to_owned(),
    }
}

/// Escapes one part of a name.
pub fn escape_component(part: &str) -> String {
    escape_char(part).into_owned()
}

fn escape_char(part: &str) -> Cow<'_, str> {
    if part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')) {
        return Cow::Borrowed(part);
    }
    let chars: Vec<char> = part.chars().collect();
    let mut escaped = String::with_capacity(part.len());
    for (index, &c) in chars.iter().enumerate() {
        // A colon or a blank is plain only between other characters.
        // Some characters are plain only between others, such as a point that is not the first one.
        let before = index.checked_sub(1).map(|at| chars[at]);
        if is_plain(c, before, chars.get(index + 1).copied()) {
            escaped.push(c);
        } else {
            let mut bytes = [0; 4];
            escaped.extend(c.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02X}")));
        }
    }
    Cow::Owned(escaped)
}

/// A single colon or blank inside a part is plain; at its edge, or doubled, it would read as something else.
fn is_plain(c: char, before: Option<char>, after: Option<char>) -> bool {
    match c {
        '%' | '/' | '\\' => false,
        // `::` separates the parts of a name.
        ':' => before.is_some_and(|b| b != ':') && after.is_some_and(|a| a != ':'),
        ' ' => before.is_some() && after.is_some(),
        c => !c.is_control() && !c.is_whitespace() && !is_invisible(c),
    }
}

/// Characters that reorder or hide the text around them.
fn is_invisible(c: char) -> bool {
    let joins = matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{feff}');
    joins || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e007f}')
}

/// The parts of a name, unescaped; `None` where it is no name of ours.
pub(super) fn split_name(name: &str) -> Option<Vec<String>> {
    name.split("::").map(unescape).collect()
}

fn unescape(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    // `%XX` is one byte of UTF-8; a text that is not valid after decoding is not one of our names.
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let [high, low] = [rest.next()?, rest.next()?].map(|digit| char::from(digit).to_digit(16));
            bytes.push(u8::try_from(high? * 16 + low?).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(path: &str, id: Option<&str>) -> String {
        build_trial_name(Path::new(path), id)
    }

    #[test]
    fn names_are_module_like() {
        assert_eq!(name("payments/refund.yaml", Some("auth_flow")), "payments::refund::auth_flow");
        assert_eq!(name("one.yaml", None), "one");
        assert_eq!(name("a b.yaml", Some("refund: happy path")), "a b::refund: happy path");
    }

    #[test]
    fn what_breaks_a_listing_is_escaped_and_comes_back() {
        let ids = "a\nb|-x|a::b|:a|a:|50%|a/b| a |a\u{202e}b|a\u{61c}b|x: test|%2D|tab\there|é";
        for id in ids.split('|') {
            let name = name("s.yaml", Some(id));
            assert!(!name.chars().any(char::is_control), "{name}");
            assert_eq!(split_name(&name).expect("it is a name"), ["s", id], "{name}");
        }
        assert!(name("-s.yaml", None).starts_with("%2D"));
    }

    #[test]
    fn escaping_is_injective() {
        let ids = ["a::b", "a%3A%3Ab", "a:b", "a%3Ab", "a: :b", "%", "%25"];
        let names: std::collections::HashSet<String> = ids.iter().map(|id| escape_component(id)).collect();
        assert_eq!(names.len(), ids.len());
    }
}
