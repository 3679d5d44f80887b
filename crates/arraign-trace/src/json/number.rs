//! Numbers of JSON, which keep the digits that were written.
//!
//! A 64-bit float holds neither an amount in wei nor a long account number: `100000000000000000000` and
//! `100000000000000000001` are the same float. So a number is its digits, and numbers are compared by the digits.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::json::error::JsonError;
use crate::json::text::JsonText;

/// A number. Equal numbers have the same value: `1`, `1.0` and `10e-1` are equal.
///
/// Numbers are compared exactly, with one exception: a fraction that is the print of a 64-bit float with 17 digits equals
/// the shortest decimal that means this float. Some honest writers print `0.1` as `0.10000000000000001`.
#[derive(Clone)]
pub struct JsonNumber<'t>(Digits<'t>);

#[derive(Clone)]
enum Digits<'t> {
    /// An integer that is written without a point, an exponent, or a sign before zero.
    Integer(i64),
    /// Any other number, as JSON writes it.
    Written(JsonText<'t>),
}

/// The most digits that an exponent may have, without leading zeros. No larger one is written by anything but an attack.
const MAX_EXPONENT_DIGITS: usize = 18;

/// The number of significant digits that distinguish every 64-bit float from every other.
const DIGITS_OF_A_FLOAT: usize = 17;

/// It is a float in every program, where its sign can be seen.
const NEGATIVE_ZERO: &str = "-0";

/// Longer integers have an exponent in their canonical form.
const MOST_WHOLE_DIGITS: usize = 100;

impl std::str::FromStr for JsonNumber<'static> {
    type Err = JsonError;

    fn from_str(text: &str) -> Result<Self, JsonError> {
        let number = JsonNumber::parse(text).map(JsonNumber::into_owned);
        number.ok_or_else(|| JsonError::new("invalid number"))
    }
}

impl<'t> JsonNumber<'t> {
    /// Parses a number of JSON. Returns `None` for any other text.
    pub fn parse(text: &'t str) -> Option<Self> {
        (scan_number(text.as_bytes()) == Some(text.len())).then(|| Self::of_digits(text))
    }

    /// Returns the number that `digits` write, which [`scan_number`] has accepted.
    pub(crate) fn of_digits(digits: &'t str) -> Self {
        // Up to 18 digits fit without an overflow.
        if digits.len() <= 18
            && digits != NEGATIVE_ZERO
            && let Ok(integer) = digits.parse::<i64>()
        {
            return Self(Digits::Integer(integer));
        }
        Self(Digits::Written(digits.into()))
    }

