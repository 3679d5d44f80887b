//! The words of a name.

/// Splits a name in snake, kebab or camel case into words in lower case: `clientSecret`, `client_secret`, `X-Client-Secret`.
pub(crate) fn split_name(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut ends_word = false;
    // A capital begins a word only after a small letter or a digit, so that `URL` and `HTTPServer` are not taken apart
    // letter by letter. All other characters separate words.
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && ends_word) {
            words.push(String::new());
        }
        ends_word = c.is_lowercase() || c.is_numeric();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
