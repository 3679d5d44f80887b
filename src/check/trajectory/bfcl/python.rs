//! Values as Python compares them, which the rules of BFCL rest on.

use serde_json::Value;

/// The types of Python's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PythonType {
    Str,
    Int,
    Float,
    Bool,
    List,
    Dict,
    None,
}

impl PythonType {
    /// The type of a declared parameter.
    pub(super) fn of_declared(word: &str) -> Option<Self> {
        Some(match word {
            "string" | "any" => Self::Str,
            "integer" => Self::Int,
            "float" => Self::Float,
            "boolean" => Self::Bool,
            "array" | "tuple" => Self::List,
            "dict" => Self::Dict,
            _ => return None,
        })
    }

    /// The type of a value. A bool is no int here.
    pub(super) fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::None,
            // JSON keeps `1` and `1.0` apart, as Python does.
            Value::Bool(_) => Self::Bool,
            Value::Number(number) if number.is_f64() => Self::Float,
            Value::Number(_) => Self::Int,
            Value::String(_) => Self::Str,
            Value::Array(_) => Self::List,
            Value::Object(_) => Self::Dict,
        }
    }
}

/// Python's `==`: `True == 1 == 1.0`, at any depth.
pub(super) fn python_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| python_equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|found| python_equal(value, found)))
        }
        (Value::Bool(_) | Value::Number(_), Value::Bool(_) | Value::Number(_)) => {
            crate::pattern::json_equal(&to_number(one), &to_number(other))
        }
        _ => one == other,
    }
}

fn to_number(value: &Value) -> Value {
    match value {
        Value::Bool(flag) => Value::from(u8::from(*flag)),
        value => value.clone(),
    }
}

/// Python's `in`.
pub(super) fn is_among(value: &Value, values: &[Value]) -> bool {
    values.iter().any(|one| python_equal(value, one))
}

/// The text without blanks and ``,./-_*^``, in lower case, with one sort of quotes.
pub(super) fn standardize(text: &str) -> String {
    let kept = text.chars().filter(|c| !" ,./-_*^".contains(*c));
    kept.collect::<String>().to_lowercase().replace('\'', "\"")
}

/// The value; a text is standardized.
pub(super) fn standardize_text(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(standardize(text)),
        value => value.clone(),
    }
}

/// The elements that Python iterates over: of a list its own, of a text its characters.
pub(super) fn list_elements(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(elements) => Some(elements.clone()),
        Value::String(text) => Some(text.chars().map(|c| Value::from(c.to_string())).collect()),
        _ => None,
    }
}
