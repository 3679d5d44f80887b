//! Whether two JSON values are the same to a user who wrote one of them.

use serde_json::{Number, Value};

/// Deep equality. Types count (`1` is not `"1"`), the order of an object's keys does not, and numbers compare as
/// numbers: 1 is 1.0.
pub fn json_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => numbers_equal(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| json_equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|found| json_equal(value, found)))
        }
        _ => one == other,
    }
}

fn numbers_equal(one: &Number, other: &Number) -> bool {
    // Two integers are compared as they are: writing down the digits takes long, and is needed beside a float alone.
    let has_float = one.is_f64() || other.is_f64();
    one == other
        || has_float
            && integer_digits(one).is_some_and(|digits_of_one| integer_digits(other) == Some(digits_of_one))
}

/// Returns all digits of a whole number: a float would lose the last digits of a large one.
fn integer_digits(number: &Number) -> Option<String> {
    if !number.is_f64() {
        return Some(number.to_string());
    }
    // Adding zero turns -0 into 0.
    let float = number.as_f64()? + 0.0;
    (float.fract() == 0.0).then(|| format!("{float:.0}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_compare_as_numbers_and_types_count() {
        assert!(json_equal(&json!({"a": [1, {"b": -0.0}]}), &json!({"a": [1.0, {"b": 0}]})));
        for (one, other) in [
            (json!(1), json!("1")),
            (json!(0), json!(false)),
            (json!(null), json!(0)),
            (json!([1]), json!([1, 1])),
            (json!({"a": null}), json!({"b": null})),
            (json!({"a": 1}), json!({"a": 1, "b": 2})),
        ] {
            assert!(!json_equal(&one, &other) && !json_equal(&other, &one), "{one} {other}");
        }
    }

    #[test]
    fn large_integers_keep_their_last_digit() {
        assert!(!json_equal(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992.0)));
        assert!(json_equal(&json!(9_007_199_254_740_992_u64), &json!(9_007_199_254_740_992.0)));
        assert!(json_equal(&json!(1e300), &json!(1e300)) && !json_equal(&json!(1.5), &json!(1)));
    }
}