    /// Returns the number, which no longer borrows.
    pub fn into_owned(self) -> JsonNumber<'static> {
        match self.0 {
            Digits::Integer(integer) => JsonNumber(Digits::Integer(integer)),
            Digits::Written(text) => JsonNumber(Digits::Written(text.into_owned())),
        }
    }

    /// Converts a float. Infinity and NaN are no numbers of JSON.
    pub fn from_f64(float: f64) -> Option<JsonNumber<'static>> {
        let printed = serde_json::Number::from_f64(float)?.to_string();
        Some(JsonNumber(Digits::Written(printed.into())))
    }

    /// Returns the number as it was written.
    pub fn as_str(&self) -> Cow<'_, str> {
        match &self.0 {
            Digits::Integer(integer) => Cow::Owned(integer.to_string()),
            Digits::Written(text) => Cow::Borrowed(text.as_str()),
        }
    }

    /// Returns the value, if it is written as an integer and fits.
    pub fn as_i64(&self) -> Option<i64> {
        match &self.0 {
            Digits::Integer(integer) => Some(*integer),
            Digits::Written(text) if self.is_written_as_integer() && text != NEGATIVE_ZERO => {
                text.parse().ok()
            }
            Digits::Written(_) => None,
        }
    }

    /// Returns the value, if it is written as an integer and fits.
    pub fn as_u64(&self) -> Option<u64> {
        match &self.0 {
            Digits::Integer(integer) => u64::try_from(*integer).ok(),
            Digits::Written(text) if self.is_written_as_integer() => text.parse().ok(),
            Digits::Written(_) => None,
        }
    }

    /// Returns the float that is nearest to the value. `None` if the value is beyond the largest float.
    #[expect(clippy::cast_precision_loss, reason = "the nearest float is asked for")]
    pub fn as_f64(&self) -> Option<f64> {
        match &self.0 {
            Digits::Integer(integer) => Some(*integer as f64),
            Digits::Written(text) => text.parse().ok().filter(|float: &f64| float.is_finite()),
        }
    }

    /// Whether the number is written as an integer that fits into an `i64`.
    pub fn is_i64(&self) -> bool {
        self.as_i64().is_some()
    }

    /// Whether the number is written as an integer that fits into a `u64`.
    pub fn is_u64(&self) -> bool {
        self.as_u64().is_some()
    }

    /// Whether the number is written with a point or an exponent, or is too large for 64 bits: what other parsers of JSON read
    /// as a float.
    pub fn is_f64(&self) -> bool {
        !self.is_i64() && !self.is_u64()
    }

    /// Whether the number is written without a point and without an exponent.
    pub fn is_written_as_integer(&self) -> bool {
        match &self.0 {
            Digits::Integer(_) => true,
            Digits::Written(text) => !text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')),
        }
    }

    /// Whether the value is whole: `1.0` and `1e3` are.
    pub fn is_whole(&self) -> bool {
        match &self.0 {
            Digits::Integer(_) => true,
            Digits::Written(text) => Decimal::of(text).is_whole(),
        }
    }

    /// Whether the value is below zero.
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Digits::Integer(integer) => *integer < 0,
            Digits::Written(text) => {
                let decimal = Decimal::of(text);
                decimal.is_negative && !decimal.digits.is_empty()
            }
        }
    }

    /// Whether the number is held without loss by the number type of other parsers: `i64`, `u64`, or the shortest decimal
    /// of a finite float.
    pub fn fits_64_bits(&self) -> bool {
        if self.is_i64() || self.is_u64() {
            return true;
        }
        // A float names a value with more digits than were written; its shortest print names the same float.
        self.as_f64().and_then(JsonNumber::from_f64).is_some_and(|float| float == *self)
    }

    /// Returns the number as `serde_json` prints it where 64 bits hold it, and with its own digits in one form elsewhere.
    pub fn to_canonical(&self) -> JsonNumber<'static> {
        if self.is_i64() || self.is_u64() {
            return self.clone().into_owned();
        }
        if let Some(float) = self.as_f64().and_then(JsonNumber::from_f64).filter(|float| float == self) {
            return float;
        }
        let Decimal { is_negative, digits, exponent } = self.decimal();
        let sign = if is_negative { "-" } else { "" };
        let digits = String::from_utf8_lossy(&digits);
        let text = match usize::try_from(exponent) {
            Ok(whole) if whole >= digits.len() && whole <= MOST_WHOLE_DIGITS => {
                format!("{sign}{digits:0<whole$}")
            }
            _ => format!("{sign}0.{digits}e{exponent}"),
        };
        JsonNumber(Digits::Written(text.into()))
    }

    /// Whether the number is a whole multiple of `unit`, by the digits of both. `None` if that takes too many digits.
    pub fn is_multiple_of(&self, unit: &JsonNumber) -> Option<bool> {
        /// Below a tenth of `u128::MAX`.
        const MOST_DIGITS_OF_UNIT: i64 = 37;
        const MOST_DIGITS: i64 = 4096;
        let number = self.decimal();
        let unit = unit.decimal();
        if number.digits.is_empty() {
            return Some(true);
        }
        if unit.digits.is_empty() {
            return Some(false);
        }
        // Both are whole in units of the last digit of either.
        let last_place = |decimal: &Decimal| decimal.exponent.saturating_sub(count(decimal.digits.len()));
        let last = last_place(&number).min(last_place(&unit));
        let length = |decimal: &Decimal| decimal.exponent.saturating_sub(last);
        if length(&unit) > MOST_DIGITS_OF_UNIT || length(&number) > MOST_DIGITS {
            return None;
        }
        let digits = |decimal: &Decimal| {
            let zeros = usize::try_from(last_place(decimal) - last).unwrap_or_default();
            decimal.digits.iter().copied().chain(std::iter::repeat_n(b'0', zeros)).collect::<Vec<u8>>()
        };
        let append = |value: u128, digit: &u8| value * 10 + u128::from(digit - b'0');
        let unit = digits(&unit).iter().fold(0, append);
        Some(digits(&number).iter().fold(0, |rest, digit| append(rest, digit) % unit) == 0)
    }

    fn decimal(&self) -> Decimal<'_> {
        match &self.0 {
            Digits::Integer(integer) => Decimal::of_integer(*integer),
            Digits::Written(text) => Decimal::of(text).shorten(text),
        }
    }
}

