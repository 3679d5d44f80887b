//! How much work a schema is on one value, counted before the validator does it.
//!
//! The validator has no budget of its own, and it keeps every error: for `oneOf` with 1,000 options, 1,000 errors for each of
//! the values below `items`. This walk applies each keyword to each part as the validator does, without comparing
//! anything, and stops at its limit. It counts too much rather than too little: both sides of an `if`, each property for each
//! pattern, each option of an `enum`.

use std::collections::HashMap;

use super::BACKTRACK_LIMIT;
use crate::json::{Json, JsonText};
use crate::yaml::unescape_token;

/// The deepest chain of schemas and parts that is followed. The validator stops at a circle of references, and a deeper chain
/// for one value is refused when the schema is compiled.
const MAX_DEPTH: usize = 700;

/// Whether the schema takes no more than `limit` steps on `value`.
pub(super) fn fits_steps(schema: &Json, value: &Json, limit: usize) -> bool {
    let mut counter = StepCounter {
        root: schema,
        left: limit,
        depth: 0,
        targets: HashMap::new(),
        text_enums: HashMap::new(),
    };
    counter.apply(schema, value);
    counter.left > 0
}

struct StepCounter<'s> {
    root: &'s Json,
    left: usize,
    depth: usize,
    /// The schemas that references name.
    targets: HashMap<&'s str, Option<&'s Json>>,
    /// Whether all options of an `enum` are texts, by its address.
    text_enums: HashMap<*const Json, bool>,
}

impl<'s> StepCounter<'s> {
    fn spend(&mut self, steps: usize) {
        self.left = self.left.saturating_sub(steps);
    }

    fn apply(&mut self, schema: &'s Json, value: &Json) {
        self.spend(1);
        let Json::Object(words) = schema else { return };
        if self.left == 0 || self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        for (word, setting) in words {
            self.apply_word(schema, JsonText::as_str(word), setting, value);
        }
        self.depth -= 1;
    }

    fn apply_word(&mut self, around: &'s Json, word: &'s str, setting: &'s Json, value: &Json) {
        self.spend(1);
        match (word, setting) {
            ("enum", Json::Array(options)) => {
                // Texts are looked up, other options are compared one by one.
                let known = self.text_enums.entry(std::ptr::from_ref(setting));
                if !*known.or_insert_with(|| options.iter().all(Json::is_string)) {
                    for option in options {
                        self.count_nodes(option);
                    }
                }
            }
            ("const", option) => self.count_nodes(option),
            ("pattern", Json::String(pattern)) => {
                if let Json::String(text) = value {
                    self.spend(count_pattern_steps(pattern.as_str(), text.as_str()));
                }
            }
            ("required", Json::Array(names)) => self.spend(names.len()),
            ("dependentRequired" | "dependencies" | "dependentSchemas", Json::Object(entries)) => {
                for (name, needed) in entries {
                    self.spend(1);
                    match needed {
                        _ if value.get(name.as_str()).is_none() => {}
                        Json::Array(names) => self.spend(names.len()),
                        schema => self.apply(schema, value),
                    }
                }
            }
            ("properties", Json::Object(entries)) => {
                for (name, schema) in entries {
                    self.spend(1);
                    if let Some(part) = value.get(name.as_str()) {
                        self.apply(schema, part);
                    }
                }
            }
            ("patternProperties", Json::Object(entries)) => {
                entries.iter().for_each(|(_, schema)| self.apply_to_properties(None, schema, value));
            }
            ("additionalProperties", schema) => {
                self.apply_to_properties(around.get("properties"), schema, value);
            }
            ("propertyNames", schema) => {
                for _ in value.as_object().into_iter().flatten() {
                    if self.left > 0 {
                        self.apply(schema, &Json::Null);
                    }
                }
            }
            ("unevaluatedProperties" | "unevaluatedItems", schema) => {
                self.apply_to_properties(None, schema, value);
                self.apply_to_items(schema, value);
                self.apply_again(around, value);
            }
            ("items" | "prefixItems", Json::Array(schemas)) => {
                for (schema, item) in schemas.iter().zip(value.as_array().into_iter().flatten()) {
                    self.apply(schema, item);
                }
            }
            ("items" | "additionalItems" | "contains", schema) => self.apply_to_items(schema, value),
            ("allOf" | "anyOf" | "oneOf", Json::Array(schemas)) => {
                for schema in schemas {
                    self.apply(schema, value);
                }
            }
            ("not" | "if" | "then" | "else", schema) => self.apply(schema, value),
            ("$ref" | "$dynamicRef" | "$recursiveRef", Json::String(reference)) => {
                if let Some(target) = self.resolve(reference.as_str()) {
                    self.apply(target, value);
                }
            }
            _ => {}
        }
    }

