//! Compiles schemas, and explains why one does not compile.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, Retrieve, ValidationError, ValidationOptions, Validator};
use serde_json::Value;
use std::sync::Arc;

use super::super::home::any_object;
use super::exact::{ExactKeyword, NUMBER_WORDS};
use super::expansion::find_expansion;
use super::instance::Instance;
use super::keyword::resource;
use super::{BACKTRACK_LIMIT, Flaw, join};
use crate::json::Json;
use crate::yaml::unescape_token;

/// A compiled pattern above this many bytes is refused: it is a mistake or an attack.
const PATTERN_SIZE_LIMIT: usize = 1 << 20;

/// The greatest number of errors that are reported for one schema.
const MOST_FLAWS: usize = 50;

/// Compiles `schema`, or returns all its errors.
pub(super) fn validator(schema: &Json, formats: bool) -> Result<Validator<Instance>, Vec<Flaw>> {
    if let Some(flaw) = find_expansion(schema) {
        return Err(vec![flaw]);
    }
    let named = name_draft(schema);
    let schema = named.as_ref().unwrap_or(schema);
    build_validator(schema, formats).map_err(|error| list_flaws(&error, schema, formats))
}

/// Returns the schema with the name of draft 7, if it names none and is written in the words of that draft: `definitions`, or
/// a list of schemas under `items`, which means nothing in later drafts.
fn name_draft(schema: &Json) -> Option<Json> {
    let Json::Object(entries) = schema else { return None };
    // `$defs` beside `definitions` is written by somebody who knows the later drafts.
    let is_older = entries.contains_key("definitions") && !entries.contains_key("$defs");
    if entries.contains_key("$schema") || !(is_older || has_tuple_items(schema)) {
        return None;
    }
    let mut named = entries.clone();
    named.insert("$schema".to_owned(), "http://json-schema.org/draft-07/schema#".into());
    Some(Json::Object(named))
}

/// Whether a schema in `value` has a list under `items`. Values that the schema only compares with are no schemas.
fn has_tuple_items(value: &Json) -> bool {
    const DATA: &[&str] = &["const", "default", "enum", "examples"];
    match value {
        Json::Array(list) => list.iter().any(has_tuple_items),
        Json::Object(entries) => entries
            .iter()
            .filter(|(key, _)| !DATA.contains(&key.as_str()))
            .any(|(key, value)| (key == "items" && value.is_array()) || has_tuple_items(value)),
        _ => false,
    }
}

/// Compiles a schema that compiled before, with keywords that compare numbers by their digits.
pub(super) fn exact_validator(schema: &Arc<Json>, formats: bool) -> Result<Validator<Instance>, String> {
    let mut options = set_options(formats);
    for (name, word) in NUMBER_WORDS {
        let schema = Arc::clone(schema);
        options = options.with_keyword(name, move |parent, value, place| {
            Ok(Box::new(ExactKeyword::new(word, name, parent, value, &schema, place.as_str())))
        });
    }
    let named = name_draft(schema);
    options.build(&Value::from(named.as_ref().unwrap_or(schema))).map_err(|error| error.to_string())
}

fn build_validator(schema: &Json, formats: bool) -> Result<Validator<Instance>, ValidationError<'static>> {
    set_options(formats).build(&Value::from(schema))
}

fn set_options(formats: bool) -> ValidationOptions<'static, Arc<dyn Retrieve>, Instance> {
    let patterns =
        PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT).size_limit(PATTERN_SIZE_LIMIT);
    jsonschema::options_for::<Instance>()
        .offline()
        .should_validate_formats(formats)
        .should_ignore_unknown_formats(false)
        .with_pattern_options(patterns)
}

/// Collects the flaws of a schema. The metaschema reports several at once, but the compiler only the first: each flaw is cut
/// out of a copy of the schema, which is compiled again to find the next one.
fn list_flaws(error: &ValidationError<'_>, schema: &Json, formats: bool) -> Vec<Flaw> {
    let value = Value::from(schema);
    let meta = jsonschema::meta::validator_for(&value);
    let mut all: Vec<Flaw> = meta
        .iter()
        .flat_map(|meta| meta.iter_errors(&value))
        .map(|error| describe_flaw(&error, schema))
        .collect();
    // What the metaschema has reported is cut out first, so that the compiler does not find it again.
    let mut rest = schema.clone();
    for flaw in &all {
        cut_out(&mut rest, &flaw.pointer);
    }
    while all.len() < MOST_FLAWS
        && let Err(error) = build_validator(&rest, formats)
    {
        let found = one_flaw(&error, &rest);
        let is_cut = cut_out(&mut rest, &found.pointer);
        if is_cut {
            all.push(found);
        } else {
            // A flaw that cannot be cut out would be found forever.
            break;
        }
    }
    if all.is_empty() { vec![one_flaw(error, schema)] } else { all }
}

