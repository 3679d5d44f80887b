//! A policy in any of its shapes.

use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::gate::Gate;
use super::lower::{self, pass_over};
use crate::check::Scope;
use crate::check::json_schema::{Home, Origin, Raw, Schema, Table, join};
use crate::json::json;
use crate::pattern::{ToolPattern, WordList, list_words};
use crate::place::LoadErrors;
use crate::yaml::{Fields, Node, Value};

/// Keys of a policy that say nothing about arguments: its own description, and what belongs to other readers
/// of the same file (a proxy, `sequence_valid`).
static OTHER_KEYS: WordList = LazyLock::new(|| {
    list_words(
        "version name description metadata aliases sequences limits signatures tool_pins discovery \
     runtime_monitor kill_switch",
    )
});

/// The requirements of a policy.
#[derive(Debug)]
pub(super) struct Policy {
    pub(super) gate: Gate,
    pub(super) schemas: Table,
    pub(super) unconstrained: Unconstrained,
    pub(super) origin: Origin,
    /// The pointer of the tools, or of the whole.
    pub(super) tools_at: String,
}

/// The treatment of calls of tools without a schema.
#[derive(Debug, Default)]
pub(super) enum Unconstrained {
    /// The call is not an item.
    #[default]
    Ignore,
    /// The call passes.
    Allow,
    /// The call passes with a note.
    Warn,
    /// The call is a violation. The field is the pointer of the setting that says so.
    Deny(String),
}

/// A policy file, compiled once a process for each reading of `format`.
struct Compiled<const FORMATS: bool>(Arc<Policy>);

/// The policy in the file that `path` names.
pub(super) fn file(path: Node<'_>, scope: &Scope<'_>, formats: bool) -> Result<Arc<Policy>, LoadErrors> {
    if formats { compile_file::<true>(path, scope) } else { compile_file::<false>(path, scope) }
}

fn compile_file<const FORMATS: bool>(node: Node<'_>, scope: &Scope<'_>) -> Result<Arc<Policy>, LoadErrors> {
    let path = scope.path(node)?;
    // Many cases name the same policy, which is compiled once for all of them.
    let compiled = scope.files.compiled::<Compiled<FORMATS>>(&path, || {
        let document = scope.document(node)?;
        Policy::read(&Home::policy(&document, FORMATS), document.root(), "")
            .map(|policy| Compiled(Arc::new(policy)))
    });
    compiled.map(|compiled| Arc::clone(&compiled.0))
}

