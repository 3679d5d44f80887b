//! Values that nothing may keep: those of the variables an agent is given whose names say so.

use std::ffi::OsString;

/// What the name of a secret holds.
const WORDS: &[&str] = &["KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL"];

/// Shorter values are found in any text.
const SHORTEST: usize = 8;

/// The secrets among the variables of an agent.
#[derive(Debug, Default)]
pub(super) struct Secrets(Vec<(String, String)>);

impl Secrets {
    /// Those of `variables` whose names say that they are.
    pub(super) fn among(variables: &[(String, OsString)]) -> Self {
        let secret = |(name, value): &(String, OsString)| {
            let value = value.to_str().filter(|value| value.len() >= SHORTEST && is_secret(name))?;
            Some((name.clone(), value.to_owned()))
        };
        Self(variables.iter().filter_map(secret).collect())
    }

    /// The first whose value stands in `text`.
    pub(super) fn found_in(&self, text: &str) -> Option<&str> {
        let found = self.0.iter().find(|(_, value)| text.contains(value.as_str()));
        found.map(|(name, _)| name.as_str())
    }

    /// `text` with the names of secrets in place of their values.
    pub(super) fn hidden(&self, text: String) -> String {
        self.0.iter().fold(text, |text, (name, value)| text.replace(value.as_str(), &format!("[{name}]")))
    }
}

/// Whether the name of a variable says that it is a secret.
pub(super) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_hidden_and_a_locale_is_not() {
        let variable = |name: &str, value: &str| (name.to_owned(), OsString::from(value));
        let secrets = Secrets::among(&[
            variable("OPENAI_API_KEY", "sk-12345678"),
            variable("LANG", "en_US.UTF-8"),
            variable("X_TOKEN", "1"),
        ]);
        assert_eq!(secrets.found_in("a sk-12345678 b"), Some("OPENAI_API_KEY"));
        assert_eq!(secrets.found_in("en_US.UTF-8 1"), None);
        assert_eq!(secrets.hidden("401 for sk-12345678".to_owned()), "401 for [OPENAI_API_KEY]");
    }
}
