//! Numbers and lists in words.

/// Says how often: `never`, `once`, `3 times`.
pub(crate) fn say_times(count: usize) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

/// Says how many calls: `1 call`, `3 calls`.
pub(crate) fn say_calls(count: usize) -> String {
    if count == 1 { "1 call".to_owned() } else { format!("{count} calls") }
}

/// Joins the parts of a list: `a`, `a and b`, `a, b and c`.
pub(crate) fn join_list(parts: &[String], last_word: &str) -> String {
    match parts {
        [most @ .., last] if !most.is_empty() => format!("{} {last_word} {last}", most.join(", ")),
        parts => parts.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_said_as_a_person_would() {
        let parts = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(
            (join_list(&parts[..1], "and"), join_list(&parts, "or")),
            ("a".to_owned(), "a, b or c".to_owned())
        );
    }
}
