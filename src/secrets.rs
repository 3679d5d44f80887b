//! Secret values with the names of the variables and headers that they come from.

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

    /// Returns the name of the first secret that occurs in `text`.
    pub(crate) fn find_in(&self, text: &str) -> Option<&str> {
        let found = self.0.iter().find(|(_, value)| text.contains(value.as_str()));
        found.map(|(name, _)| name.as_str())
    }

    /// Replaces the secrets in `text` by their names.
    pub(crate) fn mask_text(&self, text: String) -> String {
        self.0.iter().fold(text, |text, (name, value)| text.replace(value.as_str(), &format!("[{name}]")))
    }
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
