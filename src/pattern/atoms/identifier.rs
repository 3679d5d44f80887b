//! Identifiers: words of letters and digits (`TRK-88`, `user_4421`), versions and numbers like `192.168.0.1` and
//! `123-45-6789`, what follows a `#`, and email addresses.

use super::cursor::Cursor;
use super::decimal::Decimal;
use super::unit::{money_word, unit};
use super::{AtomKind, Here, Piece, Reading, fold, is_word};

/// The longest identifier, in bytes; a longer word is cut.
const LONGEST: usize = 256;

/// Endings of a number that make no identifier of it: `2x`, `5k`, `21st`, `10pm`.
const ENDINGS: &[&str] = &["x", "k", "m", "b", "bn", "mn", "st", "nd", "rd", "th", "am", "pm", "s"];

/// A word of letters and digits that begins with a letter, or a number after `#`.
pub(super) fn identifier(here: Here<'_>) -> Option<Piece> {
    let rest = here.rest();
    if let Some(number) = rest.strip_prefix('#') {
        return numbered(number);
    }
    if !rest.starts_with(|c: char| c.is_alphabetic()) || here.goes_on() {
        return None;
    }
    let word = word(here.head(LONGEST));
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let enough = digits >= 2 || (digits == 1 && word.contains('_'));
    (enough && !is_phrase(word)).then(|| id(word))
}

/// An identifier that begins with a digit.
pub(super) fn numeric(here: Here<'_>) -> Option<Piece> {
    if !here.rest().starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let word = word(here.head(LONGEST));
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let is_id =
        if word.contains(char::is_alphabetic) { lettered(word, digits) } else { dotted_or_dashed(word) };
    is_id.then(|| id(word))
}

/// An email address.
pub(super) fn email(here: Here<'_>) -> Option<Piece> {
    let mut cursor = Cursor::new(here.head(LONGEST));
    cursor.peek().filter(|first| is_word(*first) && !here.goes_on())?;
    cursor.run(|c| is_word(c) || matches!(c, '.' | '_' | '%' | '+' | '-'));
    cursor.take(&['@'])?;
    let run = cursor.run(|c| is_word(c) || matches!(c, '.' | '-'));
    let domain = run.trim_end_matches(['.', '-']);
    let length = cursor.used() - (run.len() - domain.len());
    domain.contains('.').then(|| id(&here.rest()[..length]))
}

/// The runs of at least three digits in an identifier: what is said of `card_4421893` is `4421893`, and of a longer
/// number often the last four digits.
pub fn digit_runs(identifier: &str) -> impl Iterator<Item = Decimal> {
    let runs = identifier.split(|c: char| !c.is_ascii_digit()).filter(|run| run.len() >= 3);
    runs.flat_map(|run| {
        let ending = run.len().checked_sub(4).filter(|start| *start >= 4).map(|start| &run[start..]);
        [Some(run), ending].into_iter().flatten().map(|digits| Decimal::new(digits, ""))
    })
}

fn id(word: &str) -> Piece {
    let joined = !word.contains(|c: char| !c.is_ascii_digit() && c != '-');
    let number = joined.then(|| Reading::Number(Decimal::new(word, ""), None));
    let readings = std::iter::once(Reading::Text(fold(word))).chain(number).collect();
    Piece { length: word.len(), kind: AtomKind::Ids, readings }
}

/// What `#` numbers; `#1` is the first of a list.
fn numbered(number: &str) -> Option<Piece> {
    let digits = Cursor::new(number).digits();
    let ends = Cursor::new(&number[digits.len()..]).at_end_of_word();
    (digits.len() >= 3 && ends).then(|| {
        let readings =
            vec![Reading::Text(digits.to_owned()), Reading::Number(Decimal::new(digits, ""), None)];
        Piece { length: 1 + digits.len(), kind: AtomKind::Ids, readings }
    })
}

/// Letters, digits and underscores, and single points and hyphens between them.
fn word(text: &str) -> &str {
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
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
        let lower = before.chars().all(char::is_lowercase);
        lower && after.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// `3f9a` and `123-AB-9`, but neither `50kg` nor `24-hour` nor `2-in-1`.
fn lettered(word: &str, digits: usize) -> bool {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.contains(|c: char| c.is_ascii_digit()) {
        return digits >= 3 || !rest.contains(['-', '.']) && digits >= 2;
    }
    let known = unit(rest).is_some() || money_word(rest).is_some();
    let ending = ENDINGS.iter().any(|ending| rest.eq_ignore_ascii_case(ending));
    digits >= 2 && !known && !ending && rest.chars().all(char::is_alphabetic)
}

/// `1.2.3`, `192.168.0.1`, `123-45-6789`: more than one point or hyphen, and no groups of thousands.
fn dotted_or_dashed(word: &str) -> bool {
    let points = word.matches('.').count();
    let thousands = word.split('.').skip(1).all(|group| group.len() == 3);
    (points >= 2 && !thousands && !word.contains('-')) || (points == 0 && word.matches('-').count() >= 2)
}
