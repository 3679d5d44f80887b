//! A condition on a value: a path must select something, or one of the given values.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::selector::PathSelector;
#[cfg(feature = "schema")]
use super::selector::SelectorPaths;

use crate::JsonSchema;
use crate::json::{Json, JsonNode};

/// A path that must select something, or the value that it must select.
#[derive(Debug, Clone)]
pub(super) struct PathCondition {
    pub(super) path: PathSelector,
    /// The values of which one must be selected; `None`: any value.
    equals: Option<Vec<JsonNode<'static>>>,
}

impl PathCondition {
    /// Whether the path selects something in `node`, and one of the wanted values where there are any.
    pub(super) fn is_met_by(&self, node: &JsonNode) -> bool {
        let selected = self.path.select(node);
        match &self.equals {
            None => !selected.is_empty(),
            Some(wanted) => selected.iter().any(|value| wanted.contains(value)),
        }
    }

    /// Decides whether `node` meets the condition; `None` if the path selects nothing that could decide.
    pub(super) fn judge(&self, node: &JsonNode) -> Option<bool> {
        let selected = self.path.select(node);
        if selected.is_empty() {
            // A path that tests the node itself, such as `$[?@.status == 'failed']`, says no by selecting nothing. Any
            // other path that selects nothing leaves the question open.
            return self.path.is_test().then_some(false);
        }
        Some(match &self.equals {
            None => selected.iter().any(|value| is_yes(value)),
            Some(wanted) => selected.iter().any(|value| wanted.contains(value)),
        })
    }

    /// Describes the condition for a message about a file that does not meet it.
    pub(super) fn describe_failure(&self, node: &JsonNode) -> String {
        let path = self.path.texts().collect::<Vec<_>>().join("` or `");
        let Some(wanted) = &self.equals else { return format!("`{path}` selects nothing") };
        let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        let wanted = wanted.join(" or ");
        match self.path.select(node).first() {
            None => format!("`{path}` selects nothing, not {wanted}"),
            Some(JsonNode::Object(_) | JsonNode::Array(_)) => format!("`{path}` selects no {wanted}"),
            Some(found) => format!("`{path}` selects {found}, not {wanted}"),
        }
    }
}

/// Whether a flag is set: neither `false`, nor zero, nor empty.
fn is_yes(value: &JsonNode) -> bool {
    match value {
        JsonNode::Bool(flag) => *flag,
        JsonNode::Number(number) => number.as_f64() != Some(0.0),
        JsonNode::String(text) => !matches!(text.as_ref(), "" | "false" | "False"),
        JsonNode::Array(items) => !items.is_empty(),
        JsonNode::Object(object) => !object.is_empty(),
        JsonNode::Null => false,
    }
}

/// The mapping form of a condition.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
struct ConditionFields {
    /// The path, or a list of paths of which the first that selects something is used.
    path: PathSelector,
    /// The value that the path must select, or a list of values of which it must select one. Default: any value.
    #[serde(default)]
    equals: Option<Json>,
}

impl From<ConditionFields> for PathCondition {
    fn from(fields: ConditionFields) -> Self {
        let equals = fields.equals.map(|wanted| match wanted {
            Json::Array(wanted) => wanted.into_iter().collect(),
            wanted => vec![wanted],
        });
        Self { path: fields.path, equals }
    }
}

impl<'de> Deserialize<'de> for PathCondition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ConditionVisitor)
    }
}

struct ConditionVisitor;

impl<'de> Visitor<'de> for ConditionVisitor {
    type Value = PathCondition;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a path, or `{path, equals}`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<PathCondition, E> {
        let path = PathSelector::deserialize(serde::de::value::StrDeserializer::new(text))?;
        Ok(PathCondition { path, equals: None })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<PathCondition, A::Error> {
        let path = PathSelector::deserialize(serde::de::value::SeqAccessDeserializer::new(seq))?;
        Ok(PathCondition { path, equals: None })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PathCondition, A::Error> {
        ConditionFields::deserialize(MapAccessDeserializer::new(map)).map(Into::into)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for PathCondition {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "path_condition".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let path = generator.subschema_for::<SelectorPaths>();
        let fields = generator.subschema_for::<ConditionFields>();
        schemars::json_schema!({"anyOf": [path, fields]})
    }
}
