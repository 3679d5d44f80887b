//! Values that nothing may show or keep, by the names that they have where they come from: variables and headers.

/// What the name of a secret holds, in lower case.
const SECRET_WORDS: &[&str] = &["authorization", "key", "token", "secret", "cookie", "passw", "credential"];

/// Shorter values are found in any text.
const MIN_SECRET_BYTES: usize = 8;

/// Names and values that must not be shown.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Vec<(String, String)>);

impl Secrets {
    /// Adds a value, and the name that is shown in its place.
    pub(crate) fn add_value(&mut self, name: &str, value: &str) {
        if value.len() >= MIN_SECRET_BYTES {
            self.add_key(name, value);
        }
    }

    /// Adds a value that is known to be a key, however short.
    pub(crate) fn add_key(&mut self, name: &str, value: &str) {
        self.0.push((name.to_owned(), value.to_owned()));
        // The longest is hidden first, so that no rest of it stays.
        self.0.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
    }

    /// The name of the first whose value stands in `text`.
    pub(crate) fn find_in(&self, text: &str) -> Option<&str> {
        let found = self.0.iter().find(|(_, value)| text.contains(value.as_str()));
        found.map(|(name, _)| name.as_str())
    }

    /// `text` with names in place of values.
    pub(crate) fn mask_text(&self, text: String) -> String {
        self.0.iter().fold(text, |text, (name, value)| text.replace(value.as_str(), &format!("[{name}]")))
    }
}

/// Whether the name of a variable or a header says that its value is a secret.
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
