//! Changed copies of JSON values.

use crate::json::{Json, JsonNumber, json};
use crate::yaml::escape_token;

/// The largest number of values of one argument that are changed each on its own.
const MAX_LEAVES: usize = 16;

/// Returns the value as another type: 2 as "2", "2" as 2, a text as a list of it.
pub(crate) fn change_type(value: &Json) -> Json {
    match value {
        Json::String(text) => match text.parse::<JsonNumber<'static>>() {
            Ok(number) => Json::Number(number),
            Err(_) => json!([text]),
        },
        other => Json::String(other.to_string().into()),
    }
}

/// Returns a whole number as a number with a fraction: 2 as 2.0.
pub(crate) fn add_fraction(value: &Json) -> Option<Json> {
    let Json::Number(number) = value else { return None };
    let whole = number.as_i64().or_else(|| number.as_u64().and_then(|number| i64::try_from(number).ok()))?;
    // Beyond this number a double may be another number.
    let exact = i32::try_from(whole).ok()?;
    Some(json!(f64::from(exact)))
}

/// Returns another value of the same type.
pub(crate) fn change_value(value: &Json) -> Json {
    match value {
        Json::String(text) => Json::String(change_text(text).into()),
        Json::Number(number) => change_number(number),
        Json::Bool(bool) => json!(!bool),
        Json::Null => json!("another value"),
        // An empty list has no value to change, so it gets one.
        Json::Array(items) if items.is_empty() => json!(["another value"]),
        Json::Array(items) => items.iter().map(change_value).collect(),
        Json::Object(entries) if entries.is_empty() => json!({"another": "value"}),
        Json::Object(entries) => {
            Json::Object(entries.iter().map(|(key, value)| (key.clone(), change_value(value))).collect())
        }
    }
}

/// A number in quotes stays one, so that only its value changes.
fn change_text(text: &str) -> String {
    match text.parse::<JsonNumber<'static>>() {
        Ok(number) => change_number(&number).to_string(),
        Err(_) if text.is_empty() => "another value".to_owned(),
        Err(_) => format!("{text}, but another"),
    }
}

/// Ten times the number and one more: far enough for a limit to notice, and never the same number.
fn change_number(number: &JsonNumber) -> Json {
    // A number that would overflow becomes a float, which is another value as well.
    match number.as_i64().and_then(|number| number.checked_mul(10)?.checked_add(1)) {
        Some(other) => json!(other),
        None => json!(number.as_f64().unwrap_or_default() * 10.0 + 1.0),
    }
}

/// Returns an empty value of the same type.
pub(crate) fn blank_value(value: &Json) -> Json {
    match value {
        Json::String(_) => json!(""),
        Json::Array(_) => json!([]),
        Json::Object(_) => json!({}),
        Json::Null | Json::Bool(_) | Json::Number(_) => Json::Null,
    }
}

/// Lists the JSON pointers of the values in `value` that contain no others, each with its path of names. A list in it counts
/// as one value.
pub(crate) fn list_leaves(value: &Json) -> Vec<(String, String)> {
    let mut leaves = Vec::new();
    collect_leaves(value, String::new(), String::new(), &mut leaves);
    leaves.truncate(MAX_LEAVES);
    leaves
}

fn collect_leaves(value: &Json, pointer: String, path: String, leaves: &mut Vec<(String, String)>) {
    match value {
        // An empty object is a leaf, which can only be replaced as a whole.
        Json::Object(entries) if !entries.is_empty() => {
            for (key, value) in entries {
                let token = escape_token(key);
                collect_leaves(value, format!("{pointer}/{token}"), format!("{path}.{key}"), leaves);
            }
        }
        _ => leaves.push((pointer, path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_value_is_another_one_of_its_type() {
        for (value, other) in [
            (json!(30), json!(301)),
            (json!(0), json!(1)),
            (json!(-2.5), json!(-24.0)),
            (json!("30"), json!("301")),
            (json!("Ada"), json!("Ada, but another")),
            (json!(true), json!(false)),
            (json!({"a": [1]}), json!({"a": [11]})),
        ] {
            assert_eq!(change_value(&value), other, "{value}");
        }
    }

    #[test]
    fn a_type_changes_and_the_content_stays() {
        assert_eq!(change_type(&json!(2)), json!("2"));
        assert_eq!(change_type(&json!("2")), json!(2));
        assert_eq!(change_type(&json!("two")), json!(["two"]));
        assert_eq!((add_fraction(&json!(2)), add_fraction(&json!(2.0))), (Some(json!(2.0)), None));
    }

    #[test]
    fn each_value_inside_an_object_is_a_leaf() {
        let leaves = list_leaves(&json!({"a": {"b": 1, "c/d": [2, 3]}, "e": {}}));
        let pointers: Vec<&str> = leaves.iter().map(|(pointer, _)| pointer.as_str()).collect();
        assert_eq!(pointers, ["/a/b", "/a/c~1d", "/e"]);
        assert_eq!(list_leaves(&json!(1)), [(String::new(), String::new())]);
    }
}
