//! A JSON object, and values taken out of it by ownership: the object is used up, nothing is copied.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::json::{JsonNode, JsonNumber, JsonObject, JsonText};
use crate::reader::error::DecodeError;
use crate::trace::Arguments;

/// An object whose values are taken out one by one. A null counts as absent.
///
/// An object with a duplicate key cannot be opened. In an object that is only looked at, the last occurrence counts.
impl<'t> JsonObject<'t> {
    /// Opens `value` as an object. The error for any other value names it `what`.
    pub(crate) fn of(value: JsonNode<'t>, what: &str) -> Result<Self, DecodeError> {
        match value {
            JsonNode::Object(object) => object.with_unique_keys(),
            other => Err(DecodeError::new(format!("{what} must be an object, not {}", other.describe()))),
        }
    }

    fn with_unique_keys(self) -> Result<Self, DecodeError> {
        match self.find_duplicate() {
            None => Ok(self),
            Some(key) => Err(DecodeError::new(format!("duplicate key `{key}`"))),
        }
    }

    /// Takes the value under `name`, null included.
    pub(crate) fn take_even_null(&mut self, name: &str) -> Option<JsonNode<'t>> {
        // A null stays behind: cheaper than closing the gap.
        self.get_mut(name).map(std::mem::take)
    }

    /// Takes the value under the first of `names` that holds one.
    pub(crate) fn take(&mut self, names: &[&str]) -> Option<JsonNode<'t>> {
        self.take_named(names).map(|(_, value)| value)
    }

    fn take_named<'n>(&mut self, names: &[&'n str]) -> Option<(&'n str, JsonNode<'t>)> {
        names.iter().find_map(|name| match self.take_even_null(name) {
            None | Some(JsonNode::Null) => None,
            Some(value) => Some((*name, value)),
        })
    }

    /// Whether there is a value under `name`, even null.
    pub(crate) fn has_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Returns the text under `name`, if it is a text, and leaves it there.
    pub(crate) fn text_under(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// Takes the text under the first of `names` that is there. Any other value is dropped.
    pub(crate) fn take_text(&mut self, names: &[&str]) -> Option<Cow<'t, str>> {
        self.take(names).and_then(JsonNode::into_text)
    }

    /// Takes the text under one of `names`.
    pub(crate) fn text(&mut self, names: &[&str]) -> Result<Option<Cow<'t, str>>, DecodeError> {
        match self.take_named(names) {
            None => Ok(None),
            Some((_, JsonNode::String(text))) => Ok(Some(text.into_cow())),
            Some((name, other)) => Err(unexpected(name, "a string", &other)),
        }
    }

    /// Takes the text under one of `names`, as a trace keeps it.
    pub(crate) fn string(&mut self, names: &[&str]) -> Result<Option<String>, DecodeError> {
        Ok(self.text(names)?.map(Cow::into_owned))
    }

    /// Takes the text under one of `names`, which must be there.
    pub(crate) fn required(&mut self, names: &[&str]) -> Result<Cow<'t, str>, DecodeError> {
        self.text(names)?.ok_or_else(|| DecodeError::new(format!("`{}` is missing", names[0])))
    }

    /// Takes the list under one of `names`; empty without such a key.
    pub(crate) fn list(&mut self, names: &[&str]) -> Result<Vec<JsonNode<'t>>, DecodeError> {
        match self.take_named(names) {
            None => Ok(Vec::new()),
            Some((_, JsonNode::Array(items))) => Ok(items),
            Some((name, other)) => Err(unexpected(name, "a list", &other)),
        }
    }

    /// Takes the object under one of `names`.
    pub(crate) fn object(&mut self, names: &[&str]) -> Result<Option<JsonObject<'t>>, DecodeError> {
        match self.take_named(names) {
            None => Ok(None),
            Some((name, JsonNode::Object(object))) => {
                object.with_unique_keys().map(Some).map_err(|error| error.at_key(name))
            }
            Some((name, other)) => Err(unexpected(name, "an object", &other)),
        }
    }

    /// Reads the object under the first of `names` that holds one. A mistake in it gets the key that was found.
    pub(crate) fn within<T>(
        &mut self,
        names: &[&str],
        read: impl FnOnce(JsonObject<'t>) -> Result<T, DecodeError>,
    ) -> Result<Option<T>, DecodeError> {
        match self.take_named(names) {
            None => Ok(None),
            Some((name, JsonNode::Object(object))) => {
                object.with_unique_keys().and_then(read).map(Some).map_err(|error| error.at_key(name))
            }
            Some((name, other)) => Err(unexpected(name, "an object", &other)),
        }
    }

    /// Reads each object of the list under the first of `names` that holds one; `what` names an entry that is no
    /// object. A mistake gets the index of its entry and the key that was found.
    pub(crate) fn each(
        &mut self,
        names: &[&str],
        what: &str,
        mut read: impl FnMut(JsonObject<'t>) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        self.each_value(names, |value| read(JsonObject::of(value, what)?))
    }

    /// Reads each value of the list under the first of `names` that holds one, as [`JsonObject::each`] does.
    pub(crate) fn each_value(
        &mut self,
        names: &[&str],
        read: impl FnMut(JsonNode<'t>) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        match self.take_named(names) {
            None => Ok(()),
            Some((name, JsonNode::Array(items))) => {
                read_each(items, read).map_err(|error| error.at_key(name))
            }
            Some((name, other)) => Err(unexpected(name, "a list", &other)),
        }
    }

    /// Reads the count under `name`, and leaves it there.
    pub(crate) fn count_under(&self, name: &str) -> Result<Option<u64>, DecodeError> {
        match self.get(name) {
            None | Some(JsonNode::Null) => Ok(None),
            Some(value) => count_of(name, value),
        }
    }

    /// Takes the arguments of a call under `name`: JSON, or JSON text.
    pub(crate) fn arguments(&mut self, name: &str) -> Arguments {
        self.take_even_null(name).map_or_else(Arguments::none, arguments_of)
    }

    /// Takes the arguments under `name` in a format that has an object there: a text that is JSON is not one.
    pub(crate) fn object_arguments(&mut self, name: &str) -> Arguments {
        match self.take_even_null(name) {
            None => Arguments::none(),
            Some(value) if value.has_duplicates() => Arguments::from_text(&value.to_string()),
            Some(value) => Arguments::from_object(value.into_json()),
        }
    }

    /// Takes the count under one of `names`: a non-negative integer.
    pub(crate) fn count(&mut self, names: &[&str]) -> Result<Option<u64>, DecodeError> {
        self.take_named(names).map_or(Ok(None), |(name, value)| count_of(name, &value))
    }

    /// Takes the figure under one of `names`, such as milliseconds or dollars: a non-negative number.
    pub(crate) fn figure(&mut self, names: &[&str]) -> Result<Option<f64>, DecodeError> {
        let Some((name, value)) = self.take_named(names) else { return Ok(None) };
        match value.as_number().and_then(JsonNumber::as_f64) {
            Some(figure) if figure >= 0.0 => Ok(Some(figure)),
            _ => Err(invalid_number(name, &value, "amount", "a non-negative number")),
        }
    }

    /// Returns the remaining values by key, with a null in place of each value that was taken.
    pub(crate) fn rest(self) -> BTreeMap<JsonText<'t>, JsonNode<'t>> {
        self.into_iter().collect()
    }

    /// Returns the entries. Of two with the same key, the last counts.
    pub(crate) fn into_entries(self) -> Vec<(JsonText<'t>, JsonNode<'t>)> {
        if self.find_duplicate().is_some() {
            self.rest().into_iter().collect()
        } else {
            self.into_iter().collect()
        }
    }

    /// Returns the values, in the file's order.
    pub(crate) fn into_values(self) -> impl Iterator<Item = JsonNode<'t>> {
        self.into_iter().map(|(_, value)| value)
    }
}

