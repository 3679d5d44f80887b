//! Identifiers: words of letters and digits (`TRK-88`, `user_4421`), versions and numbers like `192.168.0.1` and
//! `123-45-6789`, what follows a `#`, and email addresses.

use super::cursor::AtomCursor;
use super::decimal::Decimal;
use super::unit::{find_money_word, find_unit};
use super::{AtomKind, AtomReading, RecognisedAtom, TextPosition, fold_text, is_letter, is_word};

/// The longest identifier, in bytes; a longer word is cut.
const MAX_BYTES: usize = 256;

/// Endings of a number that make no identifier of it: `2x`, `5k`, `21st`, `10pm`.
const ENDINGS: &[&str] = &["x", "k", "m", "b", "bn", "mn", "st", "nd", "rd", "th", "am", "pm", "s"];

/// A word of letters and digits that begins with a letter, or a number after `#`.
pub(super) fn recognise_identifier(here: TextPosition<'_>) -> Option<RecognisedAtom> {
    let rest = here.rest();
    if let Some(number) = rest.strip_prefix('#') {
        return recognise_numbered(number);
    }
    if !rest.starts_with(is_letter) || here.continues_word() {
        return None;
    }
    let word = take_word(here.head(MAX_BYTES));
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    // A single digit makes no identifier: `step1` and `gpt4` are words. `user_1` is one, because prose has no
    // underscores.
    let enough = digits >= 2 || (digits == 1 && word.contains('_'));
    (enough && !is_phrase(word)).then(|| build_identifier(word))
}

/// An identifier that begins with a digit.
pub(super) fn recognise_numeric(here: TextPosition<'_>) -> Option<RecognisedAtom> {
    if !here.rest().starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let word = take_word(here.head(MAX_BYTES));
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    // A word that begins with a digit may be a quantity (`50kg`), an identifier (`3f9a`) or a version (`1.2.3`). The
    // letters in it, and its points, tell which.
    let is_id = if word.contains(char::is_alphabetic) {
        is_lettered_identifier(word, digits)
    } else {
        is_dotted_or_dashed(word)
    };
    is_id.then(|| build_identifier(word))
}

/// An email address.
pub(super) fn recognise_email(here: TextPosition<'_>) -> Option<RecognisedAtom> {
    let mut cursor = AtomCursor::new(here.head(MAX_BYTES));
    cursor.peek().filter(|first| is_word(*first) && !here.continues_word())?;
    cursor.take_while(|c| is_word(c) || matches!(c, '.' | '_' | '%' | '+' | '-'));
    cursor.take_char(&['@'])?;
    let run = cursor.take_while(|c| is_word(c) || matches!(c, '.' | '-'));
    // A full stop after the domain ends the sentence.
    let domain = run.trim_end_matches(['.', '-']);
    let length = cursor.used() - (run.len() - domain.len());
    domain.contains('.').then(|| build_identifier(&here.rest()[..length]))
}

/// The runs of at least three digits in an identifier: what is said of `card_4421893` is `4421893`, and of a longer
/// number often the last four digits.
pub fn list_digit_runs(identifier: &str) -> impl Iterator<Item = Decimal> {
    let runs = identifier.split(|c: char| !c.is_ascii_digit()).filter(|run| run.len() >= 3);
    runs.flat_map(|run| {
        let ending = run.len().checked_sub(4).filter(|start| *start >= 4).map(|start| &run[start..]);
        [Some(run), ending].into_iter().flatten().map(|digits| Decimal::new(digits, ""))
    })
}

fn build_identifier(word: &str) -> RecognisedAtom {
    // Digits and hyphens alone may be quoted without the hyphens, so the number is a reading, too.
    let joined = !word.contains(|c: char| !c.is_ascii_digit() && c != '-');
    let number = joined.then(|| AtomReading::Number(Decimal::new(word, ""), None));
    let readings = std::iter::once(AtomReading::Text(fold_text(word))).chain(number).collect();
    RecognisedAtom { length: word.len(), kind: AtomKind::Ids, readings }
}

/// Recognises a number after `#`. `#1` is the first entry of a list.
fn recognise_numbered(number: &str) -> Option<RecognisedAtom> {
    let digits = AtomCursor::new(number).take_digits();
    let ends = AtomCursor::new(&number[digits.len()..]).at_end_of_word();
    (digits.len() >= 3 && ends).then(|| {
        let readings =
            vec![AtomReading::Text(digits.to_owned()), AtomReading::Number(Decimal::new(digits, ""), None)];
        RecognisedAtom { length: 1 + digits.len(), kind: AtomKind::Ids, readings }
    })
}

/// Letters, digits and underscores, and single points and hyphens between them.
fn take_word(text: &str) -> &str {
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        // A point or hyphen belongs to the word only between two parts of it.
        let joins = matches!(c, '-' | '.') && chars.peek().is_some_and(|(_, next)| is_word(*next));
        if !(is_word(c) || c == '_' || joins) {
            break;
        }
        end = at + c.len_utf8();
    }
    text[..end].trim_end_matches('_')
}

/// A word with a number after it: `mid-2024`. An identifier is capitalised, or has more to it.
fn is_phrase(word: &str) -> bool {
    word.split_once('-').is_some_and(|(before, after)| {
        // `mid-2024` is a phrase of the language; `ABC-2024` is an identifier.
        let lower = before.chars().all(char::is_lowercase);
        lower && after.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// `3f9a` and `123-AB-9`, but neither `50kg` nor `24-hour` nor `2-in-1`.
fn is_lettered_identifier(word: &str, digits: usize) -> bool {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.contains(|c: char| c.is_ascii_digit()) {
        // Digits on both sides of a mark may be a phrase such as `2-in-1`, unless there are many of them.
        return digits >= 3 || !rest.contains(['-', '.']) && digits >= 2;
    }
    let known = find_unit(rest).is_some() || find_money_word(rest).is_some();
    let ending = ENDINGS.iter().any(|ending| rest.eq_ignore_ascii_case(ending));
    digits >= 2 && !known && !ending && rest.chars().all(char::is_alphabetic)
}

/// `1.2.3`, `192.168.0.1`, `123-45-6789`: more than one point or hyphen, and no groups of thousands.
fn is_dotted_or_dashed(word: &str) -> bool {
    let points = word.matches('.').count();
    let thousands = word.split('.').skip(1).all(|group| group.len() == 3);
    (points >= 2 && !thousands && !word.contains('-')) || (points == 0 && word.matches('-').count() >= 2)
}