    fn apply_to_properties(&mut self, known: Option<&Json>, schema: &'s Json, value: &Json) {
        for (name, part) in value.as_object().into_iter().flatten() {
            self.spend(1);
            if self.left > 0 && known.is_none_or(|known| known.get(name.as_str()).is_none()) {
                self.apply(schema, part);
            }
        }
    }

    fn apply_to_items(&mut self, schema: &'s Json, value: &Json) {
        for item in value.as_array().into_iter().flatten() {
            if self.left > 0 {
                self.apply(schema, item);
            }
        }
    }

    /// Counts what `unevaluatedProperties` does once more: it asks each schema for the same value what it has seen.
    fn apply_again(&mut self, around: &'s Json, value: &Json) {
        for (word, setting) in around.as_object().into_iter().flatten() {
            if !word.as_str().starts_with("unevaluated") {
                self.apply_word(around, word.as_str(), setting, value);
            }
        }
    }

    fn count_nodes(&mut self, value: &Json) {
        self.spend(1);
        if self.left == 0 {
            return;
        }
        match value {
            Json::Array(items) => items.iter().for_each(|item| self.count_nodes(item)),
            Json::Object(object) => object.values().for_each(|value| self.count_nodes(value)),
            _ => {}
        }
    }

    /// Finds the schema that a reference names: by a pointer, or by the name that a schema has.
    fn resolve(&mut self, reference: &'s str) -> Option<&'s Json> {
        if let Some(known) = self.targets.get(reference) {
            return *known;
        }
        let (resource, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let root = if resource.is_empty() {
            Some(self.root)
        } else {
            find_named(self.root, &["$id", "id"], resource.rsplit('/').next().unwrap_or(resource))
        };
        let target = root.and_then(|root| {
            if fragment.is_empty() || fragment.starts_with('/') {
                follow_pointer(root, fragment)
            } else {
                find_named(root, &["$anchor", "$dynamicAnchor"], fragment)
            }
        });
        self.targets.insert(reference, target);
        target
    }
}

/// The bytes of a text that a pattern reads at the cost of one step.
const BYTES_PER_STEP: usize = 64;

/// Returns the steps of a pattern on a text, at most. The engine counts the backtracking of a pattern with look-around or
/// back-references, up to [`BACKTRACK_LIMIT`], but reads the text anew in each of these steps, which nobody counts.
fn count_pattern_steps(pattern: &str, text: &str) -> usize {
    let reads = match PatternKind::of_pattern(pattern) {
        PatternKind::Linear => 1,
        // From each character of the text on, the rest is read.
        PatternKind::Quadratic => BACKTRACK_LIMIT.min(text.len()),
        PatternKind::Exponential => BACKTRACK_LIMIT,
    };
    reads.saturating_mul(text.len()) / BYTES_PER_STEP
}

/// How the time of a pattern grows with its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PatternKind {
    Linear,
    Quadratic,
    Exponential,
}

impl PatternKind {
    /// Classifies a pattern by its text. Without look-around and back-references, the engine is linear. A repeat without end
    /// inside of such a repeat can be divided between both in exponentially many ways: `(a+)+`.
    fn of_pattern(pattern: &str) -> Self {
        let mut has_look = false;
        let mut is_nested = false;
        // Whether each open group has a repeat without end, the whole pattern first.
        let mut groups = vec![false];
        // Whether the part before the cursor is a group with such a repeat.
        let mut ends_with_repeat = false;
        let mut in_class = false;
        let mut rest = pattern;
        while let Some(c) = rest.chars().next() {
            let behind = &rest[c.len_utf8()..];
            match c {
                '\\' => {
                    has_look |= !in_class && behind.starts_with(|c: char| matches!(c, '1'..='9' | 'k'));
                    rest = behind.chars().next().map_or("", |escaped| &behind[escaped.len_utf8()..]);
                    ends_with_repeat = false;
                    continue;
                }
                '[' if !in_class => in_class = true,
                ']' if in_class => {
                    in_class = false;
                    ends_with_repeat = false;
                }
                _ if in_class => {}
                '(' => {
                    has_look |= ["?=", "?!", "?<=", "?<!"].iter().any(|look| behind.starts_with(look));
                    groups.push(false);
                    ends_with_repeat = false;
                }
                ')' => {
                    ends_with_repeat = groups.len() > 1 && groups.pop().unwrap_or_default();
                    if let Some(around) = groups.last_mut() {
                        *around |= ends_with_repeat;
                    }
                }
                '*' | '+' | '{' => {
                    // `{3}` and `{1,9}` end.
                    let counts = behind.split('}').next().unwrap_or_default();
                    if c != '{' || counts.ends_with(',') {
                        is_nested |= ends_with_repeat;
                        if let Some(around) = groups.last_mut() {
                            *around = true;
                        }
                    }
                }
                _ => ends_with_repeat = false,
            }
            rest = behind;
        }
        match (has_look, is_nested) {
            (false, _) => Self::Linear,
            (true, true) => Self::Exponential,
            (true, false) if pattern.starts_with('^') => Self::Linear,
            (true, false) => Self::Quadratic,
        }
    }
}

fn follow_pointer<'s>(root: &'s Json, pointer: &str) -> Option<&'s Json> {
    pointer.split('/').skip(1).try_fold(root, |found, token| match found {
        Json::Object(entries) => entries.get(unescape_token(token).as_ref()),
        Json::Array(items) => items.get(token.parse::<usize>().ok()?),
        _ => None,
    })
}

