//! Numbers with what stands before and after them: `-$1,234.50`, `50 €`, `5 million`, `12.5 %`, `3 kg`.

use super::cursor::Cursor;
use super::decimal::Decimal;
use super::number::number;
use super::unit::{Unit, code, money_word, sign, unit};
use super::{AtomKind, Here, Piece, Reading, is_word};
use crate::pattern::plain::HARD_SPACE;

const SPACES: &[char] = &[' ', HARD_SPACE];
const SCALES: &[(&str, i64)] = &[
    ("hundred", 2),
    ("thousand", 3),
    ("million", 6),
    ("mn", 6),
    ("billion", 9),
    ("bn", 9),
    ("trillion", 12),
];
/// Only right after an amount of money, but for `k`: `5 m` is a length.
const SHORT_SCALES: &[(&str, i64)] = &[("k", 3), ("m", 6), ("b", 9), ("t", 12)];

pub(super) fn quantity(here: Here<'_>) -> Option<Piece> {
    if !begins(here) {
        return None;
    }
    let mut cursor = Cursor::new(here.rest());
    let outer = minus(here, &mut cursor);
    let currency = currency_before(&mut cursor);
    let inner = currency.is_some() && cursor.take(&['-']).is_some();
    let (length, numbers) = number(cursor.rest())?;
    cursor.skip(length);
    let scale = scale(&mut cursor, currency.is_some());
    let (kind, unit) = kind_and_unit(&mut cursor, currency);
    let reading = |number: Decimal| Reading::Number(number.times_ten_to(scale).signed(outer || inner), unit);
    Some(Piece { length: cursor.used(), kind, readings: numbers.into_iter().map(reading).collect() })
}

/// A cheap look, since this is asked at every word.
fn begins(here: Here<'_>) -> bool {
    let sign_or_digit = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '$') || !c.is_ascii();
    here.rest().starts_with(|c: char| sign_or_digit(c) || c.is_ascii_uppercase())
}

/// A sign belongs to the number unless it stands between two words: `3-5`.
fn minus(here: Here<'_>, cursor: &mut Cursor<'_>) -> bool {
    let between = here.before().is_some_and(|before| is_word(before) || matches!(before, ')' | '-' | '%'));
    !between && cursor.take(&['-', '+']) == Some('-')
}

fn currency_before(cursor: &mut Cursor<'_>) -> Option<Unit> {
    let mut ahead = *cursor;
    let unit = match sign(ahead.rest()) {
        Some((unit, length)) => {
            ahead.skip(length);
            unit
        }
        None => code(ahead.rest().get(..3)?).inspect(|_| ahead.skip(3))?,
    };
    ahead.take(SPACES);
    let amount = ahead.rest().strip_prefix('-').unwrap_or(ahead.rest());
    amount.starts_with(|c: char| c.is_ascii_digit()).then(|| *cursor = ahead)?;
    Some(unit)
}

/// The power of ten that a word after the number stands for.
fn scale(cursor: &mut Cursor<'_>, money: bool) -> i64 {
    let mut ahead = *cursor;
    let attached = ahead.take(SPACES).is_none();
    let word = ahead.letters();
    let known = |(name, _): &&(&str, i64)| word.eq_ignore_ascii_case(name);
    let short = SHORT_SCALES.iter().find(known).filter(|(name, _)| attached && (money || *name == "k"));
    let found = SCALES.iter().find(known).or(short).filter(|_| ahead.at_end_of_word());
    found.map_or(0, |(_, power)| {
        *cursor = ahead;
        *power
    })
}

fn kind_and_unit(cursor: &mut Cursor<'_>, currency: Option<Unit>) -> (AtomKind, Option<Unit>) {
    if percent(cursor).is_some() {
        return (AtomKind::Percentages, Some("%"));
    }
    if let Some(after) = currency_after(cursor) {
        // `$50 CAD`: the code says more than the sign.
        return (AtomKind::Money, Some(after));
    }
    if currency.is_some() {
        return (AtomKind::Money, currency);
    }
    (AtomKind::Numbers, unit_after(cursor))
}

fn percent(cursor: &mut Cursor<'_>) -> Option<()> {
    let mut ahead = *cursor;
    ahead.take(&[' ', HARD_SPACE, '-']);
    ahead.take(&['%']).map(|_| ()).or_else(|| {
        ahead.take_text("per cent").or_else(|| ahead.take_text("percent"))?;
        ahead.at_end_of_word().then_some(())
    })?;
    *cursor = ahead;
    Some(())
}

fn currency_after(cursor: &mut Cursor<'_>) -> Option<Unit> {
    let mut ahead = *cursor;
    ahead.take(SPACES);
    let unit = match sign(ahead.rest()) {
        Some((unit, length)) => {
            ahead.skip(length);
            // `5 $7`: the sign belongs to the next number.
            Some(unit).filter(|_| ahead.at_end_of_word())?
        }
        None => money_word(ahead.letters()).filter(|_| ahead.at_end_of_word())?,
    };
    *cursor = ahead;
    Some(unit)
}

fn unit_after(cursor: &mut Cursor<'_>) -> Option<Unit> {
    let mut ahead = *cursor;
    ahead.take(&[' ', HARD_SPACE, '-']);
    let start = ahead;
    let name = |c: char| c.is_alphabetic() || matches!(c, '°' | '/');
    let word = ahead.run(name);
    let whole = unit(word).map(|unit| (unit, word.len()));
    let part = || word.split_once('/').and_then(|(before, _)| Some((unit(before)?, before.len())));
    let (unit, length) = whole.or_else(part)?;
    *cursor = start;
    cursor.skip(length);
    Some(unit)
}
