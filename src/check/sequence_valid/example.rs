//! A text that a pattern matches, for a counterexample.

use crate::pattern::TextPattern;

/// A text that `pattern` is found in; `None` when it is not easily told.
pub(super) fn text(pattern: &TextPattern) -> Option<String> {
    let bare = pattern.as_str().trim_start_matches('^').trim_end_matches('$');
    let candidates = [unescape(bare), bare.to_owned(), "x".to_owned(), "1".to_owned(), String::new()];
    candidates.into_iter().find(|text| pattern.is_match(text))
}

/// The literal reading of a pattern: an escaped mark stands for itself, any other escape for a word's letter.
fn unescape(pattern: &str) -> String {
    let mut plain = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => plain.extend(chars.next().and_then(escaped)),
            '*' | '+' | '?' => {}
            c => plain.push(c),
        }
    }
    plain
}

fn escaped(c: char) -> Option<char> {
    match c {
        'b' => None,
        'd' => Some('1'),
        's' => Some(' '),
        'w' => Some('x'),
        c => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_patterns_have_an_example() {
        for pattern in
            ["^make test", r"\.aws/credentials", r"^curl\b.*-d", r"^\d+$", "", "a.c", r"refund\s+now"]
        {
            let pattern = TextPattern::new(pattern).expect(pattern);
            let example = text(&pattern).expect("an example");
            assert!(pattern.is_match(&example), "{pattern:?} in {example}");
        }
    }

    #[test]
    fn a_pattern_that_is_hard_to_satisfy_has_none() {
        let pattern = TextPattern::new("^(ab|cd){3}$").expect("a pattern");
        assert_eq!(text(&pattern), None);
    }
}