/// Finds the schema below `value` that has one of `keys` with this name, or with an address that ends with it.
fn find_named<'s>(value: &'s Json, keys: &[&str], name: &str) -> Option<&'s Json> {
    match value {
        Json::Object(entries) => {
            let mut own = keys.iter().filter_map(|key| entries.get(key)?.as_str());
            if own.any(|own| own.trim_end_matches('#').rsplit('/').next() == Some(name)) {
                return Some(value);
            }
            entries.values().find_map(|below| find_named(below, keys, name))
        }
        Json::Array(items) => items.iter().find_map(|below| find_named(below, keys, name)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

    /// The least limit that suffices, to a power of two.
    fn count_steps(schema: &Json, value: &Json) -> usize {
        (0..40).map(|power| 1 << power).find(|limit| fits_steps(schema, value, *limit)).expect("a number")
    }

    #[test]
    fn each_option_is_counted_for_each_value() {
        let options: Vec<Json> = (0..1_000).map(|option| json!({"const": option})).collect();
        let values: Json = (0..2_000).map(Json::from).collect::<Vec<_>>().into();
        for word in ["oneOf", "anyOf", "allOf"] {
            assert!(count_steps(&json!({"items": {word: options}}), &values) > 4_000_000);
            let referred = json!({"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {word: options}}});
            assert!(count_steps(&referred, &values) > 4_000_000);
            let anchored = json!({"items": {"$ref": "#x"}, "$defs": {"a": {"$anchor": "x", word: options}}});
            assert!(count_steps(&anchored, &values) > 4_000_000);
        }
        let objects: Vec<Json> = (0..1_000).map(|option| json!({"id": option, "name": "x"})).collect();
        assert!(count_steps(&json!({"items": {"enum": objects}}), &values) > 4_000_000);
        let texts: Vec<Json> = (0..1_000).map(|option| option.to_string().into()).collect();
        assert!(count_steps(&json!({"items": {"enum": texts}}), &values) < 20_000);
    }

    #[test]
    fn an_ordinary_value_takes_some_steps_for_each_part() {
        let schema = json!({
            "$ref": "#/$defs/node",
            "$defs": {"node": {
                "type": "object",
                "required": ["id"],
                "properties": {"id": {"type": "string"}, "nodes": {"items": {"$ref": "#/$defs/node"}}},
                "additionalProperties": false,
            }},
        });
        let leaf = json!({"id": "a", "nodes": []});
        let value = json!({"id": "a", "nodes": vec![leaf; 1_000]});
        assert!(count_steps(&schema, &value) <= 32_768);
    }

    #[test]
    fn a_pattern_that_backtracks_takes_more_steps_on_a_longer_text() {
        for (pattern, kind) in [
            ("(a+)+$", PatternKind::Linear),
            ("^(?!.*secret)[a-z]+$", PatternKind::Linear),
            ("(?=.*start)(?=.*end)", PatternKind::Quadratic),
            ("(?<!x)[*+)(]+", PatternKind::Quadratic),
            ("(a)\\1{3}", PatternKind::Quadratic),
            ("(?=(a+)+$)(a*)*b", PatternKind::Exponential),
            ("^(?=x)((ab){2,}c?)*$", PatternKind::Exponential),
            ("^(?=x)((ab){2,3}c?)*$", PatternKind::Linear),
            ("^(?=.*\\d)(?=.*[a-z]).{8,}$", PatternKind::Linear),
        ] {
            assert_eq!(PatternKind::of_pattern(pattern), kind, "{pattern}");
        }
        let schema = json!({"properties": {"x": {"pattern": "(?=(a+)+$)(a*)*b"}}});
        let text = |length| json!({"x": "a".repeat(length)});
        assert!(fits_steps(&schema, &text(10_000), 20_000_000));
        assert!(!fits_steps(&schema, &text(60_000), 20_000_000));
        let ordinary = json!({"properties": {"x": {"pattern": "(?=.*start)(?=.*end)"}}});
        assert!(fits_steps(&ordinary, &text(30_000), 20_000_000));
        let anchored = json!({"properties": {"x": {"pattern": "^(?!.*secret).*$"}}});
        assert!(fits_steps(&anchored, &text(1_000_000), 20_000_000));
    }

    #[test]
    fn a_circle_and_levels_that_double_end() {
        let circle = json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]});
        assert!(!fits_steps(&circle, &json!(1), 100_000));
        assert!(fits_steps(&json!({"$ref": "#"}), &json!(1), 100_000));
    }
}
