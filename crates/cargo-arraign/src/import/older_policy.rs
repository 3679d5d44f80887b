//! Assay's policies of version 1, which are written as version 2.

use crate::yaml_writer::render_document;
use arraign::__internals::place::Source;
use arraign::__internals::yaml::{Document, Node};
use arraign::json::{Json, JsonMap, JsonText, json};

/// The remark on a policy that was converted.
pub(super) const CONVERTED: &str =
    "a policy of version 1: written as version 2, where `constraints` are schemas that require the argument";

/// Converts a policy with `constraints`, or with `allow` and `deny` beside `version`. `None` for any other text.
pub(super) fn upgrade_policy(text: &str) -> Option<String> {
    let documents = Document::parse(&Source::new("policy", text)).ok()?;
    let [document] = documents.as_slice() else { return None };
    let root = document.root();
    let lists: Vec<(&str, Node<'_>)> =
        ["allow", "deny"].into_iter().filter_map(|key| Some((key, root.get(key)?))).collect();
    let constraints = root.get("constraints");
    // A policy without these keys may be of version 2 already and is copied as it stands.
    if constraints.is_none() && lists.iter().all(|(_, node)| node.list().is_none()) {
        return None;
    }
    let Json::Object(mut policy) = root.to_json() else { return None };
    policy.retain(|key, _| !["allow", "deny", "constraints"].contains(&key));
    policy.insert("version".to_owned(), "2.0".into());
    let tools = policy.get_or_insert_with("tools", || json!({}));
    for (key, node) in lists {
        // Where both spellings name a tool, the one of version 2 is kept.
        tools.as_object_mut()?.get_or_insert_with(key, || node.to_json());
    }
    let schemas = policy.get_or_insert_with("schemas", || json!({})).as_object_mut()?;
    for (tool, parameters) in list_constraints(constraints) {
        schemas.get_or_insert_with(tool, || build_schema(parameters));
    }
    // Empty mappings that were made above for convenience are not written.
    policy.retain(|key, value| {
        !["tools", "schemas"].contains(&key) || value.as_object().is_none_or(|map| !map.is_empty())
    });
    Some(render_document(&policy))
}

/// Lists the tools with their parameters: `[{tool: NAME, params: {...}}]`, or `{NAME: {...}}`.
fn list_constraints(node: Option<Node<'_>>) -> Vec<(String, Node<'_>)> {
    let Some(node) = node else { return Vec::new() };
    if let Some(list) = node.list() {
        return list
            .filter_map(|rule| Some((rule.get("tool")?.as_str()?.to_owned(), rule.get("params")?)))
            .collect();
    }
    let entries = node.entries().into_iter().flatten();
    entries.map(|(name, rule)| (name.name.to_string(), rule.get("params").unwrap_or(rule))).collect()
}

/// Requires each parameter as a text that matches its pattern.
fn build_schema(parameters: Node<'_>) -> Json {
    let mut properties = JsonMap::new();
    for (name, rule) in parameters.entries().into_iter().flatten() {
        let pattern = rule.get("matches").and_then(Node::as_str).or(rule.as_str());
        let schema = pattern.map_or(json!({}), |pattern| json!({"type": "string", "pattern": pattern}));
        properties.insert(name.name.to_string(), schema);
    }
    let required: Vec<&JsonText> = properties.keys().collect();
    json!({"type": "object", "required": required, "properties": properties})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_are_schemas_and_lists_belong_to_tools() {
        let older = "version: \"1.0\"\nname: n\nallow: [pay]\nconstraints:\n  - tool: pay\n    params: {path: {matches: \"^/a\"}}\n";
        let policy = upgrade_policy(older).expect("a policy of version 1");
        let documents = Document::parse(&Source::new("p", policy.as_str())).expect("YAML");
        let value = documents[0].root().to_json();
        assert_eq!(value["tools"], json!({"allow": ["pay"]}), "{policy}");
        assert_eq!(value["schemas"]["pay"]["required"], json!(["path"]), "{policy}");
        assert_eq!(value["schemas"]["pay"]["properties"]["path"]["pattern"], "^/a", "{policy}");
        let by_name = upgrade_policy("constraints: {pay: {path: {matches: x}}}").expect("the other shape");
        assert!(by_name.contains("pattern: x"), "{by_name}");
        assert_eq!(upgrade_policy("version: \"2.0\"\ntools: {allow: [pay]}"), None);
    }
}
