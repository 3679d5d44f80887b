//! Texts that users often write as numbers: ids, versions, arguments of a program.

use serde::Deserialize;

use crate::JsonSchema;
use crate::json::Json;

/// A text; an integer is the text of its digits.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(with = "WrittenLabel", inline)]
#[serde(try_from = "Json")]
pub(crate) struct Label(pub(crate) String);

/// The forms of a label, for the schema.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(untagged, inline)]
#[expect(dead_code, reason = "schemars reads the variants")]
enum WrittenLabel {
    Text(String),
    Number(i64),
}

impl TryFrom<Json> for Label {
    type Error = String;

    fn try_from(value: Json) -> Result<Self, String> {
        match value {
            Json::String(text) => Ok(Self(text.into_string())),
            Json::Number(number) if number.is_written_as_integer() => Ok(Self(number.to_string())),
            Json::Number(number) => Err(format!("expected a text, found `{number}`: quote it")),
            other => Err(format!("expected a text, found {}", other.describe())),
        }
    }
}
