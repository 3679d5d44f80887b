//! A path to values, with alternatives: the paths of a declaration.

use std::fmt;
use std::sync::OnceLock;

use super::pointer::find_pointers;
use crate::JsonSchema;
use crate::json::JsonNode;
use crate::jsonpath::JsonPath;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A path, or several of which the first that selects something is used.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub(super) struct PathSelector {
    paths: Vec<NodePath>,
    /// Whether a text that is selected is read as JSON first.
    pub(super) json: bool,
    /// Whether an object with numbered keys is read as a list first.
    pub(super) numbered: bool,
    /// Whether an object is read as the list of its entries first.
    pub(super) entries: bool,
    /// Whether the values of all paths are used, not only of the first that selects something.
    all: bool,
}

impl PathSelector {
    /// Returns the values that the first alternative with any value selects in `node`, or those that all select. A null is no
    /// value.
    pub(super) fn select<'v>(&self, node: &'v JsonNode<'v>) -> Vec<&'v JsonNode<'v>> {
        let mut alternatives = self.paths.iter().map(|path| path.select(node));
        if self.all {
            return alternatives.flatten().collect();
        }
        alternatives.find(|selected| !selected.is_empty()).unwrap_or_default()
    }

    /// Whether `all` is set, and only some of the paths select something in `node`: then a sum of the values is no whole.
    pub(super) fn selects_a_part(&self, node: &JsonNode) -> bool {
        if !self.all {
            return false;
        }
        let selecting = self.paths.iter().filter(|path| !path.select(node).is_empty()).count();
        selecting > 0 && selecting < self.paths.len()
    }

    /// Returns the JSON pointers of the values that [`PathSelector::select`] returns.
    pub(super) fn locate(&self, node: &JsonNode) -> Vec<String> {
        find_pointers(node, &self.select(node))
    }

    /// Whether a path selects a null in `node`.
    pub(super) fn selects_null(&self, node: &JsonNode) -> bool {
        self.paths.iter().any(|path| path.select_even_null(node).iter().any(|value| value.is_null()))
    }

    /// Whether each path tests the node itself: such a path answers yes or no.
    pub(super) fn is_test(&self) -> bool {
        self.paths.iter().all(|path| path.test.is_some())
    }

    /// The paths as the user wrote them.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(|path| path.whole.as_str())
    }

    /// Whether the values are read as something else than what the file holds.
    pub(super) fn is_prepared(&self) -> bool {
        self.json || self.numbered || self.entries
    }

    /// The lists out of which the paths select by a wildcard, a filter or an index.
    pub(super) fn lists(&self) -> impl Iterator<Item = &NodePath> {
        self.paths.iter().flat_map(NodePath::lists)
    }
}

/// A path that begins at a node. A filter directly after `$` tests the node itself, unless it is a list:
/// `$[?@.role == 'user'].content` selects the content of a node with this role.
#[derive(Debug, Clone)]
pub(super) struct NodePath {
    whole: JsonPath,
    /// The filter directly after `$`, and the path behind it.
    test: Option<(JsonPath, JsonPath)>,
    /// What [`NodePath::lists`] returns, as soon as it is asked for.
    lists: OnceLock<Vec<NodePath>>,
}

impl NodePath {
    fn parse(text: &str) -> Result<Self, String> {
        let whole = JsonPath::new(text)?;
        // A filter after `$` applies to the elements of the node by the standard, never to the node itself. Users mean
        // the node, so `@` is replaced by `$` in a second form of the filter, which asks the node.
        let split = whole.split_test();
        Ok(Self { whole, test: split, lists: OnceLock::new() })
    }

    pub(super) fn select<'v>(&self, node: &'v JsonNode<'v>) -> Vec<&'v JsonNode<'v>> {
        let mut selected = self.select_even_null(node);
        selected.retain(|value| !value.is_null());
        selected
    }

    fn select_even_null<'v>(&self, node: &'v JsonNode<'v>) -> Vec<&'v JsonNode<'v>> {
        self.path_for(node).map(|path| path.select(node)).unwrap_or_default()
    }

    /// The path that is left to follow in `node`; `None` if the node fails the test.
    fn path_for(&self, node: &JsonNode) -> Option<&JsonPath> {
        match &self.test {
            Some((test, rest)) if !node.is_array() => test.selects_any(node).then_some(rest),
            _ => Some(&self.whole),
        }
    }

    /// The lists out of which the path selects. They are parsed once, and not for each document.
    fn lists(&self) -> &[Self] {
        self.lists.get_or_init(|| {
            let text = self.whole.as_str();
            let lists = self.whole.above().filter(|list| selects_elements(&text[list.as_str().len()..]));
            lists.filter_map(|list| Self::parse(list.as_str()).ok()).collect()
        })
    }
}

