//! Derived schemas as an editor shows them best.

use crate::json::{Json, JsonMap, json};
/// Tidies `schema`.
pub(super) fn tidied(mut schema: Json) -> Json {
    tidy(&mut schema);
    schema
}

/// Tidies a form. Its description is removed, because the keys that refer to it have one, and an editor would show both.
pub(super) fn tidied_form(mut form: Json) -> Json {
    if let Json::Object(keywords) = &mut form {
        keywords.remove("description");
    }
    tidied(form)
}

/// Tidies `schema` and all schemas inside: each paragraph of a description is one line, an optional setting is
/// not offered as `null`, and what only Rust knows (defaults, sizes of integers) is left out.
fn tidy(schema: &mut Json) {
    match schema {
        Json::Object(keywords) => tidy_keywords(keywords),
        Json::Array(schemas) => schemas.iter_mut().for_each(tidy),
        _ => {}
    }
}

fn tidy_keywords(keywords: &mut JsonMap) {
    keywords.retain(|keyword, _| !["$schema", "default", "format", "title"].contains(&keyword));
    for (keyword, value) in keywords.iter_mut() {
        // The keys of `properties` are names that users write, not keywords.
        match value {
            Json::Object(named) if keyword == "properties" => named.values_mut().for_each(tidy),
            Json::String(text) if keyword == "description" => *text = unwrap_lines(text).into(),
            value => tidy(value),
        }
    }
    drop_null(keywords);
    list_choices(keywords);
    add_aliases(keywords);
}

/// The keyword by which a derived schema lists the other names of a key: `extend("x-aliases" = ["blocked"])` beside
/// serde's `alias`, which schemars does not know.
const ALIASES: &str = "x-aliases";

/// Adds each other name of a key to the `properties`. A key that has another name is not required by its own.
fn add_aliases(keywords: &mut JsonMap) {
    let Some(Json::Object(properties)) = keywords.get_mut("properties") else { return };
    let mut described = JsonMap::new();
    let mut aliased = Vec::new();
    for (name, property) in std::mem::take(properties) {
        let Json::Object(mut property) = property else {
            described.insert(name, property);
            continue;
        };
        let names = property.remove(ALIASES);
        described.insert(name.clone(), property.clone().into());
        for alias in names.as_ref().and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str) {
            property.insert("description".to_owned(), format!("Another name of `{name}`.").into());
            described.insert(alias.to_owned(), property.clone().into());
        }
        if names.is_some() {
            aliased.push(name);
        }
    }
    *properties = described;
    if let Some(Json::Array(required)) = keywords.get_mut("required") {
        required.retain(|name| !aliased.iter().any(|aliased| name.as_str() == Some(aliased)));
    }
}

/// Joins the lines of each paragraph.
fn unwrap_lines(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

/// Makes an `Option<T>` the schema of `T`.
fn drop_null(keywords: &mut JsonMap) {
    if let Some(Json::Array(types)) = keywords.get_mut("type")
        && types.len() == 2
        && types[1] == "null"
    {
        let other = types.swap_remove(0);
        keywords.insert("type".to_owned(), other);
    }
    // The other form of an optional type, for types that are schemas of their own.
    if let Some(Json::Array(forms)) = keywords.get_mut("anyOf")
        && forms.len() == 2
        && forms[1] == json!({"type": "null"})
        && let Json::Object(form) = forms.swap_remove(0)
    {
        keywords.remove("anyOf");
        // Draft 7 ignores all keywords beside a reference.
        if form.contains_key("$ref") && !keywords.is_empty() {
            keywords.insert("allOf".to_owned(), json!([form]));
            return;
        }
        for (keyword, value) in form {
            keywords.get_or_insert_with(keyword, || value);
        }
    }
}

/// Makes described constants an `enum`. An editor would show the text of the chosen constant for the key itself.
fn list_choices(keywords: &mut JsonMap) {
    let Some(Json::Array(choices)) = keywords.get("oneOf") else { return };
    let described =
        choices.iter().map(|choice| Some((choice.get("const")?.clone(), choice.get("description")?.clone())));
    let Some(described) = described.collect::<Option<Vec<_>>>() else { return };
    let (names, descriptions): (Vec<Json>, Vec<Json>) = described.into_iter().unzip();
    keywords.remove("oneOf");
    keywords.insert("enum".to_owned(), names.into());
    keywords.insert("enumDescriptions".to_owned(), descriptions.into());
}
