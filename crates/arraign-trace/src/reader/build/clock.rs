//! Points in time as traces write them.

use crate::calendar::count_days;

/// Nanoseconds since 1970 of an RFC 3339 time, such as `2026-11-21T20:34:05.050219Z`. Without an offset it is UTC.
pub(crate) fn nanos(text: &str) -> Option<u64> {
    let date = text.get(..10)?;
    let time = text.get(11..)?;
    let mut date = date.splitn(3, '-').map(|part| part.parse::<u64>().ok());
    let year = date.next()??;
    let month = date.next()??;
    let day = date.next()??;
    let (time, offset) = split_offset(time)?;
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut clock = clock.splitn(3, ':').map(|part| part.parse::<i64>().ok());
    let hour = clock.next()??;
    let minute = clock.next()??;
    let second = clock.next()??;
    // The bounds keep the arithmetic below from overflowing, and refuse texts that only look like a time. The second
    // may be 60, because of leap seconds.
    let possible = (1970..=2500).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..=60).contains(&second);
    if !possible {
        return None;
    }
    let days = i64::try_from(count_days(year, month, day)?).ok()?;
    let seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second;
    u64::try_from(seconds).ok()?.checked_mul(1_000_000_000)?.checked_add(nanos_of(fraction)?)
}

/// A time of the day and its offset from UTC in minutes.
fn split_offset(time: &str) -> Option<(&str, i64)> {
    if let Some(time) = time.strip_suffix(['Z', 'z']) {
        return Some((time, 0));
    }
    // A time without an offset counts as UTC, as most programs write it.
    let Some(at) = time.rfind(['+', '-']) else { return Some((time, 0)) };
    let (hours, minutes) = time[at + 1..].split_once(':')?;
    let (hours, minutes): (u8, u8) = (hours.parse().ok()?, minutes.parse().ok()?);
    let size = (hours <= 24 && minutes < 60).then_some(i64::from(hours) * 60 + i64::from(minutes))?;
    Some((&time[..at], if time[at..].starts_with('-') { -size } else { size }))
}

fn nanos_of(fraction: &str) -> Option<u64> {
    // Digits below a nanosecond are dropped.
    let digits = fraction.get(..9).unwrap_or(fraction);
    if digits.is_empty() {
        return Some(0);
    }
    let missing = 9 - u32::try_from(digits.len()).ok()?;
    digits.parse::<u64>().ok()?.checked_mul(10_u64.pow(missing))
}

/// Milliseconds from one point in nanoseconds to a later one.
#[expect(
    clippy::cast_precision_loss,
    reason = "a run is shorter than the 104 days that a float counts exactly"
)]
pub(crate) fn millis_between(from: u64, to: u64) -> f64 {
    to.saturating_sub(from) as f64 / 1_000_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_the_standard_says() {
        assert_eq!(nanos("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(nanos("2024-02-29T12:00:00.5+02:00"), Some(1_709_200_800_500_000_000));
        assert_eq!(nanos("2026-11-21T20:34:05.050219"), Some(1_795_293_245_050_219_000));
        assert_eq!(nanos("2026-11-21 20:34:05.0502191234Z"), Some(1_795_293_245_050_219_123));
        assert_eq!(nanos("2026-11-21T20:34:05-00:30"), Some(1_795_295_045_000_000_000));
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in [
            "",
            "now",
            "2026-11-21",
            "2026-13-01T00:00:00Z",
            "2026-11-21T25:00:00Z",
            "9999-11-21T20:34:05Z",
            "2026-11-21T20:34Z",
            "2026-11-21T20:34:05.xZ",
            "2026-11-21T20:34:05+99999999999999:00",
            "20261121T203405é050219Z",
        ] {
            assert_eq!(nanos(text), None, "{text}");
        }
    }
}
