//! Guesses the intended name for a name that the schema does not know.

use std::collections::HashSet;

use crate::json::{Json, JsonMap, JsonText};
use crate::pattern::split_name;
use crate::yaml::nearest;

/// The names of an object's parts: in its schema, and in the value.
pub(crate) struct Names<'n> {
    known: Vec<&'n str>,
    given: Vec<&'n str>,
}

impl<'n> Names<'n> {
    /// Returns the number of pairs of a name in `schema` and one in `value`, which a guess compares.
    pub(crate) fn count_pairs(schema: &Json, value: &Json) -> usize {
        let properties = schema.get("properties").and_then(Json::as_object).map_or(0, JsonMap::len);
        let required = schema.get("required").and_then(Json::as_array).map_or(0, <[Json]>::len);
        (properties + required).saturating_mul(1 + value.as_object().map_or(0, JsonMap::len))
    }

    /// The names in `schema`, and in `value`.
    pub(crate) fn of(schema: &'n Json, value: &'n Json) -> Self {
        let properties = schema.get("properties").and_then(Json::as_object);
        let required = schema.get("required").and_then(Json::as_array);
        let mut known: Vec<&str> = properties
            .into_iter()
            .flat_map(arraign_trace::json::JsonObject::keys)
            .map(JsonText::as_str)
            .collect();
        // A name can be required without being described under `properties`.
        let described: HashSet<&str> = known.iter().copied().collect();
        let required = required.into_iter().flatten().filter_map(Json::as_str);
        known.extend(required.filter(|name| !described.contains(name)));
        let given = value
            .as_object()
            .into_iter()
            .flat_map(arraign_trace::json::JsonObject::keys)
            .map(JsonText::as_str)
            .collect();
        Self { known, given }
    }

    /// The name that the value has in place of the missing `name`.
    pub(crate) fn passed_for(&self, name: &str) -> Option<&'n str> {
        let mut strangers = self.given.iter().copied().filter(|given| !self.known.contains(given));
        strangers.find(|stranger| self.meant_by(stranger) == Some(name))
    }

    /// Finds the known name that `stranger` is a slip of. Names that are not given yet come first.
    pub(crate) fn meant_by(&self, stranger: &str) -> Option<&'n str> {
        let absent = self.known.iter().copied().filter(|known| !self.given.contains(known));
        // A name that is not given yet is the likelier meaning: the agent passed this value under a wrong name. If a
        // word of the name fits only one such name, that is meant as well.
        nearest(stranger, absent.clone())
            .or_else(|| take_only(absent.filter(|known| is_part(stranger, known))))
            .or_else(|| nearest(stranger, self.known.iter().copied()))
    }
}

fn take_only<'n>(mut names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let first = names.next()?;
    names.next().is_none().then_some(first)
}

/// Whether the words of one name stand in the other: `id` and `order_id`, `customerName` and `name`.
fn is_part(one: &str, other: &str) -> bool {
    let one = split_name(one);
    let other = split_name(other);
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    !short.is_empty() && long.windows(short.len()).any(|part| part == short)
}

#[cfg(test)]
mod tests {
    use crate::json::json;

    use super::*;

    #[test]
    fn a_wrong_name_means_one_that_is_near_or_has_a_word_more() {
        let schema =
            json!({"properties": {"order_id": {}, "percent": {}, "customerName": {}}, "required": ["to"]});
        for (given, meant) in [
            ("id", Some("order_id")),
            ("procent", Some("percent")),
            ("name", Some("customerName")),
            ("refund_order_id", Some("order_id")),
            ("TO", Some("to")),
            ("amount", None),
        ] {
            let value = json!({given: 1});
            let names = Names::of(&schema, &value);
            assert_eq!(names.meant_by(given), meant, "{given}");
            assert_eq!(meant.and_then(|meant| names.passed_for(meant)), meant.map(|_| given), "{given}");
        }
    }

    #[test]
    fn of_two_names_that_are_as_likely_none_is_meant() {
        let schema = json!({"required": ["order_id", "customer_id"]});
        let value = json!({"id": 1});
        assert_eq!(Names::of(&schema, &value).meant_by("id"), None);
        let value = json!({"id": 1, "order_id": 2});
        assert_eq!(Names::of(&schema, &value).meant_by("id"), Some("customer_id"));
    }
}