impl From<i64> for JsonNumber<'_> {
    fn from(integer: i64) -> Self {
        Self(Digits::Integer(integer))
    }
}

impl From<u64> for JsonNumber<'_> {
    fn from(integer: u64) -> Self {
        match i64::try_from(integer) {
            Ok(integer) => Self(Digits::Integer(integer)),
            Err(_) => Self(Digits::Written(integer.to_string().into())),
        }
    }
}

macro_rules! from_small_integers {
    ($($small:ty => $large:ty),*) => {
        $(impl From<$small> for JsonNumber<'_> {
            fn from(integer: $small) -> Self {
                Self::from(<$large>::from(integer))
            }
        })*
    };
}

from_small_integers!(u8 => u64, u16 => u64, u32 => u64, i8 => i64, i16 => i64, i32 => i64);

impl From<usize> for JsonNumber<'_> {
    fn from(integer: usize) -> Self {
        Self::from(integer as u64)
    }
}

impl fmt::Display for JsonNumber<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Digits::Integer(integer) => fmt::Display::fmt(integer, f),
            Digits::Written(text) => fmt::Display::fmt(text, f),
        }
    }
}

impl fmt::Debug for JsonNumber<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Number({self})")
    }
}

impl PartialEq for JsonNumber<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for JsonNumber<'_> {}

impl PartialOrd for JsonNumber<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for JsonNumber<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Digits::Integer(one), Digits::Integer(other)) => one.cmp(other),
            (Digits::Written(one), Digits::Written(other)) if one == other => Ordering::Equal,
            _ => self.decimal().cmp(&other.decimal()),
        }
    }
}

/// Equal numbers have the same hash.
impl Hash for JsonNumber<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let decimal = self.decimal();
        (decimal.digits.is_empty() || decimal.is_negative).hash(state);
        decimal.digits.hash(state);
        decimal.exponent.hash(state);
    }
}

/// A number of digits, which is the length of a text.
fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// The value of a number: `0.DIGITS` times ten to the power of `exponent`.
#[derive(Debug)]
struct Decimal<'n> {
    is_negative: bool,
    /// The significant digits: the first one and the last one are not zero. None for zero.
    digits: Cow<'n, [u8]>,
    exponent: i64,
}

impl<'n> Decimal<'n> {
    /// Reads a number of JSON. Its exponent is never expanded, so `1e999999999` costs as much as `1e9`.
    fn of(text: &'n str) -> Self {
        let (is_negative, unsigned) = match text.strip_prefix('-') {
            Some(unsigned) => (true, unsigned),
            None => (false, text),
        };
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let whole = whole.trim_start_matches('0').as_bytes();
        let fraction = fraction.trim_end_matches('0').as_bytes();
        let farthest = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
        let shift: i64 = exponent.parse().unwrap_or(farthest);
        let digits = match (whole, fraction) {
            (whole, []) => Cow::Borrowed(whole),
            ([], fraction) => Cow::Borrowed(fraction),
            (whole, fraction) => Cow::Owned([whole, fraction].concat()),
        };
        // Zeros after the point move the first significant digit.
        let leading = digits.iter().take_while(|digit| **digit == b'0').count();
        let trailing = digits[leading..].iter().rev().take_while(|digit| **digit == b'0').count();
        if leading == digits.len() {
            return Self { is_negative: false, digits: Cow::Borrowed(&[]), exponent: 0 };
        }
        let significant = leading..digits.len() - trailing;
        let digits = match digits {
            Cow::Borrowed(digits) => Cow::Borrowed(&digits[significant]),
            Cow::Owned(digits) => Cow::Owned(digits[significant].to_vec()),
        };
        let exponent = shift.saturating_add(count(whole.len())).saturating_sub(count(leading));
        Self { is_negative, digits, exponent }
    }

