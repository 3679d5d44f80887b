//! The wait before a retry: what the server asks for, or else exponential backoff with jitter.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

use ureq::http::HeaderMap;

/// The wait before the second attempt; it doubles with each further one.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// The largest wait, unless the server asks for more.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Returns the wait after the attempt with this number, from 1: a random time between half of the doubled wait and all
/// of it, so that clients that failed together do not retry together.
pub(crate) fn compute_backoff(attempt: u32) -> Duration {
    // 1, 2, 4, ... times the first wait; after 32 attempts the shift would overflow.
    let doubled = 1_u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX);
    let whole = FIRST_WAIT.saturating_mul(doubled).min(MAX_WAIT);
    whole / 2 + (whole / 2).mul_f64(random_fraction())
}

/// Returns a number from 0 to 1. The random keys of a hash map are random enough.
fn random_fraction() -> f64 {
    let bits = u32::try_from(RandomState::new().build_hasher().finish() >> 32).unwrap_or_default();
    f64::from(bits) / f64::from(u32::MAX)
}

/// Parses the wait that the server asks for: `Retry-After` in seconds or as a date, or OpenAI's `retry-after-ms`.
pub(crate) fn parse_retry_after(headers: &HeaderMap) -> Option<Duration> {
    if let Some(millis) = header_number(headers, "retry-after-ms") {
        return Duration::try_from_secs_f64(millis / 1e3).ok();
    }
    if let Some(seconds) = header_number(headers, "retry-after") {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    // The difference of two dates of the server is independent of our clock.
    let then = parse_http_date(header_text(headers, "retry-after")?)?;
    let now = parse_http_date(header_text(headers, "date")?)?;
    Some(Duration::from_secs(u64::try_from(then - now).unwrap_or_default()))
}

/// Returns the text of a header without white space around it.
pub(super) fn header_text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
}

fn header_number(headers: &HeaderMap, name: &str) -> Option<f64> {
    header_text(headers, name)?.parse().ok()
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Converts an HTTP date (`Sun, 06 Nov 1994 08:49:37 GMT`) to seconds since a fixed day.
fn parse_http_date(date: &str) -> Option<i64> {
    let [_, day, month, year, time, "GMT"] = date.split(' ').collect::<Vec<_>>()[..] else { return None };
    let [hour, minute, second] = time.split(':').collect::<Vec<_>>()[..] else { return None };
    let month = i64::try_from(MONTHS.iter().position(|name| *name == month)?).ok()?;
    // A year is cut to four digits, so that a hostile header cannot overflow the days.
    let days = count_days(parse_number(year)?.min(9999), month, parse_number(day)?);
    Some(((days * 24 + parse_number(hour)?) * 60 + parse_number(minute)?) * 60 + parse_number(second)?)
}

/// Parses a number without a sign, small enough for the sums of dates.
fn parse_number(text: &str) -> Option<i64> {
    text.parse::<u32>().ok().map(i64::from)
}

/// Counts days of the Gregorian calendar. Years begin in March, so that the leap day is the last of a year. `month`
/// counts from 0.
fn count_days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month < 2 { (year - 1, month + 10) } else { (year, month - 2) };
    year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = pairs.iter();
        pairs
            .filter_map(|(name, value)| {
                Some((name.parse::<ureq::http::HeaderName>().ok()?, value.parse().ok()?))
            })
            .collect()
    }

    #[test]
    fn retry_after_is_seconds_milliseconds_or_a_date() {
        let wish = |pairs: &[(&'static str, &'static str)]| parse_retry_after(&headers(pairs));
        assert_eq!(wish(&[("retry-after", "2")]), Some(Duration::from_secs(2)));
        assert_eq!(
            wish(&[("retry-after", "2"), ("retry-after-ms", "1500")]),
            Some(Duration::from_millis(1500))
        );
        let date = "Wed, 28 Feb 2024 23:59:59 GMT";
        let later = "Fri, 01 Mar 2024 00:00:01 GMT";
        assert_eq!(wish(&[("date", date), ("retry-after", later)]), Some(Duration::from_secs(86402)));
        assert_eq!(wish(&[("date", later), ("retry-after", date)]), Some(Duration::ZERO));
    }

    #[test]
    fn nonsense_is_no_wish() {
        for nonsense in ["", "-1", "NaN", "inf", "1e300", "soon", "Wed, 99 Foo 2024 1:2:3 GMT"] {
            let nonsense: &'static str = nonsense;
            assert_eq!(parse_retry_after(&headers(&[("retry-after", nonsense)])), None, "{nonsense}");
        }
    }

    #[test]
    fn waits_double_up_to_their_longest() {
        for (attempt, whole) in [(1, 500), (2, 1000), (3, 2000), (40, 30_000), (u32::MAX, 30_000)] {
            let wait = compute_backoff(attempt).as_millis();
            assert!((whole / 2..=whole).contains(&wait), "{attempt}: {wait}");
        }
    }
}
