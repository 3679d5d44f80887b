//! The first policy shape as JSON Schema: there is one engine, and each word remembers where it was written.

use crate::check::json_schema::{
    Home, Origin, Raw, Schema, check_types, find_crossed_bounds, is_json_word, join, json_word, own_word,
    own_words,
};
use crate::json::{Json, JsonMap, json};
use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{Fields, Key, Node, Value as Yaml, nearest};

/// Words that are the same in JSON Schema.
const SAME: &[&str] = &["pattern", "format", "enum", "const", "$ref"];
/// Words without an effect.
const ANNOTATIONS: &[&str] =
    &["description", "title", "default", "example", "examples", "deprecated", "$comment"];
/// Words that contain other constraints.
const NESTED: &[&str] = &["type", "required", "properties", "items", "not"];

/// The schema of the tool `node`: `{arguments, additional_arguments, description}`.
pub(super) fn tool(node: Node<'_>, origin: Origin, home: &Home<'_>, definitions: Option<&str>) -> Lowered {
    let (mut lowering, base) = Lowering::at(origin);
    let mut schema = json!({"type": "object"});
    let described = Some(node).filter(|node| !matches!(node.value(), Yaml::Null));
    let fields = described.and_then(|node| lowering.errors.take(Fields::of(node, "a tool")));
    if let Some(mut fields) = fields {
        pass_over(&mut fields, ANNOTATIONS);
        if let Some(arguments) = fields.node("arguments") {
            schema = lowering.arguments(arguments, &join(&base, "arguments"));
        }
        if let Some(allowed) = fields.optional::<bool>("additional_arguments") {
            // The word has another name in JSON Schema, so a violation of it must find its way back to the user's
            // word.
            schema["additionalProperties"] = allowed.into();
            lowering.origin.moved("/additionalProperties".to_owned(), join(&base, "additional_arguments"));
        }
        lowering.errors.take(fields.finish(()));
    }
    if let Some(definitions) = definitions {
        schema["$defs"] = lowering.definitions(home, definitions);
    }
    lowering.finish(schema)
}

/// The schema of one tool whose arguments are `node`.
pub(super) fn arguments(node: Node<'_>, origin: Origin) -> Lowered {
    let (mut lowering, base) = Lowering::at(origin);
    let schema = lowering.arguments(node, &base);
    lowering.finish(schema)
}

/// A schema without its wrong words, and the errors about them.
pub(super) struct Lowered {
    raw: Raw,
    errors: LoadErrors,
}

impl Lowered {
    /// Compiles the schema. The errors about wrong words are returned as well.
    pub(super) fn compile(mut self, home: &Home<'_>) -> Result<Schema, LoadErrors> {
        let schema = self.errors.take(Schema::compile(self.raw, home, &[]));
        self.errors.or_some(schema)
    }
}

struct Lowering {
    origin: Origin,
    errors: LoadErrors,
    /// The number of words around the constraints that make them one of several alternatives.
    alternatives: usize,
}

impl Lowering {
    /// Creates the lowering of a tool. The type `object` is implied, so its place is that of the tool.
    fn at(mut origin: Origin) -> (Self, String) {
        let base = origin.locate("");
        origin.moved("/type".to_owned(), base.clone());
        (Self { origin, errors: LoadErrors::new(), alternatives: 0 }, base)
    }

    fn finish(self, json: Json) -> Lowered {
        Lowered { raw: Raw { json, origin: self.origin }, errors: self.errors }
    }

    fn arguments(&mut self, node: Node<'_>, written: &str) -> Json {
        let mut schema = JsonMap::new();
        schema.insert("type".to_owned(), "object".into());
        if !matches!(node.value(), Yaml::Null) {
            self.properties(node, written, "", &mut schema);
        }
        Json::Object(schema)
    }

    fn definitions(&mut self, home: &Home<'_>, pointer: &str) -> Json {
        let Some(node) = home.node(pointer) else { return json!({}) };
        self.origin.moved("/$defs".to_owned(), pointer.to_owned());
        self.each(node, pointer, "/$defs")
    }

    /// Lowers each entry of a mapping to constraints.
    fn each(&mut self, node: Node<'_>, written: &str, to: &str) -> Json {
        let Some(entries) = self.entries(node) else { return json!({}) };
        let lowered = entries.into_iter().map(|(key, entry)| {
            let value = self.constraints(entry, &join(written, &key.name), &join(to, &key.name));
            (key.name.to_string(), value)
        });
        Json::Object(lowered.collect())
    }

    /// Named constraints, and which of them are required, into the schema around them.
    fn properties(&mut self, node: Node<'_>, written: &str, to: &str, schema: &mut JsonMap) {
        let below = join(to, "properties");
        // The whole mapping moves first, and each name in it again: the nearest move decides where an error is shown.
        self.origin.moved(below.clone(), written.to_owned());
        schema.insert("properties".to_owned(), self.each(node, written, &below));
        // `required` may be a list of the schema already. Flags of arguments are added to it.
        let mut names = match schema.remove("required") {
            Some(Json::Array(names)) => names,
            _ => Vec::new(),
        };
        for (key, entry) in node.entries().into_iter().flatten() {
            if find_required_flag(entry).is_some() && !names.contains(&key.name.as_str().into()) {
                let index = names.len().to_string();
                self.origin
                    .moved(join(&join(to, "required"), &index), join(&join(written, &key.name), "required"));
                names.push(key.name.to_string().into());
            }
        }
        if !names.is_empty() {
            schema.insert("required".to_owned(), names.into());
        }
    }