    fn of_integer(integer: i64) -> Self {
        let mut digits = integer.unsigned_abs().to_string().into_bytes();
        let exponent = count(digits.len());
        let significant = digits.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1);
        digits.truncate(significant);
        let exponent = if digits.is_empty() { 0 } else { exponent };
        Self { is_negative: integer < 0, digits: Cow::Owned(digits), exponent }
    }

    fn is_whole(&self) -> bool {
        count(self.digits.len()) <= self.exponent
    }

    /// Returns the shortest decimal of a float in place of the float's print with 17 digits.
    fn shorten(self, text: &str) -> Self {
        // With 15 digits or fewer, each decimal is the shortest one of its float. Integers are compared exactly.
        if self.digits.len() > DIGITS_OF_A_FLOAT
            || self.digits.len() < DIGITS_OF_A_FLOAT - 1
            || self.is_whole()
        {
            return self;
        }
        let Some(float) = text.parse().ok().filter(|float: &f64| float.is_finite()) else { return self };
        let printed = format!("{float:.*e}", DIGITS_OF_A_FLOAT - 1);
        let is_print = Decimal::of(&printed).digits == self.digits;
        if !is_print {
            return self;
        }
        let shortest = format!("{float:e}");
        let Decimal { is_negative, digits, exponent } = Decimal::of(&shortest);
        Self { is_negative, digits: Cow::Owned(digits.into_owned()), exponent }
    }

    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |decimal: &Self| match (decimal.digits.is_empty(), decimal.is_negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let size = || self.exponent.cmp(&other.exponent).then_with(|| self.digits.cmp(&other.digits));
        sign(self).cmp(&sign(other)).then_with(|| match sign(self) {
            0 => Ordering::Equal,
            1 => size(),
            _ => size().reverse(),
        })
    }
}

