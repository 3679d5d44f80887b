//! How often a schema is applied to one value: references in `allOf` of references double with each level.

use std::collections::HashMap;

use super::super::home::any_object;
use super::{Flaw, join};
use crate::json::{Json, JsonMap};
use crate::yaml::unescape_token;

/// The largest number of schemas that one schema may apply to a value. A schema made by hand applies some tens.
const MAX_STEPS: u64 = 50_000;
/// The limit for a schema with `unevaluatedProperties` or `unevaluatedItems`, for which the validator follows each reference
/// several times.
const MAX_UNEVALUATED_STEPS: u64 = 500;

/// The longest chain of schemas for one value: it bounds the recursion of the validator, too.
const MAX_DEPTH: usize = 500;

/// Keywords with a schema, or a list or mapping of schemas, for the same value.
const SAME_VALUE: &[&str] = &["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];

/// Finds a schema that applies too many schemas to one value. It would take hours to compile, or to check a value.
pub(super) fn find_expansion(root: &Json) -> Option<Flaw> {
    let mut counter = StepCounter { root, known: HashMap::new(), depth: 0 };
    // `unevaluatedProperties` collects what each schema has seen, so the same number of schemas costs more.
    let is_unevaluated = any_object(root, &|object| {
        object.contains_key("unevaluatedProperties") || object.contains_key("unevaluatedItems")
    });
    let limit = if is_unevaluated { MAX_UNEVALUATED_STEPS } else { MAX_STEPS };
    let pointer = counter.find_above(root, limit, String::new())?;
    Some(Flaw {
        pointer,
        problem: format!("this schema applies more than {limit} schemas to one value"),
        help: Some("its references double at each level: refer to each schema once".to_owned()),
    })
}

/// Counts the schemas that are applied to one value. Each schema is counted once, however often it is referred to, so that
/// counting takes no longer than reading.
struct StepCounter<'s> {
    root: &'s Json,
    /// The steps of each schema, by its address; `None` while it is being counted.
    known: HashMap<*const Json, Option<u64>>,
    /// The number of schemas around the one that is being counted.
    depth: usize,
}

impl<'s> StepCounter<'s> {
    /// Returns the pointer of the first schema below `value` with more than `limit` steps.
    fn find_above(&mut self, value: &'s Json, limit: u64, pointer: String) -> Option<String> {
        if self.count_steps(value) > limit {
            return Some(pointer);
        }
        // The outermost schema over the limit is found first, which is the one to simplify.
        match value {
            Json::Object(entries) => {
                entries.iter().find_map(|(key, below)| self.find_above(below, limit, join(&pointer, key)))
            }
            Json::Array(items) => {
                let mut items = items.iter().enumerate();
                items.find_map(|(index, below)| {
                    self.find_above(below, limit, join(&pointer, &index.to_string()))
                })
            }
            _ => None,
        }
    }

    fn count_steps(&mut self, schema: &'s Json) -> u64 {
        let Json::Object(entries) = schema else { return 1 };
        match self.known.get(&std::ptr::from_ref(schema)) {
            Some(Some(steps)) => return *steps,
            // A circle: the validator stops there.
            Some(None) => return 1,
            None => {}
        }
        // A deep schema is refused rather than walked: the walk is recursive.
        if self.depth > MAX_DEPTH {
            return u64::MAX;
        }
        // `None` marks a schema that is being counted. Each schema is counted once, also where many references lead
        // to it: a plain walk would need the very time that it is to prevent.
        self.known.insert(schema, None);
        self.depth += 1;
        let applied = self.list_applied(entries);
        let steps = applied.into_iter().map(|below| self.count_steps(below)).fold(1, u64::saturating_add);
        self.depth -= 1;
        self.known.insert(schema, Some(steps));
        steps
    }

    fn list_applied(&self, entries: &'s JsonMap) -> Vec<&'s Json> {
        let mut applied: Vec<&Json> = Vec::new();
        for (key, value) in entries {
            match (key.as_str(), value) {
                ("$ref" | "$dynamicRef", Json::String(reference)) => applied.extend(self.resolve(reference)),
                // These keywords apply their schemas to the value itself; those that apply to its parts do not matter
                // here.
                (key, Json::Array(items)) if SAME_VALUE.contains(&key) => applied.extend(items),
                ("dependentSchemas", Json::Object(schemas)) => applied.extend(schemas.values()),
                (key, schema) if SAME_VALUE.contains(&key) => applied.push(schema),
                _ => {}
            }
        }
        applied
    }

    /// Resolves a reference in the same file. Other references are refused elsewhere.
    fn resolve(&self, reference: &str) -> Option<&'s Json> {
        let pointer = reference.strip_prefix('#')?;
        let mut found = self.root;
        for token in pointer.split('/').skip(1) {
            found = match found {
                Json::Object(entries) => entries.get(unescape_token(token).as_ref())?,
                Json::Array(items) => items.get(token.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use crate::json::json;

    use super::*;

    /// A schema of `levels` levels, each of which refers to the next one twice.
    fn double_levels(levels: usize) -> Json {
        let mut schemas = JsonMap::new();
        for level in 0..levels {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            schemas.insert(format!("d{level}"), json!({ "allOf": [next, next] }));
        }
        schemas.insert(format!("d{levels}"), json!({"type": "object"}));
        json!({"$defs": schemas, "$ref": "#/$defs/d0"})
    }

    #[test]
    fn references_that_double_are_found_before_they_are_followed() {
        assert!(find_expansion(&double_levels(10)).is_none());
        assert!(find_expansion(&double_levels(60)).is_some_and(|flaw| flaw.problem.contains("50000")));
        let mut unevaluated = double_levels(11);
        unevaluated["unevaluatedProperties"] = false.into();
        assert!(find_expansion(&unevaluated).is_some_and(|flaw| flaw.problem.contains("500")));
        let mut chain = JsonMap::new();
        for level in 0..100_000 {
            chain.insert(format!("d{level}"), json!({"$ref": format!("#/$defs/d{}", level + 1)}));
        }
        assert!(find_expansion(&json!({"$defs": chain, "$ref": "#/$defs/d0"})).is_some());
        let nots =
            (0..40).fold(json!({"type": "string"}), |below, _| json!({"allOf": [{"not": {"not": below}}]}));
        assert!(find_expansion(&nots).is_none());
    }

    #[test]
    fn a_schema_that_refers_to_itself_is_counted_once() {
        let tree =
            json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}, "allOf": [{"$ref": "#"}]});
        assert!(find_expansion(&tree).is_none());
    }
}
