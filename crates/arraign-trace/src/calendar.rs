//! The Gregorian calendar: dates as days since 1970.

/// The days from the first of March of the year 0 to the first of January 1970.
const DAYS_BEFORE_1970: u64 = 719_468;

/// Returns the days from 1970 to a date; `None` if it is earlier. The month is from 1 to 12.
///
/// Internally years begin in March, so that the leap day is the last of a year.
pub fn count_days(year: u64, month: u64, day: u64) -> Option<u64> {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    // A month of this calendar starts (month * 306 + 5) / 10 days after March 1: the lengths 31, 30, 31, 30, 31 repeat.
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10 + day - 1;
    days.checked_sub(DAYS_BEFORE_1970)
}

/// Returns the year, the month and the day of the month of a day since 1970.
pub fn find_date(days: u64) -> (u64, u64, u64) {
    let days = days + DAYS_BEFORE_1970;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_day_has_one_date() {
        assert_eq!((count_days(1970, 1, 1), count_days(1969, 12, 31)), (Some(0), None));
        assert_eq!(find_date(11_016), (2000, 2, 29));
        for days in (0..400_000).step_by(13) {
            let (year, month, day) = find_date(days);
            assert_eq!(count_days(year, month, day), Some(days));
        }
    }
}
