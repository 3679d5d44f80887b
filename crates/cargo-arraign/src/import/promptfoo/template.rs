//! `{{name}}` in prompts and values, filled in with the variables of a test.

use serde_json::{Map, Value};

/// Why a template stays empty.
pub(super) const TOO_MUCH: &str = "only promptfoo can fill in this template: write the text out";

/// Variables may name others, so often.
const DEEPEST: usize = 5;

/// The text with its variables; `None` where only promptfoo could fill it in.
pub(super) fn filled(text: &str, vars: &Map<String, Value>) -> Option<String> {
    filled_at(text, vars, DEEPEST)
}

fn filled_at(text: &str, vars: &Map<String, Value>, depth: usize) -> Option<String> {
    if text.contains("{%") || text.contains("{#") {
        return None;
    }
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}")?;
        out.push_str(before);
        out.push_str(&value(name.trim_matches(['-', ' ', '\t', '\n']), vars, depth)?);
        rest = after;
    }
    Some(out + rest)
}

/// All texts of a value, filled in.
pub(super) fn filled_in(value: &Value, vars: &Map<String, Value>) -> Option<Value> {
    match value {
        Value::String(text) => filled(text, vars).map(Value::String),
        Value::Array(list) => list.iter().map(|value| filled_in(value, vars)).collect(),
        Value::Object(mapping) => {
            let entry = |(key, value): (&String, &Value)| Some((key.clone(), filled_in(value, vars)?));
            mapping.iter().map(entry).collect::<Option<Map<_, _>>>().map(Value::Object)
        }
        other => Some(other.clone()),
    }
}

/// The variable `a`, or what is in it: `a.b`.
fn value(name: &str, vars: &Map<String, Value>, depth: usize) -> Option<String> {
    let mut names = name.split('.');
    let first = vars.get(names.next()?)?;
    let found = names.try_fold(first, |value, name| value.get(name))?;
    match found {
        Value::String(text) if text.starts_with("file://") => None,
        Value::String(text) => filled_at(text, vars, depth.checked_sub(1)?),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_are_filled_in_and_nothing_is_guessed() {
        let vars = json!({"who": "Ada", "order": {"id": 7}, "far": "file://a.txt", "me": "{{me}}{{me}}", "q": "{{who}}?"});
        let vars = vars.as_object().expect("variables");
        let text = |template: &str| filled(template, vars);
        assert_eq!(text("{{ q }}: {{order.id}} {{order}}").as_deref(), Some("Ada?: 7 {\"id\":7}"));
        for template in
            ["{{ who | upper }}", "{{nobody}}", "{% if who %}", "{{who", "{{far}}", "{{me}}", "{{ 1 + 1 }}"]
        {
            assert_eq!(text(template), None, "{template}");
        }
        assert_eq!(text("no } template {").as_deref(), Some("no } template {"));
    }
}
