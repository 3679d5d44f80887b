//! Finds a value that a schema rejects, which proves that a test against the schema can fail.

use super::Schema;
use crate::json::{Json, JsonMap, json};

/// Deeper parts of a schema are left alone; it also bounds circles of `$ref`.
const MAX_DEPTH: usize = 6;

impl Schema {
    /// A value that this schema refuses, where one is easily found.
    pub(crate) fn refused(&self) -> Option<Json> {
        let mut guess = Guess { root: &self.raw.json, left: MAX_GUESSES };
        guess.values(guess.root, 0).into_iter().find(|value| !self.accepts(value))
    }
}

/// The largest number of schemas whose values are guessed: the values of all are held at once.
const MAX_GUESSES: usize = 1_000;

struct Guess<'s> {
    root: &'s Json,
    left: usize,
}

impl Guess<'_> {
    /// Values of every type and of extreme size, then each part of the schema made wrong by itself.
    fn values(&mut self, schema: &Json, depth: usize) -> Vec<Json> {
        let Some(left) = self.left.checked_sub(1) else { return Vec::new() };
        self.left = left;
        // One value of each type, and the extremes of its bounds: most schemas refuse one of these.
        let mut values = vec![
            json!(null),
            json!(true),
            json!(-1e300),
            json!(1e300),
            json!(0.5),
            json!(""),
            json!("\u{1}"),
            json!("\u{1}".repeat(5000)),
            json!([]),
            json!([null, null]),
            json!({}),
            json!({"\u{1}": null}),
        ];
        let below = schema.as_object().filter(|_| depth < MAX_DEPTH);
        // The values above may all fit a schema that constrains nothing but one property.
        for (keyword, value) in below.into_iter().flatten() {
            values.extend(self.parts(keyword, value, depth + 1));
        }
        values
    }

    fn parts(&mut self, keyword: &str, value: &Json, depth: usize) -> Vec<Json> {
        match keyword {
            "properties" => value
                .as_object()
                .into_iter()
                .flatten()
                .flat_map(|(name, schema)| {
                    let parts = self.values(schema, depth).into_iter();
                    parts.map(|part| Json::Object(JsonMap::from_iter([(name.clone(), part)])))
                })
                .collect(),
            "items" | "contains" => self.values(value, depth).into_iter().map(|part| json!([part])).collect(),
            "additionalProperties" => {
                self.values(value, depth).into_iter().map(|part| json!({"\u{1}": part})).collect()
            }
            "allOf" | "anyOf" | "oneOf" => {
                value.as_array().into_iter().flatten().flat_map(|part| self.values(part, depth)).collect()
            }
            "$ref" => {
                let target = value.as_str().and_then(|target| target.strip_prefix('#'));
                let target = target.and_then(|target| self.root.pointer(target));
                target.map(|schema| self.values(schema, depth)).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::json_schema::{FoundSchema, Home};
    use crate::pattern::read_examples;
    use crate::place::Source;
    use crate::trace::{Arguments, Call};
    use crate::yaml::Document;

    #[test]
    fn every_usual_schema_has_a_value_that_it_refuses() {
        for schema in read_examples::<String>(include_str!("refused.json"), "usual") {
            let text = format!("tool: {schema}");
            let documents = Document::parse(&Source::new("s.yaml", text)).expect("valid YAML");
            let home = Home::settings(documents[0].root(), false);
            let table = home.schemas(documents[0].root(), "", &[]).expect(&schema);
            let FoundSchema::Found(found) = table.find(&Call::new("tool", Arguments::none(), 1)) else {
                panic!("a schema")
            };
            assert!(found.refused().is_some(), "{schema}");
        }
    }
}
