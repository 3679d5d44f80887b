//! Values as Python compares them, which the rules of BFCL rest on.

use crate::json::Json;
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
    pub(super) fn of_value(value: &Json) -> Self {
        match value {
            Json::Null => Self::None,
            // JSON keeps `1` and `1.0` apart, as Python does.
            Json::Bool(_) => Self::Bool,
            Json::Number(number) if !number.is_written_as_integer() => Self::Float,
            Json::Number(_) => Self::Int,
            Json::String(_) => Self::Str,
            Json::Array(_) => Self::List,
            Json::Object(_) => Self::Dict,
        }
    }
}

/// Python's `==`: `True == 1 == 1.0`, at any depth.
pub(super) fn python_equal(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| python_equal(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|found| python_equal(value, found)))
        }
        (Json::Bool(_) | Json::Number(_), Json::Bool(_) | Json::Number(_)) => {
            to_number(one) == to_number(other)
        }
        _ => one == other,
    }
}

fn to_number(value: &Json) -> Json {
    match value {
        Json::Bool(flag) => Json::from(u8::from(*flag)),
        value => value.clone(),
    }
}

/// Python's `in`.
pub(super) fn is_among(value: &Json, values: &[Json]) -> bool {
    values.iter().any(|one| python_equal(value, one))
}

/// The text without blanks and ``,./-_*^``, in lower case, with one sort of quotes.
pub(super) fn standardize(text: &str) -> String {
    let kept = text.chars().filter(|c| !" ,./-_*^".contains(*c));
    kept.collect::<String>().to_lowercase().replace('\'', "\"")
}

/// The value; a text is standardized.
pub(super) fn standardize_text(value: &Json) -> Json {
    match value {
        Json::String(text) => Json::String(standardize(text).into()),
        value => value.clone(),
    }
}

/// The elements that Python iterates over: of a list its own, of a text its characters.
pub(super) fn list_elements(value: &Json) -> Option<Vec<Json>> {
    match value {
        Json::Array(elements) => Some(elements.clone()),
        Json::String(text) => Some(text.chars().map(|c| Json::from(c.to_string())).collect()),
        _ => None,
    }
}
