//! The descriptions and schemas of mock tools: the answer of a server to `tools/list`, in a file or in the case.

use crate::check::Scope;
use crate::check::json_schema::{Home, Raw, Schema};
use crate::json::{Json, JsonMap, json};
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Node, Placed, did_you_mean, read_all};

use super::ToolName;

/// The form of definitions: any JSON, which is searched for the list of tools.
pub(super) type WrittenDefinitions = Json;

/// The definitions of tools, by name.
#[derive(Default)]
pub(super) struct ToolDefinitions(Vec<DefinedTool>);

/// A tool as a server lists it.
struct DefinedTool {
    name: String,
    listed: JsonMap,
    /// What its arguments satisfy. `None` if they are not checked.
    schema: Option<Schema>,
}

impl ToolDefinitions {
    /// Parses a list of tools, `{tools: [...]}`, the message of a server that contains it, or the file with one of these.
    /// `are_checked`: the arguments of calls must satisfy the schemas.
    pub(super) fn parse(node: Node<'_>, scope: &Scope<'_>, are_checked: bool) -> Result<Self, LoadErrors> {
        if node.as_str().is_some() {
            let document = scope.document(node)?;
            return parse_list(document.root(), are_checked);
        }
        parse_list(node, are_checked)
    }

    /// Takes the schema of the arguments of a tool.
    pub(super) fn take_schema(&mut self, name: &str) -> Option<Schema> {
        self.0.iter_mut().find(|tool| tool.name == name)?.schema.take()
    }

    /// Fails if there are definitions, and none of the tool.
    pub(super) fn require(&self, tool: &Placed<ToolName>) -> Result<(), LoadError> {
        let name = &tool.0;
        // Without definitions, tools are described by their answers alone.
        if self.0.is_empty() || self.0.iter().any(|tool| tool.name == *name) {
            return Ok(());
        }
        let names: Vec<&str> = self.0.iter().map(|tool| tool.name.as_str()).collect();
        let error = tool.error(format!("`{name}` is not in the `definitions`"));
        Err(error.help_if(did_you_mean(name, &names)))
    }

    /// Returns the tool as a server lists it. A tool without a definition takes any arguments.
    pub(super) fn list_tool(&self, name: &str) -> JsonMap {
        let known = self.0.iter().find(|tool| tool.name == name).map(|tool| tool.listed.clone());
        let mut listed = known.unwrap_or_default();
        listed.insert("name".to_owned(), name.into());
        // The protocol requires a schema of every tool.
        listed.get_or_insert_with("inputSchema", || json!({"type": "object"}));
        listed
    }

    /// Returns the settings `mocks` with the definitions that they use.
    pub(super) fn define(&self, mocks: Node<'_>) -> Json {
        let definitions: Vec<&JsonMap> = self.0.iter().map(|tool| &tool.listed).collect();
        json!({"mocks": mocks.to_json(), "definitions": definitions})
    }
}

fn parse_list(node: Node<'_>, are_checked: bool) -> Result<ToolDefinitions, LoadErrors> {
    // The list may stand alone, or be copied with the envelope of a server's reply.
    let places = ["", "/tools", "/result/tools"].into_iter();
    let Some(tools) = places.filter_map(|path| node.pointer(path)).find_map(Node::list) else {
        let error = node.error("`definitions` is a list of tools, or a file with one");
        return Err(error.help("a server lists them when it is asked for `tools/list`").into());
    };
    read_all(tools.map(|tool| parse_definition(tool, are_checked))).map(ToolDefinitions)
}

fn parse_definition(node: Node<'_>, is_checked: bool) -> Result<DefinedTool, LoadErrors> {
    let Json::Object(listed) = node.to_json() else {
        return Err(node.error(format!("a tool is a mapping, not {}", node.describe())).into());
    };
    let Some(name) = listed.get("name").and_then(Json::as_str).map(str::to_owned) else {
        return Err(node.error("a tool needs its `name`").into());
    };
    let written = node.get("inputSchema");
    if let Some(schema) = written.filter(|schema| schema.entries().is_none()) {
        return Err(schema.error("`inputSchema` is a JSON Schema: a mapping").into());
    }
    let home = Home::settings(node, false);
    let raw = |schema: Node<'_>| Raw { json: schema.to_json(), origin: home.origin("/inputSchema") };
    let schema = written.filter(|_| is_checked).map(|schema| Schema::compile(raw(schema), &home, &[]));
    Ok(DefinedTool { name, listed, schema: schema.transpose()? })
}
