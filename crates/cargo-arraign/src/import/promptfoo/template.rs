//! Fills the variables of a test into `{{name}}` in prompts and values.

use serde_json::{Map, Value};

/// The reason if a template cannot be filled in.
pub(super) const TOO_MUCH: &str = "only promptfoo can fill in this template: write the complete text";

/// The largest depth of variables that contain variables. A variable may contain itself.
const DEEPEST: usize = 5;

/// Fills variables into a text. Returns `None` if only promptfoo could do so.
pub(super) fn fill_text(text: &str, vars: &Map<String, Value>) -> Option<String> {
    fill_to_depth(text, vars, DEEPEST)
}

fn fill_to_depth(text: &str, vars: &Map<String, Value>, depth: usize) -> Option<String> {
    if text.contains("{%") || text.contains("{#") {
        return None;
    }
    let (mut out, mut rest) = (String::new(), text);
    // Copy the text up to each `{{name}}`, then the value of the variable. A missing `}}` or variable ends the search.
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}")?;
        out.push_str(before);
        out.push_str(&look_up_variable(name.trim_matches(['-', ' ', '\t', '\n']), vars, depth)?);
        rest = after;
    }
    Some(out + rest)
}

/// Fills variables into all texts of a value.
pub(super) fn fill_value(value: &Value, vars: &Map<String, Value>) -> Option<Value> {
    match value {
        Value::String(text) => fill_text(text, vars).map(Value::String),
        Value::Array(list) => list.iter().map(|value| fill_value(value, vars)).collect(),
        Value::Object(mapping) => {
            let entries = mapping.iter().map(|(key, value)| Some((key.clone(), fill_value(value, vars)?)));
            entries.collect::<Option<Map<_, _>>>().map(Value::Object)
        }
        other => Some(other.clone()),
    }
}

/// Looks up a variable `a`, or a value in it: `a.b`.
fn look_up_variable(name: &str, vars: &Map<String, Value>, depth: usize) -> Option<String> {
    let mut names = name.split('.');
    let first = vars.get(names.next()?)?;
    let found = names.try_fold(first, |value, name| value.get(name))?;
    match found {
        Value::String(text) if text.starts_with("file://") => None,
        Value::String(text) => fill_to_depth(text, vars, depth.checked_sub(1)?),
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
        let filled = fill_text("{{ q }}: {{order.id}} {{order}}", vars);
        assert_eq!(filled.as_deref(), Some("Ada?: 7 {\"id\":7}"));
        for template in
            ["{{ who | upper }}", "{{nobody}}", "{% if who %}", "{{who", "{{far}}", "{{me}}", "{{ 1 + 1 }}"]
        {
            assert_eq!(fill_text(template, vars), None, "{template}");
        }
        assert_eq!(fill_text("no } template {", vars).as_deref(), Some("no } template {"));
    }
}
