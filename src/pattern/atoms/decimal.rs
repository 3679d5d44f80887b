//! A decimal number of any length, in one form: 1.0 is 1, and 1,000 is 1000.

use std::fmt;

/// 0.DIGITS times ten to the power of `point`, without zeros at either end of the digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decimal {
    negative: bool,
    digits: String,
    point: i64,
}

impl Decimal {
    /// The number whose digits before and after the point are these; other characters among them are skipped.
    pub fn new(whole: &str, fraction: &str) -> Self {
        let whole = whole.bytes().filter(u8::is_ascii_digit).skip_while(|digit| *digit == b'0');
        let mut digits: String = whole.map(char::from).collect();
        let mut point = i64::try_from(digits.len()).unwrap_or(i64::MAX);
        let mut fraction = fraction.chars().filter(char::is_ascii_digit).peekable();
        // Zeros between the point and the first digit only move the point: 0.05 is 0.5e-1.
        while digits.is_empty() && fraction.next_if_eq(&'0').is_some() {
            point -= 1;
        }
        digits.extend(fraction);
        // Zeros at the end do not count: 1.50 is 1.5, and 1000 is 0.1e4.
        digits.truncate(digits.trim_end_matches('0').len());
        if digits.is_empty() {
            point = 0;
        }
        Self { negative: false, digits, point }
    }

    /// The number that JSON writes as `text`: `-12.5e-3`.
    pub fn from_json(text: &str) -> Self {
        let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let exponent = exponent.trim_start_matches('+').parse().unwrap_or(0);
        Self::new(whole, fraction).times_ten_to(exponent).signed(number.starts_with('-'))
    }

    /// Returns the number, below zero if `negative`.
    pub fn signed(self, negative: bool) -> Self {
        Self { negative: negative && !self.digits.is_empty(), ..self }
    }

    /// The number shifted by `places` decimal places.
    pub fn times_ten_to(self, places: i64) -> Self {
        let point = if self.digits.is_empty() { 0 } else { self.point.saturating_add(places) };
        Self { point, ..self }
    }

    /// Returns the absolute value of the number.
    pub fn magnitude(&self) -> Self {
        Self { negative: false, ..self.clone() }
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether it lies between -1 and 1.
    pub fn is_fraction(&self) -> bool {
        self.point <= 0
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        let count = i64::try_from(self.digits.len()).unwrap_or(i64::MAX);
        // Four forms: nothing but zeros, a whole number, a number around its point, and one below 1. A number with
        // too many zeros is written with an exponent, so that `1e999999999` does not fill the memory.
        match (usize::try_from(self.point), self.digits.as_str()) {
            (_, "") => f.write_str("0"),
            (Ok(point), digits) if self.point <= 40 && self.point >= count => {
                write!(f, "{sign}{digits:0<point$}")
            }
            (Ok(point @ 1..), digits) if self.point < count => {
                write!(f, "{sign}{}.{}", &digits[..point], &digits[point..])
            }
            (_, digits) if (-20..=0).contains(&self.point) => {
                write!(f, "{sign}0.{}{digits}", "0".repeat(usize::try_from(-self.point).unwrap_or(0)))
            }
            (_, digits) => write!(f, "{sign}0.{digits}e{}", self.point),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::read_examples;

    #[test]
    fn one_number_has_one_form() {
        for (text, shown) in read_examples::<(String, String)>(include_str!("tests.json"), "decimals") {
            assert_eq!(Decimal::from_json(&text).to_string(), shown, "{text}");
        }
        assert_eq!(Decimal::new("1,234", "50"), Decimal::from_json("1234.5"));
    }
}
