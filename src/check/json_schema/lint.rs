//! Mistakes in a JSON Schema that JSON Schema itself lets pass: `max` is no keyword, so it would constrain
//! nothing.

use std::sync::LazyLock;

use super::join;
use super::words::{json_word, meant_by};
use crate::pattern::{WordList, list_words};
use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{Node, Value, did_you_mean};

const TYPES: &[&str] = &["string", "number", "integer", "boolean", "object", "array", "null"];

/// The problems of a schema, and the pointers in the file at which they were reported.
#[derive(Default)]
pub(crate) struct Mistakes {
    pub(crate) errors: LoadErrors,
    pub(crate) at: Vec<String>,
    /// The number of keywords around the schema that make it one of several alternatives.
    alternatives: usize,
}

impl Mistakes {
    /// Finds what is no JSON Schema, or means nothing in one, in the schema at `pointer`.
    pub(crate) fn find(&mut self, schema: Node<'_>, pointer: &str) {
        let Some(entries) = schema.entries() else {
            if !matches!(schema.value(), Value::Bool(_)) {
                let problem = format!("a JSON Schema is a mapping, not {}", schema.describe());
                self.note(schema.error(problem), pointer.to_owned());
            }
            return;
        };
        // In an alternative, a schema that nothing fits is a way to forbid that alternative, and no mistake.
        if self.alternatives == 0 {
            for (error, key) in find_crossed_bounds(schema) {
                self.note(error, join(pointer, key));
            }
        }
        for (key, value) in entries {
            let at = join(pointer, &key.name);
            if let Err(error) = check_keyword(&key.name, value, Place::new(schema.source(), key.span)) {
                self.note(error, at.clone());
            }
            let is_alternative = usize::from(ALTERNATIVES.contains(&key.name.as_str()));
            self.alternatives += is_alternative;
            for (below, schema) in list_subschemas(&key.name, value) {
                self.find(schema, &format!("{at}{below}"));
            }
            self.alternatives -= is_alternative;
        }
    }

    fn note(&mut self, error: LoadError, at: String) {
        self.errors.push(error);
        self.at.push(at);
    }
}

/// Keywords under which a schema that nothing fits is no mistake.
const ALTERNATIVES: &[&str] = &["anyOf", "contains", "else", "if", "not", "oneOf", "then"];

/// Pairs of a lower and an upper bound.
const BOUNDS: &[(&str, &str)] = &[
    ("minimum", "maximum"),
    ("minItems", "maxItems"),
    ("minLength", "maxLength"),
    ("minProperties", "maxProperties"),
    ("minContains", "maxContains"),
];

/// The same, where at least one of the two is outside of the range.
const OPEN_BOUNDS: &[(&str, &str)] = &[
    ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
];

/// Finds lower bounds above the upper bounds beside them: no value is between the two.
pub(crate) fn find_crossed_bounds(schema: Node<'_>) -> Vec<(LoadError, &'static str)> {
    // A policy may write the same words in another spelling: `min_length`.
    let find = |word: &str| {
        let mut entries = schema.entries().into_iter().flatten();
        entries.find(|(key, _)| key.name == word || json_word(&key.name) == Some(word))
    };
    let closed = BOUNDS.iter().map(|pair| (pair, false));
    let crossed =
        closed.chain(OPEN_BOUNDS.iter().map(|pair| (pair, true))).filter_map(|((low, high), is_open)| {
            let (low_key, least) = find(low)?;
            let (high_key, most) = find(high)?;
            let least_value = least.decode::<f64>().ok()?;
            let most_value = most.decode::<f64>().ok()?;
            let is_crossed = if is_open { least_value >= most_value } else { least_value > most_value };
            let low_word = &low_key.name;
            let high = &high_key.name;
            let problem = format!("`{low_word}` is above `{high}`: no value fits");
            let help = format!(
                "`{high}` is {most_value} at {}: swap the two, or correct one",
                most.place().locate()
            );
            is_crossed.then(|| (least.error(problem).help(help), *low))
        });
    crossed.collect()
}

fn check_keyword(keyword: &str, value: Node<'_>, place: Place) -> Result<(), LoadError> {
    let help = match json_word(keyword) {
        Some(json) => Some(help_for(keyword, json)),
        None => meant_by(keyword).map(|meant| format!("did you mean `{meant}`?")),
    };
    if let Some(help) = help {
        let error = LoadError::new(place, format!("`{keyword}` is not a keyword of JSON Schema"));
        return Err(error.help(help));
    }
    // These two keywords are often written with a value that only other schema languages allow.
    match (keyword, value.value()) {
        ("type", _) => check_types(value),
        ("required", Value::Bool(_)) => Err(LoadError::new(place, "`required` is a list of names here")
            .help("JSON Schema says `required: [NAME]` beside `properties`")),
        _ => Ok(()),
    }
}

fn help_for(keyword: &str, json: &str) -> String {
    match keyword {
        "min" | "max" => "JSON Schema says minimum/maximum".to_owned(),
        _ => format!("JSON Schema says {json}"),
    }
}

/// Refuses a `type` that does not exist.
pub(crate) fn check_types(types: Node<'_>) -> Result<(), LoadError> {
    let types_given = types.one_or_many();
    if types_given.is_empty() {
        return Err(types.error("an empty list of types fits no value").help("name a type, or leave it out"));
    }
    let mut types = types_given.into_iter();
    let unknown = types.find(|node| node.as_str().is_none_or(|name| !TYPES.contains(&name)));
    let Some(node) = unknown else { return Ok(()) };
    let Some(name) = node.as_str() else {
        let error = node.error(format!("a type is a word, not {}", node.describe()));
        // An unquoted `null` is YAML's null and not the word.
        let is_null = matches!(node.value(), Value::Null);
        return Err(if is_null { error.help("quote it if it is the type `null`: \"null\"") } else { error });
    };
    let error = node.error(format!("there is no type `{name}`"));
    Err(did_you_mean(name, TYPES).into_iter().fold(error, LoadError::help))
}

/// Keywords with one schema.
static ONE_SCHEMA: WordList = LazyLock::new(|| {
    list_words(
        "items additionalProperties additionalItems unevaluatedProperties unevaluatedItems contains contentSchema \
         propertyNames not if then else",
    )
});

/// The schemas under a keyword, and their pointers below it.
fn list_subschemas<'n>(keyword: &str, value: Node<'n>) -> Vec<(String, Node<'n>)> {
    match keyword {
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            list_named(value)
        }
        // The list form names properties.
        "dependencies" => list_named(value).into_iter().filter(|(_, node)| node.list().is_none()).collect(),
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => list_indexed(value),
        "items" if value.list().is_some() => list_indexed(value),
        keyword if ONE_SCHEMA.contains(&keyword) => vec![(String::new(), value)],
        _ => Vec::new(),
    }
}

fn list_named(value: Node<'_>) -> Vec<(String, Node<'_>)> {
    value.entries().into_iter().flatten().map(|(key, node)| (join("", &key.name), node)).collect()
}

fn list_indexed(value: Node<'_>) -> Vec<(String, Node<'_>)> {
    let schemas = value.list().into_iter().flatten().enumerate();
    schemas.map(|(index, node)| (format!("/{index}"), node)).collect()
}
