//! A JSON object, and values taken out of it by ownership: the object is used up, nothing is copied.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};

use crate::reader::error::DecodeError;
use crate::reader::json::duplicate_key::find_duplicate_key;
use crate::reader::json::value::Json;
use crate::trace::Arguments;

/// A JSON object in the file's order. Its values are taken out one by one. A null counts as absent.
///
/// The objects of a trace have few keys, and a reader asks each for a fixed number of names. A scan is then cheaper than
/// any map, and linear in the file. An object with a duplicate key cannot be opened. In an object that is only looked
/// at, the last occurrence counts, so each scan begins at the end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Object<'t>(Vec<(Cow<'t, str>, Json<'t>)>);

impl<'t> Object<'t> {
    /// Opens `value` as an object. The error for any other value names it `what`.
    pub(crate) fn of(value: Json<'t>, what: &str) -> Result<Self, DecodeError> {
        match value {
            Json::Object(object) => object.with_unique_keys(),
            other => Err(DecodeError::new(format!("{what} must be an object, not {}", other.describe()))),
        }
    }

    /// Builds an object of the file from its entries.
    pub(crate) fn of_entries(entries: Vec<(Cow<'t, str>, Json<'t>)>) -> Self {
        Self(entries)
    }

    /// Sets an entry. It replaces the value of the file.
    pub(crate) fn push(&mut self, key: Cow<'t, str>, value: Json<'t>) {
        match self.0.iter_mut().rev().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = value,
            None => self.0.push((key, value)),
        }
    }

    /// Returns this object, or an error if it has a duplicate key. Objects that no reader opens are not checked.
    fn with_unique_keys(self) -> Result<Self, DecodeError> {
        match self.find_duplicate() {
            Some(key) => Err(DecodeError::new(format!("duplicate key `{key}`"))),
            None => Ok(self),
        }
    }

    /// Returns the first duplicate key.
    pub(crate) fn find_duplicate(&self) -> Option<&str> {
        find_duplicate_key(&self.0)
    }

    /// Returns the value under `name`, and leaves it there.
    pub(crate) fn get(&self, name: &str) -> Option<&Json<'t>> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Returns the value under `name`, to change it.
    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Json<'t>> {
        self.0.iter_mut().rev().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Takes the value under `name`, null included.
    pub(crate) fn take_even_null(&mut self, name: &str) -> Option<Json<'t>> {
        // A null stays behind: cheaper than closing the gap.
        self.get_mut(name).map(std::mem::take)
    }

    /// Takes the value under the first of `names` that holds one.
    pub(crate) fn take(&mut self, names: &[&str]) -> Option<Json<'t>> {
        self.take_named(names).map(|(_, value)| value)
    }

    fn take_named<'n>(&mut self, names: &[&'n str]) -> Option<(&'n str, Json<'t>)> {
        names.iter().find_map(|name| match self.take_even_null(name) {
            None | Some(Json::Null) => None,
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
        self.take(names).and_then(Json::into_text)
    }

    /// Takes the text under one of `names`.
    pub(crate) fn text(&mut self, names: &[&str]) -> Result<Option<Cow<'t, str>>, DecodeError> {
        match self.take_named(names) {
            None => Ok(None),
            Some((_, Json::Text(text))) => Ok(Some(text)),
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

    /// Takes the list under one of `names`; empty if there is none.
    pub(crate) fn list(&mut self, names: &[&str]) -> Result<Vec<Json<'t>>, DecodeError> {
        match self.take_named(names) {
            None => Ok(Vec::new()),
            Some((_, Json::List(items))) => Ok(items),
            Some((name, other)) => Err(unexpected(name, "a list", &other)),
        }
    }

    /// Takes the object under one of `names`.
    pub(crate) fn object(&mut self, names: &[&str]) -> Result<Option<Object<'t>>, DecodeError> {
        match self.take_named(names) {
            None => Ok(None),
            Some((name, Json::Object(object))) => {
                object.with_unique_keys().map(Some).map_err(|error| error.at_key(name))
            }
            Some((name, other)) => Err(unexpected(name, "an object", &other)),
        }
    }

    /// Reads the object under the first of `names` that holds one. A mistake in it gets the key that was found.
    pub(crate) fn within<T>(
        &mut self,
        names: &[&str],
        read: impl FnOnce(Object<'t>) -> Result<T, DecodeError>,
    ) -> Result<Option<T>, DecodeError> {
        match self.take_named(names) {
            None => Ok(None),
            Some((name, Json::Object(object))) => {
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
        mut read: impl FnMut(Object<'t>) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        self.each_value(names, |value| read(Object::of(value, what)?))
    }

    /// Reads each value of the list under the first of `names` that holds one, as [`Object::each`] does.
    pub(crate) fn each_value(
        &mut self,
        names: &[&str],
        read: impl FnMut(Json<'t>) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        match self.take_named(names) {
            None => Ok(()),
            Some((name, Json::List(items))) => read_each(items, read).map_err(|error| error.at_key(name)),
            Some((name, other)) => Err(unexpected(name, "a list", &other)),
        }
    }

    /// Reads the count under `name`, and leaves it there.
    pub(crate) fn count_under(&self, name: &str) -> Result<Option<u64>, DecodeError> {
        match self.get(name) {
            None | Some(Json::Null) => Ok(None),
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
            Some(value) if value.has_duplicates() => Arguments::from_text(&value.render()),
            Some(value) => Arguments::from_object(value.into_value()),
        }
    }

    /// Takes the count under one of `names`: a non-negative integer.
    pub(crate) fn count(&mut self, names: &[&str]) -> Result<Option<u64>, DecodeError> {
        self.take_named(names).map_or(Ok(None), |(name, value)| count_of(name, &value))
    }

    /// Takes the figure under one of `names`, such as milliseconds or dollars: a non-negative number.
    pub(crate) fn figure(&mut self, names: &[&str]) -> Result<Option<f64>, DecodeError> {
        let Some((name, value)) = self.take_named(names) else { return Ok(None) };
        match value.as_number().and_then(Number::as_f64) {
            Some(figure) if figure >= 0.0 => Ok(Some(figure)),
            _ => Err(invalid_number(name, &value, "amount", "a non-negative number")),
        }
    }

    /// Copies the object, so that it no longer borrows from the file. A duplicate key stays one.
    pub(crate) fn into_owned(self) -> Object<'static> {
        self.0.into_iter().map(|(key, value)| (Cow::Owned(key.into_owned()), value.into_owned())).collect()
    }

    /// Returns the remaining values by key, with a null in place of each value that was taken.
    pub(crate) fn rest(self) -> BTreeMap<Cow<'t, str>, Json<'t>> {
        self.0.into_iter().collect()
    }

    /// Returns the entries. Of two with the same key, the last counts.
    pub(crate) fn into_entries(self) -> Vec<(Cow<'t, str>, Json<'t>)> {
        if self.find_duplicate().is_some() { self.rest().into_iter().collect() } else { self.0 }
    }

    /// Returns the values, in the file's order.
    pub(crate) fn into_values(self) -> impl Iterator<Item = Json<'t>> {
        self.0.into_iter().map(|(_, value)| value)
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no entry.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the entries, in the file's order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&Cow<'t, str>, &Json<'t>)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// Iterates over the values, in the file's order.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Json<'t>> {
        self.0.iter().map(|(_, value)| value)
    }

    /// Returns the values by key.
    pub(crate) fn sorted(&self) -> BTreeMap<&str, &Json<'t>> {
        self.0.iter().map(|(key, value)| (key.as_ref(), value)).collect()
    }

    /// Converts the object into the map that a trace keeps.
    pub(crate) fn into_map(self) -> Map<String, Value> {
        self.0.into_iter().map(|(key, value)| (key.into_owned(), value.into_value())).collect()
    }
}

impl<'t> FromIterator<(Cow<'t, str>, Json<'t>)> for Object<'t> {
    fn from_iter<I: IntoIterator<Item = (Cow<'t, str>, Json<'t>)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

/// Compares objects without regard to the order of their keys.
impl PartialEq for Object<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.sorted() == other.sorted()
    }
}

