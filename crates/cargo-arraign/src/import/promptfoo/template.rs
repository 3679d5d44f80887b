//! Fills the variables of a test into `{{name}}` in prompts and values.

use arraign::__internals::case::{TemplatePart, split_placeholders};
use arraign::json::{Json, JsonMap, JsonNumber};

/// The reason if a template cannot be filled in.
pub(super) const TOO_MUCH: &str = "only promptfoo can fill in this template: write the complete text";

/// The largest depth of variables that contain variables. A variable may contain itself.
const DEEPEST: usize = 5;

/// Renders a value that is no text.
type RenderValue = fn(&Json) -> String;

/// Fills variables into a prompt. Returns `None` if only promptfoo could do so.
pub(super) fn fill_text(text: &str, vars: &JsonMap) -> Option<String> {
    fill_to_depth(text, vars, Json::to_string, DEEPEST)
}

fn fill_to_depth(text: &str, vars: &JsonMap, render: RenderValue, depth: usize) -> Option<String> {
    if text.contains("{%") || text.contains("{#") {
        return None;
    }
    let parts = split_placeholders(text).map(|part| match part {
        TemplatePart::Text(text) => Some(text.to_owned()),
        // `{{-` and `-}}` also remove the blanks around them.
        TemplatePart::Placeholder { name, .. } if name.starts_with('-') || name.ends_with('-') => None,
        TemplatePart::Placeholder { name, .. } => look_up_variable(name, vars, render, depth),
        TemplatePart::Unclosed(_) => None,
    });
    parts.collect()
}

/// Fills variables into the value of an assertion: a text, or the texts of a list. Other values are no templates.
pub(super) fn fill_value(value: &Json, vars: &JsonMap) -> Option<Json> {
    let fill = |text: &str| fill_to_depth(text, vars, render_as_javascript, DEEPEST).map(Json::from);
    match value {
        Json::String(text) => fill(text),
        Json::Array(list) => {
            list.iter().map(|value| value.as_str().map_or_else(|| Some(value.clone()), fill)).collect()
        }
        other => Some(other.clone()),
    }
}

/// Fills variables into all texts of a value, also inside mappings.
pub(super) fn fill_deeply(value: &Json, vars: &JsonMap) -> Option<Json> {
    match value {
        Json::Array(list) => list.iter().map(|value| fill_deeply(value, vars)).collect(),
        Json::Object(mapping) => {
            let entries = mapping.iter().map(|(key, value)| Some((key.clone(), fill_deeply(value, vars)?)));
            entries.collect::<Option<JsonMap>>().map(Json::Object)
        }
        other => fill_value(other, vars),
    }
}

/// Renders a value as JavaScript converts it to a text.
pub(super) fn render_as_javascript(value: &Json) -> String {
    match value {
        Json::String(text) => text.to_string(),
        Json::Null => String::new(),
        Json::Array(list) => list.iter().map(render_as_javascript).collect::<Vec<_>>().join(","),
        Json::Object(_) => "[object Object]".to_owned(),
        Json::Bool(bool) => bool.to_string(),
        Json::Number(number) => render_number(number),
    }
}

/// JavaScript has no whole numbers: `1.0` is `1`, and a number of more than 16 digits loses its last ones.
pub(super) fn render_number(number: &JsonNumber) -> String {
    match number.as_f64() {
        Some(float) if float.abs() >= 1e21 || (float != 0.0 && float.abs() < 1e-6) => {
            let text = format!("{float:e}");
            if text.contains("e-") { text } else { text.replace('e', "e+") }
        }
        Some(float) => float.to_string(),
        None => number.to_string(),
    }
}

/// Looks up a variable `a`, or a value in it: `a.b`.
fn look_up_variable(name: &str, vars: &JsonMap, render: RenderValue, depth: usize) -> Option<String> {
    let mut names = name.split('.');
    let first = vars.get(names.next()?)?;
    let found = names.try_fold(first, |value, name| value.get(name))?;
    match found {
        Json::String(text) if text.starts_with("file://") => None,
        // The text of a variable may contain variables again, and the depth ends a circle of them.
        Json::String(text) => fill_to_depth(text, vars, render, depth.checked_sub(1)?),
        other => Some(render(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arraign::json::json;

    #[test]
    fn names_are_filled_in_and_nothing_is_guessed() {
        let vars = json!({"who": "Ada", "order": {"id": 7}, "far": "file://a.txt", "me": "{{me}}{{me}}", "q": "{{who}}?"});
        let vars = vars.as_object().expect("variables");
        let filled = fill_text("{{ q }}: {{order.id}} {{order}}", vars);
        assert_eq!(filled.as_deref(), Some("Ada?: 7 {\"id\":7}"));
        let value = fill_value(&json!(["{{order}}", 1.0, "{{order.id}}"]), vars);
        assert_eq!(value, Some(json!(["[object Object]", 1.0, "7"])));
        for template in [
            "{{ who | upper }}",
            "{{- who }}",
            "{{ who -}}",
            "{{nobody}}",
            "{% if who %}",
            "{{who",
            "{{far}}",
            "{{me}}",
            "{{ 1 + 1 }}",
        ] {
            assert_eq!(fill_text(template, vars), None, "{template}");
        }
        assert_eq!(fill_text("no } template {", vars).as_deref(), Some("no } template {"));
    }

    #[test]
    fn numbers_are_those_of_javascript() {
        for (number, text) in [
            ("1.0", "1"),
            ("12345678901234567890", "12345678901234567000"),
            ("1e21", "1e+21"),
            ("2.5e-7", "2.5e-7"),
            ("0", "0"),
            ("-3", "-3"),
        ] {
            let number = number.parse().expect("a number");
            assert_eq!(render_number(&number), text);
        }
    }
}
