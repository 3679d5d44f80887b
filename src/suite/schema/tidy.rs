//! Derived schemas as an editor shows them best.

use serde_json::{Map, Value, json};

/// Tidies `schema`.
pub(super) fn tidied(mut schema: Value) -> Value {
    tidy(&mut schema);
    schema
}

/// Tidies a form. Its description is removed, because the keys that refer to it have one, and an editor would show both.
pub(super) fn tidied_form(mut form: Value) -> Value {
    if let Value::Object(keywords) = &mut form {
        keywords.remove("description");
    }
    tidied(form)
}

/// Tidies `schema` and all schemas inside: each paragraph of a description is one line, an optional setting is
/// not offered as `null`, and what only Rust knows (defaults, sizes of integers) is left out.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(keywords) => tidy_keywords(keywords),
        Value::Array(schemas) => schemas.iter_mut().for_each(tidy),
        _ => {}
    }
}

fn tidy_keywords(keywords: &mut Map<String, Value>) {
    keywords.retain(|keyword, _| !["$schema", "default", "format", "title"].contains(&keyword.as_str()));
    for (keyword, value) in keywords.iter_mut() {
        // The keys of `properties` are names that users write, not keywords.
        match value {
            Value::Object(named) if keyword == "properties" => named.values_mut().for_each(tidy),
            Value::String(text) if keyword == "description" => *text = unwrap_lines(text),
            value => tidy(value),
        }
    }
    drop_null(keywords);
    list_choices(keywords);
}

/// Joins the lines of each paragraph.
fn unwrap_lines(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

/// Makes an `Option<T>` the schema of `T`.
fn drop_null(keywords: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = keywords.get_mut("type")
        && types.len() == 2
        && types[1] == "null"
    {
        let other = types.swap_remove(0);
        keywords.insert("type".to_owned(), other);
    }
    // The other form of an optional type, for types that are schemas of their own.
    if let Some(Value::Array(forms)) = keywords.get_mut("anyOf")
        && forms.len() == 2
        && forms[1] == json!({"type": "null"})
        && let Value::Object(form) = forms.swap_remove(0)
    {
        keywords.remove("anyOf");
        for (keyword, value) in form {
            keywords.entry(keyword).or_insert(value);
        }
    }
}

/// Makes described constants an `enum`. An editor would show the text of the chosen constant for the key itself.
fn list_choices(keywords: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = keywords.get("oneOf") else { return };
    let described =
        choices.iter().map(|choice| Some((choice.get("const")?.clone(), choice.get("description")?.clone())));
    let Some(described) = described.collect::<Option<Vec<_>>>() else { return };
    let (names, descriptions): (Vec<Value>, Vec<Value>) = described.into_iter().unzip();
    keywords.remove("oneOf");
    keywords.insert("enum".to_owned(), names.into());
    keywords.insert("enumDescriptions".to_owned(), descriptions.into());
}
