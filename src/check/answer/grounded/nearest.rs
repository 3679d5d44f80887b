//! Finds the value in the evidence nearest to a value of the answer. It is a hint and decides no verdict.

use crate::check::support::known_facts::KnownFacts;
use crate::pattern::{AtomReading, ClockTime, Date, Decimal, Unit};

/// Longer texts are not compared.
const LONGEST: usize = 48;

/// How far away a date may be, in days, and a time, in minutes.
const DAYS: i32 = 31;
const MINUTES: i32 = 60;

/// The value nearest to one of `readings`, in a user's words.
pub(super) fn nearest(readings: &[AtomReading], known: &KnownFacts) -> Option<String> {
    readings.iter().find_map(|reading| match reading {
        AtomReading::Number(number, unit) => {
            of_other_unit(number, *unit, known).or_else(|| near_number(number, known))
        }
        AtomReading::Date(date) => near_date(*date, known),
        AtomReading::Time(time) => near_time(*time, known),
        AtomReading::Text(text) => near_name(text, known),
    })
}

fn of_other_unit(number: &Decimal, unit: Option<Unit>, known: &KnownFacts) -> Option<String> {
    let seen = known.numbers.get(number)?.iter().flatten().min()?;
    unit.map(|_| format!("`{number} {seen}`"))
}

/// Finds a number that is a slip (one digit more, less or other, or another sign) or a rounding away, or else the closest
/// number within a tenth of the claimed one.
fn near_number(number: &Decimal, known: &KnownFacts) -> Option<String> {
    let shown = number.to_string();
    let value: f64 = shown.parse().ok().filter(|_| (2..=LONGEST).contains(&shown.len()))?;
    let candidates = known.numbers.keys().map(Decimal::to_string);
    let near =
        candidates.filter_map(|candidate| Some((number_distance(&shown, value, &candidate)?, candidate)));
    let nearest = near.min_by(|((is_unlike, apart), one), ((other_is_unlike, other_apart), other)| {
        let order = is_unlike.cmp(other_is_unlike).then(apart.total_cmp(other_apart));
        order.then_with(|| one.cmp(other))
    });
    nearest.map(|(_, candidate)| format!("`{candidate}`"))
}

/// Returns how far a candidate is from the claimed number: whether it is more than a slip or a rounding away, and the
/// difference. `None` if it is too far.
fn number_distance(shown: &str, value: f64, candidate: &str) -> Option<(bool, f64)> {
    let apart = (candidate.parse::<f64>().ok()? - value).abs();
    let close = candidate.len().abs_diff(shown.len()) <= 1 && shown.len() >= 3;
    let slip = close && strsim::damerau_levenshtein(shown, candidate) <= 1;
    // Slips and roundings come before numbers that are merely close: `45.99` is a better hint for `45.00` than `45.2`
    // is.
    let alike = slip || rounds_to(candidate, shown);
    (alike || apart <= value.abs() / 10.0).then_some((!alike, apart))
}

/// Whether `exact` is `rounded` with more decimal places.
fn rounds_to(exact: &str, rounded: &str) -> bool {
    let places = count_places(rounded);
    let Ok(value) = exact.parse::<f64>() else { return false };
    count_places(exact) > places && format!("{value:.places$}") == rounded
}

fn count_places(number: &str) -> usize {
    number.split_once('.').map_or(0, |(_, fraction)| fraction.len())
}

fn near_date(date: Date, known: &KnownFacts) -> Option<String> {
    let near = known.dates.iter().filter_map(|other| Some((date_distance(date, *other)?, other.to_string())));
    near.min().map(|(_, other)| format!("`{other}`"))
}

/// Returns the days between two near dates. The same day of another year is the farthest of the near dates.
fn date_distance(claimed: Date, known: Date) -> Option<i32> {
    match day_number(claimed).zip(day_number(known)) {
        Some((one, other)) if (one - other).abs() <= DAYS => Some((one - other).abs()),
        // A wrong year is a usual mistake, so the same day of another year is worth showing.
        _ => {
            let is_same_day =
                known.year.is_some() && (known.month, known.day) == (claimed.month, claimed.day);
            is_same_day.then_some(DAYS + 1)
        }
    }
}

/// Numbers the days of a calendar in which each month has 31 days: exact within a month, and close enough across two.
fn day_number(date: Date) -> Option<i32> {
    Some(i32::from(date.year?) * 372 + i32::from(date.month) * 31 + i32::from(date.day?))
}

fn near_time(time: ClockTime, known: &KnownFacts) -> Option<String> {
    let minute = minute_of_day(time);
    let near = known.times.iter().map(|other| ((minute_of_day(*other) - minute).abs(), other.to_string()));
    near.filter(|(distance, _)| *distance <= MINUTES).min().map(|(_, other)| format!("`{other}`"))
}

fn minute_of_day(time: ClockTime) -> i32 {
    i32::from(time.hour) * 60 + i32::from(time.minute)
}

fn near_name(name: &str, known: &KnownFacts) -> Option<String> {
    // The distance takes quadratic time, and a longer name is not read by a person.
    if name.len() > LONGEST {
        return None;
    }
    let most = (name.chars().count() / 4).max(1);
    let close = known.names.iter().filter(|(other, _)| other.len().abs_diff(name.len()) <= most);
    let near = close.map(|(other, written)| (strsim::damerau_levenshtein(name, other), written));
    near.filter(|(distance, _)| *distance <= most).min().map(|(_, written)| format!("`{written}`"))
}
