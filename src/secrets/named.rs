//! The values of variables and headers that are known to be secrets, each with its name.

use std::borrow::Cow;

use super::encoded::{decode_escapes, decode_percent, list_base64};

/// Words in the names of secrets, in lower case.
const SECRET_WORDS: &[&str] = &["authorization", "key", "token", "secret", "cookie", "passw", "credential"];

/// The smallest length of a secret in bytes: shorter values occur in any text.
const MIN_SECRET_BYTES: usize = 8;

/// Secret values and the names that are shown in their place.
#[derive(Clone, Default)]
pub struct Secrets(Vec<NamedSecret>);

#[derive(Clone)]
struct NamedSecret {
    name: String,
    value: String,
    /// The value in Base64. Empty for a short value, whose Base64 occurs in any text.
    in_base64: Vec<String>,
}

impl NamedSecret {
    fn list_spellings(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.value).chain(&self.in_base64).map(String::as_str)
    }
}

impl Secrets {
    /// Adds a value, unless it is too short to be a secret.
    pub fn add_value(&mut self, name: &str, value: &str) {
        if value.len() >= MIN_SECRET_BYTES {
            self.add_key(name, value);
        }
    }

    /// Adds a value that is known to be a secret, however short.
    pub fn add_key(&mut self, name: &str, value: &str) {
        let in_base64 =
            if value.len() >= MIN_SECRET_BYTES { list_base64(value.as_bytes()) } else { Vec::new() };
        self.0.push(NamedSecret { name: name.to_owned(), value: value.to_owned(), in_base64 });
        // Longer values are masked first: one that contains a shorter value must not leave a rest.
        self.0.sort_by_key(|secret| std::cmp::Reverse(secret.value.len()));
    }

    /// Returns the name of the first secret that occurs in `text`, as it is or in Base64, or in what escapes in `text` stand
    /// for: an agent's output is JSON, and may contain JSON or a URL as text. A secret may itself contain what looks like an
    /// escape, so each level is searched.
    pub fn find_in(&self, text: &str) -> Option<&str> {
        /// How deep JSON is searched in JSON.
        const LEVELS: usize = 4;
        let mut level = Cow::Borrowed(text);
        for _ in 0..LEVELS {
            let found = self.find_spelled(&level).or_else(|| self.find_spelled(&decode_percent(&level)?));
            if found.is_some() || self.0.is_empty() || !level.contains('\\') {
                return found;
            }
            level = Cow::Owned(decode_escapes(&level));
        }
        None
    }

    fn find_spelled(&self, text: &str) -> Option<&str> {
        let found =
            self.0.iter().find(|secret| secret.list_spellings().any(|spelling| text.contains(spelling)));
        found.map(|secret| secret.name.as_str())
    }

    /// Replaces the secrets in `text` by their names. A line that contains one behind escapes is replaced as a whole.
    pub fn mask_text(&self, text: String) -> String {
        let masked = self.0.iter().fold(text, |text, secret| {
            let shown = format!("[{}]", secret.name);
            secret.list_spellings().fold(text, |text, spelling| text.replace(spelling, &shown))
        });
        let Some(name) = self.find_in(&masked) else { return masked };
        let lines = masked.split_inclusive('\n').map(|line| match self.find_in(line) {
            Some(name) => format!("[{name}]{}", if line.ends_with('\n') { "\n" } else { "" }),
            None => line.to_owned(),
        });
        let masked: String = lines.collect();
        // A secret of several lines.
        if self.find_in(&masked).is_some() { format!("[{name}]") } else { masked }
    }
}

/// Whether the name of a variable or a header suggests a secret.
pub fn names_a_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

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
            let text = json!({"answer": format!("it is {value}")}).to_string();
            let nested = json!({ "arguments": text }).to_string();
            assert_eq!([&text, &nested].map(|text| secrets.find_in(text)), [Some(name); 2]);
        }
        assert_eq!(secrets.find_in(r#"{"answer": "hi aG9\/bGE\/d29ybGQ"}"#), Some("SLASHES"));
        assert_eq!(secrets.find_in(r"caf\u00e9-r\ud83e\udd80st!"), Some("ACCENTS"));
        assert_eq!(secrets.find_in(r"\u0063af\\u00e9-r\\ud83e\\udd80st!"), Some("ACCENTS"));
        assert_eq!(secrets.find_in(r"\ud83e \u00 \x and \"), None);
    }

    #[test]
    fn a_value_is_found_in_base64_and_in_a_url() {
        let mut secrets = Secrets::default();
        secrets.add_value("DB_PASSWORD", "p\u{e9}ss/w\u{f6}rd?1>");
        // `printf 'me:péss/wörd?1>' | base64`, and one and two characters less before it
        for text in ["bWU6cMOpc3Mvd8O2cmQ/MT4=", "ZTpww6lzcy93w7ZyZD8xPg==", "OnDDqXNzL3fDtnJkPzE+"] {
            assert_eq!(secrets.find_in(&format!("Basic {text}")), Some("DB_PASSWORD"), "{text}");
            let in_url = text.replace('/', "_").replace('+', "-");
            assert_eq!(secrets.find_in(in_url.trim_end_matches('=')), Some("DB_PASSWORD"), "{in_url}");
        }
        assert_eq!(secrets.find_in("?p=p%C3%A9ss%2Fw%c3%b6rd%3f1%3E&q=100%"), Some("DB_PASSWORD"));
        assert_eq!(secrets.find_in("?p=p%C3%A9ss%2Fw%c3%b6rd%3f2%3E&q=100%"), None);
        assert_eq!(secrets.find_in("bWU6cMOpc3M="), None);
    }

    #[test]
    fn a_value_behind_escapes_takes_its_line_with_it() {
        let mut secrets = Secrets::default();
        secrets.add_value("KEY", "aG9/bGE/d29ybGQ");
        let masked = secrets.mask_text("a\nsent aG9\\/bGE\\/d29ybGQ\nb aG9/bGE/d29ybGQ\n".to_owned());
        assert_eq!(masked, "a\n[KEY]\nb [KEY]\n");
        secrets.add_value("PEM", "-----BEGIN\nabc/def");
        assert_eq!(secrets.mask_text("x -----BEGIN\nabc\\/def".to_owned()), "[PEM]");
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
