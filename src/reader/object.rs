//! Values taken out of a JSON object by ownership: the object is used up, nothing is copied.

use serde_json::{Map, Value};

use super::error::Wrong;

/// A JSON object whose values are taken out one by one. A null is as good as absent.
#[derive(Debug, Default)]
pub(super) struct Object(Map<String, Value>);

impl Object {
    /// `value` as an object; `what` names it in the mistake.
    pub(super) fn of(value: Value, what: &str) -> Result<Self, Wrong> {
        match value {
            Value::Object(map) => Ok(Self(map)),
            other => Err(Wrong::new(format!("{what} must be an object, not {}", describe(&other)))),
        }
    }

    /// The value under the first of `names` that holds one.
    pub(super) fn take(&mut self, names: &[&str]) -> Option<Value> {
        self.take_named(names).map(|(_, value)| value)
    }

    fn take_named<'n>(&mut self, names: &[&'n str]) -> Option<(&'n str, Value)> {
        // A null stays behind: cheaper than taking the entry out of the map.
        names.iter().find_map(|name| match self.0.get_mut(*name).map(Value::take) {
            None | Some(Value::Null) => None,
            Some(value) => Some((*name, value)),
        })
    }

    /// The value under `name`, null included.
    pub(super) fn take_even_null(&mut self, name: &str) -> Option<Value> {
        self.0.get_mut(name).map(Value::take)
    }

    /// A look at the value under `name`.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The text under one of `names`.
    pub(super) fn text(&mut self, names: &[&str]) -> Result<Option<String>, Wrong> {
        match self.take_named(names) {
            None => Ok(None),
            Some((_, Value::String(text))) => Ok(Some(text)),
            Some((name, other)) => Err(unexpected(name, "a string", &other)),
        }
    }

    /// The text under one of `names`, which must be there.
    pub(super) fn required(&mut self, names: &[&str]) -> Result<String, Wrong> {
        self.text(names)?.ok_or_else(|| Wrong::new(format!("`{}` is missing", names[0])))
    }

    /// The list under one of `names`; empty when there is none.
    pub(super) fn list(&mut self, names: &[&str]) -> Result<Vec<Value>, Wrong> {
        match self.take_named(names) {
            None => Ok(Vec::new()),
            Some((_, Value::Array(items))) => Ok(items),
            Some((name, other)) => Err(unexpected(name, "a list", &other)),
        }
    }

    /// The object under one of `names`.
    pub(super) fn object(&mut self, names: &[&str]) -> Result<Option<Object>, Wrong> {
        match self.take_named(names) {
            None => Ok(None),
            Some((_, Value::Object(map))) => Ok(Some(Object(map))),
            Some((name, other)) => Err(unexpected(name, "an object", &other)),
        }
    }

    /// The count under one of `names`: a whole number, never negative.
    pub(super) fn count(&mut self, names: &[&str]) -> Result<Option<u64>, Wrong> {
        let Some((name, value)) = self.take_named(names) else { return Ok(None) };
        match whole(&value) {
            Some(count) => Ok(Some(count)),
            None => Err(impossible(name, &value, "a count is a whole number from 0 up")),
        }
    }

    /// The figure under one of `names`: milliseconds, dollars; never negative.
    pub(super) fn figure(&mut self, names: &[&str]) -> Result<Option<f64>, Wrong> {
        let Some((name, value)) = self.take_named(names) else { return Ok(None) };
        match value.as_f64() {
            Some(figure) if figure >= 0.0 => Ok(Some(figure)),
            _ => Err(impossible(name, &value, "a number from 0 up is expected")),
        }
    }

    /// What has not been taken; a null where something was.
    pub(super) fn rest(self) -> Map<String, Value> {
        self.0
    }
}

/// Some writers print counts as floats.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the float was found whole, not negative and below 2^53"
)]
fn whole(value: &Value) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    value.as_u64().or_else(|| {
        let float = value.as_f64()?;
        (float.fract() == 0.0 && (0.0..EXACT).contains(&float)).then_some(float as u64)
    })
}

fn unexpected(name: &str, wanted: &str, found: &Value) -> Wrong {
    Wrong::new(format!("{wanted} is expected here, not {}", describe(found))).under(name)
}

fn impossible(name: &str, value: &Value, rule: &str) -> Wrong {
    match value {
        Value::Number(number) => Wrong::new(format!("{number} cannot be: {rule}")).under(name),
        other => unexpected(name, "a number", other),
    }
}

/// What a JSON value is, in a user's words.
pub(super) fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(json: Value) -> Object {
        Object::of(json, "it").expect("an object")
    }

    #[test]
    fn figures_below_zero_and_broken_counts_are_refused() {
        for (json, problem) in [
            (serde_json::json!({"n": -5}), "/n: -5 cannot be: a count is a whole number from 0 up"),
            (serde_json::json!({"n": 1.5}), "/n: 1.5 cannot be: a count is a whole number from 0 up"),
            (serde_json::json!({"n": "5"}), "/n: a number is expected here, not a string"),
        ] {
            assert_eq!(object(json).count(&["n"]).expect_err("it cannot be").to_string(), problem);
        }
        assert_eq!(object(serde_json::json!({"n": 120.0})).count(&["n"]).expect("a count"), Some(120));
        assert!(object(serde_json::json!({"ms": -0.1})).figure(&["ms"]).is_err());
    }
}
