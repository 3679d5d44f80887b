//! Quotations: text between quotation marks, on one line.

use super::{AtomKind, RecognisedAtom, TextPosition};

/// The longest quotation, in bytes. In a longer one its atoms are looked up instead.
const LONGEST: usize = 300;

/// An opening mark, and what closes it.
const MARKS: &[(char, &[char])] = &[
    ('"', &['"']),
    ('\u{201c}', &['\u{201d}']),
    ('\u{201e}', &['\u{201c}', '\u{201d}']),
    ('\u{ab}', &['\u{bb}']),
];

/// The marks that end or emphasize a sentence. They belong to the answer, and not to the quoted text.
const TRIMMED: &[char] = &[' ', '.', ',', '!', '?', ';', ':', '\u{2026}', '*', '_', '`'];

pub(super) fn quote(here: TextPosition<'_>) -> Option<RecognisedAtom> {
    let opening = here.rest().chars().next()?;
    let (_, closings) = MARKS.iter().find(|(mark, _)| *mark == opening)?;
    // `5" wide` opens nothing.
    if here.before().is_some_and(char::is_alphanumeric) {
        return None;
    }
    let inside = &here.head(LONGEST)[opening.len_utf8()..];
    let line = inside.lines().next()?;
    let end = line.find(*closings)?;
    let text = line[..end].trim_matches(TRIMMED);
    let closing = line[end..].chars().next()?.len_utf8();
    let length = opening.len_utf8() + end + closing;
    // A letter behind the closing mark, or a blank behind the opening one, means that the marks are not a pair.
    let ends = here.rest()[length..].chars().next().is_none_or(|next| !next.is_alphanumeric());
    let says_something = text.chars().filter(|c| c.is_alphanumeric()).count() >= 2 && !line.starts_with(' ');
    (ends && says_something).then(|| RecognisedAtom::of_text(length, AtomKind::Quotes, text))
}
