//! Whether what a health check shows is sick.

/// Words of a service that is not well.
const SICK: &[&str] = &[
    "unhealthy",
    "not healthy",
    "refused",
    "crashloop",
    "imagepull",
    "errimage",
    "oomkilled",
    "timed out",
    "timeout",
    "bad gateway",
    "service unavailable",
    "internal server error",
    "gateway time-out",
    "could not resolve",
    "no route to host",
    "not ready",
    "inactive (dead)",
    "\"down\"",
    "\"status\":\"error\"",
    "\"status\": \"error\"",
    "\"status\":\"fail",
    "\"status\": \"fail",
    "createcontainererror",
    "0/1 ",
    "exited (1)",
    "restarting (",
    "connection reset",
    "not found\n",
    "status: down",
    "status: failed",
    "failed (result",
    "degraded",
    "deadline exceeded",
    "evicted",
];

/// Whether `text` tells of a failure: a word of it, or a code from 500 up.
pub(super) fn is_sick(text: &str) -> bool {
    let lower = text.to_lowercase();
    SICK.iter().any(|word| lower.contains(word)) || is_server_error(&lower)
}

/// `HTTP/1.1 503`, `"status": 502`, `code=500`, or a text that is nothing but such a code.
fn is_server_error(lower: &str) -> bool {
    let is_code = |text: &str| {
        text.len() == 3 && text.starts_with('5') && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let names = |word: &str| matches!(word, "http" | "status" | "code" | "error" | "returned" | "statuscode");
    let after_name = |index: usize| words[index.saturating_sub(3)..index].iter().any(|word| names(word));
    is_code(lower.trim()) || words.iter().enumerate().any(|(index, word)| is_code(word) && after_name(index))
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
