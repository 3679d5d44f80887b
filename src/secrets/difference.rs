//! Two texts that differ, quoted where they do.

use std::borrow::Cow;

use crate::pattern::mask_secrets;

/// The largest length of a quoted text, in characters.
const MAX_QUOTED_CHARS: usize = 60;

/// The number of equal characters that are quoted before the first difference of two texts.
const CHARS_BEFORE_DIFFERENCE: usize = 20;

/// Quotes the parts of two texts around their first difference. The texts are masked before they are cut, because a cut
/// secret would not be recognized.
pub(crate) fn quote_difference(one: &str, other: &str) -> [String; 2] {
    let texts = [one, other].map(|text| mask_secrets(collapse_blanks(text).trim().to_owned()));
    let equal = texts[0].chars().zip(texts[1].chars()).take_while(|(one, other)| one == other).count();
    // A short text is quoted from its beginning.
    let is_long = texts.iter().any(|text| text.chars().nth(MAX_QUOTED_CHARS).is_some());
    let skipped = if is_long { equal.saturating_sub(CHARS_BEFORE_DIFFERENCE) } else { 0 };
    texts.map(|text| quote_part(&text, skipped))
}

fn quote_part(text: &str, skipped: usize) -> String {
    let mut rest = text.chars().skip(skipped);
    let part: String = rest.by_ref().take(MAX_QUOTED_CHARS).collect();
    let before = if skipped > 0 { "..." } else { "" };
    let after = if rest.next().is_some() { "..." } else { "" };
    format!("{:?}", format!("{before}{part}{after}"))
}

/// Replaces each run of white space by one blank. A text without such runs is not copied.
pub(crate) fn collapse_blanks(text: &str) -> Cow<'_, str> {
    let mut before_blank = false;
    let is_collapsed = text.chars().all(|c| {
        // A tab or line break counts as a run, because it is replaced by a blank.
        let is_run = c.is_whitespace() && (c != ' ' || before_blank);
        before_blank = c == ' ';
        !is_run
    });
    if is_collapsed {
        return Cow::Borrowed(text);
    }
    let mut collapsed = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !collapsed.is_empty() {
            collapsed.push(' ');
        }
        collapsed.push_str(word);
    }
    Cow::Owned(collapsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_quoted_where_they_differ() {
        let same = "You are the assistant of a shop. ".repeat(9);
        let texts = [format!("{same}Where is order 7?"), format!("{same}Where is order 8?")];
        assert_eq!(
            quote_difference(&texts[0], &texts[1]),
            ["\"...hop. Where is order 7?\"", "\"...hop. Where is order 8?\""]
        );
        assert_eq!(quote_difference("a\n b", ""), ["\"a b\"", "\"\""]);
    }

    #[test]
    fn runs_of_white_space_are_one_blank() {
        assert!(matches!(collapse_blanks("a b c"), Cow::Borrowed(_)));
        assert_eq!(collapse_blanks(" a\u{a0}b  c\n"), "a b c");
    }
}