impl Policy {
    /// Reads the policy at `base`, whatever its shape.
    pub(super) fn read<'n>(home: &Home<'n>, root: Node<'n>, base: &str) -> Result<Self, LoadErrors> {
        if let Some((tools, at)) = find_listed_tools(root, base) {
            return Self::of_listed_tools(home, tools, &at);
        }
        match Shape::of(root) {
            Shape::Arguments => Self::of_arguments(home, root, base),
            Shape::Structured => Self::structured(home, root, base),
            Shape::Schemas => Self::of_schemas(home, root, base),
        }
    }

    fn of(schemas: Table, home: &Home<'_>, tools_at: &str) -> Self {
        let gate = Gate::default();
        let unconstrained = Unconstrained::default();
        Self { gate, schemas, unconstrained, origin: home.origin(""), tools_at: tools_at.to_owned() }
    }

    /// The first shape.
    fn of_arguments<'n>(home: &Home<'n>, root: Node<'n>, base: &str) -> Result<Self, LoadErrors> {
        let mut fields = Fields::of(root, "a policy")?;
        pass_over(&mut fields, &OTHER_KEYS);
        let definitions = fields.node("$defs").map(|_| join(base, "$defs"));
        let tools = fields.node("tools").unwrap_or(root);
        let pointer = join(base, "tools");
        let lower =
            |node, at: &str| lower::tool(node, home.origin(at), home, definitions.as_deref()).compile(home);
        let table = fields.take(Table::read(tools, &pointer, "", lower));
        let policy = table.map(|table| Self::of(table, home, &pointer));
        fields.finish_some(policy)?.not_empty(root)
    }

    /// The second shape.
    fn structured<'n>(home: &Home<'n>, root: Node<'n>, base: &str) -> Result<Self, LoadErrors> {
        let mut fields = Fields::of(root, "a policy")?;
        pass_over(&mut fields, &OTHER_KEYS);
        let gate = fields.node("tools").map(|tools| Gate::read(tools, &join(base, "tools")));
        let gate = gate.and_then(|gate| fields.take(gate)).unwrap_or_default();
        let unconstrained = fields.node("enforcement").map(|node| read_enforcement(node, base));
        let unconstrained = unconstrained.and_then(|value| fields.take(value)).unwrap_or(Unconstrained::Warn);
        let at = join(base, "schemas");
        // Definitions are read with the schemas that refer to them.
        fields.node("$defs");
        let shared = [join(&at, "$defs"), join(base, "$defs")];
        let schemas = fields.node("schemas").map(|node| home.schemas(node, &at, &shared));
        let schemas = schemas.and_then(|table| fields.take(table)).unwrap_or_default();
        let tools_at = if root.get("schemas").is_some() { at } else { join(base, "tools") };
        let policy = Self { gate, schemas, unconstrained, origin: home.origin(""), tools_at };
        fields.finish(policy)?.not_empty(root)
    }

    /// The third shape: tools and their schemas at `base`.
    pub(super) fn of_schemas<'n>(home: &Home<'n>, root: Node<'n>, base: &str) -> Result<Self, LoadErrors> {
        let table = home.schemas(root, base, &[join(base, "$defs")])?;
        Self::of(table, home, base).not_empty(root)
    }

    /// The answer of a server that was asked for its tools: each has a schema, or takes any mapping.
    fn of_listed_tools<'n>(home: &Home<'n>, tools: Node<'n>, at: &str) -> Result<Self, LoadErrors> {
        let mut errors = LoadErrors::new();
        let mut table = Table::default();
        for (index, tool) in tools.list().into_iter().flatten().enumerate() {
            let Some(name) = tool.get("name") else { continue };
            let pattern = name.as_str().map(ToolPattern::of_name);
            let pattern = errors.take(pattern.transpose().map_err(|problem| name.error(problem))).flatten();
            let pointer = format!("{at}/{index}/inputSchema");
            let written = tool.get("inputSchema");
            let json = written.map_or_else(|| json!({"type": "object"}), Node::to_json);
            // A server's schema may allow everything.
            let schema = errors.take(Schema::compile(Raw { json, origin: home.origin(&pointer) }, home, &[]));
            if let (Some(pattern), Some(schema)) = (pattern, schema) {
                table.insert(pattern, schema);
            }
        }
        errors.or(Self::of(table, home, at))?.not_empty(tools)
    }

    /// Reads a policy of one tool and its arguments at `base`.
    pub(super) fn of_tool(
        home: &Home<'_>,
        tool: Node<'_>,
        arguments: Node<'_>,
        base: &str,
    ) -> Result<Self, LoadErrors> {
        let mut errors = LoadErrors::new();
        let tool = errors.take(tool.decode::<ToolPattern>());
        let schema = errors.take(Self::constraints(home, arguments, base));
        let policy = tool.zip(schema).map(|(tool, schema)| {
            let mut table = Table::default();
            table.insert(tool, schema);
            Self::of(table, home, base)
        });
        errors.or_some(policy)
    }

    /// The schema of one tool whose constraints stand at `base`.
    fn constraints(home: &Home<'_>, arguments: Node<'_>, base: &str) -> Result<Schema, LoadErrors> {
        if arguments.entries().is_none_or(|mut entries| entries.next().is_none()) {
            let error = arguments.error("`constraints` names no argument: it checks nothing");
            return Err(error.help("say `constraints: {ARGUMENT: {max: 30}}`").into());
        }
        lower::arguments(arguments, home.origin(base)).compile(home)
    }

    fn not_empty(self, root: Node<'_>) -> Result<Self, LoadErrors> {
        if self.schemas.is_empty() && self.gate.is_empty() {
            let error = root.error("the policy names no tool, no schema, and no allow or deny pattern");
            return Err(error.help("a policy that names nothing checks nothing").into());
        }
        Ok(self)
    }

    /// Whether a tool without a schema can be refused.
    pub(super) fn refuses_unknown(&self) -> bool {
        !self.gate.is_empty() || matches!(self.unconstrained, Unconstrained::Deny(_))
    }

    /// The names and globs that have a schema or are denied.
    pub(super) fn patterns(&self) -> impl Iterator<Item = &ToolPattern> {
        self.schemas.patterns().chain(self.gate.denied())
    }

    /// The tools that have a schema.
    pub(super) fn names(&self) -> Vec<&str> {
        self.schemas.patterns().map(ToolPattern::as_str).collect()
    }
}