/// Returns the length of the number at the beginning of `bytes`, if there is one.
pub(crate) fn scan_number(bytes: &[u8]) -> Option<usize> {
    let digits_from = |start: usize| bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits_from(at);
    // A zero before another digit is no number of JSON.
    if whole == 0 || whole > 1 && bytes[at] == b'0' {
        return None;
    }
    at += whole;
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits_from(at + 1);
        if fraction == 0 {
            return None;
        }
        at += 1 + fraction;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits_from(at + 1 + sign);
        if exponent == 0 {
            return None;
        }
        let mantissa = at;
        at += 1 + sign + exponent;
        let leading = bytes[at - exponent..at].iter().take_while(|digit| **digit == b'0').count();
        // Zero is zero with every exponent.
        let is_zero = || bytes[..mantissa].iter().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
        if exponent - leading > MAX_EXPONENT_DIGITS && !is_zero() {
            return None;
        }
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_canonical_form_is_that_of_serde_json_where_64_bits_hold_the_number() {
        for text in [
            "1.5",
            "1.50",
            "1e5",
            "1E+5",
            "-0.0",
            "1e-05",
            "1e20",
            "100000000000000000000",
            "0.1",
            "5e-324",
            "7",
            "-7",
            "18446744073709551615",
            "1.0",
        ] {
            let theirs: serde_json::Value = serde_json::from_str(text).expect("JSON");
            let ours = JsonNumber::parse(text).expect("a number").to_canonical();
            assert_eq!(ours.to_string(), theirs.to_string(), "{text}");
        }
        for (text, canonical) in [
            ("100000000000000000001", "100000000000000000001"),
            ("100000000000000000001.0", "100000000000000000001"),
            ("0.10000000000000000001", "0.10000000000000000001e0"),
            ("-1.0e400", "-0.1e401"),
        ] {
            assert_eq!(JsonNumber::parse(text).expect("a number").to_canonical().to_string(), canonical);
        }
    }

    #[test]
    fn a_multiple_is_one_by_its_digits() {
        for (number, unit, is_multiple) in [
            ("100000000000000000001", "3", Some(false)),
            ("100000000000000000002", "3", Some(true)),
            ("0.3", "0.1", Some(true)),
            ("1e3", "0.001", Some(true)),
            ("-7.5", "2.5", Some(true)),
            ("0", "7", Some(true)),
            ("7", "0", Some(false)),
            ("1e99999", "7", None),
        ] {
            let [number, unit] = [number, unit].map(|text| JsonNumber::parse(text).expect("a number"));
            assert_eq!(number.is_multiple_of(&unit), is_multiple, "{number} {unit}");
        }
    }

    fn number(text: &str) -> JsonNumber<'_> {
        JsonNumber::parse(text).unwrap_or_else(|| panic!("{text} is a number"))
    }

    #[test]
    fn numbers_are_compared_by_their_digits() {
        for (one, other) in [
            ("1.50", "1.5"),
            ("1", "1.0"),
            ("10e-1", "1"),
            ("-0", "0"),
            ("0e999999999", "0.000"),
            ("1e999999999", "10e999999998"),
            ("100000000000000000000", "1e20"),
            ("0.0012", "12e-4"),
            ("1200", "1.2e3"),
            ("-5E-1", "-0.5"),
        ] {
            assert_eq!(number(one), number(other));
        }
        for (smaller, larger) in [
            ("100000000000000000000", "100000000000000000001"),
            ("9007199254740992", "9007199254740993.0"),
            ("72057594037927936", "72057594037927940"),
            ("-100000000000000000001", "-100000000000000000000"),
            ("-1", "0"),
            ("-1e5", "-1e4"),
            ("30", "30.000000000000001"),
            ("0.99", "1"),
            ("9", "10"),
            ("1e999999999", "1e1000000000"),
            ("1e-1000000000", "1e-999999999"),
            ("18446744073709551615", "18446744073709551616"),
        ] {
            assert!(number(smaller) < number(larger), "{smaller} < {larger}");
            assert!(number(larger) > number(smaller), "{larger} > {smaller}");
        }
    }

    #[test]
    fn the_print_of_a_float_with_17_digits_is_its_shortest_decimal() {
        for (long, short) in [
            ("0.10000000000000001", "0.1"),
            ("0.29999999999999999", "0.3"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("-1.1000000000000001", "-1.1"),
            ("1.0000000000000001e-7", "1.0000000000000001e-7"),
            ("9.9999999999999995e-7", "1e-6"),
            ("1234.5599999999999", "1234.56"),
        ] {
            assert_eq!(number(long), number(short));
        }
        for (one, other) in [
            ("0.1", "0.10000000000000000001"),
            ("0.1", "0.10000000000000002"),
            ("0.1", "0.1000000000000001"),
            ("0.30000000000000004", "0.3"),
            ("0.100000000000000005", "0.1"),
        ] {
            assert_ne!(number(one), number(other));
        }
    }

    #[test]
    fn a_number_is_shown_as_it_was_written() {
        for text in ["1.50", "1e+20", "-0", "100000000000000000001", "-12", "0"] {
            assert_eq!(number(text).to_string(), text);
        }
        assert_eq!(JsonNumber::from_f64(0.1).expect("finite").to_string(), "0.1");
        assert_eq!(JsonNumber::from_f64(f64::NAN), None);
        assert_eq!(JsonNumber::from(u64::MAX).to_string(), "18446744073709551615");
    }

    #[test]
    fn only_the_numbers_of_json_are_numbers() {
        for text in
            ["", "-", "01", "1.", ".5", "+1", "1e", "1e+", "0x1", "1 ", "1e9999999999999999999", "NaN"]
        {
            assert!(JsonNumber::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn integers_that_fit_are_integers() {
        assert_eq!(number("9223372036854775807").as_i64(), Some(i64::MAX));
        assert_eq!(number("-9223372036854775808").as_i64(), Some(i64::MIN));
        assert_eq!(number("18446744073709551615").as_u64(), Some(u64::MAX));
        assert_eq!(
            (number("1.0").as_i64(), number("1e2").as_u64(), number("-1").as_u64()),
            (None, None, None)
        );
        assert_eq!((number("1e400").as_f64(), number("1.5").as_f64()), (None, Some(1.5)));
        assert!(number("1.0").is_whole() && number("1e3").is_whole() && number("0.0").is_whole());
        assert!(!number("1.5").is_whole() && !number("15e-1").is_whole());
        assert!(number("-0.5").is_negative() && !number("-0").is_negative());
        for (text, fits) in [
            ("1.50", true),
            ("1e20", true),
            ("100000000000000000001", false),
            ("0.1", true),
            ("1e400", false),
        ] {
            assert_eq!(number(text).fits_64_bits(), fits, "{text}");
        }
        assert!(!number("0.10000000000000000001").fits_64_bits());
    }

    #[test]
    fn equal_numbers_have_one_hash() {
        use std::hash::BuildHasher;
        let hasher = std::hash::RandomState::new();
        let hash = |text| hasher.hash_one(number(text));
        assert_eq!(hash("1.50"), hash("15e-1"));
        assert_eq!(hash("0.10000000000000001"), hash("0.1"));
        assert_eq!(hash("-0"), hash("0"));
        assert_ne!(hash("1"), hash("-1"));
    }
}
