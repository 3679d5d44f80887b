//! Numbers with what stands before and after them: `-$1,234.50`, `50 €`, `5 million`, `12.5 %`, `3 kg`.

use super::cursor::AtomCursor;
use super::number::parse_number;
use super::unit::{Unit, find_code, find_money_word, find_sign, find_unit};
use super::{AtomKind, AtomReading, RecognisedAtom, TextPosition, is_letter, is_word};
use crate::pattern::plain::HARD_SPACE;
use crate::pattern::unspaced::is_unspaced;

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

pub(super) fn recognise_quantity(here: TextPosition<'_>) -> Option<RecognisedAtom> {
    if !may_begin(here) {
        return None;
    }
    let mut cursor = AtomCursor::new(here.rest());
    // The parts come in the order in which people write them: sign, currency, second sign, number, scale, unit. Each
    // part is optional but the number, and takes nothing if it is not there.
    let outer = take_sign(here, &mut cursor);
    let currency = take_currency_before(&mut cursor);
    let inner = currency.is_some() && cursor.take_char(&['-']).is_some();
    let (length, numbers) = parse_number(cursor.rest())?;
    cursor.skip(length);
    let scale = take_scale(&mut cursor, currency.is_some());
    let (kind, unit) = take_kind_and_unit(&mut cursor, currency);
    let readings = numbers
        .into_iter()
        .map(|number| AtomReading::Number(number.times_ten_to(scale).signed(outer || inner), unit));
    Some(RecognisedAtom { length: cursor.used(), kind, readings: readings.collect() })
}

/// Whether a quantity may begin here. Cheap, because it is asked at every word: a quantity begins with a digit, a sign
/// (all signs of currencies but `$` are outside ASCII) or the code of a currency.
fn may_begin(here: TextPosition<'_>) -> bool {
    here.rest().starts_with(|c: char| {
        c.is_ascii_digit() || c.is_ascii_uppercase() || matches!(c, '-' | '+' | '$') || !c.is_ascii()
    })
}

/// A sign belongs to the number unless it stands between two words: `3-5`.
fn take_sign(here: TextPosition<'_>, cursor: &mut AtomCursor<'_>) -> bool {
    let between = here.before().is_some_and(|before| is_word(before) || matches!(before, ')' | '-' | '%'));
    !between && cursor.take_char(&['-', '+']) == Some('-')
}

fn take_currency_before(cursor: &mut AtomCursor<'_>) -> Option<Unit> {
    let mut ahead = *cursor;
    // `单元3` is no amount: a currency in such a script stands behind its amount.
    let sign = find_sign(ahead.rest()).filter(|_| !ahead.rest().starts_with(is_unspaced));
    let unit = match sign {
        Some((unit, length)) => {
            ahead.skip(length);
            unit
        }
        None => find_code(ahead.rest().get(..3)?).inspect(|_| ahead.skip(3))?,
    };
    ahead.take_char(SPACES);
    let amount = ahead.rest().strip_prefix('-').unwrap_or(ahead.rest());
    // The cursor moves only if an amount follows: a currency alone is a word.
    amount.starts_with(|c: char| c.is_ascii_digit()).then(|| *cursor = ahead)?;
    Some(unit)
}

/// Takes a word such as `million` after the number, and returns its power of ten.
fn take_scale(cursor: &mut AtomCursor<'_>, money: bool) -> i64 {
    if let Some(power) = take_touching_scale(cursor) {
        return power;
    }
    let mut ahead = *cursor;
    let attached = ahead.take_char(SPACES).is_none();
    let word = ahead.take_letters();
    // `5m` is money only beside a currency: otherwise it is as likely five metres or minutes. `5k` means a thousand
    // everywhere.
    let short = find_scale(SHORT_SCALES, word).filter(|(name, _)| attached && (money || *name == "k"));
    let found = find_scale(SCALES, word).or(short).filter(|_| ahead.at_end_of_word());
    found.map_or(0, |(_, power)| {
        *cursor = ahead;
        *power
    })
}

