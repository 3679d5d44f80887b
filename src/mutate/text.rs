//! Changed copies of an answer.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// A verb before which an English sentence is negated.
const VERBS: &str = "is|are|was|were|has|have|had|do|does|did|can|could|will|would|should|may|might|must";

static NEGATIONS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let rules = [
        (format!(r"(?i)\b({VERBS})\s+not\b"), "$1"),
        (r"(?i)\bcannot\b".to_owned(), "can"),
        (r"(?i)\bcan['’]t\b".to_owned(), "can"),
        (r"(?i)\bwon['’]t\b".to_owned(), "will"),
        (r"(?i)\b(\w+)n['’]t\b".to_owned(), "$1"),
        (r"(?i)\bnever\s+".to_owned(), ""),
        (r"(?i)\bnot\s+".to_owned(), ""),
        (format!(r"(?i)\b({VERBS})\b"), "$1 not"),
    ];
    rules.into_iter().filter_map(|(rule, with)| Some((Regex::new(&rule).ok()?, with))).collect()
});

/// Returns the first half of the text. `None` for a text that is too short to be cut.
pub(super) fn cut_text(text: &str) -> Option<String> {
    let half = text.chars().count() / 2;
    (half > 0).then(|| text.chars().take(half).collect())
}

/// Returns the text with other digits. `None` for a text without any.
pub(super) fn change_digits(text: &str) -> Option<String> {
    let changed: String = text.chars().map(next_digit).collect();
    (changed != text).then_some(changed)
}

/// The next digit; 9 and 0 become 1, so that no number begins with another zero.
fn next_digit(c: char) -> char {
    match c {
        '0' | '9' => '1',
        '1'..='8' => char::from_digit(c.to_digit(10).unwrap_or_default() + 1, 10).unwrap_or(c),
        other => other,
    }
}

/// Returns the text with its first negation removed, or with one after its first auxiliary verb. `None` if the text has
/// neither. Only English is known.
pub(super) fn invert_negation(text: &str) -> Option<String> {
    let (rule, with) = NEGATIONS.iter().find(|(rule, _)| rule.is_match(text))?;
    let inverted = rule.replace(text, |found: &Captures<'_>| {
        let mut replacement = String::new();
        found.expand(with, &mut replacement);
        replacement
    });
    Some(inverted.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negation_is_removed_or_added() {
        for (text, inverted) in [
            ("It is not free.", "It is free."),
            ("I can't do it.", "I can do it."),
            ("It wasn't sent.", "It was sent."),
            ("Your order has shipped.", "Your order has not shipped."),
            ("It never ships.", "It ships."),
        ] {
            assert_eq!(invert_negation(text).as_deref(), Some(inverted));
        }
        assert_eq!(invert_negation("Hello, Ada!"), None);
    }

    #[test]
    fn digits_change_and_texts_are_cut_in_half() {
        assert_eq!(change_digits("order 90: $30.15").as_deref(), Some("order 11: $41.26"));
        assert_eq!(change_digits("none"), None);
        assert_eq!((cut_text("äöüß").as_deref(), cut_text("a")), (Some("äö"), None));
    }
}
