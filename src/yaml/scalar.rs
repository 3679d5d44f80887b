//! Plain scalars to values: the core schema of YAML 1.2, read strictly.
//!
//! `yes`, `no`, `010` and `1_000` are strings, so that no text becomes a value that its author did not mean. A number keeps
//! its digits.

use std::borrow::Cow;

use arraign_trace::json::JsonNumber;

use super::Value;

/// Returns the value of a plain (unquoted) scalar.
pub(super) fn resolve_scalar(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => parse_number(text).unwrap_or_else(|| Value::String(text.into())),
    }
}

/// Parses `text` as a number.
pub(super) fn parse_number(text: &str) -> Option<Value> {
    let first = *text.as_bytes().first()?;
    // Most scalars are words, and this refuses them by one byte.
    if !(first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.')) {
        return None;
    }
    parse_special(text).or_else(|| parse_radix(text)).or_else(|| parse_decimal(text))
}

fn parse_special(text: &str) -> Option<Value> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    match rest {
        ".inf" | ".Inf" | ".INF" if negative => Some(Value::NotFinite(f64::NEG_INFINITY)),
        ".inf" | ".Inf" | ".INF" => Some(Value::NotFinite(f64::INFINITY)),
        // `-.nan` is a text: only infinity has a sign.
        ".nan" | ".NaN" | ".NAN" if rest == text => Some(Value::NotFinite(f64::NAN)),
        _ => None,
    }
}

fn parse_radix(text: &str) -> Option<Value> {
    let (digits, base) = match text.get(..2)? {
        "0x" => (&text[2..], 16),
        "0o" => (&text[2..], 8),
        _ => return None,
    };
    let plain = !digits.is_empty() && digits.chars().all(|c| c.is_digit(base));
    plain.then(|| i64::from_str_radix(digits, base).ok().map(Value::from)).flatten()
}

fn parse_decimal(text: &str) -> Option<Value> {
    // A leading zero is that of an id or a postal code, which a number would lose.
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let whole = unsigned.split(['.', 'e', 'E']).next().unwrap_or_default();
    if has_leading_zero(whole) {
        return None;
    }
    JsonNumber::parse(&spell_as_json(text)?).map(|number| Value::Number(number.into_owned()))
}

/// Returns the number in JSON's spelling, which has no plus sign in front, and digits on both sides of the point.
fn spell_as_json(text: &str) -> Option<Cow<'_, str>> {
    let plain = text.strip_prefix('+').unwrap_or(text);
    let (sign, unsigned) = plain.strip_prefix('-').map_or(("", plain), |rest| ("-", rest));
    let Some((whole, rest)) = unsigned.split_once('.') else { return Some(plain.into()) };
    let fraction = rest.split(['e', 'E']).next().unwrap_or_default();
    match (whole.is_empty(), fraction.is_empty()) {
        (true, true) => None,
        (false, false) => Some(plain.into()),
        (true, false) => Some(format!("{sign}0.{rest}").into()),
        (false, true) => Some(format!("{sign}{whole}.0{rest}").into()),
    }
}

fn has_leading_zero(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_odd_stays_text() {
        for text in [
            "yes", "no", "on", "010", "1_000", "1.2.3", "-", "+", ".", "e5", "0x", "12:30", "1e", "1e5x",
            "-.nan",
        ] {
            assert_eq!(resolve_scalar(text), Value::String(text.into()), "{text}");
        }
    }

    #[test]
    fn numbers_are_numbers() {
        for (text, digits) in [
            ("0", "0"),
            ("-12", "-12"),
            ("+7", "7"),
            ("0x1F", "31"),
            ("0o17", "15"),
            ("18446744073709551615", "18446744073709551615"),
            ("100000000000000000001", "100000000000000000001"),
            ("1.50", "1.50"),
            (".5", "0.5"),
            ("-.5e3", "-0.5e3"),
            ("5.", "5.0"),
            ("5.e2", "5.0e2"),
            ("1e3", "1e3"),
            ("0.10000000000000000001", "0.10000000000000000001"),
        ] {
            let Value::Number(number) = resolve_scalar(text) else { panic!("{text}") };
            assert_eq!(number.as_str(), digits);
        }
        assert_eq!(resolve_scalar("-.inf"), Value::NotFinite(f64::NEG_INFINITY));
    }
}
