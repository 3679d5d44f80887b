//! Where schemas are read from: a policy file, or the settings of a check.

use std::sync::Arc;

use super::constrains::constrains;
use super::lint::Mistakes;
use super::origin::place;
use super::{Origin, Raw, Schema, Table, join};
use crate::json::{Json, JsonMap};
use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{Document, Node};

/// The state that all schemas of one file or one settings block share.
#[derive(Debug)]
pub(crate) struct Home<'n> {
    /// The value that pointers start at.
    root: Node<'n>,
    /// The policy file; `None`: the settings.
    policy: Option<Arc<Document>>,
    /// Whether `format` is asserted.
    pub(crate) formats: bool,
}

impl<'n> Home<'n> {
    /// The settings of a check.
    pub(crate) fn settings(root: Node<'n>, formats: bool) -> Self {
        Self { root, policy: None, formats }
    }

    /// A policy file.
    pub(crate) fn policy(document: &'n Arc<Document>, formats: bool) -> Self {
        Self { root: document.root(), policy: Some(Arc::clone(document)), formats }
    }

    /// The value at `pointer`.
    pub(crate) fn node(&self, pointer: &str) -> Option<Node<'n>> {
        self.root.pointer(pointer)
    }

    /// The place of the key or entry at `pointer`.
    pub(crate) fn place(&self, pointer: &str) -> Place {
        place(self.root, pointer)
    }

    /// The origin of what stands at `pointer`.
    pub(crate) fn origin(&self, pointer: &str) -> Origin {
        Origin::new(self.policy.clone(), pointer)
    }

    /// Compiles the JSON Schema `node` at `pointer`; the maps of definitions at `shared` are known to it. What is
    /// wrong at `said` has been said.
    pub(crate) fn schema(
        &self,
        node: Node<'n>,
        pointer: &str,
        shared: &[String],
        said: &[String],
    ) -> Result<Schema, LoadErrors> {
        let mut mistakes = Mistakes::default();
        mistakes.find(node, pointer);
        let Mistakes { mut errors, at, .. } = mistakes;
        let mut raw = Raw { json: node.to_json(), origin: self.origin(pointer) };
        // A schema without references needs none of the definitions, and the compiler would compile them all.
        if any_object(&raw.json, &|object| object.contains_key("$ref")) {
            for definitions in shared {
                self.share(&mut raw, definitions);
            }
        }
        // A misspelt word is why it constrains nothing.
        if errors.is_empty() && !constrains(&raw.json, self.formats) {
            errors.push(describe_vacuous(node));
        }
        let schema = errors.take(Schema::compile(raw, self, &[said, &at].concat()));
        errors.or_some(schema)
    }

    /// Tools and their JSON Schemas, the mapping `node` at `pointer`; `$defs` is not a tool.
    pub(crate) fn schemas(
        &self,
        node: Node<'n>,
        pointer: &str,
        shared: &[String],
    ) -> Result<Table, LoadErrors> {
        let mut mistakes = Mistakes::default();
        for definitions in shared {
            self.check_definitions(definitions, &mut mistakes);
        }
        // A mistake in shared definitions is said once, and not again by each schema that refers to them.
        let Mistakes { mut errors, at: said, .. } = mistakes;
        let table = Table::read(node, pointer, "$defs", |node, at| self.schema(node, at, shared, &said));
        let table = errors.take(table).unwrap_or_default();
        errors.or(table)
    }

    /// Finds mistakes in the map of definitions at `pointer`.
    fn check_definitions(&self, pointer: &str, mistakes: &mut Mistakes) {
        let Some(defs) = self.node(pointer) else { return };
        let Some(entries) = defs.entries() else {
            let problem = format!("`$defs` is a mapping of names to schemas, not {}", defs.describe());
            mistakes.errors.push(defs.error(problem));
            return;
        };
        for (key, node) in entries {
            mistakes.find(node, &join(pointer, &key.name));
        }
    }

    /// Adds the definitions at `pointer` that the schema does not make itself.
    fn share(&self, raw: &mut Raw, pointer: &str) {
        let Some(entries) = self.node(pointer).and_then(Node::entries) else { return };
        let Json::Object(schema) = &mut raw.json else { return };
        let own = schema.get_or_insert_with("$defs", || Json::Object(JsonMap::new()));
        let Json::Object(own) = own else { return };
        for (key, node) in entries {
            // The schema's own definition hides one of the same name around it.
            if !own.contains_key(key.name.as_str()) {
                own.insert(key.name.to_string(), node.to_json());
                raw.origin.moved(join("/$defs", &key.name), join(pointer, &key.name));
            }
        }
    }
}

fn describe_vacuous(schema: Node<'_>) -> LoadError {
    let error = schema.error("this schema constrains nothing: every value passes it");
    error.help(match schema.get("arguments") {
        Some(_) => "`arguments` belong into `tools: {NAME: {arguments: {...}}}`",
        None => "give it a `type`, `properties` or another constraint",
    })
}

/// Whether an object anywhere in `value` passes the test.
pub(super) fn any_object(value: &Json, test: &impl Fn(&JsonMap) -> bool) -> bool {
    match value {
        Json::Object(map) => test(map) || map.values().any(|value| any_object(value, test)),
        Json::Array(items) => items.iter().any(|item| any_object(item, test)),
        _ => false,
    }
}
