//! Masks and lists the secrets in JSON.

use super::secret::{is_secret_value, names_secrets};
use super::{find_secrets, mask_secrets};
use crate::json::{Json, JsonMap, JsonNumber, JsonText};

/// The mask of a secret.
const MASK: &str = "***";

/// Masks the secrets in all strings and keys of `value`, and the values under names of secrets.
pub fn mask_json_secrets(value: Json) -> Json {
    match value {
        Json::String(text) => Json::String(mask_secrets(text.into_string()).into()),
        Json::Array(items) => items.into_iter().map(mask_json_secrets).collect(),
        Json::Object(entries) => {
            let named = find_pair_name(&entries).map(str::to_owned);
            let masked = entries.into_iter().map(|(name, value)| mask_entry(name, value, named.as_deref()));
            Json::Object(masked.collect())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => value,
    }
}

/// Masks an entry. `pair_name` is the name of the pair that it is the value of.
fn mask_entry(name: JsonText, value: Json, pair_name: Option<&str>) -> (String, Json) {
    let value = mask_named(pair_name.filter(|_| name == "value").unwrap_or(&name), value);
    (mask_secrets(name.into_string()), value)
}

/// Masks the value of the entry `name`.
fn mask_named(name: &str, value: Json) -> Json {
    match value {
        Json::String(text) if is_secret_value(name, &text) => Json::String(MASK.to_owned().into()),
        Json::Number(number) if is_secret_number(name, &number) => Json::String(MASK.to_owned().into()),
        // `passwords: [a, b]`: each item is judged as if it had the name of the list.
        Json::Array(items) if names_secrets(name) => {
            items.into_iter().map(|item| mask_named(name, item)).collect()
        }
        value => mask_json_secrets(value),
    }
}

/// Calls `visit` with each secret in `value`, as a whole.
pub fn visit_secret_values(value: &Json, visit: &mut impl FnMut(&str)) {
    match value {
        Json::String(text) => find_secrets(text).into_iter().for_each(|one| visit(&text[one.range])),
        Json::Array(items) => items.iter().for_each(|item| visit_secret_values(item, visit)),
        Json::Object(entries) => {
            // `{name: password, value: ...}` names its secret by another entry.
            let named = find_pair_name(entries);
            for (name, value) in entries {
                for one in find_secrets(name) {
                    visit(&name[one.range]);
                }
                visit_named(named.filter(|_| name == "value").unwrap_or(name), value, visit);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

fn visit_named(name: &str, value: &Json, visit: &mut impl FnMut(&str)) {
    match value {
        Json::String(text) if is_secret_value(name, text) => visit(text),
        Json::Number(number) if is_secret_number(name, number) => visit(&number.to_string()),
        // A list under such a name is a list of secrets.
        Json::Array(items) if names_secrets(name) => {
            for item in items {
                visit_named(name, item, visit);
            }
        }
        value => visit_secret_values(value, visit),
    }
}

/// Returns the name of a pair `{"name": "Authorization", "value": "..."}`, the form of headers in many recordings.
fn find_pair_name(entries: &JsonMap) -> Option<&str> {
    // Most objects are small, and comparing the names is faster than hashing one.
    entries.keys().find(|name| *name == "value")?;
    ["name", "key", "header"].iter().find_map(|part| entries.get(part)?.as_str())
}

fn is_secret_number(name: &str, number: &JsonNumber) -> bool {
    names_secrets(name) && is_secret_value(name, &number.to_string())
}

#[cfg(test)]
mod tests {
    use crate::json::json;

    use super::*;

    #[test]
    fn texts_and_names_are_masked_wherever_they_stand() {
        let key = format!("sk-proj-{}", "a1B2".repeat(8));
        let value = json!({"n": 1.5, "said": [{&key: null, "then": format!("it is {key}.")}], "ok": true});
        let masked = json!({"n": 1.5, "said": [{"***": null, "then": "it is ***."}], "ok": true});
        assert_eq!(mask_json_secrets(value), masked);
    }

    #[test]
    fn values_under_names_of_secrets_are_masked() {
        let value = json!({
            "password": "correct horse", "pin_password": 123_456, "apiKey": "abcdef", "passwords": ["first one"],
            "headers": [{"name": "Authorization", "value": "made up"}, {"name": "Accept", "value": "text/html"}],
            "page_token": "next", "max_tokens": 400, "password_policy": "twelve characters"
        });
        let masked = json!({
            "password": "***", "pin_password": "***", "apiKey": "***", "passwords": ["***"],
            "headers": [{"name": "Authorization", "value": "***"}, {"name": "Accept", "value": "text/html"}],
            "page_token": "next", "max_tokens": 400, "password_policy": "twelve characters"
        });
        let mut found = Vec::new();
        visit_secret_values(&value, &mut |secret| found.push(secret.to_owned()));
        found.sort();
        assert_eq!(found, ["123456", "abcdef", "correct horse", "first one", "made up"]);
        assert_eq!(mask_json_secrets(value), masked);
    }
}
