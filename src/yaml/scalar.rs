//! Plain scalars to values: the core schema of YAML 1.2, read strictly.
//!
//! `yes`, `no`, `010` and `1_000` are strings, so that no text becomes a value that its author did not mean.

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
    parse_special(text)
        .or_else(|| parse_radix(text))
        .or_else(|| parse_integer(text))
        .or_else(|| parse_float(text))
}

fn parse_special(text: &str) -> Option<Value> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    match rest {
        ".inf" | ".Inf" | ".INF" if negative => Some(Value::Float(f64::NEG_INFINITY)),
        ".inf" | ".Inf" | ".INF" => Some(Value::Float(f64::INFINITY)),
        // `-.nan` is a text: only infinity has a sign.
        ".nan" | ".NaN" | ".NAN" if rest == text => Some(Value::Float(f64::NAN)),
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
    plain.then(|| i64::from_str_radix(digits, base).ok().map(Value::Int)).flatten()
}

fn parse_integer(text: &str) -> Option<Value> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // A leading zero is that of an id or a postal code, which a number would lose.
    if !plain || has_leading_zero(digits) {
        return None;
    }
    // Numbers above the signed range are kept exactly.
    text.parse().map(Value::Int).ok().or_else(|| text.parse().map(Value::UInt).ok())
}

fn parse_float(text: &str) -> Option<Value> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    // `inf` and `nan` are words to YAML, and Rust's parser would accept them.
    let shape =
        digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    let mantissa = digits.split(['e', 'E']).next().unwrap_or_default();
    let whole = mantissa.split('.').next().unwrap_or_default();
    if !shape || has_leading_zero(whole) || !mantissa.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().map(Value::Float)
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
        for (text, value) in [
            ("0", Value::Int(0)),
            ("-12", Value::Int(-12)),
            ("+7", Value::Int(7)),
            ("0x1F", Value::Int(31)),
            ("0o17", Value::Int(15)),
            ("18446744073709551615", Value::UInt(u64::MAX)),
            ("36893488147419103232", Value::Float(36_893_488_147_419_103_232.0)),
            ("1.50", Value::Float(1.5)),
            (".5", Value::Float(0.5)),
            ("1e3", Value::Float(1000.0)),
            ("0.1", Value::Float(0.1)),
            ("-.inf", Value::Float(f64::NEG_INFINITY)),
        ] {
            assert_eq!(resolve_scalar(text), value, "{text}");
        }
    }
}
