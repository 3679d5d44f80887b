//! JSON without its secrets.

use serde_json::Value;

use super::mask_secrets;

/// Masks the secrets in all strings and keys of `value`.
pub fn mask_json_secrets(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(mask_secrets(text)),
        Value::Array(items) => items.into_iter().map(mask_json_secrets).collect(),
        Value::Object(entries) => {
            let entries = entries.into_iter();
            Value::Object(
                entries.map(|(name, value)| (mask_secrets(name), mask_json_secrets(value))).collect(),
            )
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_and_names_are_masked_wherever_they_stand() {
        let key = format!("sk-proj-{}", "a1B2".repeat(8));
        let value = json!({"n": 1.5, "said": [{&key: null, "then": format!("it is {key}.")}], "ok": true});
        let masked = json!({"n": 1.5, "said": [{"***": null, "then": "it is ***."}], "ok": true});
        assert_eq!(mask_json_secrets(value), masked);
    }
}