/// Reads each of `items`. A mistake gets the index of its item.
pub(crate) fn read_each<'t>(
    items: Vec<JsonNode<'t>>,
    mut read: impl FnMut(JsonNode<'t>) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let mut items = items.into_iter().enumerate();
    items.try_for_each(|(index, item)| read(item).map_err(|error| error.at_key(index)))
}

fn count_of(name: &str, value: &JsonNode) -> Result<Option<u64>, DecodeError> {
    match whole(value) {
        Some(count) => Ok(Some(count)),
        None => Err(invalid_number(name, value, "count", "a non-negative integer")),
    }
}

fn arguments_of(value: JsonNode) -> Arguments {
    match value {
        JsonNode::String(text) => Arguments::from_text(&text),
        // A map would drop one of the two keys. The text keeps both, so the arguments count as malformed.
        value if value.has_duplicates() => Arguments::from_text(&value.to_string()),
        value => Arguments::from_json(value.into_json()),
    }
}

/// Some writers print counts as floats.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the float was found whole, not negative and below 2^53"
)]
fn whole(value: &JsonNode) -> Option<u64> {
    // Above 2^53 a float no longer names one integer.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = value.as_number()?;
    number.as_u64().or_else(|| {
        let float = number.as_f64()?;
        (float.fract() == 0.0 && (0.0..EXACT).contains(&float)).then_some(float as u64)
    })
}

