//! Dates: `2025-03-03`, `3/3/2025`, `3 March 2025`, `March 3rd, 2025`, `Mar 3`, `March 2025`. Months are English.

use std::fmt;
use std::sync::LazyLock;

use super::cursor::AtomCursor;
use super::{AtomKind, AtomReading, RecognisedAtom, TextPosition};
use crate::pattern::word_table::{WordList, list_words};

/// A date. The year or the day may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Date {
    /// The year, if the text contains it.
    pub year: Option<u16>,
    /// The month, from 1.
    pub month: u8,
    /// The day of the month, if the text contains it.
    pub day: Option<u8>,
}

static MONTHS: WordList = LazyLock::new(|| {
    list_words("january february march april may june july august september october november december")
});

/// The longest date, in bytes: `30th of September, 2025`.
const MAX_BYTES: usize = 32;

type DateForm = fn(&mut AtomCursor<'_>) -> Option<Vec<Date>>;

pub(super) fn recognise_date(here: TextPosition<'_>) -> Option<RecognisedAtom> {
    const BY_DIGIT: &[DateForm] = &[take_year_first, take_year_last, take_day_and_month, take_marked_date];
    const BY_LETTER: &[DateForm] = &[take_month_and_day, take_month_and_year];
    let forms = match here.rest().chars().next()? {
        c if c.is_ascii_digit() => BY_DIGIT,
        c if c.is_ascii_alphabetic() => BY_LETTER,
        _ => return None,
    };
    // Each form starts again at the beginning. More complete forms come first: a year must not be left behind as a
    // number.
    forms.iter().find_map(|form| {
        let mut cursor = AtomCursor::new(here.head(MAX_BYTES));
        let dates = form(&mut cursor)?;
        let readings = dates.into_iter().map(AtomReading::Date).collect();
        Some(RecognisedAtom { length: cursor.used(), kind: AtomKind::Dates, readings })
    })
}

fn take_year_first(cursor: &mut AtomCursor<'_>) -> Option<Vec<Date>> {
    let year = cursor.take_number(4..=4)?;
    let separator = cursor.take_char(&['-', '/', '.'])?;
    let month = cursor.take_number(1..=2)?;
    cursor.take_char(&[separator])?;
    let date = build_date(Some(year), month, Some(cursor.take_number(1..=2)?))?;
    // `2024-05-01T10:00` is a date and a time, which is recognised on its own behind the `T`.
    if cursor.peek() == Some('T') && cursor.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) {
        cursor.skip(1);
        return Some(vec![date]);
    }
    cursor.at_end_of_word().then(|| vec![date])
}

/// Reads both orders of day and month. If points separate them, the day is first.
fn take_year_last(cursor: &mut AtomCursor<'_>) -> Option<Vec<Date>> {
    let first = cursor.take_number(1..=2)?;
    let separator = cursor.take_char(&['/', '.', '-'])?;
    let second = cursor.take_number(1..=2)?;
    cursor.take_char(&[separator])?;
    // Only with slashes are two digits a year: `1.2.25` and `1-2-25` are versions and ranges as well.
    let short = separator == '/';
    let year = cursor
        .take_number(4..=4)
        .or_else(|| cursor.take_number(2..=2).filter(|_| short).map(|year| 2000 + year))?;
    // `3/4/2025` may be in March or in April. Both readings are kept, and the caller accepts either.
    let orders = [(first, second, separator != '.'), (second, first, true)];
    let orders = orders.into_iter().filter(|(_, _, used)| *used);
    let mut dates: Vec<Date> =
        orders.filter_map(|(month, day, _)| build_date(Some(year), month, Some(day))).collect();
    // Day and month are equal in `3/3/2025`, so both orders are one date.
    dates.dedup();
    (!dates.is_empty() && cursor.at_end_of_word()).then_some(dates)
}

fn take_day_and_month(cursor: &mut AtomCursor<'_>) -> Option<Vec<Date>> {
    let day = cursor.take_number(1..=2)?;
    take_ordinal_ending(cursor);
    cursor.take_text(" of").unwrap_or_default();
    cursor.take_char(&[' ', '-'])?;
    let month = take_month(cursor)?;
    let year = take_year(cursor, &[' ', '-']);
    Some(vec![build_date(year, month, Some(day)).filter(|_| cursor.at_end_of_word())?])
}