/// Whether the rest of a path begins with a selector of elements: `[*]`, `[?`, `[0]`, but not `['name']`.
fn selects_elements(rest: &str) -> bool {
    let inner = rest.trim_start().strip_prefix('[').map(str::trim_start);
    inner.is_some_and(|inner| !inner.starts_with(['\'', '"'])) || rest.trim_start().starts_with(".*")
}

/// The mapping form of a selector.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
struct SelectorFields {
    /// The path, or a list of paths of which the first that selects something is used.
    #[serde(alias = "each")]
    path: SelectorPaths,
    /// `true`: a text that is selected is read as JSON.
    #[serde(default)]
    json: bool,
    /// `true`: an object with numbered keys (`tool_0`, `tool_1`) is read as a list.
    #[serde(default)]
    numbered: bool,
    /// `true`: an object is read as the list of its entries, each with a `key` and a `value`.
    #[serde(default)]
    entries: bool,
    /// `true`: what all paths select is used, not only what the first selects that selects something. Figures are added up.
    #[serde(default)]
    all: bool,
}

/// One path, or several.
pub(super) struct SelectorPaths(Vec<NodePath>);

impl<'de> Deserialize<'de> for NodePath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(Error::custom)
    }
}

impl<'de> Deserialize<'de> for SelectorPaths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(SelectorVisitor { takes_mapping: false })
            .map(|selector| Self(selector.paths))
    }
}

impl<'de> Deserialize<'de> for PathSelector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SelectorVisitor { takes_mapping: true })
    }
}

struct SelectorVisitor {
    takes_mapping: bool,
}

impl From<Vec<NodePath>> for PathSelector {
    fn from(paths: Vec<NodePath>) -> Self {
        Self { paths, json: false, numbered: false, entries: false, all: false }
    }
}

impl<'de> Visitor<'de> for SelectorVisitor {
    type Value = PathSelector;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a path, or a list of paths")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<PathSelector, E> {
        Ok(vec![NodePath::parse(text).map_err(E::custom)?].into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<PathSelector, A::Error> {
        let mut paths = Vec::new();
        while let Some(path) = seq.next_element()? {
            paths.push(path);
        }
        if paths.is_empty() {
            return Err(A::Error::custom("expected at least one path"));
        }
        Ok(paths.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PathSelector, A::Error> {
        if !self.takes_mapping {
            return Err(A::Error::custom("expected a path, or a list of paths, found a mapping"));
        }
        let fields = SelectorFields::deserialize(MapAccessDeserializer::new(map))?;
        let SelectorFields { path, json, numbered, entries, all } = fields;
        Ok(PathSelector { paths: path.0, json, numbered, entries, all })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for SelectorPaths {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "paths".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let path = generator.subschema_for::<JsonPath>();
        schemars::json_schema!({"anyOf": [path, {"type": "array", "items": path, "minItems": 1}]})
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for PathSelector {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "path_selector".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let paths = generator.subschema_for::<SelectorPaths>();
        let fields = generator.subschema_for::<SelectorFields>();
        let by_alias = rename_path(fields.clone());
        schemars::json_schema!({"anyOf": [paths, fields, by_alias]})
    }
}

/// Returns the schema of a selector's mapping with `each`, the other name of `path`, in its place. A derived schema leaves
/// aliases out.
#[cfg(feature = "schema")]
fn rename_path(mut fields: schemars::Schema) -> schemars::Schema {
    if let Some(serde_json::Value::Object(properties)) = fields.get_mut("properties")
        && let Some(path) = properties.remove("path")
    {
        properties.insert("each".to_owned(), path);
    }
    fields.insert("required".to_owned(), serde_json::json!(["each"]));
    fields
}