fn unexpected(name: &str, wanted: &str, found: &JsonNode) -> DecodeError {
    DecodeError::new(format!("{wanted} is expected here, not {}", found.describe())).at_key(name)
}

fn invalid_number(name: &str, value: &JsonNode, what: &str, wanted: &str) -> DecodeError {
    match value {
        JsonNode::Number(number) => {
            DecodeError::new(format!("invalid {what} {number}: expected {wanted}")).at_key(name)
        }
        other => unexpected(name, "a number", other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse_borrowed;

    fn object(json: &str) -> JsonObject<'_> {
        match parse_borrowed(json).expect("it is JSON") {
            JsonNode::Object(object) => object,
            other => panic!("{other:?}"),
        }
    }

    fn open(text: &str) -> Result<JsonObject<'_>, DecodeError> {
        JsonObject::of(parse_borrowed(text).expect("it is JSON"), "it")
    }

    #[test]
    fn an_object_with_a_key_twice_cannot_be_opened() {
        let text = r#"{"a": {"b": 1, "c": 2, "b": 3}, "l": [{"b": 1, "b": 1}]}"#;
        assert_eq!(open(r#"{"b": 1, "b": 1}"#).expect_err("twice").to_string(), "duplicate key `b`");
        let mut outer = open(text).expect("its own keys come once");
        assert_eq!(outer.object(&["a"]).expect_err("twice").to_string(), "/a: duplicate key `b`");
        let read = outer.each(&["l"], "it", |_| Ok(()));
        assert_eq!(read.expect_err("twice").to_string(), "/l/0: duplicate key `b`");
        let many: Vec<String> = (0..200).map(|number| format!("\"k{number}\": 0")).collect();
        let many = many.join(", ");
        assert!(open(&format!("{{{many}, \"k\": 1}}")).is_ok());
        assert!(open(&format!("{{{many}, \"k77\": 1}}")).is_err());
    }

    #[test]
    fn what_a_reader_sets_replaces_what_the_file_says() {
        let mut one = object(r#"{"a": 1}"#);
        one.insert("a", JsonNode::Bool(true));
        assert!(one.find_duplicate().is_none() && one.get("a").is_some_and(JsonNode::is_true));
    }

    #[test]
    fn arguments_with_a_key_twice_are_malformed_and_keep_both() {
        let arguments = object(r#"{"args": {"n": 1, "n": 2}, "text": "{\"n\": 1, \"n\": 2}"}"#);
        for name in ["args", "text"] {
            let Arguments::Broken { raw, error } = arguments.clone().arguments(name) else {
                panic!("{name}")
            };
            assert_eq!(raw.replace(' ', ""), r#"{"n":1,"n":2}"#);
            assert!(error.starts_with("duplicate key `n`"), "{error}");
        }
    }

    #[test]
    fn figures_below_zero_and_broken_counts_are_refused() {
        for (json, problem) in [
            (r#"{"n": -5}"#, "/n: invalid count -5: expected a non-negative integer"),
            (r#"{"n": 1.5}"#, "/n: invalid count 1.5: expected a non-negative integer"),
            (r#"{"n": "5"}"#, "/n: a number is expected here, not a string"),
        ] {
            assert_eq!(object(json).count(&["n"]).expect_err("it cannot be").to_string(), problem);
        }
        assert_eq!(object(r#"{"n": 120.0}"#).count(&["n"]).expect("a count"), Some(120));
        assert!(object(r#"{"ms": -0.1}"#).figure(&["ms"]).is_err());
    }

    #[test]
    fn of_two_equal_keys_the_last_counts_everywhere() {
        let twice = || object(r#"{"a": 1, "b": [], "a": 2}"#);
        assert_eq!(twice(), object(r#"{"b": [], "a": 2}"#));
        assert_eq!(twice().get("a"), object(r#"{"n": 2}"#).get("n"));
        let mut taken = twice();
        assert_eq!(taken.count(&["a"]).expect("a count"), Some(2));
        assert_eq!(taken.count(&["a"]).expect("nothing"), None);
        assert!(taken.rest().values().all(|value| value.is_null() || value.is_array()));
        assert_eq!(JsonNode::Object(twice()).to_string(), r#"{"a":1,"b":[],"a":2}"#);
    }
}