    /// The constraints of a value that is no argument or property.
    fn unnamed(&mut self, node: Node<'_>, written: &str, to: &str) -> Json {
        if let Some(flag) = find_required_flag(node) {
            let error = flag.error("only an argument or a property can be required");
            self.errors.push(error.help("say it where the argument or property has its name"));
        }
        self.constraints(node, written, to)
    }

    /// The constraints of one value.
    fn constraints(&mut self, node: Node<'_>, written: &str, to: &str) -> Json {
        let mut schema = JsonMap::new();
        if matches!(node.value(), Yaml::Null) {
            return json!({});
        }
        // In an alternative, constraints that nothing fits are a way to forbid that alternative, and no mistake.
        if self.alternatives == 0 {
            for (error, _) in find_crossed_bounds(node) {
                self.errors.push(error);
            }
        }
        for (key, value) in self.entries(node).unwrap_or_default() {
            let written = join(written, &key.name);
            if let Some(word) = self.word(key, value.source()) {
                self.constraint(word, value, &written, to, &mut schema);
            }
        }
        // After the words of the value itself, because the flags of properties are added to its `required`.
        if let Some(properties) = node.get("properties") {
            self.properties(properties, &join(written, "properties"), to, &mut schema);
        }
        Json::Object(schema)
    }

    fn constraint(&mut self, word: &str, value: Node<'_>, written: &str, to: &str, schema: &mut JsonMap) {
        let at = join(to, word);
        let Some(lowered) = self.lowered(word, value, written, &at) else { return };
        self.origin.moved(at, written.to_owned());
        schema.insert(word.to_owned(), lowered);
    }

    /// Returns the value of `word` in JSON Schema, or `None` for a mistake and for a word that JSON Schema expresses
    /// elsewhere.
    fn lowered(&mut self, word: &str, value: Node<'_>, written: &str, at: &str) -> Option<Json> {
        match (word, value.value()) {
            ("properties", _) | ("required", Yaml::Bool(_)) => None,
            ("required", Yaml::List(_)) => Some(value.to_json()),
            ("required", _) => {
                let problem = format!("`required` is true or false, not {}", value.describe());
                self.errors.take(Err(value.error(problem)))
            }
            ("type", _) => self.errors.take(check_types(value)).map(|()| value.to_json()),
            ("not", _) => {
                self.alternatives += 1;
                let lowered = self.unnamed(value, written, at);
                self.alternatives -= 1;
                Some(lowered)
            }
            ("items", _) | ("additionalProperties", Yaml::Map(_)) => Some(self.unnamed(value, written, at)),
            ("anyOf" | "oneOf" | "allOf", _) => Some(self.alternatives(value, written, at)),
            _ => Some(value.to_json()),
        }
    }

    fn alternatives(&mut self, node: Node<'_>, written: &str, to: &str) -> Json {
        self.alternatives += 1;
        let entries = node.list().into_iter().flatten().enumerate();
        let lowered = entries
            .map(|(index, entry)| {
                let index = index.to_string();
                self.unnamed(entry, &join(written, &index), &join(to, &index))
            })
            .collect();
        self.alternatives -= 1;
        lowered
    }

    /// JSON Schema's word for `key`, which may be written in either spelling (`max_length`, `maxLength`); `None` for
    /// one that says nothing to a machine, or is unknown.
    fn word<'k>(&mut self, key: &'k Key, source: &std::sync::Arc<crate::place::Source>) -> Option<&'k str> {
        let name = key.name.as_str();
        if let Some(word) = json_word(name) {
            return Some(word);
        }
        let known = SAME.contains(&name) || NESTED.contains(&name) || own_word(name).is_some();
        if known {
            return Some(name);
        }
        if !ANNOTATIONS.contains(&name) {
            self.errors.push(describe_unknown(name, Place::new(source, key.span)));
        }
        None
    }

    fn entries<'n>(&mut self, node: Node<'n>) -> Option<Vec<(&'n Key, Node<'n>)>> {
        if let Some(entries) = node.entries() {
            return Some(entries.collect());
        }
        let problem = format!("constraints are a mapping like `{{max: 30}}`, not {}", node.describe());
        self.errors.push(node.error(problem));
        None
    }
}

/// Finds `required: true` among the constraints of a value.
fn find_required_flag(node: Node<'_>) -> Option<Node<'_>> {
    node.get("required").filter(|flag| matches!(flag.value(), Yaml::Bool(true)))
}

fn describe_unknown(name: &str, place: Place) -> LoadError {
    let error = LoadError::new(place, format!("unknown constraint `{name}`"));
    let known: Vec<&str> = own_words().chain(SAME.iter().chain(NESTED).copied()).collect();
    if let Some(near) = nearest(name, known.iter().copied()) {
        return error.help(format!("did you mean `{near}`?"));
    }
    if is_json_word(name) {
        let help = "what JSON Schema can say beyond `tools.NAME.arguments` goes into a policy of `schemas`";
        return error.help(help);
    }
    error.help(format!("known here: `{}`", known.join("`, `")))
}

/// Marks keys as known. They are not read.
pub(super) fn pass_over(fields: &mut Fields<'_>, keys: &[&'static str]) {
    for key in keys {
        fields.node(key);
    }
}
