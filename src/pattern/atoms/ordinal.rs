//! Numbers that count the answer's own parts, and claim nothing: `1.` before an entry of a list, `Step 2`, `3rd`.

use super::cursor::AtomCursor;
use super::{AtomKind, RecognisedAtom, TextPosition};

/// Words that are numbered by the text itself.
const LABELS: &[&str] = &[
    "step", "option", "part", "phase", "tip", "point", "question", "note", "method", "example", "section",
    "stage", "top",
];

/// Numbers that are words.
const IDIOMS: &[&str] = &["24/7", "50/50", "2fa"];

/// What may stand before the number of an entry: indentation, a heading, emphasis, an opening bracket.
const BEFORE_ENTRY: &[char] = &[' ', '\t', '#', '*', '>', '-', '_', '(', '|'];

pub(super) fn ordinal(here: TextPosition<'_>) -> Option<RecognisedAtom> {
    let head = here.head(8);
    let mut cursor = AtomCursor::new(head);
    if let Some(idiom) = IDIOMS.iter().find(|idiom| is_idiom(cursor, idiom)) {
        return Some(claim_nothing(idiom.len()));
    }
    let value = cursor.take_number(1..=3)?;
    let number = cursor;
    let rest = number.rest();
    // These are the marks of an emoji such as a key with a number on it.
    let is_key = rest.starts_with(['\u{fe0f}', '\u{20e3}']);
    // `第3`, `제3`, `ที่3`: the third.
    let is_third = here.tail(12).ends_with(['第', '제']) || here.tail(16).ends_with("ที่");
    let is_ranked = is_third || ["st", "nd", "rd", "th"].contains(&cursor.take_letters());
    let claims_nothing = is_key || is_ranked || is_entry(here, value) || is_labelled(here, rest);
    claims_nothing.then(|| claim_nothing(number.used()))
}

fn claim_nothing(length: usize) -> RecognisedAtom {
    RecognisedAtom { length, kind: AtomKind::Numbers, readings: Vec::new() }
}

fn is_idiom(mut cursor: AtomCursor<'_>, idiom: &str) -> bool {
    cursor.take_text(idiom).is_some() && cursor.at_end_of_word()
}

/// `1. First`, `(2) Second`, at the beginning of a line: the first entry, or the one after the last.
fn is_entry(here: TextPosition<'_>, value: u16) -> bool {
    let before = here.tail(24);
    let line = before.rsplit('\n').next().unwrap_or(before);
    let begins = line.len() < before.len() || before.len() == here.at;
    let mut after = here.head(8).trim_start_matches(|c: char| c.is_ascii_digit()).chars();
    let marked = matches!(after.next(), Some('.' | ')' | ':'));
    let spaced =
        matches!(after.next(), Some(' ' | '\t' | '*')) && after.next().is_some_and(|next| next != '\n');
    // An entry continues the list: its number is 1, or one more than that of the last entry. `42.` at the beginning
    // of a line is a claim.
    let next = value == 1 || value == here.entry + 1;
    let listed = here.head(8).trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('、');
    begins && (listed || marked && spaced) && next && line.chars().all(|c| BEFORE_ENTRY.contains(&c))
}

/// `Step 2`.
fn is_labelled(here: TextPosition<'_>, rest: &str) -> bool {
    let before = here.tail(16);
    let Some(before) = before.strip_suffix(' ') else { return false };
    let word = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    // A digit or a unit that follows makes it another number: `Step 2.5`, `Step 20%`.
    let whole = !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '%' | '.'))
        || rest.strip_prefix('.').is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
    whole && LABELS.iter().any(|label| word.eq_ignore_ascii_case(label))
}