fn take_month_and_day(cursor: &mut AtomCursor<'_>) -> Option<Vec<Date>> {
    let month = take_month(cursor)?;
    cursor.take_char(&[' '])?;
    let day = cursor.take_number(1..=2)?;
    take_ordinal_ending(cursor);
    let year = take_year(cursor, &[' ']);
    Some(vec![build_date(year, month, Some(day)).filter(|_| cursor.at_end_of_word())?])
}

fn take_month_and_year(cursor: &mut AtomCursor<'_>) -> Option<Vec<Date>> {
    let month = take_month(cursor)?;
    let year = take_year(cursor, &[' '])?;
    Some(vec![build_date(Some(year), month, None).filter(|_| cursor.at_end_of_word())?])
}

/// `2025年3月3日`, `3월 3일`, `2025年3月`.
fn take_marked_date(cursor: &mut AtomCursor<'_>) -> Option<Vec<Date>> {
    let mut ahead = *cursor;
    let year = ahead.take_number(4..=4).filter(|_| ahead.take_char(&['年', '년']).is_some());
    if year.is_some() {
        ahead.take_char(&[' ']);
    } else {
        ahead = *cursor;
    }
    let month = ahead.take_number(1..=2)?;
    ahead.take_char(&['月', '월'])?;
    *cursor = ahead;
    ahead.take_char(&[' ']);
    let day = ahead.take_number(1..=2).filter(|_| ahead.take_char(&['日', '일', '号', '號']).is_some());
    if day.is_some() {
        *cursor = ahead;
    }
    // `3月` alone is a month, or a count of months.
    (year.is_some() || day.is_some()).then(|| build_date(year, month, day).map(|date| vec![date]))?
}

/// Reads a month by its name or by at least three letters of it. `may` and `march` are words unless they are capitalised.
fn take_month(cursor: &mut AtomCursor<'_>) -> Option<u16> {
    let word = cursor.take_letters();
    let lower = word.to_ascii_lowercase();
    let found = MONTHS.iter().position(|month| lower.len() >= 3 && month.starts_with(&lower))?;
    // `may` is a verb and `march` a noun. A date with either in lower case is lost, which is better than dates in
    // prose that nobody meant.
    if ["may", "march", "mar"].contains(&word) {
        return None;
    }
    if lower.len() < MONTHS[found].len() {
        cursor.take_char(&['.']);
    }
    u16::try_from(found + 1).ok()
}

/// Reads a year after a comma, one of `separators`, or both. Without one, nothing is read.
fn take_year(cursor: &mut AtomCursor<'_>, separators: &[char]) -> Option<u16> {
    let mut ahead = *cursor;
    let comma = ahead.take_char(&[',']);
    ahead.take_char(separators).or(comma)?;
    let year =
        // A number of another size behind a date is rather an amount than a year.
        ahead.take_number(4..=4).filter(|year| (1000..2200).contains(year) && ahead.at_end_of_word())?;
    *cursor = ahead;
    Some(year)
}

fn take_ordinal_ending(cursor: &mut AtomCursor<'_>) {
    let mut ahead = *cursor;
    if ["st", "nd", "rd", "th"].contains(&ahead.take_letters()) {
        *cursor = ahead;
    }
}

fn build_date(year: Option<u16>, month: u16, day: Option<u16>) -> Option<Date> {
    let in_range = (1..=12).contains(&month) && day.is_none_or(|day| (1..=31).contains(&day));
    let month = u8::try_from(month).ok().filter(|_| in_range)?;
    Some(Date { year, month, day: day.and_then(|day| u8::try_from(day).ok()) })
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = MONTHS.get(usize::from(self.month).saturating_sub(1)).copied().unwrap_or_default();
        match (self.year, self.day) {
            (Some(year), Some(day)) => write!(f, "{year:04}-{:02}-{day:02}", self.month),
            (Some(year), None) => write!(f, "{year:04}-{:02}", self.month),
            (None, Some(day)) => write!(f, "{day} {}{}", name[..1].to_uppercase(), &name[1..]),
            (None, None) => f.write_str(name),
        }
    }
}
