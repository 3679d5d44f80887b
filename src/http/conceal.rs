//! Secrets of a request, kept out of every text that is shown of it.

/// What the name of a header holds whose value is a secret.
const WORDS: &[&str] = &["authorization", "key", "token", "secret", "cookie", "passw", "credential"];

/// Shorter values are found in any text.
const SHORTEST: usize = 8;

/// Names and values that must not be shown.
#[derive(Clone, Default)]
pub(super) struct Concealed(Vec<(String, String)>);

impl Concealed {
    pub(super) fn add(&mut self, name: &str, value: &str) {
        if value.len() >= SHORTEST {
            self.0.push((name.to_owned(), value.to_owned()));
            // The longest is hidden first, so that no rest of it stays.
            self.0.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        }
    }

    /// The value of a header, and the key behind its scheme: a server may tell one or the other.
    pub(super) fn header(&mut self, name: &str, value: &str) {
        self.add(name, value);
        if let Some((_, key)) = value.trim().split_once(' ') {
            self.add(name, key.trim());
        }
    }

    /// The name of the first whose value stands in `text`.
    pub(super) fn found_in(&self, text: &str) -> Option<&str> {
        let found = self.0.iter().find(|(_, value)| text.contains(value.as_str()));
        found.map(|(name, _)| name.as_str())
    }

    /// `text` with names in place of values.
    pub(super) fn hidden(&self, text: String) -> String {
        self.0.iter().fold(text, |text, (name, value)| text.replace(value.as_str(), &format!("[{name}]")))
    }
}

/// Whether a header called so holds a secret.
pub(super) fn names_a_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

/// A URL without who asks, the query and the fragment: keys stand there.
pub(super) fn plain_url(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let url = &url[..end];
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let host_end = rest.find('/').unwrap_or(rest.len());
    let host_start = rest[..host_end].rfind('@').map_or(0, |at| at + 1);
    format!("{scheme}://{}", &rest[host_start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_what_may_be_a_key() {
        assert_eq!(plain_url("http://me:pass@host:1/v1?key=sk-1#x"), "http://host:1/v1");
        assert_eq!(plain_url("https://host?key=a@b"), "https://host");
        assert_eq!(plain_url("host/v1?key=1"), "host/v1");
        assert_eq!(plain_url("é://@"), "é://");
    }

    #[test]
    fn a_key_is_hidden_with_and_without_its_scheme() {
        let mut secrets = Concealed::default();
        secrets.header("authorization", "Bearer sk-123456789");
        assert_eq!(secrets.hidden("bad key sk-123456789".into()), "bad key [authorization]");
        assert_eq!(secrets.hidden("Bearer sk-123456789".into()), "[authorization]");
        assert_eq!(secrets.found_in("{\"echo\":\"sk-123456789\"}"), Some("authorization"));
        assert_eq!(secrets.found_in("Bearer"), None);
    }

    #[test]
    fn headers_with_keys_are_known_by_their_names() {
        assert!(["Authorization", "X-API-Key", "x-goog-api-key", "Cookie"].into_iter().all(names_a_secret));
        assert!(!["accept", "content-type", "x-request-id"].into_iter().any(names_a_secret));
    }
}
