//! Times of day: `22:15`, `22:15:00Z`, `10:15 PM`, `10 p.m.`

use std::fmt;

use super::cursor::AtomCursor;
use super::{AtomKind, AtomReading, RecognisedAtom, TextPosition};
use crate::pattern::plain::HARD_SPACE;

/// A time of day. Zones are not converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClockTime {
    /// The hour, from 0 to 23.
    pub hour: u8,
    /// The minute.
    pub minute: u8,
    /// The second, where it was said.
    pub second: Option<u8>,
}

/// The longest time, in bytes.
const MAX_BYTES: usize = 40;

pub(super) fn recognise_time(here: TextPosition<'_>) -> Option<RecognisedAtom> {
    // Most positions hold no digit, and this refuses them by one character.
    if !here.rest().starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    [take_clock, take_hour].iter().find_map(|form| {
        let mut cursor = AtomCursor::new(here.head(MAX_BYTES));
        let time = form(&mut cursor).filter(|_| cursor.at_end_of_word())?;
        Some(RecognisedAtom {
            length: cursor.used(),
            kind: AtomKind::Dates,
            readings: vec![AtomReading::Time(time)],
        })
    })
}

/// `10:15`, with or without seconds, a zone, a half of the day.
fn take_clock(cursor: &mut AtomCursor<'_>) -> Option<ClockTime> {
    let hour = cursor.take_number(1..=2)?;
    cursor.take_char(&[':'])?;
    let minute = cursor.take_number(2..=2)?;
    let second = take_seconds(cursor);
    let afternoon = half_of_the_day(cursor);
    // A zone may be written right after it: `06:00:00EST`.
    if second.is_some() {
        cursor.take_letters();
    }
    build_time(hour, minute, second, afternoon)
}

/// `10 pm`.
fn take_hour(cursor: &mut AtomCursor<'_>) -> Option<ClockTime> {
    let hour = cursor.take_number(1..=2)?;
    let afternoon = half_of_the_day(cursor)?;
    build_time(hour, 0, None, Some(afternoon))
}

fn take_seconds(cursor: &mut AtomCursor<'_>) -> Option<u16> {
    let mut ahead = *cursor;
    ahead.take_char(&[':'])?;
    let second = ahead.take_number(2..=2)?;
    *cursor = ahead;
    // A period at the end of a sentence is no fraction, so digits must follow.
    if ahead.take_char(&['.']).is_some() && !ahead.take_digits().is_empty() {
        *cursor = ahead;
    }
    take_offset(cursor);
    Some(second)
}

/// `+02:00` or `-0500`.
fn take_offset(cursor: &mut AtomCursor<'_>) -> Option<()> {
    let mut ahead = *cursor;
    ahead.take_char(&['+', '-'])?;
    let hours = ahead.take_digits();
    if hours.len() == 2 && ahead.take_char(&[':']).is_some() {
        ahead.take_number(2..=2)?;
    }
    *cursor = ahead;
    Some(())
}

/// Whether it is in the afternoon, where that is said.
fn half_of_the_day(cursor: &mut AtomCursor<'_>) -> Option<bool> {
    // The marker is consumed only if it is whole: `10 amounts` is no time in the morning.
    let mut ahead = *cursor;
    ahead.take_char(&[' ', HARD_SPACE]);
    for (spelling, afternoon) in [("a.m.", false), ("p.m.", true), ("am", false), ("pm", true)] {
        if ahead.take_text(spelling).is_some() && ahead.at_end_of_word() {
            *cursor = ahead;
            return Some(afternoon);
        }
    }
    None
}

fn build_time(hour: u16, minute: u16, second: Option<u16>, afternoon: Option<bool>) -> Option<ClockTime> {
    // 12 AM is midnight and 12 PM is noon, so 12 counts as 0 before the half of the day is added.
    let hour = match afternoon {
        None => hour,
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(afternoon) => hour % 12 + if afternoon { 12 } else { 0 },
    };
    let in_range = hour < 24 && minute < 60 && second.is_none_or(|second| second < 60);
    if !in_range {
        return None;
    }
    let [hour, minute] = [hour, minute].map(|number| u8::try_from(number).ok());
    Some(ClockTime {
        hour: hour?,
        minute: minute?,
        second: second.and_then(|second| u8::try_from(second).ok()),
    })
}

impl fmt::Display for ClockTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.hour, self.minute)?;
        self.second.map_or(Ok(()), |second| write!(f, ":{second:02}"))
    }
}