/// Reads each of `items`. A mistake gets the index of its item.
pub(crate) fn read_each<'t>(
    items: Vec<Json<'t>>,
    mut read: impl FnMut(Json<'t>) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let mut items = items.into_iter().enumerate();
    items.try_for_each(|(index, item)| read(item).map_err(|error| error.at_key(index)))
}

fn count_of(name: &str, value: &Json) -> Result<Option<u64>, DecodeError> {
    match whole(value) {
        Some(count) => Ok(Some(count)),
        None => Err(invalid_number(name, value, "count", "a non-negative integer")),
    }
}

fn arguments_of(value: Json) -> Arguments {
    match value {
        Json::Text(text) => Arguments::from_text(&text),
        // A map would drop one of the two keys. The text keeps both, so the arguments count as malformed.
        value if value.has_duplicates() => Arguments::from_text(&value.render()),
        value => Arguments::from_json(value.into_value()),
    }
}

/// Some writers print counts as floats.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the float was found whole, not negative and below 2^53"
)]
fn whole(value: &Json) -> Option<u64> {
    // Above 2^53 a float no longer names one integer.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = value.as_number()?;
    number.as_u64().or_else(|| {
        let float = number.as_f64()?;
        (float.fract() == 0.0 && (0.0..EXACT).contains(&float)).then_some(float as u64)
    })
}

fn unexpected(name: &str, wanted: &str, found: &Json) -> DecodeError {
    DecodeError::new(format!("{wanted} is expected here, not {}", found.describe())).at_key(name)
}

fn invalid_number(name: &str, value: &Json, what: &str, wanted: &str) -> DecodeError {
    match value {
        Json::Number(number) => {
            DecodeError::new(format!("invalid {what} {number}: expected {wanted}")).at_key(name)
        }
        other => unexpected(name, "a number", other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(json: &str) -> Object<'_> {
        match serde_json::from_str(json).expect("it is JSON") {
            Json::Object(object) => object,
            other => panic!("{other:?}"),
        }
    }

    fn open(text: &str) -> Result<Object<'_>, DecodeError> {
        Object::of(serde_json::from_str(text).expect("it is JSON"), "it")
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
        one.push("a".into(), Json::Bool(true));
        assert!(one.find_duplicate().is_none() && one.get("a").is_some_and(Json::is_true));
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
        assert!(taken.rest().values().all(|value| value.is_null() || value.is_list()));
        assert_eq!(Value::Object(twice().into_map()).to_string(), r#"{"a":2,"b":[]}"#);
    }
}