/// `3万`, `1億`, `5천`: a scale that touches its number. `3千克` is three kilograms.
fn take_touching_scale(cursor: &mut AtomCursor<'_>) -> Option<i64> {
    const SCALES: &[(&str, i64)] = &[
        ("万亿", 12),
        ("百万", 6),
        ("千万", 7),
        ("백만", 6),
        ("천만", 7),
        ("百", 2),
        ("千", 3),
        ("천", 3),
        ("万", 4),
        ("萬", 4),
        ("만", 4),
        ("亿", 8),
        ("億", 8),
        ("억", 8),
        ("兆", 12),
        ("조", 12),
        ("ล้าน", 6),
        ("แสน", 5),
        ("หมื่น", 4),
        ("พัน", 3),
    ];
    const UNITS: &[&str] = &["克", "米", "瓦", "卡", "字", "赫", "帕", "安", "伏", "焦"];
    let (scale, power) = SCALES.iter().find(|(scale, _)| cursor.rest().starts_with(scale))?;
    let rest = &cursor.rest()[scale.len()..];
    // `3万5千` is one figure, which is not read: its first part is no claim of its own.
    let is_unit = UNITS.iter().any(|unit| rest.starts_with(unit));
    (!is_unit).then(|| cursor.skip(scale.len()))?;
    Some(*power)
}

fn find_scale(scales: &'static [(&str, i64)], word: &str) -> Option<&'static (&'static str, i64)> {
    scales.iter().find(|(name, _)| word.eq_ignore_ascii_case(name))
}

fn take_kind_and_unit(cursor: &mut AtomCursor<'_>, currency: Option<Unit>) -> (AtomKind, Option<Unit>) {
    if take_percent(cursor).is_some() {
        return (AtomKind::Percentages, Some("%"));
    }
    if let Some(after) = take_currency_after(cursor) {
        // `$50 CAD`: the code says more than the sign.
        return (AtomKind::Money, Some(after));
    }
    if currency.is_some() {
        return (AtomKind::Money, currency);
    }
    (AtomKind::Numbers, take_unit_after(cursor))
}

fn take_percent(cursor: &mut AtomCursor<'_>) -> Option<()> {
    let mut ahead = *cursor;
    ahead.take_char(&[' ', HARD_SPACE, '-']);
    ahead.take_char(&['%']).map(|_| ()).or_else(|| {
        ahead.take_text("per cent").or_else(|| ahead.take_text("percent"))?;
        ahead.at_end_of_word().then_some(())
    })?;
    *cursor = ahead;
    Some(())
}

fn take_currency_after(cursor: &mut AtomCursor<'_>) -> Option<Unit> {
    let mut ahead = *cursor;
    ahead.take_char(SPACES);
    let unit = match find_sign(ahead.rest()) {
        Some((unit, length)) => {
            ahead.skip(length);
            // `5 $7`: the sign belongs to the next number.
            Some(unit).filter(|_| ahead.at_end_of_word())?
        }
        None => find_money_word(ahead.take_letters()).filter(|_| ahead.at_end_of_word())?,
    };
    *cursor = ahead;
    Some(unit)
}

fn take_unit_after(cursor: &mut AtomCursor<'_>) -> Option<Unit> {
    let mut ahead = *cursor;
    ahead.take_char(&[' ', HARD_SPACE, '-']);
    let start = ahead;
    let word = ahead.take_while(|c| is_letter(c) || matches!(c, '°' | '/'));
    // The longest reading first: `km/h` is one unit, `kg/day` is a unit and a word.
    let candidates = std::iter::once(word).chain(word.split_once('/').map(|(before, _)| before));
    let (unit, length) =
        candidates.into_iter().find_map(|candidate| Some((find_unit(candidate)?, candidate.len())))?;
    *cursor = start;
    cursor.skip(length);
    Some(unit)
}