/// Finds the tools that a server lists: a list of mappings with names, alone or in the envelope of the reply.
fn find_listed_tools<'n>(root: Node<'n>, base: &str) -> Option<(Node<'n>, String)> {
    let places = ["", "/tools", "/result/tools"].into_iter();
    let is_tool = |tool: Node<'_>| tool.get("name").is_some_and(|name| name.as_str().is_some());
    places
        .filter_map(|at| Some((root.pointer(at)?, format!("{base}{at}"))))
        .find(|(node, _)| node.list().is_some_and(|mut tools| tools.len() > 0 && tools.all(is_tool)))
}

enum Shape {
    Arguments,
    Structured,
    Schemas,
}

fn is_list(node: Node<'_>) -> bool {
    !matches!(node.value(), Value::Map(_))
}

impl Shape {
    fn of(root: Node<'_>) -> Self {
        let tools = find_section(root, "tools");
        let is_gated =
            ["allow", "deny"].iter().any(|key| tools.and_then(|tools| tools.get(key)).is_some_and(is_list));
        let is_structured = ["schemas", "enforcement"].iter().any(|key| find_section(root, key).is_some());
        // A file that names nothing of any shape is read as the second one, which then says what is missing.
        if is_structured || is_gated || names_nothing(root) {
            return Self::Structured;
        }
        if tools.is_some() { Self::Arguments } else { Self::Schemas }
    }
}

/// Finds a section of a policy. A tool may have the name of one: then a schema stands there.
fn find_section<'n>(root: Node<'n>, key: &str) -> Option<Node<'n>> {
    root.get(key).filter(|node| !is_schema(*node))
}

/// Whether no key but those of other readers is there: that is no map of tools.
fn names_nothing(root: Node<'_>) -> bool {
    root.entries().is_some_and(|mut entries| {
        entries.all(|(key, node)| {
            OTHER_KEYS.contains(&key.name.as_str()) && !is_schema(node) && node.get("properties").is_none()
        })
    })
}

/// A tool may be called `tools`: then a JSON Schema stands there.
fn is_schema(node: Node<'_>) -> bool {
    node.get("type").is_some_and(|value| !matches!(value.value(), Value::Map(_)))
        || node.get("$ref").is_some()
}

/// What happens to the calls of tools without a schema.
#[derive(Deserialize)]
struct Enforcement {
    unconstrained_tools: Option<EnforcementMode>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum EnforcementMode {
    Warn,
    Deny,
    Allow,
}

fn read_enforcement(node: Node<'_>, base: &str) -> Result<Unconstrained, LoadErrors> {
    let enforcement: Enforcement = node.decode_all()?;
    Ok(match enforcement.unconstrained_tools {
        Some(EnforcementMode::Deny) => Unconstrained::Deny(format!("{base}/enforcement/unconstrained_tools")),
        Some(EnforcementMode::Allow) => Unconstrained::Allow,
        Some(EnforcementMode::Warn) | None => Unconstrained::Warn,
    })
}
