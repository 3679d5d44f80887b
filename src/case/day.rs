//! Days of the Gregorian calendar, in UTC.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;

const SECONDS_PER_DAY: u64 = 86_400;

/// The days from the first of March of the year 0 to the first of January 1970.
const DAYS_BEFORE_1970: u64 = 719_468;

/// A day: the number of days since 1970. It is written `2026-12-20`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct Day(u64);

impl Day {
    /// Returns the day of a point in time. A time before 1970 is on the first day.
    pub fn of_time(time: SystemTime) -> Self {
        Self(time.duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs()) / SECONDS_PER_DAY)
    }

    /// Returns the number of days from this day to `later`: 0 if `later` is not later.
    pub fn count_days_to(self, later: Self) -> u64 {
        later.0.saturating_sub(self.0)
    }

    /// Converts a year, a month and a day of the month. The month is one from 1 to 12.
    ///
    /// Internally years begin in March, so that the leap day is the last of a year.
    fn of_date(year: u64, month: u64, day: u64) -> Option<Self> {
        let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
        // A month of this calendar starts (month * 306 + 5) / 10 days after March 1: the lengths 31, 30, 31, 30, 31 repeat.
        let days = 365 * year + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10 + day - 1;
        days.checked_sub(DAYS_BEFORE_1970).map(Self)
    }

    /// Returns the year, the month and the day of the month.
    fn to_date(self) -> (u64, u64, u64) {
        let days = self.0 + DAYS_BEFORE_1970;
        // An era is 400 years: 146,097 days. The corrections remove the leap days of 4 (1,460), 100 (36,524) and 400 years.
        let era = days / 146_097;
        let day = days % 146_097;
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        // Months are counted from March, so January and February belong to the next year.
        let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        (era * 400 + year + next, month, day)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.to_date();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl FromStr for Day {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.splitn(3, '-').map(|part| part.parse::<u64>().ok());
        let mut next_part = || parts.next().flatten();
        let parsed = match [next_part(), next_part(), next_part()] {
            [Some(year), Some(month @ 1..=12), Some(day @ 1..=31)] if year <= 9999 => {
                Self::of_date(year, month, day)
            }
            _ => None,
        };
        // Rendered again, the 30th of February is another day.
        let parsed = parsed.filter(|day| day.to_string() == text);
        parsed.ok_or_else(|| "expected a day such as `2026-12-20`".to_owned())
    }
}

impl TryFrom<String> for Day {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Day {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "day".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A day in UTC, such as `2026-12-20`.",
            "type": "string",
            "format": "date",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn seconds_are_on_a_day() {
        let days = [0, 951_782_400, 951_868_799, 1_795_231_203, 4_107_542_400]
            .map(|seconds| Day::of_time(UNIX_EPOCH + Duration::from_secs(seconds)).to_string());
        assert_eq!(days, ["1970-01-01", "2000-02-29", "2000-02-29", "2026-11-21", "2100-03-01"]);
    }

    #[test]
    fn every_day_is_read_as_it_is_written() {
        for number in (0..200_000).step_by(7) {
            assert_eq!(Day(number).to_string().parse(), Ok(Day(number)));
        }
        for text in [
            "",
            "2026-12",
            "2026-02-29",
            "2026-13-01",
            "2026-1-01",
            "+026-01-01",
            "1969-12-31",
            "2026-12-20 ",
        ] {
            assert!(text.parse::<Day>().is_err(), "{text}");
        }
    }
}
