//! Days of the Gregorian calendar, in UTC.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use arraign_trace::calendar::{count_days, find_date};
use serde::Deserialize;

const SECONDS_PER_DAY: u64 = 86_400;

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
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = find_date(self.0);
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
                count_days(year, month, day).map(Self)
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
