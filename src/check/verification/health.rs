//! Detects a failing service in the output of a health check.

use std::sync::LazyLock;

use crate::pattern::{WordList, list_lines};

/// Texts that a failing service shows.
static SICK: WordList = LazyLock::new(|| list_lines(include_str!("data/marks_sick.txt")));
/// Texts of a failing service that end with whitespace.
const SICK_ENDS: [&str; 2] = ["0/1 ", "not found\n"];

/// Whether `text` contains a text of a failing service or an HTTP status from 500 up.
pub(super) fn is_sick(text: &str) -> bool {
    let lower = text.to_lowercase();
    SICK.iter().chain(&SICK_ENDS).any(|word| lower.contains(word)) || is_server_error(&lower)
}

/// Whether the text is only a code such as `503`, or has one up to three words after a name: `HTTP/1.1 503`, `code=500`.
fn is_server_error(lower: &str) -> bool {
    const NAMES: &[&str] = &["http", "status", "code", "error", "returned", "statuscode"];
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let named = words.iter().enumerate().any(|(index, word)| {
        // A number such as 503 may be an amount, so a word before it must say that it is a code.
        is_error_code(word) && words[index.saturating_sub(3)..index].iter().any(|name| NAMES.contains(name))
    });
    named || is_error_code(lower.trim())
}

fn is_error_code(text: &str) -> bool {
    text.len() == 3 && text.starts_with('5') && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sick_services_are_told_from_healthy_ones() {
        for text in [
            "HTTP/1.1 503 Service Unavailable",
            "503",
            "{\"status\": 500}",
            "web CrashLoopBackOff",
            "curl: (7) Connection refused",
            "unhealthy",
        ] {
            assert!(is_sick(text), "{text}");
        }
        for text in ["{\"status\":\"healthy\"}", "HTTP/2 200", "200", "took 512 ms", "web 1/1 Running 0 500m"]
        {
            assert!(!is_sick(text), "{text}");
        }
    }
}