fn one_flaw(error: &ValidationError<'_>, schema: &Json) -> Flaw {
    match error.kind() {
        ValidationErrorKind::Referencing(reason) => describe_reference(schema, reason),
        _ => describe_flaw(error, schema),
    }
}

/// Removes the keyword at `pointer`, or the one around it. Returns `false` if `pointer` names no keyword.
fn cut_out(schema: &mut Json, pointer: &str) -> bool {
    let Some((around, last)) = pointer.rsplit_once('/') else { return false };
    match schema.pointer_mut(around) {
        Some(Json::Object(map)) => {
            let key = unescape_token(last);
            map.remove(&key).is_some()
        }
        // An item of a list cannot go alone: the items behind it would move, and pointers to them would be wrong.
        Some(Json::Array(_)) => cut_out(schema, around),
        _ => false,
    }
}

fn describe_flaw(error: &ValidationError<'_>, schema: &Json) -> Flaw {
    // A flaw of the schema is found by the schema of schemas, whose instance it is.
    let path = if error.instance_path().is_empty() { error.schema_path() } else { error.instance_path() };
    let pointer = path.as_str().to_owned();
    let word = schema.pointer(&pointer).and_then(Json::as_str).unwrap_or_default();
    let (problem, help) = match error.kind() {
        ValidationErrorKind::Format { format } if format == "regex" => {
            return Flaw::of_pattern(&pointer, &word.into());
        }
        ValidationErrorKind::Custom { .. } if pointer.ends_with("/format") => {
            (format!("`{word}` is no format that can be checked"), "leave it out, or `formats: true`")
        }
        _ => return Flaw { pointer, problem: format!("not a valid schema: {error}"), help: None },
    };
    Flaw { pointer, problem, help: Some(help.to_owned()) }
}

/// Describes a broken reference. The library does not name it: it is the first `$ref` that resolves to nothing.
fn describe_reference(schema: &Json, reason: &impl std::fmt::Display) -> Flaw {
    let (pointer, target) = first_broken(schema, schema, "").unwrap_or_default();
    if target.is_empty() {
        return Flaw { pointer, problem: format!("not a valid schema: {reason}"), help: None };
    }
    if target.starts_with('#') {
        let help = "definitions stand in `$defs`, and are named `#/$defs/NAME`";
        let problem = format!("there is nothing at `{target}`");
        return Flaw { pointer, problem, help: Some(help.to_owned()) };
    }
    let help = "nothing is fetched: copy what it names into `$defs`";
    Flaw { pointer, problem: format!("`{target}` is not in this file"), help: Some(help.to_owned()) }
}

fn first_broken(root: &Json, value: &Json, pointer: &str) -> Option<(String, String)> {
    match value {
        // Values that are data, such as those of `const`, may contain a `$ref` that is not a reference.
        Json::Object(map) => map.iter().filter(|(key, _)| !holds_values(key)).find_map(|(key, value)| {
            let below = join(pointer, key);
            match value {
                Json::String(target) if is_broken(key, target, root) => Some((below, target.to_string())),
                value => first_broken(root, value, &below),
            }
        }),
        Json::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, value)| first_broken(root, value, &format!("{pointer}/{index}"))),
        _ => None,
    }
}

fn is_broken(key: &str, target: &str, root: &Json) -> bool {
    match (key, target.strip_prefix('#')) {
        ("$ref", Some(local)) if local.is_empty() || local.starts_with('/') => root.pointer(local).is_none(),
        ("$ref", Some(anchor)) => {
            !any_object(root, &|object| object.iter().any(|(key, value)| is_anchor(key, value, anchor)))
        }
        ("$ref", None) => resource(root, target, "").is_none(),
        ("$schema", _) => !target.contains("//json-schema.org/"),
        _ => false,
    }
}

fn is_anchor(key: &str, value: &Json, anchor: &str) -> bool {
    match key {
        "$anchor" | "$dynamicAnchor" => value == anchor,
        "$id" | "id" => value.as_str().and_then(|id| id.strip_prefix('#')) == Some(anchor),
        _ => false,
    }
}

/// Keywords under which a `$ref` would be data.
fn holds_values(keyword: &str) -> bool {
    matches!(keyword, "enum" | "const" | "default" | "examples")
}
