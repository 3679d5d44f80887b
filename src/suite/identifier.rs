//! The names of trials as Rust paths, for tools that find tests in Rust source.
//!
//! A part of a name that is an identifier stays as it is. In all others, `-` becomes `__`, and every further character that
//! no identifier has at its place becomes `_0x3a_`, by its code point. The form leads back to exactly one name.

use std::fmt::Write as _;

use unicode_ident::{is_xid_continue, is_xid_start};

/// The beginning of an escaped character.
const ESCAPE: &str = "_0x";

/// The words that are no identifiers, in any edition.
const KEYWORDS: &[&str] = &[
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

/// Returns the name of a trial as a path of Rust identifiers. No two names have the same path.
pub fn build_identifier(name: &str) -> String {
    let parts: Vec<String> = name.split("::").map(encode_part).collect();
    parts.join("::")
}

/// Returns the name that has this path of identifiers, if there is one.
pub fn parse_identifier(path: &str) -> Option<String> {
    let parts: Option<Vec<String>> = path.split("::").map(decode_part).collect();
    // A path that no name has, such as `_0x61_` for `a`, would be a second path for the same name.
    parts.map(|parts| parts.join("::")).filter(|name| build_identifier(name) == path)
}

fn encode_part(part: &str) -> String {
    // A word of Rust is escaped, because it could not be the name of a module or a function.
    let is_word = part == "_" || KEYWORDS.contains(&part);
    let mut encoded = String::with_capacity(part.len());
    for (at, c) in part.char_indices() {
        let rest = &part[at + c.len_utf8()..];
        match c {
            '-' => encoded.push_str("__"),
            '_' if !is_word && stays_underscore(rest) => encoded.push('_'),
            c if at == 0 && !is_word && is_xid_start(c) => encoded.push(c),
            c if at > 0 && c != '_' && is_xid_continue(c) => encoded.push(c),
            // Writing to a string cannot fail.
            c => _ = write!(encoded, "{ESCAPE}{:x}_", u32::from(c)),
        }
    }
    encoded
}

/// Whether an underscore before `rest` cannot be taken for the beginning of an escape or for half of a `-`.
fn stays_underscore(rest: &str) -> bool {
    let next = rest.chars().next();
    next.is_none_or(|next| next != '_' && is_xid_continue(next)) && !rest.starts_with("0x")
}

fn decode_part(part: &str) -> Option<String> {
    let mut decoded = String::with_capacity(part.len());
    let mut rest = part;
    // `__` is tried before an escape: encoding never writes an underscore before another underscore or before `0x`, so each
    // prefix has one meaning.
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("__") {
            decoded.push('-');
            rest = after;
        } else if let Some(escape) = rest.strip_prefix(ESCAPE) {
            let (digits, after) = escape.split_once('_')?;
            decoded.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
            rest = after;
        } else {
            decoded.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    Some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_stays_as_it_is() {
        for name in ["refund::auth_flow", "a", "_a", "a_", "été::名前", "order_0", "r2::run_1"] {
            assert_eq!(build_identifier(name), name);
        }
    }

    #[test]
    fn other_names_are_readable_identifiers() {
        assert_eq!(build_identifier("order-status::late-order"), "order__status::late__order");
        assert_eq!(build_identifier("a: b"), "a_0x3a__0x20_b");
        assert_eq!(build_identifier("2nd"), "_0x32_nd");
        assert_eq!(build_identifier("match::self"), "_0x6d_atch::_0x73_elf");
        assert_eq!(build_identifier("_"), "_0x5f_");
    }

    /// All names of up to six of these characters, which include every part of an escape.
    #[test]
    fn every_name_has_a_path_of_its_own_that_leads_back() {
        let alphabet = ['a', '_', '-', '0', 'x', ':', 'é'];
        let mut names = vec![String::new()];
        for _ in 0..6 {
            let longer = names.iter().flat_map(|name| alphabet.map(|c| format!("{name}{c}")));
            names = longer.collect();
            for name in &names {
                let encoded: Vec<String> = [encode_part(name)].into();
                assert_eq!(decode_part(&encoded[0]).as_ref(), Some(name), "{encoded:?}");
                let mut chars = encoded[0].chars();
                assert!(chars.next().is_some_and(|c| c == '_' || is_xid_start(c)), "{encoded:?}");
                assert!(chars.all(is_xid_continue) && encoded[0] != "_", "{encoded:?}");
            }
        }
    }

    #[test]
    fn a_path_that_no_name_has_leads_nowhere() {
        for path in ["_0x61_", "a_0x", "a_0xzz_", "a_0x110000_", "a b"] {
            assert_eq!(parse_identifier(path), None, "{path}");
        }
    }
}
