//! The values of variables and headers that are known to be secrets, each with its name.

use std::borrow::Cow;

/// Words in the names of secrets, in lower case.
const SECRET_WORDS: &[&str] = &["authorization", "key", "token", "secret", "cookie", "passw", "credential"];

/// The smallest length of a secret in bytes: shorter values occur in any text.
const MIN_SECRET_BYTES: usize = 8;

/// Secret values and the names that are shown in their place.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Vec<(String, String)>);

impl Secrets {
    /// Adds a value, unless it is too short to be a secret.
    pub(crate) fn add_value(&mut self, name: &str, value: &str) {
        if value.len() >= MIN_SECRET_BYTES {
            self.add_key(name, value);
        }
    }

    /// Adds a value that is known to be a secret, however short.
    pub(crate) fn add_key(&mut self, name: &str, value: &str) {
        self.0.push((name.to_owned(), value.to_owned()));
        // Longer values are masked first: one that contains a shorter value must not leave a rest.
        self.0.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
    }

    /// Returns the name of the first secret that occurs in `text`, or in what escapes in `text` stand for: an agent's output is
    /// JSON, and may contain JSON as text. A secret may itself contain what looks like an escape, so each level is searched.
    pub(crate) fn find_in(&self, text: &str) -> Option<&str> {
        /// How deep JSON is searched in JSON.
        const LEVELS: usize = 4;
        let mut level = Cow::Borrowed(text);
        for _ in 0..LEVELS {
            let found = self.0.iter().find(|(_, value)| level.contains(value.as_str()));
            if let Some((name, _)) = found {
                return Some(name);
            }
            // Without a backslash, the next level would be the same text.
            if self.0.is_empty() || !level.contains('\\') {
                return None;
            }
            level = Cow::Owned(decode_escapes(&level));
        }
        None
    }

    /// Replaces the secrets in `text` by their names.
    pub(crate) fn mask_text(&self, text: String) -> String {
        self.0.iter().fold(text, |text, (name, value)| text.replace(value.as_str(), &format!("[{name}]")))
    }
}

/// Decodes the escapes of JSON in a text of any form. Everything else stays as it is.
fn decode_escapes(text: &str) -> String {
    let (mut decoded, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('\\') {
        // The text between two escapes is copied at once.
        decoded.push_str(&rest[..at]);
        let (c, length) = decode_escape(&rest[at..]);
        decoded.push(c);
        rest = &rest[at + length..];
    }
    decoded + rest
}

/// Decodes the escape at the beginning of `text`, a backslash. Returns its character and its length in bytes.
fn decode_escape(text: &str) -> (char, usize) {
    match text.as_bytes().get(1) {
        Some(b'n') => ('\n', 2),
        Some(b'r') => ('\r', 2),
        Some(b't') => ('\t', 2),
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(byte @ (b'"' | b'\'' | b'/' | b'\\')) => (char::from(*byte), 2),
        Some(b'u') => decode_unicode(text).unwrap_or(('\\', 1)),
        _ => ('\\', 1),
    }
}

/// Decodes `\u00e9`, and a pair of surrogates as one character.
fn decode_unicode(text: &str) -> Option<(char, usize)> {
    let first = parse_code_unit(text)?;
    let second = text.get(6..).filter(|_| (0xd800..0xdc00).contains(&first)).and_then(parse_code_unit);
    // A low surrogate without a high one, or the other way round, is no character and stays as it is.
    let units = [first, second.unwrap_or_default()];
    let (units, length) = if second.is_some() { (&units[..], 12) } else { (&units[..1], 6) };
    char::decode_utf16(units.iter().copied()).next()?.ok().map(|c| (c, length))
}

fn parse_code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

/// Whether the name of a variable or a header suggests a secret.
pub(crate) fn names_a_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_hidden_behind_its_name_and_the_longest_first() {
        let mut secrets = Secrets::default();
        let pairs = [("KEY", "sk-12345678"), ("LONG_KEY", "sk-12345678-and-more"), ("X_TOKEN", "1")];
        for (name, value) in pairs {
            secrets.add_value(name, value);
        }
        assert_eq!(secrets.find_in("a sk-12345678 b"), Some("KEY"));
        assert_eq!(secrets.find_in("en_US.UTF-8 1"), None);
        assert_eq!(secrets.mask_text("401 for sk-12345678".to_owned()), "401 for [KEY]");
        assert_eq!(secrets.mask_text("sk-12345678-and-more, 1".to_owned()), "[LONG_KEY], 1");
    }

    #[test]
    fn a_value_is_found_behind_escapes() {
        let mut secrets = Secrets::default();
        for (name, value) in [
            ("SLASHES", "aG9/bGE/d29ybGQ"),
            ("QUOTES", "p\"w\\d1234&x"),
            ("ACCENTS", "caf\u{e9}-r\u{1f980}st!"),
        ] {
            secrets.add_value(name, value);
            let text = serde_json::json!({"answer": format!("it is {value}")}).to_string();
            let nested = serde_json::json!({ "arguments": text }).to_string();
            assert_eq!([&text, &nested].map(|text| secrets.find_in(text)), [Some(name); 2]);
        }
        assert_eq!(secrets.find_in(r#"{"answer": "hi aG9\/bGE\/d29ybGQ"}"#), Some("SLASHES"));
        assert_eq!(secrets.find_in(r"caf\u00e9-r\ud83e\udd80st!"), Some("ACCENTS"));
        assert_eq!(secrets.find_in(r"\u0063af\\u00e9-r\\ud83e\\udd80st!"), Some("ACCENTS"));
        assert_eq!(secrets.find_in(r"\ud83e \u00 \x and \"), None);
    }

    #[test]
    fn a_key_is_hidden_however_short() {
        let mut secrets = Secrets::default();
        secrets.add_key("JUDGE_KEY", "sk-1");
        assert_eq!(secrets.mask_text("401 for sk-1".to_owned()), "401 for [JUDGE_KEY]");
    }

    #[test]
    fn names_tell_what_is_a_secret() {
        let secret =
            ["Authorization", "X-API-Key", "x-goog-api-key", "Cookie", "OPENAI_API_KEY", "DB_PASSWORD"];
        assert!(secret.into_iter().all(names_a_secret));
        assert!(!["accept", "content-type", "x-request-id", "LANG", "PATH"].into_iter().any(names_a_secret));
    }
}
